"""The tuning loop: it improves, ends, resumes, and keeps the best."""

from __future__ import annotations

import json
import math
from functools import cache

import numpy as np
import pytest
from tests.refusals import refuses

from rosewood.corpus import Vocabulary
from rosewood.errors import FormatError, TuningError
from rosewood.forest import FeatureSpace, Forest, Weights
from rosewood.learn import Fit, Learner, Mert, Mira, Pro, replicate_loop, tune_loop
from rosewood.metrics import parse_metric

BLEU = parse_metric("bleu:tokenize=none")
SENTENCES = 25
NAMES = ("good", "noise")
REFERENCE = "the cat sat on the mat again"


@cache
def known() -> list[tuple[list[str], np.ndarray]]:
    """200 candidates of each sentence, and their features."""
    random = np.random.default_rng(9)
    right = REFERENCE.split()
    found = []
    for _ in range(SENTENCES):
        keep = random.random((200, len(right))) < random.uniform(0.2, 0.95, (200, 1))
        texts = [" ".join(np.where(row, right, "x").tolist()) for row in keep]
        good = keep.sum(axis=1) + 0.3 * random.standard_normal(200)
        found.append((texts, np.column_stack([good, 3 * random.standard_normal(200)])))
    return found


class Decoder:
    """Knows 200 candidates of each sentence; lists the best ten, in a table of its own each time.

    The feature `good` is how many words are right; the decoder also knows sparse features.
    """

    def __init__(self, sparse: bool = False) -> None:
        self.sparse = sparse
        self.references = [[REFERENCE]] * SENTENCES
        self.known = known()
        self.asked: list[dict[str, float]] = []

    def __call__(self, weights, number):
        self.asked.append(dict(weights))
        space = FeatureSpace(NAMES)
        theta = np.array([weights.get(name, 0.0) for name in NAMES])
        forests = []
        for texts, rows in self.known:
            best = np.argsort(-(rows @ theta), kind="stable")[:10]
            tables = [{f"first:{texts[i].split()[0]}": 1.0} if self.sparse else {} for i in best]
            forests.append(
                Forest.from_nbest([texts[i] for i in best], rows[best], sparse=tables,
                                  features=space)
            )  # fmt: skip
        return forests


class Diverges(Learner):
    name = "diverges"

    def __init__(self, good_rounds: int) -> None:
        object.__setattr__(self, "rounds", [good_rounds])

    def fit(self, tuning, start, *, seed=0, report=None):
        self.rounds[0] -= 1
        theta = np.array([1.0, 0.0]) if self.rounds[0] >= 0 else np.array([np.nan, 1.0])
        return Fit(theta, 0.0, [])


def run(decoder: Decoder, learner=None, **options):
    start = {"good": 0.1, "noise": 1.0}
    return tune_loop(
        decoder, learner or Mira(passes=10, step=0.1), BLEU, decoder.references,
        **{"start": start, "rounds": 6, **options},
    )  # fmt: skip


@pytest.mark.parametrize("learner", [Mira(passes=10, step=0.1), Mert(restarts=4)])
@pytest.mark.parametrize("sparse", [False, True])
def test_it_gets_better(learner, sparse):
    result = run(Decoder(sparse), learner)
    scores = [row["score"] for row in result.history]
    assert result.score == max(scores)
    assert result.score > scores[0] + 20
    dense = [abs(w) for name, w in result.weights.items() if ":" not in name]
    assert sum(dense) == pytest.approx(1.0)
    assert result.weights["good"] > abs(result.weights["noise"])


def test_pro_moves_a_little_at_a_time():
    decoder = Decoder()
    run(decoder, Pro(rounds=1, samples=200, interpolation=0.1), rounds=3)
    first, second = decoder.asked[:2]
    start = np.array([0.1, 1.0]) / 1.1
    moved = np.array([second[name] for name in NAMES]) - start
    assert 0 < np.abs(moved).sum() <= 0.2 + 1e-9
    assert first == {"good": 0.1, "noise": 1.0}


def test_it_ends_when_nothing_is_new():
    class Stubborn(Decoder):
        def __call__(self, weights, number):
            return super().__call__({"good": 1.0, "noise": 0.0}, number)

    result = run(Stubborn(), rounds=10)
    assert result.ending == "the last round brought nothing new"
    assert len(result.history) == 2
    assert result.history[1]["new"] == 0


