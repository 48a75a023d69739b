"""`rosewood links …`: what people type and what they get."""

from __future__ import annotations

import gzip
import json

import pytest
from tests.refusals import shows, warns
from tests.system.commands import command  # noqa: F401

FORWARD, BACKWARD = "0-0 1-1\n0-0\n", "0-0 1-2\n0-0 1-1\n"
GOLD = "0-0 1-1 1p2\n0-0\n"


@pytest.fixture
def files(tmp_path):
    for name, text in (("f", FORWARD), ("b", BACKWARD), ("gold", GOLD), ("s", "a b\nc d\n"),
                       ("t", "x y z\nv w\n")):  # fmt: skip
        (tmp_path / name).write_text(text)
    return tmp_path


def test_symmetrize(command, files):  # noqa: F811
    f, b = files / "f", files / "b"
    assert command("links", "symmetrize", f, b).out == "0-0 1-1 1-2\n0-0 1-1\n"
    assert command("links", "symmetrize", f, b, "--method", "intersection").out == "0-0\n0-0\n"
    done = command("links", "symmetrize", "-", b, "--method", "union", "--order", "atools",
                   "--threads", 1, "-o", files / "o.gz", text=FORWARD)  # fmt: skip
    assert (done.code, done.out) == (0, "")
    assert gzip.decompress((files / "o.gz").read_bytes()) == b"0-0 1-1 1-2\n0-0 1-1\n"
    turned = command("links", "symmetrize", f, "-", "--reverse-backward", text="0-0 2-1\n0-0 1-1\n")
    assert turned.out == "0-0 1-1 1-2\n0-0 1-1\n"


def test_evaluate(command, files):  # noqa: F811
    done = command("links", "evaluate", files / "f", files / "b", "--gold", files / "gold")
    rows = [line.split() for line in done.out.splitlines()]
    assert rows[0] == ["AER", "precision", "recall", "F", "sentences", "links", "file"]
    assert rows[1][:6] == ["0.0000", "1.0000", "1.0000", "1.0000", "2", "3"]
    assert rows[2][:2] == ["0.2857", "0.7500"]
    told = command("links", "evaluate", files / "b", "--gold", files / "gold", "--json",
                   "--per-sentence").out.splitlines()  # fmt: skip
    sentences = [json.loads(line) for line in told]
    assert [row.get("line") for row in sentences] == [1, 2, None]
    assert sentences[2]["links_sure"] == 2
    done = command("links", "evaluate", files / "b", "--gold", files / "gold", "--per-sentence")
    assert done.out.splitlines()[0].startswith("file\tline\taer\tlinks")
    (files / "part").write_text("\n1-1\n")
    done = command("links", "evaluate", files / "b", "--gold", files / "part", "--first-line", 1)
    assert done.out.splitlines()[1].split()[0] == "0.3333"
    warns(done.err, "part", "gold", 1)


def test_show(command, files):  # noqa: F811
    texts = ["--source", files / "s", "--target", files / "t"]
    done = command("links", "show", files / "b", 1, *texts)
    assert done.out == "  a b\nx ██·\ny · ·\nz · ██\n"
    gold = ["--gold", files / "gold"]
    assert "z · ▓▓" in command("links", "show", files / "b", 1, *texts, *gold).out
    assert "0 ██·" in command("links", "show", files / "b", 2, "--first-line", 1, *gold).out
    for ending in ("svg", "html"):
        path = files / f"picture.{ending}"
        assert command("links", "show", files / "b", 1, *texts, *gold, "-o", path).code == 0
        assert "<svg" in path.read_text(encoding="utf-8")


def test_convert(command, files):  # noqa: F811
    assert command("links", "convert", files / "b", "--reverse").out == "0-0 2-1\n0-0 1-1\n"
    assert command("links", "convert", "-", "--from-one", text="2-1 1-1\n").out == "0-0 1-0\n"
    gold = command("links", "convert", files / "gold", "--gold", "--reverse")
    assert gold.out == "0-0 1-1 2p1\n0-0\n"
    assert command("links", "convert", files / "gold", "--gold", "--only-sure").out == (
        "0-0 1-1\n0-0\n"
    )
    shared = command("links", "convert", "-", "--naacl", text="1 1 1 S\n2 1 2 P\n")
    assert shared.out == "0-0\n0p1\n"


@pytest.mark.parametrize(
    ("arguments", "code", "fields"),
    [
        (["symmetrize", "f", "none"], "file.missing", "none:"),
        (["symmetrize", "f", "s"], "line.value", "s:1: 'a'"),
        (["symmetrize", "f", "b", "--method", "best"], "argument.unknown", "'best'"),
        (["symmetrize", "f", "b", "--order", "best"], "argument.unknown", "'best'"),
        (["symmetrize", "f", "b", "-o", "f"], "file.exists", "f: -o:"),
        (["symmetrize", "-", "-"], "argument.conflict", "(-)"),
        (["symmetrize", "f", "one"], "file.mismatch", "one: 1 2"),
        (["evaluate", "one", "--gold", "gold"], "argument.shape", "first_line"),
        (["evaluate", "f", "--gold", "one", "--first-line", "3"], "argument.range", "2"),
        (["show", "f", "3"], "argument.range", "f: 3 2"),
        (["show", "f", "1", "--source", "s"], "argument.missing", "--target"),
        (["show", "f", "1", "-o", "f.png"], "argument.value", "-o f.png"),
        (["show", "f", "2", "--source", "s", "--target", "one"], "argument.range", "one: 2"),
        (["show", "b", "1", "--source", "s", "--target", "s"], "argument.range", "b:1: 1-2"),
        (["show", "f", "1", "--gold", "gold", "--first-line", "2"], "alignment.no-gold", "gold: 1"),
        (["show", "f", "1", "--gold", "empty"], "alignment.no-gold", "empty: 1"),
        (["convert", "f", "--only-sure"], "argument.missing", "--only-sure --gold"),
        (["convert", "f", "--naacl", "--from-one"], "argument.conflict", "--naacl --from-one"),
        (["convert", "f", "--from-one"], "line.value", "f:1: '0-0'"),
        (["convert", "f", "-o", "no/f"], "file.missing", "no/f: -o: 'no'"),
    ],
)  # fmt: skip
def test_errors_are_one_line(command, files, monkeypatch, arguments, code, fields):  # noqa: F811
    monkeypatch.chdir(files)
    (files / "one").write_text("0-0\n")
    (files / "empty").write_text("\n\n")
    done = command("links", *arguments)
    assert done.out == ""
    is_in_file = code == "argument.range" and ":" in fields  # no fault of the command line
    shows(done, code, *fields.split(), exit_code=1 if is_in_file else None)
