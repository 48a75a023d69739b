"""`rosewood rerank --forests`: packed forests, with and without a second stage."""

from __future__ import annotations

import json

import numpy as np
import pytest
from tests.bundles import small_bundle
from tests.refusals import shows, warns
from tests.system.commands import command, run  # noqa: F401

from rosewood.forest import ForestSetWriter, NgramFeatures, SecondStage, read_forests
from rosewood.rerank import read_candidates

CATS = """\
forest s1
dense lm
0 <- ||| the mat ||| lm=-2
1 <- ||| a cat ||| lm=-2.5
2 <- 0 1 ||| [1] on [0] ||| lm=-1
2 <- 0 1 ||| [0] 's [1] ||| lm=-1.5
forest nothing
dense lm
node 0
forest s2
dense lm
0 <- ||| x ||| lm=1
"""
SECOND = SecondStage(NgramFeatures([("'s", "a"), ("house",)]), np.array([2.0, -3.0]), 1000)
RERANK = ["rerank", "cats.rwf", "--forests", "--weights", "w.json"]


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cats.forest").write_text(CATS)
    (tmp_path / "w.json").write_text('{"lm": 1}')
    (tmp_path / "scaled.json").write_text('{"lm": 1, "second_stage": 0.1}')
    SECOND.save(tmp_path / "second.json")
    with ForestSetWriter(tmp_path / "cats.rwf") as out:
        for name, forest, _ in read_forests(CATS.splitlines()):
            out.append(forest, {"id": name, "src": name, "refs": ["x"]})
    return tmp_path


def test_a_line_for_each_forest(place, command):  # noqa: F811
    done = command(*RERANK)
    assert (done.code, done.out) == (0, "a cat on the mat\n\nx\n")
    warns(done.err, 3, "forests", "without", 1, is_only_line=True)
    assert command(*RERANK, "-q").err == ""
    done = command(*RERANK, "--second-stage", "second.json", "-o", "out.gz", "--threads", 2)
    warns(done.err, 1, 3, "second", "stage", is_only_line=True)
    assert command("text", "tokenise", "out.gz", "--tokeniser", "none").out == (
        "the mat 's a cat\n\nx\n"
    )
    scaled = ["rerank", "cats.rwf", "--forests", "--weights", "scaled.json"]
    done = command(*scaled, "--second-stage", "second.json")
    assert done.out == "a cat on the mat\n\nx\n"
    warns(done.err, 0, 3, "second", "stage", is_only_line=True)


def test_other_formats_and_standard_input(place, run):  # noqa: F811
    want = run(*RERANK)
    options = ["--forests", "--weights", "w.json"]
    assert run("rerank", "cats.forest", *options) == want
    assert run("rerank", "-", *options, text=CATS) == want
    (place / "cats.forest").rename(place / "cats")
    assert run("rerank", "cats", *options, "--format", "text") == want
    (place / "c.toml").write_text('forests = true\nweights = "w.json"\nthreads = 2\n')
    assert run("rerank", "cats.rwf", "--config", "c.toml") == want


def test_json_and_lists(place, run):  # noqa: F811
    rows = [json.loads(line) for line in run(*RERANK, "--json").splitlines()]
    assert rows == [
        {"id": "s1", "text": "a cat on the mat", "score": -5.5},
        {"id": "nothing", "text": "", "score": None},
        {"id": "s2", "text": "x", "score": 1.0},
    ]
    listed = run(*RERANK, "--nbest", "--second-stage", "second.json")
    first, blank, last = read_candidates(listed.splitlines())
    assert first.texts == ("the mat 's a cat", "a cat on the mat")
    assert first.features(0) == {"lm": -6.0, "second_stage": 2.0}
    assert first.scores["rosewood"].tolist() == [-4.0, -5.5]
    assert (blank.texts, last.source, last.references) == (("",), "s2", ("x",))
    few = run(*RERANK, "--nbest", "-k", 1, "--second-stage", "second.json")
    assert [each.texts[:1] for each in read_candidates(few.splitlines())] == [
        each.texts[:1] for each in (first, blank, last)
    ]


def test_a_forest_has_a_hundred_strings_unless_told(place, run):  # noqa: F811
    edges = "".join(f"0 <- ||| w{n} ||| lm={-n}\n" for n in range(120))
    (place / "many.forest").write_text(f"forest\ndense lm\n{edges}")
    options = ["rerank", "many.forest", "--forests", "--weights", "w.json", "--nbest"]
    for more, count in ([], 100), (["-k", 110], 110):
        (found,) = read_candidates(run(*options, *more).splitlines())
        assert len(found) == count


