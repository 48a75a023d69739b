"""What training reads: corpora of all formats, languages, shapes, names of files."""

# ruff: noqa: F811  # fixtures are arguments of the same name
from __future__ import annotations

import gzip
import lzma
import os
import re
import sys

import pytest
from tests.refusals import refuses
from tests.training_files import BAD, QUICKEST, book, broken, cleaned, texts  # noqa: F401

from rosewood.errors import FormatError, TrainingError
from rosewood.model import Bundle
from rosewood.pipeline import TrainingInputs, TrainingSettings, Translator, train

# -- formats ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["tsv", "jsonl", "tmx", "po", "xlf"])
def test_formats(book, tmp_path, ending):
    inputs = TrainingInputs(
        corpus=book / f"train.{ending}", dev_corpus=book / f"dev.{ending}",
        test_corpus=book / f"test.{ending}", languages="en:de",
    )  # fmt: skip
    made, sides = cleaned(inputs, tmp_path)
    assert sides == texts(book)
    facts = made.stages[0].facts
    assert (facts["files"], facts["languages"]) == ([f"train.{ending}"], ["en", "de"])
    assert (facts["dev"], facts["test"], facts["dev_from"]) == (20, 10, "given")
    assert Bundle.open(tmp_path / "model").origin(0).startswith(f"train.{ending}")


@pytest.mark.parametrize("pack", [("gz", gzip.compress), ("xz", lzma.compress)])
def test_packed_files(book, tmp_path, pack):
    ending, compress = pack
    for name in ("train.en", "train.de", "dev.tsv"):
        (tmp_path / f"{name}.{ending}").write_bytes(compress((book / name).read_bytes()))
    inputs = TrainingInputs(
        tmp_path / f"train.en.{ending}", tmp_path / f"train.de.{ending}",
        dev_corpus=tmp_path / f"dev.tsv.{ending}",
    )  # fmt: skip
    assert inputs.languages == ("en", "de")
    _, sides = cleaned(inputs, tmp_path)
    assert sides == texts(book)
    assert Bundle.open(tmp_path / "model").origin(2) == f"train.en.{ending}:3"


def test_several_files_of_several_formats(book, tmp_path):
    inputs = TrainingInputs(
        [book / "train.en", book / "dev.en"], [book / "train.de", book / "dev.de"],
        corpus=[book / "test.jsonl"], languages="en:de",
    )  # fmt: skip
    made, sides = cleaned(
        inputs, tmp_path, TrainingSettings(**{**QUICKEST.to_dict(), "dev_size": 0})
    )
    assert sides == [
        one + two + three
        for one, two, three in zip(*(texts(book, p) for p in ("train", "dev", "test")), strict=True)
    ]
    assert made.stages[0].facts["seen"] == 90
    bundle = Bundle.open(tmp_path / "model")
    assert [bundle.origin(k) for k in (59, 60, 79, 80)] == [
        "train.en:60", "dev.en:1", "dev.en:20", "test.jsonl:1",
    ]  # fmt: skip


def test_the_other_direction(book, tmp_path):
    """A file that has both languages says which is which."""
    _, sides = cleaned(TrainingInputs(corpus=book / "train.tmx", languages="de:en",
                                      dev_corpus=book / "dev.tmx"), tmp_path)  # fmt: skip
    assert sides == texts(book)[::-1]


def test_words_as_they_are(tmp_path):
    (tmp_path / "a").write_text("Das  haus .\nklein &amp; <b>\nDas\nhaus\n&amp; .\nklein\n.\n" * 9)
    (tmp_path / "b").write_text("the HOUSE .\nsmall &amp; <b>\nthe\nHOUSE\n&amp; .\nsmall\n.\n" * 9)
    settings = TrainingSettings(**{**QUICKEST.to_dict(), "pretokenized": True, "dev_size": 0})
    train(TrainingInputs(tmp_path / "a", tmp_path / "b"), tmp_path / "model", settings)
    bundle = Bundle.open(tmp_path / "model")
    assert bundle.corpus.source.words(1) == ["klein", "&amp;", "<b>"]
    assert bundle.corpus.target.words(0) == ["the", "HOUSE", "."]
    assert Translator(bundle).translate("Das haus .") == "the HOUSE ."


