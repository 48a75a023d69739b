"""Half a million sparse weights: set, decoded with, tuned, saved and loaded; milliseconds each.

    python -m benchmarks.sparse [--weights 500000] [--sentences 200] [--only decode|tune]

A phrase-based and a hierarchical decoder have a feature for every rule id, and every rule a weight.
Decoding is measured beside decoders without the feature, in turns; tuning with a feature space that
has all features, as it has when rules of a whole training corpus were met.  Text: multi30k-de-en of
$ROSEWOOD_DATA (or ../shared/data); without it the phrasebook, whose tables are smaller.
"""

from __future__ import annotations

import argparse
import gzip
import statistics
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.rules import CORPUS, DATA
from rosewood.align import Aligner
from rosewood.corpus import IndexedCorpus, SentencePair
from rosewood.corpus.phrasebook import Phrasebook
from rosewood.decode import HieroDecoder, PhraseDecoder, RuleIds
from rosewood.decode.decoders.hiero import HieroKind
from rosewood.forest import Weights
from rosewood.learn import Mira, Pro, TuningSet
from rosewood.lm import Model, estimate
from rosewood.metrics import Bleu
from rosewood.rules import RuleTable, extract

ROUNDS = 9  # in turns


class Models(NamedTuple):
    """What decoders are made of, and held-out sentences with references."""

    phrases: RuleTable
    grammar: RuleTable
    language_model: Model
    sentences: list[str]
    references: list[list[str]]


def text(pairs: int) -> tuple[list[SentencePair], list[SentencePair]]:
    """Sentence pairs for training, and held-out ones."""
    if (DATA / CORPUS).exists():
        print(f"text: {CORPUS}")
        sides = [
            [
                gzip.decompress((DATA / CORPUS / f"{part}.{language}.gz").read_bytes())
                .decode()
                .splitlines()
                for language in ("de", "en")
            ]
            for part in ("train", "dev")
        ]
        train, dev = ([SentencePair(*pair) for pair in zip(*each, strict=True)] for each in sides)
        return train, dev
    print(f"text: {pairs:,} pairs of the phrasebook")
    book = Phrasebook("en-de", seed=1).split(train=pairs, dev=1000)[:2]
    train, dev = (
        [SentencePair(" ".join(pair.source), " ".join(pair.target)) for pair in each]
        for each in book
    )
    return train, dev


def models_of(folder: Path, pairs: int, sentences: int) -> Models:
    """Tables of phrases and of hierarchical rules, and a language model."""
    train, dev = text(pairs)
    corpus = IndexedCorpus.build(folder / "corpus", pairs=train)
    _, both = Aligner.fit_align(corpus, threads=2)
    links = both.symmetrize(threads=2)
    phrases = extract(corpus, links, folder / "rules", threads=2).table
    grammar = extract(corpus, links, folder / "grammar", threads=2, **HieroKind.extraction).table
    with estimate((pair.target for pair in train), order=3) as made:
        model = made.save(folder / "lm.rlm")
    print(f"{len(phrases):,} phrase pairs, {len(grammar):,} hierarchical rules")
    chosen = dev[:sentences]
    references = [[pair.target] for pair in chosen]
    return Models(phrases, grammar, model, [pair.source for pair in chosen], references)


def timed(what: str, work: Callable[[], Any], per: int = 1) -> Any:
    """Runs something and prints the least of three times."""
    best, found = float("inf"), None
    for _ in range(3):
        begin = time.perf_counter()
        found = work()
        best = min(best, time.perf_counter() - begin)
    print(f"{what:44} {1000 * best / per:10.2f} ms")
    return found


