"""Truecasing: the first word of a sentence gets the form it has elsewhere.

    truecaser = Truecaser.learn(sentences)         # each a list of words
    truecaser.apply(["Der", "Hund", "bellt", "."])     # der Hund bellt .
    recased(["der", "Hund", "bellt", "."])             # Der Hund bellt .

Forms are counted where their capitals mean something: not at the start of a sentence, and not in
a sentence that is all in capitals.  At the start, a word that is a capital and then small letters
becomes the form that was counted most; a word that was never counted stays as it is.

Of words with several forms (Essen, essen) the rarer ones are kept, too, and the words that stand
beside each form: `casing.py` chooses by them in text whose capitals are lost.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from rosewood.arguments import check_text, check_type, check_whole
from rosewood.errors import TextError

_ENDS = frozenset({".", "!", "?", "。", "！", "？", "।", "؟"})
_MAYBE_ENDS = _ENDS | {":", "...", "…", "!!", "!!!", "??", "???"}
_CLOSING = frozenset("\"'”’“‘»«)]")  # what may close a quotation in some language
_OPENING = frozenset("\"'„“‚‘«»‹›")  # and what may open one
_ABOVE = str.maketrans({"I": "ı", "İ": "i"})
_BELOW = str.maketrans({"ı": "I", "i": "İ"})
_EDGE = ""  # the neighbour of the first and of the last word
_BLOCK = 10_000  # sentences in which a word must have two forms for its neighbours to count
_RARE, _RARE_BESIDE = 1000, 100  # a form rarer than one in so many is not kept; has no neighbours
_NEIGHBOURS = 100  # of a form on a side, the most frequent

Plain = tuple[dict[str, int], dict[tuple[str, str], int], dict[tuple[str, str], int]]


@dataclass
class CaseCounts:
    """How often each form of a word occurs, and how often with which neighbours.

    Neighbours are in small letters.  They are counted of words that have several forms within a
    block of sentences, which are few, so memory is for distinct words, not for the text.
    """

    forms: Counter[str] = field(default_factory=Counter)
    before: Counter[tuple[str, str]] = field(default_factory=Counter)  # of a form and its neighbour
    after: Counter[tuple[str, str]] = field(default_factory=Counter)

    @classmethod
    def of(
        cls, sentences: Iterable[Sequence[str]], language: str = "", *, neighbours: bool = True
    ) -> CaseCounts:
        """The counts of sentences as they come by, each a list of words."""
        counts = cls()
        rest = iter(sentences)
        while block := list(islice(rest, _BLOCK)):
            forms = count_forms(block)
            counts.forms.update(forms)
            if neighbours:
                counts._add_neighbours(block, _with_several(forms, language), language)
        return counts

    def _add_neighbours(
        self, block: Sequence[Sequence[str]], several: set[str], language: str
    ) -> None:
        for words in block:
            if several.isdisjoint(words) or is_shouted(words):
                continue
            starts = set(sentence_starts(words, _MAYBE_ENDS))
            for place, word in enumerate(words):
                if word in several and place not in starts:
                    before, after = neighbours_of(words, place)
                    self.before[word, lowered(before, language)] += 1
                    self.after[word, lowered(after, language)] += 1

    def update(self, other: CaseCounts) -> None:
        """Add the counts of another part of a text."""
        self.forms.update(other.forms)
        self.before.update(other.before)
        self.after.update(other.after)

    def to_plain(self) -> Plain:
        """Plain values, which can be stored."""
        return dict(self.forms), dict(self.before), dict(self.after)

    @classmethod
    def from_plain(cls, plain: Plain) -> CaseCounts:
        """What `to_plain` gave."""
        forms, before, after = plain
        return cls(Counter(forms), Counter(before), Counter(after))


def neighbours_of(words: Sequence[str], place: int) -> tuple[str, str]:
    """The words beside a word; where there is none, an empty text."""
    before = words[place - 1] if place else _EDGE
    return before, words[place + 1] if place + 1 < len(words) else _EDGE


def _with_several(forms: Iterable[str], language: str) -> set[str]:
    """The forms of words that have several."""
    first: dict[str, str] = {}
    several: set[str] = set()
    for form in forms:
        other = first.setdefault(lowered(form, language), form)
        if other != form:
            several |= {other, form}
    return several


@dataclass(frozen=True)
class Truecaser:
    """The most frequent form of each word, and how often it was counted.

    `others` are rarer forms of the same words; None: they were not counted, in files of earlier
    releases.  `before` and `after` have the neighbours of forms of words that have several.
    """

    forms: Mapping[str, int]
    language: str = ""
    others: Mapping[str, int] | None = field(default_factory=dict)
    before: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    after: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    best: Mapping[str, str] = field(init=False, repr=False, compare=False)  # by small letters

    def __post_init__(self) -> None:
        best: dict[str, str] = {}
        _check_counts("forms", self.forms)
        for form in self.forms:
            key = lowered(form, self.language)
            if key in best:
                reason = f"a truecaser has two forms of {key!r}"
                raise TextError(reason, code="argument.duplicate", argument="forms", value=key)
            best[key] = form
        _check_counts("others", self.others or {})
        for form in self.others or {}:
            if best.get(lowered(form, self.language), form) == form:
                reason = f"a truecaser has the other form {form!r} of a word, but no most frequent"
                raise TextError(reason, code="argument.value", argument="others", value=form)
        for name, beside in (("before", self.before), ("after", self.after)):
            for form, counts in beside.items():
                check_type(name, counts, Mapping, "a table of tables", error=TextError)
                _check_counts(name, counts)
                if form not in self.forms and form not in (self.others or {}):
                    reason = f"a truecaser has neighbours of {form!r}, but no such form"
                    raise TextError(reason, code="argument.value", argument=name, value=form)
        object.__setattr__(self, "best", best)

    @classmethod
    def learn(
        cls, sentences: Iterable[Sequence[str]], *, language: str = "", least: int = 1
    ) -> Truecaser:
        """Counts the words of sentences as they come by; forms of fewer than `least` are left out.

        Memory is for the distinct words, not for the sentences.
        """
        return cls.from_counts(CaseCounts.of(sentences, language), language=language, least=least)

    @classmethod
    def from_counts(cls, counts: CaseCounts, *, language: str = "", least: int = 1) -> Truecaser:
        """What `learn` makes of the counts of all forms; counts of parts of a text add up."""
        check_whole("least", least, low=1, error=TextError)
        best: dict[str, str] = {}
        total: Counter[str] = Counter()
        for form, count in counts.forms.items():
            key = lowered(form, language)
            total[key] += count
            other = best.setdefault(key, form)
            if (count, form) > (counts.forms[other], other):  # small letters win a tie: they
                best[key] = form  # are last
        chosen = {form for form in best.values() if counts.forms[form] >= least}
        rarer: dict[str, int] = {}
        for form in sorted(counts.forms):
            key, count = lowered(form, language), counts.forms[form]
            is_other = form != best[key] and best[key] in chosen
            if is_other and count >= max(least, total[key] / _RARE):
                rarer[form] = count
        several: set[str] = set()
        for form, count in rarer.items():
            key = lowered(form, language)
            if count * _RARE_BESIDE >= total[key]:
                several |= {form, best[key]}
        return cls(
            {form: counts.forms[form] for form in sorted(chosen)},
            language,
            rarer,
            _beside(several, counts.before),
            _beside(several, counts.after),
        )

    def apply(self, words: Sequence[str]) -> list[str]:
        """The words with sentence starts as they are written elsewhere.

        A sentence all in capitals gets its words as they are written elsewhere, or small.
        """
        if is_shouted(words):
            best, language = self.best, self.language
            small = [lowered(word, language) for word in words]
            return [best.get(word, word) for word in small]
        out = list(words)
        for place in sentence_starts(words, _MAYBE_ENDS):
            word = words[place]
            if word[1:].islower() or len(word) == 1:
                out[place] = self.best.get(lowered(word, self.language), word)
        return out

    def to_dict(self) -> dict[str, Any]:
        """A table for JSON."""
        return {
            "language": self.language,
            "forms": dict(self.forms),
            "others": None if self.others is None else dict(self.others),
            "before": {form: dict(counts) for form, counts in self.before.items()},
            "after": {form: dict(counts) for form, counts in self.after.items()},
        }

    @classmethod
    def from_dict(cls, table: Any) -> Truecaser:
        """What `to_dict` gave, in this release or an earlier one; anything else is refused."""
        if isinstance(table, dict):
            table = {**_BEFORE_NEIGHBOURS, **table}
        if not isinstance(table, dict) or set(table) != {"language", "forms", *_BEFORE_NEIGHBOURS}:
            reason = "a truecaser is a table of language and forms"
            raise TextError(reason, code="argument.value", argument="truecaser", value=table)
        check_text("language", table["language"], error=TextError)
        for name in ("forms", "others", "before", "after"):
            kind = dict | None if name == "others" else dict
            check_type(name, table[name], kind, "a table", error=TextError)
        return cls(**table)


_BEFORE_NEIGHBOURS: dict[str, Any] = {
    "others": None,
    "before": {},
    "after": {},
}  # files of earlier releases


def _check_counts(name: str, counts: Mapping[str, int]) -> None:
    for form, count in counts.items():
        if not isinstance(form, str) or type(count) is not int or count < 1:
            raise TextError(
                f"{name} of a truecaser have {form!r}, counted {count!r} times",
                code="argument.value", argument=name, value={form: count},
            )  # fmt: skip


def _beside(forms: set[str], pairs: Counter[tuple[str, str]]) -> dict[str, dict[str, int]]:
    """The most frequent neighbours of each of these forms."""
    found: dict[str, list[tuple[int, str]]] = {}
    for (form, word), count in pairs.items():
        if form in forms:
            found.setdefault(form, []).append((-count, word))
    return {
        form: {word: -count for count, word in sorted(sorted(found[form])[:_NEIGHBOURS])}
        for form in sorted(found)
    }


def count_forms(sentences: Iterable[Sequence[str]]) -> Counter[str]:
    """How often each form of a word occurs where its capitals mean something."""
    counts: Counter[str] = Counter()
    for words in sentences:
        if is_shouted(words):
            continue
        starts = set(sentence_starts(words, _MAYBE_ENDS))
        counts.update(
            word
            for place, word in enumerate(words)
            if place not in starts and word.upper() != word.lower()
        )
    return counts


def sentence_starts(words: Sequence[str], ends: frozenset[str] = _ENDS) -> list[int]:
    """The places of the words that begin a sentence: the first, and those behind an end.

    Punctuation between the end and the word (quotation marks, brackets) is passed over.
    """
    starts: list[int] = []
    waiting = True
    for place, word in enumerate(words):
        if word in ends:
            waiting = True
        elif waiting and any(map(str.isalnum, word)):
            starts.append(place)
            waiting = False
    return starts


def inner_words(words: Sequence[str]) -> set[int]:
    """The places of words whose capitals mean something: not those that begin sentences."""
    return set(range(len(words))).difference(sentence_starts(words, _MAYBE_ENDS))


def ends_sentence(words: Sequence[str]) -> bool:
    """Whether the last word, quotation marks and brackets aside, ends a sentence."""
    last = next((word for word in reversed(words) if word not in _CLOSING), "")
    return last in _ENDS


def is_shouted(words: Sequence[str]) -> bool:
    """Whether several words are there, and all in capitals."""
    text = " ".join(words)
    return text.isupper() and sum(len(word) > 1 and word.isupper() for word in words) > 1


def lowered(word: str, language: str = "") -> str:
    """The word in small letters; Turkish and Azerbaijani have their own i."""
    turkic = language.lower()[:2] in ("tr", "az")
    return word.translate(_ABOVE).lower() if turkic else word.lower()


def shouted(word: str, language: str = "") -> str:
    """The word in capitals, where each letter has one; ß stays."""
    if language.lower()[:2] in ("tr", "az"):
        word = word.translate(_BELOW)
    return "".join(upper if len(upper := each.upper()) == 1 else each for each in word)


def _goes_on(words: Sequence[str], place: int) -> bool:
    """Whether the sentence mark before this word may end a quotation only: “Stop!” he said."""
    before = place - 1
    while before >= 0 and words[before] in _CLOSING:
        before -= 1
    return 0 <= before < place - 1 and words[before] in _ENDS and words[before] != "."


def recased(words: Sequence[str], language: str = "", *, first: bool = True) -> list[str]:
    """Sentence starts with a capital, where the word is in small letters; the first only if asked.

    A word such as iPhone stays, and one behind a quotation that ends with ! or ? does.  What is
    said begins with a capital, too: she said: “Come in.”
    """
    out = list(words)
    said = {
        place
        for place in range(2, len(words))
        if words[place - 1] in _OPENING and words[place - 2] == ":"
    }
    for number, place in enumerate(sorted({*sentence_starts(words), *said})):
        word = words[place]
        if (first or number > 0) and word.islower() and not _goes_on(words, place):
            head = 2 if language.lower()[:2] == "nl" and word.startswith("ij") else 1
            capital = shouted(word[:head], language)
            out[place] = capital + word[head:]
    return out
