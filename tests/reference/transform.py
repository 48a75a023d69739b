"""What transforms must keep, by enumeration: derivations as nested, order-free descriptions.

Behind that, a loop for each native kernel, under the kernel's name, for forests of any size.
"""

from __future__ import annotations

from collections import Counter
from itertools import product
from math import inf
from typing import NamedTuple

from rosewood.forest import OTHERWISE, Automaton, Forest
from tests.reference.forest import enumerate_derivations, feature_rows, tails_of, words_of
from tests.reference.validate import find_reachable

# -- by enumeration --------------------------------------------------------------------------------


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


class TooManyPaths(Exception):
    """A nondeterministic automaton may have exponentially many paths for a string."""


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
        if len(paths) > 2000:  # a forest and an automaton for another day
            raise TooManyPaths
    finals = [(weight, float(automaton.final_weight[state])) for state, weight in paths]
    return [weight + final for weight, final in finals if final > -inf]


# -- by loops --------------------------------------------------------------------------------------


class Structure(NamedTuple):
    """The arrays of a new forest, and where its edges and nodes came from."""

    edge_start: list[int]
    head: list[int]
    tail_start: list[int]
    tail: list[int]
    edge_map: list[int]
    node_map: list[int]


def structure(rows) -> Structure:
    """From pairs (old node, [(old edge, new tails), …]), one for each new node."""
    edges = [(head, old, tails) for head, (_, row) in enumerate(rows) for old, tails in row]
    return Structure(
        _starts([row for _, row in rows]),
        [head for head, _, _ in edges],
        _starts([tails for _, _, tails in edges]),
        [tail for _, _, tails in edges for tail in tails],
        [old for _, old, _ in edges],
        [node for node, _ in rows],
    )


def _starts(rows) -> list[int]:
    starts = [0]
    for row in rows:
        starts.append(starts[-1] + len(row))
    return starts


def gather_rows(start, item, rows) -> tuple[list[int], list]:
    """Rows of `item` in the given order, one after the other; -1 stands for an empty row."""
    found = [[] if row == -1 else list(item[start[row] : start[row + 1]]) for row in rows]
    return _starts(found), [x for row in found for x in row]


def says_of(forest: Forest) -> list[list[int]]:
    """The yield of each edge: words, and -1-k for the k-th tail."""
    symbols, start = forest.yield_symbol.tolist(), forest.yield_start.tolist()
    return [symbols[start[edge] : start[edge + 1]] for edge in range(forest.num_edges)]


def select_edges(forest: Forest, keep) -> Structure:
    """The edges to keep, less those in no derivation of the root that only has such edges.

    Nodes and edges stay in order; the root stays in any case.
    """
    tails = tails_of(forest)
    reachable = find_reachable(forest, keep)
    left = [v for v in range(forest.num_nodes) if reachable[v] or v == forest.root]
    number = {node: i for i, node in enumerate(left)}
    rows = []
    for node in left:
        row = []
        for edge in forest.edges_into(node):
            if keep[edge] and reachable[node] and all(reachable[tail] for tail in tails[edge]):
                row.append((edge, [number[tail] for tail in tails[edge]]))
        rows.append((node, row))
    return structure(rows)


def topological_sort(nodes: int, head, tails, root: int) -> Structure | None:
    """Edges in any order as a forest: of the nodes whose tails are placed, the smallest is next.

    The root is last; the edges of a head keep their order.  None where there is a cycle, or where
    the root is a tail.
    """
    if any(root in row for row in tails):
        return None
    into = [[edge for edge in range(len(head)) if head[edge] == node] for node in range(nodes)]
    number: dict[int, int] = {}
    while len(number) < nodes - 1:
        ready = [
            node
            for node in range(nodes)
            if node != root
            and node not in number
            and all(tail in number for edge in into[node] for tail in tails[edge])
        ]
        if not ready:
            return None
        number[min(ready)] = len(number)
    return structure([
        (node, [(edge, [number[tail] for tail in tails[edge]]) for edge in into[node]])
        for node in [*number, root]
    ])  # fmt: skip


