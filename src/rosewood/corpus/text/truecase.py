"""Truecasing: the first word of a sentence gets the form it has elsewhere.

    truecaser = Truecaser.learn(sentences)         # each a list of words
    truecaser.apply(["Der", "Hund", "bellt", "."])     # der Hund bellt .
    recased(["der", "Hund", "bellt", "."])             # Der Hund bellt .

Forms are counted where their capitals mean something: not at the start of a sentence, and not in
a sentence that is all in capitals.  At the start, a word that is a capital and then small letters
becomes the form that was counted most; a word that was never counted stays as it is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rosewood.arguments import check_text, check_type, check_whole
from rosewood.errors import TextError

_ENDS = frozenset({".", "!", "?", "。", "！", "？", "।", "؟"})
_MAYBE_ENDS = _ENDS | {":", "...", "…", "!!", "!!!", "??", "???"}
_CLOSING = frozenset("\"'”’“‘»«)]")  # what may close a quotation in some language
_OPENING = frozenset("\"'„“‚‘«»‹›")  # and what may open one
_ABOVE = str.maketrans({"I": "ı", "İ": "i"})
_BELOW = str.maketrans({"ı": "I", "i": "İ"})


@dataclass(frozen=True)
class Truecaser:
    """The most frequent form of each word, and how often it was counted."""

    forms: Mapping[str, int]
    language: str = ""
    _best: Mapping[str, str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        best: dict[str, str] = {}
        for form, count in self.forms.items():
            if not isinstance(form, str) or type(count) is not int or count < 1:
                raise TextError(
                    f"a truecaser has the form {form!r}, counted {count!r} times",
                    code="argument.value", argument="forms", value={form: count},
                )  # fmt: skip
            key = lowered(form, self.language)
            if key in best:
                reason = f"a truecaser has two forms of {key!r}"
                raise TextError(reason, code="argument.duplicate", argument="forms", value=key)
            best[key] = form
        object.__setattr__(self, "_best", best)

    @classmethod
    def learn(
        cls, sentences: Iterable[Sequence[str]], *, language: str = "", least: int = 1
    ) -> Truecaser:
        """Counts the words of sentences as they come by; forms of fewer than `least` are left out.

        Memory is for the distinct words, not for the sentences.
        """
        return cls.from_counts(count_forms(sentences), language=language, least=least)

    @classmethod
    def from_counts(cls, counts: Counter[str], *, language: str = "", least: int = 1) -> Truecaser:
        """What `learn` makes of the counts of all forms; counts of parts of a text add up."""
        check_whole("least", least, low=1, error=TextError)
        best: dict[str, str] = {}
        for form, count in counts.items():
            key = lowered(form, language)
            other = best.setdefault(key, form)
            if (count, form) > (counts[other], other):  # small letters are last: they win a tie
                best[key] = form
        chosen = sorted(form for form in best.values() if counts[form] >= least)
        return cls({form: counts[form] for form in chosen}, language)

    def apply(self, words: Sequence[str]) -> list[str]:
        """The words with sentence starts as they are written elsewhere.

        A sentence all in capitals gets its words as they are written elsewhere, or small.
        """
        if is_shouted(words):
            best, language = self._best, self.language
            small = [lowered(word, language) for word in words]
            return [best.get(word, word) for word in small]
        out = list(words)
        for place in sentence_starts(words, _MAYBE_ENDS):
            word = words[place]
            if word[1:].islower() or len(word) == 1:
                out[place] = self._best.get(lowered(word, self.language), word)
        return out

    def to_dict(self) -> dict[str, Any]:
        """A table for JSON."""
        return {"language": self.language, "forms": dict(self.forms)}

    @classmethod
    def from_dict(cls, table: Any) -> Truecaser:
        """What `to_dict` gave; anything else is refused."""
        if not isinstance(table, dict) or set(table) != {"language", "forms"}:
            reason = "a truecaser is a table of language and forms"
            raise TextError(reason, code="argument.value", argument="truecaser", value=table)
        check_text("language", table["language"], error=TextError)
        check_type("forms", table["forms"], dict, "a table", error=TextError)
        return cls(table["forms"], table["language"])


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