def test_forests_of_a_model_with_a_second_stage(place, command, run):  # noqa: F811
    """Its decoder has added the feature already; the n-grams would count twice."""
    small_bundle(place / "model", second=SECOND)
    (place / "in").write_text("das haus ist klein .\nwir gehen nach hause .\n")
    run("translate", "model", "in", "--forests", "f.rwf", "--compress-forests", "-o", "out")
    options = ["rerank", "f.rwf", "--forests", "--weights", "model/weights/weights.json"]
    assert run(*options) == (place / "out").read_text()
    shows(command(*options, "--second-stage", "model"), "argument.conflict", "second_stage")
    # Forests of the first stage with the model's n-grams lead to the same.
    small_bundle(place / "first")
    run("translate", "first", "in", "--forests", "first.rwf", "-o", "first.out")
    options[1] = "first.rwf"
    assert run(*options, "--second-stage", "model") == (place / "out").read_text()
    assert (place / "first.out").read_text() != (place / "out").read_text()
    done = command(*options)
    shows(done, "argument.unknown", "first.rwf with ", "'second_stage'", "--second-stage")
    done = command(*options, "--second-stage", "first")
    shows(done, "model.no-second-stage", "first: ")


@pytest.mark.parametrize(
    ("typed", "code", "fields"),
    [
        (["--weights", "missing.json"], "file.missing", ["missing.json: "]),
        (["--second-stage", "missing.json"], "file.missing", ["missing.json: "]),
        (["--second-stage", "w.json"], "file.kind", ["w.json: "]),
        (["--second-stage", "cats.rwf"], "file.damaged", ["cats.rwf: "]),
        (["--weights", "empty.json"], "argument.missing", ["cats.rwf with empty.json: ", "'lm'"]),
        (["--weights", "more.json"], "argument.unknown", ["'ml'"]),
        (["--weights", "boost.json"], "argument.unknown", ["'boost'", "trees"]),
        (["--weights", "scaled.json"], "argument.unknown", ["--second-stage"]),
        (["--trees", "w.json"], "argument.conflict", ["--trees", "--forests"]),
        (["--src", "w.json"], "argument.conflict", ["--src", "--forests"]),
        (["--features", "w.json"], "argument.conflict", ["--features"]),
        (["--per-source", "3"], "argument.conflict", ["--per-source"]),
        (["--on-bad-line", "skip"], "argument.conflict", ["--on-bad-line"]),
        (["--nbest", "--json"], "argument.conflict", ["--json"]),
        (["-k", "3"], "argument.missing", ["-k", "--nbest"]),
        (["--format", "tsv"], "argument.choice", ["'tsv'", "text"]),
        (["--format", "xml"], "usage", ["--format", "'xml'"]),
        (["-o", "second.json", "--second-stage", "second.json"], "file.exists", ["-o: "]),
    ],
)  # fmt: skip
def test_what_is_refused(place, command, typed, code, fields):  # noqa: F811
    (place / "empty.json").write_text("{}")
    (place / "more.json").write_text('{"lm": 1, "ml": 2}')
    (place / "boost.json").write_text('{"lm": 1, "boost": 2}')
    before = sorted(place.iterdir())
    output = [] if "-o" in typed else ["-o", "out"]
    shows(command(*RERANK, *output, *typed), code, *fields, exit_code=_code(code))
    assert sorted(place.iterdir()) == before


def _code(code: str) -> int | None:
    return 2 if code == "argument.choice" else None


def test_bad_files(place, command):  # noqa: F811
    data = (place / "cats.rwf").read_bytes()
    (place / "cats.rwf").write_bytes(data[:256] + bytes(64) + data[320:])
    shows(command(*RERANK, "-o", "out"), "file.damaged", "cats.rwf: forest ")
    ForestSetWriter(place / "cats.rwf").close()
    shows(command(*RERANK, "-o", "out"), "file.empty", "cats.rwf")
    (place / "empty.forest").write_text("")
    options = ["--forests", "--weights", "w.json", "-o", "out"]
    shows(command("rerank", "empty.forest", *options), "file.empty", "empty.forest")
    shows(command("rerank", "-", *options, text=""), "file.empty", "<stdin>")
    shows(command("rerank", "missing.rwf", *options), "file.missing", "missing.rwf: ")
    line_break = "forest\ndense lm\n0 <- ||| a\\nb ||| lm=1\n"
    shows(command("rerank", "-", *options, text=line_break), "tuning.line-break")
    assert command("rerank", "-", *options[:-2], "--json", text=line_break).code == 0
    assert not (place / "out").exists()


def test_packed_forests_without_the_option(place, command):  # noqa: F811
    shows(command("rerank", "cats.rwf", "--weights", "w.json"), "file.format", "--forests")
    shows(command("rerank", "cats.forest", "--weights", "w.json"), "file.kind", "--forests")
    for option in (["--second-stage", "second.json"], ["--threads", 2]):
        done = command("rerank", "cats.rwf", "--weights", "w.json", *option)
        shows(done, "argument.missing", option[0], "--forests")
