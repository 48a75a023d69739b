"""What a model is made of: corpora to train, tune and judge on, in any format that corpora have."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from os import fspath
from os.path import normpath
from pathlib import Path
from typing import Any

from rosewood.arguments import check_length
from rosewood.corpus import Checks, Corpus, SentencePair
from rosewood.corpus.checks import BadPair
from rosewood.corpus.compression import plain_name
from rosewood.corpus.inputs import Input, strict_lines
from rosewood.corpus.readers import Source
from rosewood.corpus.text.languages import has_rules
from rosewood.errors import FormatError, TrainingError, told_path
from rosewood.pipeline.file_settings import TrainingFiles
from rosewood.shared_types import OnBadLine, PathName

_CHUNK = 1 << 22


@dataclass(frozen=True)
class HeldOut:
    """Sentences to tune or judge on: a corpus of pairs, and files of further references.

    A bad line stops, or, where bad lines are skipped, its sentence is left out with all references.
    """

    corpus: Corpus
    references: tuple[str, ...] = ()
    checks: Checks = field(default_factory=Checks)
    skips: bool = False
    _skipped: Counter[str] = field(default_factory=Counter)

    def sentences(self) -> Iterator[tuple[SentencePair, list[str]]]:
        """The pairs, each with all its references."""
        self._skipped.clear()
        others = [_lines(file, self.checks, self.skips) for file in self.references]
        number, good = 0, 0
        for number, pair in enumerate(self.corpus, 1):
            more = [
                _next(lines, file, number)
                for file, lines in zip(self.references, others, strict=True)
            ]
            if not pair.source and not pair.target:  # it stands in for a bad line
                continue
            texts = [text for text in more if isinstance(text, str)]
            if len(texts) < len(more):
                self._skipped[next(bad.kind for bad in more if isinstance(bad, BadPair))] += 1
                continue
            good += 1
            yield pair, [pair.target, *texts]
        for file, lines in zip(self.references, others, strict=True):
            if next(lines, None) is not None:
                told = f"it has more than the {number:,} lines of the set"
                raise FormatError(told, file=file, code="file.mismatch")
        if self.references and not good:
            told = "no sentence of the set is left: each has a bad line in one of its files"
            raise FormatError(told, file=self.references[0], code="file.empty")

    @property
    def skipped(self) -> Counter[str]:
        """How many sentences the last walk has left out, by the kind of their first bad line."""
        return Counter(self.corpus.skipped) + self._skipped

    @property
    def files(self) -> list[str]:
        """All files of it."""
        return [*self.corpus.files, *self.references]


def _next(lines: Iterator[str | BadPair], file: str, number: int) -> str | BadPair:
    line = next(lines, None)
    if line is None:
        told = f"it has {number - 1:,} lines, but the set has more"
        raise FormatError(told, file=file, code="file.mismatch")
    return line


def _lines(file: str, checks: Checks, skips: bool) -> Iterator[str | BadPair]:
    """The lines of a file, with bad ones in their places, which else stop it."""
    for line in strict_lines(Input(file), checks.max_bytes):
        bad = line.bad
        wrong = checks.problem(line.text) if bad is None else None
        if wrong is not None:
            bad = BadPair.with_fault(wrong, file=file, line=line.number)
        if bad is not None and not skips:
            raise bad.error
        yield line.text if bad is None else bad


class TrainingInputs:
    """Corpora by their files; nothing is read before training begins."""

    def __init__(self, source: Any = (), target: Any = (), **others: Any) -> None:
        """Arguments are the fields of `TrainingFiles`; `languages` may be a tuple of two, too."""
        self._given = {"source": source, "target": target, **others}
        languages = others.get("languages")
        if not isinstance(languages, str):
            others.pop("languages", None)
        given = TrainingFiles(source, target, **others)
        sources, targets = _several(given.source), _several(given.target)
        check_length("target", targets, len(sources), "source file", error=TrainingError)
        if not sources and not given.corpus:
            reason = "there is nothing to train on: expected source and target, or corpus"
            raise TrainingError(reason, code="argument.missing", argument="source")
        self.files: list[Source] = [
            *zip(sources, targets, strict=True),
            *_several(given.corpus),
        ]
        self.languages = _languages(languages, sources, targets)
        self._format = given.format
        self._on_bad_line: OnBadLine = given.on_bad_line
        self._checks = Checks(given.line_words, given.line_characters)
        self.train = self._read(self.files)
        self.dev = self._held_out("dev", given)
        self.test = self._held_out("test", given)
        self.monolingual = tuple(_several(given.monolingual))
        self.unlabelled = tuple(_several(given.unlabelled))
        for file in self.every_file():
            if file in ("-", "<stdin>"):
                reason = "training reads its files several times: standard input (-) cannot be one"
                raise TrainingError(reason, code="file.kind", file="-")

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled as its arguments: a stage may run in another process."""
        return partial(TrainingInputs, **self._given), ()

    def _read(self, files: Sequence[Source], on_bad_line: OnBadLine | None = None) -> Corpus:
        # A file of pairs says which language is which itself: endings would be a guess.
        return Corpus.read(
            *files,
            format=self._format,
            source_language=self.languages[0],
            target_language=self.languages[1],
            on_bad_line=on_bad_line or self._on_bad_line,
            checks=self._checks,
        )

    def _held_out(self, name: str, given: TrainingFiles) -> HeldOut | None:
        pair, corpus = getattr(given, name), getattr(given, f"{name}_corpus")
        if pair is not None and corpus is not None:
            reason = f"{name} and {name}_corpus are both given: expected one of them"
            raise TrainingError(reason, code="argument.conflict", argument=f"{name}_corpus")
        references = tuple(_several(getattr(given, f"{name}_reference")))
        if pair is None and corpus is None:
            if references:
                reason = f"{name}_reference is given, but no {name}"
                raise TrainingError(reason, code="argument.missing", argument=name)
            return None
        # Lines of further references must not be shifted.
        blank: OnBadLine = "blank" if self._skips else "stop"
        read = self._read([pair or corpus], blank)
        return HeldOut(read, references, self._checks, self._skips)

    @property
    def _skips(self) -> bool:
        return self._on_bad_line != "stop"

    def every_file(self) -> list[str]:
        """All files that are read."""
        held_out = [each.files for each in (self.dev, self.test) if each is not None]
        pairs = [*self.train.files, *(f for files in held_out for f in files)]
        return [*pairs, *self.monolingual, *self.unlabelled]

    def facts(self, held_out: HeldOut | None = None) -> dict[str, Any]:
        """All that decides the contents: the bytes of the files, not their names."""
        files = self.train.files if held_out is None else held_out.files
        return {
            "files": [content_hash(file) for file in files],
            "kinds": [plain_name(file).suffix for file in files],
            "languages": list(self.languages),
            "format": self._format,
            "on_bad_line": self._on_bad_line,
            "checks": repr(self._checks),
        }

    def names(self) -> dict[str, str]:
        """What the files of the training corpus are called, wherever it is told of them.

        The ends of their paths that tell them apart: mostly that is the last part alone.
        """
        return _short_names(self.train.files)

    def state(self) -> list[tuple[str, int, int]]:
        """What tells whether files were changed: their sizes and times."""
        status = [(file, Path(file).stat()) for file in self.every_file()]
        return [(file, each.st_size, each.st_mtime_ns) for file, each in status]

    def check_files(self) -> None:
        """Refuses what cannot be read again and again, before any work."""
        for file in self.every_file():
            if Path(file).exists() and not Path(file).is_file():
                told = "training reads its files several times: expected an ordinary file"
                raise FormatError(told, file=file, code="file.kind")
            with Path(file).open("rb"):
                pass
        for file in (*self.monolingual, *self.unlabelled):
            if next(self.lines(file, Counter()), None) is None:
                raise FormatError("it contains no text", file=file, code="file.empty")

    def text_facts(self, files: Sequence[str]) -> dict[str, Any] | None:
        """What decides further text of one language."""
        if not files:
            return None
        return {
            "files": [content_hash(file) for file in files],
            "on_bad_line": self._on_bad_line,
            "checks": repr(self._checks),
        }

    def lines(self, file: str, skipped: Counter[str]) -> Iterator[str]:
        """The lines of such text but for empty ones; bad ones are counted if they are skipped."""
        for line in _lines(file, replace(self._checks, allow_empty=True), self._skips):
            if isinstance(line, BadPair):
                skipped[line.kind] += 1
            elif line.strip():
                yield line