def test_the_last_weights_are_decoded_with_too():
    decoder = Decoder()
    result = run(decoder, rounds=1)
    assert result.ending == "1 rounds are done"
    assert len(decoder.asked) == 2
    assert [row["moved"] is None for row in result.history] == [False, True]
    assert result.weights["good"] > 0.5
    assert run(Decoder(), start=None, rounds=1).score > 80


@pytest.mark.slow
def test_a_learner_that_takes_small_steps_goes_on():
    """Nothing new in a round is no reason to stop while the weights are on their way."""

    class Narrow(Decoder):
        def __call__(self, weights, number):
            return super().__call__({**weights, "noise": weights["noise"] / 100}, number)

    result = run(Narrow(), Pro(rounds=1, samples=100), rounds=8, patience=20)
    assert len(result.history) == 9


def test_more_rounds_can_be_asked_for_later(tmp_path):
    class Restless(Diverges):
        """Other weights in each round, so that a loop ends by its rounds alone."""

        def fit(self, tuning, start, *, seed=0, report=None):
            return Fit(np.array([1.0, 1.0 / (seed + 1)]), 0.0, [])

    options = {"folder": tmp_path / "loop", "patience": 50}
    assert len(run(Decoder(), Restless(9), rounds=2, **options).history) == 3
    decoder = Decoder()
    again = run(decoder, Restless(9), rounds=4, **options)
    assert [row["round"] for row in again.history] == [1, 2, 3, 4, 5]
    assert len(decoder.asked) == 3
    whole = run(Decoder(), Restless(9), rounds=4, patience=50)
    assert (again.weights, again.history) == (whole.weights, whole.history)


def test_a_learner_that_fails_leaves_the_best_so_far():
    class Fails(Diverges):
        def fit(self, tuning, start, *, seed=0, report=None):
            if seed == 1:
                raise TuningError("it is too hot")
            return super().fit(tuning, start)

    result = run(Decoder(), Fails(9))
    assert result.ending == "round 2: it is too hot"
    assert result.weights == {"good": 1.0, "noise": 0.0}


def test_replicates_differ_by_their_seeds(tmp_path):
    found = replicate_loop(
        Decoder(), Mert(restarts=2, passes=2), BLEU, Decoder().references,
        start={"good": 0.1, "noise": 1.0}, rounds=2, replicates=3, folder=tmp_path,
    )  # fmt: skip
    assert len(found.results) == 3
    assert found.best.score == max(each.score for each in found.results)
    assert found.deviations.keys() == set(NAMES)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["seed-0", "seed-1", "seed-2"]


@pytest.mark.parametrize(
    ("start", "code", "fields"),
    [
        ({"goood": 1.0}, "argument.unknown", {"argument": "start", "value": "goood"}),
        ({"good": math.nan}, "argument.range", {"argument": "good"}),
        ({"good": "1"}, "argument.type", {"argument": "good", "value": "1"}),
    ],
)
def test_starting_weights_are_checked(start, code, fields):
    with refuses(TuningError, code, **fields):
        run(Decoder(), start=start)


def test_without_starting_weights_the_first_round_only_collects():
    result = run(Decoder(), start=None, rounds=3)
    assert result.history[0]["score"] is None
    assert result.score == max(row["score"] for row in result.history[1:])


class Killed(Exception):
    pass


@pytest.mark.slow
@pytest.mark.parametrize("when", [1, 2, 3])
def test_a_killed_loop_goes_on(tmp_path, when):
    whole = run(Decoder())

    class Mortal(Decoder):
        def __call__(self, weights, number):
            if number > when:
                raise Killed
            return super().__call__(weights, number)

    with pytest.raises(Killed):
        run(Mortal(), folder=tmp_path / "loop")
    decoder = Decoder()
    again = run(decoder, folder=tmp_path / "loop")
    assert (again.weights, again.score, again.history) == (
        whole.weights,
        whole.score,
        whole.history,
    )
    assert len(decoder.asked) == len(whole.history) - when
    assert run(Decoder(), folder=tmp_path / "loop").weights == whole.weights  # it is over
    assert len(list((tmp_path / "loop").iterdir())) == 2  # the last forests, and the note


