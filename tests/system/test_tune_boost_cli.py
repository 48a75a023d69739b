"""`rosewood tune --method boost`: trees beside the weights, in reranking, sweeps and reports."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from tests.pages import Page
from tests.refusals import refuses
from tests.system.commands import command, run  # noqa: F401

from rosewood.errors import TrainingError, TuningError
from rosewood.forest import BoostedTrees
from rosewood.learn import Boost, tune_loop
from rosewood.metrics import parse_metric
from rosewood.pipeline import TrainingSettings
from rosewood.rerank import rerank, tune
from rosewood.rerank.reranking import trees_file

METRIC = "column:good"


def write_lists(file: Path, seed: int, count: int = 120) -> None:
    """Lists in which `lexical` tells what is good if `count` is small, and `phrase` if not."""
    random = np.random.default_rng(seed)
    with file.open("w", encoding="utf-8") as out:
        for number in range(count):
            times = float(random.integers(1, 5))
            rows = random.normal(size=(12, 2))
            candidates = [
                {
                    "text": f"candidate {n} of {seed}-{number}",
                    "features": {"phrase": phrase, "lexical": lexical, "count": times},
                    "scores": {"good": lexical if times <= 2 else phrase},
                }
                for n, (phrase, lexical) in enumerate(rows.tolist())
            ]
            row = {"id": f"{seed}-{number}", "refs": [], "hyps": candidates}
            out.write(json.dumps(row) + "\n")


@pytest.fixture(scope="module")
def lists(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("boost")
    for name, seed in (("dev", 1), ("test", 2)):
        write_lists(folder / f"{name}.jsonl", seed)
    return folder


@pytest.mark.slow
def test_trees_are_learnt_written_and_used(lists, tmp_path, run):  # noqa: F811
    weights, report = tmp_path / "weights.json", tmp_path / "report.html"
    options = ["--metric", METRIC, "--folds", "2", "--samples", "100", "--set", "leaf=linear",
               "--set", "rounds=6", "--set", "shrinkage=1"]  # fmt: skip
    told = json.loads(
        run("tune", lists / "dev.jsonl", "--method", "boost", *options, "-o", weights,
            "--report", report, "--json", "--heldout", lists / "test.jsonl")
    )  # fmt: skip
    linear = tune(lists / "dev.jsonl", method="pro", metric=METRIC, heldout=lists / "test.jsonl")
    assert told["heldout"][0]["after"] > linear.heldout[0].after + 0.2
    trees = BoostedTrees.load(tmp_path / "weights.trees.json")
    assert told["trees"] == trees.to_dict()
    assert told["weights"]["boost"] == 1.0
    split = trees.trees[0].splits[0]
    assert (split.column, split.threshold) == ("count", 2.5)
    page = Page(report.read_text("utf-8"))
    assert "Trees" in page.said
    assert "count ≤ 2.5" in page.said
    # What is chosen is what was judged, and the trees may be named or found.
    chosen = run("rerank", lists / "test.jsonl", "--weights", weights, "--json", "--quiet")
    rows = [json.loads(line) for line in chosen.splitlines()]
    best = list(rerank(lists / "test.jsonl", weights))
    assert [row["score"] for row in rows] == [float(each.scores[each.order[0]]) for each in best]
    good = np.mean([each.candidates.scores["good"][each.order[0]] for each in best])
    replicates = told["heldout"][0]["replicates"]
    assert min(abs(good - each) for each in replicates) < 1e-9  # that which was kept
    moved = tmp_path / "moved.json"
    (tmp_path / "weights.trees.json").rename(moved)
    again = run("rerank", lists / "test.jsonl", "--weights", weights, "--trees", moved, "--json",
                "--quiet")  # fmt: skip
    assert again == chosen


@pytest.mark.slow
def test_normalised_weights_and_trees_choose_the_same(lists):
    found = [
        tune(lists / "dev.jsonl", method="boost", metric=METRIC, heldout=lists / "test.jsonl",
             settings={"rounds": 3}, normalization=how, samples=50)
        for how in ("none", "l1")
    ]  # fmt: skip
    assert found[0].heldout[0].replicates == pytest.approx(found[1].heldout[0].replicates)
    assert sum(map(abs, found[1].weights.values())) == pytest.approx(2.0)  # `boost` has 1


@pytest.mark.slow
def test_a_sweep_scores_trees(lists, tmp_path, run):  # noqa: F811
    trials = tmp_path / "trials.jsonl"
    run("sweep", lists / "dev.jsonl", "--select", lists / "test.jsonl", "--method", "boost",
        "--metric", METRIC, "--grid", "leaf=constant,linear", "--grid", "rounds=5", "--trials",
        trials, "-o", tmp_path / "best.json", "--quiet")  # fmt: skip
    rows = [json.loads(line)["result"] for line in trials.read_text("utf-8").splitlines()]
    score = {row["settings"]["leaf"]: row["score"] for row in rows}
    assert score["linear"] > score["constant"] + 0.1


def test_weights_without_their_trees_are_refused(lists, tmp_path):
    weights = tmp_path / "weights.json"
    weights.write_text('{"phrase": 1, "lexical": 1, "count": 0, "boost": 1}')
    with refuses(TuningError, "argument.unknown", argument="weights", value="boost"):
        list(rerank(lists / "test.jsonl", weights))
    trees = tmp_path / "trees.json"
    BoostedTrees(("other",)).save(trees)
    with refuses(TuningError, "features.missing", argument="other"):
        list(rerank(lists / "test.jsonl", weights, trees=trees))


def test_weights_alone_are_not_printed(lists, command):  # noqa: F811
    done = command("tune", lists / "dev.jsonl", "--method", "boost", "--metric", METRIC, "-o", "-")
    assert done.code == 1
    assert "argument.conflict" in done.err
    assert done.out == ""


def test_a_feature_of_the_same_name_is_refused(lists, tmp_path):
    text = (lists / "dev.jsonl").read_text("utf-8").replace('"lexical"', '"boost"')
    file = tmp_path / "dev.jsonl"
    file.write_text(text, "utf-8")
    with refuses(TuningError, "argument.duplicate", argument="features", value="boost"):
        tune(file, method="boost", metric=METRIC, settings={"rounds": 1}, samples=20)


def test_decoders_do_not_take_trees():
    with refuses(TrainingError, "argument.conflict", argument="tune", value="boost"):
        TrainingSettings(tune="boost")
    with refuses(TuningError, "argument.conflict", argument="learner"):
        tune_loop(lambda weights, number: [], Boost(), parse_metric("bleu"), [["a"]])


def test_each_file_of_weights_has_its_own_trees():
    assert trees_file("w.json").name == "w.trees.json"
    assert trees_file("w.v1").name == "w.v1.trees.json"
    assert trees_file("w.v2").name == "w.v2.trees.json"


@pytest.mark.slow
def test_trees_overwrite_no_input(lists, command):  # noqa: F811
    trees = lists / "other.trees.json"
    trees.write_text((lists / "dev.jsonl").read_text())
    done = command("tune", trees, "--method", "boost", "--metric", METRIC, "-o", lists / "other")
    assert "file.exists" in done.err
    assert trees.read_text() == (lists / "dev.jsonl").read_text()


@pytest.mark.parametrize("method", ["boost", "pro"])
def test_lists_without_dense_features(tmp_path, command, method):  # noqa: F811
    file = tmp_path / "sparse.jsonl"
    rows = [
        {"id": str(n), "refs": ["a b"], "hyps": [
            {"text": "a b", "features": {"s:1": 1.0}}, {"text": "c", "features": {"s:2": 1.0}}]}
        for n in range(30)
    ]  # fmt: skip
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = command("tune", file, "--method", method, "-o", tmp_path / "w.json", "--folds", "2")
    assert "Traceback" not in done.err
    assert (done.code == 0) == (method == "pro"), done.err


def test_a_feature_that_is_called_as_that_of_trees(tmp_path, command):  # noqa: F811
    file = tmp_path / "named.jsonl"
    rows = [
        {"id": str(n), "refs": ["a b"], "hyps": [
            {"text": "a b", "features": {"boost": 1.0}}, {"text": "c", "features": {"boost": 2.0}}]}
        for n in range(30)
    ]  # fmt: skip
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = command("tune", file, "--method", "boost", "-o", tmp_path / "w.json", "--folds", "2")
    assert "argument.duplicate" in done.err
