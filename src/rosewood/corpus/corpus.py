"""The corpus: sentence pairs from files of any format, walked as often as one likes.

A corpus holds no text.  Each walk reads the files again; filters, splits and other steps are laid
over it, so memory does not grow with the corpus.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from rosewood.corpus.checks import Checks, Tally
from rosewood.corpus.formats.strict import Settings
from rosewood.corpus.pairs import SentencePair
from rosewood.corpus.readers import OnBadLine, Reading, Source
from rosewood.errors import CorpusError

__all__ = ["Corpus", "read_pairs"]

Walk = Callable[[], Iterator[SentencePair]]
Step = Callable[[Iterator[SentencePair]], Iterator[SentencePair]]


class Corpus:
    """Sentence pairs that can be walked again and again.

    >>> corpus = Corpus.of([("das Haus", "the house"), ("ja", "yes")])
    >>> [pair.target for pair in corpus]
    ['the house', 'yes']
    """

    def __init__(self, walk: Walk, reading: Reading | None = None) -> None:
        """What a walk gives; those who have files want `Corpus.read`."""
        self._walk = walk
        self._reading = reading

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
        is walked.  Bad lines stop the walk, or are skipped and counted in `skipped`.
        """
        settings = Settings(
            source_language, target_language, Checks() if checks is None else checks
        )
        reading = Reading(sources, format, settings, on_bad_line)
        return Corpus(reading, reading)

    @staticmethod
    def of(pairs: Sequence[SentencePair | tuple[str, str]]) -> Corpus:
        """Pairs that are in memory already."""
        if not isinstance(pairs, Sequence) or isinstance(pairs, str):
            raise CorpusError(
                f"pairs is {type(pairs).__name__}, want a list that can be read again"
            )
        made = [each if isinstance(each, SentencePair) else _pair(each) for each in pairs]
        return Corpus(lambda: iter(made))

    def __iter__(self) -> Iterator[SentencePair]:
        return self._walk()

    def through(self, step: Step) -> Corpus:
        """A corpus whose walks go through a function, from pairs to pairs."""
        return Corpus(lambda: step(self._walk()), self._reading)

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
    def files(self) -> list[str]:
        """The files it is read from."""
        return [] if self._reading is None else self._reading.names

    @property
    def languages(self) -> tuple[str | None, str | None]:
        """The source and the target language, as they were given."""
        if self._reading is None:
            return None, None
        settings = self._reading.settings
        return settings.source_language, settings.target_language

    def __repr__(self) -> str:
        return f"Corpus({', '.join(self.files) or 'in memory'})"


def read_pairs(
    *sources: Source,
    format: str | None = None,
    source_language: str | None = None,
    target_language: str | None = None,
    on_bad_line: OnBadLine = "stop",
    checks: Checks | None = None,
) -> Iterator[SentencePair]:
    """The pairs of files, once; see `Corpus.read`."""
    return iter(
        Corpus.read(
            *sources,
            format=format,
            source_language=source_language,
            target_language=target_language,
            on_bad_line=on_bad_line,
            checks=checks,
        )
    )


def _pair(texts: tuple[str, str]) -> SentencePair:
    if not isinstance(texts, tuple) or list(map(type, texts)) != [str, str]:
        raise CorpusError(f"a pair is {texts!r}, want a SentencePair or two strings")
    return SentencePair(*texts)
