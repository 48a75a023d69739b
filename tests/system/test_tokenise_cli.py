"""`rosewood text`, run as a user runs it."""

from __future__ import annotations

import gzip
import json
import sys

import pytest
from tests.refusals import shows, warns
from tests.system.commands import command  # noqa: F401

from rosewood.corpus import TextProcessor, make_tokeniser

RAW = "Der Hund, z.B. Rex, läuft.\nDann läuft der Hund.\n\n"


@pytest.fixture
def rosewood(command):  # noqa: F811
    return command


def test_there_and_back(rosewood):
    done = rosewood("text", "tokenise", "--language", "de", text=RAW)
    assert done == (0, "Der Hund , z.B. Rex , läuft .\nDann läuft der Hund .\n\n", "")
    assert rosewood("text", "detokenise", "--language", "de", text=done.out).out == RAW


@pytest.mark.parametrize(
    "options",
    [["--joiners"], ["--tokeniser", "char"], ["--tokeniser", "moses"], ["--tokeniser", "none"],
     ["--split-hyphens"]],
)  # fmt: skip
def test_every_way_of_cutting(rosewood, options):
    words = rosewood("text", "tokenise", "--language", "de", *options, text=RAW).out
    assert words.count("\n") == 3
    assert rosewood("text", "detokenise", "--language", "de", *options, text=words).out == RAW


def test_learn(rosewood, tmp_path):
    (tmp_path / "raw.gz").write_bytes(gzip.compress(RAW.encode()))
    made = tmp_path / "de.json"
    done = rosewood("text", "learn", tmp_path / "raw.gz", "--language", "de", "-o", made)
    assert (done.code, done.out) == (0, "")
    warns(done.err, 5, "words")
    assert TextProcessor.load(made).tokeniser == make_tokeniser(language="de")
    output = tmp_path / "words.xz"
    assert rosewood("text", "tokenise", "--load", made, "-o", output, text=RAW).code == 0
    done = rosewood("text", "detokenise", "--load", made, output)
    assert done.out == RAW
    assert rosewood("text", "tokenise", "--load", made, text="Der Hund").out == "der Hund\n"


def test_lower_case_and_save(rosewood, tmp_path):
    made = tmp_path / "a.json"
    options = ["--lowercase", "--protect", "Re[a-z]", "--save", made, "--no-nfc"]
    done = rosewood("text", "tokenise", *options, text="Der Rex. Nun\n")
    assert done.out == "der Rex . nun\n"
    assert rosewood("text", "detokenise", "--load", made, text=done.out).out == "Der Rex. Nun\n"
    assert TextProcessor.load(made).patterns == ("Re[a-z]",)
    (tmp_path / "c.toml").write_text("lowercase = true\nprotect = ['Re[a-z]']\nno-nfc = true\n")
    again = rosewood("text", "tokenise", "--config", tmp_path / "c.toml", text="Der Rex. Nun\n")
    assert again == done


def test_tags_there_and_back(rosewood, tmp_path):
    tags, links = tmp_path / "tags.jsonl.gz", tmp_path / "links"
    raw = "Klicken Sie <b>hier</b>, {name}!\n<i>\n"
    done = rosewood("text", "tokenise", "--language", "de", "--tags", tags, text=raw)
    assert done.out == "Klicken Sie hier , {name} !\n\n"
    back = rosewood("text", "detokenise", "--language", "de", "--tags", tags, text=done.out)
    assert back == (0, raw, "")
    links.write_text("0-1 2-2 3-3 4-4 5-5\n\n")
    english = "Please click here , {name} !\n\n"
    options = ["--language", "en", "--tags", tags, "--alignment", links]
    done = rosewood("text", "detokenise", *options, text=english)
    assert done == (0, "Please click <b>here</b>, {name}!\n<i>\n", "")
    links.write_text("\n\n")
    done = rosewood("text", "detokenise", *options, text="here\n\n")
    warns(done.err, "1 lines", "placeholders", 1)
    assert rosewood("text", "tokenise", "--drop-tags", text=raw).out.startswith("Klicken Sie hier")
    assert rosewood("text", "tokenise", "--no-tags", text="<b>").out == "< b >\n"