# -- languages -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "target", "given", "wanted"),
    [
        ("t.de", "t.en", None, ("de", "en")),
        ("t.DE", "t.en.gz", None, ("de", "en")),
        ("t.de", "t.en", "fr:ja", ("fr", "ja")),
        ("t.de", "t.en", ("fr", None), ("fr", None)),
        ("t.txt", "u.txt", None, (None, None)),
        ("t.de", "u.de", None, (None, None)),
        ("src", "trg", None, (None, None)),
        (["a.de", "b.de"], ["a.en", "b.en"], None, ("de", "en")),
        (["a.de", "b.fr"], ["a.en", "b.en"], None, (None, "en")),
    ],
)
def test_languages_by_endings(source, target, given, wanted):
    assert TrainingInputs(source, target, languages=given).languages == wanted


@pytest.mark.parametrize(
    "languages",
    [
        "de",
        "de:",
        ":en",
        "de:en:fr",
        "",
        ":",
        ("de",),
        ("de", "en", "fr"),
        5,
        ("de", 5),
        ["", "en"],
    ],
)
def test_languages_that_are_none(languages):
    with refuses(TrainingError, "argument.value", argument="languages", value=languages):
        TrainingInputs("t.de", "t.en", languages=languages)


# -- shapes ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "code", "fields"),
    [
        ({}, "argument.missing", {"argument": "source"}),
        ({"source": "a", "target": ()}, "argument.shape", {"value": 0, "expected": 1}),
        ({"source": ["a", "b"], "target": ["c"]}, "argument.shape", {"value": 1, "expected": 2}),
        ({"dev": ("c", "d"), "dev_corpus": "e"}, "argument.conflict", {"argument": "dev_corpus"}),
        ({"test": ("c",)}, "argument.type", {"argument": "test"}),
        ({"dev": "dev.en"}, "argument.type", {"argument": "dev"}),
        ({"dev": ("c", "d", "e")}, "argument.type", {"argument": "dev"}),
        ({"dev_reference": "c"}, "argument.missing", {"argument": "dev"}),
        ({"test_reference": ["c"]}, "argument.missing", {"argument": "test"}),
        ({"source": "-"}, "file.kind", {"file": "-"}),
        ({"monolingual": "-"}, "file.kind", {"file": "-"}),
        ({"dev": ("-", "d")}, "file.kind", {"file": "-"}),
        ({"on_bad_line": "guess"}, "argument.choice", {"argument": "on_bad_line"}),
        ({"format": "csv"}, "argument.choice", {"argument": "format", "value": "csv"}),
    ],
)
def test_shapes_that_are_refused(given, code, fields):
    with refuses(TrainingError, code, **fields):
        TrainingInputs(**({"source": "a", "target": "b", **given} if given else given))


def test_nothing_is_read_before_training():
    inputs = TrainingInputs("nowhere.de", "nowhere.en", dev=("no.de", "no.en"), monolingual="m.en")
    assert inputs.every_file() == ["nowhere.de", "nowhere.en", "no.de", "no.en", "m.en"]