def read_lines(file: Path) -> Iterator[str]:
    """Lines of a file that a stage has written."""
    with file.open("rb") as stream:
        for line in stream:
            yield line.removesuffix(b"\n").decode()


def content_hash(file: PathName) -> str:
    """SHA-256 of the bytes of a file."""
    digest = hashlib.sha256()
    with Path(file).open("rb") as stream:
        while chunk := stream.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def _several(files: Sequence[PathName]) -> list[str]:
    return [fspath(file) for file in files]


def _short_names(files: Sequence[str]) -> dict[str, str]:
    parts = {file: Path(normpath(file)).parts for file in files}
    short = {}
    for file, own in parts.items():
        others = {each for each in parts.values() if each != own}
        length = 1
        while any(own[-length:] == each[-length:] for each in others):
            length += 1
        short[file] = told_path(Path(*own[-length:]))
    return short


def _languages(given: Any, sources: list[str], targets: list[str]) -> tuple[str | None, str | None]:
    if given is not None:
        two = tuple(given.split(":")) if isinstance(given, str) else given
        is_pair = isinstance(two, tuple) and len(two) == 2
        if not is_pair or not all(e is None or (isinstance(e, str) and e) for e in two):
            reason = f"languages is {given!r}, expected two languages, as in de:en"
            raise TrainingError(reason, code="argument.value", argument="languages", value=given)
        return two[0], two[1]
    one, other = _ending(sources), _ending(targets)
    return (one, other) if one != other else (None, None)


def _ending(files: list[str]) -> str | None:
    """The language that all files are called after, if it is one."""
    endings = {plain_name(file).suffix[1:].lower() for file in files}
    ending = endings.pop() if len(endings) == 1 else ""
    return ending if ending and has_rules(ending) else None
