"""Translations of words that no rule translates, from words that some do.

    guesses = Guesses.learn(words)                      # words of the source, with their counts
    decoder = PhraseDecoder(table, lm, unknown=Guesser(table, guesses))

A word that was never seen is often another form of one that was (`stilles`, `stillem`), or made of
several (`Schneedecke`).  Which endings stand for each other, and what stands between parts, is
learnt from the words alone, so it is of no particular language.  Names look like that, too:
whether words with a capital are guessed or copied is decided by those that were seen once, of which
it is known what became of them.  Whatever has a digit is copied.  The language model chooses among
what is guessed.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice, product
from pathlib import Path
from typing import Any

from rosewood.corpus.text.scripts import HAN, HIRAGANA, KATAKANA
from rosewood.decode.decoder import UnknownWords
from rosewood.errors import FormatError
from rosewood.output import whole_file
from rosewood.rules.rule import Rule
from rosewood.rules.table import RuleTable
from rosewood.shared_types import PathName

_FORMAT, _VERSION = "rosewood-guesses", 1
MOST_WORDS = 200_000  # that are learnt from, the most frequent
_STEM, _ENDING = 4, 3  # letters: at least, at most
_PART, _BETWEEN = 3, 2  # letters of a part, and of what stands between parts
_SIGNS = re.compile(f"[{HAN}{HIRAGANA}{KATAKANA}]+")  # of which each may be a word
_LEAST = 5  # words that show an ending, or what stands between
_ENDINGS = 40  # that an ending is exchanged for, the most frequent
_PARTS = 4  # of a word
_LONGEST = 60  # letters of a word of which anything is guessed
_TRIED = 2000  # words that were seen once, of each kind
_HYPHENS = "-‐‑"


@dataclass(frozen=True)
class Guesses:
    """What was learnt of the words of a language."""

    endings: Mapping[str, Mapping[str, int]]  # what stands for an ending, and how often
    between: tuple[str, ...]  # letters between the parts of a word; "" is nothing
    capitals: bool = True  # whether words with a capital are guessed

    @classmethod
    def learn(cls, words: Iterable[str]) -> Guesses:
        """From distinct words, the most frequent first."""
        some = islice(words, MOST_WORDS)
        known = [word for word in some if word.isalpha() and len(word) <= _LONGEST]
        least = max(_LEAST, len(known) // 2000)
        return cls(_endings(known, least), _between(set(known), least))

    def save(self, path: PathName) -> None:
        """Writes a JSON file, which appears whole or not at all."""
        table = {"format": _FORMAT, "version": _VERSION, "endings": self.endings,
                 "between": list(self.between), "capitals": self.capitals}  # fmt: skip
        with whole_file(path) as stream:
            stream.write(json.dumps(table, ensure_ascii=False, indent=0).encode() + b"\n")

    @classmethod
    def load(cls, path: PathName) -> Guesses:
        """What `save` wrote; anything else is refused."""
        try:
            table: dict[str, Any] = json.loads(Path(path).read_bytes())
            if (table["format"], table["version"]) != (_FORMAT, _VERSION):
                raise ValueError("of another format or version")
            endings = {
                str(one): {str(other): int(count) for other, count in others.items()}
                for one, others in table["endings"].items()
            }
            return cls(endings, tuple(map(str, table["between"])), bool(table["capitals"]))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            reason = f"not a file of guesses: {error}"
            raise FormatError(reason, file=path, code="file.format") from error


def unknown_words(how: str, parts: Mapping[str, Any]) -> UnknownWords:
    """What a decoder does with unknown words: "copy", "drop", or "guess" from a model's parts."""
    if how == "guess":
        return Guesser(parts["rules"], parts["guesses"])
    return how  # type: ignore[return-value]  # the decoder checks it


def _endings(words: list[str], least: int) -> dict[str, dict[str, int]]:
    """Endings that the same stems have."""
    of_stem: defaultdict[str, list[str]] = defaultdict(list)
    for word in words:
        for cut in range(max(_STEM, len(word) - _ENDING), len(word) + 1):
            of_stem[word[:cut]].append(word[cut:])
    seen: Counter[tuple[str, str]] = Counter()
    for endings in of_stem.values():
        for one in endings:
            # With the same first letter, the stem would be longer.
            seen.update((one, other) for other in endings if one[:1] != other[:1])
    found: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for (one, other), count in sorted(seen.items(), key=lambda each: (-each[1], each[0])):
        if count >= least and len(found[one]) < _ENDINGS:
            found[one][other] = count
    return {one: found[one] for one in sorted(found) if found[one]}


