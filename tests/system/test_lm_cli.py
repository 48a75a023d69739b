"""`rosewood lm …`: what people type and what they get."""

from __future__ import annotations

import gzip
import json
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path

import pytest
from tests.refusals import shows, warns
from tests.system.commands import command  # noqa: F401

from rosewood.cli import verb
from rosewood.lm import Mixture, Model, open_model, read_arpa, write_model

ARPA = """\\data\\
ngram 1=5
ngram 2=4

\\1-grams:
-1\t<unk>\t0
0\t<s>\t-0.5
-0.75\t</s>\t0
-0.5\ta\t-0.25
-0.625\tb\t-0.125

\\2-grams:
-0.25\ta </s>
-0.125\t<s> a
-0.375\tb a
-0.3125\ta b

\\end\\
"""
OTHER = ARPA.replace("\ta", "\tc").replace(" a", " c")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Two models and a mixture, made once."""
    place = tmp_path_factory.mktemp("models")
    (place / "lm.arpa").write_text(ARPA)
    (place / "lm.arpa.gz").write_bytes(gzip.compress(ARPA.encode()))
    (place / "other.arpa").write_text(OTHER)
    (place / "text").write_text("a b\n\nx a\n")
    for name, source, layout in (("lm", "lm", "fast"), ("other", "other", "fast"),
                                 ("small", "lm", "small")):  # fmt: skip
        table, words, facts = read_arpa(place / f"{source}.arpa")
        write_model(place / f"{name}.rlm", table, words, layout=layout, facts=facts)
    Mixture([Model.open(place / "lm.rlm")], [1.0]).save(place / "one.json")
    return place


@pytest.fixture
def files(made, tmp_path):
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    return tmp_path


def test_convert(command, files):  # noqa: F811
    done = command("lm", "convert", files / "lm.arpa", "-o", files / "made.rlm")
    assert (done.code, done.out, done.err) == (0, "", "")
    assert (files / "made.rlm").read_bytes() == (files / "lm.rlm").read_bytes()
    assert command("lm", "convert", files / "small.rlm", "-o", "-").out == ARPA
    assert command("lm", "convert", "-", "-o", files / "in.rlm", text=ARPA).code == 0
    assert (files / "in.rlm").stat().st_size > 0
    compressed = files / "again.arpa.gz"
    assert command("lm", "convert", files / "small.rlm", "-o", compressed).code == 0
    assert gzip.decompress(compressed.read_bytes()).decode() == ARPA
    options = ["--quantise", 4, "--max-memory", "1M", "--temporary", files, "--threads", 2, "-q"]
    assert command("lm", "convert", compressed, "-o", files / "q.rlm", *options).code == 0
    model = Model.open(files / "q.rlm")
    assert (model.layout, model.quantised) == ("small", 4)
    table = files / "options.toml"
    table.write_text('layout = "small"\nmax-memory = "10M"\n')
    assert command("lm", "convert", compressed, "-o", files / "c.rlm", "--config", table).code == 0
    assert Model.open(files / "c.rlm").layout == "small"


def test_what_was_mended_is_told(command, files):  # noqa: F811
    text = ("\\data\\\nngram 1=1\nngram 2=0\nngram 3=1\n\\1-grams:\n1e-6\ta\t-inf\n\\3-grams:\n"
            "-1\ta a a\n\\end\\\n")  # fmt: skip
    done = command("lm", "convert", "-", "-o", files / "x.rlm", text=text)
    assert len(done.err.splitlines()) == 4
    warns(done.err, "<stdin>", "<unk>, <s>, </s>")
    warns(done.err, "<stdin>", 1, "n-grams")
    warns(done.err, "<stdin>", 1, "-inf", "-99")
    warns(done.err, "<stdin>", 1, "log probabilities", 0)
    mended = json.loads(command("lm", "info", files / "x.rlm", "--json").out)["facts"]["mended"]
    assert mended["added_ngrams"] == [0, 1, 0]


@pytest.mark.parametrize("model", ["lm.rlm", "small.rlm", "lm.arpa", "lm.arpa.gz"])
def test_query(command, files, model):  # noqa: F811
    done = command("lm", "query", files / model, files / "text")
    assert done.out == "-1.312500\t2\t0\n-1.250000\t0\t0\n-2.250000\t2\t1\n"
    assert command("lm", "query", files / model, text="a b\n\nx a\n").out == done.out
    first = json.loads(command("lm", "query", files / model, "--json", text="a b").out)
    assert first == {"log10": -1.3125, "words": 2, "unknown": 0}


def test_query_words(command, files):  # noqa: F811
    done = command("lm", "query", files / "lm.rlm", files / "text", "--words")
    assert done.out.split("\n\n") == [
        "a\t-0.125000\t2\nb\t-0.312500\t2\n</s>\t-0.875000\t1",
        "</s>\t-1.250000\t1",
        "x\t-1.500000\t1\tunknown\na\t-0.500000\t1\n</s>\t-0.250000\t2",
        "",
    ]
    done = command("lm", "query", files / "lm.rlm", "-", "--kenlm", text="x a\n")
    assert done.out.splitlines() == [
        "x=0 1 -1.5\ta=3 1 -0.5\t</s>=2 2 -0.25\tTotal: -2.25 OOV: 1",
        "Perplexity including OOVs:\t5.6234133",
        "Perplexity excluding OOVs:\t2.3713737",
        "OOVs:\t1",
        "Tokens:\t3",
    ]
    row = json.loads(command("lm", "query", files / "lm.rlm", "--words", "--json", text="b").out)
    assert row["scores"][0] == {"word": "b", "score": -1.125, "length": 1, "is_known": True}
    bare = command("lm", "query", files / "lm.rlm", "--no-bounds", text="b a\n\n")
    assert bare.out == "-1.000000\t2\t0\n0.000000\t0\t0\n"


def test_query_draws_a_page(command, files):  # noqa: F811
    page = files / "page.html"
    done = command("lm", "query", files / "lm.rlm", "--html", page, text="a <b> & x\nb\n")
    assert len(done.out.splitlines()) == 2
    text = page.read_text(encoding="utf-8")
    assert "&lt;b&gt;" in text
    assert "<script" not in text
    seen: list[str] = []

    class Page(HTMLParser):
        def handle_starttag(self, tag, attrs):
            seen.extend(value for name, value in attrs if name == "title")

    Page().feed(text)
    assert seen[0] == "0.4 bits, log10 -0.125, 2-gram"
    assert seen[1] == "4.2 bits, log10 -1.250, unknown, 1-gram"
    assert len(seen) == 7


def test_perplexity(command, files):  # noqa: F811
    row = json.loads(command("lm", "perplexity", files / "lm.rlm", files / "text", "--json").out)
    assert (row["sentences"], row["words"], row["unknown"]) == (3, 4, 1)
    assert row["log10"] == pytest.approx(-4.8125)
    assert row["perplexity"] == pytest.approx(10 ** (4.8125 / 7))
    assert row["perplexity_known"] == pytest.approx(10 ** (3.3125 / 6))
    assert row["lengths"] == [4, 3]
    rows = [line.split() for line in command("lm", "perplexity", files / "lm.rlm",
                                             text="a b\n\nx a\n").out.splitlines()]  # fmt: skip
    assert rows[0][:2] == ["perplexity", f"{row['perplexity']:.4f}"]
    assert rows[-1][:2] == ["2-grams", "3"]


def test_sample(command, files):  # noqa: F811
    options = ["-n", 20, "--seed", 4, "--max-words", 6]
    done = command("lm", "sample", files / "lm.rlm", *options)
    assert len(done.out.splitlines()) == 20
    assert command("lm", "sample", files / "small.rlm", *options, "--threads", 2).out == done.out
    assert command("lm", "sample", files / "lm.rlm", "-n", 20, "--seed", 5).out != done.out
    begun = command("lm", "sample", files / "lm.rlm", "-n", 5, "--prefix", "b  a").out.splitlines()
    assert all(line == "b a" or line.startswith("b a ") for line in begun)


def test_info_and_verify(command, files):  # noqa: F811
    row = json.loads(command("lm", "info", files / "small.rlm", "--json").out)
    assert (row["order"], row["ngrams"], row["words"]) == (2, [5, 4], 5)
    assert (row["layout"], row["facts"]["made_from"]["arpa"]) == ("small", "lm.arpa")
    said = command("lm", "info", files / "lm.rlm").out
    assert "ngrams                  5  4\n" in said
    assert "quantised               -\n" in said
    done = command("lm", "verify", files / "lm.rlm", files / "lm.arpa", files / "small.rlm")
    assert done.out.count(": good\n") == 3
    data = bytearray((files / "small.rlm").read_bytes())
    data[len(data) // 3] ^= 1
    (files / "small.rlm").write_bytes(data)
    done = command("lm", "verify", files / "small.rlm")
    shows(done, "file.changed", "small.rlm: ")


def test_next_words_and_vocabulary(command, files):  # noqa: F811
    rows = [
        json.loads(line)
        for line in command("lm", "next", files / "lm.rlm", "a", "--json").out.splitlines()
    ]
    assert [row["word"] for row in rows][:2] == ["</s>", "b"]
    assert {row["word"] for row in rows} == {"<unk>", "</s>", "a", "b"}
    assert rows[0]["p"] == pytest.approx(10**-0.25, rel=1e-6)
    best = command("lm", "next", files / "one.json", "-n", 1).out
    assert best.split("\t")[0] == "a"  # at the beginning of a sentence
    shows(command("lm", "next", files / "lm.rlm", "a </s>"), "argument.value", "</s>")
    said = command("lm", "vocabulary", files / "lm.arpa").out
    assert said.splitlines() == ["<unk>", "<s>", "</s>", "a", "b"]


def test_mix(command, files):  # noqa: F811
    models = [files / "lm.rlm", files / "other.rlm"]
    done = command("lm", "mix", *models, "--heldout", files / "text", "-o", files / "mix.json")
    rows = [line.split() for line in done.out.splitlines()]
    assert rows[0] == ["weight", "perplexity", "model"]
    assert float(rows[1][0]) > 0.5
    assert [row[1:] for row in rows[3:]] == [["equal", "weights"], ["these", "weights"]]
    mixture = open_model(files / "mix.json")
    assert isinstance(mixture, Mixture)
    scored = command("lm", "query", files / "mix.json", "--json", text="a c").out
    assert json.loads(scored)["log10"] == pytest.approx(mixture.score("a c"))
    info = json.loads(command("lm", "info", files / "mix.json", "--json").out)
    assert info["weights"] == list(mixture.weights)
    assert command("lm", "verify", files / "mix.json").out == f"{files / 'mix.json'}: good\n"
    assert len(command("lm", "sample", files / "mix.json", "-n", 3).out.splitlines()) == 3
    assert command("lm", "perplexity", files / "mix.json", files / "text").code == 0
    done = command(
        "lm", "mix", *models, "--weights", "0.25, 0.75", "-o", files / "w.json", "--json"
    )
    assert [m["weight"] for m in json.loads(done.out)["models"]] == [0.25, 0.75]
    done = command("lm", "mix", *models, "--weights", "0.25,0.75", "-o", files / "w.json")
    assert done.out.splitlines()[0].split() == ["weight", "model"]


@pytest.mark.parametrize(
    ("arguments", "code", "fields"),
    [
        (("query", "lm.rlm", "marks"), "line.value", "marks:2: <s>"),
        (("perplexity", "lm.rlm", "marks"), "line.value", "marks:2: <s>"),
        (("query", "lm.rlm", "bytes"), "file.encoding", "bytes:2: UTF-8"),
        (("query", "lm.rlm", "nothing"), "file.missing", "nothing:"),
        (("query", "nothing", "text"), "file.missing", "nothing:"),
        (("query", ".", "text"), "file.kind", ".:"),
        (("query", "lm.rlm", "."), "file.kind", ".:"),
        (("query", "text", "text"), "file.kind", "text:"),
        (("query", "cut", "text"), "file.damaged", "cut:"),
        (("query", "bad.arpa", "text"), "line.number", "bad.arpa:6: 'x'"),
        (("query", "lm.rlm", "text", "--words", "--kenlm"), "argument.conflict", "--words --kenlm"),
        (("query", "lm.rlm", "text", "--kenlm", "--json"), "argument.conflict", "--kenlm --json"),
        (("query", "lm.rlm", "text", "--html", "-"), "argument.value", "--html"),
        (("query", "lm.rlm", "text", "--html", "no/x.html"), "file.missing", "no/x.html: --html"),
        (("perplexity", "lm.rlm", "empty"), "file.empty", "empty:"),
        (("sample", "lm.rlm", "--prefix", "a </s>"), "argument.value", "--prefix"),
        (("convert", "lm.rlm", "-o", "x.arpa"), "lm.fast-layout", "lm.rlm"),
        (("convert", "lm.arpa", "-o", "no/x.rlm"), "file.missing", "no/x.rlm: -o"),
        (("convert", "lm.arpa", "-o", "lm.arpa"), "file.exists", "lm.arpa: -o"),
        (("convert", "lm.arpa", "-o", "x.txt"), "argument.value", "x.txt"),
        (("convert", "lm.arpa", "-o", "x.rlm", "--layout", "wide"), "usage", "--layout 'wide'"),
        (("convert", "lm.arpa", "-o", "x.rlm", "--layout", "fast", "--quantise", "3"),
         "argument.conflict", "--quantise"),
        (("convert", "small.rlm", "-o", "x.arpa", "--quantise", "3"), "argument.conflict",
         "-o x.arpa"),
        (("convert", "one.json", "-o", "x.rlm"), "file.kind", "one.json:"),
        (("mix", "lm.rlm", "lm.arpa", "--weights", "1,0", "-o", "m"), "file.kind", "lm.arpa:"),
        (("mix", "lm.rlm", "one.json", "--weights", "1,0", "-o", "m"), "file.kind", "one.json:"),
        (("mix", "lm.rlm", "--weights", "0.5", "-o", "m"), "argument.range", "0.5"),
        (("mix", "lm.rlm", "--weights", "x", "-o", "m"), "usage", "--weights 'x'"),
        (("mix", "lm.rlm", "-o", "m"), "argument.missing", "--heldout --weights"),
        (("mix", "lm.rlm", "--heldout", "empty", "-o", "m"), "argument.missing", ""),
        (("verify", "lm.rlm", "cut"), "file.damaged", "cut:"),
    ],
)  # fmt: skip
def test_errors_are_one_line(command, files, arguments, code, fields, monkeypatch):  # noqa: F811
    (files / "marks").write_text("a b\na <s> b\n")
    (files / "bytes").write_bytes(b"a\n\xff\n")
    (files / "empty").write_text("")
    (files / "cut").write_bytes((files / "lm.rlm").read_bytes()[:-9])
    (files / "bad.arpa").write_text(ARPA.replace("-1\t<unk>", "x\t<unk>"))
    monkeypatch.chdir(files)
    before = {path.name for path in files.iterdir()}
    shows(command("lm", *arguments), code, *fields.split())
    assert {path.name for path in files.iterdir()} == before


def test_sizes(command, files):  # noqa: F811
    from rosewood.cli.memory_options import memory_size

    assert [memory_size(s) for s in ("1M", "2g", "1.5 GiB", "4MB", 7)] == [
        1 << 20, 2 << 30, 3 << 29, 4 << 20, 7,
    ]  # fmt: skip
    for bad in ("x", "", "12Q", "5K", "-1G", "nanG"):
        done = command("lm", "convert", files / "lm.arpa", "-o", files / "x.rlm",
                       f"--max-memory={bad}")  # fmt: skip
        shows(done, "usage", "--max-memory")


def test_the_guide_names_options_that_there_are():
    verbs = verb("lm").commands
    both = [*verbs.values(), *verb("text").commands.values()]
    known = {option for one in both for each in one.params for option in each.opts}
    guide = (Path(__file__).parents[2] / "docs/language-models.md").read_text(encoding="utf-8")
    for name in re.findall(r"rosewood lm ([a-z]+)", guide):
        assert name in verbs
    for option in re.findall(r"(?<![\w-])--[a-z][a-z-]+", guide):
        assert option in known, option
