"""Transforms against enumeration: what is kept is exactly what should be."""

from __future__ import annotations

from collections import Counter
from math import inf

import numpy as np
import pytest
from hypothesis import assume, given, reject, settings
from hypothesis import strategies as st
from tests.reference.expectation import ngrams
from tests.reference.forest import (
    best_with_edge,
    derivations_of_nodes,
    enumerate_derivations,
    score,
    words_of,
)
from tests.reference.transform import (
    TooManyPaths,
    accepting_weights,
    derivations,
    describe,
    find_ngrams,
    keep_best,
    mapped_derivations,
    open_sides,
)
from tests.refusals import fault, refuses
from tests.strategies import finite_log_weights, forests, quarters, weighted_forests, weights_for

from rosewood import _core
from rosewood.corpus import Vocabulary
from rosewood.errors import CycleError, ForestError
from rosewood.forest import (
    OTHERWISE,
    Automaton,
    FeatureSpace,
    Forest,
    ForestBuilder,
    drop_unreachable,
    entropy_gradient,
    intersect,
    log_partition,
    merge,
    parse_forest,
    prune,
    refine,
    renamed,
    reweight,
    select_edges,
    topological_sort,
)

examples = settings(max_examples=80, deadline=None)


def check_rows(old: Forest, new: Forest, edge_map) -> None:
    """Features, yields and rules followed the edges, and the new forest is a valid one."""
    for edge, before in enumerate(edge_map.tolist()):
        assert new.edge_features(edge) == old.edge_features(before)
        assert new.says(edge) == old.says(before)
    again = Forest(
        new.edge_start, new.tail_start, new.tail,
        features=new.features, dense=new.dense,
        feat_start=new.feat_start, feat_id=new.feat_id, feat_value=new.feat_value,
        vocabulary=new.vocabulary, yield_start=new.yield_start, yield_symbol=new.yield_symbol,
    )  # fmt: skip
    assert again == new


@examples
@given(forests(), st.data())
def test_select_edges(forest, data):
    keep = np.array(data.draw(weights_for(forest, st.booleans())))
    made, edge_map, node_map = select_edges(forest, keep)
    want = Counter(d for d in enumerate_derivations(forest) if all(keep[e] for e in d))
    assert mapped_derivations(made, edge_map) == want
    check_rows(forest, made, edge_map)
    assert node_map[-1] == forest.root
    used = {e for d in want for e in d}
    assert set(edge_map.tolist()) == used


@pytest.mark.slow
@examples
@given(weighted_forests(finite_log_weights), st.floats(0, 10))
def test_prune_by_beam(case, beam):
    forest, weight = case
    made, edge_map, _ = prune(forest, weight, beam=beam)
    marginal = best_with_edge(forest, weight)
    top = max(marginal)
    kept = set(edge_map.tolist())
    for edge, value in enumerate(marginal):
        if value > top - beam + 1e-9:
            assert edge in kept
        if value < top - beam - 1e-9:
            assert edge not in kept
    assert made.best(np.array(weight)[edge_map]).score == pytest.approx(top)
    check_rows(forest, made, edge_map)


@pytest.mark.slow
@examples
@given(weighted_forests(finite_log_weights), st.floats(0.1, 5))
def test_prune_by_density(case, density):
    forest, weight = case
    best = forest.best(weight)
    made, edge_map, _ = prune(forest, weight, density=density)
    most = max(int(density * max(1, len(best.words))), 1)
    assert made.num_edges <= max(most, len(set(best.edges.tolist())))
    assert made.best(np.array(weight)[edge_map]).score == pytest.approx(best.score)


@pytest.mark.slow
@examples
@given(
    weighted_forests(st.sampled_from([-inf, -2.0, -1.0, 0.0, 0.5])), st.integers(1, 12),
    st.sampled_from([-inf, -2.0, 0.0]),
)  # fmt: skip
def test_good_edges_are_kept(case, most, least):
    """Among equal ones the first, and those of the best derivation whatever there is."""
    forest, weight = case
    weights = np.array(weight)
    assume(max(best_with_edge(forest, weight)) > -inf)
    best = forest.best(weights).edges
    keep = np.empty(forest.num_edges, np.uint8)
    _core.keep_best(forest.view, weights, best, least, most, keep)
    marginal = forest.max_marginals(weights).tolist()
    assert keep.astype(bool).tolist() == keep_best(marginal, best.tolist(), least, most)


