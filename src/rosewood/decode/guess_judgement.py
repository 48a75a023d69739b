"""How likely guesses are right, learnt from words that were seen once.

    judged, copies = judge(seen_once, find, commonness)    # find: candidates of a held-out word
    judged["ending"].probability(candidate)

Such a word is known with the target words that it is linked to; what is guessed of it without its
own rules shows what guesses of its group are worth, beside copies of it.  A word counts the less
the more sentences have it, as being linked to an article says little.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np

from rosewood.arrays import FloatArray, rounded
from rosewood.decode.guess_candidates import EVIDENCE, GROUPS, Candidate
from rosewood.logistic import fit_logistic, sigmoid

LEAST = 0.35  # that a guess must be right by: a wrong one misleads, a copy does not
LEAST_SIGNS = 0.15  # the same where a copy has letters that are not of the target language
_DROPPED = 3.0  # the log odds that a word is worth, at least: links do not show what is left out
_PRIOR = {"certain": -1.0, "exchange": 0.2, "overlap": 1.0, "count": 0.3, "forward": 0.5,
          "backward": 0.2, "dropped": _DROPPED, "words": -0.5, "parts": -0.5}  # fmt: skip
_MEAN = tuple(_PRIOR[name] for name in EVIDENCE)
_LOWS = tuple(_DROPPED if name == "dropped" else -np.inf for name in EVIDENCE)
_UNSEEN = 2  # words of which half are right, added where few were judged
_BITS = 24  # of numbers that are the same on all processors
FOLDS = 2
SHAPES = ("lower", "capital", "other")


class SeenOnce(NamedTuple):
    """A word that training has once, and what it was linked to there."""

    word: str
    linked: frozenset[str]
    sentence: int  # from 0


@dataclass(frozen=True)
class GroupJudgement:
    """What is known of the guesses of a group."""

    weights: tuple[float, ...] = _MEAN  # of the evidence, for log odds
    words: int = 0  # seen once, of which something was guessed
    copied: float = 0.0  # share of them that a copy is right for
    accepted: int = 0  # of which the guess was likely enough
    precision: float = 0.0  # share of those guesses that was right, held out
    is_used: bool = True  # false: such words are copied

    def probability(self, candidate: Candidate) -> float:
        """How likely the words of a candidate are right."""
        odds = sum(w * x for w, x in zip(self.weights, candidate.evidence, strict=True))
        return float(rounded(sigmoid(odds), _BITS))

    def is_accepted(self, candidate: Candidate) -> bool:
        """Whether it is likely enough to be taken for a translation."""
        return self.is_used and self.probability(candidate) >= least_of(candidate.group)

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {**asdict(self), "weights": list(self.weights)}

    @classmethod
    def from_dict(cls, table: Mapping[str, Any]) -> GroupJudgement:
        """What `to_dict` made; a ValueError otherwise."""
        weights = tuple(float(each) for each in table["weights"])
        if len(weights) != len(EVIDENCE):
            raise ValueError(f"{len(weights)} weights of evidence, expected {len(EVIDENCE)}")
        return cls(
            weights, int(table["words"]), float(table["copied"]), int(table["accepted"]),
            float(table["precision"]), bool(table["is_used"]),
        )  # fmt: skip


class _Judged(NamedTuple):
    """The candidates of a word, and how right they and a copy are, from 0 to 1."""

    candidates: list[Candidate]
    right: list[float]
    copied: float


def judge(
    words: Iterable[SeenOnce],
    find: Callable[[SeenOnce], list[Candidate]],
    commonness: Callable[[str], float],
) -> tuple[dict[str, GroupJudgement], dict[str, float]]:
    """A judgement of each group, and by shape how often a copy of a word is right.

    `commonness` of a target word is the share of sentences with it.  Copies are those of words of
    which nothing is guessed.
    """
    groups: dict[str, list[_Judged]] = {name: [] for name in GROUPS}
    every: list[tuple[SeenOnce, list[Candidate]]] = []
    for each in words:
        candidates = [c for c in find(each) if not _is_leaked(c, each)]
        every.append((each, candidates))
        for name, rows in groups.items():
            own = [c for c in candidates if c.group == name]
            if own:
                right = [_right(c.target, each.linked, commonness) for c in own]
                copied = _right(each.word, each.linked, commonness)
                rows.append(_Judged(own, right, copied))
    judged = {name: _judgement(rows) for name, rows in groups.items()}
    copies: dict[str, list[bool]] = {shape: [] for shape in SHAPES}
    for each, candidates in every:
        if not any(judged[c.group].is_accepted(c) for c in candidates):
            copies[shape_of(each.word)].append(each.word in each.linked)
    return judged, {
        shape: float(rounded((sum(right) + _UNSEEN / 2) / (len(right) + _UNSEEN), _BITS))
        for shape, right in copies.items()
    }


def least_of(group: str) -> float:
    """How likely a guess of a group must be right."""
    return LEAST_SIGNS if group == "signs" else LEAST


def shape_of(word: str) -> str:
    """What a word looks like, by which copies are judged: names are copied more often."""
    if not word.isalpha():
        return "other"
    return "capital" if word[:1].isupper() else "lower"


def _is_leaked(candidate: Candidate, held_out: SeenOnce) -> bool:
    """Whether a rule is known from the sentence of the held-out word alone."""
    return any(r.sentence == held_out.sentence and r.source_count <= 1 for r in candidate.rules)


def _right(target: str, linked: frozenset[str], commonness: Callable[[str], float]) -> float:
    """The share of the words that are linked; those that are count less if they are common."""
    words = target.split()
    right = sum(1.0 - commonness(word) for word in words if word in linked)
    wrong = sum(word not in linked for word in words)
    return right / (right + wrong) if right else 0.0


def _judgement(rows: list[_Judged]) -> GroupJudgement:
    if not rows:
        return GroupJudgement()
    copied = float(np.mean([row.copied for row in rows]))
    # Guesses of half of the words are judged by what was learnt of the others.
    chosen: list[float] = []
    for fold in range(FOLDS):
        learnt = GroupJudgement(_fitted(rows[k] for k in range(len(rows)) if k % FOLDS != fold))
        for row in rows[fold::FOLDS]:
            sure = [learnt.probability(each) for each in row.candidates]
            best = max(range(len(sure)), key=sure.__getitem__)
            if sure[best] >= least_of(row.candidates[best].group):
                chosen.append(row.right[best])
    precision = float(np.mean(chosen)) if chosen else 0.0
    weights = _fitted(rows)
    is_used = (sum(chosen) + _UNSEEN / 2) / (len(chosen) + _UNSEEN) > copied
    copied, precision = rounded([copied, precision], _BITS).tolist()
    return GroupJudgement(weights, len(rows), copied, len(chosen), precision, is_used)


def _fitted(rows: Iterable[_Judged]) -> tuple[float, ...]:
    """Weights of the evidence; each word counts once, whatever number of candidates it has."""
    evidence: list[tuple[float, ...]] = []
    right: list[float] = []
    share: list[float] = []
    for row in rows:
        evidence += [each.evidence for each in row.candidates]
        right += row.right
        share += [1.0 / len(row.right)] * len(row.right)
    if not evidence:
        return _MEAN
    columns: FloatArray = np.array(evidence)
    found = fit_logistic(columns, right, prior=_MEAN, share=share, lows=_LOWS)
    return tuple(rounded(found, _BITS).tolist())
