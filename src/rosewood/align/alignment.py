"""Word alignments: of a corpus as flat arrays, of one sentence as a set of links.

    links = Links.of([{(0, 0), (1, 2)}, set()])     two sentences
    links[0]                                        Alignment: str() is "0-0 1-2"
    links[0].with_words("das haus", "the big house")

A link (i, j) joins source word i and target word j, both counted from zero, in every file and in
every direction of training.

Layout      sentence k has links (source[n], target[n]) for start[k] <= n < start[k+1], each once,
            sorted by source and then by target word
Native      core/align/links.hpp
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rosewood import _core
from rosewood.arguments import check_length
from rosewood.arrays import IdArray, LongArray, as_array
from rosewood.corpus.lines import split
from rosewood.disk_arrays import Growing
from rosewood.errors import AlignmentError

if TYPE_CHECKING:
    from rosewood.corpus import IndexedCorpus

Link = tuple[int, int]  # source word, target word


class GoldAlignment(NamedTuple):
    """A gold alignment of one sentence: sure links and possible links."""

    sure: frozenset[Link]
    possible: frozenset[Link]  # the sure ones among them


@dataclass(frozen=True)
class Alignment:
    """The links of one sentence pair, and its words where they are known.

    >>> str(Alignment.parse("1-2 0-0"))
    '0-0 1-2'
    """

    links: frozenset[Link]
    source: tuple[str, ...] | None = None
    target: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "links", frozenset((int(i), int(j)) for i, j in self.links))
        for name in ("source", "target"):
            words = getattr(self, name)
            if words is not None:
                words = split(words) if isinstance(words, str) else words
                object.__setattr__(self, name, tuple(words))
        for link in self.links:
            for what, words, place in zip(
                ("source", "target"), (self.source, self.target), link, strict=True
            ):
                if place < 0 or (words is not None and place >= len(words)):
                    told = "" if words is None else f": there are {len(words)} {what} words"
                    raise AlignmentError(
                        f"there is no link {link[0]}-{link[1]}{told}",
                        code="argument.range", argument="links", value=link,
                    )  # fmt: skip

    @classmethod
    def parse(cls, text: str) -> Alignment:
        """From a line such as `0-0 1-2`."""
        from rosewood.align.pharaoh import read_pharaoh

        (made,) = read_pharaoh([text])
        return made

    def with_words(self, source: str | Sequence[str], target: str | Sequence[str]) -> Alignment:
        """The same links between these words."""
        return Alignment(self.links, source, target)  # type: ignore[arg-type]  # strings are cut

    def transposed(self) -> Alignment:
        """The same links seen from the other language."""
        return Alignment(frozenset((j, i) for i, j in self.links), self.target, self.source)

    def __iter__(self) -> Iterator[Link]:
        return iter(sorted(self.links))

    def __len__(self) -> int:
        return len(self.links)

    def __contains__(self, link: object) -> bool:
        return link in self.links

    def __str__(self) -> str:
        return " ".join(f"{i}-{j}" for i, j in self)

    @property
    def shape(self) -> tuple[int, int]:
        """How many source and target words there are, or as many as the links tell of."""
        rows = 1 + max((i for i, _ in self.links), default=-1)
        columns = 1 + max((j for _, j in self.links), default=-1)
        return (
            rows if self.source is None else len(self.source),
            columns if self.target is None else len(self.target),
        )

    def matrix(self) -> NDArray[np.bool_]:
        """True where a source word (row) and a target word (column) are linked."""
        made = np.zeros(self.shape, dtype=bool)
        for i, j in self.links:
            made[i, j] = True
        return made

    def svg(self, *, gold: GoldAlignment | None = None, posterior: ArrayLike | None = None) -> str:
        """A picture: see `rosewood.align.draw.to_svg`."""
        from rosewood.align.draw import to_svg

        return to_svg(self, gold=gold, posterior=posterior)

    def html(self, *, gold: GoldAlignment | None = None, posterior: ArrayLike | None = None) -> str:
        """The picture for a page, in a frame that scrolls."""
        from rosewood.align.draw import to_html

        return to_html(self, gold=gold, posterior=posterior)

    def text(self, *, gold: GoldAlignment | None = None) -> str:
        """The matrix for a terminal: see `rosewood.align.draw.to_text`."""
        from rosewood.align.draw import to_text

        return to_text(self, gold=gold)

    def _repr_html_(self) -> str:
        return self.html()


@dataclass(frozen=True, eq=False)
class Links(Sequence[Alignment]):
    """The links of many sentences; immutable, checked when it is made."""

    start: LongArray
    source: IdArray
    target: IdArray
    view: _core.LinksView = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "start", as_array("start", self.start, np.int64))
        object.__setattr__(self, "source", as_array("source", self.source, np.int32))
        object.__setattr__(self, "target", as_array("target", self.target, np.int32))
        object.__setattr__(self, "view", _core.LinksView(self.start, self.source, self.target))

    @classmethod
    def of(cls, sentences: Iterable[Iterable[Link]]) -> Links:
        """From the links of each sentence, in any order; repeated links count once."""
        rows = [sorted(set(map(tuple, each))) for each in sentences]
        start = np.cumsum([0, *map(len, rows)], dtype=np.int64)
        flat: NDArray[Any] = np.array(list(chain.from_iterable(rows)), np.int64).reshape(-1, 2)
        return cls(start, flat[:, 0], flat[:, 1])

    @classmethod
    def sorted(cls, start: ArrayLike, source: ArrayLike, target: ArrayLike) -> Links:
        """From arrays whose links are in any order within their sentences."""
        begins = as_array("start", start, np.int64)
        sources = as_array("source", source, np.int32)
        targets = as_array("target", target, np.int32)
        order = sorting_order(begins, sources, targets)
        return cls(begins, sources[order], targets[order])

    @classmethod
    def from_choices(cls, choice: IdArray, start: LongArray, *, of: str) -> Links:
        """From words `of` the source or the target that chose at most one of the other side each.

        Sentence k's words are start[k] .. start[k+1]; -1 stands for no choice.
        """
        return cls(*_core.links_from_choices(choice, start, of == "target"))

    def __len__(self) -> int:
        return len(self.start) - 1

    @overload
    def __getitem__(self, index: int) -> Alignment: ...
    @overload
    def __getitem__(self, index: slice) -> Links: ...
    def __getitem__(self, index: int | slice) -> Alignment | Links:
        if isinstance(index, slice):
            first, end, step = index.indices(len(self))
            if step != 1:
                reason = f"sentences are taken one by one, not in steps of {step}"
                raise AlignmentError(reason, code="argument.value", argument="index", value=step)
            end = max(first, end)
            inside = slice(self.start[first], self.start[end])
            begins = self.start[first : end + 1] - self.start[first]
            return Links(begins, self.source[inside], self.target[inside])
        number = range(len(self))[index]
        inside = slice(self.start[number], self.start[number + 1])
        pairs = zip(self.source[inside].tolist(), self.target[inside].tolist(), strict=True)
        return Alignment(frozenset(pairs))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Links):
            return NotImplemented
        return all(
            np.array_equal(getattr(self, name), getattr(other, name))
            for name in ("start", "source", "target")
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Links({len(self):,} sentences, {len(self.source):,} links)"

    def __reduce__(self) -> tuple[object, ...]:
        return (Links, (self.start, self.source, self.target))

    @property
    def counts(self) -> LongArray:
        """How many links each sentence has."""
        return np.diff(self.start)

    def transposed(self) -> Links:
        """The same links seen from the other language."""
        return Links.sorted(self.start, self.target, self.source)

    def sentence(self, number: int, corpus: IndexedCorpus) -> Alignment:
        """The links of a sentence between its words."""
        check_length("corpus", corpus, len(self), "sentence with links", error=AlignmentError)
        return self[number].with_words(corpus.source.words(number), corpus.target.words(number))

    def beyond(
        self, source_lengths: ArrayLike, target_lengths: ArrayLike
    ) -> tuple[int, str] | None:
        """The first sentence with a link beyond its words, and the reason."""
        for what, places, lengths in (
            ("source", self.source, as_array("lengths", source_lengths, np.int64)),
            ("target", self.target, as_array("lengths", target_lengths, np.int64)),
        ):
            check_length(what, lengths, len(self), "sentence with links", error=AlignmentError)
            bad = np.flatnonzero(places >= np.repeat(lengths, self.counts))
            if len(bad):
                n = bad[0]
                k = int(np.searchsorted(self.start, n, side="right")) - 1
                link = f"{self.source[n]}-{self.target[n]}"
                return k, f"the link {link} is beyond the {lengths[k]} words of the {what}"
        return None


class GrowingLinks:
    """Links of more and more sentences, which need not fit into memory."""

    def __init__(self) -> None:
        self._start = Growing(np.int64)
        self._source, self._target = Growing(np.int32), Growing(np.int32)
        self._start.append(np.zeros(1, np.int64))
        self._count = 0

    def append(self, links: Links) -> None:
        """Those of the next sentences."""
        self._start.append(links.start[1:] + self._count)
        self._source.append(links.source)
        self._target.append(links.target)
        self._count += len(links.source)

    def links(self) -> Links:
        """Those of all sentences."""
        return Links(self._start.array(), self._source.array(), self._target.array())


def sorting_order(start: LongArray, source: IdArray, target: IdArray) -> LongArray:
    """The numbers of the links in the order in which they are to stand."""
    lengths = np.diff(start)
    if len(start) == 0 or start[0] != 0 or (lengths < 0).any() or len(source) != start[-1]:
        reason = f"start must ascend from 0 to {len(source)}, the number of links"
        raise AlignmentError(reason, code="argument.value", argument="start", value=start)
    check_length("target", target, len(source), "source word", error=AlignmentError)
    sentence = np.repeat(np.arange(len(lengths)), lengths)
    return np.lexsort((target, source, sentence))