@pytest.mark.parametrize(("best", "most"), [([-1], 1), ([9], 1), ([0], 0)])
def test_what_keeping_refuses(best, most):
    forest = parse_forest("0 <- ||| a\n0 <- ||| b")
    keep = np.empty(2, np.uint8)
    with refuses(ForestError, "argument.range"):
        _core.keep_best(forest.view, np.zeros(2), np.array(best), 0.0, most, keep)


@given(
    st.lists(st.lists(st.integers(0, 4), min_size=1, max_size=3).map(tuple), max_size=8),
    st.permutations([0, 1, 2, 0, 3]), st.sets(st.integers(1, 63), max_size=20),
)  # fmt: skip
def test_ngrams_are_found_by_their_keys(ngrams, ids, keys):
    start = np.cumsum([0, *map(len, ngrams)])
    words = np.array([word for each in ngrams for word in each], np.int32)
    table = np.array(sorted(keys), np.int64)
    found = _core.find_ngrams(start, words, np.array(ids), table, 4, 2)
    assert found.tolist() == find_ngrams(ngrams, ids, sorted(keys), 4, 2)
    if len(words):
        with refuses(ForestError, "argument.range", argument="word"):
            _core.find_ngrams(start, words + 5, np.array(ids), table, 4, 2)


@examples
@given(forests(), st.randoms(use_true_random=False))
def test_topological_sort(forest, random):
    nodes, edges = list(range(forest.num_nodes)), list(range(forest.num_edges))
    random.shuffle(nodes)
    random.shuffle(edges)
    tails = [[nodes[t] for t in forest.tails(e).tolist()] for e in edges]
    edge_start, tail_start, tail, edge_map, node_map = topological_sort(
        [nodes[int(forest.head[e])] for e in edges],
        np.cumsum([0, *map(len, tails)]),
        [t for row in tails for t in row],
        nodes=forest.num_nodes,
        root=nodes[forest.root],
    )
    made = Forest(edge_start, tail_start, tail)
    old = [edges[e] for e in edge_map.tolist()]
    assert mapped_derivations(made, old) == derivations(forest)
    assert node_map[-1] == nodes[forest.root]


def test_topological_sort_keeps_what_is_sorted():
    sorted_already = topological_sort([0, 1, 1, 2], [0, 0, 1, 1, 3], [0, 1, 0], nodes=3, root=2)
    assert sorted_already[3].tolist() == [0, 1, 2, 3]
    assert sorted_already[4].tolist() == [0, 1, 2]


def test_cycles_are_named():
    with refuses(CycleError, "forest.cycle", value=1):
        topological_sort([0, 1, 2, 3], [0, 0, 1, 2, 4], [2, 1, 1, 2], nodes=4, root=3)
    with refuses(CycleError, "forest.cycle", value=1):
        topological_sort([0, 1, 2], [0, 0, 2, 3], [1, 0, 1], nodes=3, root=2)
    with refuses(ForestError, "forest.root", value=1):
        topological_sort([0, 1], [0, 1, 2], [1, 0], nodes=2, root=1)


@pytest.mark.slow
@examples
@given(st.lists(forests(max_nodes=4, max_derivations=8), min_size=1, max_size=3))
def test_merge_without_sharing(parts):
    merged, edge_map, source = merge(parts, share=False)
    want = Counter(
        (number, d) for number, part in enumerate(parts) for d in enumerate_derivations(part)
    )
    have = Counter(
        (int(source[d[0]]), tuple(int(edge_map[e]) for e in d))
        for d in enumerate_derivations(merged)
    )
    assert have == want