def share_equal_parts(forest: Forest) -> Structure:
    """Equal parts become one, bottom-up, each the first of its kind; the root stays by itself.

    Edges are equal if their tails have become the same and they say the same and have the same
    features and rule; nodes are equal if they have the same state and the same set of edges.
    """
    tails, says, features = tails_of(forest), says_of(forest), feature_rows(forest)
    rows: list = []
    number: list[int] = []  # the new node of each old one
    known: dict[tuple, int] = {}  # new nodes by their state and edges
    for node in range(forest.num_nodes):
        own = {}  # old edge of each distinct edge
        for edge in forest.edges_into(node):
            below = tuple(number[tail] for tail in tails[edge])
            rule = None if forest.rule is None else int(forest.rule[edge])
            key = (below, tuple(says[edge]), tuple(features[edge]), rule)
            own.setdefault(key, edge)
        state = None if forest.state is None else int(forest.state[node])
        kind = (state, frozenset(own))
        if node == forest.root or kind not in known:
            known[kind] = len(rows)
            rows.append((node, [(edge, list(key[0])) for key, edge in own.items()]))
        number.append(known[kind])
    return structure(rows)


# -- boundary words --------------------------------------------------------------------------------

GAP = -1  # words not known, between the two ends of a long string
OWN, BEGIN = "own", "begin"  # whose a word is, where it is not a slot's


class Refined(NamedTuple):
    """The structure; of each new node its words and whether they are all; n-grams of each edge."""

    structure: Structure
    boundary: list[list[int]]
    whole: list[bool]
    grams: list[list[tuple[int, ...]]]


def refine(forest: Forest, n: int, begin: int = -1, end: int = -1) -> Refined:
    """A copy of a node for each pair of first and last n-1 words (or whole string below n-1 words).

    Words on a side where no edge puts anything do not tell copies apart.  An edge completes the
    n-grams of 1 to n words that do not lie within one of its tails.  `begin` and `end`, where not
    negative, stand around the root's string: `end` at the root, `begin` at the lowest edges that
    are sure to come first.  `begin` alone is no n-gram.
    """
    tails, says = tails_of(forest), says_of(forest)
    left, right = open_sides(forest, followed=end >= 0)
    copies: list[list[int]] = []  # the new nodes of each old one
    known: list[tuple[int, ...]] = []  # what each new node knows: words, perhaps with a GAP
    rows, grams = [], []
    for node in range(forest.num_nodes):
        root = node == forest.root
        groups: dict[tuple[int, ...], list] = {(): []} if root else {}
        for edge in forest.edges_into(node):
            for choice in product(*(copies[tail] for tail in tails[edge])):
                first = says[edge][0] if says[edge] else 0
                lowest = not left[node] and (first >= 0 or left[tails[edge][-1 - first]])
                tokens = [(begin, BEGIN)] if lowest and begin >= 0 else []
                for symbol in says[edge]:
                    slot = -1 - symbol
                    tokens += (
                        [(symbol, OWN)] if symbol >= 0
                        else [(word, slot) for word in known[choice[slot]]]
                    )  # fmt: skip
                tokens += [(end, OWN)] if root and end >= 0 else []
                said = [word for word, _ in tokens]
                state = () if root else _ends(said, n - 1, left[node], right[node])
                groups.setdefault(state, []).append((edge, choice, _completed(tokens, n)))
        copies.append(list(range(len(rows), len(rows) + len(groups))))
        for state, row in groups.items():
            known.append(state)
            rows.append((node, [(edge, list(choice)) for edge, choice, _ in row]))
            grams.extend(completed for _, _, completed in row)
    boundary = [[word for word in state if word != GAP] for state in known]
    return Refined(structure(rows), boundary, [GAP not in state for state in known], grams)


def open_sides(forest: Forest, *, followed: bool) -> tuple[list[bool], list[bool]]:
    """Whether words may come to stand to the left and to the right of each node's string."""
    tails, says = tails_of(forest), says_of(forest)
    left = [False] * forest.num_nodes
    right = [followed and node == forest.root for node in range(forest.num_nodes)]
    for node in reversed(range(forest.num_nodes)):
        for edge in forest.edges_into(node):
            for place, symbol in enumerate(says[edge]):
                if symbol < 0:
                    tail = tails[edge][-1 - symbol]
                    left[tail] |= place > 0 or left[node]
                    right[tail] |= place < len(says[edge]) - 1 or right[node]
    return left, right


def _ends(words: list[int], size: int, left: bool, right: bool) -> tuple[int, ...]:
    if left and right and GAP not in words and len(words) < size:
        return tuple(words)
    before = words[: words.index(GAP)] if GAP in words else words
    after = words[len(words) - words[::-1].index(GAP) :] if GAP in words else words
    first = before[:size] if left else []
    last = after[max(0, len(after) - size) :] if right else []
    return (*first, GAP, *last)


