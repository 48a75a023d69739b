"""Rules of one aligned sentence pair, by definition: everything there could be is tried.

A box is (source begin, source end, target begin, target end); links are pairs of places.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import combinations, pairwise
from typing import NamedTuple

Box = tuple[int, int, int, int]
Link = tuple[int, int]

MONOTONE, SWAP, LEFT, RIGHT = range(4)


class Sentence(NamedTuple):
    """How many words there are on both sides, and which are linked."""

    sources: int
    targets: int
    links: frozenset[Link]

    def inside(self, box: Box) -> set[Link]:
        """Links both of whose words are in the box."""
        return {(i, j) for i, j in self.links if box[0] <= i < box[1] and box[2] <= j < box[3]}


def spans(length: int, longest: int) -> Iterator[tuple[int, int]]:
    """All parts of a sentence of one word or more."""
    for begin in range(length):
        for end in range(begin + 1, min(length, begin + longest) + 1):
            yield begin, end


@lru_cache(maxsize=16)  # orientations ask for the same ones again and again
def phrase_pairs(sentence: Sentence, max_source: int, max_target: int) -> tuple[Box, ...]:
    """Boxes with a link inside, and none that leaves them."""
    boxes = (
        (*source, *target)
        for target in spans(sentence.targets, max_target)
        for source in spans(sentence.sources, max_source)
    )
    return tuple(box for box in boxes if is_consistent(sentence, box))


def is_consistent(sentence: Sentence, box: Box) -> bool:
    """Whether there are links in the box, and none with one word in it and one outside."""
    first, last, low, high = box
    has_links = False
    for i, j in sentence.links:
        is_in = first <= i < last
        if is_in != (low <= j < high):
            return False
        has_links |= is_in
    return has_links


# -- rules with gaps -------------------------------------------------------------------------------


class GappedRule(NamedTuple):
    outer: Box
    gaps: tuple[Box, ...]  # in the order of the source
    share: int  # it counts 1 / share: how many rules come from the same initial phrase pair


def are_apart(one: Box, other: Box) -> bool:
    """Whether neither side of two boxes has a word in common."""
    return (one[1] <= other[0] or other[1] <= one[0]) and (one[3] <= other[2] or other[3] <= one[2])


def gapped_rules(
    sentence: Sentence,
    *,
    max_source: int = 10,
    max_target: int = 10,
    max_symbols: int = 5,
    max_gaps: int = 2,
    min_gap_source: int = 1,
    min_gap_target: int = 1,
    allow_adjacent: bool = False,
    need_link: bool = True,
    tight: bool = True,
    tight_gaps: bool = False,
    whole_counts: bool = False,
) -> list[GappedRule]:
    """Each initial phrase pair, with every choice of smaller ones taken out of it that is allowed.

    Chiang (2007), section 3; the constraints have his numbers there.
    """
    initial = list(phrase_pairs(sentence, max_source, max_target))  # 2
    by_links: dict[frozenset[Link], list[Box]] = {}
    for box in initial:
        by_links.setdefault(frozenset(sentence.inside(box)), []).append(box)
    smallest = [min(same, key=size) for same in by_links.values()]
    if tight:  # 1: of those with the same links only the smallest
        initial = smallest
    links_of = {box: sentence.inside(box) for box in initial}
    rules = []
    for outer in initial:
        inside = [
            box
            for box in (smallest if tight_gaps else initial)
            if outer[0] <= box[0] <= box[1] <= outer[1]
            and outer[2] <= box[2] <= box[3] <= outer[3]
            and box[1] - box[0] >= min_gap_source
            and box[3] - box[2] >= min_gap_target
        ]
        allowed = []
        for number in range(max_gaps + 1):  # 4
            for chosen in combinations(sorted(inside), number):
                if not all(are_apart(*pair) for pair in combinations(chosen, 2)):
                    continue
                symbols = source_symbols(outer, chosen)
                if len(symbols) > max_symbols or symbols == [None]:  # 3
                    continue
                if not allow_adjacent and (None, None) in pairwise(symbols):
                    continue  # 5
                linked = links_of[outer].difference(*map(links_of.get, chosen))
                if need_link and not linked:  # 6
                    continue
                allowed.append(chosen)
        share = 1 if whole_counts else len(allowed)
        rules += [GappedRule(outer, gaps, share) for gaps in allowed]
    return rules


def size(box: Box) -> int:
    return box[1] - box[0] + box[3] - box[2]


def source_symbols(outer: Box, gaps: Iterable[Box]) -> list[int | None]:
    """The places of the words of a rule's source, None for gaps."""
    begins = {gap[0] for gap in gaps}
    covered = {place for gap in gaps for place in range(*gap[:2])}
    symbols: list[int | None] = []
    for place in range(*outer[:2]):
        if place in begins:
            symbols.append(None)
        elif place not in covered:
            symbols.append(place)
    return symbols