@pytest.mark.slow
@examples
@given(st.lists(forests(max_nodes=4, max_derivations=8), min_size=1, max_size=3))
def test_merge_shares_equal_parts(parts):
    merged, edge_map, source = merge(parts)
    want = {describe(part, d) for part in parts for d in enumerate_derivations(part)}
    have = Counter(describe(merged, d) for d in enumerate_derivations(merged))
    assert set(have) == want
    for edge in range(merged.num_edges):
        part = parts[int(source[edge])]
        assert merged.edge_features(edge) == part.edge_features(int(edge_map[edge]))
    twice = merge([*parts, *parts]).forest
    assert (twice.num_nodes, twice.num_edges) == (merged.num_nodes, merged.num_edges)
    rows = [
        (int(merged.head[e]), tuple(merged.tails(e).tolist()), tuple(merged.says(e)),
         tuple(merged.edge_features(e).items()))
        for e in range(merged.num_edges)
    ]  # fmt: skip
    assert len(set(rows)) == len(rows)


def test_merge_of_nbest_lists_has_each_candidate_once():
    space, words = FeatureSpace(["s"]), Vocabulary()
    first = Forest.from_nbest(["a b", "c"], [[1.0], [2.0]], features=space, vocabulary=words)
    second = Forest.from_nbest(["c", "a b"], [[2.0], [3.0]], features=space, vocabulary=words)
    merged, edge_map, source = merge([first, second])
    assert merged.num_derivations() == 3  # "a b" with another score is another candidate
    assert list(zip(source.tolist(), edge_map.tolist(), strict=True)) == [(0, 0), (0, 1), (1, 1)]


def test_merge_refuses_strangers():
    one = Forest.from_nbest(["a"], [[1.0]], features=FeatureSpace(["s"]))
    other = Forest.from_nbest(["a"], [[1.0]], features=FeatureSpace(["t"]))
    with refuses(ForestError, "file.mismatch", argument="features", value=1):
        merge([one, other])
    words = Forest.from_nbest(["b"], [[1.0]], features=FeatureSpace(["s"]))
    with refuses(ForestError, "file.mismatch", argument="vocabulary", value=1):
        merge([one, words])
    with refuses(ForestError, "argument.missing", argument="forests"):
        merge([])


@examples
@given(
    forests(max_derivations=20),
    st.integers(1, 4),
    st.sampled_from([(None, None), ("<s>", "</s>"), ("a", "a")]),
)
def test_refine(forest, n, around):
    begin, end = around
    refined = refine(forest, n, begin=begin, end=end)
    made, edge_map = refined.forest, refined.edge_map
    assert mapped_derivations(made, edge_map) == derivations(forest)
    check_rows(forest, made, edge_map)
    # Every n-gram of a derivation's string is completed at exactly one of its edges.
    grams = refined.ngrams
    for derivation in enumerate_derivations(made):
        have: Counter[tuple[str, ...]] = Counter()
        for edge in derivation:
            for gram in grams.gram[grams.start[edge] : grams.start[edge + 1]].tolist():
                have[tuple(made.word(w) for w in grams.words(gram))] += 1
        assert have == ngrams(words_of(made, derivation), n, begin, end)
    # Every node but the root knows its boundary words, where anything may stand beside them.
    left, right = open_sides(forest, followed=end is not None)
    for node, own in enumerate(derivations_of_nodes(made)[:-1]):
        known = refined.boundary[refined.boundary_start[node] : refined.boundary_start[node + 1]]
        told = [made.word(w) for w in known.tolist()]
        old = int(refined.node_map[node])
        for derivation in own:
            words = words_of(made, derivation)
            if begin is not None and not left[old]:
                words = [begin, *words]
            if refined.whole[node]:
                assert words == told
                assert len(words) < n - 1
                assert left[old] is right[old] is True
            else:
                first = words[: n - 1] if left[old] else []
                last = words[max(0, len(words) - (n - 1)) :] if right[old] else []
                assert told == first + last
    # And no node is split more than that needs.
    states = set()
    for node in range(made.num_nodes - 1):
        known = refined.boundary[refined.boundary_start[node] : refined.boundary_start[node + 1]]
        key = (int(refined.node_map[node]), bool(refined.whole[node]), tuple(known.tolist()))
        assert key not in states
        states.add(key)


