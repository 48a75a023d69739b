"""Packed forests: inspect, search, measure, convert and combine them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rosewood.cli.common import Output, bad_value, warn
from rosewood.cli.forests import (
    Compress,
    ForestOptions,
    ForestScoreOptions,
    working_on,
    write_all,
)
from rosewood.cli.groups import VerbGroup
from rosewood.cli.run_options import Json
from rosewood.cli.second_stage import second_stage
from rosewood.errors import ForestError
from rosewood.settings import setting, setting_of
from rosewood.shared_settings import SharedSettings
from rosewood.shared_types import PathName

if TYPE_CHECKING:
    from rosewood.forest import Forest, NamedForest

app = VerbGroup(
    "Inspect forests, search them, compute on them, convert them. Files may be forest sets, the "
    "text form, PLF, Moses, HTK, cdec or Joshua; the file's ending tells, or --format."
)
File = Annotated[
    Path, typer.Argument(help="A file of forests, in any format; - is standard input.")
]


@app.command()
def info(file: File, options: ForestOptions, json: Json = False) -> None:
    """Name, nodes, edges, features used, words used and derivations of each forest."""
    from rosewood.forest.summary import sizes

    if not json:
        print("name\tnodes\tedges\tfeatures\twords\tderivations")
    options.print_rows(file, lambda item: [sizes(item.forest)], json)


@dataclass(frozen=True)
class BestOptions(ForestScoreOptions):
    """Which derivations are printed."""

    distinct: bool = setting(False, "Print distinct strings.")
    sample: bool = setting(False, "Draw derivations at random instead.")
    seed: int = setting_of(SharedSettings, "seed", 0, help="Random seed of --sample.")
    threads: int = setting_of(
        SharedSettings, "threads", 1, help="Threads of --sample.", default_text=None
    )
    k: int = setting(1, "Number of derivations.", low=0, high=10**9)


@app.command()
def best(file: File, options: BestOptions, json: Json = False) -> None:
    """The best derivations of each forest: name, rank, log score, string."""

    def rows(item: NamedForest) -> Iterator[dict[str, Any]]:
        forest, k = item.forest, options.k
        if forest.is_empty:
            warn(f"{file}: forest {item.name!r} has no derivation")
            return
        weight = score(forest)
        if options.sample:
            found = forest.sample(weight, k, seed=options.seed, threads=options.threads)
        else:
            found = forest.k_best(weight, k, distinct=options.distinct)
        for rank, (derivation, text) in enumerate(zip(found, found.texts(), strict=True)):
            row = {"rank": rank, "score": derivation.score, "text": text}
            features = {"features": forest.features.mapping(derivation.features())} if json else {}
            yield {**row, **features}

    with options.scorer() as score:
        options.print_rows(file, rows, json)


@dataclass(frozen=True)
class MeasureOptions(ForestScoreOptions):
    """What is measured."""

    other: PathName | None = setting(
        None, "Weights of a second model q, for cross-entropy and KL(p ‖ q)."
    )


@app.command()
def measure(file: File, options: MeasureOptions, json: Json = False) -> None:
    """log Z, entropy (nats), expected length of each forest.

    With --json also the expected features and the gradient of the entropy.
    """
    from rosewood.forest.summary import measures

    other = None if options.other is None else options.scores(options.other)
    if not json:
        print("name\tlog Z\tentropy\tlength" + ("" if other is None else "\tcross-entropy\tKL"))
    with options.scorer() as score:
        options.print_rows(
            file, lambda item: [measures(item.forest, score, other, by_feature=json)], json
        )


@dataclass(frozen=True)
class NgramOptions(ForestScoreOptions):
    """Which n-grams are counted."""

    n: int = setting(4, "Maximum n-gram order.", low=1, high=1000)


@app.command()
def ngrams(file: File, options: NgramOptions, json: Json = False) -> None:
    """Expected n-gram counts of each forest: name, expected count, n-gram, the largest first."""
    from rosewood.forest import expected_ngram_counts

    def rows(item: NamedForest) -> Iterator[dict[str, Any]]:
        if not item.forest.is_empty:
            counts = expected_ngram_counts(item.forest, score(item.forest), options.n)
            for gram, count in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])):
                yield {"count": count, "ngram": " ".join(gram)}

    with options.scorer() as score:
        options.print_rows(file, rows, json)


@dataclass(frozen=True)
class DrawOptions(ForestScoreOptions):
    """What is drawn."""

    name: str | None = setting(
        None, "Name of the forest.", metavar="NAME", default_text="the first"
    )
    max_edges: int = setting(200, "Maximum number of edges shown (not in .dot).", low=1)


@app.command()
def draw(file: File, output: Output, options: DrawOptions) -> None:
    """A picture of one forest, its best derivation marked: .svg, .html or .dot by the ending."""
    from rosewood.forest.draw import to_dot, to_html, to_svg
    from rosewood.output import whole_file

    kind, name = output.suffix.lower(), options.name
    if kind not in (".svg", ".html", ".dot"):
        raise bad_value(ForestError, "-o", output, "a name with .svg, .html or .dot")
    chosen = next((f for n, f, _ in options.read(file) if name in (None, n)), None)
    if chosen is None:
        raise ForestError(
            f"{file}: there is no forest" + ("" if name is None else f" {name!r}"),
            code="file.empty" if name is None else "argument.unknown",
            argument="--name", value=name, file=file,
        )  # fmt: skip
    with options.scorer() as score:
        weight = score(chosen)
    marked = None if chosen.is_empty else chosen.best(weight)
    if kind == ".dot":
        text = to_dot(chosen, weight=weight, highlight=marked)
    else:
        make = to_svg if kind == ".svg" else to_html
        text = make(chosen, weight=weight, highlight=marked, max_edges=options.max_edges)
    with whole_file(output) as stream:
        stream.write(text.encode())


@app.command()
def convert(
    file: File,
    output: Output,
    options: ForestOptions,
    compress: Compress = False,
    append: Annotated[
        bool, typer.Option("--append", help="Add the forests to a forest set that exists.")
    ] = False,
) -> None:
    """Write forests as a forest set (.rwf) or in text form (.forest, .txt, - standard output)."""
    write_all(options.read(file), output, compress=compress, append=append)


@dataclass(frozen=True)
class PruneOptions(ForestScoreOptions):
    """What is kept."""

    beam: float | None = setting(None, "Maximum log distance to the best derivation.")
    density: float | None = setting(None, "Edges per word of the best string.")


@app.command()
def prune(file: File, output: Output, options: PruneOptions, compress: Compress = False) -> None:
    """Keep the edges of good derivations."""
    from rosewood.forest import prune

    def smaller(forest: Forest) -> Forest:
        if forest.is_empty:
            return forest
        return prune(forest, score(forest), beam=options.beam, density=options.density).forest

    with options.scorer() as score:
        write_all(options.changed(file, smaller), output, compress=compress)


@app.command()
def intersect(
    file: File,
    output: Output,
    strings: Annotated[Path, typer.Option("--strings", help="Accepted strings, one per line.")],
    options: ForestOptions,
    compress: Compress = False,
) -> None:
    """Keep the derivations whose string is one of these."""
    from rosewood.corpus import Vocabulary
    from rosewood.corpus.lines import read_lines, split
    from rosewood.forest import Automaton, intersect

    accepted = [split(line) for _, line in read_lines(strings, str(strings))]

    def restricted(forest: Forest) -> Forest:
        words = Vocabulary() if forest.vocabulary is None else forest.vocabulary
        return intersect(forest, Automaton.accepting(accepted, words)).forest

    write_all(options.changed(file, restricted), output, compress=compress)


@app.command()
def merge(
    files: Annotated[list[Path], typer.Argument(help="Files of forests.")],
    output: Output,
    options: ForestOptions,
    compress: Compress = False,
) -> None:
    """Forests of one name in several files become one; equal parts are shared."""
    from rosewood.corpus import Vocabulary
    from rosewood.forest import FeatureSpace, NamedForest, merge, renamed

    together: dict[str, list[Forest]] = {}
    infos: dict[str, Any] = {}
    space: FeatureSpace | None = None
    words = Vocabulary()
    for file in files:
        here: set[str] = set()
        for name, forest, info in options.read(file):
            with working_on(file, name):
                if name in here:
                    raise ForestError(
                        "a name may be in a file only once to be merged",
                        code="argument.duplicate", argument="name", value=name,
                    )  # fmt: skip
                here.add(name)
                space = FeatureSpace(forest.features.dense) if space is None else space
                together.setdefault(name, []).append(renamed(forest, space, words))
                infos.setdefault(name, info)
    merged = (NamedForest(n, merge(p).forest, infos[n]) for n, p in together.items())
    write_all(merged, output, compress=compress)


@app.command()
def verify(file: Annotated[Path, typer.Argument(help="A forest set (.rwf).")]) -> None:
    """Check every byte of a forest set that matters."""
    from rosewood.forest import ForestSet

    found = ForestSet(file)
    found.verify()
    print(f"{file}: {len(found)} forests, all good")


app.command("second-stage")(second_stage)
PLUGIN = app
