"""`rosewood decode`: what goes wrong, and what is told of it."""

from __future__ import annotations

import json
import signal
import subprocess
import sys

import pytest
from tests.decoders import WEIGHTS
from tests.processes import LONGEST, started, wait_until
from tests.system.commands import command  # noqa: F401
from tests.system.test_decode_cli import DECODE, models, place  # noqa: F401

from rosewood.forest import ForestSet
from rosewood.model import write_weights

VARIATIONAL = ["--consensus", "variational", "--set"]


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        (["--distinct"], "--distinct is for --nbest"),
        (["--nbest", "2", "--rule-ids"], "names of rules have ||| in them"),
        (["--nbest", "2", "--consensus", "mbr"], "--nbest goes by score"),
        (["--set", "k=1"], "--set k: it is for --consensus"),
        (["--consensus", "vote"], "--consensus vote: want mbr, forest-mbr, variational"),
        (["--consensus", "mbr", "--set", "order=2"], "mbr has no such setting; it has k, metric"),
        (["--consensus", "mbr", "--set", "k=many"], "--set k=many: want a number"),
        (["--consensus", "mbr", "--set", "metric=no"], "there is no metric 'no'"),
        ([*VARIATIONAL, "mixture=1"], "--set mixture=1: '1' is no order with its weight"),
        ([*VARIATIONAL, "mixture=1:1,1:2"], "--set mixture=1:1,1:2: order 1 stands twice"),
        ([*VARIATIONAL, "mixture=0:1"], "an order is 0"),
        ([*VARIATIONAL, "mixture=1:1", "--set", "order=2"], "it has orders already"),
        (["--forests", "f.txt"], "f.txt: --forests: a set of forests ends with .rwf"),
        (["--picture", "p.png"], "p.png: --picture: it ends with .svg or .html"),
        (["--pop-limit", "0"], "pop_limit is 0"),
        (["--pop-limit", "few"], "--pop-limit few: want a number or none"),
        (["--beam", "nan"], "beam is nan"),
        (["--search", "deep"], "search is 'deep'"),
        (["--unknown", "keep"], "unknown is 'keep', want copy, drop"),
        (["--reorder-kind", "word"], "rules has no orientations"),
        (["--reorder-kind", "soft"], "--reorder-kind soft: want word, phrase, hierarchy or none"),
        (["--on-bad-line", "cry"], "--on-bad-line cry: want stop or skip"),
        (["-o", "in"], "in: -o: it is read, too, and would be lost"),
        (["-o", "-", "--alignment", "-"], "standard output (-) can be written only once"),
        (["-o", "x", "--alignment", "x"], "x: --alignment: -o goes there already"),
        (["--weights", "nowhere.json"], "nowhere.json: No such file"),
        (["--rules", "nowhere"], "nowhere/rules.json: No such file"),
        (["--lm", "x=in"], "in: it is no language model"),
        (["--reference", "nowhere"], "nowhere: No such file"),
    ],
)
def test_what_is_refused(command, place, typed, told):  # noqa: F811
    before = sorted(path.name for path in place.iterdir())
    done = command(*DECODE, "in", *typed)
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("rosewood: ")
    assert told in done.err.splitlines()[-1]
    assert sorted(path.name for path in place.iterdir()) == before


@pytest.mark.parametrize(
    ("weights", "told"),
    [
        ("{", "bad.json: it is not JSON of weights"),
        ('{"lm": 1}', "bad.json: there is no weight for the feature 'phrase_ef'"),
        ({"lm": "1"}, "bad.json: the weight of 'lm' is '1', want a number"),
        ({"lmm": 1.0}, "bad.json: there is a weight for 'lmm', but no such feature"),
        ({"rule:a|||b": 1.0}, "but no such feature without --rule-ids"),
        ({"bigram:a": 1.0}, "there is a weight for 'bigram:a', but no such feature"),
    ],
)
def test_weights_that_do_not_fit(command, place, weights, told):  # noqa: F811
    text = weights if isinstance(weights, str) else json.dumps({**WEIGHTS, **weights})
    (place / "bad.json").write_text(text)
    done = command(*DECODE, "in", "--weights", "bad.json")
    assert (done.code, done.out) == (1, "")
    assert told in done.err