def _between(words: set[str], least: int) -> tuple[str, ...]:
    """The linking letters between the two words of a compound."""
    seen: Counter[str] = Counter()
    for word in words:
        found = {
            word[cut : cut + width]
            for width in range(_BETWEEN + 1)
            for cut in range(_STEM, len(word) - width - _STEM + 1)
            if word[:cut] in words and word[cut + width :] in words
        }
        seen.update([""] if "" in found else found)
    enough = max(2 * least, seen[""] // 150)  # a few are there by chance
    return ("", *sorted(letters for letters, n in seen.items() if letters and n >= enough))


class Guesser:
    """Asked for translations of a word; gives those of its relatives, if it has any."""

    def __init__(self, table: RuleTable, guesses: Guesses, *, most: int = 2) -> None:
        """`most` translations are taken of each known word."""
        self.table = table
        self.guesses = guesses
        self.most = most
        self._rules = lru_cache(maxsize=1 << 16)(self._looked_up)
        self._answers = lru_cache(maxsize=1 << 16)(self._guessed)

    def __call__(self, word: str) -> list[str] | None:
        """Its translations; nothing where none can be guessed."""
        if len(word) > _LONGEST:
            return None  # nor is it kept: that would have no bound in bytes
        return list(self._answers(word)) or None

    def __reduce__(self) -> tuple[object, ...]:
        return (_made_again, (self.table, self.guesses, self.most))

    def _looked_up(self, words: str) -> tuple[Rule, ...]:
        rules = self.table.lookup(words)
        return tuple(sorted(rules, key=_likelihood, reverse=True)[: self.most])

    def _guessed(self, word: str) -> tuple[str, ...]:
        if any(letter.isdigit() for letter in word):
            return ()
        if word[:1].isupper() and not self.guesses.capitals:
            return ()
        form = self._form(word)
        if form is not None:
            return tuple(dict.fromkeys(map(_said, self._rules(form))))
        parts = self._cut(word)
        return () if parts is None else self._together(parts)

    def _form(self, word: str) -> str | None:
        """A known word that differs in its ending: the longest stem, the most usual exchange."""
        if not word.isalpha():
            return None
        for cut in range(len(word), max(_STEM, len(word) - _ENDING) - 1, -1):
            for ending in self.guesses.endings.get(word[cut:], {}):
                if self._rules(word[:cut] + ending):
                    return word[:cut] + ending
        return None

    def _cut(self, word: str) -> list[str] | None:
        """The fewest known parts, and of those the most frequent ones."""
        best: list[tuple[int, float, list[str]] | None] = [None] * (len(word) + 1)
        best[0] = (0, 0.0, [])
        least = 1 if _SIGNS.fullmatch(word) else _PART
        for end in range(least, len(word) + 1):
            for begin in range(end - least + 1):
                before = self._before(word, begin, best)
                part = word[begin:end]
                if before is None or before[0] >= _PARTS or (begin, end) == (0, len(word)):
                    continue
                rules = self._rules(part)
                if not rules and end == len(word) and (form := self._form(part)) is not None:
                    part, rules = form, self._rules(form)
                if not rules:
                    continue
                count, badness, parts = before
                worse = badness + 1.0 / max(1.0, rules[0].source_count)  # it may not be known
                here = best[end]
                if here is None or (count + 1, worse) < here[:2]:
                    best[end] = (count + 1, worse, [*parts, part])
        found = best[len(word)]
        return None if found is None or found[0] < 2 else found[2]

    def _before(
        self, word: str, begin: int, best: list[tuple[int, float, list[str]] | None]
    ) -> tuple[int, float, list[str]] | None:
        """The best split of the text before a part, with or without linking letters."""
        found = best[begin]
        for letters in (*self.guesses.between, *_HYPHENS):
            at = begin - len(letters)
            if not letters or at < _PART or word[at:begin] != letters:
                continue
            other = best[at]
            if other is not None and (found is None or other[:2] < found[:2]):
                found = other
        return found

    def _together(self, parts: list[str]) -> tuple[str, ...]:
        """Translations of parts side by side: as one phrase where there is one."""
        if whole := self._rules(" ".join(parts)):
            return tuple(dict.fromkeys(map(_said, whole)))
        most = self.most if len(parts) == 2 else min(self.most, 2)  # products grow
        each = [[_said(rule) for rule in self._rules(part)[:most]] for part in parts]
        return tuple(dict.fromkeys(" ".join(said) for said in product(*each)))


def judged(
    table: RuleTable, guesses: Guesses, seen_once: Iterable[tuple[str, set[str]]]
) -> Guesses:
    """The guesses with a decision on words with a capital: guessed, or copied.

    `seen_once` are words of the source that occur once, each with the target words it is linked to.
    """
    guesser = Guesser(table, replace(guesses, capitals=True))
    copied = guessed = 0
    for word, meant in islice((each for each in seen_once if each[0][:1].isupper()), _TRIED):
        said = guesser(word)
        if said is not None:
            copied += word in meant
            guessed += not meant.isdisjoint(" ".join(said).split())
    return replace(guesses, capitals=guessed >= copied)


def _likelihood(rule: Rule) -> float:
    """Log probability in both directions: one alone is unreliable for rare rules."""
    return sum(rule.features.get(name, 0.0) for name in ("phrase_ef", "phrase_fe", "lexical_ef"))


def _said(rule: Rule) -> str:
    return " ".join(map(str, rule.target))


def _made_again(table: RuleTable, guesses: Guesses, most: int) -> Guesser:
    return Guesser(table, guesses, most=most)
