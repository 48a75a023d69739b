"""`rosewood cluster`: learn, show, convert, resume."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from tests.refusals import shows, warns
from tests.system.commands import command, run  # noqa: F401

from rosewood.corpus import WordClasses

LINES = [
    f"{article} {noun} {verb}"
    for article in ("the", "a", "my")
    for noun in ("dog", "cat", "cow", "horse")
    for verb in ("sleeps", "eats")
]


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text").write_text("\n".join(LINES) + "\n")
    return tmp_path


def names(place):
    return sorted(path.name for path in place.iterdir())


def test_learn_and_show(place, run):  # noqa: F811
    out = run("cluster", "text", "-o", "en.classes", "--classes", 3, "--show", 2, "-q")
    assert names(place) == ["en.classes", "text"]
    rows = [line.split() for line in out.splitlines()]
    assert rows[0][:2] == ["class", "words"]
    assert len(rows) == 3
    WordClasses.learn(LINES, 3).save("want")
    assert (place / "en.classes").read_bytes() == (place / "want").read_bytes()
    assert run("cluster", "--load", "en.classes", "--show", 2, "-q") == out
    found = json.loads(run("cluster", "--load", "en.classes", "--show", 3, "--json"))
    assert (found["classes"], found["known_words"], found["sentences"]) == (3, 9, 24)
    assert {frozenset(each["examples"]) for each in found["largest"]} == {
        frozenset({"the", "a", "my"}),
        frozenset({"dog", "cat", "cow", "horse"}),
        frozenset({"sleeps", "eats"}),
    }


def test_summary(place, run):  # noqa: F811
    out = run("cluster", "text", "-o", "en.classes", "--classes", 2, "--threads", 2)
    assert dict(line.split() for line in out.splitlines())["classes"] == "2"
    found = json.loads(run("cluster", "text", "-o", "en.classes", "--classes", 2, "--json"))
    assert found["objective"] == found["history"][-1]["objective"]


def test_standard_input_and_output(place, run):  # noqa: F811
    text = "\n".join(LINES)
    out = run("cluster", "--classes", 3, "--text", "-", text=text)
    assert dict(line.split("\t") for line in out.splitlines())["dog"] in "123"
    assert names(place) == ["text"]
    (place / "mkcls").write_text(out)
    run("cluster", "--load", "mkcls", "-o", "en.classes", "-q")
    assert run("cluster", "--load", "en.classes", "--text", "-") == out


def test_bad_lines(place, command):  # noqa: F811
    (place / "text").write_bytes(b"a b\n\xff\nb a\n")
    shows(command("cluster", "text", "-o", "x", "-q"), "file.encoding", "text:2")
    done = command("cluster", "text", "-o", "x", "-q", "--on-bad-line", "skip")
    warns(done.err, "1", "text:2")
    assert done.code == 0
    assert names(place) == ["text", "x"]


def test_words_that_still_move(place, command):  # noqa: F811
    done = command("cluster", "text", "-o", "x", "--annealing", 0, "--rounds", 1)
    assert done.code == 0
    lines = [f"{a} {b}" for a in "abcdefg" for b in "hijklmnop" if (ord(a) * ord(b)) % 3]
    (place / "text").write_text("\n".join(lines))
    done = command("cluster", "text", "-o", "x", "--classes", 3, "--annealing", 0, "--rounds", 1)
    warns(done.err, "--rounds", 1)


@pytest.mark.parametrize(
    ("arguments", "code", "fields"),
    [
        (["text"], "argument.missing", ["-o"]),
        (["--load", "text"], "argument.missing", ["--show"]),
        (["text", "--load", "text", "--show", 1], "argument.conflict", ["TEXT", "--load"]),
        (["--load", "text", "--show", 1, "--classes", 2], "argument.conflict", ["--classes"]),
        (["text", "-o", "text"], "file.exists", ["text"]),
        (["none", "-o", "x"], "file.missing", ["none"]),
        (["--load", "text", "--show", 1], "line.fields", ["text:1"]),
        (["empty", "-o", "x"], "file.empty", ["empty"]),
        (["text", "-o", "x", "--work", "."], "argument.conflict", ["text"]),
    ],
)
def test_what_is_refused(place, command, arguments, code, fields):  # noqa: F811
    (place / "empty").write_text("\n\n")
    done = command("cluster", *arguments, "-q")
    shows(done, code, *fields)
    assert names(place) == ["empty", "text"]


@pytest.mark.parametrize("option", ["--classes", "--rounds", "--min-count", "--threads", "--show"])
def test_bad_values(place, command, option):  # noqa: F811
    shows(command("cluster", "text", "-o", "x", option, 0), "usage", option)


@pytest.mark.slow
def test_a_command_that_was_killed_goes_on(place):
    code = (
        "import os; from rosewood.corpus import clusters_learning as room; learn = room.learn\n"
        "def tell(what, done, total):\n"
        "    if what == 'round 5, words': os.kill(os.getpid(), 9)\n"
        "room.learn = lambda *given, told, **more: learn(*given, told=tell, **more)\n"
        "from rosewood.cli import main; main()"
    )
    arguments = ["cluster", "text", "-o", "en.classes", "--classes", "4"]
    killed = subprocess.run([sys.executable, "-c", code, *arguments], check=False)
    assert killed.returncode == -9
    assert names(place) == ["en.classes.work", "text"]
    again = [sys.executable, "-m", "rosewood", *arguments]
    done = subprocess.run(again, capture_output=True, text=True, check=True)
    warns(done.stderr, "en.classes.work")
    assert names(place) == ["en.classes", "text"]
    WordClasses.learn(LINES, 4).save("want")
    assert (place / "en.classes").read_bytes() == (place / "want").read_bytes()


def test_more_than_all_counts_is_refused(place, command, run):  # noqa: F811
    shows(
        command("cluster", "text", "-o", "en.classes", "--min-count", 99), "argument.range",
        "--min-count", 12,
    )  # fmt: skip
    assert names(place) == ["text"]
    run("cluster", "text", "-o", "en.classes", "--min-count", 12, "-q")
