"""A text as words, and what was taken out of it: tags, spacing, capitals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rosewood.arguments import check_type
from rosewood.corpus.text.tag_placement import Tag
from rosewood.corpus.text.tokeniser import JOINER, Cut, unescaped
from rosewood.corpus.text.value_symbols import is_value_symbol, with_joiners_of
from rosewood.errors import TextError

_SHAPE = {"words": str, "joined": list, "tags": list, "values": list, "kept": list,
          "shouted": bool, "capital": bool}  # fmt: skip


@dataclass(frozen=True)
class Encoded:
    """The words of a text, and what is needed to restore it."""

    words: tuple[str, ...]
    spaced: tuple[bool, ...]  # white space right before each word, and behind the last
    tags: tuple[Tag, ...] = ()
    values: tuple[int, ...] = ()  # which words are values
    kept: tuple[str, ...] = ()  # the values as words, where symbols stand for them
    is_shouted: bool = False  # the text was all in capitals
    has_capital: bool = True  # it does not begin with a small letter

    @property
    def written(self) -> tuple[str, ...]:
        """The words with values in the places of their symbols."""
        return self.filled(self.words, {place: place for place in self.values})

    def filled(
        self, words: Sequence[str], places: Mapping[int, int] | None = None
    ) -> tuple[str, ...]:
        """Words of this text or of a translation, with values for symbols.

        `places` has the place of the value in this text for symbols of which it is known; the
        others get those that are left, in their order.
        """
        if not self.kept:
            return tuple(words)
        kept = dict(zip(self.values, self.kept, strict=True))
        known = {place: kept.pop(at) for place, at in (places or {}).items() if at in kept}
        left = iter(kept.values())
        made = list(words)
        for place, word in enumerate(words):
            if is_value_symbol(word):
                text = known[place] if place in known else next(left, None)
                made[place] = word if text is None else with_joiners_of(word, text)
        return tuple(made)

    def lost(self, words: Sequence[str]) -> list[str]:
        """The values of this text that are not among these words as often as here."""
        have = Counter(_bare(word) for word in words)
        want = Counter(_bare(self.written[place]) for place in self.values)
        return list((want - have).elements())

    def spaces_of(self, words: Sequence[str], by_rule: Sequence[bool]) -> list[bool]:
        """Whether a space goes before each of these words: as it was here, where that is known.

        It is known if the words are the same, and between a value and a word that stood beside it.
        """
        apart = spaces_between(self.spaced, self.tags)
        written = self.written
        if tuple(words) == written:
            return apart
        spaced = list(by_rule)
        known: dict[tuple[str, str], bool] = {}
        for place in {each for value in self.values for each in (value, value + 1)}:
            if 0 < place < len(written):
                known[written[place - 1], written[place]] = apart[place]
        if known:
            for place in range(1, len(words)):
                beside = (words[place - 1], words[place])
                spaced[place] = known.get(beside, spaced[place])
        return spaced

    def attached(self, links: Iterable[tuple[int, int]]) -> set[int]:
        """The places of a translation without a space before them, since a value and a word with
        letters, which they and the words before them are linked to, have none between them."""
        written = self.written
        apart = spaces_between(self.spaced, self.tags)
        here = {
            place for value in self.values for place in (value, value + 1)
            if 0 < place < len(written) and not apart[place]
            and _has_letters(written[place - 1]) and _has_letters(written[place])
        }  # fmt: skip
        if not here:
            return set()
        linked = set(links)
        return {j for i, j in linked if i in here and (i - 1, j - 1) in linked}

    def with_tags(
        self, tokens: Sequence[str], spaced: Sequence[bool], places: Sequence[Sequence[int]]
    ) -> str:
        """Running text: tokens, spaces, and the tags that go before each token."""
        here: list[list[int]] = [[] for _ in self.spaced]
        for number, tag in enumerate(self.tags):
            here[tag.place].append(number)
        parts: list[str] = []
        for place, numbers in enumerate(places):
            apart = 0 < place < len(tokens) and spaced[place]
            if numbers:
                parts.append(
                    self._between(sorted(numbers), numbers, here, place, len(tokens), apart)
                )
            elif apart:
                parts.append(" ")
            parts += tokens[place : place + 1]
        return "".join(parts)

    def _between(
        self,
        together: list[int],
        numbers: Sequence[int],
        here: Sequence[Sequence[int]],
        place: int,
        last: int,
        apart: bool,
    ) -> str:
        """Tags with the spaces among them: as they were, if they stood together and it fits."""
        before = self.tags[together[0]].place
        if here[before] == together:
            spaces = [self.tags[number].spaced for number in together]
            spaces.append(self.spaced[before])
            at_an_end = (place == 0 and before == 0) or (
                place == last and before == len(self.words)
            )
            if at_an_end or any(spaces) == apart:
                texts = [*(self.tags[number].text for number in together), ""]
                return "".join(
                    f" {text}" if space else text for space, text in zip(spaces, texts, strict=True)
                )
        closing = [self.tags[number].text for number in numbers if self._closes(number, numbers)]
        others = [self.tags[number].text for number in numbers if not self._closes(number, numbers)]
        return "".join([*closing, " " if apart else "", *others])

    def _closes(self, number: int, beside: Sequence[int]) -> bool:
        """Whether a tag closes before this place, and so belongs to the word on its left."""
        return self.tags[number].kind == "close" and self.tags[number].half not in beside

    def to_dict(self) -> dict[str, Any]:
        """A table for JSON."""
        return {
            "words": " ".join(self.words),
            "joined": [place for place, space in enumerate(self.spaced) if not space],
            "tags": [[tag.text, tag.kind, tag.place, tag.spaced, tag.half] for tag in self.tags],
            "values": list(self.values),
            "kept": list(self.kept),
            "shouted": self.is_shouted,
            "capital": self.has_capital,
        }

    @classmethod
    def from_dict(cls, table: Any) -> Encoded:
        """What `to_dict` gave; anything else is refused."""
        if isinstance(table, dict):
            table = {"kept": [], **table}  # which earlier releases did not write
        if not isinstance(table, dict) or set(table) != set(_SHAPE):
            raise _damaged(f"an encoded text is a table of {', '.join(_SHAPE)}", "table", table)
        for name, kind in _SHAPE.items():
            check_type(name, table[name], kind, kind.__name__, error=TextError)
        words = tuple(table["words"].split())
        joined = set(_places("joined", table["joined"], len(words) + 1))
        return cls(
            words,
            tuple(place not in joined for place in range(len(words) + 1)),
            _tags(table["tags"], len(words)),
            tuple(_places("values", table["values"], len(words))),
            _kept(table["kept"], len(table["values"])),
            table["shouted"],
            table["capital"],
        )


def spaces_between(spaced: Sequence[bool], tags: Sequence[Tag]) -> list[bool]:
    """Whether there is white space between each word and the one before it."""
    apart = list(spaced)
    for tag in tags:
        apart[tag.place] |= tag.spaced
    return apart


def _has_letters(word: str) -> bool:
    return any(map(str.isalpha, word))


def _bare(word: str) -> str:
    return unescaped(word.strip(JOINER))


def _places(name: str, places: list[Any], end: int) -> list[int]:
    if not all(type(place) is int and 0 <= place < end for place in places):
        raise _damaged(f"{name} of an encoded text are not all places in it", name, places)
    return places


def _kept(texts: list[Any], values: int) -> tuple[str, ...]:
    if not all(isinstance(text, str) for text in texts) or len(texts) not in (0, values):
        raise _damaged("kept of an encoded text is not a text for each value", "kept", texts)
    return tuple(texts)


def _damaged(reason: str, name: str, value: object = None) -> TextError:
    return TextError(reason, code="argument.value", argument=name, value=value)


def _tags(rows: list[Any], words: int) -> tuple[Tag, ...]:
    """Tags of a table: in order, and each half of a pair knows the other."""
    tags: list[Tag] = []
    for row in rows:
        shape = [type(each) for each in row] if isinstance(row, list) else []
        if shape not in ([str, str, int, bool, int], [str, str, int, bool, type(None)]):
            reason = "a tag of an encoded text is not [text, kind, place, spaced, half]"
            raise _damaged(reason, "tags", row)
        tags.append(Tag(*row))
    place = 0
    opened: list[int] = []
    for number, tag in enumerate(tags):
        if tag.kind not in ("open", "close") or not place <= tag.place <= words:
            reason = f"tag {tag.text[:40]!r} of an encoded text has no proper kind or place"
            raise _damaged(reason, "place", tag)
        place = tag.place
        if tag.half is None:
            continue
        if tag.kind == "open":
            opened.append(number)
        elif not opened or tag.half != opened[-1] or tags[opened.pop()].half != number:
            raise _damaged(f"tag {tag.text[:40]!r} of an encoded text has no other half", "half")
    if opened:
        raise _damaged("a tag of an encoded text has no other half", "half")
    return tuple(tags)


@dataclass
class Taken:
    """What is being taken out of a text, piece by piece."""

    tokens: list[str] = field(default_factory=list)
    spaced: list[bool] = field(default_factory=list)
    tags: list[Tag] = field(default_factory=list)
    values: list[int] = field(default_factory=list)
    pending: bool = False  # white space stands behind what was taken last

    def add_text(self, cut: Cut) -> None:
        """The tokens of a part without tags."""
        first, *others = cut.spaced
        self.pending |= first
        if cut.tokens:
            self.tokens += cut.tokens
            self.spaced += [self.pending, *others[:-1]]
            self.pending = others[-1]

    def add_value(self, text: str) -> None:
        """A value, as one token."""
        self.values.append(len(self.tokens))
        self.tokens.append(text)
        self.spaced.append(self.pending)
        self.pending = False

    def add_tag(self, text: str, kind: Any, half: int | None) -> None:
        """A tag, which is lifted out."""
        self.tags.append(Tag(text, kind, len(self.tokens), self.pending, half))
        self.pending = False
