"""What a fuzzy match tells the search: translations of the parts that are the same.

After Koehn & Senellart (2010), "Convergence of Translation Memory and Statistical Machine
Translation": the text and the source of the match are compared word by word; words of the match's
translation that are linked only to words that differ are cut out, all others are kept for the
words that are the same; the search translates the rest.  They fix the order of all parts as it is
in the translation of the match; here parts are phrases that the decoder may move like others.

A part is a run of equal words whose translation is one run of words that no other word is linked
to.  Words without links belong to the part beside them, unless a tag is there.  A part is one
phrase of the derivation: where its words are linked is not known afterwards.  So parts end at the
tags of a text, which go around the translations of their words.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence

from rosewood.corpus.text.value_symbols import is_value_symbol
from rosewood.decode.decoder import Decoder
from rosewood.decode.source import Forced, Source

Links = Iterable[tuple[int, int]]
Words = Sequence[str]


def equal_words(one: Words, other: Words) -> list[tuple[int, int]]:
    """The places of words that stay where one text is edited into another in the fewest steps."""
    costs = [list(range(len(other) + 1))]
    for number, word in enumerate(one, 1):
        above = costs[-1]
        row = [number]
        for place, own in enumerate(other):
            row.append(min(above[place] + (word != own), above[place + 1] + 1, row[place] + 1))
        costs.append(row)
    found = []
    i, j = len(one), len(other)
    while i and j:
        if one[i - 1] == other[j - 1] and costs[i][j] == costs[i - 1][j - 1]:
            i, j = i - 1, j - 1
            found.append((i, j))
        elif costs[i][j] == costs[i - 1][j - 1] + 1:
            i, j = i - 1, j - 1
        elif costs[i][j] == costs[i - 1][j] + 1:
            i -= 1
        else:
            j -= 1
    return found[::-1]


def matching_parts(
    words: Words,
    source: Words,
    target: Words,
    links: Links,
    *,
    taken: Collection[int] = frozenset(),
    cuts: Collection[int] = frozenset(),
    exclusive: bool = False,
    least: int = 2,
) -> list[Forced]:
    """The parts of a text that a match translates, as words of the text and their translation.

    `source` and `target` are the words of the match, `links` lead from one to the other.  No part
    has words in `taken`, or fewer than `least` words, or goes on at a place in `cuts`.  With
    `exclusive` nothing else may translate its words; without, it is preferred to rules, which pay
    for their probabilities.
    """
    parts = _Parts(source, target, links)
    found: list[Forced] = []
    for begin, end, shift in _runs(equal_words(words, source), taken, cuts):
        while begin < end:
            for last in range(end, begin + least - 1, -1):
                is_tagged = begin in cuts or last in cuts
                span = parts.translation(begin + shift, last + shift, widen=not is_tagged)
                if span is not None:
                    parts.use(*span)
                    found.append(Forced(begin, last, (tuple(target[slice(*span)]),), exclusive))
                    begin = last
                    break
            else:
                begin += 1
    return found


def _runs(
    equal: list[tuple[int, int]], taken: Collection[int], cuts: Collection[int]
) -> Iterable[tuple[int, int, int]]:
    """Runs of equal words: where they begin and end, and how far they are off in the match."""
    run: list[int] = []
    for i, j in equal:
        if i in taken:
            continue
        if run and i not in cuts and (i, j - i) == (run[1], run[2]):
            run[1] += 1
        else:
            if run:
                yield run[0], run[1], run[2]
            run = [i, i + 1, j - i]
    if run:
        yield run[0], run[1], run[2]


class _Parts:
    """The words of a match's translation, as far as they are not used."""

    def __init__(self, source: Words, target: Words, links: Links) -> None:
        self._targets: dict[int, list[int]] = defaultdict(list)
        self._sources: dict[int, list[int]] = defaultdict(list)
        for i, j in links:
            self._targets[i].append(j)
            self._sources[j].append(i)
        self._used = [False] * len(target)
        self._is_value = [list(map(is_value_symbol, each)) for each in (source, target)]

    def translation(self, begin: int, end: int, *, widen: bool) -> tuple[int, int] | None:
        """The words that translate these of the source, and nothing else; None if there are none.

        With `widen`, words without links beside them are among them.

        Values would be mixed up where a part has several, so it may have one on each side.
        """
        linked = [j for i in range(begin, end) for j in self._targets[i]]
        if not linked or not self._targets[begin] or not self._targets[end - 1]:
            return None
        first, last = min(linked), max(linked) + 1
        inside = range(begin, end)
        if any(i not in inside for j in range(first, last) for i in self._sources[j]):
            return None
        if any(self._used[first:last]):
            return None
        while widen and last < len(self._used) and self._is_free(last):
            last += 1
        while widen and first > 0 and self._is_free(first - 1):
            first -= 1
        values = sum(self._is_value[0][begin:end]), sum(self._is_value[1][first:last])
        return (first, last) if values in ((0, 0), (1, 1)) else None

    def use(self, first: int, last: int) -> None:
        """Words that belong to a part."""
        self._used[first:last] = [True] * (last - first)

    def _is_free(self, place: int) -> bool:
        return not self._sources[place] and not self._used[place]


