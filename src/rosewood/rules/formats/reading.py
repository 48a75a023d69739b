"""What reading rules from text has in common: blocks to a native reader, then a table of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from io import BufferedIOBase
from os import PathLike, fspath
from pathlib import Path
from typing import Any, BinaryIO, get_args

import numpy as np

from rosewood import _core
from rosewood.arguments import check_choice
from rosewood.corpus.compression import open_input, plain_name
from rosewood.corpus.lines import check_fed, line_error
from rosewood.errors import FormatError, RuleError
from rosewood.progress import Step, progress
from rosewood.rules.table_files import new_table
from rosewood.shared_types import PathName, StopOrSkip

MAX_LINE = 1 << 24  # bytes of a line; more is no table of rules
_BLOCK = 1 << 22  # bytes read at a time
_RULES = 1 << 16  # rules written at a time

Source = PathName | BufferedIOBase
Show = Callable[[str, int | None], AbstractContextManager[Step]]  # as rosewood.progress.progress

quietly: Show = partial(progress, quiet=True)


@dataclass(frozen=True)
class Imported:
    """What came of reading a table, and what did not."""

    rules: int = 0
    skipped: int = 0  # bad lines
    examples: tuple[FormatError, ...] = field(default=(), compare=False)  # the first of them
    zeros: int = 0  # probabilities of 0, which became e^-100
    left_out: int = 0  # lines with sparse features, properties or trees, which tables do not have
    unmatched: int = 0  # lines of the reordering table that are of no rule
    missing: int = 0  # rules that have no line in it: every orientation is as likely

    def told(self) -> Iterator[str]:
        """What people should know, in a few words each."""
        if self.skipped:
            first = f", the first: {self.examples[0]}" if self.examples else ""
            yield f"{counted(self.skipped, 'bad line', 'bad lines')} skipped{first}"
        for count, one, many, about in (
            (self.zeros, "probability is", "probabilities are",
             "0: the logarithm is -100, as in Moses"),
            (self.left_out, "line has", "lines have",
             "sparse features, properties or trees, which are left out"),
            (self.unmatched, "line", "lines", "of the reordering table: there is no such rule"),
            (self.missing, "rule has", "rules have",
             "no line in the reordering table: every orientation is as likely"),
        ):  # fmt: skip
            if count:
                yield f"{counted(count, one, many)} {about}"

    def facts(self) -> dict[str, int]:
        """What the table's manifest keeps."""
        names = ("skipped", "zeros", "left_out", "unmatched", "missing")
        return {name: value for name in names if (value := getattr(self, name))}


def counted(number: int, one: str, many: str) -> str:
    """So many of something."""
    return f"{number:,} {one if number == 1 else many}"


def check_source(source: object) -> None:
    """Refuses what nothing can be read from."""
    if not isinstance(source, str | PathLike) and not hasattr(source, "read"):
        reason = f"rules cannot be read from {source!r}, expected a path or a stream of bytes"
        raise RuleError(reason, code="argument.type", argument="source", value=source)


def fed(
    source: Source,
    make: Callable[[bytes], _core.LineReader],
    *,
    file: str | None,
    show: Show,
) -> tuple[Any, str]:
    """The reader that `make` gives for the first bytes, behind the last line, and the file's name.

    A line that is refused, by a reader that does not skip, is a FormatError.
    """
    check_source(source)
    name = file or (fspath(source) if isinstance(source, str | PathLike) else "<stream>")
    reader: _core.LineReader | None = None
    with _opened(source, name) as stream, show(f"reading {name}, bytes", _size(source)) as step:
        try:
            while block := stream.read(_BLOCK):
                reader = reader or make(block)
                check_fed(reader.feed(np.frombuffer(block, np.uint8)), name)
                step(len(block))
            reader = reader or make(b"")
            check_fed(reader.finish(), name)
        except RuleError as error:
            raise error.restated(str(error), FormatError, file=name) from error
    return reader, name


def written(
    rules: _core.TextRules,
    folder: PathName,
    features: Sequence[str],
    groups: Sequence[Sequence[str]],
    facts: Mapping[str, Any],
    *,
    show: Show,
) -> None:
    """Write all rules to a new table, which appears whole or not at all."""
    with (
        new_table(folder, rules.labels, features, groups) as writer,
        show("writing the table, rules", len(rules)) as step,
    ):
        for begin in range(0, len(rules), _RULES):
            rules.write(writer.native, begin, begin + _RULES)
            step(min(_RULES, len(rules) - begin))
        writer.finish(rules.source_words(), rules.target_words(), facts)


def read_rules(
    source: Source,
    format: _core.RuleFormat,
    prefix: str,
    on_bad_line: StopOrSkip,
    *,
    file: str | None,
    show: Show,
) -> tuple[_core.RuleTextReader, str, Imported]:
    """A reader behind the last line, how its file is called, and what it tells.

    A file without any rules is refused.
    """
    skip = skips(on_bad_line)
    reader, name = fed(
        source,
        lambda _: _core.RuleTextReader(format, prefix, MAX_LINE, skip),
        file=file,
        show=show,
    )
    if not len(reader.rules):
        raise FormatError("there are no rules in it", file=name, code="file.empty")
    told = Imported(len(reader.rules), left_out=reader.left_out)
    return reader, name, with_lines(told, reader, name)


def with_lines(imported: Imported, reader: _core.LineReader, file: str, **more: int) -> Imported:
    """What a reader tells of its lines, added."""
    told = tuple(line_error(bad, file) for bad in reader.examples)
    return replace(
        imported,
        skipped=imported.skipped + reader.skipped,
        examples=imported.examples + told,
        zeros=imported.zeros + reader.zeros,
        **more,
    )


def skips(on_bad_line: str) -> bool:
    """Whether bad lines are skipped."""
    check_choice("on_bad_line", on_bad_line, get_args(StopOrSkip), error=RuleError)
    return on_bad_line == "skip"


@contextmanager
def _opened(source: Source, name: str) -> Iterator[BinaryIO | BufferedIOBase]:
    if isinstance(source, str | PathLike):
        with open_input(source, name) as stream:
            yield stream
    else:
        yield source


def _size(source: Source) -> int | None:
    """How many bytes there are to read, where that can be known."""
    if not isinstance(source, str | PathLike):
        return None
    path = Path(source)
    return path.stat().st_size if path.is_file() and plain_name(path) == path else None
