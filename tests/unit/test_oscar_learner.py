"""OSCAR as a learner: groups from a larger set, from the tuning set itself, and in a loop."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from tests.refusals import refuses

from rosewood.errors import FormatError, TuningError
from rosewood.forest import FeatureSpace, Forest, Weights
from rosewood.journal import Journal
from rosewood.learn import Oscar, Pro, TuningSet, make_learner, tune_loop
from rosewood.learn.group_facts import group_facts, largest_groups
from rosewood.learn.groups import Groups
from rosewood.learn.training_lists import TrainingLists
from rosewood.metrics import parse_metric
from rosewood.rerank import sweep, tune
from rosewood.rerank.candidates import CandidateList
from rosewood.rerank.tuning_sets import two_sets

BLEU = parse_metric("bleu:tokenize=none")
KINDS, WORDS, SIZE = 100, 8, 12
OPTIONS = {
    "lambda1": 1e-4, "lambda2": 1e-5, "batch": 50, "delay": 2000, "passes": 8, "samples": 100,
    "keep": 20, "rounds": 2,
}  # fmt: skip
SETTINGS = {name: str(value) for name, value in OPTIONS.items()}


@dataclass(frozen=True)
class Sentence:
    """Candidates of a sentence: right words use rules 0 to KINDS-1, wrong ones the others."""

    number: int

    @property
    def _all(self) -> tuple[list[str], np.ndarray, list[dict[str, float]]]:
        return _candidates(self.number)

    @property
    def reference(self) -> str:
        random = np.random.default_rng([8, self.number])
        return " ".join(random.choice(list("abcdefgh"), WORDS))

    def as_list(self) -> CandidateList:
        texts, rows, tables = self._all
        return CandidateList(
            id=str(self.number), texts=tuple(texts), names=("noise", "know"), dense=rows,
            sparse=tuple(tables), references=(self.reference,),
        )  # fmt: skip

    def forest(self, space: FeatureSpace, weights: Weights, most: int = SIZE) -> Forest:
        texts, rows, tables = self._all
        theta = np.array([weights.get(name, 0.0) for name in space.dense])
        score = rows @ theta
        score += [sum(weights.get(name, 0.0) * v for name, v in each.items()) for each in tables]
        best = np.argsort(-score, kind="stable")[:most]
        return Forest.from_nbest(
            [texts[i] for i in best], rows[best], sparse=[tables[i] for i in best], features=space
        )


@cache
def _candidates(number: int) -> tuple[list[str], np.ndarray, list[dict[str, float]]]:
    random = np.random.default_rng([7, number])
    texts, tables, rows = [], [], []
    for _ in range(SIZE):
        right = random.random(WORDS) < random.uniform(0.1, 0.95)
        words = np.where(right, Sentence(number).reference.split(), "z").tolist()
        rules = random.integers(0, KINDS, WORDS) + KINDS * ~right
        texts.append(" ".join(words))
        ids, counts = np.unique(rules, return_counts=True)
        tables.append({f"rule:{i}": float(n) for i, n in zip(ids, counts, strict=True)})
        rows.append([random.standard_normal(), 0.2 * right.sum() + random.standard_normal()])
    return texts, np.array(rows), tables


def lists(first: int, count: int) -> list[CandidateList]:
    return [Sentence(i).as_list() for i in range(first, first + count)]


@dataclass(frozen=True)
class Decode:
    """Lists the best few candidates of some sentences; `stop` is where it fails."""

    first: int
    stop: str = ""

    def __call__(self, weights, number, sentences):
        for i in sentences:
            if self.stop == f"{number}:{i}":
                raise KeyboardInterrupt
            yield Sentence(self.first + i).forest(FeatureSpace(("noise", "know")), weights, 6)


def test_groups_from_a_larger_set_know_features_that_the_small_one_lacks():
    small, large, other = lists(0, 6), lists(1000, 200), lists(5000, 80)
    known = {name for each in small for table in each.sparse for name in table}
    common = {"samples": 200, "replicates": 1, "heldout": other}
    strong = {**SETTINGS, "lambda2": "3e-4"}
    found = tune(small, method="oscar", settings=strong, training=large, **common)
    alone = tune(small, method="pro", settings={"rounds": "2"}, **common)
    assert found.heldout[0].after > alone.heldout[0].after + 3
    rules = {name: w for name, w in found.weights.items() if ":" in name}
    assert set(rules) - known  # weights that the small set could not have given


def test_groups_from_a_larger_set_tell_good_features_from_bad_ones():
    data, beside = two_sets(
        lists(0, 6), lists(1000, 200), BLEU, 1, lambda *_: None, max_memory=1 << 30
    )
    groups = Oscar(**{**OPTIONS, "lambda2": 3e-4}).with_training(beside).groups
    ids, weights = groups.unpack()
    is_good = [int(data.features.sparse[i][5:]) < KINDS for i in ids.tolist()]
    assert np.mean((weights > 0) == is_good) > 0.95
    assert groups.active > 150
    assert groups.sizes().max() > 10


def test_the_same_with_a_journal_again_and_with_threads(tmp_path):
    small, large = lists(0, 20), lists(1000, 40)
    common = {"method": "oscar", "settings": SETTINGS, "training": large, "replicates": 2,
              "folds": 2, "samples": 20}  # fmt: skip
    first = tune(small, **common, journal=Journal(tmp_path / "j"))
    again = tune(small, **common, journal=Journal(tmp_path / "j"))
    assert first.to_dict() == again.to_dict() == tune(small, **common, threads=2).to_dict()


def test_groups_from_the_tuning_set_itself():
    found = tune(lists(0, 60), method="oscar", settings=SETTINGS, replicates=1, samples=50)
    assert found.verdict == "helps"


def test_a_sweep_groups_with_each_setting():
    found = sweep(
        lists(0, 15), {"lambda2": ["1e-5", "100"], "delay": ["2000"]}, method="oscar",
        training=lists(1000, 40), select=lists(5000, 40), threads=2,
    )  # fmt: skip
    assert [trial.error for trial in found.trials] == [None, None]
    assert found.best.settings["lambda2"] == 1e-5


@pytest.mark.parametrize("method", ["pro", "mira"])
def test_other_learners_refuse_training_data(method):
    with refuses(TuningError, "argument.conflict", argument="training"):
        tune(lists(0, 5), method=method, training=lists(10, 5))
    with refuses(TuningError, "argument.conflict", argument="training"):
        sweep(lists(0, 5), {"k": ["10"]}, method=method, training=lists(10, 5))
    with refuses(TuningError, "argument.conflict", argument="training"):
        make_learner(method).training(None)


def test_lists_of_training_data_neither_tune_nor_judge():
    large = lists(1000, 10)
    with refuses(TuningError, "argument.conflict"):
        tune(large, method="oscar", training=large)
    with refuses(TuningError, "argument.conflict"):
        tune(lists(0, 5), method="oscar", training=large, heldout=large)
    with refuses(TuningError, "argument.conflict"):
        sweep(lists(0, 5), {"l2": ["1"]}, method="oscar", training=large, select=large)


def test_longer_references_favour_longer_candidates():
    """A candidate of three right words of four, and one of two right and no wrong ones."""
    texts = ["a b x y z", "a b"]
    forest = Forest.from_nbest(texts, np.eye(2), features=FeatureSpace(("long", "short")))
    tuning = TuningSet([forest], BLEU, [["a b c d"]])
    table = tuning.candidates(np.zeros(2), 2)
    preferred = []
    for brevity in (0.0, 8.0):
        learner = Pro(brevity=brevity, threshold=0.0, samples=50, keep=1)
        made = learner.feature_differences(tuning, table, np.random.default_rng(1))
        preferred.append(made.dense[0].tolist())
    assert preferred == [[-1.0, 1.0], [1.0, -1.0]]


@pytest.mark.parametrize("groups", ["none", "one", "empty"])
def test_few_groups_are_no_trouble(groups):
    forest = Sentence(3).forest(FeatureSpace(("noise", "know")), Weights())
    tuning = TuningSet([forest], BLEU, [[Sentence(3).reference]])
    size = len(tuning.features.sparse)
    made = {
        "none": Groups.none(size),
        "one": Groups.of(np.arange(size), np.ones(size), size),
        "empty": Groups(np.arange(2), np.array([2, 2]), np.ones(3), size),
    }[groups]
    fit = Oscar(**OPTIONS).in_groups(made).fit(tuning, np.zeros(len(tuning.features)))
    sparse = fit.theta[2:]
    active = made.feature
    assert np.count_nonzero(np.delete(sparse, active)) == 0
    assert len(np.unique(sparse[active])) <= 1


def loop(folder: Path, stop: str = "", processes: int = 1, rounds: int = 3, **options):
    dev = [Sentence(i) for i in range(15)]

    def decode(weights, number):
        space = FeatureSpace(("noise", "know"))
        return [each.forest(space, Weights.of(weights), 6) for each in dev]

    learner = Oscar(**{**OPTIONS, "interpolation": 0.5, **options})
    training = TrainingLists(
        Decode(1000, stop), [[Sentence(1000 + i).reference] for i in range(50)], BLEU, learner,
        folder=folder / "training", shard=20, processes=processes,
    )  # fmt: skip
    return tune_loop(
        decode, learner, BLEU, [[each.reference] for each in dev],
        start={"noise": 1.0, "know": 0.1}, rounds=rounds, folder=folder / "loop",
        training=learner.training(training, folder=folder / "training", dimension=100),
    )  # fmt: skip


def test_the_loop_learns_from_training_data(tmp_path):
    found = loop(tmp_path)
    first, *_, last = found.history
    assert found.score > first["score"] + 10
    assert first["groups"] > 0
    assert first["active"] >= first["groups"]
    assert first["pairs"] > 100
    assert found.history[2]["training_score"] > first["training_score"] + 10
    assert "groups" not in last  # nothing is learnt after the last translation
    groups = Weights.load(tmp_path / "training" / "groups-3.npz")
    facts = group_facts(groups, found.weights)
    assert facts["active"] == found.history[2]["active"]
    assert facts["groups"] == found.history[2]["groups"]
    for each in largest_groups(groups, found.weights):
        own = [n for n, g in groups.items() if g == each.number]
        assert each.size == len(own)
        assert {found.weights.get(name, 0.0) for name in own} == {each.weight}
        assert set(each.examples) <= set(own)
    names = sorted(path.name for path in (tmp_path / "training").glob("*-0000*"))
    assert names == sorted(f"{kind}-0000{i}-3.{end}" for i in range(3)
                           for kind, end in (("shard", "rwf"), ("pairs", "npz")))  # fmt: skip


def everything(folder: Path, result) -> tuple:
    weights = folder / "weights.npz"
    Weights.of(result.weights).save(weights)
    files = [weights, *sorted((folder / "training").glob("groups-*"))]
    return json.dumps(result.history), [file.read_bytes() for file in files]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole")
    return everything(folder, loop(folder, processes=2, rounds=2))


@pytest.mark.parametrize("stop", ["1:25", "2:0", "2:45"])
def test_stopped_in_a_round_it_goes_on(whole, tmp_path, stop):
    with pytest.raises(KeyboardInterrupt):
        loop(tmp_path, stop, rounds=2)
    assert everything(tmp_path, loop(tmp_path, rounds=2)) == whole


def test_more_rounds_go_on(whole, tmp_path):
    loop(tmp_path, rounds=1)
    assert everything(tmp_path, loop(tmp_path, rounds=2)) == whole


def test_all_features_of_a_group_have_its_weight(tmp_path):
    found = loop(tmp_path, rounds=1, lambda2=3e-4)
    groups = Weights.load(tmp_path / "training" / "groups-1.npz")
    several = [g for g in largest_groups(groups, found.weights, examples=100) if g.size > 1]
    assert several
    for each in several:
        assert {found.weights.get(name, 0.0) for name in each.examples} == {each.weight}
    others = {name for name in found.weights if ":" in name} - set(groups)
    assert not others  # what is in no group has no weight


def test_other_settings_need_another_folder(tmp_path):
    loop(tmp_path, rounds=1)
    with refuses(TuningError, "file.mismatch"):
        loop(tmp_path, rounds=1, lambda2=1e-4)


def test_lists_of_other_weights_are_refused(tmp_path):
    lists = TrainingLists(Decode(1000), [[Sentence(1000).reference]], BLEU, Pro(), folder=tmp_path)
    lists.pairs(Weights({"know": 1.0}), 1)
    lists.pairs(Weights({"know": 1.0}), 1)
    with refuses(TuningError, "file.mismatch"):
        lists.pairs(Weights({"know": 2.0}), 1)


def test_penalties_that_leave_no_group_are_told(tmp_path):
    found = loop(tmp_path, rounds=1, lambda2=1e6)
    assert found.history[0]["active"] == 0
    assert found.history[0]["notes"]
    assert not Weights.of(found.weights).numbered


def test_lists_without_a_difference_are_told(tmp_path):
    found = loop(tmp_path, rounds=1, threshold=10.0)
    assert found.ending.startswith("round 1")  # PRO has nothing to rank, either
    assert found.history[0]["pairs"] == 0


def test_lists_need_sentences(tmp_path):
    with refuses(TuningError, "argument.missing", argument="references"):
        TrainingLists(Decode(0), [], BLEU, Pro(), folder=tmp_path)


def test_a_damaged_file_of_pairs_is_refused(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        loop(tmp_path, "1:45", rounds=1)
    file = tmp_path / "training" / "pairs-00000-1.npz"
    file.write_bytes(b"x")
    with refuses(FormatError, "file.format"):
        loop(tmp_path, rounds=1)
    shutil.rmtree(tmp_path / "training")
    assert loop(tmp_path, rounds=1).score > 0
