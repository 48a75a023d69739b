"""What an unknown word may be made of: other forms and parts that have translations, with evidence.

    find = Candidates(table, guesses.endings, guesses.between)
    for each in find("Schneedecke"): print(each.target, each.group, each.parts, each.evidence)

Every letter of the word belongs to a part with a translation, but for endings and the letters
between parts.  The evidence is what `guess_judgement` learns to judge a candidate by.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from itertools import product
from math import log10
from typing import NamedTuple

from rosewood.corpus.text.scripts import HAN, HIRAGANA, KATAKANA
from rosewood.rules.rule import Rule
from rosewood.rules.table import RuleTable

STEM, ENDING = 4, 3  # letters: at least, at most
EVIDENCE = (
    "certain",  # 1
    "exchange",  # log10 of how many stems show the exchange of endings
    "overlap",  # share of letters in the stem; of parts, letters of the shortest, of 8 at most
    "count",  # log10 of how often the rarest known word was seen, up to 1,000
    "forward",  # log probability of the translation, of the least probable part
    "backward",  # the same of the word, given the translation
    "dropped",  # minus the share of letters that a translation of one part alone leaves out
    "words",  # target words beyond one for each part
    "parts",  # parts beyond two
)
_PART = 3  # letters of a part
_PARTS = 4  # of a word
_SIGNS = re.compile(f"[{HAN}{HIRAGANA}{KATAKANA}]+")  # of which each may be a word
_HYPHENS = "-‐‑"
_RULES = 4  # of a known word, the likeliest
_LEAST_LOG = -6.0  # log probabilities below tell no more


class Candidate(NamedTuple):
    """A translation that a word may have, and why."""

    target: str
    group: str  # of candidates that are judged together: GROUPS
    parts: tuple[str, ...]  # the known words
    evidence: tuple[float, ...]  # as in EVIDENCE
    rules: tuple[Rule, ...]


class _Split(NamedTuple):
    """The best way to make the beginning of a word of parts."""

    size: int
    badness: float  # one over how often each was seen, summed
    parts: tuple[str, ...]
    exchange: float | None  # stems that show the exchange in the last part; None without one


GROUPS = ("ending", "ending-capital", "parts", "parts-capital", "signs")


class Candidates:
    """Finds candidates of words with the rules of a table."""

    def __init__(
        self,
        table: RuleTable,
        endings: Mapping[str, Mapping[str, int]],
        between: tuple[str, ...],
        *,
        most: int = _RULES,
    ) -> None:
        """`most` translations are taken of each known word."""
        self._table = table
        self._endings = endings
        self._between = between
        self._most = most
        self._rules = lru_cache(maxsize=1 << 16)(self._looked_up)

    def __call__(self, word: str) -> list[Candidate]:
        """In a fixed order; none of a word with a digit, or whose parts are not known."""
        if any(letter.isdigit() for letter in word):
            return []
        kept = self._kept(word)
        return [*self._of_forms(word, kept), *self._of_parts(word, kept)]

    def _looked_up(self, words: str) -> tuple[Rule, ...]:
        if " " not in words and self._table.source_words.id(words) is None:
            return ()  # most are, and this is quicker
        rules = self._table.lookup(words)
        return tuple(sorted(rules, key=_likelihood, reverse=True)[: self._most])

    # -- other forms -------------------------------------------------------------------------------

    def _of_forms(self, word: str, kept: Mapping[str, float]) -> list[Candidate]:
        group = "ending-capital" if word[:1].isupper() else "ending"
        found = []
        for form, stem, count in self._forms(word):
            overlap = stem / max(len(word), len(form))
            for rule in self._rules(form):
                target = _said(rule)
                evidence = (
                    1.0, log10(1 + count), overlap, _seen(rule), _log(rule, "phrase_ef"),
                    _log(rule, "phrase_fe"), kept.get(target, 1.0) - 1.0,
                    float(len(rule.target) - 1), 0.0,
                )  # fmt: skip
                found.append(Candidate(target, group, (form,), evidence, (rule,)))
        return found

    def _forms(self, word: str) -> list[tuple[str, int, int]]:
        """Known words that differ in their ending, letters that are the same, stems that show it.

        The longest stems first, and of those the most usual exchange.
        """
        if not word.isalpha():
            return []
        return [
            (form, cut, count)
            for cut in range(len(word), max(STEM, len(word) - ENDING) - 1, -1)
            for ending, count in self._endings.get(word[cut:], {}).items()
            if self._rules(form := word[:cut] + ending)
        ]

    def _kept(self, word: str) -> dict[str, float]:
        """Translations of a part alone that leaves out more than an ending: the share it keeps."""
        found: dict[str, float] = {}
        for cut in range(_PART, len(word) - STEM + 1):
            for part in (word[:cut], word[-cut:]):
                for each in {part: 0, part.capitalize(): 0, part.lower(): 0}:
                    for rule in self._rules(each)[:2]:
                        found[_said(rule)] = cut / len(word)
        return found

    # -- parts -------------------------------------------------------------------------------------

    def _of_parts(self, word: str, kept: Mapping[str, float]) -> list[Candidate]:
        split = self._cut(word)
        if split is None:
            return []
        parts = split.parts
        group = "signs" if _SIGNS.fullmatch(word) else "parts"
        if group == "parts" and word[:1].isupper():
            group = "parts-capital"
        found: dict[str, Candidate] = {}

        def add(target: str, rules: tuple[Rule, ...]) -> None:
            evidence = (
                1.0,
                0.0 if split.exchange is None else log10(1 + split.exchange),
                min(1.0, min(map(len, parts)) / 8),
                min(map(_seen, rules)),
                min(_log(rule, "phrase_ef") for rule in rules),
                min(_log(rule, "phrase_fe") for rule in rules),
                kept.get(target, 1.0) - 1.0,
                float(len(target.split()) - len(parts)),
                float(len(parts) - 2),
            )
            if target not in found:
                found[target] = Candidate(target, group, parts, evidence, rules)

        for rule in self._rules(" ".join(parts)):
            add(_said(rule), (rule,))
        # Products grow: two translations of each part will do.
        each = [self._rules(part)[:2] for part in parts]
        for rules in product(*each):
            add(" ".join(map(_said, rules)), rules)
        return list(found.values())

    def _cut(self, word: str) -> _Split | None:
        """The fewest known parts, and of those the most frequent ones."""
        best: list[_Split | None] = [None] * (len(word) + 1)
        best[0] = _Split(0, 0.0, (), None)
        least = 1 if _SIGNS.fullmatch(word) else _PART
        for end in range(least, len(word) + 1):
            for begin in range(end - least + 1):
                before = self._before(word, begin, best)
                if before is None or before.size >= _PARTS or (begin, end) == (0, len(word)):
                    continue
                part, exchange = self._part(word, begin, end)
                if part is None:
                    continue
                # It may not be known how often it was seen.
                badness = before.badness + 1.0 / max(1.0, self._rules(part)[0].source_count)
                if exchange is not None:
                    badness += 1.0
                made = _Split(before.size + 1, badness, (*before.parts, part), exchange)
                here = best[end]
                if here is None or made[:2] < here[:2]:
                    best[end] = made
        found = best[len(word)]
        return None if found is None or found.size < 2 else found

    def _part(self, word: str, begin: int, end: int) -> tuple[str | None, int | None]:
        """The known word that a part is; with another ending, how many stems show the exchange.

        Nouns that have a capital have one as parts, too, though it is not written.
        """
        part = word[begin:end]
        variants = [part]
        if begin and word[:1].isupper() and part[:1].islower():
            variants.insert(0, part[:1].upper() + part[1:])
        for each in variants:
            if self._rules(each):
                return each, None
        for each in variants if end == len(word) else ():
            for form, _, count in self._forms(each):
                return form, count
        return None, None

    def _before(self, word: str, begin: int, best: list[_Split | None]) -> _Split | None:
        """The best split of the text before a part, with or without linking letters."""
        found = best[begin]
        for letters in (*self._between, *_HYPHENS):
            at = begin - len(letters)
            if not letters or at < _PART or word[at:begin] != letters:
                continue
            other = best[at]
            if other is not None and (found is None or other[:2] < found[:2]):
                found = other
        return found


def _likelihood(rule: Rule) -> float:
    """Log probability in both directions: one alone is unreliable for rare rules."""
    return sum(rule.features.get(name, 0.0) for name in ("phrase_ef", "phrase_fe", "lexical_ef"))


def _said(rule: Rule) -> str:
    return " ".join(map(str, rule.target))


def _log(rule: Rule, name: str) -> float:
    return max(_LEAST_LOG, rule.features.get(name, 0.0))


def _seen(rule: Rule) -> float:
    return log10(min(1000.0, 1.0 + rule.source_count))
