"""What `rosewood align` does: read text line by line, train or load, write what was asked for."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import tee
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

from rosewood.cli.common import lines_to, print_row, warn
from rosewood.cli.corpora import read_every_line
from rosewood.cli.verbs.links import Drawing, gold_of, read_gold_file, write_picture
from rosewood.errors import AlignmentError, FormatError

if TYPE_CHECKING:
    from rosewood.align import Aligned, Aligner, Gold, Links, LinkScores, Preparation
    from rosewood.align.models import Model
    from rosewood.corpus import Checks, Corpus, IndexedCorpus, SentencePair

__all__ = ["Done", "Outputs", "Symmetrization", "Text", "align_corpus", "read_text"]

_LEAST = 0.01  # posteriors below are not written
_LONG = 500  # words of a sentence that are worth a warning
_SMALL = 1 << 25  # bytes of files, compressed or not, whose words are kept in memory


class Symmetrization(NamedTuple):
    """How two directions become one alignment."""

    method: str
    order: str
    least: float | None = None  # of posteriors, where they are what counts

    @classmethod
    def parse(cls, text: str, order: str) -> Symmetrization:
        """As it is typed: a method, a direction, or threshold:0.4."""
        from rosewood.align import ORDERS, SYMMETRIZATIONS

        if order not in ORDERS:
            raise AlignmentError(f"--order {order}: want {' or '.join(ORDERS)}")
        method, colon, value = text.partition(":")
        if method == "threshold":
            try:
                least = float(value)
            except ValueError:
                least = 0.0
            if not 0 < least <= 1:
                raise AlignmentError(f"--symmetrize {text}: want threshold:P, P above 0, up to 1")
            return cls(text, order, least)
        known = (*SYMMETRIZATIONS, "forward", "backward")
        if colon or method not in known:
            told = ", ".join((*known, "threshold:P"))
            raise AlignmentError(f"--symmetrize {text}: there is no such method; there are {told}")
        return cls(method, order)

    def __call__(
        self, aligner: Aligner, aligned: Aligned, corpus: IndexedCorpus, threads: int
    ) -> Links:
        from rosewood.align import threshold

        if self.least is not None:
            one, other = tee(aligner.posteriors(corpus, threads=threads))
            both = (each.forward for each in one), (each.backward for each in other)
            return threshold(*both, how="geometric", at=self.least)
        if self.method in ("forward", "backward"):
            return aligned.forward if self.method == "forward" else aligned.backward
        return aligned.symmetrize(self.method, order=self.order, threads=threads)


@dataclass(frozen=True)
class Text:
    """A corpus in words, a sentence pair for each of its files', and what was left blank."""

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
    languages: str | None,
    format: str | None,
    on_bad_line: str,
    how: Preparation,
    max_words: int | None,
    *,
    checks: Checks,
    quiet: bool,
) -> Text:
    """The text to align, read once, in numbers: it is not held in memory."""
    from rosewood.corpus import IndexedCorpus

    folders = [source for source in sources if Path(source).is_dir()]
    if folders:
        if len(sources) > 1:
            raise AlignmentError(f"{folders[0]}: an indexed corpus is aligned by itself")
        if how or max_words is not None or format is not None:
            raise AlignmentError(
                f"{folders[0]}: it is indexed already: --tokeniser, --lowercase, --max-words and "
                "--format are for text, as is an aligner that was trained with the first two"
            )
        return Text(IndexedCorpus.open(folders[0]), {})
    read = read_every_line(sources, languages, format, on_bad_line, checks=checks, quiet=quiet)
    prepared = _Prepared(how, max_words)
    is_changed = bool(how) or max_words is not None
    corpus = None if is_changed else _plainly(sources, format, checks)
    if corpus is None:
        text = read.through(prepared) if is_changed else read
        corpus = _indexed(text, sources, checks.max_characters)
    made = Text(corpus, dict(read.skipped), prepared.too_long)
    if made.too_long:
        warn(f"pairs with a side of more than {max_words:,} words: {made.too_long:,}")
    if made.blank:
        warn(f"pairs without words on a side, which have no links: {made.blank:,}")
    return made


