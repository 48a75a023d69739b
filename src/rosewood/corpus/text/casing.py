"""Restore the case of sentences in lower case, in ALL CAPS or in Title Case.

    caser = Caser(truecaser)
    caser.readings("ein mann spielt gitarre".split()).words[0]     # ein Mann spielt Gitarre
    caser.readings("Ein Mann spielt Gitarre".split())              # None: nothing to restore

The decision is made per sentence.  It is in lower case if it has no capitals although the truecaser
knows some of its words with capitals only; in title case if it has capitals on words that are
usually lower-case, and no lower-case words but a few short ones.  One such word is enough in a
sentence of capitals only whose first word, too, is usually lower-case, or which is very frequent;
few names are like this.  Then, and in all caps, all words of the sentence are cased.  In any other
sentence only words change that were never seen as they are written although they were seen in
another form: lower-case ones (gitarre), and long ones in capitals (NICHT).

A known word gets its most probable form given its neighbours, an unseen word the case of words with
the same ending.  Where a form is uncertain there are further readings, to be searched, too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import islice
from math import prod
from typing import Literal, NamedTuple

from rosewood.corpus.text.truecase import (
    Truecaser,
    ends_sentence,
    inner_words,
    is_shouted,
    lowered,
    neighbours_of,
    shouted,
)

Casing = Literal["auto", "keep"]
CASINGS = ("auto", "keep")
Kind = Literal["lower", "upper", "title", "words"]

_READINGS = 3  # of a sentence, at most
_UNSURE = 0.1  # probability from which on a form makes a reading
# A sentence is in lower case if the probability of its lower-case words is below this, depending on
# whether it begins with a capital.
_LOWER, _LOWER_AT_START = 0.05, 0.3
_TITLE = 0.001  # the same for title case and the probability of capitals within the sentence
# In sentences of capitals only: words at least, probability of a lower-case form from which on one
# word is enough, and its share of a text.
_TITLE_WORDS, _SURELY_LOWER, _FREQUENT = 3, 0.95, 0.001
_SMALL, _SHOUTED = 4, 4  # letters: small words of titles at most, words in capitals at least
_NOT_COUNTED = 0.2  # share of forms that truecasers of earlier releases did not count
_PRIOR = 2.0  # counts that a neighbour must have to weigh as much as the word itself
_FRAGMENT = 3  # words, the end mark among them, that need not be a sentence
_UNSEEN = 3  # letters of words that may get a capital though they were never seen
_PARTS = 6  # of a word with hyphens, at most
_ENDING, _SAMPLE = 8, 50_000  # letters of endings; words from which these are learned


class Readings(NamedTuple):
    """Possible casings of a sentence, the most probable first."""

    kind: Kind  # how the sentence was written; "words": only some of its words have changed
    words: list[list[str]]
    has_capital: bool  # a lower-case sentence with an end mark: it should begin with a capital


class Caser:
    """Restores the case of words in sentences whose casing carries no information."""

    def __init__(self, truecaser: Truecaser, is_known: Callable[[str], bool] | None = None) -> None:
        """`is_known` tells whether a model has seen a word, of which the truecaser may not know the
        form: at sentence starts."""
        self.truecaser = truecaser
        self._is_known = is_known
        self._language = truecaser.language
        self._best = truecaser.best
        self._usual = frozenset(truecaser.forms)
        self._forms: dict[str, dict[str, int]] = {}  # of words that have several
        for form, count in (truecaser.others or {}).items():
            key = lowered(form, self._language)
            best = self._best[key]
            self._forms.setdefault(key, {best: truecaser.forms[best]})[form] = count

    def readings(self, words: Sequence[str]) -> Readings | None:
        """The words with their case restored, in one or more ways; None: nothing changes."""
        best, usual, language = self._best, self._usual, self._language
        rare = [place for place, word in enumerate(words) if word not in usual]
        odd = [
            place
            for place in rare
            if best.get(lowered(words[place], language), words[place]) != words[place]
        ]
        kind: Kind = "words"
        if is_shouted(words):
            kind = "upper"
        elif odd and (odd != [0] or not _is_titled(words[0])):
            kind = self._kind(words, odd)
        places = self._never_seen(words, rare) if kind == "words" else rare
        if not places or any(word.isalpha() and word.lower() == word.upper() for word in words):
            return None  # nothing to do, or another script, in which capitals are not missed
        cased = [self._changed(words, places)] if kind == "words" else self._cased(words, kind)
        return Readings(kind, cased, kind == "lower" and ends_sentence(words))

    def lacks_capitals(self, words: Sequence[str]) -> bool:
        """Whether these words are a whole sentence without any capital, also at its beginning.

        In many languages that is all that lower case changes in most sentences.
        """
        if len(words) <= _FRAGMENT or not ends_sentence(words):
            return False
        return all(word == lowered(word, self._language) for word in words)

    def _kind(self, words: Sequence[str], odd: Sequence[int]) -> Kind:
        language = self._language
        inner = inner_words(words)
        capitals = {place for place in inner if lowered(words[place], language) != words[place]}
        small = [words[place] for place in odd if words[place].islower()]
        if small and not capitals:
            first = next(word for word in words if word.lower() != word.upper())
            enough = _LOWER_AT_START if first[0].islower() else _LOWER
            if prod(map(self._share, small)) < enough:
                return "lower"
        titled = [words[place] for place in capitals.intersection(odd) if _is_titled(words[place])]
        others = [word for word in words if word.islower()]
        is_short = max(map(len, others), default=0) <= _SMALL
        if is_short and len(titled) > len(others) and prod(map(self._share, titled)) < _TITLE:
            return "title"
        if not others and self._is_title(words, inner):
            return "title"
        return "words"

    def _is_title(self, words: Sequence[str], inner: set[int]) -> bool:
        """Whether capitals only, on few words, are a title rather than a name."""
        places = [place for place, word in enumerate(words) if word.lower() != word.upper()]
        if len(places) < _TITLE_WORDS or not all(words[place][0].isupper() for place in places):
            return False
        low = [lowered(word, self._language) for word in words]
        found = [place for place in places if self._is_surely_lower(words, low, place)]
        within = inner.intersection(found)
        return bool(within) and (
            places[0] in found
            or any(self.truecaser.forms[low[place]] >= self._frequent for place in within)
        )

    def _is_surely_lower(self, words: Sequence[str], low: Sequence[str], place: int) -> bool:
        """Whether a word with a capital is nearly always lower-case, also beside its neighbours.

        One that is not very frequent was never counted with a capital: it may be part of a name.
        """
        word = low[place]
        if not _is_titled(words[place]) or self._best.get(word) != word:
            return False
        others, is_frequent = self.truecaser.others, self.truecaser.forms[word] >= self._frequent
        if others is None:  # other forms were not counted
            return is_frequent
        if words[place] in others and (
            not is_frequent or self._chances(low, place)[word] < _SURELY_LOWER
        ):
            return False
        return self._share(words[place]) < 1 - _SURELY_LOWER

    @cached_property
    def _frequent(self) -> float:
        """The count of a very frequent word."""
        return _FREQUENT * sum(self.truecaser.forms.values())

    def _share(self, word: str) -> float:
        """How often a word that has a more frequent form is written like this."""
        key = lowered(word, self._language)
        total = self.truecaser.forms[self._best[key]]
        if self.truecaser.others is None:
            count = _NOT_COUNTED * total
        else:
            count = self.truecaser.others.get(word, 0)
        return (count + 0.5) / (total + count + 1)

    def _never_seen(self, words: Sequence[str], rare: Sequence[int]) -> list[int]:
        """The places of words that were seen, but never as they are written."""
        others = self.truecaser.others
        if others is None:
            return []
        found = []
        for place in rare:
            word = words[place]
            if word in others or not (word.islower() or _is_capitals(word)):
                continue
            form = self._best.get(lowered(word, self._language))
            if form is None:
                found += [place] * self._is_known_with_capital(word)
            elif form != word:
                found.append(place)
        return found

    def _is_known_with_capital(self, word: str) -> bool:
        """Whether a model has seen a small word, but only with a capital."""
        is_known = self._is_known
        if is_known is None or not word.islower():
            return False
        return is_known(self._capital(word)) and not is_known(word)

    def _changed(self, words: Sequence[str], places: Sequence[int]) -> list[str]:
        """The words with the most probable form at some places."""
        low = [lowered(word, self._language) for word in words]
        made = self.truecaser.apply(words)
        for place in places:
            chances = self._chances(low, place)
            made[place] = max(chances, key=chances.__getitem__)
        return made

    def _cased(self, words: Sequence[str], kind: Kind) -> list[list[str]]:
        """All words by their forms: the most probable ones, then what else may be."""
        low = [lowered(word, self._language) for word in words]
        if kind == "upper":
            low = [self._with_sharp_s(word) for word in low]
        made: list[str] = []
        unsure: list[tuple[float, int, str]] = []
        for place in range(len(low)):
            chances = self._chances(low, place)
            first, *rest = sorted(chances, key=lambda form: (-chances[form], form))
            made.append(first)
            unsure += [(-chances[form], place, form) for form in rest[:1]]
        found = [made]
        as_written = self.truecaser.apply(words)
        if kind != "upper" and all(map(self._is_counted, as_written)):
            found.append(as_written)
        for chance, place, form in sorted(unsure):
            if -chance >= _UNSURE:
                found.append([*made[:place], form, *made[place + 1 :]])
        return list(map(list, dict.fromkeys(map(tuple, found))))[:_READINGS]

    def _is_counted(self, word: str) -> bool:
        others = self.truecaser.others or {}
        return word in self._usual or word in others or word.lower() == word.upper()

    def _chances(self, low: Sequence[str], place: int) -> dict[str, float]:
        """How probable each form of a word in small letters is, between its neighbours."""
        word = low[place]
        best = self._best.get(word)
        if best is None:
            return self._unseen(word)
        forms = self._forms.get(word)
        if forms is None:
            return {best: 1.0}
        total = sum(forms.values())
        before, after = neighbours_of(low, place)
        chances = {form: count / total for form, count in forms.items()}
        weights = dict(chances)
        for beside, neighbour in ((self.truecaser.before, before), (self.truecaser.after, after)):
            counts = {form: beside.get(form, {}).get(neighbour, 0) for form in forms}
            seen = sum(counts.values())
            for form, chance in chances.items():
                given = (counts[form] + _PRIOR * chance) / (seen + _PRIOR)
                weights[form] *= given / chance
        whole = sum(weights.values())
        return {form: weight / whole for form, weight in weights.items()}

    def _unseen(self, word: str) -> dict[str, float]:
        """The forms of a word that was never seen, by its ending; of its parts between hyphens."""
        if "-" in word:
            return {self._hyphenated(word.split("-")): 1.0}
        capital = self._capital(word)
        if capital == word:
            return {word: 1.0}
        if self._is_known is not None:
            known = [form for form in (word, capital) if self._is_known(form)]
            if len(known) == 1:
                return {known[0]: 1.0}
        if len(word) < _UNSEEN or not word.isalpha():
            return {word: 1.0}
        chance = 0.0
        for length in range(min(_ENDING, len(word)) + 1):
            seen = self._endings.get(word[len(word) - length :])
            if seen is None:
                break
            small, with_capital = seen
            chance = (with_capital + chance) / (small + with_capital + 1)
        return {word: 1 - chance, capital: chance}

    def _hyphenated(self, parts: list[str]) -> str:
        """A word of parts, each by itself; a compound has a capital if its last part has one."""
        if len(parts) <= _PARTS:
            for n in range(1, len(parts)):
                if (rest := "-".join(parts[n:])) in self._best:  # T-Shirt
                    parts = [*parts[:n], rest]
                    break
            *_, last = parts = [self._likely(part) for part in parts]
            if last[:1].isupper():
                parts[0] = self._capital(parts[0])
        return "-".join(parts)

    def _likely(self, word: str) -> str:
        """The most probable form of a word by itself."""
        if word in self._best or not word:
            return self._best.get(word, word)
        chances = self._unseen(word) if "-" not in word else {word: 1.0}
        return max(chances, key=chances.__getitem__)

    def _capital(self, word: str) -> str:
        return shouted(word[:1], self._language) + word[1:]

    def _with_sharp_s(self, word: str) -> str:
        """The word with ß, where capitals had SS and only this is known."""
        return word if word in self._best else self._folded.get(word, word)

    @cached_property
    def _endings(self) -> dict[str, tuple[int, int]]:
        """Of each ending, how many words are small and how many have a capital."""
        counts: dict[str, tuple[int, int]] = {}
        every = len(self._best) // _SAMPLE + 1
        for word, form in islice(self._best.items(), 0, None, every):
            if word.isalpha():
                is_small = form == word
                for length in range(min(_ENDING, len(word)) + 1):
                    ending = word[len(word) - length :]
                    small, capital = counts.get(ending, (0, 0))
                    counts[ending] = (small + is_small, capital + (not is_small))
        return counts

    @cached_property
    def _folded(self) -> dict[str, str]:
        return {word.casefold(): word for word in self._best if word.casefold() != word}


def _is_capitals(word: str) -> bool:
    """Whether a word is in capitals, and longer than most abbreviations."""
    return len(word) >= _SHOUTED and word.isupper()


def _is_titled(word: str) -> bool:
    """Whether a word has a capital at the front and nowhere else."""
    return word[:1].isupper() and (len(word) == 1 or word[1:].islower())
