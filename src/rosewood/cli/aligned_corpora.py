"""Word-aligned corpora on the command line: text as word numbers, links and gold links."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from rosewood.cli.common import bad_value, name_of, source_of, warn
from rosewood.cli.corpora import read_corpus
from rosewood.corpus.settings import CorpusSettings
from rosewood.errors import AlignmentError, FormatError
from rosewood.shared_types import PathName

if TYPE_CHECKING:
    from rosewood.align import Gold, Links
    from rosewood.corpus import IndexedCorpus, SentencePair
    from rosewood.corpus.parallel_text import ParallelText


def read_text(
    sources: Sequence[str],
    reading: CorpusSettings,
    prepare: Callable[[SentencePair], SentencePair] | None = None,
    max_words: int | None = None,
    *,
    quiet: bool,
) -> ParallelText:
    """A text as word numbers, with progress and warnings."""
    from rosewood.corpus.parallel_text import read_parallel_text

    read = partial(read_corpus, reading, every_line=True, quiet=quiet)
    text = read_parallel_text(sources, reading, prepare=prepare, max_words=max_words, read=read)
    if text.too_long:
        warn(f"pairs with a side of more than {max_words:,} words: {text.too_long:,}")
    if text.blank and not (len(sources) == 1 and Path(sources[0]).is_dir()):
        warn(f"pairs without words on a side, which have no links: {text.blank:,}")
    return text


def read_links_file(
    file: PathName, base: int = 0, *, bad_lines: dict[int, str] | None = None
) -> Links:
    """Links in a file, or from standard input."""
    from rosewood.align import read_pharaoh

    return read_pharaoh(source_of(file), base=base, file=name_of(file), bad_lines=bad_lines)


def read_gold_file(file: PathName, base: int = 0) -> Gold:
    """Gold links in a file, or from standard input."""
    from rosewood.align import read_gold

    return read_gold(source_of(file), base=base, file=name_of(file))


def read_aligned(
    sources: Sequence[str], alignment: PathName, reading: CorpusSettings, *, quiet: bool
) -> tuple[IndexedCorpus, Links]:
    """A corpus and its links; bad pairs stop, or have no words."""
    from rosewood.corpus.readers import format_of
    from rosewood.rules.pair_checks import bad_pairs, without_pairs

    stops = reading.on_bad_line == "stop"
    no_links: dict[int, str] = {}
    links = read_links_file(alignment, bad_lines=None if stops else no_links)
    corpus, name = read_text(sources, reading, quiet=quiet).corpus, name_of(alignment)
    if len(links) != len(corpus):
        raise FormatError(
            f"it has {len(links):,} lines, the corpus has {len(corpus):,}",
            code="file.mismatch", file=name, value=len(links), expected=len(corpus),
        )  # fmt: skip
    bad = bad_pairs(corpus, links)
    bad |= {number - 1: ("links", reason) for number, reason in no_links.items()}
    if not bad:
        return corpus, links
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
    return without_pairs(corpus, links, bad)


def check_picture(option: str, output: PathName | None) -> None:
    """Refuses, before any work, kinds of pictures that do not exist."""
    if output is not None and Path(output).suffix.lower() not in (".svg", ".html"):
        raise bad_value(AlignmentError, option, output, "a name with .svg or .html")
