"""`rosewood forest …`: look at forests, search them, convert them."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rosewood.errors import ForestError

if TYPE_CHECKING:
    from rosewood.forest import Forest, NamedForest
    from rosewood.forest.arrays import FloatArray

__all__ = ["app"]

app = typer.Typer(
    help="Look at forests, search them, compute on them, convert them. Files may be forest sets, "
    "the text form, PLF, Moses, HTK, cdec or Joshua; the file's ending tells, or --format.",
    no_args_is_help=True,
)

File = Annotated[Path, typer.Argument(help="A file of forests, in any format.")]
Format = Annotated[
    str | None,
    typer.Option("--format", help="set, text, plf, moses, htk, cdec, joshua, joshua-dump or lazy."),
]
Weights = Annotated[
    Path | None,
    typer.Option(
        "--weights",
        help='JSON file {"feature": weight, …}; features that are not named weigh 0. '
        "Without it every feature weighs 1.",
    ),
]
Scale = Annotated[float, typer.Option("--scale", help="Factor γ on all scores.")]
Output = Annotated[Path, typer.Option("--output", "-o", help="Where to write.")]
Json = Annotated[bool, typer.Option("--json", help="One JSON object a line.")]


def _read(file: Path, format: str | None) -> Iterator[NamedForest]:
    from rosewood.forest.formats import read_any

    return read_any(file, format=format)


class _Scorer:
    """Log weights of edges from a file of feature weights."""

    def __init__(self, weights: Path | None, scale: float = 1.0) -> None:
        self.scale = scale
        self.named: dict[str, float] | None = None
        if weights is not None:
            from rosewood.errors import FormatError

            try:
                named = json.loads(weights.read_text(encoding="utf-8"))
            except ValueError as error:
                raise FormatError(f"it is not JSON: {error}", file=weights) from error
            if not isinstance(named, dict) or not all(
                isinstance(v, int | float) and not isinstance(v, bool) for v in named.values()
            ):
                raise FormatError("want an object of feature names and numbers", file=weights)
            self.named = {name: float(value) for name, value in named.items()}

    def __call__(self, forest: Forest) -> FloatArray:
        import numpy as np

        space = forest.features
        if self.named is None:
            theta = np.ones(len(space))
        else:
            known = {n: v for n, v in self.named.items() if n in space.sparse or n in space.dense}
            theta = space.vector(known)
        return self.scale * forest.score(theta)


def _print(values: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print(json.dumps(values, ensure_ascii=False, allow_nan=False))
    else:
        print("\t".join(_cell(v) for v in values.values()))


def _cell(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


@app.command()
def info(file: File, format: Format = None, json: Json = False) -> None:
    """Name, nodes, edges, features used, words used and derivations of each forest."""
    import numpy as np

    if not json:
        print("name\tnodes\tedges\tfeatures\twords\tderivations")
    for name, forest in _read(file, format):
        words = forest.yield_symbol[forest.yield_symbol >= 0]
        count = forest.num_derivations()
        row = {
            "name": name,
            "nodes": forest.num_nodes,
            "edges": forest.num_edges,
            "features": len(forest.features.dense) + len(np.unique(forest.feat_id)),
            "words": len(np.unique(words)),
            "derivations": count if count < 10**18 or json else f"~1e{_digits(count) - 1}",
        }
        _print(row, json)


def _digits(count: int) -> int:
    """Decimal digits of a large whole number, without writing it out."""
    return int(count.bit_length() * 0.30102999566398) + 1


@app.command()
def best(
    file: File,
    k: Annotated[int, typer.Option("-k", help="How many derivations.")] = 1,
    distinct: Annotated[bool, typer.Option("--distinct", help="Distinct strings.")] = False,
    sample: Annotated[bool, typer.Option("--sample", help="Draw them at random instead.")] = False,
    weights: Weights = None,
    scale: Scale = 1.0,
    seed: Annotated[int, typer.Option("--seed", help="Seed of --sample.")] = 0,
    threads: Annotated[int, typer.Option("--threads", help="Threads of --sample.")] = 1,
    format: Format = None,
    json: Json = False,
) -> None:
    """The best derivations of each forest: name, rank, log score, string."""
    score = _Scorer(weights, scale)
    for name, forest in _read(file, format):
        weight = score(forest)
        if sample:
            found = forest.sample(weight, k, seed=seed, threads=threads)
        else:
            found = forest.k_best(weight, k, distinct=distinct)
        for rank, (derivation, text) in enumerate(zip(found, found.texts(), strict=True)):
            row: dict[str, Any] = {
                "name": name, "rank": rank, "score": derivation.score, "text": text,
            }  # fmt: skip
            if json:
                row["features"] = forest.features.mapping(derivation.features())
            _print(row, json)


@app.command()
def measure(
    file: File,
    weights: Weights = None,
    scale: Scale = 1.0,
    format: Format = None,
    json: Json = False,
) -> None:
    """log Z, entropy (nats) and expected length of each forest; with --json, E[features] too."""
    from rosewood.forest import Distribution, expected_length

    score = _Scorer(weights, scale)
    if not json:
        print("name\tlog Z\tentropy\texpected length")
    for name, forest in _read(file, format):
        weight = score(forest)
        p = Distribution(forest, weight)
        row: dict[str, Any] = {
            "name": name,
            "log_z": p.log_partition,
            "entropy": p.entropy(),
            "expected_length": expected_length(forest, weight),
        }
        if json:
            mean = forest.combine_features(p.edge_posteriors())
            row["expected_features"] = forest.features.mapping(mean)
        _print(row, json)


@app.command()
def ngrams(
    file: File,
    n: Annotated[int, typer.Option("-n", help="Longest n-gram.")] = 4,
    weights: Weights = None,
    scale: Scale = 1.0,
    format: Format = None,
    json: Json = False,
) -> None:
    """Expected n-gram counts of each forest: name, expected count, n-gram, the largest first."""
    from rosewood.forest import expected_ngram_counts

    score = _Scorer(weights, scale)
    for name, forest in _read(file, format):
        counts = expected_ngram_counts(forest, score(forest), n)
        for gram, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
            _print({"name": name, "count": count, "ngram": " ".join(gram)}, json)


@app.command()
def draw(
    file: File,
    output: Output,
    name: Annotated[
        str | None, typer.Option("--name", help="Which forest; the first if left out.")
    ] = None,
    weights: Weights = None,
    scale: Scale = 1.0,
    max_edges: Annotated[int, typer.Option("--max-edges", help="Edges shown at most.")] = 200,
    format: Format = None,
) -> None:
    """A picture of one forest, its best derivation marked: .svg, .html or .dot by the ending."""
    from rosewood.forest.draw import to_dot, to_html, to_svg

    chosen = next((f for n, f in _read(file, format) if name in (None, n)), None)
    if chosen is None:
        raise ForestError(f"{file}: there is no forest {'at all' if name is None else name!r}")
    weight = _Scorer(weights, scale)(chosen)
    marked = None if chosen.is_empty else chosen.best(weight)
    if output.suffix == ".dot":
        text = to_dot(chosen, weight=weight, highlight=marked)
    elif output.suffix in (".svg", ".html"):
        make = to_svg if output.suffix == ".svg" else to_html
        text = make(chosen, weight=weight, highlight=marked, max_edges=max_edges)
    else:
        raise ForestError(f"{output}: a picture ends with .svg, .html or .dot")
    output.write_text(text, encoding="utf-8")


@app.command()
def convert(file: File, output: Output, format: Format = None) -> None:
    """Write forests as a forest set (.rwf) or in text form (else; - is standard output)."""
    _write(_read(file, format), output)


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
    from rosewood.forest import NamedForest, prune

    score = _Scorer(weights, scale)

    def pruned() -> Iterator[NamedForest]:
        for name, forest in _read(file, format):
            small = prune(forest, score(forest), beam=beam, density=density).forest
            yield NamedForest(name, small)

    _write(pruned(), output)


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
    space: FeatureSpace | None = None
    words = Vocabulary()
    for file in files:
        for name, forest in _read(file, format):
            space = FeatureSpace(forest.features.dense) if space is None else space
            together.setdefault(name, []).append(renamed(forest, space, words))
    _write((NamedForest(n, merge(parts).forest) for n, parts in together.items()), output)


@app.command()
def verify(
    file: Annotated[Path, typer.Argument(help="A forest set (.rwf).")],
) -> None:
    """Check every byte of a forest set that matters."""
    from rosewood.forest import ForestSet

    found = ForestSet(file)
    found.verify()
    print(f"{file}: {len(found)} forests, all good")


def _write(forests: Iterator[NamedForest], output: Path) -> None:
    from rosewood.forest import ForestSetWriter, write_forests

    if output.suffix == ".rwf":
        with ForestSetWriter(output) as writer:
            for name, forest in forests:
                writer.append(forest, {"id": name})
    elif str(output) == "-":
        write_forests(forests, sys.stdout)
    else:
        write_forests(forests, output)
