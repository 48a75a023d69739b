"""`rosewood lm estimate`: text in, a model out, and what is said on the way."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys

import pytest
from tests.refusals import shows, warns
from tests.system.commands import command  # noqa: F401

from rosewood.lm import Model, estimate, read_table

LINES = ["a rose is a rose", "a rose", "", "is a rose red", "roses are red"] * 3


@pytest.fixture
def place(tmp_path, monkeypatch):
    (tmp_path / "text").write_text("\n".join(LINES) + "\n")
    (tmp_path / "text.gz").write_bytes(gzip.compress((tmp_path / "text").read_bytes()))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def names(place):
    return sorted(path.name for path in place.iterdir())


def test_a_model_and_its_text_form(command, place):  # noqa: F811
    done = command("lm", "estimate", "--order", 3, "text", "-o", "lm.rlm", "--arpa", "lm.arpa.gz")
    assert names(place) == ["lm.arpa.gz", "lm.rlm", "text", "text.gz"]
    assert done.out.split()[:8] == ["sentences", "15", "tokens", "42", "types", "6", "ngrams", "9"]
    model = Model.open("lm.rlm")
    want = estimate(LINES, 3)
    assert model.facts == want.facts
    assert model.counts == tuple(want.table.size(n) for n in (1, 2, 3))
    command("lm", "convert", "lm.arpa.gz", "-o", "again.rlm")
    for line in LINES:
        assert Model.open("again.rlm").score(line) == pytest.approx(model.score(line), abs=1e-6)


def test_settings_reach_the_model(command, place):  # noqa: F811
    (place / "words").write_text("rose\na\n\n")
    done = command(
        "lm", "estimate", "text.gz", "-o", "lm.rlm", "--order", "2", "--cutoffs", "0,1",
        "--vocabulary", "words", "--layout", "small", "--quantise", "4", "--json", "--quiet",
        "--fallback", "0.6,1.1,1.6",
    )  # fmt: skip
    facts = json.loads(done.out)["facts"]
    assert facts["cutoffs"] == [0, 1]
    assert facts["unknown_tokens"] == 18
    assert [0.6, 1.1, 1.6] in facts["discounts"]
    model = Model.open("lm.rlm")
    assert (model.order, model.layout, model.quantised) == (2, "small", 4)
    assert list(model.vocabulary) == ["<unk>", "<s>", "</s>", "a", "rose"]
    read_table("lm.rlm")
    command("lm", "estimate", "text", "-o", "lm.rlm", "--max-vocabulary", "1", "--quiet")
    assert len(Model.open("lm.rlm").vocabulary) == 4


def test_standard_input_and_what_is_said(place):
    done = subprocess.run(
        [sys.executable, "-m", "rosewood", "lm", "estimate", "-", "-o", "lm.rlm", "--order", "2",
         "--on-bad-line", "skip"],
        input="a b\n<s> a\na\n", capture_output=True, text=True, check=True,
    )  # fmt: skip
    warns(done.stderr, 1, "<stdin>:2")
    warns(done.stderr, "1-grams", "discounts")
    assert Model.open("lm.rlm").facts["sentences"] == 2


def test_bytes_are_the_same_out_of_core(command, place):  # noqa: F811
    lines = [f"w{k % 97} w{k % 89} w{k % 83} w{k}" for k in range(8000)]
    (place / "text").write_text("\n".join(lines) + "\n")
    for name, more in (("one", []), ("two", ["--max-memory", "1M", "--threads", "3"])):
        command("lm", "estimate", "text", "-o", f"{name}.rlm", "--order", "4", "--quiet", *more)
    assert (place / "one.rlm").read_bytes() == (place / "two.rlm").read_bytes()
    assert names(place) == ["one.rlm", "text", "text.gz", "two.rlm"]


@pytest.mark.slow
def test_a_command_that_was_killed_goes_on(place):
    lines = [f"w{k % 97} w{k % 89} w{k % 83} w{k}" for k in range(8000)]
    (place / "text").write_text("\n".join(lines) + "\n")
    code = (
        "import os; from rosewood import lm; make = lm.estimate_files\n"
        "def tell(what, done, total):\n"
        "    if what == 'smoothing orders' and done == 2: os.kill(os.getpid(), 9)\n"
        "lm.estimate_files = lambda *given, told, **more: make(*given, told=tell, **more)\n"
        "from rosewood.cli import main; main()"
    )
    arguments = ["lm", "estimate", "text", "-o", "lm.rlm", "--order", "4", "--max-memory", "1M"]
    killed = subprocess.run([sys.executable, "-c", code, *arguments], check=False)
    assert killed.returncode == -9
    assert "lm.rlm.work" in names(place)
    command_line = [sys.executable, "-m", "rosewood", *arguments]
    done = subprocess.run(command_line, capture_output=True, text=True, check=True)
    warns(done.stderr, "lm.rlm.work")
    assert names(place) == ["lm.rlm", "text", "text.gz"]
    estimate(lines, 4).save("want.rlm")
    assert (place / "lm.rlm").read_bytes() == (place / "want.rlm").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "code", "fields"),
    [
        (["text"], "argument.missing", "-o"),
        (["missing", "-o", "lm.rlm"], "file.missing", "missing"),
        (["text", "-o", "no/where/lm.rlm"], "file.missing", "no/where/lm.rlm: -o"),
        (["text", "-o", "text"], "file.exists", "text: -o"),
        (["text", "-o", "-"], "argument.value", "-o"),
        (["text", "-o", "lm.rlm", "--arpa", "lm.rlm"], "argument.duplicate", "lm.rlm: --arpa -o"),
        (["text", "--arpa", "lm.arpa", "--quantise", "8"], "argument.conflict", "--arpa"),
        (["text", "-o", "lm.rlm", "--cutoffs", "0,x"], "usage", "--cutoffs '0,x'"),
        (["text", "-o", "lm.rlm", "--cutoffs", "1,0"], "argument.value", ""),
        (["text", "-o", "lm.rlm", "--fallback", "1,1"], "usage", "--fallback '1,1'"),
        (["text", "-o", "lm.rlm", "--layout", "tall"], "usage", "--layout 'tall'"),
        (["text", "-o", "lm.rlm", "--layout", "fast", "--quantise", "8"], "argument.conflict",
         "--quantise"),
        (["text", "-o", "lm.rlm", "--on-bad-line", "cry"], "usage", "--on-bad-line 'cry'"),
        (["bad", "-o", "lm.rlm"], "file.encoding", "bad:2: UTF-8"),
        (["marked", "-o", "lm.rlm"], "lm.sentence-mark", "marked:1: </s>"),
        (["empty", "-o", "lm.rlm"], "lm.no-sentences", "empty"),
        (["text", "-o", "lm.rlm", "--vocabulary", "text"], "line.fields", "text:1: 5"),
    ],
)  # fmt: skip
def test_errors_are_one_line_and_leave_nothing(command, place, arguments, code, fields):  # noqa: F811
    (place / "bad").write_bytes(b"a\n\xff\n")
    (place / "marked").write_text("a </s>\n")
    (place / "empty").write_text("")
    before = names(place)
    shows(command("lm", "estimate", *arguments, "--quiet"), code, *fields.split())
    assert names(place) == before
