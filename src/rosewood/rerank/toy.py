"""Made-up candidates, the same ones everywhere: for examples, demonstrations and tests.

A small grammar says a sentence; candidates are that sentence with mistakes in it.  Some features
see some of the mistakes, others see nothing; or, with `noise`, no feature sees anything.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rosewood.arguments import check_whole
from rosewood.errors import TuningError
from rosewood.rerank.candidates import CandidateList

_ADJECTIVES = ("old", "young", "small", "tired", "happy", "quiet", "clever", "hungry")
_PEOPLE = ("fisherman", "teacher", "girl", "boy", "baker", "doctor", "sailor", "painter")
_VERBS = ("sells", "carries", "paints", "finds", "repairs", "hides", "watches", "forgets")
_THINGS = ("boat", "letter", "basket", "lantern", "clock", "ladder", "bicycle", "map")
_PLACES = ("harbour", "market", "bridge", "station", "river", "garden", "library", "square")
_NEAR = ("near", "behind", "beside", "before")
_WHEN = ("in the morning", "at night", "every day", "on sundays", "after lunch", "in winter")
_KINDS = (_ADJECTIVES, _PEOPLE, _VERBS, _THINGS, _PLACES, _NEAR)


def toy_lists(
    count: int = 300, *, candidates: int = 12, noise: bool = False, seed: int = 0
) -> Iterator[CandidateList]:
    """Lists whose first candidate is the best in the eyes of an imagined system.

    The system notices half of the mistakes.  Features `fluency` and `meaning` each see one kind of
    mistake, not sharply; `system` is the system's own score, `words` the length, and `dice` nothing
    at all.  With `noise` there are only features that are like dice.  The score `mistakes` tells
    how many there are, for metrics such as `column:mistakes,higher=false`.
    """
    check_whole("count", count, low=1, error=TuningError)
    check_whole("candidates", candidates, low=1, error=TuningError)
    for number in range(count):
        yield _list(number, candidates, noise, np.random.default_rng([seed, number]))


def _list(number: int, candidates: int, noise: bool, random: np.random.Generator) -> CandidateList:
    reference = _sentence(random)
    found: dict[str, tuple[int, int]] = {}
    for _ in range(20 * candidates):
        text, *mistakes = _with_mistakes(reference, random)
        found.setdefault(" ".join(text), (mistakes[0], mistakes[1]))
        if len(found) == candidates:
            break
    texts = list(found)
    order_errors, word_errors = np.array(list(found.values()), dtype=np.float64).T
    dice = random.standard_normal((len(texts), 4))
    system = -0.5 * order_errors - 0.5 * word_errors + dice[:, 0]
    if noise:
        names: tuple[str, ...] = ("dice_a", "dice_b", "dice_c", "dice_d", "dice_e")
        columns = random.standard_normal((len(texts), 5))
    else:
        names = ("system", "fluency", "meaning", "words", "dice")
        columns = np.column_stack(
            [
                system,
                -8.0 - 2.0 * order_errors + dice[:, 1],
                -3.0 - 1.5 * word_errors + dice[:, 2],
                [float(len(text.split())) for text in texts],
                dice[:, 3],
            ]
        )
    order = np.argsort(-system, kind="stable")
    return CandidateList(
        id=str(number),
        texts=tuple(texts[i] for i in order),
        names=names,
        dense=np.round(columns[order], 4),
        references=(" ".join(reference),),
        scores={"mistakes": (order_errors + word_errors)[order]},
    )


def _sentence(random: np.random.Generator) -> list[str]:
    def one(words: tuple[str, ...]) -> str:
        return words[int(random.integers(len(words)))]

    said = f"the {one(_ADJECTIVES)} {one(_PEOPLE)} {one(_VERBS)} a {one(_THINGS)}"
    said += f" {one(_NEAR)} the {one(_PLACES)} {one(_WHEN)}"
    return said.split()


def _with_mistakes(reference: list[str], random: np.random.Generator) -> tuple[list[str], int, int]:
    """A sentence with up to six mistakes in it: in its order, and in its words."""
    words = list(reference)
    order_errors = word_errors = 0
    for _ in range(int(random.binomial(6, 0.4))):
        place = int(random.integers(len(words)))
        kind = int(random.integers(4))
        if kind == 0 and place:
            words[place - 1], words[place] = words[place], words[place - 1]
            order_errors += 1
        elif kind == 1:
            words.insert(place, words[place])
            order_errors += 1
        elif kind == 2 and len(words) > 4:
            del words[place]
            word_errors += 1
        else:
            same = next((group for group in _KINDS if words[place] in group), _PEOPLE)
            words[place] = same[int(random.integers(len(same)))]
            word_errors += 1
    return words, order_errors, word_errors
