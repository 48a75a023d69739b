"""Lists of a corpus: the 500 best translations of each sentence, which know their edges.

The decoder has the base features with weights that MERT found, as in the paper; the edges carry the
columns of the large set as well.  A list is kept as the forest of all edges that the 500 best use:
its 500 best under the weights of the decoder are the list.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from experiments.corpora import lines_of
from experiments.runs import Run, references_of
from rosewood.decode import Decoder
from rosewood.forest import (
    FeatureSpace,
    Forest,
    ForestSet,
    ForestSetWriter,
    Weights,
    select_edges,
)
from rosewood.learn import BoostSettings, TuningSet
from rosewood.learn.boost_rows import pruned_to
from rosewood.metrics import parse_metric
from rosewood.pipeline import Translator

METRIC = "bleu-sbp:tokenize=none"
PARTS = {"dev": "Dev-Train", "devtest": "Dev-Select", "test": "Test"}
K = 500


@dataclass(frozen=True)
class Lists:
    """The lists of one part, with edges and without, and the weights they were made with."""

    edges: TuningSet
    flat: TuningSet
    weights: Weights
    base: tuple[str, ...]  # names of the base features

    def theta(self) -> np.ndarray:
        """Weights of the decoder that made the lists."""
        return self.edges.features.vector(self.weights, only_known=True)


def make_lists(run: Run, base: str, large: str, seed: int) -> dict[str, Lists]:
    """The lists of all parts; what is on disk is read."""
    weights = Translator.load(run.model(base, seed)).bundle.weights
    model = Translator.load(run.model(large, seed))
    known = dict.fromkeys(model.decoder.features.dense, 0.0)
    decoder = model.decoder.with_weights({**known, **weights.named})
    made = {}
    for part in PARTS:
        files = [run.folder / f"{part}-{kind}-{seed}.rwf" for kind in ("edges", "flat")]
        if not all(file.exists() for file in files):
            _write(run, decoder, part, *files)
        edges, flat = (_opened(file, run.threads) for file in files)
        made[part] = Lists(edges, flat, weights, tuple(weights.named))
    return made


def whole_forests(run: Run, large: str, weights: Weights, seed: int, part: str) -> TuningSet:
    """Forests of a part with the weights given, pruned to the best edges where they are large."""
    file = run.folder / f"{part}-whole-{seed}.rwf"
    if not file.exists():
        decoder = Translator.load(run.model(large, seed)).decoder.with_weights(weights)

        def kept(forest: Forest) -> list[Forest]:
            return [pruned_to(forest, forest.score(decoder.theta()), BoostSettings().forest_edges)]

        _search(run, decoder, part, kept, [file])
    return _opened(file, run.threads)


def _opened(file: Path, threads: int) -> TuningSet:
    return TuningSet(ForestSet(file), parse_metric(METRIC), threads=threads)


def _write(run: Run, decoder: Decoder, part: str, edges: Path, flat: Path) -> None:
    def kept(forest: Forest) -> list[Forest]:
        best = forest.k_best(forest.score(decoder.theta()), K, distinct=True)
        used = np.zeros(forest.num_edges, dtype=bool)
        used[best.edge] = True
        return [select_edges(forest, used).forest, best.as_list()]

    _search(run, decoder, part, kept, [edges, flat])


def _search(
    run: Run,
    decoder: Decoder,
    part: str,
    kept: Callable[[Forest], Sequence[Forest]],
    files: Sequence[Path],
) -> None:
    """Write what is kept of each forest, a file for each."""
    source = lines_of(run.corpus.file(part, run.corpus.source))
    references = references_of(run.corpus, part)
    with ExitStack() as stack:
        writers = [stack.enter_context(ForestSetWriter(file)) for file in files]
        for number, found in enumerate(decoder.search_all(source, threads=run.threads)):
            about = {"id": f"{part}-{number}", "refs": references[number]}
            for writer, forest in zip(writers, kept(found.forest), strict=True):
                writer.append(forest, about)


def only(tuning: TuningSet, names: tuple[str, ...]) -> TuningSet:
    """A set with some of its dense features."""
    dense = tuning.features.dense
    space = FeatureSpace([name for name in dense if name in names])
    places = [place for place, name in enumerate(dense) if name in names]

    def change(number: int, forest: Forest) -> Forest:
        return forest.derive(features=space, dense=np.ascontiguousarray(forest.dense[:, places]))

    return tuning.changed(change, space, 0)
