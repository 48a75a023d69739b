"""Samples of large corpora, in about a second: runs of consecutive lines from all over the files.

    sample = sample_corpus(corpus, wanted=frozenset(lines))
    for run in sample.runs: run.numbers, run.source, run.target

Runs begin at multiples of a stride that doubles while a file is read, so one pass is enough and
both sides have the same lines.  Text files are read in blocks of bytes, and beyond a limit only
their line ends are counted; compressed ones are read up to it.  Other formats are parsed up to a
number of pairs.  What cannot be read ends a sample without an error: training reports it with file
and line.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from rosewood.corpus.compression import open_input, plain_name
from rosewood.corpus.corpus import Corpus
from rosewood.errors import RosewoodError
from rosewood.shared_types import PathName

RUN = 32  # lines
RUNS = 32  # at least, of a large file; at most twice as many
_BLOCK = 1 << 20  # bytes read at a time
_LONGEST = 1 << 24  # bytes without a line end: this is not a text
_SPLIT = 1 << 27  # bytes of a file that are cut into lines
_MOST = 1 << 32  # bytes of a file that are read
_PARSED = 50_000  # pairs of other formats
_END = 0x0A
_Lines = dict[int, list[bytes]]  # runs by the number of lines before them


@dataclass(frozen=True)
class Run:
    """Consecutive pairs; `numbers` are their lines or places, from 1."""

    numbers: range
    source: list[str]
    target: list[str]

    def swapped(self) -> Run:
        """The same run in the other direction."""
        return Run(self.numbers, self.target, self.source)


@dataclass
class Sample:
    """Runs of pairs of one corpus, in order."""

    files: tuple[str, ...]
    runs: list[Run] = field(default_factory=list)
    pairs: int = 0  # that were read or counted
    is_whole: bool = True  # whether the files were read to their ends
    found: dict[int, tuple[str, str]] = field(default_factory=dict)  # wanted pairs, by number
    sources: dict[str, int] = field(default_factory=dict)  # sources of wanted pairs: first number

    def __len__(self) -> int:
        return sum(len(run.numbers) for run in self.runs)

    @property
    def source(self) -> list[str]:
        """All source sentences."""
        return [text for run in self.runs for text in run.source]

    @property
    def target(self) -> list[str]:
        """All target sentences."""
        return [text for run in self.runs for text in run.target]


class _Runs:
    """The first lines of every stretch of `stride` lines."""

    def __init__(self, most: int) -> None:
        self.most, self.stride = most, RUN
        self.kept: _Lines = {}

    def wants(self, begin: int, end: int) -> bool:
        """Whether lines begin .. end-1 have some that are kept."""
        return begin % self.stride < RUN or begin // self.stride != (end - 1) // self.stride

    def feed(self, begin: int, lines: Sequence[bytes]) -> None:
        end = begin + len(lines)
        start = begin - begin % self.stride
        while start < end:
            low, high = max(start, begin), min(start + RUN, end)
            if low < high:
                self.kept.setdefault(start, []).extend(lines[low - begin : high - begin])
            start += self.stride
            while len(self.kept) > 2 * self.most:
                self.stride *= 2
                self.kept = {at: run for at, run in self.kept.items() if at % self.stride == 0}
                start += -start % self.stride


@dataclass
class _Scan:
    """What one pass over a text file finds."""

    runs: _Runs
    lines: int = 0
    is_whole: bool = True
    found: dict[int, bytes] = field(default_factory=dict)  # wanted lines by number, from 0


def sample_corpus(
    corpus: Corpus,
    wanted: Collection[tuple[str, str]] = (),
    *,
    runs: int = RUNS,
    limit: int = _SPLIT,
) -> Sample:
    """Runs of a corpus of one source, and those of its pairs that are `wanted`."""
    files = tuple(corpus.files)
    if len(files) != 2:
        return _parsed(corpus, files, set(wanted), runs)
    sides = [{pair[side].encode() for pair in wanted} for side in (0, 1)]
    scans = [_scan(file, _Runs(runs), own, limit) for file, own in zip(files, sides, strict=True)]
    source, target = scans
    sample = Sample(
        files,
        _together(source.runs.kept, target.runs.kept),
        min(source.lines, target.lines),
        source.is_whole and target.is_whole,
    )
    pairs = set(wanted)
    for number, line in source.found.items():
        if number < sample.pairs:
            sample.sources.setdefault(line.decode(), number + 1)
    for number in source.found.keys() & target.found.keys():
        pair = source.found[number].decode(), target.found[number].decode()
        if pair in pairs:
            sample.found[number + 1] = pair
    return sample


def sample_lines(file: PathName, *, runs: int = RUNS) -> list[str]:
    """Lines from all over a text file."""
    scan = _scan(file, _Runs(runs), set(), _SPLIT)
    return [
        line.decode(errors="replace") for start in sorted(scan.runs.kept)
        for line in scan.runs.kept[start]
    ]  # fmt: skip


def read_range(files: Sequence[str], begin: int, end: int, *, runs: int = RUNS) -> list[Run]:
    """Runs of the lines begin .. end-1 (from 1) of two text files, spread over them."""
    kept = []
    for file in files:
        own, number = _Runs(runs), 1
        for block in _blocks(file):
            lines = _lines(block)
            low, high = max(begin - number, 0), min(end - number, len(lines))
            if low < high:
                own.feed(number + low - begin, lines[low:high])
            number += len(lines)
            if number >= end:
                break
        kept.append(own.kept)
    return _together(kept[0], kept[1], begin)


def _together(source: _Lines, target: _Lines, first: int = 1) -> list[Run]:
    """Runs of both sides, as far as both are there; `first` is the number of their first line."""
    found = []
    for start in sorted(source.keys() & target.keys()):
        texts = [
            [line.decode(errors="replace") for line in side[start]] for side in (source, target)
        ]
        length = min(map(len, texts))
        numbers = range(first + start, first + start + length)
        found.append(Run(numbers, texts[0][:length], texts[1][:length]))
    return found


def _scan(file: PathName, runs: _Runs, wanted: set[bytes], limit: int) -> _Scan:
    """One pass over a file."""
    scan, done = _Scan(runs), 0
    is_compressed = plain_name(file) != Path(file)
    try:
        for block in _blocks(file):
            done += len(block)
            if done > limit:
                if is_compressed or done > _MOST:
                    scan.is_whole = False
                    break
                end = scan.lines + block.count(b"\n") + (block[-1] != _END)
                if not runs.wants(scan.lines, end):
                    scan.lines = end
                    continue
            lines = _lines(block)
            runs.feed(scan.lines, lines)
            if wanted and not wanted.isdisjoint(lines):
                known = enumerate(lines, scan.lines)
                scan.found |= {number: line for number, line in known if line in wanted}
            scan.lines += len(lines)
    except (RosewoodError, OSError):
        scan.is_whole = False
    return scan


def _blocks(file: PathName) -> Iterator[bytes]:
    """The bytes of a file in blocks of whole lines."""
    rest = b""
    with open_input(file) as stream:
        while block := stream.read(_BLOCK):
            cut = block.rfind(b"\n") + 1
            if cut:
                yield rest + block[:cut]
                rest = block[cut:]
            else:
                rest += block
                if len(rest) > _LONGEST:
                    return
    if rest:
        yield rest


def _lines(block: bytes) -> list[bytes]:
    if b"\r" in block:
        block = block.replace(b"\r\n", b"\n")
    lines = block.split(b"\n")
    if not lines[-1]:
        lines.pop()
    return lines


def _parsed(
    corpus: Corpus, files: tuple[str, ...], wanted: set[tuple[str, str]], runs: int
) -> Sample:
    """The sample of a file in any other format."""
    sides = _Runs(runs), _Runs(runs)
    sample = Sample(files)
    pairs = iter(corpus)
    sources = {source for source, _ in wanted}
    try:
        while some := list(islice(pairs, RUN)):
            for side, texts in zip(
                sides, zip(*((p.source, p.target) for p in some), strict=True), strict=True
            ):
                side.feed(sample.pairs, [text.encode(errors="replace") for text in texts])
            for number, pair in enumerate(some, sample.pairs + 1):
                if pair.source in sources:
                    sample.sources.setdefault(pair.source, number)
                if (pair.source, pair.target) in wanted:
                    sample.found[number] = (pair.source, pair.target)
            sample.pairs += len(some)
            if sample.pairs >= _PARSED:
                sample.is_whole = False
                break
    except (RosewoodError, OSError):
        sample.is_whole = False
    sample.runs = _together(sides[0].kept, sides[1].kept)
    return sample
