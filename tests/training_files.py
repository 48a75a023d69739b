"""Files that training reads: texts, the same pairs in other formats, and broken ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from rosewood.corpus import Corpus
from rosewood.pipeline import TrainingInputs, TrainingSettings, train
from tests.training import QUICK, write_book

__all__ = ["BAD", "QUICKEST", "book", "broken", "cleaned", "texts"]

QUICKEST = TrainingSettings(**{**QUICK, "tune": "none", "set": {}})


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    """Texts, and the same pairs in every other format."""
    place = write_book(tmp_path_factory.mktemp("inputs"), train=60, dev=20, test=10)
    for part in ("train", "dev", "test"):
        corpus = Corpus.read((place / f"{part}.en", place / f"{part}.de"),
                             source_language="en", target_language="de")  # fmt: skip
        for name in ("tsv", "jsonl", "tmx"):
            corpus.write(place / f"{part}.{name}")
        pairs = list(zip(*texts(place, part), strict=True))
        (place / f"{part}.po").write_text(_as_po(pairs))
        (place / f"{part}.xlf").write_text(_as_xliff(pairs))
    return place


def _as_po(pairs: list[tuple[str, str]]) -> str:
    head = 'msgid ""\nmsgstr "Language: de\\nContent-Type: text/plain; charset=UTF-8\\n"\n\n'
    return head + "".join(f'msgid "{one}"\nmsgstr "{other}"\n\n' for one, other in pairs)


def _as_xliff(pairs: list[tuple[str, str]]) -> str:
    units = (
        f'<trans-unit id="{k}"><source>{one}</source><target>{other}</target></trans-unit>\n'
        for k, (one, other) in enumerate(pairs)
    )
    return (
        '<xliff version="1.2"><file source-language="en" target-language="de" original="x" '
        f'datatype="plaintext"><body>{"".join(units)}</body></file></xliff>'
    )


def texts(book: Path, part: str = "train") -> list[list[str]]:
    return [(book / f"{part}.{e}").read_text().splitlines() for e in ("en", "de")]


def cleaned(inputs: TrainingInputs, place: Path, settings=QUICKEST):
    """A run, and the pairs that it was trained on."""
    made = train(inputs, place / "model", settings)
    clean = made.stages[0]
    sides = [(clean.folder / f"train.{s}").read_text().splitlines() for s in ("source", "target")]
    return made, sides


def broken(book: Path, place: Path, name: str, change) -> None:
    for path in book.glob("*.[de]?"):
        (place / path.name).write_bytes(path.read_bytes())
    lines = (place / name).read_bytes().splitlines(keepends=True)
    change(lines)
    (place / name).write_bytes(b"".join(lines))


BAD = {
    "bytes that are no text": lambda lines: lines.__setitem__(6, b"caf\xe9 \xff\n"),
    "an empty line": lambda lines: lines.__setitem__(6, b"\n"),
    "a line of many words": lambda lines: lines.__setitem__(6, b"word " * 20_000 + b"\n"),
    "a control character": lambda lines: lines.__setitem__(6, b"a\x00b\n"),
}
BAD_CODES = {
    "bytes that are no text": "file.encoding",
    "an empty line": "corpus.empty-side",
    "a line of many words": "corpus.too-long",
    "a control character": "corpus.control-character",
}
