"""Learning from disk: what is learnt does not depend on how much of a set is in memory."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.lists import as_list, lattice
from tests.refusals import refuses

from rosewood.corpus import Vocabulary
from rosewood.errors import TuningError
from rosewood.forest import FeatureSpace, ForestSet, ForestSetWriter
from rosewood.learn import LEARNERS, Mira, Objective, Pro, Terms, TuningSet, make_learner
from rosewood.learn import candidates as tables
from rosewood.learn.array_store import RecordStore
from rosewood.learn.batches import batches_of
from rosewood.learn.pairs import compacted, differences, sample_pairs
from rosewood.metrics import parse_metric

BLEU = parse_metric("bleu:tokenize=none")
COUNT = 24
QUICK = {
    "mert": {"restarts": 2, "passes": 1, "random_directions": 1},
    "mira": {"passes": 3},
    "pro": {"rounds": 2, "samples": 20, "iterations": 10},
    "l1": {"passes": 2, "samples": 50},
    "mr": {"iterations": 5},
    "mr-da": {"iterations": 3, "stages": 2, "quench": 1},
    "likelihood": {"iterations": 5},
    "boost": {"rounds": 2, "samples": 20, "leaves": 3, "min_weight": 1},
    "oscar": {"rounds": 2, "samples": 20, "iterations": 10, "passes": 2, "lambda2": 1e-6},
}
FORESTS = {
    **QUICK,
    "mira k-best": {"passes": 3, "search": "k-best"},
    "mr stochastic": {"optimizer": "stochastic", "epochs": 2, "batch_size": 7},
}
SMALL = st.sampled_from([1, 20_000, 60_000, 200_000, 1 << 30])


@pytest.fixture(scope="module")
def sets(tmp_path_factory) -> dict[str, ForestSet]:
    """The same derivations packed and as lists, in files."""
    folder = tmp_path_factory.mktemp("sets")
    space = FeatureSpace(["good", "noise", "other"], [f"s:{i}" for i in range(20)])
    words = Vocabulary([f"w{i}" for i in range(12)])
    for name in ("packed", "lists"):
        with ForestSetWriter(folder / f"{name}.rwf", features=space, vocabulary=words) as out:
            for number in range(COUNT):
                forest, reference = lattice(number, space, words, length=4)
                made = forest if name == "packed" else as_list(forest)
                out.append(made, {"id": str(number), "refs": [reference]})
    return {name: ForestSet(folder / f"{name}.rwf") for name in ("packed", "lists")}


def references_of(forests: ForestSet) -> list[list[str]]:
    return [forests.info(i)["refs"] for i in range(len(forests))]


def fitted(learner, forests, **options):
    tuning = TuningSet(forests, BLEU, **options)
    return learner.fit(tuning, np.ones(len(tuning.features)), seed=3)


@pytest.fixture(scope="module")
def whole(sets):
    """What each learner finds with everything in memory, in one thread."""
    found = {}

    def fit(kind: str, name: str):
        if (kind, name) not in found:
            learner = make_learner(name.split()[0], FORESTS[name])
            found[kind, name] = fitted(
                learner, list(sets[kind]), references=references_of(sets[kind])
            )
        return found[kind, name]

    return fit


@pytest.mark.slow
@pytest.mark.parametrize("name", list(FORESTS))
@settings(max_examples=4, deadline=None)
@given(data=st.data())
def test_neither_memory_nor_threads_matter_to_forests(sets, whole, name, data):
    memory, threads = data.draw(SMALL), data.draw(st.integers(1, 3))
    learner = make_learner(name.split()[0], FORESTS[name])
    fit = fitted(learner, sets["packed"], max_memory=memory, threads=threads)
    expected = whole("packed", name)
    assert fit.theta.tobytes() == expected.theta.tobytes()
    assert fit.history == expected.history


@pytest.mark.slow
@pytest.mark.parametrize("name", list(LEARNERS))
@settings(max_examples=3, deadline=None)
@given(data=st.data())
def test_neither_memory_nor_threads_matter_to_lists(sets, whole, name, data):
    memory, threads = data.draw(SMALL), data.draw(st.integers(1, 3))
    learner = make_learner(name, QUICK[name])
    fit = fitted(learner, sets["lists"], max_memory=memory, threads=threads)
    expected = whole("lists", name)
    assert fit.theta.tobytes() == expected.theta.tobytes()
    assert fit.history == expected.history


def test_parts_of_a_set_are_read_when_they_are_needed(sets):
    for kind, forests in sets.items():
        small, large = (TuningSet(forests, BLEU, max_memory=m) for m in (1, 1 << 30))
        assert not small.reader.is_held
        assert large.reader.is_held
        assert len(list(small.slices())) == COUNT
        assert len(list(large.slices())) == 1
        theta = np.linspace(-1, 1, len(small.features))
        assert small.score(theta) == large.score(theta)
        assert np.array_equal(small.edge_scores(theta), large.edge_scores(theta))
        chosen = [3, 17, 5]
        parts = [each.subset(chosen) for each in (small, large)]
        assert parts[0].score(theta) == parts[1].score(theta)
        assert list(parts[0].forests) == [forests[i] for i in chosen], kind
        assert small.identity() == large.identity()
        if kind == "lists":
            assert small.sentences() == large.sentences()


def test_any_sequence_of_forests_will_do(sets):
    class Made(list):
        """Counts how often each forest is asked for."""

        def __getitem__(self, index):
            self.asked = [*getattr(self, "asked", []), index]
            return super().__getitem__(index)

    forests = Made(sets["packed"])
    references = references_of(sets["packed"])
    tuning = TuningSet(forests, BLEU, references)
    tuning.score(np.ones(len(tuning.features)))
    assert sorted(forests.asked) == list(range(COUNT))  # kept, for they fit


@pytest.mark.parametrize("memory", [0, -1, 1.5, True])
def test_memory_is_a_number_of_bytes(sets, memory):
    code = "argument.range" if memory in (0, -1) else "argument.type"
    with refuses(TuningError, code, argument="max_memory", value=memory):
        TuningSet(sets["packed"], BLEU, max_memory=memory)


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 100_000), st.integers(1, 3), st.integers(0, 2**32 - 1))
def test_sums_of_subsets_do_not_depend_on_batches(sets, memory, threads, seed):
    random = np.random.default_rng(seed)
    forests = list(sets["packed"])
    loss = np.random.default_rng(1).standard_normal(sum(f.num_edges for f in forests))
    size = len(forests[0].features)
    theta = random.standard_normal(size)
    chosen = np.sort(random.choice(COUNT, random.integers(1, COUNT + 1), replace=False))
    terms = Terms(risk=1.0, entropy=-0.3)
    value, gradient = Objective(batches_of(forests, loss=loss), np.ones(size))(theta, terms, chosen)
    batches = batches_of(forests, loss=loss, most=memory)
    again, other = Objective(batches, np.ones(size), threads=threads)(theta, terms, chosen)
    assert again == value
    assert other.tobytes() == gradient.tobytes()


# -- tables of candidates and their files ----------------------------------------------------------


def test_tables_in_files_are_those_in_memory(sets, monkeypatch):
    monkeypatch.setattr(tables, "ROWS", 7)  # many blocks
    for forests in sets.values():
        made = []
        for memory in (1, 1 << 30):
            tuning = TuningSet(forests, BLEU, max_memory=memory)
            table = tuning.candidates(np.ones(len(tuning.features)), 5)
            units = 1.0 / (1.0 + np.arange(table.num_features))
            scaled = table.scaled(units)
            gains = BLEU.sentence_gains(scaled.statistics)
            pairs = sample_pairs(
                scaled, gains, samples=20, keep=5, threshold=0.0, random=np.random.default_rng(1)
            )
            apart = differences(scaled, pairs)
            theta = np.linspace(-1, 1, table.num_features)
            numbers = [tables.spread(table), tables.least_squares(scaled, gains),
                       scaled.scores(theta), apart.scores(theta)]  # fmt: skip
            made.append([each.tobytes() for each in numbers])
            assert np.allclose(scaled.matrix().toarray(), table.matrix().toarray() * units)
        assert made[0] == made[1]


def test_records_come_back_from_memory_and_from_files():
    random = np.random.default_rng(2)
    for most in (0, 100, 1 << 20):
        store = RecordStore(most)
        records = [
            [random.standard_normal(n), random.integers(0, 9, n // 2).astype(np.int32)]
            for n in (3, 0, 11, 40)
        ]
        for record in records:
            store.append(record)
        assert store.is_held == (most == 1 << 20)
        assert len(store) == 4
        for number in (3, 0, 2, 1, 3):
            found = store.read(number)
            for own, other in zip(found, records[number], strict=True):
                assert own.dtype == other.dtype
                assert own.tobytes() == other.tobytes()
        store.close()


# -- features that a sentence does not have --------------------------------------------------------


@pytest.mark.parametrize("learner", [Mira(passes=3), Pro(rounds=3, samples=50)])
def test_features_that_no_forest_has_change_nothing(sets, learner):
    """20 sparse features, and the same among many thousands."""
    tuning = TuningSet(sets["packed"], BLEU)
    plain = learner.fit(tuning, np.ones(23), seed=3)
    ids = 1 + 97 * np.arange(20)
    many = FeatureSpace(["good", "noise", "other"], [f"n:{i}" for i in range(20_000)])
    forests = [
        forest.derive(features=many, feat_id=ids[forest.feat_id].astype(np.int32))
        for forest in sets["packed"]
    ]
    references = references_of(sets["packed"])
    places = np.concatenate([np.arange(3), 3 + ids])
    start = np.zeros(len(many))
    start[places] = 1.0
    fit = learner.fit(TuningSet(forests, BLEU, references), start, seed=3)
    assert np.allclose(fit.theta[places], plain.theta, rtol=1e-9, atol=1e-12)
    assert np.count_nonzero(np.delete(fit.theta, places)) == 0


def test_a_compact_table_has_the_features_it_needs(sets):
    tuning = TuningSet(sets["lists"], BLEU)
    table = tuning.candidates(np.ones(len(tuning.features)), 5)
    few = replace(
        table,
        feat_id=table.feat_id[:3],
        feat_value=table.feat_value[:3],
        feat_start=table.feat_start.clip(0, 3),
    )
    compact, places = compacted(few, np.array([1, 3 + 11]))
    kept = {*range(3), 3 + 11, *(3 + few.feat_id).tolist()}
    assert places.tolist() == sorted(kept)
    theta = np.random.default_rng(0).standard_normal(table.num_features)
    assert np.allclose(compact.scores(theta[places]), few.scores(theta))
