"""Translations of words that no rule translates, from words that some do.

    guesses = Guesses.learn(words)                      # words of the source, with their counts
    decoder = PhraseDecoder(table, lm, unknown=Guesser(table, guesses))

A word that was never seen is often another form of one that was (`stilles`, `stillem`), or made of
several (`Schneedecke`).  Which endings stand for each other, and what stands between parts, is
learnt from the words alone, so it is of no particular language.  All letters of a word must belong
to parts with translations, and a translation that says only one part pays for the rest.

How likely a guess is right is learnt from words that were seen once (`guess_judgement`): it is
known what became of them.  Where a guess is not likelier to be right than a copy, or is wrong more
often than right by far, the word is copied.  Whatever has a digit is copied.  The language model
chooses among what is guessed.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from rosewood.decode.decoder import UnknownWords
from rosewood.decode.guess_candidates import ENDING, GROUPS, STEM, Candidate, Candidates
from rosewood.decode.guess_judgement import (
    FOLDS,
    SHAPES,
    GroupJudgement,
    SeenOnce,
    judge,
    least_of,
    shape_of,
)
from rosewood.errors import FormatError
from rosewood.output import whole_file
from rosewood.rules.table import RuleTable
from rosewood.shared_types import PathName

_FORMAT, _VERSION = "rosewood-guesses", 2
MOST_WORDS = 200_000  # that are learnt from, the most frequent
_BETWEEN = 2  # letters between parts
_LEAST = 5  # words that show an ending, or what stands between
_ENDINGS = 40  # that an ending is exchanged for, the most frequent
_LONGEST = 60  # letters of a word of which anything is guessed
_NEAR = 0.7  # of the probability of the best guess: other guesses have as much


@dataclass(frozen=True)
class Guesses:
    """What was learnt of the words of a language, and of guesses of them."""

    endings: Mapping[str, Mapping[str, int]]  # what stands for an ending, and how often
    between: tuple[str, ...]  # letters between the parts of a word; "" is nothing
    judged: Mapping[str, GroupJudgement] = field(default_factory=dict)  # by group of guesses
    copies: Mapping[str, float] = field(default_factory=dict)  # share that is right, by shape
    capitals: bool = True  # whether words with a capital are guessed, in files of version 1

    @classmethod
    def learn(cls, words: Iterable[str]) -> Guesses:
        """From distinct words, the most frequent first; without judgement, anything is guessed."""
        some = islice(words, MOST_WORDS)
        known = [word for word in some if word.isalpha() and len(word) <= _LONGEST]
        least = max(_LEAST, len(known) // 2000)
        return cls(_endings(known, least), _between(set(known), least))

    def save(self, path: PathName) -> None:
        """Writes a JSON file, which appears whole or not at all."""
        judged = {name: each.to_dict() for name, each in self.judged.items()}
        table = {"format": _FORMAT, "version": _VERSION, "endings": self.endings,
                 "between": list(self.between), "judged": judged,
                 "copies": self.copies}  # fmt: skip
        if not self.capitals:
            table["capitals"] = False
        with whole_file(path) as stream:
            stream.write(json.dumps(table, ensure_ascii=False, indent=0).encode() + b"\n")

    @classmethod
    def load(cls, path: PathName) -> Guesses:
        """What `save` wrote, also in version 1; anything else is refused."""
        try:
            table: dict[str, Any] = json.loads(Path(path).read_bytes())
            if table["format"] != _FORMAT or table["version"] not in (1, _VERSION):
                raise ValueError("of another format or version")
            is_old = table["version"] == 1
            endings = {
                str(one): {str(other): int(count) for other, count in others.items()}
                for one, others in table["endings"].items()
            }
            judged = {} if is_old else table["judged"]
            if unknown := sorted(set(judged) - set(GROUPS)):
                raise ValueError(f"unknown groups of guesses: {' '.join(unknown)}")
            copies = {} if is_old else table["copies"]
            if unknown := sorted(set(copies) - set(SHAPES)):
                raise ValueError(f"unknown shapes of words: {' '.join(unknown)}")
            capitals = table["capitals"] if is_old else table.get("capitals", True)
            return cls(
                endings,
                tuple(map(str, table["between"])),
                {str(name): GroupJudgement.from_dict(each) for name, each in judged.items()},
                {str(name): float(each) for name, each in copies.items()},
                bool(capitals),
            )
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
        for cut in range(max(STEM, len(word) - ENDING), len(word) + 1):
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
            for cut in range(STEM, len(word) - width - STEM + 1)
            if word[:cut] in words and word[cut + width :] in words
        }
        seen.update([""] if "" in found else found)
    enough = max(2 * least, seen[""] // 150)  # a few are there by chance
    return ("", *sorted(letters for letters, n in seen.items() if letters and n >= enough))


class Guess(NamedTuple):
    """A translation that is guessed, and how likely its words are right."""

    target: str
    probability: float
    group: str
    parts: tuple[str, ...]


class Guesser:
    """Asked for translations of a word; gives those of its relatives, if it has any."""

    def __init__(self, table: RuleTable, guesses: Guesses, *, most: int = 4) -> None:
        """At most `most` translations of a word are given."""
        self.table = table
        self.guesses = guesses
        self.most = most
        self._find = Candidates(table, guesses.endings, guesses.between)
        self._answers = lru_cache(maxsize=1 << 16)(self._guessed)

    def __call__(self, word: str) -> list[str] | None:
        """Its translations, the likeliest first; nothing where none can be guessed."""
        return [each.target for each in self.guess(word)] or None

    def guess(self, word: str) -> tuple[Guess, ...]:
        """The same with what they are made of, and how likely they are right."""
        if len(word) > _LONGEST:
            return ()  # nor is it kept: that would have no bound in bytes
        return self._answers(word)

    def probability(self, word: str, target: str) -> float | None:
        """How likely the words of a translation of an unknown word are right.

        That is None of a copy where nothing is known of copies.
        """
        if target == word:
            return self.guesses.copies.get(shape_of(word))
        return next((each.probability for each in self.guess(word) if each.target == target), None)

    def __reduce__(self) -> tuple[object, ...]:
        return (_made_again, (self.table, self.guesses, self.most))

    def _guessed(self, word: str) -> tuple[Guess, ...]:
        guesses = self.guesses
        if word[:1].isupper() and not guesses.capitals:
            return ()
        found: dict[str, Guess] = {}
        for each in self._find(word):
            judgement = guesses.judged.get(each.group, _UNJUDGED)
            if not judgement.is_used:
                continue
            sure = judgement.probability(each)
            known = found.get(each.target)
            if known is None or sure > known.probability:
                found[each.target] = Guess(each.target, sure, each.group, each.parts)
        ranked = sorted(found.values(), key=lambda each: -each.probability)
        if guesses.judged:
            ranked = [each for each in ranked if each.probability >= least_of(each.group)]
        near = ranked[0].probability * _NEAR if ranked else 0.0
        return tuple(each for each in ranked[: self.most] if each.probability >= near)


_UNJUDGED = GroupJudgement()


def judged(
    table: RuleTable,
    words: Sequence[str],
    seen_once: Sequence[SeenOnce],
    commonness: Callable[[str], float],
) -> Guesses:
    """What is learnt of words, the most frequent first, with a judgement of guesses.

    Words that were seen once are guessed by what is learnt without half of them, theirs.
    """
    folds = []
    for fold in range(FOLDS):
        own = {each.word for each in seen_once[fold::FOLDS]}
        learnt = Guesses.learn(word for word in words if word not in own)
        folds.append((own, Candidates(table, learnt.endings, learnt.between)))

    def find(each: SeenOnce) -> list[Candidate]:
        if len(each.word) > _LONGEST:
            return []
        return next(candidates(each.word) for own, candidates in folds if each.word in own)

    learnt = Guesses.learn(words)
    groups, copies = judge(seen_once, find, commonness)
    return replace(learnt, judged=groups, copies=copies)


def _made_again(table: RuleTable, guesses: Guesses, most: int) -> Guesser:
    return Guesser(table, guesses, most=most)
