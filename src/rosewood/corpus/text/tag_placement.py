"""Where lifted tags go in a translation, by its word alignment.

A pair of tags goes around the translation of the words between it: from the first word aligned to
them to the last.  Pairs stay nested as they were; where the words of two pairs beside each other
are mixed up, the later one gets the free stretch that holds most of its words.  A tag that is alone
goes where its neighbour went.  Whatever the alignment, each tag comes back exactly once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from rosewood.corpus.text.tags import Kind
from rosewood.errors import TextError

Alignment = Iterable[tuple[int, int]]  # source word, target word


@dataclass(frozen=True)
class Tag:
    """A tag that was lifted out of a text."""

    text: str
    kind: Kind
    place: int  # it stands before this word
    spaced: bool  # white space stands before it
    half: int | None  # the number of the tag it makes a pair with


@dataclass
class _Pair:
    """The words between two tags, here and in the translation."""

    first: int
    last: int  # one behind
    start: int = 0
    end: int = 0
    within: list[tuple[int, int]] = field(default_factory=list)  # taken by pairs inside it


def place_tags(
    tags: Sequence[Tag], source: int, target: int, alignment: Alignment | None
) -> list[list[int]]:
    """The numbers of the tags that go before each target word, and behind the last, in order.

    `source` and `target` are numbers of words.  Without an alignment words are taken to stand in
    the same order.
    """
    links = _links(source, target, alignment)
    here: list[list[tuple[int, int]]] = [[] for _ in range(target + 1)]  # (rank, tag)
    around = [_Pair(0, source, 0, target)]
    closing: list[int] = []  # the tags that close what we are in
    for number, tag in enumerate(tags):
        if closing and closing[-1] == number:
            closing.pop()
            around.pop()
        elif tag.half is None:
            lean = tag.kind == "close"
            here[_near(links, tag.place, target, lean)].append((0 if lean else 2, number))
        elif tag.half > number:
            pair = _Pair(tag.place, tags[tag.half].place)
            _place(pair, around[-1], links, target)
            empty = pair.start == pair.end
            here[pair.start].append((1 if empty else 2, number))
            here[pair.end].append((1 if empty else 0, tag.half))
            around.append(pair)
            closing.append(tag.half)
    return [[number for _, number in sorted(each)] for each in here]


def _links(source: int, target: int, alignment: Alignment | None) -> list[list[int]]:
    """The target words of each source word, in order."""
    found: list[set[int]] = [set() for _ in range(source)]
    if alignment is None:
        if source and target:
            for i in range(source):
                found[i].add(i * target // source)
            for j in range(target):
                found[j * source // target].add(j)
    else:
        for i, j in alignment:
            if not (0 <= i < source and 0 <= j < target):
                reason = f"the alignment links {i}-{j}, but there are {source} and {target} words"
                raise TextError(reason, code="argument.range", argument="alignment", value=(i, j))
            found[i].add(j)
    return [sorted(each) for each in found]


def _near(links: Sequence[Sequence[int]], place: int, target: int, behind: bool) -> int:
    """The place in the target of a place between source words: beside the nearest aligned word."""
    for distance in range(len(links) + 1):
        sides = [(place + distance, False), (place - 1 - distance, True)]
        for word, is_before in reversed(sides) if behind else sides:
            if 0 <= word < len(links) and links[word]:
                return links[word][-1] + 1 if is_before else links[word][0]
    return 0 if place == 0 else target


def _place(pair: _Pair, parent: _Pair, links: Sequence[Sequence[int]], target: int) -> None:
    """Sets where the pair starts and ends in the target."""
    if (pair.first, pair.last) == (parent.first, parent.last):
        pair.start, pair.end = parent.start, parent.end
    else:
        words = {j for i in range(pair.first, pair.last) for j in links[i]}
        best: list[int] = []
        for start, end in _free(parent):
            inside = [j for j in words if start <= j < end]
            if len(inside) > len(best):
                best = inside
        if best:
            pair.start, pair.end = min(best), max(best) + 1
        else:
            place = _near(links, pair.first, target, behind=False)
            place = min(max(place, parent.start), parent.end)
            for start, end in parent.within:
                if start < place < end:
                    place = end
            pair.start = pair.end = place
    if pair.start < pair.end:
        parent.within.append((pair.start, pair.end))


def _free(parent: _Pair) -> list[tuple[int, int]]:
    """The stretches within a pair that no other pair in it has taken."""
    free: list[tuple[int, int]] = []
    place = parent.start
    for start, end in sorted(parent.within):
        free.append((place, start))
        place = end
    return [*free, (place, parent.end)]
