"""A second stage for forests from elsewhere: it helps, resumes, and says what does not fit."""

from __future__ import annotations

import json
from functools import partial

import numpy as np
import pytest
from tests.lists import counting
from tests.refusals import refuses

from rosewood.errors import DamagedFileError, FormatError, MetricError, RosewoodError, TuningError
from rosewood.forest import (
    Forest,
    ForestSet,
    ForestSetWriter,
    NamedForest,
    SecondStage,
    write_forests,
)
from rosewood.learn import second_stage as learning
from rosewood.learn.second_stage import SecondStageSettings, choose_factor, next_forest
from rosewood.metrics import evaluate, parse_metric
from rosewood.rerank import rerank_forests, train_second_stage
from rosewood.rerank.second_stage import kept_forests

TRAIN, DEV = range(60), range(100, 120)
EMPTY = 7  # a training sentence without a translation
WEIGHTS = {"good": 0.5}
HOW = {"metric": "bleu:tokenize=none", "settings": {"min_count": 2, "iterations": 8}}


class Stopped(Exception):
    pass


def named(numbers: range) -> list[NamedForest]:
    found = []
    for number in numbers:
        forest, reference = counting(number)
        if number == EMPTY:
            forest = Forest.empty(features=forest.features, vocabulary=forest.vocabulary)
        found.append(NamedForest(f"s{number}", forest, {"refs": [reference]}))
    return found