# -- orientations ----------------------------------------------------------------------------------


def orientation(
    sentence: Sentence,
    box: Box,
    kind: str,
    direction: str,
    max_phrase: int,
    *,
    as_moses: bool = False,
) -> int:
    """How the source goes on from one target phrase to the next.

    `as_moses` is what Moses's extract does: by phrases it takes no notice of the last source word
    when it tells left from right, and forward it looks for phrases that end with the next target
    word, where they begin with it.
    """
    if direction == "forward" and not as_moses:
        return orientation(
            turned(sentence), turned_box(sentence, box), kind, "backward", max_phrase
        )
    begin, end = box[:2]
    is_back = direction == "backward"
    target = box[2] - 1 if is_back else box[3]
    near, far = linked(sentence, begin - 1, target), linked(sentence, end, target)
    if not is_back:
        near, far = far, near
    if near and not far:
        return MONOTONE
    if kind == "word":
        if far and not near:
            return SWAP
        return by_word(sentence, box, target, is_back=is_back)
    longest = max_phrase if kind == "phrase" else max(sentence[:2])
    neighbours = [b for b in phrase_pairs(sentence, longest, longest) if b[3] == target + 1]
    begins, ends = {b[0] for b in neighbours}, {b[1] for b in neighbours}
    touches_before, touches_behind = begin in ends, end in begins
    if touches_before if is_back else touches_behind:
        return MONOTONE
    if (far and not near) or (touches_behind if is_back else touches_before):
        return SWAP
    looked_at = sentence.sources - 1 if as_moses else sentence.sources
    is_before = any(e < begin for e in ends)
    is_behind = any(end < b < looked_at for b in begins)
    on_the_right, on_the_left = (is_before, is_behind) if is_back else (is_behind, is_before)
    return LEFT if on_the_left and not on_the_right else RIGHT


def gap(sentence: Sentence, box: Box, direction: str) -> int:
    """Source words between a phrase pair and the words linked to the target word beside it."""
    target = box[2] - 1 if direction == "backward" else box[3]
    if target < 0:
        return box[0]
    if target >= sentence.targets:
        return sentence.sources - box[1]
    places = [i for i, j in sentence.links if j == target]
    if not places:
        return 0
    return max(0, min(places) - box[1], box[0] - max(places) - 1)


def class_of(classes: str, orientation: int, gap: int) -> int:
    """The class of an orientation: discontinuous ones are one, two, or six by distance."""
    if classes == "msd":
        return min(orientation, 2)
    if classes == "mslr" or orientation < 2:
        return orientation
    return {LEFT: 2, RIGHT: 5}[orientation] + (gap > 2) + (gap > 6)


def by_word(sentence: Sentence, box: Box, target: int, *, is_back: bool) -> int:
    """To the left if all links of the target word say so."""
    places = [i for i, j in sentence.links if j == target]
    if is_back:
        return LEFT if places and all(i > box[1] for i in places) else RIGHT
    return LEFT if places and all(i < box[0] - 1 for i in places) else RIGHT


def linked(sentence: Sentence, source: int, target: int) -> bool:
    """Links, and one more at each end: the sentences begin and end together."""
    ends = (-1, -1), (sentence.sources, sentence.targets)
    return (source, target) in sentence.links or (source, target) in ends


@lru_cache(maxsize=16)
def turned(sentence: Sentence) -> Sentence:
    """The sentence pair read from its end: what was behind is before."""
    sources, targets, links = sentence
    return Sentence(
        sources, targets, frozenset((sources - 1 - i, targets - 1 - j) for i, j in links)
    )


def turned_box(sentence: Sentence, box: Box) -> Box:
    """A box of the sentence pair read from its end."""
    sources, targets, _ = sentence
    return sources - box[1], sources - box[0], targets - box[3], targets - box[2]