class Numbered(Decoder):
    """Its candidates have numbered features; forests come one at a time."""

    def __call__(self, weights, number):
        rows = Decoder.__call__(self, {"good": weights["good"], "noise": weights["noise"]}, number)
        for i, forest in enumerate(rows):
            ids = np.arange(forest.num_edges, dtype=np.int32)
            features = FeatureSpace(NAMES, [f"rule:{7 * i + k}" for k in range(len(ids))])
            yield Forest(
                forest.edge_start, forest.tail_start, forest.tail, features=features,
                dense=forest.dense, feat_start=np.arange(len(ids) + 1), feat_id=ids,
                feat_value=np.ones(len(ids)), vocabulary=Vocabulary(forest.vocabulary),
                yield_start=forest.yield_start, yield_symbol=forest.yield_symbol,
            )  # fmt: skip


@pytest.mark.slow
def test_numbered_weights_are_arrays_beside_the_note(tmp_path):
    start = Weights({"good": 0.1, "noise": 1.0}, {"rule": (np.arange(900), np.full(900, 1e-3))})
    learner = Mira(passes=3, step=0.1)
    whole = run(Numbered(), learner, start=start, rounds=3)
    assert whole.weights.numbered["rule"][0].max() < 7 * SENTENCES + 10
    run(Numbered(), learner, start=start, rounds=2, folder=tmp_path)
    note = json.loads((tmp_path / "state.json").read_text())
    assert note["weights"].keys() == set(NAMES)  # no weight of a rule is in it
    assert sorted(note["arrays"]) == ["best", "weights"]
    decoder = Numbered()
    again = run(decoder, learner, start=start, rounds=3, folder=tmp_path)
    assert (again.weights, again.score, again.history) == (
        whole.weights, whole.score, whole.history
    )  # fmt: skip
    assert len(decoder.asked) < len(whole.history)
    kept = {path.name for path in tmp_path.iterdir()}
    note = json.loads((tmp_path / "state.json").read_text())
    assert kept == {"state.json", note["forests"], *note["arrays"].values()}
    other = Weights(start.named, {"rule": (np.arange(900), np.full(900, 2e-3))})
    with refuses(TuningError, "file.mismatch", file=str(tmp_path)):
        run(Numbered(), learner, start=other, rounds=3, folder=tmp_path)
    bad = Weights({}, {"rule": (np.arange(9), np.where(np.arange(9) == 3, math.nan, 1.0))})
    with refuses(TuningError, "argument.range", argument="rule:3"):
        run(Numbered(), learner, start=bad)


def test_forests_are_taken_one_at_a_time():
    """The second is only asked for when the first is merged; too many are refused at once."""
    decoder = Decoder()

    def endless(weights, number):
        while True:
            yield from Decoder.__call__(decoder, weights, number)

    with refuses(TuningError, "argument.shape", argument="forests", value="more", expected=25):
        tune_loop(endless, Mira(), BLEU, decoder.references, start={"good": 1.0})


@pytest.mark.parametrize("memory", [1, 10_000])
def test_memory_does_not_matter_to_a_loop(memory):
    small, large = (run(Decoder(True), rounds=2, max_memory=m) for m in (memory, 1 << 30))
    assert (small.weights, small.history) == (large.weights, large.history)


def test_another_loop_does_not_go_on_there(tmp_path):
    run(Decoder(), folder=tmp_path, rounds=1)
    with refuses(TuningError, "file.mismatch", file=str(tmp_path)):
        run(Decoder(), Mira(passes=3), folder=tmp_path, rounds=1)
    (tmp_path / "state.json").write_text("{}")
    with refuses(FormatError, "file.damaged", file=str(tmp_path / "state.json")):
        run(Decoder(), folder=tmp_path, rounds=1)
    note = json.loads("[1]")
    (tmp_path / "state.json").write_text(json.dumps(note))
    with refuses(FormatError, "file.damaged", file=str(tmp_path / "state.json")):
        run(Decoder(), folder=tmp_path, rounds=1)


def test_weights_that_explode_end_it_with_the_best_so_far():
    result = run(Decoder(), Diverges(1))
    assert "round 2: the weight of feature 'good' is nan" in result.ending
    assert result.weights == {"good": 1.0, "noise": 0.0}
    with refuses(TuningError, "tuning.no-weights"):
        run(Decoder(), Diverges(0), start=None)


def test_the_decoder_must_answer_for_every_sentence():
    decoder = Decoder()
    with refuses(TuningError, "argument.shape", argument="forests", value=24, expected=25):
        tune_loop(lambda weights, number: decoder(weights, number)[1:], Mira(), BLEU,
                  decoder.references)  # fmt: skip
    for name in ("rounds", "patience"):
        with refuses(TuningError, "argument.range", argument=name, value=0):
            run(decoder, **{name: 0})
