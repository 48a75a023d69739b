"""`rosewood decode`: what goes wrong, and what is told of it."""

from __future__ import annotations

import json
import signal
import subprocess
import sys

import pytest
from tests.decoders import WEIGHTS
from tests.processes import LONGEST, started, wait_until
from tests.refusals import shows, warns
from tests.system.commands import command  # noqa: F401
from tests.system.test_decode_cli import DECODE, models, place  # noqa: F401

from rosewood.forest import ForestSet
from rosewood.model import write_weights

VARIATIONAL = ["--consensus", "variational", "--set"]


@pytest.mark.parametrize(
    ("typed", "code", "shown"),
    [
        (["--distinct"], "argument.missing", ["--distinct", "--nbest"]),
        (["--nbest", "2", "--rule-ids"], "argument.conflict", ["--nbest", "|||", "--json"]),
        (["--nbest", "2", "--consensus", "mbr"], "argument.conflict", ["--nbest", "--consensus"]),
        (["--set", "k=1"], "argument.missing", ["--set k", "--consensus"]),
        (["--consensus", "vote"], "usage", ["'vote'", "mbr, forest-mbr, variational"]),
        (["--consensus", "mbr", "--set", "order=2"], "argument.unknown", ["'order'", "k, metric"]),
        (["--consensus", "mbr", "--set", "k=many"], "argument.type", ["k is 'many'", "from 1"]),
        (["--consensus", "mbr", "--set", "metric=no"], "argument.unknown", ["metric 'no'"]),
        (["--consensus", "mbr", "--set", "margin=-1"], "argument.range", ["margin is -1.0"]),
        (["--consensus", "forest-mbr", "--set", "order=0"], "argument.range", ["order is 0"]),
        ([*VARIATIONAL, "mixture=1"], "argument.value", ["mixture=1:"]),
        ([*VARIATIONAL, "mixture=1:1,1:2"], "argument.duplicate", ["mixture=1:1,1:2"]),
        ([*VARIATIONAL, "mixture=0:1"], "argument.range", ["mixture=0:1", "order"]),
        ([*VARIATIONAL, "mixture=1:1", "--set", "order=2"], "argument.conflict", ["order"]),
        (["--forests", "f.txt"], "argument.value", ["f.txt: --forests: ", ".rwf"]),
        (["--compress-forests"], "argument.missing", ["--compress-forests", "--forests"]),
        (["--picture", "p.png"], "argument.value", ["p.png: --picture: ", ".svg or .html"]),
        (["--pop-limit", "0"], "usage", ["--pop-limit", "0"]),
        (["--pop-limit", "few"], "usage", ["--pop-limit", "few", "none"]),
        (["--beam", "nan"], "usage", ["--beam", "nan"]),
        (["--search", "deep"], "usage", ["--search", "deep"]),
        (["--unknown", "keep"], "usage", ["--unknown", "keep", "copy or drop"]),
        (["--reorder-kind", "word"], "file.mismatch", ["--reorder-kind word", "rules"]),
        (["--reorder-kind", "soft"], "usage", ["--reorder-kind", "'soft'", "none"]),
        (["--on-bad-line", "cry"], "usage", ["--on-bad-line", "cry", "stop, skip, blank"]),
        (["-o", "in"], "file.exists", ["in: -o: "]),
        (["-o", "-", "--alignment", "-"], "argument.conflict", ["standard output (-)"]),
        (["-o", "x", "--alignment", "x"], "argument.duplicate", ["x: --alignment: -o "]),
        (["--weights", "nowhere.json"], "file.missing", ["nowhere.json: "]),
        (["--rules", "nowhere"], "file.missing", ["nowhere/rules.json: "]),
        (["--lm", "x=in"], "file.kind", ["in: "]),
        (["--reference", "nowhere"], "file.missing", ["nowhere: "]),
    ],
)
def test_what_is_refused(command, place, typed, code, shown):  # noqa: F811
    before = sorted(path.name for path in place.iterdir())
    done = command(*DECODE, "in", *typed)
    shows(done, code, *shown)
    assert done.out == ""
    assert sorted(path.name for path in place.iterdir()) == before


@pytest.mark.parametrize(
    ("weights", "code", "shown"),
    [
        ("{", "file.format", []),
        ('{"lm": 1}', "weights.missing", ["'phrase_ef'"]),
        ({"lm": "1"}, "weights.value", ["'lm' is '1'"]),
        ({"lmm": 1.0}, "weights.unknown", ["'lmm'"]),
        ({"rule:a|||b": 1.0}, "weights.unknown", ["'rule:a|||b'", "--rule-ids"]),
        ({"bigram:a": 1.0}, "weights.unknown", ["'bigram:a'"]),
    ],
)
def test_weights_that_do_not_fit(command, place, weights, code, shown):  # noqa: F811
    text = weights if isinstance(weights, str) else json.dumps({**WEIGHTS, **weights})
    (place / "bad.json").write_text(text)
    done = command(*DECODE, "in", "--weights", "bad.json")
    shows(done, code, "bad.json: ", *shown)
    assert done.out == ""