def _completed(tokens, n: int) -> list[tuple[int, ...]]:
    found = []
    for i in range(len(tokens)):
        for j in range(i, min(i + n, len(tokens))):
            words = tuple(word for word, _ in tokens[i : j + 1])
            inside_one = tokens[i][1] == tokens[j][1] != OWN
            if GAP not in words and not inside_one:
                found.append(words)
    return found


# -- automata --------------------------------------------------------------------------------------


def arcs_for(automaton: Automaton, state: int, word: int) -> list[tuple[int, float]]:
    """Next states and log weights of a state's arcs for a word; of those for all others if none."""
    arcs = range(int(automaton.arc_start[state]), int(automaton.arc_start[state + 1]))
    own = [a for a in arcs if automaton.symbol[a] == word]
    return [
        (int(automaton.next_state[a]), float(automaton.weight[a]))
        for a in own or [a for a in arcs if automaton.symbol[a] == OTHERWISE]
    ]


def intersect(forest: Forest, automaton: Automaton) -> tuple[Structure, list[float]]:
    """A copy of a node for each pair of states that its strings lead from and to (Bar-Hillel).

    With each edge, the log weight of the arcs its own words pass, at the root's the final weight
    too.  The root begins in the initial state and ends in any final one.
    """
    tails, says = tails_of(forest), says_of(forest)
    ends: dict[tuple[int, int], dict[int, int]] = {}  # of (node, state): new node of each end
    rows, weights = [], []
    for node in range(forest.num_nodes):
        root = node == forest.root
        for state in [automaton.initial] if root else range(automaton.num_states):
            paths: dict[int, list] = {}  # by end: edge, new tails, weight
            for edge in forest.edges_into(node):
                partial = [(state, {}, 0.0)]
                for symbol in says[edge]:
                    step = []
                    for at, below, weight in partial:
                        if symbol >= 0:
                            for to, more in arcs_for(automaton, at, symbol):
                                step.append((to, below, weight + more))
                        else:
                            slot = -1 - symbol
                            for to, made in ends[tails[edge][slot], at].items():
                                step.append((to, {**below, slot: made}, weight))
                    partial = step
                for to, below, weight in partial:
                    slots = [below[slot] for slot in range(len(tails[edge]))]
                    paths.setdefault(to, []).append((edge, slots, weight))
            if root:
                final = automaton.final_weight.tolist()
                found = [
                    (edge, slots, weight + final[to])
                    for to in sorted(paths)
                    for edge, slots, weight in paths[to]
                    if final[to] > -inf
                ]
                rows.append((node, [(edge, slots) for edge, slots, _ in found]))
                weights.extend(weight for _, _, weight in found)
                continue
            ends[node, state] = {}
            for to in sorted(paths):
                ends[node, state][to] = len(rows)
                rows.append((node, [(edge, slots) for edge, slots, _ in paths[to]]))
                weights.extend(weight for _, _, weight in paths[to])
    every = structure(rows)
    made = Forest(every.edge_start, every.tail_start, every.tail, allow_unreachable=True)
    used = select_edges(made, [True] * made.num_edges)
    return used._replace(
        edge_map=[every.edge_map[edge] for edge in used.edge_map],
        node_map=[every.node_map[node] for node in used.node_map],
    ), [weights[edge] for edge in used.edge_map]


def number_words(symbols: list[int]) -> tuple[list[int], list[int]]:
    """The words among symbols, ascending, and the symbols with words by their places there."""
    used = sorted({symbol for symbol in symbols if symbol >= 0})
    return used, [used.index(symbol) if symbol >= 0 else symbol for symbol in symbols]


def keep_best(marginal: list[float], best: list[int], least: float, most: int) -> list[bool]:
    """Which edges stay: at most so many, sorted by their best derivations, none below `least`; the
    edges of the best derivation come first and stay in any case."""
    order = sorted(range(len(marginal)), key=lambda e: (-inf if e in best else -marginal[e], e))
    kept = {e for e in order[:most] if marginal[e] > -inf and marginal[e] >= least}
    return [e in kept or e in best for e in range(len(marginal))]


def find_ngrams(
    ngrams: list[tuple[int, ...]], ids: list[int], keys: list[int], base: int, order: int
) -> list[int]:
    """The place of each n-gram's key among the keys; -1: it has none, or it is too long."""
    found = []
    for words in ngrams:
        key = 0
        for word in words:
            key = key * base + ids[word]
        known = len(words) <= order and all(ids[word] for word in words) and key in keys
        found.append(keys.index(key) if known else -1)
    return found