def in_turns(what: str, works: Mapping[str, Callable[[], Any]], per: int) -> None:
    """Prints the least time of each, and the median of the ratios to the first of the same turn."""
    spent: dict[str, list[float]] = {name: [] for name in works}
    for turn in range(ROUNDS):
        names = list(works) if turn % 2 == 0 else list(works)[::-1]
        for name in names:
            begin = time.process_time()
            works[name]()
            spent[name].append(time.process_time() - begin)
    first = spent[next(iter(spent))]
    for name, times in spent.items():
        ratio = statistics.median(a / b for a, b in zip(times, first, strict=True))
        print(f"{what}, {name:32} {1000 * min(times) / per:10.2f} ms {ratio:8.3f}")


def drawn_weights(table: RuleTable, named: Mapping[str, float], count: int) -> Weights:
    """Small weights of rules that are spread over all ids."""
    numbers = np.unique(np.linspace(0, max(count, len(table)) - 1, count).astype(np.int64))
    values = 0.01 * np.random.default_rng(1).normal(size=len(numbers))
    return Weights(named, {"rule": (numbers, values)})


def decoding(models: Models, count: int) -> None:
    """Decoders with the feature and its weights beside those without."""
    kinds = {"phrases": (PhraseDecoder, models.phrases), "hiero": (HieroDecoder, models.grammar)}
    for name, (kind, table) in kinds.items():
        plain: Any = kind(table, models.language_model)
        featured: Any = kind(table, models.language_model, features=[RuleIds()])
        weights = drawn_weights(table, featured.default_weights(), count)
        weighted = timed(
            f"{name}: with_weights, {count:,} of {len(table):,} rules",
            lambda featured=featured, weights=weights: featured.with_weights(weights),
        )
        chosen = {"without the feature": plain, "without weights": featured, "weights": weighted}
        for what in ("translate", "search_all"):
            in_turns(
                f"{name}: {what}",
                {
                    each: lambda decoder=decoder, what=what: list(
                        getattr(decoder, what)(models.sentences)
                    )
                    for each, decoder in chosen.items()
                },
                len(models.sentences),
            )


def large_table() -> None:
    """The array of a table of ten million rules, with few weights and with many."""
    for count in (1000, 500_000):
        rules = np.unique(np.linspace(0, 10**7 - 1, count).astype(np.int64))

        def made(rules: Any = rules) -> Any:
            found = np.zeros(10**7)
            found[rules] += 1.0
            return found

        timed(f"{count:,} weights in an array of 10,000,000", made)


def tuning(models: Models, folder: Path, weights: int) -> None:
    """Vectors, learners and files."""
    decoder = PhraseDecoder(models.phrases, models.language_model, features=[RuleIds()])
    numbers = np.arange(weights)
    random = np.random.default_rng(1)
    given = Weights(
        decoder.default_weights(), {"rule": (numbers, 0.01 * random.normal(size=len(numbers)))}
    )
    decoder.features.sparse.add_numbers("rule", numbers)
    weighted = decoder.with_weights(given)
    timed("theta, the first time", lambda: decoder.with_weights(given).theta())
    timed("theta, again", weighted.theta)
    found = list(weighted.search_all(models.sentences))
    metric = Bleu(tokenize="none")
    tuning_set = TuningSet([each.forest for each in found], metric, models.references)
    theta = weighted.theta()
    count = len(found)
    timed("a pass of forest MIRA, a sentence",
          lambda: Mira(passes=1, search="forest").fit(tuning_set, theta), count)  # fmt: skip
    timed("a fit of PRO, a sentence", lambda: Pro().fit(tuning_set, theta), count)
    timed("theta as weights by name", lambda: decoder.features.weights(theta))
    timed("save", lambda: given.save(folder / "weights.npz"))
    timed("load", lambda: Weights.load(folder / "weights.npz"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--weights", type=int, default=500_000)
    parser.add_argument("--sentences", type=int, default=200)
    parser.add_argument("--pairs", type=int, default=5000)
    parser.add_argument("--only", choices=("decode", "tune"))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        models = models_of(Path(place), options.pairs, options.sentences)
        if options.only != "tune":
            decoding(models, options.weights)
            large_table()
        if options.only != "decode":
            tuning(models, Path(place), options.weights)


if __name__ == "__main__":
    main()