def _plainly(sources: Sequence[str], format: str | None, checks: Checks) -> IndexedCorpus | None:
    """Two text files without a fault, natively; readers tell of faults, and read the rest."""
    from rosewood.corpus import IndexedCorpus
    from rosewood.corpus.readers import format_of

    is_text = len(sources) == 2 and format in (None, "text") and not any(map(format_of, sources))
    if not is_text or not all(Path(source).is_file() for source in sources):
        return None
    words, size = checks.max_words, checks.max_characters  # a character is a byte or more
    try:
        if sum(Path(source).stat().st_size for source in sources) <= _SMALL:
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
    """In memory where it is small; else on disk, mapped, where it has no name and goes with us."""
    from rosewood.corpus import IndexedCorpus

    files = [Path(source) for source in sources if source != "-"]
    sizes = [file.stat().st_size for file in files if file.is_file()]
    # Streams may have no end.  What is not there at all is told of when it is read.
    if len(sizes) == len(sources) and sum(sizes) <= _SMALL:
        return IndexedCorpus.from_pairs(text, max_words=max_words)
    with TemporaryDirectory(prefix="rosewood-") as place:
        made = IndexedCorpus.build(Path(place) / "corpus", pairs=text, max_words=max_words)
        return IndexedCorpus(made.source, made.target)


class _Prepared:
    """Pairs in words; those that are too long become blank, and are counted."""

    def __init__(self, how: Preparation, max_words: int | None) -> None:
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


@dataclass(frozen=True)
class Done:
    """A corpus and its alignment."""

    text: Text
    aligner: Aligner
    aligned: Aligned
    links: Links
    method: str
    gold: Gold | None
    first_line: int | None
    show: Sequence[int]
    scores: LinkScores | None

    def drawings(self, *, posteriors: bool, threads: int = 1) -> Iterator[Drawing]:
        """The sentences that are to be shown."""
        corpus = self.text.corpus
        for line in self.show:
            posterior = None
            if posteriors:
                (both,) = self.aligner.posteriors(corpus.part(line - 1, line), threads=threads)
                posterior = both.combined()
            truth = None if self.gold is None else gold_of(self.gold, line, self.first_line)
            alignment = self.links.sentence(line - 1, corpus)
            yield Drawing(alignment, truth, posterior, f"Line {line:,}")

    def to_dict(self) -> dict[str, Any]:
        """What was done, in numbers."""
        last = self.aligner.history[-1]
        return {
            "model": self.aligner.model.name,
            "settings": self.aligner.model.settings(),
            "symmetrize": self.method,
            "pairs": len(self.text.corpus),
            "blank": self.text.blank,
            "too_long": self.text.too_long,
            "skipped": self.text.skipped,
            "links": len(self.links.source),
            "training": {"rounds": last["round"], **{d: last[d] for d in ("forward", "backward")}},
            "gold": None if self.scores is None else self.scores.to_dict(),
        }

    def tell(self, outputs: Outputs, *, as_json: bool) -> None:
        """Drawings and numbers, on standard output if nothing else goes there."""
        stream = sys.stderr if outputs.uses_stdout else sys.stdout
        if as_json:
            print_row(self.to_dict(), as_json=True)
            return
        if outputs.picture is None:
            for each in self.drawings(posteriors=False):
                print(f"{each.title}\n{each.alignment.text(gold=each.gold)}\n", file=stream)
        pairs, links = len(self.text.corpus), len(self.links.source)
        name = f"{self.aligner.model.name}, {self.method}"
        print(f"{pairs:,} sentence pairs, {links:,} links ({name})", file=stream)
        if self.scores is not None:
            told = self.scores
            print(
                f"AER {told.aer:.4f}, precision {told.precision:.4f}, recall {told.recall:.4f} "
                f"on {len(told.sentence):,} sentence pairs with gold",
                file=stream,
            )


def align_corpus(
    text: Text,
    model: Model | Aligner,
    method: Symmetrization,
    *,
    gold: Path | None,
    first_line: int | None,
    show: Sequence[int],
    threads: int,
    quiet: bool,
) -> Done:
    """Train a model on the text, or take a trained aligner, and align it."""
    from rosewood.align import Aligner, score_links
    from rosewood.progress import progress

    corpus = text.corpus
    for line in show:
        if line > len(corpus):
            raise AlignmentError(f"--show {line}: there are {len(corpus):,} lines")
    truth = None if gold is None else _gold_for(corpus, gold, first_line)
    _tell_of_long(corpus, model.model if isinstance(model, Aligner) else model)
    if isinstance(model, Aligner):
        aligner, aligned = model, model.align_both(corpus, threads=threads)
    else:
        rounds = model.warm_up + model.iterations
        with progress(f"training {model.name}, rounds", rounds, quiet=quiet) as step:
            aligner, aligned = Aligner.fit_align(
                corpus, model, threads=threads, report=lambda _: step()
            )
    links = method(aligner, aligned, corpus, threads)
    scores = None if truth is None else score_links(links, truth, first_line=first_line)
    return Done(text, aligner, aligned, links, method.method, truth, first_line, show, scores)