class MemoryAligner:
    """Word links of sentences of a memory, by which the parts of a match are found.

    They are those of the rules that derive the translation.  Where the decoder cannot derive it,
    words are linked one by one, those that go best together first, by the counts of rules of single
    words.
    """

    def __init__(self, decoder: Decoder) -> None:
        self._decoder = decoder

    def guided(
        self,
        words: Words,
        source: Words,
        target: Words,
        forced: Sequence[Forced],
        cuts: Collection[int] = frozenset(),
    ) -> list[Forced]:
        """What is forced in a text, and the parts of it that a match translates.

        No part goes on over places in `cuts`, where there are tags before a word.
        What was forced before stays, but for values: those within parts are no longer alone.
        """
        values = {
            (each.begin, each.end) for each in forced
            if each.end == each.begin + 1 and is_value_symbol(words[each.begin])
        }  # fmt: skip
        taken = {
            place for each in forced if (each.begin, each.end) not in values
            for place in range(each.begin, each.end)
        }  # fmt: skip
        links = self.links(source, target)
        parts = matching_parts(words, source, target, links, taken=taken, cuts=cuts)
        covered = {place for each in parts for place in range(each.begin, each.end)}
        return [each for each in forced if each.begin not in covered] + parts

    def links(self, source: Words, target: Words) -> list[tuple[int, int]]:
        """Places of source words and of target words, from 0."""
        sentence = Source(tuple(source), reference=tuple(target))
        (found,) = self._decoder.translate([sentence])
        if found.report.reachable and found.words == tuple(target):
            return list(found.links)
        return self._one_by_one(source, target)

    def _one_by_one(self, source: Words, target: Words) -> list[tuple[int, int]]:
        table = getattr(self._decoder, "table", None)
        if table is None:
            return []
        places: dict[str, list[int]] = defaultdict(list)
        for j, word in enumerate(target):
            places[word].append(j)
        ratio = len(target) / max(1, len(source))
        scored = []
        for i, word in enumerate(source):
            for rule in table.lookup((word,)):
                if len(rule.target) != 1 or str(rule.target[0]) not in places:
                    continue
                seen = rule.source_count + rule.target_count - rule.count
                likeness = rule.count / seen if seen > 0 else 0.0
                for j in places[str(rule.target[0])]:
                    scored.append((-likeness, abs(i * ratio - j), i, j))
        found: list[tuple[int, int]] = []
        sources: set[int] = set()
        targets: set[int] = set()
        for _, _, i, j in sorted(scored):
            if i not in sources and j not in targets:
                sources.add(i)
                targets.add(j)
                found.append((i, j))
        return sorted(found)
