"""The corpus: sentence pairs from files of any format, walked as often as one likes.

A corpus holds no text.  Each walk reads the files again; filters, splits and other steps are laid
over it, so memory does not grow with the corpus.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TypedDict, Unpack

from rosewood.arguments import check_type
from rosewood.corpus.checks import Checks, Tally
from rosewood.corpus.compression import plain_name
from rosewood.corpus.filters import Filtering, FilterReport, Filters
from rosewood.corpus.inputs import ParserSettings
from rosewood.corpus.languages import check_language
from rosewood.corpus.pairs import SentencePair
from rosewood.corpus.readers import CorpusReading, ReadingPlace, Source
from rosewood.corpus.splitting import PARTS, Part, Split, SplitBy, choose_split
from rosewood.corpus.summary import CorpusSummary, summarise
from rosewood.corpus.writers import Target, open_writer, target_of
from rosewood.errors import CorpusError
from rosewood.shared_types import OnBadLine, PathName

Walk = Callable[[], Iterator[SentencePair]]
PairTransform = Callable[[Iterator[SentencePair]], Iterator[SentencePair]]


class ReadingKeywords(TypedDict, total=False):
    """Keywords of `Corpus.read` and `read_pairs`."""

    format: str | None
    source_language: str | None
    target_language: str | None
    on_bad_line: OnBadLine
    checks: Checks | None


class Corpus:
    """Sentence pairs that can be walked again and again.

    >>> corpus = Corpus.of([("das Haus", "the house"), ("ja", "yes")])
    >>> [pair.target for pair in corpus]
    ['the house', 'yes']
    """

    def __init__(
        self,
        walk: Walk,
        languages: tuple[str | None, str | None] = (None, None),
        reading: CorpusReading | None = None,
        filtering: Filtering | None = None,
    ) -> None:
        """From a walk; `Corpus.read` reads files."""
        self._walk = walk
        self.languages = languages  # source and target, as they were given
        self._reading = reading
        self._filtering = filtering

    @staticmethod
    def read(
        *sources: Source,
        format: str | None = None,
        source_language: str | None = None,
        target_language: str | None = None,
        on_bad_line: OnBadLine = "stop",
        checks: Checks | None = None,
    ) -> Corpus:
        """Files as one corpus, in their order.

        A source is a file (TSV, JSON lines, TMX, PO or XLIFF, by its ending or as `format` says),
        or a pair of text files; two text files in a row make a pair.  Any of them may be
        compressed (.gz, .xz, .zst), and `-` is standard input.  Files are opened when the corpus
        is walked.  Bad lines stop the walk, or are skipped and counted in `skipped`; with "blank"
        a pair without words stands in for each, so that what is made of the corpus has as many
        lines as the files.
        """
        settings = ParserSettings(
            source_language, target_language, Checks() if checks is None else checks
        )
        reading = CorpusReading(sources, format, settings, on_bad_line)
        return Corpus(reading, (source_language, target_language), reading)

    @staticmethod
    def of(
        pairs: Sequence[SentencePair | tuple[str, str]],
        *,
        source_language: str | None = None,
        target_language: str | None = None,
    ) -> Corpus:
        """Pairs that are in memory already."""
        if not isinstance(pairs, Sequence) or isinstance(pairs, str):
            raise CorpusError(
                f"pairs is {type(pairs).__name__}, expected a list that can be read again",
                code="argument.type", argument="pairs", value=pairs, expected="a list",
            )  # fmt: skip
        made = [each if isinstance(each, SentencePair) else _pair(each) for each in pairs]
        check_language("source_language", source_language)
        check_language("target_language", target_language)
        return Corpus(lambda: iter(made), (source_language, target_language))

    def __iter__(self) -> Iterator[SentencePair]:
        return self._walk()

    def walk_from(self, place: ReadingPlace | None) -> Iterator[SentencePair]:
        """The pairs of its files after a `place` of an earlier walk; None is the beginning."""
        if self._reading is None or self._filtering is not None:
            reason = "only a corpus of files, without filters, is walked from a place"
            raise CorpusError(reason, code="corpus.no-files", argument="place", value=place)
        return self._reading(place)

    @property
    def place(self) -> ReadingPlace:
        """How far the last walk through the files has come."""
        return ReadingPlace() if self._reading is None else self._reading.place

    def separately(self) -> list[Corpus]:
        """A corpus of each source: two files of text, or one of pairs; bad lines are skipped."""
        each = [] if self._reading is None else self._reading.separately()
        return [Corpus(reading, self.languages, reading) for reading in each]

    def through(self, step: PairTransform) -> Corpus:
        """This corpus with a function applied to its pairs on each walk."""
        return Corpus(lambda: step(self._walk()), self.languages, self._reading, self._filtering)

    def filter(self, filters: Filters) -> Corpus:
        """The pairs that filters keep; after a walk, `report` tells of the others."""
        filtering = Filtering(
            check_type("filters", filters, Filters, "Filters(…)", error=CorpusError)
        )
        return Corpus(lambda: filtering(self._walk()), self.languages, self._reading, filtering)

    def split(
        self, *, dev: int = 0, test: int = 0, seed: int = 1, by: SplitBy = "pair"
    ) -> tuple[Corpus, Corpus, Corpus]:
        """Pairs to train on, and so many for development and for testing, as the seed falls.

        The same pair is never in two of them, nor twice in a held-out one; with `by="source"` no
        source sentence is.  The corpus is walked once here.
        """
        chosen = choose_split(self, dev, test, seed, by)
        train, held_out, tested = (self.through(partial(chosen.only, part)) for part in PARTS)
        return train, held_out, tested

    def summary(self) -> CorpusSummary:
        """Sizes and lengths, from one walk."""
        return summarise(iter(self))

    def write(self, path: Source, format: str | None = None) -> int:
        """Writes all pairs and returns how many there are.

        A pair of paths is for two text files; the ending of a single path, or `format`, tells
        whether it is a table, JSON lines or a translation memory.
        """
        return self.write_to(target_of(path, format))

    def write_to(self, target: Target) -> int:
        """What `write` does, for a target that is known."""
        columns = self.tag_names() if target.format == "tsv" else []
        count = 0
        with open_writer(target, self.languages, columns) as write:
            for pair in self:
                write(pair)
                count += 1
        return count

    def write_split(self, chosen: Split, folder: PathName, to: str = "text") -> dict[Part, Target]:
        """Writes the parts of a split into a folder, and returns where they are."""
        targets = self.split_targets(folder, to)
        Path(folder).mkdir(exist_ok=True)
        columns = self.tag_names() if to.startswith("tsv") else []
        with ExitStack() as stack:
            write = {
                part: stack.enter_context(open_writer(target, self.languages, columns))
                for part, target in targets.items()
            }
            for part, pair in chosen.parts(self):
                write[part](pair)
        return targets

    def split_targets(self, folder: PathName, to: str = "text") -> dict[Part, Target]:
        """Files for the parts of a split.

        Text files end in the languages, or else in the endings of the files that are read.
        """
        sides: Sequence[str | None] = self.languages
        if None in sides:
            sides = [plain_name(name).suffix.removeprefix(".") for name in self.files[:2]]
            is_short = all(each and each.isalpha() and len(each) <= 3 for each in sides)
            sides = sides if len(set(sides)) == 2 and is_short else ("source", "target")
        kind, dot, ending = to.partition(".")
        if dot and ending not in ("gz", "xz", "zst"):
            expected = "compression .gz, .xz or .zst"
            raise CorpusError(
                f"--to {to}: expected {expected}",
                code="argument.value", argument="--to", value=to, expected=expected,
            )  # fmt: skip
        made: dict[Part, Target] = {}
        for part in PARTS:
            names = [f"{part}.{end}{dot}{ending}" for end in (sides if kind == "text" else [kind])]
            paths = [Path(folder) / name for name in names]
            made[part] = target_of((paths[0], paths[1])) if paths[1:] else target_of(paths[0], kind)
        return made

    def tag_names(self) -> list[str]:
        """The tags that pairs have, in the order in which they come up: a walk, if need be."""
        if self._reading is not None and not self._reading.may_have_tags:
            return []
        names: dict[str, None] = {}
        for pair in self:
            names.update(dict.fromkeys(pair.tags))
        return list(names)

    @property
    def tally(self) -> Tally:
        """What the last walk skipped, left out and changed, with examples."""
        return Tally() if self._reading is None else self._reading.tally

    @property
    def skipped(self) -> Mapping[str, int]:
        """How many bad lines the last walk skipped, for each kind of fault."""
        return dict(self.tally.skipped)

    @property
    def left_out(self) -> Mapping[str, int]:
        """What the last walk left out though it is not bad: fuzzy entries, other languages…"""
        return dict(self.tally.left_out)

    @property
    def report(self) -> FilterReport | None:
        """What the filters removed in the last walk, if there are any."""
        return None if self._filtering is None else self._filtering.report

    @property
    def files(self) -> list[str]:
        """The files it is read from."""
        return [] if self._reading is None else self._reading.names

    @property
    def formats(self) -> dict[str, str]:
        """The format of each of its files."""
        return {} if self._reading is None else self._reading.formats

    def __repr__(self) -> str:
        return f"Corpus({', '.join(self.files) or 'in memory'})"


def read_pairs(*sources: Source, **settings: Unpack[ReadingKeywords]) -> Iterator[SentencePair]:
    """The pairs of files, once; see `Corpus.read`."""
    return iter(Corpus.read(*sources, **settings))


def _pair(texts: tuple[str, str]) -> SentencePair:
    if not isinstance(texts, tuple) or list(map(type, texts)) != [str, str]:
        expected = "a SentencePair or two strings"
        raise CorpusError(
            f"a pair is {texts!r:.80}, expected {expected}",
            code="argument.type", argument="pairs", value=texts, expected=expected,
        )  # fmt: skip
    return SentencePair(*texts)
