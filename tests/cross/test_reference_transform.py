"""Transforms and checks: the loops of tests/reference against enumeration, kernels against loops.

Of the numbers that kernels give new things, only documented ones are compared: see `test_refine`
and `test_intersect`.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st
from tests.large import large_forest, starts
from tests.reference import transform, validate
from tests.reference.expectation import ngrams
from tests.reference.forest import enumerate_derivations, score, words_of
from tests.strategies import forests, quarters, weights_for

from rosewood import _core
from rosewood.errors import CycleError, ForestError
from rosewood.forest import OTHERWISE, Automaton, Forest, merge

EXAMPLES = settings(max_examples=40, deadline=None)
SEEDS = range(8)
each_seed = pytest.mark.parametrize("seed", SEEDS)


def large(seed: int) -> Forest:
    """Every other one has nodes that no derivation uses."""
    return large_forest(seed, broken=seed % 2 == 1)


def lists(arrays) -> list[list]:
    return [array.tolist() for array in arrays]


def built(old: Forest, made: transform.Structure) -> Forest:
    """The forest that a structure describes; words follow the edges."""
    start, symbol = transform.gather_rows(
        old.yield_start.tolist(), old.yield_symbol.tolist(), made.edge_map
    )
    return Forest(
        made.edge_start, made.tail_start, made.tail, vocabulary=old.vocabulary,
        yield_start=start, yield_symbol=np.array(symbol, dtype=np.int32), allow_unreachable=True,
    )  # fmt: skip


# -- rows, selection, order ------------------------------------------------------------------------


@each_seed
def test_gather(seed):
    random = np.random.default_rng(seed)
    rows = [random.normal(size=random.integers(0, 5)) for _ in range(200)]
    start, item = starts(rows), np.concatenate(rows)
    chosen = random.integers(-1, 200, 300)
    want = transform.gather_rows(start.tolist(), item.tolist(), chosen.tolist())
    assert lists(_core.gather_values(start, item, chosen)) == list(want)
    whole = (item * 100).astype(np.int32)
    want = transform.gather_rows(start.tolist(), whole.tolist(), chosen.tolist())
    assert lists(_core.gather_ids(start, whole, chosen)) == list(want)


@EXAMPLES
@given(forests(), st.data())
def test_select_loop(forest, data):
    keep = data.draw(weights_for(forest, st.booleans()))
    made = transform.select_edges(forest, keep)
    want = Counter(d for d in enumerate_derivations(forest) if all(keep[e] for e in d))
    assert transform.mapped_derivations(built(forest, made), made.edge_map) == want
    used = {e for d in want for e in d}
    assert set(made.edge_map) == used
    heads = {int(forest.head[e]) for e in used}
    reachable = validate.find_reachable(forest, keep)
    assert {v for v in range(forest.num_nodes) if reachable[v]} == heads
    assert set(made.node_map) == heads | {forest.root}


@each_seed
@pytest.mark.parametrize("part", [1.0, 0.9, 0.5])
def test_select(seed, part):
    forest = large(seed)
    keep = (np.random.default_rng(seed).random(forest.num_edges) < part).astype(np.uint8)
    want = transform.select_edges(forest, keep.tolist())
    assert lists(_core.select_edges(forest.view, keep)) == list(want)


@EXAMPLES
@given(forests(), st.randoms(use_true_random=False))
def test_topological_sort_loop(forest, random):
    nodes, edges = list(range(forest.num_nodes)), list(range(forest.num_edges))
    random.shuffle(nodes)
    random.shuffle(edges)
    tails = [[nodes[t] for t in forest.tails(e).tolist()] for e in edges]
    head = [nodes[int(forest.head[e])] for e in edges]
    made = transform.topological_sort(len(nodes), head, tails, nodes[forest.root])
    assert validate.good_structure(*made[:4])
    old = [edges[e] for e in made.edge_map]
    new = Forest(made.edge_start, made.tail_start, made.tail)
    assert transform.mapped_derivations(new, old) == transform.derivations(forest)


@pytest.mark.parametrize("seed", range(24))
def test_topological_sort(seed):
    """Edges in disorder, and for every other seed some that may close a cycle."""
    random = np.random.default_rng(seed)
    forest = large_forest(seed, nodes=80, broken=seed % 3 == 0)
    nodes, edges = random.permutation(forest.num_nodes), random.permutation(forest.num_edges)
    tails = [nodes[forest.tails(e)].tolist() for e in edges]
    head, root = nodes[forest.head[edges]].astype(np.int32), int(nodes[-1])
    if seed % 2:
        for row in random.choice(len(tails), 2):
            tails[row].append(int(random.integers(forest.num_nodes)))
    arguments = (
        forest.num_nodes, head, starts(tails),
        np.array([t for row in tails for t in row], dtype=np.int32), root,
    )  # fmt: skip
    want = transform.topological_sort(forest.num_nodes, head.tolist(), tails, root)
    if want is None:
        top = any(root in row for row in tails)
        with pytest.raises(ForestError if top else CycleError):
            _core.topological_sort(*arguments)
    else:
        assert lists(_core.topological_sort(*arguments)) == list(want)


# -- sharing ---------------------------------------------------------------------------------------


def shared(forest: Forest) -> list[list]:
    rule = np.empty(0, np.int64) if forest.rule is None else forest.rule
    return lists(
        _core.share_equal_parts(
            forest.view,
            forest.yield_start,
            forest.yield_symbol,
            forest.feature_view,
            rule,
            np.zeros(forest.num_nodes, np.int64) if forest.state is None else forest.state,
        )
    )


@EXAMPLES
@given(st.lists(forests(max_nodes=4, max_derivations=8), min_size=1, max_size=2))
def test_share_loop(parts):
    forest = merge([*parts, parts[0]], share=False).forest
    made = transform.share_equal_parts(forest)
    new = built(forest, made)
    have = {described(forest, new, made.edge_map, d) for d in enumerate_derivations(new)}
    edges = range(forest.num_edges)
    assert have == {described(forest, forest, edges, d) for d in enumerate_derivations(forest)}
    assert len(made.edge_map) <= sum(part.num_edges for part in parts)


def described(old: Forest, new: Forest, edge_map, derivation) -> tuple:
    """What a derivation says, and the features and strings of its edges."""
    features = [tuple(sorted(old.edge_features(edge_map[e]).items())) for e in derivation]
    return tuple(words_of(new, derivation)), *features, *(tuple(new.says(e)) for e in derivation)


@pytest.mark.slow
@each_seed
def test_share(seed):
    """Forests with many equal leaves, once and three times over; with rules and without."""
    one, other = large(seed), large_forest(seed + 100)
    rng = np.random.default_rng(seed)
    ruled = one.derive(rule=rng.integers(0, 2, one.num_edges))
    labelled = one.derive(state=rng.integers(0, 2, one.num_nodes))
    for forest in (one, ruled, labelled, merge([one, other, one], share=False).forest):
        want = transform.share_equal_parts(forest)
        assert shared(forest) == list(want)
    assert len(want.edge_map) < 2 * one.num_edges + other.num_edges - one.num_edges // 2


# -- boundary words --------------------------------------------------------------------------------


@EXAMPLES
@given(forests(max_derivations=15), st.integers(1, 4), st.booleans())
def test_refine_loop(forest, n, around):
    begin, end = ("a", "b") if around else (None, None)
    made = transform.refine(forest, n, *((0, 1) if around else (-1, -1)))
    new = built(forest, made.structure)
    edge_map = made.structure.edge_map
    assert transform.mapped_derivations(new, edge_map) == transform.derivations(forest)
    for derivation in enumerate_derivations(new):
        have = Counter(tuple(map(new.word, gram)) for e in derivation for gram in made.grams[e])
        assert have == ngrams(words_of(new, derivation), n, begin, end)


@pytest.mark.slow
@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("around", [(-1, -1), (0, 1), (-1, 3)])
@each_seed
def test_refine(seed, n, around):
    forest = large_forest(seed, nodes=40, max_size=8, broken=seed % 2 == 1)
    found = _core.refine(
        forest.view, forest.yield_start, forest.yield_symbol, n, *around, 10_000_000
    )
    want = transform.refine(forest, n, *around)
    structure, boundary_start, boundary, whole, start, gram, word_start, word = found
    assert lists(structure) == list(want.structure)
    words = boundary.tolist()
    assert [words[a:b] for a, b in pairwise(boundary_start.tolist())] == want.boundary
    assert whole.astype(bool).tolist() == want.whole
    numbered = [tuple(word[a:b].tolist()) for a, b in pairwise(word_start.tolist())]
    assert len(set(numbered)) == len(numbered)
    assert set(numbered) == {g for row in want.grams for g in row}
    told = [numbered[g] for g in gram.tolist()]
    assert [told[a:b] for a, b in pairwise(start.tolist())] == want.grams


# -- automata --------------------------------------------------------------------------------------


@st.composite
def automata(draw) -> Automaton:
    states = draw(st.integers(1, 3))
    pick = st.integers(0, states - 1)
    arcs = draw(st.lists(st.tuples(pick, st.integers(OTHERWISE, 2), pick, quarters), max_size=9))
    final = draw(st.dictionaries(pick, quarters))
    return Automaton(arcs, final, states=states, initial=draw(pick))


@EXAMPLES
@given(forests(max_derivations=15), automata())
def test_intersect_loop(forest, automaton):
    made, weight = transform.intersect(forest, automaton)
    want: Counter[tuple] = Counter()
    for d in enumerate_derivations(forest):
        numbers = [forest.vocabulary.get(w) for w in words_of(forest, d)]
        try:
            want.update((d, path) for path in transform.accepting_weights(automaton, numbers))
        except transform.TooManyPaths:
            reject()
    have = Counter(
        (tuple(made.edge_map[e] for e in d), score(d, weight))
        for d in enumerate_derivations(built(forest, made))
    )
    assert have == want


def parts(made, weight, names: dict) -> Counter[int]:
    """The nodes of an intersection without their order: names of what stands below each."""
    edge_start, _, tail_start, tail, edge_map, node_map = made
    named: list[int] = []
    for node, old in enumerate(node_map):
        edges = sorted(
            (edge_map[e], weight[e], [named[t] for t in tail[tail_start[e] : tail_start[e + 1]]])
            for e in range(edge_start[node], edge_start[node + 1])
        )
        named.append(names.setdefault((old, repr(edges)), len(names)))
    return Counter(named)


@pytest.mark.parametrize("seed", range(16))
def test_intersect(seed):
    random = np.random.default_rng(seed)
    forest = large_forest(seed, nodes=40, max_size=20, broken=seed % 2 == 1)
    states = int(random.integers(1, 5))
    arcs = [
        (state, word, int(random.integers(states)), float(random.integers(-8, 8)) / 4)
        for state in range(states)
        for word in range(OTHERWISE, 3)
        for _ in range(random.integers(0, 3))
    ]
    final = {s: float(s) for s in range(states) if random.random() < 0.7}
    automaton = Automaton(arcs, final, states=states, initial=int(random.integers(states)))
    made, weight = _core.intersect(
        forest.view, forest.yield_start, forest.yield_symbol, automaton.arc_start,
        automaton.symbol, automaton.next_state, automaton.weight, automaton.final_weight,
        automaton.initial, 10_000_000,
    )  # fmt: skip
    want, want_weight = transform.intersect(forest, automaton)
    names: dict[tuple, int] = {}
    assert parts(lists(made), weight.tolist(), names) == parts(want, want_weight, names)
    assert validate.good_structure(*lists(made)[:4])


# -- checks ----------------------------------------------------------------------------------------


def accepts(check, *arguments) -> bool:
    try:
        check(*arguments)
    except ForestError:
        return False
    return True


def damaged(random: np.random.Generator, arrays: list[np.ndarray], odd=()) -> list[np.ndarray]:
    """The arrays with a number or two changed a little or much, or one array cut short."""
    arrays = [array.copy() for array in arrays]
    for _ in range(random.integers(0, 3)):
        at = int(random.integers(len(arrays)))
        if random.random() < 0.15:
            arrays[at] = arrays[at][:-1].copy()
        elif arrays[at].size:
            place = tuple(int(random.integers(size)) for size in arrays[at].shape)
            choices = [*odd] if arrays[at].dtype == np.float64 else []
            change = random.choice([-1, 1, -7, 1000])
            arrays[at][place] = random.choice(choices) if choices else arrays[at][place] + change
    return arrays


@pytest.mark.parametrize("seed", range(150))
def test_checks(seed):
    random = np.random.default_rng(seed)
    forest = large_forest(seed % 10, nodes=int(random.integers(2, 12)), broken=seed % 2 == 1)
    arrays = [forest.edge_start, forest.head, forest.tail_start, forest.tail]
    bad = damaged(random, arrays)
    assert accepts(_core.make_forest, *bad) == validate.good_structure(*lists(bad))
    assert accepts(_core.check_reachable, forest.view) == validate.all_reachable(forest)

    start, symbol = damaged(random, [forest.yield_start, forest.yield_symbol])
    words = int(random.choice([-1, 4, 3]))
    good = validate.good_yield(forest, start.tolist(), symbol.tolist(), words)
    assert accepts(_core.check_yield, forest.view, start, symbol, words) == good

    odd = (np.nan, np.inf, -np.inf, 2.5)
    arrays = [forest.dense, forest.feat_start, forest.feat_id, forest.feat_value]
    bad = damaged(random, arrays, odd)
    good = validate.good_features(*lists(bad), 12)
    assert accepts(_core.make_features, *bad, 12) == good

    arcs = [(s, word, int(random.integers(3)), 0.5) for s in range(3) for word in (-1, 2, 2)]
    a = Automaton(arcs, {0: 1.0}, states=3)
    bad = damaged(random, [a.arc_start, a.symbol, a.next_state, a.weight, a.final_weight], odd)
    initial = int(random.integers(-1, 4))
    good = validate.good_automaton(*lists(bad), initial)
    assert accepts(_core.check_automaton, *bad, initial) == good