def test_weights_of_sparse_features(command, place):  # noqa: F811
    write_weights({**WEIGHTS, "word:building": 9.0, "rule:klein|||little": 9.0}, "sparse.json")
    typed = ["--weights", "sparse.json", "--rule-ids", "--target-words", "-q"]
    assert command(*DECODE, "in", *typed).out.splitlines()[0] == "the building is little ."


@pytest.mark.parametrize(
    ("line", "code", "shown"),
    [
        (b"das \xff haus", "file.encoding", ["byte 5"]),
        (b"das\0haus", "corpus.control-character", ["NUL", "character 4"]),
        (b"das haus " * 6, "corpus.too-long", ["12 words", "10"]),
        (b"x" * 101, "corpus.too-long", ["101 characters", "100"]),
    ],
)
def test_bad_lines(command, place, line, code, shown):  # noqa: F811
    (place / "bad").write_bytes(b"das haus\n" + line + b"\nhier\n")
    limits = ["--line-words", 10, "--line-characters", 100]
    done = command(*DECODE, "bad", "-o", "out", *limits)
    shows(done, code, "bad:2: ", *shown)
    reason = done.err.removeprefix("rosewood: bad:2: ").removesuffix(f" [{code}]\n")
    assert not (place / "out").exists()
    blank = [*DECODE, "bad", "--on-bad-line", "blank", *limits]
    done = command(*blank, "--alignment", "links")
    assert done.out.splitlines() == ["the house", "", "here"]
    count, first = (row for row in done.err.splitlines() if "malformed" in row)
    assert count.endswith("left blank: 1 (lines 2)")
    assert first.endswith(f"line, 2: {reason}")
    assert (place / "links").read_text().splitlines()[1] == ""
    rows = command(*blank, "--json", "-q").out
    assert json.loads(rows.splitlines()[1]) == {"id": "1", "src": "", "error": reason}


def test_bad_lines_that_are_skipped(command, place):  # noqa: F811
    """They have no line in any output, and the numbers of others stay."""
    (place / "bad").write_bytes(b"das haus\n\xff\nhier\n")
    skip = [*DECODE, "bad", "--on-bad-line", "skip"]
    done = command(*skip, "--alignment", "links", "--forests", "f.rwf")
    assert done.out.splitlines() == ["the house", "here"]
    assert len((place / "links").read_text().splitlines()) == 2
    assert [ForestSet("f.rwf").info(n)["id"] for n in range(2)] == ["0", "2"]
    warns(done.err, 1, "(lines 2)")
    rows = [json.loads(row) for row in command(*skip, "--json", "-q").out.splitlines()]
    assert [row["id"] for row in rows] == ["0", "2"]
    lists = command(*skip, "--nbest", 1, "-q").out.splitlines()
    assert [row.split()[0] for row in lists] == ["0", "2"]


BLANK = ["--on-bad-line", "blank", "-q"]


def test_warnings_are_shown_with_quiet(command, place):  # noqa: F811
    (place / "bad").write_bytes(b"das haus\n\xff\n")
    count, first = command(*DECODE, "bad", *BLANK).err.splitlines()
    assert count.endswith(": 1 (lines 2)")
    assert "line, 2: " in first
    narrow = command(*DECODE, "in", "--max-pops", 1, "-q")
    assert "--max-pops: " in narrow.err.splitlines()[0]
    untuned = command(*DECODE[:-2], "in", "-q")
    assert "--weights" in untuned.err.splitlines()[0]


def test_forests_of_bad_lines(command, place):  # noqa: F811
    (place / "bad").write_bytes(b"\n\xff\ndas haus\n")
    command(*DECODE, "bad", *BLANK, "--forests", "f.rwf", "-o", "out")
    forests = ForestSet("f.rwf")
    assert [each.is_empty for each in forests] == [False, True, False]
    assert ["error" in forests.info(number) for number in range(3)] == [False, True, False]
    assert "UTF-8" in forests.info(1)["error"]


@pytest.mark.parametrize("how", [[], ["--json"]])
@pytest.mark.parametrize("bad", [1, 2])  # in the middle; at the end
def test_lists_with_bad_lines_can_be_tuned_on(command, place, how, bad):  # noqa: F811
    lines = [b"das haus ist klein ."] * 3
    lines[bad] = b"\xff"
    (place / "bad").write_bytes(b"\n".join(lines) + b"\n")
    (place / "refs").write_text("the building is little .\n" * 3)
    name = "dev.jsonl" if how else "dev.nbest"
    assert command(*DECODE, "bad", *BLANK, "--nbest", 5, *how, "-o", name).code == 0
    done = command("tune", name, "--ref", "refs", "--method", "mert", "-o", "w2.json", "-q")
    assert (done.code, (place / "w2.json").exists()) == (0, True), done.err


@pytest.mark.parametrize(("how", "left"), [("skip", ["here"]), ("blank", ["", "here"])])
def test_spans_that_are_bad(command, place, how, left):  # noqa: F811
    typed = ["--inline", "--on-bad-line", how, "-q"]
    assert command(*DECODE, *typed, text="das < haus\nhier\n").out.splitlines() == left


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