def test_refine_has_a_limit():
    forest = Forest.from_nbest(["a b", "c"])
    with refuses(ForestError, "forest.too-large", argument="edges", value=1):
        refine(forest, 2, max_edges=1)
    with refuses(ForestError, "argument.range", argument="n", value=0):
        refine(forest, 0)
    assert refine(Forest.empty(), 3).forest.num_derivations() == 0


@st.composite
def automata(draw):
    states = draw(st.integers(1, 3))
    pick = st.integers(0, states - 1)
    arcs = draw(st.lists(st.tuples(pick, st.integers(OTHERWISE, 2), pick, quarters), max_size=9))
    final = draw(st.dictionaries(pick, quarters))
    return Automaton(arcs, final, states=states, initial=draw(pick))


@pytest.mark.slow
@examples
@given(weighted_forests(finite_log_weights, max_derivations=15), automata())
def test_intersect(case, automaton):
    forest, weight = case
    want = Counter()
    for d in enumerate_derivations(forest):
        numbers = [forest.vocabulary.get(w) for w in words_of(forest, d)]
        try:
            paths = accepting_weights(automaton, numbers)
        except TooManyPaths:
            reject()
        for path in paths:
            want[d, round(path, 9)] += 1
    made, edge_map, node_map, extra = intersect(forest, automaton)
    have = Counter(
        (tuple(int(edge_map[e]) for e in d), round(score(d, extra), 9))
        for d in enumerate_derivations(made)
    )
    assert have == want
    check_rows(forest, made, edge_map)
    assert node_map[-1] == forest.root
    total = log_partition(made, np.array(weight)[edge_map] + extra)
    scores = [score(d, weight) + path for (d, path), n in want.items() for _ in range(n)]
    if scores:
        assert total == pytest.approx(np.logaddexp.reduce(scores), abs=1e-7)
    else:
        assert total == -inf


def test_intersect_with_strings_and_ngrams():
    words = Vocabulary()
    forest = Forest.from_nbest(["a b", "a c", "b", ""], vocabulary=words)
    accepted = intersect(forest, Automaton.accepting(["a c", "", "d"], words))
    assert sorted(accepted.forest.k_best(np.zeros(2), 9).texts()) == ["", "a c"]
    bigrams = {
        ("<s>", "a"): -1.0, ("a", "b"): -2.0, ("b", "</s>"): -3.0, ("<s>", "b"): -4.0,
    }  # fmt: skip
    both = intersect(forest, Automaton.ngram(bigrams, words))
    assert both.forest.k_best(both.weight, 9).texts() == ["a b", "b"]
    assert both.forest.k_best(both.weight, 9).score.tolist() == [-6.0, -7.0]
    with refuses(ForestError, "forest.too-large", argument="edges", value=1):
        intersect(forest, Automaton.accepting(["a c", "b"], words), max_edges=1)
    with refuses(ForestError, "argument.missing", argument="begin", value="<s>"):
        Automaton.ngram({("a", "b"): 0.0}, words)


@pytest.mark.parametrize(
    ("arcs", "final", "options", "expected"),
    [
        (
            [(0, 0, 0, 0.0)],
            {},
            {"states": 0},
            fault("argument.range", argument="state", value=0),
        ),
        ([], {}, {"states": 0}, fault("argument.missing", argument="states")),
        (
            [],
            {},
            {"states": 1, "initial": 1},
            fault("argument.range", argument="initial", value=1),
        ),
        (
            [],
            {},
            {"states": 1, "initial": -1},
            fault("argument.range", argument="initial", value=-1),
        ),
        (
            [(0, 0, 5, 0.0)],
            {},
            {"states": 1},
            fault("argument.range", argument="next", value=0),
        ),
        (
            [(0, -2, 0, 0.0)],
            {},
            {"states": 1},
            fault("argument.range", argument="the symbol of an arc", value=-2),
        ),
        ([(0, 0, 0, np.nan)], {}, {"states": 1}, fault("argument.range", argument="weight")),
        ([(0, 0, 0, -np.inf)], {}, {"states": 1}, fault("argument.range", argument="weight")),
        ([], {3: 0.0}, {"states": 1}, fault("argument.range", argument="state", value=3)),
        (
            [],
            {0: np.nan},
            {"states": 1},
            fault("argument.range", argument="final_weight", value=0),
        ),
    ],
)
def test_automata_are_checked(arcs, final, options, expected):
    with refuses(ForestError, **expected):
        Automaton(arcs, final, **options)


