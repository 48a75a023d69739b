"""Reading word-aligned corpora: text as word numbers, links and gold links."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from rosewood.cli.common import bad_value, name_of, source_of, warn
from rosewood.cli.corpora import CorpusOptions
from rosewood.errors import AlignmentError, FormatError
from rosewood.shared_types import PathName

if TYPE_CHECKING:
    from rosewood.align import Gold, Links, Preparation
    from rosewood.corpus import Checks, Corpus, IndexedCorpus, SentencePair

__all__ = [
    "SMALL_CORPUS",
    "Text",
    "check_picture",
    "read_aligned",
    "read_gold_file",
    "read_links_file",
    "read_text",
]

SMALL_CORPUS = 1 << 25  # bytes of files, compressed or not, whose words are kept in memory


@dataclass(frozen=True)
class Text:
    """A corpus as word numbers, with a sentence pair for each line, and counts of blank ones."""

    corpus: IndexedCorpus
    skipped: dict[str, int]  # bad lines, by kind
    too_long: int = 0

    @property
    def blank(self) -> int:
        """Pairs without words on a side, for whatever reason."""
        lengths = self.corpus.source.lengths, self.corpus.target.lengths
        return int(((lengths[0] == 0) | (lengths[1] == 0)).sum())


def read_text(
    sources: Sequence[str],
    options: CorpusOptions,
    how: Preparation | None = None,
    max_words: int | None = None,
    *,
    quiet: bool,
) -> Text:
    """The text to align, read once, as word numbers: it is not held in memory."""
    from rosewood.corpus import IndexedCorpus

    folders = [source for source in sources if Path(source).is_dir()]
    if folders:
        if len(sources) > 1:
            raise AlignmentError(
                f"{folders[0]}: an indexed corpus cannot be joined with others",
                code="argument.conflict", argument="SOURCES", value=folders[0],
            )  # fmt: skip
        if how or max_words is not None or options.format is not None:
            raise AlignmentError(
                f"{folders[0]}: the corpus is indexed already: --tokeniser, --lowercase, "
                "--max-words and --format are for text, as is an aligner trained with the first "
                "two",
                code="argument.conflict", argument="SOURCES", value=folders[0],
            )  # fmt: skip
        return Text(IndexedCorpus.open(folders[0]), {})
    read = options.read(sources, every_line=True, quiet=quiet)
    prepared = _Prepared(how, max_words)
    is_changed = bool(how) or max_words is not None
    corpus = None if is_changed else _read_natively(sources, options.format, options.checks())
    if corpus is None:
        text = read.through(prepared) if is_changed else read
        corpus = _indexed(text, sources, options.line_characters)
    made = Text(corpus, dict(read.skipped), prepared.too_long)
    if made.too_long:
        warn(f"pairs with a side of more than {max_words:,} words: {made.too_long:,}")
    if made.blank:
        warn(f"pairs without words on a side, which have no links: {made.blank:,}")
    return made


def _read_natively(
    sources: Sequence[str], format: str | None, checks: Checks
) -> IndexedCorpus | None:
    """Two text files without bad lines; None where the readers of Python must look."""
    from rosewood.corpus import IndexedCorpus
    from rosewood.corpus.readers import format_of

    is_text = len(sources) == 2 and format in (None, "text") and not any(map(format_of, sources))
    if not is_text or not all(Path(source).is_file() for source in sources):
        return None
    words, size = checks.max_words, checks.max_characters  # a character is a byte or more
    try:
        if sum(Path(source).stat().st_size for source in sources) <= SMALL_CORPUS:
            corpus = IndexedCorpus.from_files(*sources, max_words=words, max_bytes=size)
        else:
            with TemporaryDirectory(prefix="rosewood-") as place:
                made = IndexedCorpus.build(
                    Path(place) / "corpus", source=sources[0], target=sources[1],
                    max_words=words, max_bytes=size,
                )  # fmt: skip
                corpus = IndexedCorpus(made.source, made.target)
    except FormatError:
        return None
    return corpus if len(corpus) else None


def _indexed(text: Corpus, sources: Sequence[str], max_words: int) -> IndexedCorpus:
    """In memory if it is small; else mapped from files that are deleted already."""
    from rosewood.corpus import IndexedCorpus

    files = [Path(source) for source in sources if source != "-"]
    sizes = [file.stat().st_size for file in files if file.is_file()]
    # Streams may have no end.  Missing files are reported when they are read.
    if len(sizes) == len(sources) and sum(sizes) <= SMALL_CORPUS:
        return IndexedCorpus.from_pairs(text, max_words=max_words)
    with TemporaryDirectory(prefix="rosewood-") as place:
        made = IndexedCorpus.build(Path(place) / "corpus", pairs=text, max_words=max_words)
        return IndexedCorpus(made.source, made.target)


class _Prepared:
    """Pairs as words; those that are too long become blank, and are counted."""

    def __init__(self, how: Preparation | None, max_words: int | None) -> None:
        self.how = how
        self.max_words = max_words
        self.too_long = 0

    def __call__(self, pairs: Iterator[SentencePair]) -> Iterator[SentencePair]:
        from rosewood.corpus import SentencePair
        from rosewood.corpus.pairs import count_words

        for pair in pairs:
            made = self.how(pair) if self.how else pair
            longest = max(map(count_words, (made.source, made.target)))
            if self.max_words is not None and longest > self.max_words:
                self.too_long += 1
                made = SentencePair("", "", origin=pair.origin)
            yield made


def read_links_file(
    file: PathName, base: int = 0, *, bad_lines: dict[int, str] | None = None
) -> Links:
    """Links in a file, or from standard input."""
    from rosewood.align import read_pharaoh

    return read_pharaoh(source_of(file), base=base, file=name_of(file), bad_lines=bad_lines)


def read_gold_file(file: PathName) -> Gold:
    """Gold links in a file, or from standard input."""
    from rosewood.align import read_gold

    return read_gold(source_of(file), file=name_of(file))


def read_aligned(
    sources: Sequence[str], alignment: PathName, options: CorpusOptions, *, quiet: bool
) -> tuple[IndexedCorpus, Links]:
    """A corpus and its links; bad pairs stop, or have no words."""
    from rosewood.corpus.readers import format_of
    from rosewood.rules.extraction import bad_pairs, without_pairs

    stops = options.on_bad_line == "stop"
    no_links: dict[int, str] = {}
    links = read_links_file(alignment, bad_lines=None if stops else no_links)
    text = read_text(sources, options, quiet=quiet)
    name = name_of(alignment)
    if len(links) != len(text.corpus):
        raise FormatError(
            f"it has {len(links):,} lines, the corpus has {len(text.corpus):,}",
            code="file.mismatch", file=name, value=len(links), expected=len(text.corpus),
        )  # fmt: skip
    bad = bad_pairs(text.corpus, links)
    bad |= {number - 1: ("links", reason) for number, reason in no_links.items()}
    if not bad:
        return text.corpus, links
    first, (where, reason) = min(bad.items())
    if stops:
        files = {"links": name}
        if len(sources) == 2 and not any(map(format_of, sources)):
            files |= {"source": sources[0], "target": sources[1]}
        if where in files:
            raise FormatError(reason, code="line.value", file=files[where], line=first + 1)
        reason = f"sentence pair {first + 1}: {reason}"
        raise FormatError(reason, code="line.value", file=" ".join(sources))
    warn(f"pairs that were left out: {len(bad):,}; the first, line {first + 1}: {reason}")
    return without_pairs(text.corpus, links, bad)


def check_picture(option: str, output: PathName | None) -> None:
    """Refuses, before any work, kinds of pictures that do not exist."""
    if output is not None and Path(output).suffix.lower() not in (".svg", ".html"):
        raise bad_value(AlignmentError, option, output, "a name with .svg or .html")
