"""`rosewood corpus`, run as a user runs it."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import pytest
from tests import real
from tests.refusals import shows, warns
from tests.system.commands import command, run  # noqa: F401

from rosewood import cli
from rosewood.corpus import Corpus

GOLDEN = Path(__file__).parents[1] / "golden" / "corpora"


@pytest.fixture
def files(tmp_path):
    (tmp_path / "a.de").write_text("ja\nnein nein\nja\nHaus\n", encoding="utf-8")
    (tmp_path / "a.en").write_text("yes\nno\nyes\nHaus\n", encoding="utf-8")
    (tmp_path / "bad.de").write_bytes(b"gut\n\nsch\xf6n\n")
    (tmp_path / "bad.en").write_bytes(b"good\nempty\nnice\n")
    return tmp_path


def both(files, name="a"):
    return files / f"{name}.de", files / f"{name}.en"


def texts(corpus):
    return [(pair.source, pair.target) for pair in corpus]


@pytest.mark.slow
def test_info(run, files):  # noqa: F811
    shown = run("corpus", "info", *both(files))
    assert shown.splitlines() == [
        "pairs\t4",
        "distinct pairs\t3",
        "pairs with identical sides\t1",
        "side\twords\tcharacters\tmean\tmedian\t95 %\tlongest",
        "source\t5\t17\t1.25\t1\t2\t2",
        "target\t4\t12\t1\t1\t1\t1",
    ]
    two = run("corpus", "info", *both(files), GOLDEN / "catalogue.po", "--json", "-l", "de:en")
    found = json.loads(two)
    assert found["pairs"] == 9
    assert found["left_out"] == {"fuzzy": 1, "untranslated": 1, "obsolete": 1}
    assert found["files"] == [*map(str, both(files)), str(GOLDEN / "catalogue.po")]
    assert found["tags"] == {"context": 1, "flags": 2, "plural": 2}


def test_bad_lines_stop_or_are_counted(files, command):  # noqa: F811
    done = command("corpus", "info", *both(files, "bad"))
    assert done.out == ""
    shows(done, "corpus.empty-side", f"{files / 'bad.de'}:2:", "source")
    done = command("corpus", "info", *both(files, "bad"), "--on-bad-line", "skip")
    assert "skipped: empty side\t1\nskipped: not UTF-8\t1\n" in done.out
    warns(done.err, "empty side 1", "UTF-8 1")
    assert f"rosewood:   {files / 'bad.de'}:2: " in done.err


def test_convert_and_filter(files, command):  # noqa: F811
    out = files / "a.tsv.gz"
    done = command("corpus", "convert", *both(files), "-o", out, "--dedupe", "--max-ratio", 1.5,
                   "--drop-identical")  # fmt: skip
    assert done.code == 0
    assert [line for line in done.out.splitlines() if not line.startswith("  ")] == [
        "read\t4",
        "removed: ratio above 1.5\t1",
        "removed: identical sides\t1",
        "removed: duplicate pair\t1",
        "written\t1",
    ]
    assert f"  {files / 'a.de'}:2: nein nein ||| no\n" in done.out
    assert gzip.decompress(out.read_bytes()) == b"ja\tyes\n"
    done = command("corpus", "convert", *both(files), "-o", out, "--dedupe-by", "source", "--json")
    assert json.loads(done.out)["removed"]["duplicate source"]["count"] == 1
    done = command("corpus", "convert", GOLDEN / "job.xlf", "-o", files / "x.en", "-o",
                   files / "x.de")  # fmt: skip
    warns(done.err, "tags", 1)
    assert (files / "x.de").read_text(encoding="utf-8").splitlines()[1:] == ["Eins.", "Zwei."]


@pytest.mark.parametrize("name", ["memory.tmx", "catalogue.po", "job.xlf", "job2.xlf"])
def test_every_format_becomes_every_other(files, command, name):  # noqa: F811
    options = ["-l", "en:de", "-q"]
    want = [*Corpus.read(GOLDEN / name, source_language="en", target_language="de")]
    given = GOLDEN / name
    for ending in ("jsonl", "tmx.xz", "tsv.zst"):
        out = files / f"out.{ending}"
        assert command("corpus", "convert", given, "-o", out, *options).code == 0
        assert [*Corpus.read(out, source_language="en", target_language="de")] == want
        given = out
    printed = command("corpus", "convert", given, "-o", "-", *options).out.splitlines()
    assert [json.loads(line)["target"] for line in printed] == [pair.target for pair in want]


def test_standard_input(command):  # noqa: F811
    done = command("corpus", "convert", "-", "--format", "tsv", "-o", "-", text="a\tb\n")
    assert (done.code, done.out) == (0, '{"source": "a", "target": "b"}\n')
    done = command("corpus", "info", "-", text="a\tb\n")
    shows(done, "argument.missing", "standard input")


def test_split(files, command):  # noqa: F811
    source, target = files / "n.de", files / "n.en"
    source.write_text("".join(f"s {i % 90}\n" for i in range(100)))
    target.write_text("".join(f"t {i % 90}\n" for i in range(100)))
    out = files / "parts"
    options = ["--dev", 20, "--test", 10, "--seed", 3, "-o", out]
    done = command("corpus", "split", source, target, *options, "--json")
    counts = json.loads(done.out)
    assert (counts["dev"], counts["test"]) == (20, 10)
    assert counts["train"] + 30 + counts["copies"] == 100
    parts = {part: texts(Corpus.read(out / f"{part}.de", out / f"{part}.en"))
             for part in ("train", "dev", "test")}  # fmt: skip
    assert [len(parts[part]) for part in parts] == [counts["train"], 20, 10]
    from_python = Corpus.read(source, target).split(dev=20, test=10, seed=3)
    assert [*parts.values()] == [texts(part) for part in from_python]
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    assert sorted(before) == sorted(f"{part}.{side}" for part in parts for side in ("de", "en"))
    shown = command("corpus", "split", source, target, *options).out
    assert shown.startswith(f"train\t{counts['train']}\t{out / 'train.de'} {out / 'train.en'}\n")
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before
    command("corpus", "split", source, target, *options, "--to", "jsonl.gz", "--by", "source")
    assert len([*Corpus.read(out / "dev.jsonl.gz")]) == 20


def test_tags_survive_a_split(files, command):  # noqa: F811
    options = ["-l", "en:de", "--test", 2, "-o", files / "p", "--to", "tsv"]
    assert command("corpus", "split", GOLDEN / "catalogue.po", *options).code == 0
    found = [*Corpus.read(files / "p/train.tsv", files / "p/test.tsv")]
    assert sum(bool(pair.tags) for pair in found) == 3


@pytest.mark.parametrize(
    ("arguments", "code", "fields"),
    [
        (["info", "a.de"], "corpus.one-side", "a.de:"),
        (["info", "a.de", "a.en", "-l", "de"], "argument.value", "--languages de:"),
        (["info", "a.de", "none.en"], "file.missing", "none.en:"),
        (["convert", "a.de", "a.en", "-o", "a.de"], "argument.value", "a.de text"),
        (["convert", "a.de", "a.en", "-o", "a.de", "-o", "b.en"], "file.exists", "a.de: -o"),
        (["convert", "a.de", "a.en", "-o", "x.tmx"], "argument.missing", "languages"),
        (["convert", "a.de", "a.en", "-o", "x", "-o", "y", "-o", "z"], "argument.conflict", "-o"),
        (["convert", "a.de", "a.en", "-o", "x.tsv", "--dedupe-by", "line"],
         "argument.choice", "deduplicate"),
        (["split", "a.de", "a.en", "--dev", "9", "-o", "p"], "corpus.too-small", "9"),
        (["split", "a.de", "a.en", "--to", "text.bz2", "-o", "p"], "argument.value",
         "--to text.bz2:"),
        (["split", "a.de", "a.en", "--to", "po", "-o", "p"], "argument.choice", "po"),
        (["split", "a.de", "a.en", "-o", "none/p"], "file.missing", "none/p: -o: 'none'"),
    ],
)  # fmt: skip
def test_what_is_asked_must_make_sense(files, command, monkeypatch, arguments, code, fields):  # noqa: F811
    monkeypatch.chdir(files)
    before = sorted(files.rglob("*"))
    done = command("corpus", *arguments)
    shows(done, code, *fields.split())
    assert sorted(files.rglob("*")) == before


def test_options_from_a_file(files, command):  # noqa: F811
    (files / "options.json").write_text('{"dedupe": true, "max-words": 1}')
    done = command("corpus", "convert", *both(files), "-o", files / "x.tsv", "--config",
                   files / "options.json")  # fmt: skip
    assert done.out.endswith("written\t2\n")


def test_real_text(command):  # noqa: F811
    name = "multi30k-de-en-raw/devtest.{}.gz"
    done = command("corpus", "info", *(real.path_of(name.format(side)) for side in ("de", "en")),
                   "--json")  # fmt: skip
    assert json.loads(done.out)["pairs"] == 1000


def test_the_guide_names_options_that_exist():
    guide = (GOLDEN.parents[2] / "docs/corpora.md").read_text(encoding="utf-8")
    verbs = cli.verb("corpus").commands.values()
    known = {option for verb in verbs for each in verb.params for option in each.opts}
    for option in re.findall(r"(?<![\w-])--[a-z][a-z-]+", guide):
        assert option in known, option
