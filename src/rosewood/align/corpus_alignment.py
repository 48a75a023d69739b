"""Alignments of a whole corpus: symmetrisation by name, gold links, posteriors, pictures.

text = read_parallel_text(["train.de", "train.en"], CorpusSettings())
done = align_text(text, make_model("hmm"), Symmetrization.parse("union"), threads=2)
write_pharaoh(done.links, "train.pharaoh"); print(done.summary())
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import tee
from json import dumps
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rosewood.align.aligner import Aligned, Aligner
from rosewood.align.alignment import Alignment, GoldAlignment, Links
from rosewood.align.evaluate import Gold, LinkScores, score_links
from rosewood.align.models import AlignmentModel
from rosewood.align.settings import ORDERS, SYMMETRIZATIONS, AlignmentSettings
from rosewood.align.symmetrization import threshold
from rosewood.arguments import check_choice
from rosewood.arrays import FloatArray
from rosewood.corpus import IndexedCorpus
from rosewood.corpus.parallel_text import ParallelText
from rosewood.errors import AlignmentError, FormatError
from rosewood.output import whole_file
from rosewood.shared_types import PathName, Report

_SHOWN = 0.01  # least posterior of a link that is written


class Symmetrization(NamedTuple):
    """How two directions become one alignment."""

    method: str
    order: str
    least: float | None = None  # of posteriors

    @classmethod
    def parse(cls, text: str, order: str = AlignmentSettings.order) -> Symmetrization:
        """As it is typed: a method, a direction, or threshold:0.4."""
        check_choice("order", order, ORDERS, error=AlignmentError)
        method, _, value = text.partition(":")
        if method == "threshold":
            try:
                least = float(value)
            except ValueError:
                least = 0.0
            if not 0 < least <= 1:
                raise AlignmentError(
                    f"symmetrize is {text!r}, expected threshold:P with P above 0 and up to 1",
                    code="argument.range", argument="symmetrize", value=text,
                )  # fmt: skip
            return cls(text, order, least)
        known = (*SYMMETRIZATIONS, "forward", "backward", "threshold:P")
        check_choice("symmetrize", text, known, error=AlignmentError)
        return cls(method, order)

    def __call__(
        self, aligner: Aligner, aligned: Aligned, corpus: IndexedCorpus, threads: int
    ) -> Links:
        if self.least is not None:
            one, other = tee(aligner.posteriors(corpus, threads=threads))
            both = (each.forward for each in one), (each.backward for each in other)
            return threshold(*both, how="geometric", at=self.least)
        if self.method in ("forward", "backward"):
            return aligned.forward if self.method == "forward" else aligned.backward
        return aligned.symmetrize(self.method, order=self.order, threads=threads)


def check_gold(gold: Gold, corpus: IndexedCorpus, first_line: int | None, file: PathName) -> None:
    """Refuses gold links, of a file, that do not fit the corpus from a line on."""
    begin = (first_line or 1) - 1
    is_short = begin + len(gold) > len(corpus)
    if is_short or (first_line is None and len(gold) != len(corpus)):
        raise FormatError(
            f"it has {len(gold):,} lines, the corpus has {len(corpus):,}: "
            f"--first-line is {first_line or 'missing'}, the line of the corpus it begins at",
            code="file.mismatch", file=file, argument="--first-line", value=first_line,
        )  # fmt: skip
    if not gold.is_aligned.any():
        raise FormatError("there are no links in it", code="file.empty", file=file)
    part = corpus.part(begin, begin + len(gold))
    beyond = gold.links.beyond(part.source.lengths, part.target.lengths)
    if beyond is not None:
        raise FormatError(beyond[1], code="line.value", file=file, line=beyond[0] + 1)


class Drawing(NamedTuple):
    """What is drawn of a sentence."""

    alignment: Alignment
    gold: GoldAlignment | None = None
    posterior: FloatArray | None = None
    title: str = ""


def gold_of(gold: Gold, line: int, first_line: int | None) -> GoldAlignment | None:
    """The gold links of a line of the corpus, if there are any."""
    number = line - (first_line or 1)
    return gold[number] if 0 <= number < len(gold) and gold.is_aligned[number] else None


def write_picture(drawings: Sequence[Drawing], output: PathName) -> None:
    """One matrix as SVG, or an HTML page of any number of them."""
    if Path(output).suffix.lower() == ".svg":
        (each,) = drawings
        picture = each.alignment.svg(gold=each.gold, posterior=each.posterior)
    else:
        parts = ["<!doctype html>", '<meta charset="utf-8">', "<title>Alignment</title>"]
        for each in drawings:
            title = f'<h3 style="font-family:sans-serif">{each.title}</h3>'
            parts += [title] if each.title else []
            parts.append(each.alignment.html(gold=each.gold, posterior=each.posterior))
        picture = "\n".join([*parts, ""])
    with whole_file(output) as stream:
        stream.write(picture.encode())


@dataclass(frozen=True, eq=False)
class CorpusAlignment:
    """A text and its alignment; gold links are those of its lines from `first_line` on."""

    text: ParallelText
    aligner: Aligner
    aligned: Aligned
    links: Links
    method: str
    gold: Gold | None = None
    first_line: int | None = None
    threads: int = 1

    @cached_property
    def scores(self) -> LinkScores | None:
        """How well links agree with gold links."""
        if self.gold is None:
            return None
        return score_links(self.links, self.gold, first_line=self.first_line)

    def drawings(self, lines: Sequence[int], *, posteriors: bool) -> Iterator[Drawing]:
        """Sentences to draw, by their lines from 1."""
        corpus = self.text.corpus
        for line in lines:
            posterior = None
            if posteriors:
                part = corpus.part(line - 1, line)
                (both,) = self.aligner.posteriors(part, threads=self.threads)
                posterior = both.combined()
            truth = None if self.gold is None else gold_of(self.gold, line, self.first_line)
            yield Drawing(self.links.sentence(line - 1, corpus), truth, posterior, f"Line {line:,}")

    def rows(self, what: str) -> Iterator[str]:
        """A line of text for each pair: its "scores", its "words", or its "posteriors" as JSON."""
        corpus = self.text.corpus
        if what == "scores":
            for forward, backward in self.aligned.scores(corpus).tolist():
                yield f"{forward:.6f}\t{backward:.6f}"
        elif what == "words":
            for n in range(len(corpus)):
                yield "\t".join(map(" ".join, (corpus.source.words(n), corpus.target.words(n))))
        else:
            check_choice("what", what, ("scores", "words", "posteriors"), error=AlignmentError)
            for both in self.aligner.posteriors(corpus, threads=self.threads):
                rows, columns = np.nonzero(np.maximum(both.forward, both.backward) >= _SHOWN)
                cells = [np.round(each[rows, columns].astype(float), 4).tolist() for each in both]
                found = zip(rows.tolist(), columns.tolist(), *cells, strict=True)
                yield dumps([list(each) for each in found])

    def to_dict(self) -> dict[str, Any]:
        """What was done, in numbers."""
        last = self.aligner.history[-1]
        return {
            "model": self.aligner.model.name,
            "settings": self.aligner.model.to_dict(),
            "symmetrize": self.method,
            "pairs": len(self.text.corpus),
            "blank": self.text.blank,
            "too_long": self.text.too_long,
            "skipped": self.text.skipped,
            "links": len(self.links.source),
            "training": {"rounds": last["round"], **{d: last[d] for d in ("forward", "backward")}},
            "gold": None if self.scores is None else self.scores.to_dict(),
        }

    def summary(self) -> str:
        """The same for people: a line, and another of gold links."""
        pairs, links = len(self.text.corpus), len(self.links.source)
        name = f"{self.aligner.model.name}, {self.method}"
        told = f"{pairs:,} sentence pairs, {links:,} links ({name})"
        if (found := self.scores) is None:
            return told
        return (
            f"{told}\nAER {found.aer:.4f}, precision {found.precision:.4f}, recall "
            f"{found.recall:.4f} on {len(found.sentence):,} sentence pairs with gold"
        )


def align_text(
    text: ParallelText,
    model: AlignmentModel | Aligner,
    method: Symmetrization,
    *,
    gold: Gold | None = None,
    first_line: int | None = None,
    threads: int = 1,
    report: Report | None = None,
) -> CorpusAlignment:
    """Trains a model on a text, or uses a trained aligner, and aligns the text.

    `report` is called after each training round.
    """
    if isinstance(model, Aligner):
        aligner, aligned = model, model.align_both(text.corpus, threads=threads)
    else:
        aligner, aligned = Aligner.fit_align(text.corpus, model, threads=threads, report=report)
    links = method(aligner, aligned, text.corpus, threads)
    return CorpusAlignment(text, aligner, aligned, links, method.method, gold, first_line, threads)
