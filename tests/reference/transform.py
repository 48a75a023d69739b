"""What transforms must keep, by enumeration: derivations as nested, order-free descriptions."""

from __future__ import annotations

from collections import Counter
from math import inf

from rosewood.forest import Automaton, Forest
from tests.reference.forest import enumerate_derivations, words_of


def mapped_derivations(forest: Forest, edge_map) -> Counter[tuple[int, ...]]:
    """Derivations of a new forest, told in edges of the old one."""
    return Counter(tuple(int(edge_map[e]) for e in d) for d in enumerate_derivations(forest))


def derivations(forest: Forest) -> Counter[tuple[int, ...]]:
    return Counter(enumerate_derivations(forest))


def describe(forest: Forest, derivation: tuple[int, ...]) -> tuple:
    """A derivation without numbers: its words and the features of its edges."""
    edges = [tuple(sorted(forest.edge_features(e).items())) for e in derivation]
    says = [tuple(forest.says(e)) for e in derivation]
    return tuple(words_of(forest, derivation)), tuple(edges), tuple(says)


def accepting_weights(automaton: Automaton, word_numbers: list[int]) -> list[float]:
    """Log weights of the accepting paths of a string."""
    paths = [(automaton.initial, 0.0)]
    for word in word_numbers:
        step = []
        for state, weight in paths:
            arcs = range(int(automaton.arc_start[state]), int(automaton.arc_start[state + 1]))
            own = [a for a in arcs if automaton.symbol[a] == word]
            for arc in own or [a for a in arcs if automaton.symbol[a] == -1]:
                step.append((int(automaton.next_state[arc]), weight + float(automaton.weight[arc])))
        paths = step
    finals = [(weight, float(automaton.final_weight[state])) for state, weight in paths]
    return [weight + final for weight, final in finals if final > -inf]
