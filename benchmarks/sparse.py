"""Half a million sparse weights: set, decoded with, tuned, saved and loaded; milliseconds each.

    python -m benchmarks.sparse [--weights 500000] [--sentences 200]

A decoder of the phrasebook has a feature for every rule id.  Its feature space has all of them, as
it has when rules of a whole training corpus were met, and every one has a weight.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from rosewood.align import Aligner
from rosewood.corpus import IndexedCorpus, SentencePair
from rosewood.corpus.phrasebook import Phrasebook
from rosewood.decode import PhraseDecoder, RuleIds
from rosewood.forest import Weights
from rosewood.learn import Mira, Pro, TuningSet
from rosewood.lm import estimate
from rosewood.metrics import Bleu
from rosewood.rules import extract


def decoder_of(folder: Path, pairs: int) -> tuple[PhraseDecoder, list[str], list[list[str]]]:
    """A phrase-based decoder with rule features, and held-out sentences with references."""
    train, dev, _ = Phrasebook("en-de", seed=1).split(train=pairs, dev=1000)
    pairs_of = [SentencePair(" ".join(pair.source), " ".join(pair.target)) for pair in train]
    corpus = IndexedCorpus.build(folder / "corpus", pairs=pairs_of)
    _, both = Aligner.fit_align(corpus, threads=2)
    table = extract(corpus, both.symmetrize(threads=2), folder / "rules", threads=2).table
    with estimate((pair.target for pair in pairs_of), order=3) as made:
        model = made.save(folder / "lm.rlm")
    decoder = PhraseDecoder(table, model, features=[RuleIds()])
    references = [[" ".join(pair.target)] for pair in dev]
    return decoder, [" ".join(pair.source) for pair in dev], references


def timed(what: str, work: Callable[[], Any], per: int = 1) -> Any:
    """Runs something and prints the least of three times."""
    best, found = float("inf"), None
    for _ in range(3):
        begin = time.perf_counter()
        found = work()
        best = min(best, time.perf_counter() - begin)
    print(f"{what:44} {1000 * best / per:10.2f} ms")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--weights", type=int, default=500_000)
    parser.add_argument("--sentences", type=int, default=200)
    parser.add_argument("--pairs", type=int, default=5000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        decoder, sentences, references = decoder_of(folder, options.pairs)
        del sentences[options.sentences :], references[options.sentences :]
        count = len(sentences)
        timed(
            "a sentence without sparse weights", lambda: list(decoder.search_all(sentences)), count
        )
        numbers = np.arange(options.weights)
        random = np.random.default_rng(1)
        weights = Weights(
            decoder.default_weights(), {"rule": (numbers, 0.01 * random.normal(size=len(numbers)))}
        )
        decoder.features.sparse.add_numbers("rule", numbers)
        weighted = timed("with_weights", lambda: decoder.with_weights(weights))
        timed("theta, the first time", lambda: decoder.with_weights(weights).theta())
        timed("theta, again", weighted.theta)
        found = timed("a sentence", lambda: list(weighted.search_all(sentences)), count)
        tuning = TuningSet([each.forest for each in found], Bleu(tokenize="none"), references)
        theta = weighted.theta()
        timed("a pass of forest MIRA, a sentence",
              lambda: Mira(passes=1, search="forest").fit(tuning, theta), count)  # fmt: skip
        timed("a fit of PRO, a sentence", lambda: Pro().fit(tuning, theta), count)
        timed("theta as weights by name", lambda: decoder.features.weights(theta))
        timed("save", lambda: weights.save(folder / "weights.npz"))
        timed("load", lambda: Weights.load(folder / "weights.npz"))


if __name__ == "__main__":
    main()
