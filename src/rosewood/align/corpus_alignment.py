"""Alignments of a whole corpus: symmetrisation by name, gold links, posteriors, pictures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import tee
from pathlib import Path
from typing import NamedTuple

import numpy as np

from rosewood.align.aligner import Aligned, Aligner
from rosewood.align.alignment import Alignment, GoldAlignment, Links
from rosewood.align.evaluate import Gold
from rosewood.align.symmetrize import ORDERS, SYMMETRIZATIONS, threshold
from rosewood.arguments import check_choice
from rosewood.arrays import FloatArray
from rosewood.corpus import IndexedCorpus
from rosewood.errors import AlignmentError, FormatError
from rosewood.output import whole_file
from rosewood.shared_types import PathName

__all__ = [
    "Drawing",
    "Symmetrization",
    "check_gold",
    "gold_of",
    "posterior_rows",
    "write_picture",
]


class Symmetrization(NamedTuple):
    """How two directions become one alignment."""

    method: str
    order: str
    least: float | None = None  # of posteriors

    @classmethod
    def parse(cls, text: str, order: str) -> Symmetrization:
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


def posterior_rows(
    aligner: Aligner, corpus: IndexedCorpus, *, least: float, threads: int
) -> Iterator[list[list[float]]]:
    """[i, j, forward, backward] of links with a posterior of `least`, sentence by sentence."""
    for both in aligner.posteriors(corpus, threads=threads):
        rows, columns = np.nonzero(np.maximum(both.forward, both.backward) >= least)
        forward, backward = (
            np.round(each[rows, columns].astype(float), 4).tolist() for each in both
        )
        found = zip(rows.tolist(), columns.tolist(), forward, backward, strict=True)
        yield [list(each) for each in found]


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
