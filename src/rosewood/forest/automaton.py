"""Weighted finite-state automata over words: what a forest's strings can be intersected with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from rosewood import _core
from rosewood.arrays import FloatArray, IdArray, LongArray, as_count, freeze, not_below
from rosewood.corpus import Vocabulary
from rosewood.errors import ForestError

OTHERWISE = -1  # the symbol of an arc that takes any word without an arc of its own


class Automaton:
    """States, arcs sorted by state and symbol, log weights.

    Arcs of state s are arc_start[s] .. arc_start[s+1]-1; `final_weight` is -inf where a state does
    not accept.  An arc with symbol OTHERWISE takes any word that has no arc of its own there.
    """

    __slots__ = ("arc_start", "final_weight", "initial", "next_state", "symbol", "weight")

    arc_start: LongArray
    symbol: IdArray
    next_state: IdArray
    weight: FloatArray
    final_weight: FloatArray

    def __init__(
        self,
        arcs: Iterable[tuple[int, int, int, float]],
        final: Mapping[int, float],
        *,
        states: int,
        initial: int = 0,
    ) -> None:
        """`arcs` are (from, word number or OTHERWISE, to, log weight); `final` log weights."""
        listed = sorted(arcs)
        for number, (source, _, _, _) in enumerate(listed):
            if not 0 <= source < states:
                raise not_below("state", source, states, f"arc {number}: ")
        ends = np.full(max(states, 0), -np.inf)
        for state, weight in final.items():
            if not 0 <= state < states:
                raise not_below("state", state, states, "final: ")
            ends[state] = weight
        counts = np.bincount([a[0] for a in listed], minlength=states) if listed else (0,) * states
        self.arc_start = freeze(np.concatenate([[0], np.cumsum(counts)]).astype(np.int64))
        self.symbol = freeze(_ids("symbol", [a[1] for a in listed]))
        self.next_state = freeze(_ids("state", [a[2] for a in listed]))
        self.weight = freeze(np.array([a[3] for a in listed], dtype=np.float64))
        self.final_weight = freeze(ends)
        self.initial = initial
        _core.check_automaton(
            self.arc_start, self.symbol, self.next_state, self.weight, ends, initial
        )

    @property
    def num_states(self) -> int:
        return len(self.final_weight)

    @property
    def is_deterministic(self) -> bool:
        """Whether no state has two arcs for one word: every string then has one path at most."""
        state = np.repeat(np.arange(self.num_states), np.diff(self.arc_start))
        same = (state[1:] == state[:-1]) & (self.symbol[1:] == self.symbol[:-1])
        return not bool(same.any())

    @classmethod
    def accepting(cls, strings: Iterable[str | Sequence[str]], vocabulary: Vocabulary) -> Automaton:
        """The strings themselves, with log weight 0 (words new to the vocabulary are added)."""
        arcs: list[tuple[int, int, int, float]] = []
        next_of: dict[tuple[int, int], int] = {}
        final: dict[int, float] = {}
        for string in strings:
            state = 0
            for word in string.split() if isinstance(string, str) else string:
                key = (state, vocabulary.add(word))
                if key not in next_of:
                    next_of[key] = len(next_of) + 1
                    arcs.append((*key, next_of[key], 0.0))
                state = next_of[key]
            final[state] = 0.0
        return cls(arcs, final, states=len(next_of) + 1)

    @classmethod
    def ngram(
        cls,
        log_probability: Mapping[tuple[str, ...], float],
        vocabulary: Vocabulary,
        *,
        begin: str = "<s>",
        end: str = "</s>",
    ) -> Automaton:
        """An n-gram model without back-off: log p(last word | the words before it) for each n-gram.

        A history is the longest suffix of the words so far that begins some n-gram.  A string with
        an n-gram that is not listed is not accepted.
        """
        if () in log_probability:
            reason = "ngram: an n-gram has at least one word"
            raise ForestError(reason, code="argument.value", argument="log_probability", value=())
        histories = {gram[:-1] for gram in log_probability}
        number = {
            history: i for i, history in enumerate(sorted(histories, key=lambda h: (len(h), h)))
        }

        def longest(words: tuple[str, ...]) -> int | None:
            for cut in range(len(words) + 1):
                if words[cut:] in number:
                    return number[words[cut:]]
            return None

        arcs: list[tuple[int, int, int, float]] = []
        final: dict[int, float] = {}
        sink = len(number)  # a history that no n-gram begins with: nothing may follow
        for gram, value in log_probability.items():
            state = number[gram[:-1]]
            if gram[-1] == end:
                final[state] = value
                continue
            to = longest(gram)
            arcs.append((state, vocabulary.add(gram[-1]), sink if to is None else to, value))
        start = longest((begin,))
        if start is None:
            reason = f"ngram: no n-gram begins with {begin!r}"
            raise ForestError(reason, code="argument.missing", argument="begin", value=begin)
        return cls(arcs, final, states=len(number) + 1, initial=start)

    def __repr__(self) -> str:
        return f"Automaton({self.num_states} states, {len(self.symbol)} arcs)"


def _ids(what: str, numbers: list[int]) -> IdArray:
    listed = [as_count(f"the {what} of an arc", n, -1, 2**31 - 1) for n in numbers]
    return np.array(listed, dtype=np.int32)
