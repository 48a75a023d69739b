"""A corpus as word numbers, with a sentence pair for every line of its files.

text = read_parallel_text(["train.de", "train.en"], CorpusSettings(), max_words=100)
text.corpus, text.skipped, text.too_long
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rosewood.corpus.corpus import Corpus
from rosewood.corpus.indexed import IndexedCorpus
from rosewood.corpus.pairs import SentencePair, count_words
from rosewood.corpus.readers import format_of
from rosewood.corpus.settings import CorpusSettings
from rosewood.errors import CorpusError, FormatError

SMALL_CORPUS = 1 << 25  # bytes of files, compressed or not, whose words are kept in memory

Prepare = Callable[[SentencePair], SentencePair]


@dataclass(frozen=True)
class ParallelText:
    """A corpus as word numbers, with a sentence pair for each line, and counts of blank ones."""

    corpus: IndexedCorpus
    skipped: dict[str, int]  # bad lines, by kind
    too_long: int = 0

    @property
    def blank(self) -> int:
        """Pairs without words on a side, for whatever reason."""
        lengths = self.corpus.source.lengths, self.corpus.target.lengths
        return int(((lengths[0] == 0) | (lengths[1] == 0)).sum())


def read_parallel_text(
    sources: Sequence[str],
    settings: CorpusSettings,
    *,
    prepare: Prepare | None = None,
    max_words: int | None = None,
    read: Callable[[Sequence[str]], Corpus] | None = None,
) -> ParallelText:
    """The text of some files, read once, or an indexed corpus; it is not held in memory.

    `prepare` makes words of a pair.  Pairs with a side of more than `max_words` become blank.
    `read` makes the corpus of the files, for those who want to see how far reading has come.
    """
    folders = [source for source in sources if Path(source).is_dir()]
    is_changed = prepare is not None or max_words is not None
    if folders:
        if len(sources) > 1:
            told = "an indexed corpus cannot be joined with others"
        elif is_changed or settings.format is not None:
            told = (
                "the corpus is indexed already: --tokeniser, --lowercase, --max-words and --format "
                "are for text, as is an aligner trained with the first two"
            )
        else:
            return ParallelText(IndexedCorpus.open(folders[0]), {})
        reason = f"{folders[0]}: {told}"
        raise CorpusError(reason, code="argument.conflict", argument="SOURCES", value=folders[0])
    whole = settings.corpus(sources, every_line=True) if read is None else read(sources)
    corpus = None if is_changed else _read_natively(sources, settings)
    too_long = 0

    def changed(pairs: Iterator[SentencePair]) -> Iterator[SentencePair]:
        nonlocal too_long
        for pair in pairs:
            made = prepare(pair) if prepare is not None else pair
            longest = max(map(count_words, (made.source, made.target)))
            if max_words is not None and longest > max_words:
                too_long += 1
                made = SentencePair("", "", origin=pair.origin)
            yield made

    if corpus is None:
        text = {"pairs": whole.through(changed) if is_changed else whole}
        corpus = _indexed(
            sources, IndexedCorpus.from_pairs, text, max_words=settings.line_characters
        )
    return ParallelText(corpus, dict(whole.skipped), too_long)


def _read_natively(sources: Sequence[str], settings: CorpusSettings) -> IndexedCorpus | None:
    """Two text files without bad lines; None where the readers of Python must look."""
    is_text = len(sources) == 2 and settings.format in (None, "text")
    if not is_text or any(format_of(file) or not Path(file).is_file() for file in sources):
        return None
    limits = {"max_words": settings.line_words, "max_bytes": settings.line_characters}
    files = {"source": sources[0], "target": sources[1]}
    try:  # a character is a byte or more
        corpus = _indexed(sources, IndexedCorpus.from_files, files, **limits)
    except FormatError:
        return None
    return corpus if len(corpus) else None


def _indexed(
    sources: Sequence[str], read: Callable[..., IndexedCorpus], text: dict[str, Any], **limits: Any
) -> IndexedCorpus:
    """In memory if it is small; else mapped from files that are deleted already."""
    # Streams may have no end.  Missing files are reported when they are read.
    sizes = [Path(file).stat().st_size for file in sources if file != "-" and Path(file).is_file()]
    if len(sizes) == len(sources) and sum(sizes) <= SMALL_CORPUS:
        return read(*text.values(), **limits)
    with TemporaryDirectory(prefix="rosewood-") as place:
        made = IndexedCorpus.build(Path(place) / "corpus", **text, **limits)
        return IndexedCorpus(made.source, made.target)
