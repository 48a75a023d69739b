"""Statistics of many candidates beside sacreBLEU's, in one run.

    python -m benchmarks.metrics [--sentences 1000] [--candidates 100] [--repeat 3]

Candidates are disturbed copies of their references, 20 words long, from a vocabulary as skewed as
that of a language.  sacreBLEU counts a part of them and its time is scaled up; its equal numbers
are checked on that part.  Beside them: scores of rows, the oracle of the set, paired tests.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from rosewood.metrics import bounds, paired_bootstrap, paired_randomisation, parse_metric
from rosewood.metrics.batch import starts

PART = 2000  # candidates that sacreBLEU counts
NAMES = ("bleu:none", "bleu", "bleu:intl", "chrf", "chrf++", "wer", "cer", "exact")


def seconds(function: Callable[[], Any], repeat: int = 1) -> float:
    """The best of several runs: the least disturbed one."""
    best = np.inf
    for _ in range(repeat):
        begin = time.perf_counter()
        function()
        best = min(best, time.perf_counter() - begin)
    return best


def texts(sentences: int, candidates: int) -> tuple[list[list[str]], list[list[str]]]:
    """Candidates and references of each sentence."""
    draw = random.Random(1)
    words = ["".join(draw.choices("etaoinshrdlu", k=draw.randint(1, 9))) for _ in range(20_000)]
    odds = [1 / (rank + 3) for rank in range(len(words))]
    hypotheses, references = [], []
    for _ in range(sentences):
        reference = draw.choices(words, odds, k=20)
        own = []
        for _ in range(candidates):
            said = [w if draw.random() < 0.7 else draw.choice(reference) for w in reference]
            own.append(" ".join(said[: draw.randint(15, 20)]) + ".")
        hypotheses.append(own)
        references.append([" ".join(reference) + "."])
    return hypotheses, references


def peer_of(name: str) -> Any:
    """sacreBLEU's own metric, where it has one."""
    import sacrebleu

    if name.startswith("bleu"):
        return sacrebleu.BLEU(tokenize=name.partition(":")[2] or "13a", force=True)
    if name.startswith("chrf"):
        return sacrebleu.CHRF(word_order=2 if name == "chrf++" else 0)
    return None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sentences", type=int, default=1000)
    parser.add_argument("--candidates", type=int, default=100)
    parser.add_argument("--repeat", type=int, default=3, help="runs, of which the best counts")
    options = parser.parse_args()
    hypotheses, references = texts(options.sentences, options.candidates)
    count = sum(map(len, hypotheses))
    some = [(h, r[0]) for own, r in zip(hypotheses, references, strict=True) for h in own][:PART]
    said, document = [h for h, _ in some], [[r for _, r in some]]
    print(
        f"{count} candidates\n{'':12}{'seconds':>9}{'two threads':>13}{'sacreBLEU':>11}{'ratio':>8}"
    )
    for name in NAMES:
        metric, peer = parse_metric(name), peer_of(name)
        rows = metric.statistics_many(hypotheses, references)
        own, two = (
            seconds(
                lambda m=metric, t=threads: m.statistics_many(hypotheses, references, threads=t),
                options.repeat,
            )
            for threads in (1, 2)
        )
        line = f"{name:12}{own:9.2f}{two:13.2f}"
        if peer is not None:
            begin = time.perf_counter()
            want = peer._extract_corpus_statistics(said, document)
            theirs = (time.perf_counter() - begin) * count / len(said)
            assert rows[: len(said)].tolist() == want
            line += f"{theirs:11.2f}{theirs / own:8.1f}"
        print(line, flush=True)
    metric = parse_metric("bleu:none")
    rows, start = metric.statistics_many(hypotheses, references), starts(map(len, hypotheses))
    score_time = seconds(lambda: metric.scores(rows), options.repeat)
    print(f"\nscore of a row: {1e9 * score_time / count:.0f} ns")
    print(f"bounds of the set: {seconds(lambda: bounds(metric, rows, start)):.2f} s")
    first, last = rows[start[:-1]], rows[start[1:] - 1]
    for test in (paired_bootstrap, paired_randomisation):
        print(f"{test.__name__}: {seconds(lambda t=test: t(metric, first, last)):.2f} s")


if __name__ == "__main__":
    main()
