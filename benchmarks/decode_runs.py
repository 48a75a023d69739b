"""Runs of decoders in processes of their own, what they cost, and how they compare."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.moses_decoder import Run, program, quietly, score_and_words, timed
from benchmarks.plots import Panel, chart
from benchmarks.rules import rosewood, run
from rosewood.decode.rule_decoder import RuleDecoder
from rosewood.rules import RuleTable

ORDER = 5  # of the language model
ENOUGH = 1e-4  # programs print few digits of a score
LEAST = 0.01  # seconds: a difference of two runs says nothing finer
MEGABYTE = 1 << 20


class Models(NamedTuple):
    """What all decoders work with, in one folder."""

    place: Path
    source: Path  # sentences to translate
    first: Path  # one of them
    references: list[list[str]]  # one or more for each sentence: lists of lines

    @property
    def rules(self) -> Path:
        return self.place / "rules"

    @property
    def arpa(self) -> Path:
        return self.place / "lm.arpa"

    @property
    def language_model(self) -> Path:
        return self.place / "lm.rlm"

    def sentences(self) -> list[str]:
        return self.source.read_text(encoding="utf-8").splitlines()

    @classmethod
    def at(cls, place: str) -> Models:
        """Those that another process has made."""
        return cls(Path(place), Path(place) / "test", Path(place) / "first", [])

    @classmethod
    def of(cls, place: Path, lines: Sequence[str], references: list[list[str]]) -> Models:
        """Write the sentences into the folder."""
        made = cls.at(str(place))._replace(references=references)
        for path, some in ((made.source, lines), (made.first, lines[:1])):
            path.write_text("".join(line + "\n" for line in some), encoding="utf-8")
        return made

    def learn(self, source: Path, target: Path, links: Path, *more: object) -> None:
        """A table and a language model of the training text."""
        run(rosewood("extract", source, target, "--alignment", links, "-o", self.rules, "--quiet",
                     *more))  # fmt: skip
        run(rosewood("lm", "estimate", "--order", ORDER, target, "-o", self.language_model,
                     "--arpa", self.arpa, "--quiet"))  # fmt: skip
        lines = self.sentences()
        words = sum(len(line.split()) for line in lines) / len(lines)
        rules = len(RuleTable.open(self.rules))
        print(f"{rules:,} rules; {len(lines)} sentences of {words:.1f} words")

    def kenlm(self) -> Path:
        """The language model as peers like it best: a binary, where their program can make it."""
        binary = self.place / "kenlm"
        if not binary.exists() and (build_binary := program("build_binary")):
            quietly(build_binary, self.arpa, binary)
        return binary if binary.exists() else self.arpa


class Measured(NamedTuple):
    """A decoder's whole run, and the same for one sentence, which is mostly loading."""

    name: str
    threads: int
    whole: Run
    first: Run

    @property
    def seconds(self) -> float:
        return max(LEAST, self.whole.wall - self.first.wall)

    @property
    def processor(self) -> float:
        return max(LEAST, self.whole.processor - self.first.processor)

    @property
    def score(self) -> float:
        return float(np.mean(self.whole.scores))

    def row(self, references: Sequence[Sequence[str]]) -> str:
        import sacrebleu  # not in the processes that are measured

        words = {"tokenize": "none", "force": True}  # they are words already
        bleu = sacrebleu.corpus_bleu(self.whole.texts, references, **words).score
        return (
            f"{self.name:26}{self.threads:8}{self.whole.wall:9.2f}{self.seconds:9.2f}{self.processor:9.2f}"
            f"{len(self.whole.texts) / self.seconds:9.0f}{self.whole.memory / MEGABYTE:7.0f}"
            f"{self.score:12.5f}{bleu:7.2f}"
        )


HEAD = (
    f"{'':26}{'threads':>8}{'wall s':>9}{'- load':>9}{'proc. s':>9}{'sent./s':>9}{'MB':>7}"
    f"{'mean score':>12}{'BLEU':>7}"
)


