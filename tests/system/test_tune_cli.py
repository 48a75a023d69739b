"""`rosewood tune`, `rerank`, `evaluate` and `sweep`, run as a user runs them."""

from __future__ import annotations

import gzip
import json
import signal
import subprocess
import sys
from dataclasses import fields, replace

import pytest
from tests.processes import LONGEST, at_a_terminal, started, wait_until
from tests.refusals import warns
from tests.system.commands import command  # noqa: F401

from rosewood.learn import LEARNERS
from rosewood.metrics import compare, evaluate
from rosewood.model import read_weights
from rosewood.rerank import read_candidates, rerank, toy_lists, write_candidates
from rosewood.settings import shown_default

QUICK = ["--replicates", "1", "--folds", "2", "--set", "restarts=2"]


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Candidates to tune on and to rerank, as files in the current folder."""
    monkeypatch.chdir(tmp_path)
    write_candidates(toy_lists(60, candidates=6, seed=1), "dev.jsonl")
    test = list(toy_lists(60, candidates=6, seed=2))
    write_candidates(test, "test.jsonl")
    (tmp_path / "ref.txt").write_text("".join(f"{each.references[0]}\n" for each in test))
    (tmp_path / "first.txt").write_text("".join(f"{each.texts[0]}\n" for each in test))
    return tmp_path


@pytest.mark.slow
def test_the_three_commands(files, command):  # noqa: F811
    done = command("tune", "dev.jsonl", "--method", "mert", "--metric", "bleu", "--replicates", 2,
                   "-o", "weights.json", "--report", "report.html")  # fmt: skip
    assert done.code == 0
    assert done.err == ""
    assert done.out.startswith("Reranking helps here: BLEU +")
    for told in ("oracle", "random", "worst", "replicates", "p = 0.0", "overstates"):
        assert told in done.out
    weights = read_weights("weights.json")
    assert list(weights) == ["system", "fluency", "meaning", "words", "dice"]
    assert sum(map(abs, weights.values())) == pytest.approx(1)
    report = (files / "report.html").read_text()
    assert "Reranking helps here." in report
    assert "rosewood tune dev.jsonl --method mert" in report
    before = sorted(path.name for path in files.iterdir())
    assert before == ["dev.jsonl", "first.txt", "ref.txt", "report.html", "test.jsonl",
                      "weights.json"]  # fmt: skip

    done = command("rerank", "test.jsonl", "--weights", "weights.json", "-o", "best.txt")
    assert (done.code, done.out) == (0, "")
    warns(done.err, 60, "lists")
    best = (files / "best.txt").read_text().splitlines()
    assert best == [each.best for each in rerank("test.jsonl", "weights.json")]

    done = command("evaluate", "best.txt", "--ref", "ref.txt", "--baseline", "first.txt",
                   "--metric", "bleu,chrf,ter")  # fmt: skip
    lines = done.out.splitlines()
    assert lines[0] == "best.txt against first.txt: 60 sentences, 1 reference each"
    assert [line.split()[0] for line in lines[2:5]] == ["BLEU", "chrF2", "TER"]
    assert all(line.endswith("better") for line in lines[2:5])
    references = (files / "ref.txt").read_text().splitlines()
    first = (files / "first.txt").read_text().splitlines()
    found = compare(best, first, [references], ["bleu"])[0]
    assert f"{found.score:.2f}  {found.baseline:>8.2f}" in lines[2]
    assert found.signature in done.out


def test_the_same_bytes_at_any_number_of_threads(files, command):  # noqa: F811
    told = []
    for threads in (1, 3):
        output = f"w{threads}.json"
        done = command("tune", "dev.jsonl", "-o", output, "--json", "--threads", threads, *QUICK)
        told.append((done.out, (files / output).read_bytes()))
    assert told[0] == told[1]
    found = json.loads(told[0][0])
    assert found["verdict"] in ("helps", "unclear")
    assert found["seed"] == 0
    assert found["heldout"][0]["oracle"] == found["oracle"]
    other = command("tune", "dev.jsonl", "--json", "--seed", 5, *QUICK)
    assert json.loads(other.out)["heldout"] != found["heldout"]


def test_weights_on_standard_output_and_candidates_on_standard_input(files, command):  # noqa: F811
    text = (files / "dev.jsonl").read_text()
    done = command("tune", "-", "-o", "-", *QUICK, text=text)
    weights = json.loads(done.out)
    assert done.err.startswith("Reranking ")
    (files / "w.json").write_text(json.dumps(weights))
    done = command("rerank", "-", "--weights", "w.json", "--quiet", text=text)
    assert (done.err, len(done.out.splitlines())) == ("", 60)


def test_held_out_candidates(files, command):  # noqa: F811
    done = command("tune", "dev.jsonl", "--heldout", "test.jsonl", "--json", *QUICK)
    found = json.loads(done.out)
    assert [judged["how"] for judged in found["heldout"]] == ["held-out file"] * 2
    assert found["heldout"][0]["oracle"] != found["oracle"]
    done = command("tune", "dev.jsonl", "--heldout", "test.jsonl", *QUICK)
    assert "What the held-out lists hold: oracle" in done.out


def test_sparse_features_that_only_one_file_has(files, command):  # noqa: F811
    for name, seed in (("a.jsonl", 1), ("b.jsonl", 2)):
        lists = (
            replace(
                each,
                sparse=tuple({f"word:{text.split()[1]}": 1.0} for text in each.texts),
            )
            for each in toy_lists(40, candidates=5, seed=seed)
        )
        write_candidates(lists, name)
    settings = ["--method", "mira", "--set", "passes=3", "--folds", "2", "--replicates", "1"]
    done = command("tune", "a.jsonl", "--heldout", "b.jsonl", "-o", "w.json", *settings)
    assert done.code == 0, done.err
    assert any(name.startswith("word:") for name in read_weights("w.json"))
    assert command("rerank", "b.jsonl", "--weights", "w.json").code == 0
    grid = ["--grid", "step=0.01", "--select", "b.jsonl"]
    assert command("sweep", "a.jsonl", "--method", "mira", *grid).code == 0


def test_starting_weights_are_the_baseline(files, command):  # noqa: F811
    start = {"system": 1.0, "fluency": 0.0, "meaning": 0.0, "words": 0.0, "dice": 0.0}
    (files / "start.json").write_text(json.dumps(start))
    done = command("tune", "dev.jsonl", "--start", "start.json", "--json", *QUICK)
    found = json.loads(done.out)
    assert found["baseline"] == "the starting weights"
    plain = json.loads(command("tune", "dev.jsonl", "--json", *QUICK).out)
    assert found["before"] == plain["before"]  # the first candidates are the system's own


def test_a_column_of_scores_is_a_metric(files, command):  # noqa: F811
    options = ["--metric", "column:mistakes,higher=false", "--normalize", "l2"]
    done = command("tune", "dev.jsonl", "-o", "w.json", *options, *QUICK)
    assert done.out.startswith("Reranking helps here: mistakes -")
    weights = read_weights("w.json")
    assert sum(x * x for x in weights.values()) == pytest.approx(1)


def test_n_best_lists_with_references_beside_them(files, command):  # noqa: F811
    for name in ("dev", "test"):
        rows, references = [], []
        for i, each in enumerate(read_candidates(f"{name}.jsonl")):
            references.append(each.references[0])
            for j, text in enumerate(each.texts):
                told = " ".join(f"{n}={v}" for n, v in each.features(j).items())
                rows.append(f"{i} ||| {text} ||| {told} ||| 0\n")
        (files / f"{name}.nbest").write_text("".join(rows))
        (files / f"{name}.ref").write_text("".join(f"{line}\n" for line in references))
    options = ["--heldout", "test.nbest", "--heldout-ref", "test.ref", *QUICK]
    done = command("tune", "dev.nbest", "--ref", "dev.ref", "--json", *options)
    other = command("tune", "dev.jsonl", "--heldout", "test.jsonl", "--json", *QUICK)
    assert done.code == 0, done.err
    assert json.loads(done.out)["heldout"] == json.loads(other.out)["heldout"]


def test_all_candidates_in_their_new_order(files, command):  # noqa: F811
    weights = {"system": 0, "fluency": 0, "meaning": 0, "words": -1, "dice": 0}
    (files / "w.json").write_text(json.dumps(weights))
    done = command("rerank", "dev.jsonl", "--weights", "w.json", "--nbest", "-o", "n.jsonl.gz")
    assert done.code == 0
    new, old = list(read_candidates("n.jsonl.gz")), list(read_candidates("dev.jsonl"))
    for after, before in zip(new, old, strict=True):
        assert sorted(after.texts) == sorted(before.texts)
        scores = after.scores["rosewood"].tolist()
        assert scores == sorted(scores, reverse=True)
        assert scores == [-float(len(text.split())) for text in after.texts]
        assert set(after.scores) == {"mistakes", "rosewood"}
        assert after.features(0)["words"] == -scores[0]
    again = command("rerank", "n.jsonl.gz", "--weights", "w.json", "--nbest", "-k", 2)
    assert [len(json.loads(line)["hyps"]) for line in again.out.splitlines()] == [2] * 60
    done = command("rerank", "dev.jsonl", "--weights", "w.json", "--json")
    rows = [json.loads(line) for line in done.out.splitlines()]
    assert [row["text"] for row in rows] == [each.texts[0] for each in new]
    assert all(old[i].texts[row["rank"]] == row["text"] for i, row in enumerate(rows))
    gzip.decompress((files / "n.jsonl.gz").read_bytes())


def test_evaluate(files, command):  # noqa: F811
    references = (files / "ref.txt").read_text().splitlines()
    first = (files / "first.txt").read_text().splitlines()
    (files / "other.txt.gz").write_bytes(gzip.compress("\n".join(reversed(references)).encode()))
    done = command("evaluate", "first.txt", "ref.txt", "--ref", "ref.txt", "--json",
                   "--metric", "bleu:tokenize=none,lowercase=1", "--metric", "chrf")  # fmt: skip
    rows = [json.loads(line) for line in done.out.splitlines()]
    assert [(row["file"], row["name"]) for row in rows] == [
        ("first.txt", "bleu"), ("first.txt", "chrf"), ("ref.txt", "bleu"), ("ref.txt", "chrf"),
    ]  # fmt: skip
    want = evaluate(first, [references], ["bleu:tokenize=none,lowercase=1", "chrf"])
    assert [row["value"] for row in rows[:2]] == [score.value for score in want]
    assert [row["value"] for row in rows[2:]] == pytest.approx([100, 100])
    done = command("evaluate", "-", "--ref", "ref.txt", "--ref", "other.txt.gz",
                   text=(files / "first.txt").read_text())  # fmt: skip
    assert done.out.splitlines()[0] == "-: 60 sentences, 2 references each"
    assert "nrefs:2" in done.out


def test_evaluate_says_when_it_is_chance(files, command):  # noqa: F811
    for test in ("bootstrap", "randomisation"):
        done = command("evaluate", "first.txt", "--ref", "ref.txt", "--baseline", "first.txt",
                       "--test", test, "--json")  # fmt: skip
        found = json.loads(done.out)
        assert (found["verdict"], found["p_value"], found["difference"]) == ("unclear", 1, 0)
    lines = (files / "ref.txt").read_text().splitlines()
    numbers = [float(i % 7) for i in range(len(lines))]
    (files / "low").write_text("".join(f"{x}\n" for x in numbers))
    (files / "high").write_text("".join(f"{x + 1}\n" for x in numbers))
    options = ["--scores", "comet=high", "--baseline-scores", "comet=low"]
    done = command("evaluate", "ref.txt", "--ref", "ref.txt", "--baseline", "first.txt",
                   "--metric", "column:comet", *options)  # fmt: skip
    assert "+1.0000" in done.out
    assert "better" in done.out


def test_sweep(files, command):  # noqa: F811
    grid = ["--grid", "step=0.0001,0.01", "--grid", "margin=1,3", "--trials", "trials.jsonl"]
    options = ["--method", "mira", "-o", "s.json", "--select", "test.jsonl"]
    done = command("sweep", "dev.jsonl", *options, *grid)
    assert done.code == 0, done.err
    lines = done.out.splitlines()
    assert lines[0].startswith("4 trials of mira, the best first: BLEU")
    scores = [float(line.split()[0]) for line in lines[2:6]]
    assert scores == sorted(scores, reverse=True)
    trials = [json.loads(x)["result"] for x in (files / "trials.jsonl").read_text().splitlines()]
    assert len(trials) == 4
    assert {trial["settings"]["step"] for trial in trials} == {0.0001, 0.01}
    best = json.loads((files / "s.json").read_text())
    assert best["method"] == "mira"
    assert best["set"] == max(trials, key=lambda trial: trial["score"])["settings"]
    again = command("sweep", "dev.jsonl", *options, *grid)
    assert again.out == done.out
    warns(again.err, "trials.jsonl", 4)
    assert len((files / "trials.jsonl").read_text().splitlines()) == 4
    assert not (files / "s.json.journal").exists()

    tuned = command("tune", "dev.jsonl", "--config", "s.json", "--set", "passes=4", "--json",
                    "--folds", 2, "--replicates", 1)  # fmt: skip
    settings = json.loads(tuned.out)["settings"]
    assert settings["passes"] == 4
    assert {name: settings[name] for name in best["set"]} == best["set"]


@pytest.mark.slow
def test_sweep_at_random(files, command):  # noqa: F811
    options = ["--method", "pro", "--grid", "l2=1e-5..1e-1:log", "--grid", "keep=5,20",
               "--grid", "rounds=1..3", "--random", 5, "--json", "--split", "0.3"]  # fmt: skip
    done = command("sweep", "dev.jsonl", *options)
    trials = [json.loads(line) for line in done.out.splitlines()]
    assert len(trials) == 5
    for trial in trials:
        assert 1e-5 <= trial["settings"]["l2"] <= 1e-1
        assert trial["settings"]["keep"] in (5, 20)
        assert trial["settings"]["rounds"] in (1, 2, 3)
    assert command("sweep", "dev.jsonl", *options, "--threads", 1).out == done.out
    assert command("sweep", "dev.jsonl", *options, "--seed", 1).out != done.out
    failing = command("sweep", "dev.jsonl", "--method", "pro", "--grid", "threshold=0.05,5")
    assert failing.out.splitlines()[3].split()[:3] == ["-", "-", "5"]
    printed = command("sweep", "dev.jsonl", "--grid", "restarts=1,2", "-o", "-").out
    assert json.loads(printed)["set"]["restarts"] in (1, 2)


def test_options_from_a_file(files, command):  # noqa: F811
    (files / "c.toml").write_text(
        'metric = "chrf"\nfolds = 3\nreplicates = 1\njson = true\n'
        "set = {restarts = 1, nearby = 1}\n"
    )
    found = json.loads(command("tune", "dev.jsonl", "--config", "c.toml").out)
    assert found["metric"] == "chrF2"
    assert found["heldout"][0]["how"] == "3-fold cross-validation"
    assert (found["settings"]["restarts"], found["settings"]["nearby"]) == (1, 1.0)
    typed = ["--folds", 2, "--set", "restarts=2", "--metric", "bleu"]
    found = json.loads(command("tune", "dev.jsonl", "--config", "c.toml", *typed).out)
    assert found["metric"] == "BLEU"
    assert found["heldout"][0]["how"] == "2-fold cross-validation"
    assert (found["settings"]["restarts"], found["settings"]["nearby"]) == (2, 1.0)
    weights = dict.fromkeys(["system", "fluency", "meaning", "words", "dice"], 1)
    (files / "w.json").write_text(json.dumps(weights))
    (files / "c.json").write_text('{"weights": "w.json", "quiet": true}')
    assert command("rerank", "dev.jsonl", "--config", "c.json").err == ""
    (files / "c.json").write_text('{"ref": ["ref.txt"], "metric": "ter"}')
    assert "TER" in command("evaluate", "first.txt", "--config", "c.json").out
    (files / "c.json").write_text('{"grid": {"restarts": [1, 2]}, "split": 0.5}')
    assert "2 trials of mert" in command("sweep", "dev.jsonl", "--config", "c.json").out


def test_settings_are_listed(command):  # noqa: F811
    every = command("tune", "--list-settings").out
    for name, kind in LEARNERS.items():
        one = command("tune", "--method", name, "--list-settings").out
        assert one in every
        for each in fields(kind):
            (line,) = [x for x in one.splitlines() if x.split()[0] == each.name]
            assert shown_default(each.default) in line
            assert each.metadata["help"] in line
    rows = [json.loads(x) for x in command("tune", "--list-settings", "--json").out.splitlines()]
    assert [row["method"] for row in rows] == list(LEARNERS)


def test_help_names_every_learner(command, monkeypatch):  # noqa: F811
    monkeypatch.setenv("COLUMNS", "400")
    for verb in ("tune", "sweep"):
        shown = command(verb, "--help").out
        assert all(name in shown for name in LEARNERS)


@pytest.mark.slow
def test_a_run_that_is_stopped_goes_on(files, command):  # noqa: F811
    work = ["tune", "dev.jsonl", "--set", "restarts=60", "--threads", "1", "--seed", "3"]
    straight = command(*work, "-o", "straight.json", "--json")
    journal = files / "w.json.journal"
    with started(
        [sys.executable, "-m", "rosewood", *work, "-o", "w.json"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as running:  # fmt: skip
        wait_until(lambda: journal.exists() and journal.read_bytes().count(b"\n") >= 2, running)
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=LONGEST)
    assert running.returncode == 130, err
    assert out == ""
    assert "finished pieces of work are in w.json.journal: the same command goes on" in err
    assert err.endswith("rosewood: stopped\n")
    assert "Traceback" not in err
    assert not (files / "w.json").exists()
    kept = journal.read_bytes()
    count = kept.count(b"\n")
    journal.write_bytes(kept + b'{"key": "cut o')  # as if it had been killed while writing
    done = command(*work, "-o", "w.json", "--json")
    assert done.code == 0
    warns(done.err, "w.json.journal", count)
    assert done.out == straight.out
    assert (files / "w.json").read_bytes() == (files / "straight.json").read_bytes()
    assert not journal.exists()


def test_a_journal_that_was_asked_for_stays(files, command):  # noqa: F811
    options = ["tune", "dev.jsonl", "--journal", "j", "--json", *QUICK]
    first = command(*options)
    size = (files / "j").stat().st_size
    again = command(*options)
    assert again.out == first.out
    assert (files / "j").stat().st_size == size
    warns(again.err, "j", 3)


@pytest.mark.slow
def test_a_bar_on_a_terminal(files):
    typed = ["tune", "dev.jsonl", "--heldout", "test.jsonl"]
    with (files / "out").open("wb") as out:
        code, shown = at_a_terminal([sys.executable, "-m", "rosewood", *typed], stdout=out)
    assert code == 0
    assert (files / "out").read_text().startswith("Reranking")
    for told in ("reading dev.jsonl", "counting for BLEU", "fitting"):
        assert told in shown