def _tell_of_long(corpus: IndexedCorpus, model: Model) -> None:
    """A few lines of a broken file may take longer than all others together."""
    longest = max(int(side.lengths.max(initial=0)) for side in (corpus.source, corpus.target))
    if model.placing == "jumps" and longest > _LONG:
        warn(
            f"the longest sentence has {longest:,} words, and the time of {model.name} grows with "
            "the square: --max-words leaves such pairs out"
        )


def _gold_for(corpus: IndexedCorpus, file: Path, first_line: int | None) -> Gold:
    """Gold that fits the corpus: what does not is told before anything is trained."""
    gold = read_gold_file(file)
    told = f"it has {len(gold):,} lines, the corpus has {len(corpus):,}"
    if first_line is None and len(gold) != len(corpus):
        raise FormatError(f"{told}: say with --first-line at which of them it begins", file=file)
    begin = (first_line or 1) - 1
    if begin + len(gold) > len(corpus):
        raise FormatError(f"{told}: from line {first_line} on there are too few", file=file)
    if not gold.is_aligned.any():
        raise FormatError("there are no links in it", file=file)
    part = corpus.part(begin, begin + len(gold))
    beyond = gold.links.beyond(part.source.lengths, part.target.lengths)
    if beyond is not None:
        raise FormatError(beyond[1], file=file, line=beyond[0] + 1)
    return gold


@dataclass(frozen=True)
class Outputs:
    """Where everything goes."""

    links: Path | None
    save: Path | None
    scores: Path | None
    lexicon: Path | None
    posteriors: Path | None
    words: Path | None
    picture: Path | None

    def files(self) -> dict[str, Path | None]:
        """Files by their options; --save is a folder."""
        return {
            "-o": self.links,
            "--scores": self.scores,
            "--lexicon": self.lexicon,
            "--posteriors": self.posteriors,
            "--words": self.words,
            "--picture": self.picture,
        }

    @property
    def is_any(self) -> bool:
        """Whether anything is to be written at all."""
        return self.save is not None or any(self.files().values())

    @property
    def uses_stdout(self) -> bool:
        """Whether one of them is standard output."""
        return any(str(path) == "-" for path in self.files().values())

    def write(self, done: Done, how: Preparation, threads: int) -> None:
        """All of them, the aligner first: it took longest to make."""
        from rosewood.align import write_pharaoh

        corpus = done.text.corpus
        if self.save is not None:
            done.aligner.save(self.save, notes=how.notes())
        if self.links is not None:
            is_stream = str(self.links) == "-"
            write_pharaoh(done.links, sys.stdout.buffer if is_stream else self.links)
        if self.scores is not None:
            with lines_to(self.scores) as write:
                for forward, backward in done.aligned.scores(corpus).tolist():
                    write(f"{forward:.6f}\t{backward:.6f}")
        if self.words is not None:
            with lines_to(self.words) as write:
                for n in range(len(corpus)):
                    sides = corpus.source.words(n), corpus.target.words(n)
                    write("\t".join(map(" ".join, sides)))
        if self.posteriors is not None:
            with lines_to(self.posteriors) as write:
                for row in _posterior_rows(done.aligner, corpus, threads):
                    write(json.dumps(row))
        if self.lexicon is not None:
            done.aligner.lexicon().write(self.lexicon)
        if self.picture is not None:
            write_picture([*done.drawings(posteriors=True, threads=threads)], self.picture)


def _posterior_rows(
    aligner: Aligner, corpus: IndexedCorpus, threads: int
) -> Iterator[list[list[float]]]:
    """[i, j, forward, backward] of what is likely enough, sentence by sentence."""
    import numpy as np

    for both in aligner.posteriors(corpus, threads=threads):
        rows, columns = np.nonzero(np.maximum(both.forward, both.backward) >= _LEAST)
        forward, backward = (
            np.round(each[rows, columns].astype(float), 4).tolist() for each in both
        )
        found = zip(rows.tolist(), columns.tolist(), forward, backward, strict=True)
        yield [list(each) for each in found]