def test_mistakes_are_one_line(rosewood, tmp_path):
    tags, links = tmp_path / "tags", tmp_path / "links"
    tags.write_text(json.dumps(TextProcessor().encode("<b>a</b>").to_dict()) + "\n")
    links.write_text("0-0 1-x\n")
    (tmp_path / "bad.json").write_text('{"format": "rosewood-text", "version": 9}')
    for arguments, text, code, fields in [
        (["tokenise"], "a\n<b>x\n", "text.tags", "<stdin>:2: '<b>'"),
        (["tokenise", tmp_path / "no"], "", "file.missing", "no:"),
        (["tokenise", "--load", tmp_path / "bad.json"], "", "file.version", "bad.json"),
        (["tokenise", "--load", tags, "--joiners"], "", "argument.conflict", "--load --joiners"),
        (["tokenise", "--tokeniser", "x"], "", "argument.unknown", "'x'"),
        (["tokenise", "--protect", "("], "", "argument.value", "'('"),
        (["tokenise", "--tags", "-"], "", "argument.conflict", "-o --tags"),
        (
            ["tokenise", "--tags", tmp_path / "t", "--drop-tags"],
            "",
            "argument.conflict",
            "--tags --drop-tags",
        ),
        (["tokenise", tags, "-o", tags], "", "file.exists", "tags: -o"),
        (["detokenise", "--alignment", links], "", "argument.missing", "--alignment --tags"),
        (["detokenise", "--tags", tags], "a\nb\n", "file.mismatch", "tags: 1 <stdin>"),
        (["detokenise", "--tags", tags], "", "file.mismatch", "<stdin>: 0"),
        (["detokenise", "--tags", links], "a\n", "line.fields", "links:1:"),
        (["detokenise", "--tags", tags, "--alignment", links], "a\n", "line.value", "links:1:"),
        (["learn", tags, "-o", tmp_path / "no" / "x"], "", "file.missing", "-o"),
    ]:
        done = rosewood("text", *arguments, text=text)
        shows(done, code, *fields.split())
    links.write_text("0-7\n")
    done = rosewood("text", "detokenise", "--tags", tags, "--alignment", links, text="a\n")
    shows(done, "argument.range", f"{links}:1:", "0-7", exit_code=1)


def test_text_is_refused_as_in_corpora(rosewood, tmp_path):
    (tmp_path / "a").write_bytes("ä\n\u2028b\r\n".encode() + b"\xff\n")
    done = rosewood("text", "tokenise", tmp_path / "a")
    assert done.out == "ä\nb\n"
    shows(done, "file.encoding", f"{tmp_path / 'a'}:3:")
    for line, (code, place, *fields) in {
        "\ufeffa": ("corpus.byte-order-mark", "1:"),
        "a\nb\0": ("corpus.control-character", "2:", "NUL"),
        "a\rb": ("corpus.carriage-return", "1:", "2"),
        "a\x85b": ("corpus.control-character", "1:", "U+0085"),
        "x " * 10**6: ("corpus.too-long", "1:", "2,000,000", "100,000"),
    }.items():
        done = rosewood("text", "tokenise", text=line)
        shows(done, code, f"<stdin>:{place}", *fields)
    made = tmp_path / "p.json"
    done = rosewood("text", "learn", "-", "-o", made, text="a\nb\x07\n")
    shows(done, "corpus.control-character", "<stdin>:2:", "U+0007")
    assert not made.exists()
    done = rosewood("text", "tokenise", "--line-characters", "3", text="a b\na  b\n")
    assert (done.out, done.code) == ("a b\n", 1)


def test_moses_is_an_extra(rosewood, monkeypatch):
    monkeypatch.setitem(sys.modules, "sacremoses", None)
    done = rosewood("text", "tokenise", "--tokeniser", "moses", text="a")
    assert "pip install 'rosewood[text]'" in done.err
