"""Packed forests: inspect, search, measure, convert and combine them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rosewood.cli.common import (
    File,
    Format,
    Json,
    Output,
    Scale,
    Scorer,
    Weights,
    each_forest,
    print_row,
    warn,
    working_on,
    write_all,
)
from rosewood.errors import ForestError

if TYPE_CHECKING:
    from rosewood.forest import Forest, NamedForest

__all__ = ["PLUGIN"]

app = typer.Typer(
    help="Look at forests, search them, compute on them, convert them. Files may be forest sets, "
    "the text form, PLF, Moses, HTK, cdec or Joshua; the file's ending tells, or --format.",
    no_args_is_help=True,
)


@app.command()
def info(file: File, format: Format = None, json: Json = False) -> None:
    """Name, nodes, edges, features used, words used and derivations of each forest."""
    import numpy as np

    from rosewood.forest.search import count_saturating

    if not json:
        print("name\tnodes\tedges\tfeatures\twords\tderivations")
    for name, forest, _ in each_forest(file, format):
        words = forest.yield_symbol[forest.yield_symbol >= 0]
        count = int(count_saturating(forest)[-1])
        row: dict[str, Any] = {
            "name": name,
            "nodes": forest.num_nodes,
            "edges": forest.num_edges,
            "features": len(forest.features.dense) + len(np.unique(forest.feat_id)),
            "words": len(np.unique(words)),
            "derivations": count,
        }
        if count >= 10**18:  # digits that nobody reads, and there may be millions of them
            digits = float(forest.inside(np.zeros(forest.num_edges))[-1]) / np.log(10)
            row["derivations"] = f"1e{digits:.1f}"
        print_row(row, json)


@app.command()
def best(
    file: File,
    k: Annotated[int, typer.Option("-k", min=0, max=10**9, help="How many derivations.")] = 1,
    distinct: Annotated[bool, typer.Option("--distinct", help="Distinct strings.")] = False,
    sample: Annotated[bool, typer.Option("--sample", help="Draw them at random instead.")] = False,
    weights: Weights = None,
    scale: Scale = 1.0,
    seed: Annotated[int, typer.Option("--seed", help="Seed of --sample.")] = 0,
    threads: Annotated[int, typer.Option(min=1, max=1024, help="Threads of --sample.")] = 1,
    format: Format = None,
    json: Json = False,
) -> None:
    """The best derivations of each forest: name, rank, log score, string."""
    score = Scorer(weights, scale)

    for item in each_forest(file, format):
        with working_on(file, item.name):
            forest = item.forest
            if forest.is_empty:
                warn(f"{file}: forest {item.name!r} has no derivation")
                continue
            weight = score(forest)
            if sample:
                found = forest.sample(weight, k, seed=seed, threads=threads)
            else:
                found = forest.k_best(weight, k, distinct=distinct)
            for rank, (derivation, text) in enumerate(zip(found, found.texts(), strict=True)):
                row: dict[str, Any] = {
                    "name": item.name, "rank": rank, "score": derivation.score, "text": text,
                }  # fmt: skip
                if json:
                    row["features"] = forest.features.mapping(derivation.features())
                print_row(row, json)
    score.finish()


@app.command()
def measure(
    file: File,
    weights: Weights = None,
    other: Annotated[
        Path | None,
        typer.Option("--other", help="Weights of a second model q: cross-entropy and KL(p ‖ q)."),
    ] = None,
    scale: Scale = 1.0,
    format: Format = None,
    json: Json = False,
) -> None:
    """log Z, entropy (nats), expected length of each forest.

    With --json also the expected features and the gradient of the entropy.
    """
    from rosewood.forest import (
        cross_entropy,
        entropy_gradient,
        expected_length,
        feature_expectations,
        kl_divergence,
        log_partition,
    )

    score, second = Scorer(weights, scale), None if other is None else Scorer(other, scale)
    if not json:
        print("name\tlog Z\tentropy\tlength" + ("" if other is None else "\tcross-entropy\tKL"))

    for item in each_forest(file, format):
        with working_on(file, item.name):
            forest = item.forest
            names = ["log_z", "entropy", "expected_length"]
            names += [] if second is None else ["cross_entropy", "kl_divergence"]
            row: dict[str, Any] = {"name": item.name, **dict.fromkeys(names)}
            if not forest.is_empty:
                weight = score(forest)
                gradient = entropy_gradient(forest, weight)
                row["log_z"] = log_partition(forest, weight)
                row["entropy"] = gradient.value
                row["expected_length"] = expected_length(forest, weight)
                if second is not None:
                    against = second(forest)
                    row["cross_entropy"] = cross_entropy(forest, weight, against)
                    row["kl_divergence"] = kl_divergence(forest, weight, against)
                if json:
                    mean = feature_expectations(forest, weight)
                    row["expected_features"] = forest.features.mapping(mean)
                    row["entropy_gradient"] = forest.features.mapping(gradient.theta)
            print_row(row, json)
    score.finish()


@app.command()
def ngrams(
    file: File,
    n: Annotated[int, typer.Option("-n", min=1, max=1000, help="Longest n-gram.")] = 4,
    weights: Weights = None,
    scale: Scale = 1.0,
    format: Format = None,
    json: Json = False,
) -> None:
    """Expected n-gram counts of each forest: name, expected count, n-gram, the largest first."""
    from rosewood.forest import expected_ngram_counts

    score = Scorer(weights, scale)

    for item in each_forest(file, format):
        with working_on(file, item.name):
            if item.forest.is_empty:
                continue
            counts = expected_ngram_counts(item.forest, score(item.forest), n)
            for gram, count in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])):
                print_row({"name": item.name, "count": count, "ngram": " ".join(gram)}, json)
    score.finish()


@app.command()
def draw(
    file: File,
    output: Output,
    name: Annotated[
        str | None, typer.Option("--name", help="Which forest; the first if left out.")
    ] = None,
    weights: Weights = None,
    scale: Scale = 1.0,
    max_edges: Annotated[
        int, typer.Option("--max-edges", min=1, help="Edges shown at most (not in .dot).")
    ] = 200,
    format: Format = None,
) -> None:
    """A picture of one forest, its best derivation marked: .svg, .html or .dot by the ending."""
    from rosewood.forest.draw import to_dot, to_html, to_svg
    from rosewood.output import whole_file

    kind = output.suffix.lower()
    if kind not in (".svg", ".html", ".dot"):
        raise ForestError(f"{output}: a picture ends with .svg, .html or .dot")
    chosen = next((f for n, f, _ in each_forest(file, format) if name in (None, n)), None)
    if chosen is None:
        raise ForestError(f"{file}: there is no forest {'at all' if name is None else repr(name)}")
    score = Scorer(weights, scale)
    weight = score(chosen)
    score.finish()
    marked = None if chosen.is_empty else chosen.best(weight)
    if kind == ".dot":
        text = to_dot(chosen, weight=weight, highlight=marked)
    else:
        make = to_svg if kind == ".svg" else to_html
        text = make(chosen, weight=weight, highlight=marked, max_edges=max_edges)
    with whole_file(output) as stream:
        stream.write(text.encode())


@app.command()
def convert(file: File, output: Output, format: Format = None) -> None:
    """Write forests as a forest set (.rwf) or in text form (.forest, .txt, - standard output)."""
    write_all(each_forest(file, format), output)


@app.command()
def prune(
    file: File,
    output: Output,
    beam: Annotated[
        float | None, typer.Option("--beam", help="Keep what is this close to the best, in logs.")
    ] = None,
    density: Annotated[
        float | None, typer.Option("--density", help="Edges for each word of the best string.")
    ] = None,
    weights: Weights = None,
    scale: Scale = 1.0,
    format: Format = None,
) -> None:
    """Keep the edges that stand in a good derivation."""
    from rosewood.forest import prune

    score = Scorer(weights, scale)

    def smaller(forest: Forest) -> Forest:
        if forest.is_empty:
            return forest
        return prune(forest, score(forest), beam=beam, density=density).forest

    write_all(_changed(file, format, smaller), output)
    score.finish()


@app.command()
def intersect(
    file: File,
    output: Output,
    strings: Annotated[Path, typer.Option("--strings", help="Strings to accept, one a line.")],
    format: Format = None,
) -> None:
    """Keep the derivations whose string is one of these."""
    from rosewood.corpus import Vocabulary
    from rosewood.corpus.lines import read_lines, split
    from rosewood.forest import Automaton, intersect

    accepted = [split(line) for _, line in read_lines(strings, str(strings))]

    def restricted(forest: Forest) -> Forest:
        words = Vocabulary() if forest.vocabulary is None else forest.vocabulary
        return intersect(forest, Automaton.accepting(accepted, words)).forest

    write_all(_changed(file, format, restricted), output)


def _changed(
    file: Path, format: str | None, change: Callable[[Forest], Forest]
) -> Iterator[NamedForest]:
    """Each forest of a file, changed; its name and its info stay."""
    from rosewood.forest import NamedForest

    for name, forest, info in each_forest(file, format):
        with working_on(file, name):
            made = change(forest)
        yield NamedForest(name, made, info)


@app.command()
def merge(
    files: Annotated[list[Path], typer.Argument(help="Files of forests.")],
    output: Output,
    format: Format = None,
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
        for name, forest, info in each_forest(file, format):
            with working_on(file, name):
                if name in here:
                    raise ForestError("its name stands twice in one file: which is to be merged?")
                here.add(name)
                space = FeatureSpace(forest.features.dense) if space is None else space
                together.setdefault(name, []).append(renamed(forest, space, words))
                infos.setdefault(name, info)
    write_all((NamedForest(n, merge(p).forest, infos[n]) for n, p in together.items()), output)


@app.command()
def verify(file: Annotated[Path, typer.Argument(help="A forest set (.rwf).")]) -> None:
    """Check every byte of a forest set that matters."""
    from rosewood.forest import ForestSet

    found = ForestSet(file)
    found.verify()
    print(f"{file}: {len(found)} forests, all good")


PLUGIN = app