@pytest.mark.slow
@examples
@given(weighted_forests(quarters))
def test_reweight(case):
    forest, weight = case
    made, edge_map, _ = reweight(forest, weight)
    assert made.features.names == ["weight"]
    assert edge_map.tolist() == list(range(forest.num_edges))
    np.testing.assert_allclose(made.score([1.0]), weight)
    assert derivations(made) == derivations(forest)
    # The one feature is the weight itself, and θ is 1: both derivatives are the same number.
    gradient = entropy_gradient(made, weight)
    np.testing.assert_allclose(gradient.theta[0], gradient.scale, rtol=1e-9, atol=1e-12)


def test_reweight_is_checked():
    forest = Forest.from_nbest(["a", "b"])
    with refuses(ForestError, "argument.value", argument="weights", value=1):
        reweight(forest, [0.0, np.nan])
    with refuses(ForestError, "argument.shape", argument="weights", value=(3, 1)):
        reweight(forest, [0.0, 0.0, 0.0])


@examples
@given(forests())
def test_renamed(forest):
    space = FeatureSpace(forest.features.dense, reversed(list(forest.features.sparse)))
    words = Vocabulary(["z", *reversed(list(forest.vocabulary))])
    made = renamed(forest, space, words)
    check_rows(forest, made, np.arange(forest.num_edges))
    assert renamed(made, space, words) is made


def test_prune_is_checked():
    forest = Forest.from_nbest(["a", "b"])
    for options, expected in [
        ({}, fault("argument.missing", argument="beam")),
        ({"beam": -1.0}, fault("argument.range", argument="beam", value=-1.0)),
        ({"beam": np.nan}, fault("argument.range", argument="beam")),
        ({"density": 0.0}, fault("argument.range", argument="density", value=0.0)),
    ]:
        with refuses(ForestError, **expected):
            prune(forest, [0.0, 1.0], **options)


def test_drop_unreachable():
    # Node 1 has no edges; node 2 is used by nobody.
    forest = Forest([0, 1, 1, 2, 4], [0, 0, 1, 2, 3], [0, 0, 1], allow_unreachable=True)
    made, edge_map, node_map = drop_unreachable(forest)
    assert (edge_map.tolist(), node_map.tolist()) == ([0, 2], [0, 3])
    assert made.num_derivations() == 1


def test_intersect_counts_ways_through_one_edge():
    words = Vocabulary()
    forest = Forest.from_nbest([" ".join(["a"] * 40)], vocabulary=words)
    arcs = [(s, 0, t, 0.0) for s in (0, 1) for t in (0, 1)]
    with refuses(ForestError, "forest.too-large", argument="edges", value=100):
        intersect(forest, Automaton(arcs, {0: 0.0}, states=2), max_edges=100)


def test_otherwise_takes_every_word_without_an_arc():
    words = Vocabulary(["zero", "one", "two"])
    forest = Forest.from_nbest(["zero", "one", "two"], vocabulary=words)
    automaton = Automaton([(0, 1, 1, -1.0), (0, OTHERWISE, 1, -5.0)], {1: 0.0}, states=2)
    both = intersect(forest, automaton)
    assert both.weight.tolist() == [-5.0, -1.0, -5.0]


def test_refine_has_a_limit_on_ngrams():
    forest = Forest.from_nbest([" ".join(map(str, range(1500)))])
    with refuses(ForestError, "forest.too-large", argument="n"):
        refine(forest, 1500, max_edges=1000)


def test_merge_keeps_nodes_of_different_spans():
    b = ForestBuilder()
    left, right, root = b.node((0, 1)), b.node((1, 2)), b.node((0, 2))
    b.edge(left, says=["x"])
    b.edge(right, says=["x"])
    b.edge(root, [left])
    b.edge(root, [right])
    assert merge([b.build(root)]).forest.num_derivations() == 2