def test_weights_of_sparse_features(command, place):  # noqa: F811
    write_weights({**WEIGHTS, "word:building": 9.0, "rule:klein|||little": 9.0}, "sparse.json")
    typed = ["--weights", "sparse.json", "--rule-ids", "--target-words", "-q"]
    assert command(*DECODE, "in", *typed).out.splitlines()[0] == "the building is little ."


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (b"das \xff haus", "it is not UTF-8: invalid start byte at byte 5 of the line"),
        (b"das\0haus", "there is NUL at character 4"),
        (b"das haus " * 6, "there are 12 words, the limit is 10"),
        (b"x" * 101, "there are 101 characters, the limit is 100"),
    ],
)
def test_bad_lines(command, place, line, told):  # noqa: F811
    (place / "bad").write_bytes(b"das haus\n" + line + b"\nhier\n")
    limits = ["--line-words", 10, "--line-characters", 100]
    done = command(*DECODE, "bad", "-o", "out", *limits)
    assert (done.code, done.err) == (1, f"rosewood: bad:2: {told}\n")
    assert not (place / "out").exists()
    done = command(*DECODE, "bad", "--on-bad-line", "skip", "--alignment", "links", *limits)
    assert done.out.splitlines() == ["the house", "", "here"]
    assert "rosewood: bad lines, left blank: 1 (lines 2)" in done.err
    assert f"rosewood: the first of the bad ones, line 2: {told}" in done.err
    assert (place / "links").read_text().splitlines()[1] == ""
    rows = command(*DECODE, "bad", "--on-bad-line", "skip", "--json", "-q", *limits).out
    assert json.loads(rows.splitlines()[1]) == {"id": "1", "src": "", "error": told}


SKIP = ["--on-bad-line", "skip", "-q"]


def test_what_must_be_known_is_told_quietly(command, place):  # noqa: F811
    (place / "bad").write_bytes(b"das haus\n\xff\n")
    done = command(*DECODE, "bad", *SKIP)
    assert done.err.splitlines() == [
        "rosewood: bad lines, left blank: 1 (lines 2)",
        "rosewood: the first of the bad ones, line 2: it is not UTF-8: invalid start byte at byte "
        "1 of the line",
    ]
    narrow = command(*DECODE, "in", "--max-pops", 1, "-q")
    assert narrow.err.startswith("rosewood: searched less thoroughly, for --max-pops: ")
    untuned = command(*DECODE[:-2], "in", "-q")
    assert untuned.err.startswith("rosewood: there are no --weights")


def test_forests_of_bad_lines(command, place):  # noqa: F811
    (place / "bad").write_bytes(b"\n\xff\ndas haus\n")
    command(*DECODE, "bad", *SKIP, "--forests", "f.rwf", "-o", "out")
    forests = ForestSet("f.rwf")
    assert [each.is_empty for each in forests] == [False, True, False]
    assert ["error" in forests.info(number) for number in range(3)] == [False, True, False]
    assert forests.info(1)["error"].startswith("it is not UTF-8")


@pytest.mark.parametrize("how", [[], ["--json"]])
@pytest.mark.parametrize("bad", [1, 2])  # in the middle; at the end
def test_lists_with_bad_lines_can_be_tuned_on(command, place, how, bad):  # noqa: F811
    lines = [b"das haus ist klein ."] * 3
    lines[bad] = b"\xff"
    (place / "bad").write_bytes(b"\n".join(lines) + b"\n")
    (place / "refs").write_text("the building is little .\n" * 3)
    name = "dev.jsonl" if how else "dev.nbest"
    assert command(*DECODE, "bad", *SKIP, "--nbest", 5, *how, "-o", name).code == 0
    done = command("tune", name, "--ref", "refs", "--method", "mert", "-o", "w2.json", "-q")
    assert (done.code, (place / "w2.json").exists()) == (0, True), done.err


def test_spans_that_are_bad_can_be_skipped(command, place):  # noqa: F811
    done = command(*DECODE, "--inline", "--on-bad-line", "skip", "-q", text="das < haus\nhier\n")
    assert done.out.splitlines() == ["", "here"]


def test_options_from_a_file(command, place):  # noqa: F811
    (place / "how.toml").write_text(
        'rules = "rules"\nlm = {lm = "lm.rlm"}\nweights = "w.json"\nmax-phrase = 1\n'
        'beam = "none"\nquiet = true\ntarget-words = true\n'
    )
    done = command("decode", "in", "--config", "how.toml", "--json")
    assert done.err == ""
    row = json.loads(done.out.splitlines()[2])
    assert row["features"]["word:go"] == 1.0
    assert all(end - begin == 1 for begin, end in (use["source"] for use in row["phrases"]))


@pytest.mark.slow
def test_nothing_is_left_of_what_was_stopped(place):  # noqa: F811
    (place / "long").write_text("das haus ist klein . " * 60 + "\n")
    lines = (place / "long").read_text() * 400
    (place / "long").write_text(lines)
    program = [sys.executable, "-c", "from rosewood.cli import main; main()"]
    typed = [*DECODE, "long", "-o", "out", "--alignment", "links", "--forests", "f.rwf"]
    before = sorted(path.name for path in place.iterdir())
    with started(
        [*program, *typed, "--pop-limit", "2000"], stderr=subprocess.PIPE, text=True
    ) as running:
        wait_until(lambda: len(list(place.iterdir())) > len(before), running)  # it writes
        running.send_signal(signal.SIGINT)
        _, told = running.communicate(timeout=LONGEST)
    assert running.returncode == 130
    assert "rosewood: stopped" in told
    assert sorted(path.name for path in place.iterdir()) == before