def write_set(path, forests, *, compress=False, refs=True) -> None:
    with ForestSetWriter(path, compress=compress) as out:
        for name, forest, info in forests:
            out.append(forest, {"id": name, **(info if refs else {})})


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The same forests in sets with references, in text form, and references one a line."""
    place = tmp_path_factory.mktemp("second")
    for what, numbers in (("train", TRAIN), ("dev", DEV)):
        write_set(place / f"{what}.rwf", named(numbers))
        write_forests(named(numbers), place / f"{what}.forest")
        lines = [each.info["refs"][0] + "\n" for each in named(numbers)]
        (place / f"{what}.ref").write_text("".join(lines))
    return place


@pytest.fixture(scope="module")
def made(folder):
    """The second stage that every way must lead to."""
    return train_second_stage(folder / "train.rwf", WEIGHTS, dev=folder / "dev.rwf", **HOW)


def same(one, other) -> bool:
    return one.to_dict() == other.to_dict() and one.second.to_dict() == other.second.to_dict()


def test_ngrams_help(folder, made):
    """The metric on the development forests is that of their translations."""
    assert (made.forests, made.heldout_forests) == (59, 20)  # one has no derivations
    assert made.factor > 0
    assert list(made.heldout) == [0, 0.25, 0.5, 0.75, 1]
    assert made.heldout[made.factor] == max(made.heldout.values()) > made.heldout[0] + 3
    references = [[each.info["refs"][0] for each in named(DEV)]]
    for second, score in ((None, made.heldout[0]), (made.second, made.heldout[made.factor])):
        texts = [each.text for each in rerank_forests(folder / "dev.rwf", WEIGHTS, second)]
        assert evaluate(texts, references, HOW["metric"])[0].value == pytest.approx(score)
    (ngram, weight), *_ = made.second.strongest(1)
    first, last = ngram.split()
    assert weight > 0
    assert int(last[1]) == (int(first[1]) + 1) % 8
    assert made.second.facts["factor"] == made.factor
    assert f"{made.factor:g}  <- chosen" in made.summary()
    assert ngram in made.summary()
    json.dumps(made.to_dict(), allow_nan=False)


def test_every_way_leads_to_the_same(folder, made, tmp_path):
    files = {"references": [folder / "train.ref"], "dev_references": folder / "dev.ref"}
    learnt = partial(train_second_stage, weights=WEIGHTS, **HOW)
    assert same(learnt(named(TRAIN), dev=named(DEV)), made)
    assert same(learnt(folder / "train.forest", dev=folder / "dev.forest", **files), made)
    assert same(learnt(folder / "train.rwf", dev=ForestSet(folder / "dev.rwf"), threads=3), made)
    assert same(learnt(folder / "train.rwf", dev=folder / "dev.rwf", max_memory=1 << 20), made)
    settings = SecondStageSettings.from_values(HOW["settings"])
    output = tmp_path / "second.json"
    again = learnt(
        folder / "train.rwf", dev=folder / "dev.rwf", settings=settings, output=output, **files
    )
    assert same(again, made)
    assert SecondStage.load(output).to_dict() == made.second.to_dict()
    assert list(tmp_path.iterdir()) == [output]


def test_a_fifth_is_held_out(folder, made):
    """Without development forests; the weights are learnt of all."""
    found = train_second_stage(folder / "train.rwf", WEIGHTS, **HOW)
    assert (found.forests, found.heldout_forests) == (59, 11)
    assert found.factor > 0
    assert found.heldout[found.factor] == max(found.heldout.values()) > found.heldout[0]
    own, other = (each.second.weights / each.factor for each in (found, made))
    np.testing.assert_allclose(own, other)
    texts = [each.text for each in rerank_forests(folder / "dev.rwf", WEIGHTS, found.second)]
    references = [[each.info["refs"][0] for each in named(DEV)]]
    score = evaluate(texts, references, HOW["metric"])[0].value
    assert score > made.heldout[0] + 3
    with refuses(TuningError, "tuning.few-lists", argument="tuning", value=4):
        train_second_stage(named(TRAIN[:4]), WEIGHTS, **HOW)
    with refuses(TuningError, "argument.missing", argument="dev"):
        train_second_stage(named(TRAIN), WEIGHTS, dev_references=folder / "dev.ref", **HOW)


def test_a_factor_of_zero_writes_nothing(folder, tmp_path):
    """References of the development forests have other words than those of training."""
    (tmp_path / "dev.ref").write_text("w1 w0 w7 w6\n" * len(DEV))
    found = train_second_stage(
        folder / "train.rwf", WEIGHTS, dev=folder / "dev.rwf",
        dev_references=[tmp_path / "dev.ref"], output=tmp_path / "second.json", **HOW,
    )  # fmt: skip
    assert (found.factor, found.second) == (0, None)
    assert found.to_dict()["strongest"] == []
    assert [path.name for path in tmp_path.iterdir()] == ["dev.ref"]


# -- stopped in the middle -------------------------------------------------------------------------


@pytest.fixture
def stopping(monkeypatch):
    """Forests are written ten at a time, and the work stops after so many."""
    convert = learning._converted
    count = 0

    def stop_after(most):
        nonlocal count
        count = 0

        def converted(*given, **more):
            nonlocal count
            count += 1
            if count > most:
                raise Stopped
            return convert(*given, **more)

        monkeypatch.setattr(learning, "_BLOCK", 10)
        monkeypatch.setattr(learning, "_converted", converted)
        return lambda: count

    return stop_after


@pytest.mark.parametrize("kind", ["rwf", "forest"])
def test_stopped_work_goes_on(folder, made, tmp_path, stopping, kind):
    output = tmp_path / "second.json"
    run = partial(
        train_second_stage, folder / f"train.{kind}", dev=folder / f"dev.{kind}", output=output,
        references=folder / "train.ref", dev_references=folder / "dev.ref", **HOW,
    )  # fmt: skip
    stopping(25)
    with pytest.raises(Stopped):
        run(weights=WEIGHTS)
    assert next_forest(kept_forests(output)) == 21  # forest 7 is empty
    count = stopping(1000)
    assert same(run(weights=WEIGHTS), made)
    assert count() == 59 - 20
    assert list(tmp_path.iterdir()) == [output]


def test_other_work_begins_afresh(folder, made, tmp_path, stopping):
    output = tmp_path / "second.json"
    run = partial(train_second_stage, output=output, metric=HOW["metric"])
    write_set(tmp_path / "other.rwf", named(range(200, 260)))
    (tmp_path / "other.ref").write_text("w1 w2 w3\n" * len(TRAIN))
    given = {
        "training": folder / "train.rwf", "dev": folder / "dev.rwf", "weights": WEIGHTS,
        "settings": HOW["settings"],
    }  # fmt: skip
    for changed in (
        {"training": tmp_path / "other.rwf"},
        {"weights": {"good": 2.0}},
        {"settings": {**HOW["settings"], "edges_per_word": "2"}},
        {"references": tmp_path / "other.ref"},
    ):
        stopping(25)
        with pytest.raises(Stopped):
            run(**{**given, **changed})
        assert kept_forests(output).exists()
        count = stopping(1000)
        assert same(run(**given), made)
        assert count() == 59
        assert not kept_forests(output).exists()


def test_forests_of_somebody_else_stay(folder, tmp_path):
    output = tmp_path / "second.json"
    kept_forests(output).write_text("mine")
    with refuses(FormatError, "file.exists", file=str(kept_forests(output))):
        train_second_stage(
            folder / "train.rwf", WEIGHTS, dev=folder / "dev.rwf", output=output, **HOW
        )  # fmt: skip
    assert [path.name for path in tmp_path.iterdir()] == [kept_forests(output).name]
    assert kept_forests(output).read_text() == "mine"


def test_damaged_work_is_named(folder, tmp_path, stopping):
    output = tmp_path / "second.json"
    run = partial(
        train_second_stage,
        folder / "train.rwf",
        WEIGHTS,
        dev=folder / "dev.rwf",
        output=output,
        **HOW,
    )
    stopping(25)
    with pytest.raises(Stopped):
        run()
    path = kept_forests(output)
    data = path.read_bytes()
    stopping(1000)
    for damaged in (data[: len(data) // 2], data[:200] + bytes(64) + data[264:]):
        path.write_bytes(damaged)
        with refuses(DamagedFileError, "file.damaged", file=str(path), match="starts afresh"):
            run()
    path.unlink()
    run()
    assert list(tmp_path.iterdir()) == [output]


# -- what does not fit -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changed", "kind", "code", "argument"),
    [
        ({"weights": {}}, TuningError, "argument.missing", "weights"),
        ({"weights": {"good": 1, "bad": 1}}, TuningError, "argument.unknown", "weights"),
        ({"weights": {"good": 1, "second_stage": 1}}, TuningError, "argument.unknown", "weights"),
        ({"metric": "ter"}, TuningError, "tuning.metric", "metric"),
        ({"metric": "blue"}, MetricError, "argument.unknown", "metric"),
        ({"settings": {"order": 9}}, TuningError, "argument.range", "order"),
        ({"settings": {"min_counts": 9}}, TuningError, "argument.unknown", "setting"),
        ({"settings": {"min_count": 900}}, TuningError, "tuning.no-features", "min_count"),
        ({"settings": {"max_edges": 3}}, TuningError, "forest.too-large", None),
        ({"training": []}, TuningError, "file.empty", "the training forests"),
        ({"dev": []}, TuningError, "file.empty", "the development forests"),
        ({"training": named(range(EMPTY, EMPTY + 1))}, TuningError, "tuning.no-features", None),
        ({"training": named(range(EMPTY, EMPTY + 1)) * 9}, TuningError, "forest.empty", "training"),
        ({"training": [Forest.empty()]}, TuningError, "argument.missing", "--ref"),
        ({"dev": [counting(1)[0]]}, TuningError, "argument.missing", "--dev-ref"),
        ({"threads": 0}, TuningError, "argument.range", "threads"),
        ({"format": "xml"}, TuningError, "argument.choice", "format"),
    ],
)
def test_what_is_refused(tmp_path, changed, kind, code, argument):
    given = {"training": named(TRAIN), "dev": named(DEV), "weights": WEIGHTS, **HOW, **changed}
    fields = {} if argument is None else {"argument": argument}
    with refuses(kind, code, **fields):
        train_second_stage(**given, output=tmp_path / "second.json")
    assert not list(tmp_path.iterdir())


def test_references_are_one_for_each_forest(folder, tmp_path):
    few = tmp_path / "few.ref"
    few.write_text("w1 w2\n" * 3)
    for kind in ("rwf", "forest"):
        files = {"references": folder / "train.ref", "dev_references": folder / "dev.ref"}
        for what, count in (("references", 60), ("dev_references", 20)):
            with refuses(FormatError, "file.mismatch", value=3, expected=count, file=str(few)):
                train_second_stage(
                    folder / f"train.{kind}", WEIGHTS, dev=folder / f"dev.{kind}",
                    **{**files, what: [few]}, **HOW,
                )  # fmt: skip
    write_set(tmp_path / "none.rwf", named(TRAIN), refs=False)
    with refuses(TuningError, "argument.missing", argument="--ref", value="s0"):
        train_second_stage(tmp_path / "none.rwf", WEIGHTS, dev=folder / "dev.rwf", **HOW)
    few.write_bytes(b"\xff\n" * 20)
    with refuses(FormatError, "file.encoding", line=1, file=str(few)):
        train_second_stage(
            folder / "train.rwf", WEIGHTS, dev=folder / "dev.rwf", dev_references=few, **HOW
        )


def test_several_references(folder, tmp_path):
    """N-grams of all of them are counted."""
    (tmp_path / "more.ref").write_text("w9 w9\n" * len(TRAIN))
    found = train_second_stage(
        folder / "train.rwf", WEIGHTS, dev=folder / "dev.rwf",
        references=[folder / "train.ref", tmp_path / "more.ref"], **HOW,
    )  # fmt: skip
    once = train_second_stage(folder / "train.rwf", WEIGHTS, dev=folder / "dev.rwf", **HOW)
    assert found.ngrams == once.ngrams + 2


def test_other_forests_choose(folder):
    with refuses(TuningError, "argument.conflict", argument="dev"):
        train_second_stage(folder / "train.rwf", WEIGHTS, dev=folder / "train.rwf", **HOW)


def test_there_is_one_second_stage(folder, made):
    """Forests of a decoder that has a second stage."""
    scored = []
    for number in DEV:
        forest, reference = counting(number)
        space = type(forest.features)(["good", "second_stage"])
        dense = np.hstack([forest.dense, forest.dense])
        scored.append(
            NamedForest("s", forest.derive(features=space, dense=dense), {"refs": [reference]})
        )
    both = {**WEIGHTS, "second_stage": 1.0}
    with refuses(TuningError, "argument.conflict", argument="second_stage"):
        train_second_stage(scored, both, dev=named(DEV), **HOW)


def test_held_out_forests_without_derivations(made):
    """They count, with the empty text; one that is too large is named."""
    metric = parse_metric("bleu:tokenize=none")
    forests = [counting(100)[0], Forest.empty()]
    jobs = [(forest, forest.score(np.ones(len(forest.features)))) for forest in forests]
    references = [[counting(100)[1]], ["w1 w2"]]
    found = choose_factor(made.second, jobs, metric, references)
    assert found == choose_factor(made.second, iter(jobs), metric, references, threads=2)
    alone = choose_factor(made.second, jobs[:1], metric, references[:1])
    assert max(found.scores.values()) < max(alone.scores.values())


def test_two_commands_at_a_time(folder, tmp_path):
    output = tmp_path / "second.json"

    def again(*told):
        with pytest.raises(RosewoodError) as refused:
            train_second_stage(
                folder / "train.rwf", WEIGHTS, dev=folder / "dev.rwf", output=output, **HOW
            )
        assert refused.value.code == "lock.held"
        raise Stopped

    def told(what, done, total):
        if what == "weights of n-grams":
            again()

    with pytest.raises(Stopped):
        train_second_stage(
            folder / "train.rwf", WEIGHTS, dev=folder / "dev.rwf", output=output, told=told, **HOW
        )
