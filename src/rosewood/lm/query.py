"""Scores of texts as rows of text, as `rosewood lm query` and KenLM's query print them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice, pairwise
from json import dumps
from typing import Literal

from rosewood.lm.perplexity import Perplexity
from rosewood.lm.scores import BatchScores, Scorer
from rosewood.lm.vocabulary import words_of

Style = Literal["totals", "words", "kenlm"]
_TOTALS = ("log10", "words", "unknown")
_WORD = ("word", "score", "length", "is_known")


def scored_lines(
    model: Scorer, lines: Iterable[str], *, bounds: bool, threads: int = 1, at_once: int = 1 << 12
) -> Iterator[tuple[list[str], BatchScores]]:
    """Batches of lines with the scores of their words; `bounds` puts <s> and </s> around them."""
    rest = iter(lines)
    while some := list(islice(rest, at_once)):
        yield some, model.words_batch(some, begin=bounds, end=bounds, threads=threads)


def query_rows(
    lines: Sequence[str], scores: BatchScores, *, bounds: bool, style: Style, as_json: bool = False
) -> Iterator[str]:
    """What is printed of each line of a batch: its totals, its words, or KenLM's row."""
    start = scores.start.tolist()
    totals, unknown = scores.totals().tolist(), scores.unknown().tolist()
    lengths = [end - begin - bounds for begin, end in pairwise(start)]
    if style == "totals":
        if as_json:
            for found in zip(totals, lengths, unknown, strict=True):
                yield dumps(dict(zip(_TOTALS, found, strict=True)))
        else:
            for total, length, count in zip(totals, lengths, unknown, strict=True):
                yield f"{total:.6f}\t{length}\t{count}"
        return
    said = [word for line in lines for word in (*words_of(line), *(["</s>"] * bounds))]
    each = [*zip(said, scores.score.tolist(), scores.length.tolist(), scores.word.tolist(),
                 strict=True)]  # fmt: skip
    for number, (begin, end) in enumerate(pairwise(start)):
        part = each[begin:end]
        if style == "kenlm":
            told = [f"{word}={known} {length} {score:.8g}" for word, score, length, known in part]
            yield "\t".join([*told, f"Total: {totals[number]:.8g} OOV: {unknown[number]}"])
        elif as_json:
            row = dict(
                zip(_TOTALS, (totals[number], lengths[number], unknown[number]), strict=True)
            )
            columns = [dict(zip(_WORD, (*w[:3], w[3] != 0), strict=True)) for w in part]
            yield dumps({**row, "scores": columns}, ensure_ascii=False)
        else:
            for word, score, length, known in part:
                yield f"{word}\t{score:.6f}\t{length}" + ("" if known else "\tunknown")
            yield ""


def kenlm_summary(batches: Iterable[BatchScores]) -> Iterator[str]:
    """The last lines of KenLM's query."""
    total: Perplexity | None = None
    for scores in batches:
        part = Perplexity.of(*scores, int(scores.length.max(initial=1)))
        part = replace(part, lengths=())
        total = part if total is None else total + part
    if total is not None:
        yield f"Perplexity including OOVs:\t{total.perplexity:.8g}"
        yield f"Perplexity excluding OOVs:\t{total.perplexity_known:.8g}"
        yield f"OOVs:\t{total.unknown}"
        yield f"Tokens:\t{total.tokens}"
