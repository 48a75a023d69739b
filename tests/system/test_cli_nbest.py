"""`rosewood nbest`."""

from __future__ import annotations

import gzip
import json

import pytest
from tests.refusals import shows
from tests.system.commands import command, run  # noqa: F401

from rosewood.rerank import read_candidates

NBEST = "0 ||| a b ||| LM0= -1 TM0= 1 2 ||| -3\n0 ||| c ||| LM0= -2 TM0= 3 4 ||| -4\n"
NBEST += "1 ||| d ||| LM0= -3 TM0= 5 6 ||| -5\n"


@pytest.fixture
def files(tmp_path):
    (tmp_path / "a.nbest").write_text(NBEST)
    (tmp_path / "ref").write_text("a b\nd\n")
    (tmp_path / "src").write_bytes("ä\nß\n".encode())
    return tmp_path


def test_info(run, files):  # noqa: F811
    shown = run("nbest", "info", files / "a.nbest", "--ref", files / "ref")
    assert "lists\t2\ncandidates\t3\n" in shown
    assert "references each\t1\n" in shown
    assert "feature\tmean\tsd\tmin\tmax\nLM0_0\t-2\t0.816497\t-3\t-1\n" in shown
    assert "score\tmean\tsd\tmin\tmax\nmodel\t-4\t" in shown
    both = run("nbest", "info", files / "a.nbest", "-", "--json", text=NBEST).splitlines()
    first, second = map(json.loads, both)
    assert second == {**first, "file": "-"}
    assert first["features"]["TM0_1"] == {
        "mean": 4.0, "sd": pytest.approx(1.632993161855452), "min": 2.0, "max": 6.0,
    }  # fmt: skip


def test_convert(run, files):  # noqa: F811
    beside = ["--ref", files / "ref", "--src", files / "src"]
    want = list(
        read_candidates(files / "a.nbest", references=[files / "ref"], source=files / "src")
    )
    for name in ("a.jsonl", "a.jsonl.zst", "a.rwf"):
        assert run("nbest", "convert", files / "a.nbest", "-o", files / name, *beside) == ""
        assert list(read_candidates(files / name)) == want
    printed = run("nbest", "convert", files / "a.rwf", "-o", "-")
    assert list(read_candidates(printed.splitlines())) == want
    assert "ä" in printed


def test_candidates_one_a_line(run, files):  # noqa: F811
    (files / "texts").write_text("a\nb\nc\nd\n")
    (files / "lm.txt.gz").write_bytes(gzip.compress(b"1\n2\n3\n4\n"))
    options = ["--features", files / "lm.txt.gz", "--ref", files / "ref", "--per-source"]
    printed = run("nbest", "convert", files / "texts", "-o", "-", *options, 2)
    first = json.loads(printed.splitlines()[0])
    assert first == {
        "id": "0",
        "refs": ["a b"],
        "hyps": [{"text": "a", "features": {"lm": 1.0}}, {"text": "b", "features": {"lm": 2.0}}],
    }
    (files / "counts").write_text("1\n3\n")
    printed = run("nbest", "convert", files / "texts", "-o", "-", *options, files / "counts")
    assert [len(json.loads(line)["hyps"]) for line in printed.splitlines()] == [1, 3]


def test_bad_lists(files, command):  # noqa: F811
    bad = files / "bad.nbest"
    bad.write_text(NBEST + "2 ||| e ||| LM0= nan TM0= 1 2 ||| 0\n" + "\n" * 6)
    before = sorted(files.iterdir())
    for name in ("out.rwf", "out.jsonl.gz"):
        done = command("nbest", "convert", bad, "-o", files / name)
        shows(done, "line.number", f"{bad}:4:", "'LM0_0'", "'nan'")
    assert sorted(files.iterdir()) == before
    done = command("nbest", "convert", bad, "-o", files / "out.txt")
    shows(done, "argument.value", files / "out.txt")
    shows(command("nbest", "convert", "-", "-o", "-", text="hello\n"), "file.kind", "<stdin>:1:")
    done = command("nbest", "info", bad, "--on-bad-line", "never")
    shows(done, "usage", "--on-bad-line", "'never'")
    done = command("nbest", "info", bad, bad, "--ref", files / "ref")
    shows(done, "argument.conflict", "--ref")
    assert sorted(files.iterdir()) == before


def test_skipping_warns(files, command):  # noqa: F811
    bad = files / "bad.jsonl"
    good = '{"id": "%d", "hyps": [{"text": "x", "features": {"lm": 1}}]}\n'
    bad.write_text("?\n" * 7 + good % 1 + good % 2)
    options = ["--on-bad-line", "skip", "-o", files / "out.jsonl"]
    done = command("nbest", "convert", bad, *options)
    assert (done.code, done.out) == (0, "")
    lines = done.err.splitlines()
    assert lines[0].startswith(f"rosewood: {bad}: 7 ")
    assert lines[1].startswith(f"rosewood:   {bad}:1: ")
    assert lines[-1] == "rosewood:   and 2 more"
    assert len((files / "out.jsonl").read_text().splitlines()) == 2
