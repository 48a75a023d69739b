"""Checks of texts as they are: the same on both sides, a wrong encoding, words not apart."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from rosewood.corpus.language_codes import same_language
from rosewood.pipeline.findings import Finding
from rosewood.pipeline.input_parts import Part, same_text
from rosewood.pipeline.settings import TrainingSettings

# Shares of pairs that are equal: of one language, of held-out sets, of training data.
_ALL, _MOST, _MANY = 0.95, 0.5, 0.2
_LEAST = 10  # lines
_GARBLED = re.compile(
    "[\u00c3\u00c2][\u0080-\u00bf]|\u00e2\u20ac[\u2122\u0153\u0161\u201c\u201d\u00a6\u009d]"
)
_GARBLED_SHARE = 0.01
_ATTACHED = re.compile(r"[^\W\d_]{2}[.!?]$")  # a sentence ends without a space
_ATTACHED_SHARE = 0.5


def check_texts(
    parts: Sequence[Part],
    languages: tuple[str | None, str | None],
    settings: TrainingSettings,
) -> Iterator[Finding]:
    """What samples of all parts show."""
    source, target = languages
    is_one = source is not None and target is not None and same_language(source, target)
    for part in parts:
        yield from _same(part, is_one)
        yield from _garbled(part)
        if settings.pretokenized:
            yield from _attached(part)


def _same(part: Part, is_one: bool) -> Iterator[Finding]:
    """The same text on both sides, apart from its case where the languages may be two."""
    files = part.sample.files
    pairs = [
        (s, t) for s, t in zip(part.sample.source, part.sample.target, strict=True)
        if any(map(str.isalpha, s))
    ]  # fmt: skip
    count = sum(s == t if is_one else same_text(s, t) for s, t in pairs)
    least = _ALL if is_one else _MANY if part.name == "train" else _MOST
    hint = "give the translation as the other side"
    if len(files) == 2 and Path(files[0]).samefile(files[1]):
        told = f"{files[0]} is given for both sides"
    elif count >= _LEAST and count > least * len(pairs):
        share = count / len(pairs)
        told = f"{part.files}: the target equals the source in {share:.0%} of the lines"
        if share < _ALL:
            hint = "leave out lines that are not translated"
    else:
        return
    yield Finding(
        "input.same-text", f"{told}: {hint}", part.file, None,
        "target" if part.name == "train" else part.name, round(count / max(1, len(pairs)), 3),
    )  # fmt: skip


def _sides(part: Part) -> Iterator[tuple[str, list[str]]]:
    files = part.sample.files
    yield files[0], part.sample.source
    yield files[-1], part.sample.target


def _garbled(part: Part) -> Iterator[Finding]:
    """UTF-8 that was read as Latin-1 and written as UTF-8 once more."""
    for file, lines in _sides(part):
        bad = [line for line in lines if _GARBLED.search(line)]
        if len(bad) >= 5 and len(bad) >= _GARBLED_SHARE * len(lines):
            yield Finding(
                "input.garbled",
                f"{file}: {len(bad) / len(lines):.0%} of the lines look as if they were converted "
                f"to UTF-8 twice, such as {bad[0][:60]!r}: convert the original once",
                file, None, part.name, round(len(bad) / len(lines), 3),
            )  # fmt: skip


def _attached(part: Part) -> Iterator[Finding]:
    """With `pretokenized`, punctuation that was not cut off."""
    for file, lines in _sides(part):
        count = sum(_ATTACHED.search(line) is not None for line in lines)
        if count >= _LEAST and count >= _ATTACHED_SHARE * len(lines):
            yield Finding(
                "input.not-tokenised",
                f"{file}: --pretokenized is given, but {count / len(lines):.0%} of lines end in "
                "a word with punctuation attached: leave --pretokenized out for raw text",
                file, None, "pretokenized", round(count / len(lines), 3),
            )  # fmt: skip