def measured(
    name: str,
    command: Sequence[str],
    threads: int,
    models: Models,
    repeat: int,
    read: Callable[[str], tuple[str, str]] = score_and_words,
) -> Measured:
    """The best of some runs."""
    whole = [timed(command, models.source, read) for _ in range(repeat)]
    first = [timed(command, models.first, read) for _ in range(repeat)]
    quickest = [min(runs, key=lambda run: run.wall) for runs in (whole, first)]
    return Measured(name, threads, *quickest)


def beside(own: Sequence[Measured], other: Measured) -> None:
    """The quickest of our searches whose mean score is at least that of another decoder."""
    good = [
        each for each in own if each.threads == other.threads and each.score >= other.score - ENOUGH
    ]
    if not good:
        print("  no search of ours has a mean score as high")
        return
    best = min(good, key=lambda each: each.processor)
    more = np.array(best.whole.scores) >= np.array(other.whole.scores) - 1e-3
    print(
        f"  {best.name}: {other.seconds / best.seconds:.1f}x the sentences a second, "
        f"{other.whole.wall / best.whole.wall:.1f}x with loading, "
        f"{other.processor / best.processor:.1f}x by processors' time; "
        f"{best.whole.memory / other.whole.memory:.2f} of the memory; "
        f"score at least theirs on {more.mean():.1%}"
    )


class Trial(NamedTuple):
    """A point of a chart: a line's name, a place on it, and what is to be measured."""

    name: str
    x: float
    settings: Any  # of the decoder's kind
    sentences: Sequence[str]


Lines = dict[str, list[tuple[float, float]]]


def lines_of(
    what: str,
    decoder: RuleDecoder,
    trials: Sequence[Trial],
    repeat: int,
    *,
    by_word: bool = False,
) -> tuple[Lines, Lines]:
    """Milliseconds a sentence on one thread, and the mean score of a sentence or a source word."""
    print(f"\n{what:34}{'ms a sentence':>15}{'mean score':>13}")
    milliseconds: Lines = {}
    scores: Lines = {}
    for name, x, settings, sentences in trials:
        limited = decoder.with_settings(settings)
        times, total = [], 0.0
        for _ in range(repeat):
            begin = time.perf_counter()
            total = sum(found.score for found in limited.translate(sentences))
            times.append(time.perf_counter() - begin)
        took = min(times) * 1e3 / len(sentences)
        score = total / (
            sum(len(line.split()) for line in sentences) if by_word else len(sentences)
        )
        print(f"{name:24}{x:10g}{took:15.3f}{score:13.5f}")
        milliseconds.setdefault(name, []).append((x, took))
        scores.setdefault(name, []).append((x, score))
    return milliseconds, scores


def length_chart(
    title: str,
    decoder: RuleDecoder,
    sentences: Sequence[str],
    settings: Mapping[int, Any],  # by pops
    repeat: int,
) -> str:
    """The same words cut into sentences of some lengths."""
    words = " ".join(sentences).split()[:3200]
    trials = []
    for length in (5, 10, 20, 40, 80, 160, 320):
        cut = [" ".join(words[at : at + length]) for at in range(0, len(words), length)]
        trials += [Trial(f"{pops} pops", length, each, cut) for pops, each in settings.items()]
    what = "words of a sentence"
    milliseconds, scores = lines_of(what, decoder, trials, repeat, by_word=True)
    panels = [
        Panel("ms a sentence", milliseconds, is_log=True),
        Panel("mean score of a source word", scores),
    ]
    return chart(title, what, panels, is_log=True)


def save_plots(charts: Mapping[str, str], folder: Path | None) -> None:
    """Pictures by name, into a folder if there is one."""
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        for name, picture in charts.items():
            (folder / f"decode-{name}.svg").write_text(picture, encoding="utf-8")
        print(f"pictures: {folder}")


def say(decoder: RuleDecoder, threads: int) -> None:
    """Standard input to scores and words, as `timed` reads them."""
    for found in decoder.translate(sys.stdin.read().splitlines(), threads=threads):
        print(f"{found.score:.6f} {found.text}")