@pytest.mark.parametrize("missing", ["train.en", "dev.de", "test.en", "mono.de", "more.de"])
def test_a_file_that_is_not_there(book, tmp_path, missing):
    """Told before any work, by its name."""
    for path in book.glob("*.[de]?"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    for name in ("mono.de", "more.de"):
        (tmp_path / name).write_bytes((book / "dev.de").read_bytes())
    (tmp_path / missing).unlink()
    before = sorted(tmp_path.iterdir())
    with pytest.raises(OSError, match=re.escape(missing)):
        train(
            TrainingInputs(
                tmp_path / "train.en", tmp_path / "train.de", monolingual=tmp_path / "mono.de",
                dev=(tmp_path / "dev.en", tmp_path / "dev.de"),
                test=(tmp_path / "test.en", tmp_path / "test.de"),
                dev_reference=tmp_path / "more.de",
            ),
            tmp_path / "model", QUICKEST,
        )  # fmt: skip
    assert sorted(tmp_path.iterdir()) == before


def test_a_development_set_that_is_given_and_split_off(book, tmp_path):
    with refuses(TrainingError, "argument.conflict", argument="dev_size", value=10):
        train(TrainingInputs(book / "train.en", book / "train.de",
                             dev=(book / "dev.en", book / "dev.de")), tmp_path / "model",
              TrainingSettings(dev_size=10))  # fmt: skip
    assert list(tmp_path.iterdir()) == []


def test_pairs_know_where_they_stood(book, tmp_path):
    """Also behind filters: the lines are those of the file, not of what is left."""
    rows = [f"{a}\t{b}\n" for a, b in zip(*texts(book), strict=True)]
    rows[3] = "x " * 120 + "\tlang\n"  # too long
    rows[5] = rows[4]
    (tmp_path / "all.tsv").write_text("".join(rows))
    settings = TrainingSettings(**{**QUICKEST.to_dict(), "deduplicate": True, "dev_size": 0})
    made = train(TrainingInputs(corpus=tmp_path / "all.tsv"), tmp_path / "model", settings)
    bundle = Bundle.open(tmp_path / "model")
    assert [bundle.origin(k) for k in range(5)] == [f"all.tsv:{k}" for k in (1, 2, 3, 5, 7)]
    removed = {**made.stages[0].facts["removed"], **made.stages[1].facts["removed"]}
    assert sum(each["count"] for each in removed.values()) == 2


# -- names -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("files", "wanted"),
    [
        (["a/train.de", "a/train.en"], ["train.de", "train.en"]),
        (["y1/train.de", "y2/train.de", "x.de"], ["y1/train.de", "y2/train.de", "x.de"]),
        (["/d/1/a/t.de", "/d/2/a/t.de"], ["1/a/t.de", "2/a/t.de"]),
        (["t.de", "y/t.de", "../t.de"], ["t.de", "y/t.de", "../t.de"]),
        (["t.de", "./t.de", "y/../t.de"], ["t.de"] * 3),
        (["/t.de", "t.de"], ["/t.de", "t.de"]),
    ],
)
def test_names_that_tell_files_apart(files, wanted):
    inputs = TrainingInputs(files, [f"{k}.other" for k in range(len(files))])
    names = inputs.names()
    assert [names[file] for file in files] == wanted


def test_origins_in_files_of_one_name(book, tmp_path):
    for year in ("y1", "y2"):
        (tmp_path / year).mkdir()
        for ending in ("en", "de"):
            (tmp_path / year / f"train.{ending}").write_bytes(
                (book / f"train.{ending}").read_bytes()
            )
    files = [[tmp_path / year / f"train.{e}" for year in ("y1", "y2")] for e in ("en", "de")]
    inputs = TrainingInputs(*files, dev=(book / "dev.en", book / "dev.de"))
    made, _ = cleaned(inputs, tmp_path)
    bundle = Bundle.open(tmp_path / "model")
    assert [bundle.origin(k) for k in (0, 60)] == ["y1/train.en:1", "y2/train.en:1"]
    assert made.stages[0].facts["files"] == ["y1/train.en", "y1/train.de", "y2/train.en",
                                             "y2/train.de"]  # fmt: skip


@pytest.mark.skipif(sys.platform != "linux", reason="names are text there")
def test_names_that_are_no_text(book, tmp_path):
    """Files may be called anything; a folder that is made may not, and that is said at once."""
    broken(book, tmp_path, "train.en", BAD["an empty line"])
    files = [os.fsdecode(os.fsencode(tmp_path) + b"/b\xff." + e) for e in (b"en", b"de")]
    for file, ending in zip(files, ("en", "de"), strict=True):
        (tmp_path / f"train.{ending}").rename(file)
    inputs = TrainingInputs(*files, dev=(book / "dev.en", book / "dev.de"), monolingual=files[1],
                            on_bad_line="skip")  # fmt: skip
    report = tmp_path / "\udcff.html"
    made = train(inputs, tmp_path / "model", QUICKEST, report=report, command=f"train {files[0]}")
    assert Bundle.open(tmp_path / "model").origin(0) == r"b\udcff.en:1"
    assert r"b\udcff.en:7" in made.stages[0].facts["examples"][0]
    assert report.exists()
    for output, work in (("\udcff", None), ("other", tmp_path / "\udcff")):
        with refuses(FormatError, "file.encoding") as caught:
            train(inputs, tmp_path / output, QUICKEST, work=work)
        assert caught.value.file.startswith(str(work or tmp_path / output))
        assert r"\udcff" in str(caught.value)


def test_all_pairs_are_held_out(book, tmp_path):
    files = (book / "train.en", book / "train.de")
    with refuses(TrainingError, "training.no-pairs"):
        train(TrainingInputs(*files, dev=files), tmp_path / "model", QUICKEST)
