"""What training reads: corpora of all formats, sets with references, text of one language."""

from __future__ import annotations

import gzip
import lzma
import os
import re
import sys
from pathlib import Path

import pytest
from tests.training import QUICK, write_book

from rosewood.corpus import Checks, Corpus
from rosewood.errors import RosewoodError, TrainingError
from rosewood.model import Bundle
from rosewood.pipeline import TrainingInputs, TrainingSettings, Translator, train

QUICKEST = TrainingSettings(**{**QUICK, "tune": "none", "set": {}})


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    """Texts, and the same pairs in every other format."""
    place = write_book(tmp_path_factory.mktemp("inputs"), train=60, dev=20, test=10)
    for part in ("train", "dev", "test"):
        corpus = Corpus.read((place / f"{part}.en", place / f"{part}.de"),
                             source_language="en", target_language="de")  # fmt: skip
        for name in ("tsv", "jsonl", "tmx"):
            corpus.write(place / f"{part}.{name}")
        pairs = list(zip(*texts(place, part), strict=True))
        (place / f"{part}.po").write_text(_as_po(pairs))
        (place / f"{part}.xlf").write_text(_as_xliff(pairs))
    return place


def _as_po(pairs: list[tuple[str, str]]) -> str:
    head = 'msgid ""\nmsgstr "Language: de\\nContent-Type: text/plain; charset=UTF-8\\n"\n\n'
    return head + "".join(f'msgid "{one}"\nmsgstr "{other}"\n\n' for one, other in pairs)


def _as_xliff(pairs: list[tuple[str, str]]) -> str:
    units = (
        f'<trans-unit id="{k}"><source>{one}</source><target>{other}</target></trans-unit>\n'
        for k, (one, other) in enumerate(pairs)
    )
    return (
        '<xliff version="1.2"><file source-language="en" target-language="de" original="x" '
        f'datatype="plaintext"><body>{"".join(units)}</body></file></xliff>'
    )


def texts(book: Path, part: str = "train") -> list[list[str]]:
    return [(book / f"{part}.{e}").read_text().splitlines() for e in ("en", "de")]


def cleaned(inputs: TrainingInputs, place: Path, settings=QUICKEST):
    """A run, and the pairs that it was trained on."""
    made = train(inputs, place / "model", settings)
    clean = made.stages[0]
    sides = [(clean.folder / f"train.{s}").read_text().splitlines() for s in ("source", "target")]
    return made, sides


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
        inputs, tmp_path, TrainingSettings(**{**QUICKEST.as_dict(), "dev_size": 0})
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
    settings = TrainingSettings(**{**QUICKEST.as_dict(), "pretokenized": True, "dev_size": 0})
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
    with pytest.raises(RosewoodError, match="language"):
        TrainingInputs("t.de", "t.en", languages=languages)


# -- shapes ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({}, "nothing to train on"),
        ({"source": "a"}, "1 files? of sources, but 0 of targets"),
        ({"source": ["a", "b"], "target": ["c"]}, "2 files of sources, but 1 of targets"),
        ({"source": "a", "target": "b", "dev": ("c", "d"), "dev_corpus": "e"}, "want one of them"),
        ({"source": "a", "target": "b", "test": ("c",)}, "want two files"),
        ({"source": "a", "target": "b", "dev": "dev.en"}, "want two files"),
        ({"source": "a", "target": "b", "dev": ("c", "d", "e")}, "want two files"),
        ({"source": "a", "target": "b", "dev_reference": "c"}, "dev_reference .* no dev"),
        ({"source": "a", "target": "b", "test_reference": ["c"]}, "test_reference .* no test"),
        ({"source": "-", "target": "b"}, "- cannot be one"),
        ({"source": "a", "target": "b", "monolingual": "-"}, "- cannot be one"),
        ({"source": "a", "target": "b", "dev": ("-", "d")}, "- cannot be one"),
        ({"source": "a", "target": "b", "on_bad_line": "guess"}, "on_bad_line"),
        ({"corpus": "a.tsv", "format": "csv"}, "format"),
    ],
)
def test_shapes_that_are_refused(given, told):
    with pytest.raises(RosewoodError, match=told):
        TrainingInputs(**given)


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
    with pytest.raises(TrainingError, match="dev_size would split off another"):
        train(TrainingInputs(book / "train.en", book / "train.de",
                             dev=(book / "dev.en", book / "dev.de")), tmp_path / "model",
              TrainingSettings(dev_size=10))  # fmt: skip
    assert list(tmp_path.iterdir()) == []


# -- lines that are bad ----------------------------------------------------------------------------


def broken(book: Path, place: Path, name: str, change) -> None:
    for path in book.glob("*.[de]?"):
        (place / path.name).write_bytes(path.read_bytes())
    lines = (place / name).read_bytes().splitlines(keepends=True)
    change(lines)
    (place / name).write_bytes(b"".join(lines))


BAD = {
    "bytes that are no text": lambda lines: lines.__setitem__(6, b"caf\xe9 \xff\n"),
    "an empty line": lambda lines: lines.__setitem__(6, b"\n"),
    "a line of many words": lambda lines: lines.__setitem__(6, b"word " * 20_000 + b"\n"),
    "a control character": lambda lines: lines.__setitem__(6, b"a\x00b\n"),
}


@pytest.mark.parametrize("what", list(BAD))
@pytest.mark.parametrize("name", ["train.en", "train.de", "dev.en", "dev.de"])
def test_bad_lines(book, tmp_path, name, what):
    broken(book, tmp_path, name, BAD[what])
    given = {"dev": (tmp_path / "dev.en", tmp_path / "dev.de")}
    files = (tmp_path / "train.en", tmp_path / "train.de")
    with pytest.raises(RosewoodError, match=re.escape(f"{name}:7")):
        train(TrainingInputs(*files, **given), tmp_path / "model", QUICKEST)
    assert not (tmp_path / "model").exists()
    made, sides = cleaned(TrainingInputs(*files, **given, on_bad_line="skip"), tmp_path)
    facts = made.stages[0].facts
    if name.startswith("train"):
        assert (facts["train"], sum(facts["skipped"].values()), facts["seen"]) == (59, 1, 59)
        assert any(f"{name}:7" in example for example in facts["examples"])
        assert sides == [side[:6] + side[7:] for side in texts(book)]
        assert Bundle.open(tmp_path / "model").origin(6) == "train.en:8"
    else:
        assert facts["dev"] == 19


def test_one_side_is_shorter(book, tmp_path):
    broken(book, tmp_path, "train.de", lambda lines: lines.pop())
    with pytest.raises(RosewoodError, match=r"train\.(de|en)"):
        train(TrainingInputs(tmp_path / "train.en", tmp_path / "train.de"), tmp_path / "model",
              QUICKEST)  # fmt: skip
    assert not (tmp_path / "model").exists()


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("a.tsv", "one\ttwo\nthree\n", r"a\.tsv:2"),
        ("a.jsonl", '{"source": "a", "target": "b"}\n{"source": 1}\n', r"a\.jsonl:2"),
        ("a.tmx", "<tmx><body><tu>", r"a\.tmx"),
        ("a.tmx", "no xml at all", r"a\.tmx"),
        ("a.xlf", "<xliff/>", r"a\.xlf"),
        ("a.po", 'msgid "a\n', r"a\.po"),
        ("a.tsv.gz", "no gzip", r"a\.tsv\.gz"),
        ("a.tsv", "", "no sentence pairs"),
    ],
)
def test_files_that_are_damaged(tmp_path, name, text, told):
    (tmp_path / name).write_text(text)
    with pytest.raises(RosewoodError, match=told):
        train(
            TrainingInputs(corpus=tmp_path / name, languages="en:de"), tmp_path / "model", QUICKEST
        )
    assert not (tmp_path / "model").exists()


# -- references ------------------------------------------------------------------------------------


def test_several_references(book, tmp_path):
    lines = texts(book, "dev")[1]
    for k in (1, 2):
        (tmp_path / f"more{k}.de").write_text("".join(f"{line} Und {k}.\n" for line in lines))
    given = {"dev": (book / "dev.en", book / "dev.de")}
    files = (book / "train.en", book / "train.de")
    several = [tmp_path / "more1.de", tmp_path / "more2.de"]
    made, _ = cleaned(TrainingInputs(*files, **given, dev_reference=several), tmp_path)
    assert made.stages[0].facts["references"] == 3
    assert all("nrefs:3" in each["signature"] for each in made.scores)
    assert len(made.stages[-1].facts["examples"][0]["references"]) == 3


@pytest.mark.parametrize(("count", "told"), [(19, "ends after 19 lines"), (21, "goes on behind")])
def test_references_of_another_length(book, tmp_path, count, told):
    (tmp_path / "more.de").write_text("Etwas.\n" * count)
    with pytest.raises(RosewoodError, match=told) as caught:
        train(
            TrainingInputs(book / "train.en", book / "train.de",
                           dev=(book / "dev.en", book / "dev.de"),
                           dev_reference=tmp_path / "more.de"),
            tmp_path / "model", QUICKEST,
        )  # fmt: skip
    assert "more.de" in str(caught.value)
    assert not (tmp_path / "model").exists()


@pytest.mark.parametrize("what", list(BAD))
@pytest.mark.parametrize("name", ["dev.en", "dev.de", "more1.de", "more2.de"])
def test_references_and_skipped_lines_stay_in_step(book, tmp_path, name, what):
    """A bad line of a set leaves its sentence out with all references: no line is shifted."""
    lines = texts(book, "dev")[1]
    for k in (1, 2):
        (tmp_path / f"more{k}.de").write_text("".join(f"{line} Und {k}.\n" for line in lines))
    broken(book, tmp_path, name, BAD[what])
    given = {
        "dev": (tmp_path / "dev.en", tmp_path / "dev.de"),
        "dev_reference": [tmp_path / "more1.de", tmp_path / "more2.de"],
    }
    files = (tmp_path / "train.en", tmp_path / "train.de")
    with pytest.raises(RosewoodError, match=re.escape(f"{name}:7")):
        train(TrainingInputs(*files, **given), tmp_path / "model", QUICKEST)
    made, _ = cleaned(TrainingInputs(*files, **given, on_bad_line="skip"), tmp_path)
    folder = made.stages[0].folder
    first, *others = (
        (folder / f"dev.target.{k}").read_text().splitlines() for k in range(3)
    )  # fmt: skip
    assert first == lines[:6] + lines[7:]
    assert (folder / "dev.source").read_text().splitlines() == (
        texts(book, "dev")[0][:6] + texts(book, "dev")[0][7:]
    )
    for k, other in enumerate(others, 1):
        assert [f"{line} Und {k}." for line in first] == other
    [note] = (note for note in made.notes if "dev set" in note)
    assert "skipped: 1 (" in note


def test_two_bad_lines_of_one_sentence_are_one_sentence(book, tmp_path):
    (tmp_path / "more.de").write_text("\n".join(texts(book, "dev")[1]) + "\n")
    broken(book, tmp_path, "dev.en", BAD["an empty line"])
    lines = (tmp_path / "more.de").read_text().splitlines()
    lines[6], lines[8] = "", "a\0b"
    (tmp_path / "more.de").write_text("\n".join(lines) + "\n")
    held_out = TrainingInputs(
        tmp_path / "train.en", tmp_path / "train.de", on_bad_line="skip",
        dev=(tmp_path / "dev.en", tmp_path / "dev.de"), dev_reference=tmp_path / "more.de",
    ).dev  # fmt: skip
    for _ in range(2):  # counts are of one walk
        assert len(list(held_out.sentences())) == 18
        assert held_out.skipped == {"empty side": 1, "control character": 1}


def test_a_set_of_which_no_sentence_is_left(book, tmp_path):
    (tmp_path / "more.de").write_text("\n" * 20)
    inputs = TrainingInputs(
        book / "train.en", book / "train.de", on_bad_line="skip",
        dev=(book / "dev.en", book / "dev.de"), dev_reference=tmp_path / "more.de",
    )  # fmt: skip
    with pytest.raises(RosewoodError, match=r"more\.de: no sentence of the set is left"):
        train(inputs, tmp_path / "model", QUICKEST)


# -- text of one language --------------------------------------------------------------------------


def test_further_text(book, tmp_path):
    (tmp_path / "news.de").write_text("Das ist neu.\n\nWir haben das Haus.\n")
    (tmp_path / "web.de.gz").write_bytes(gzip.compress(b"Ganz anderes.\n"))
    inputs = TrainingInputs(
        book / "train.en", book / "train.de", dev=(book / "dev.en", book / "dev.de"),
        monolingual=[tmp_path / "news.de", tmp_path / "web.de.gz"],
    )  # fmt: skip
    made = train(inputs, tmp_path / "model", QUICKEST)
    bundle = Bundle.open(tmp_path / "model")
    assert list(bundle.language_models) == ["lm", "lm2", "lm3"]
    assert {"lm", "lm2", "lm3"} <= set(bundle.weights)
    assert made.stages[3].facts["models"]["lm2"]["tokens"] > 0
    Bundle.verify(tmp_path / "model")
    assert Translator(bundle).translate("We had the letter.")


@pytest.mark.parametrize(
    ("data", "told"),
    [(b"ja\ncaf\xe9\n", r"mono\.de:2: it is not UTF-8"), (b"", r"mono\.de: there is no text"),
     (b"\n \n\t\n", r"mono\.de: there is no text")],
)  # fmt: skip
def test_further_text_that_is_bad(book, tmp_path, data, told):
    (tmp_path / "mono.de").write_bytes(data)
    with pytest.raises(RosewoodError, match=told):
        train(
            TrainingInputs(book / "train.en", book / "train.de", monolingual=tmp_path / "mono.de"),
            tmp_path / "model", QUICKEST,
        )  # fmt: skip
    assert not (tmp_path / "model").exists()
    if "no text" in told:  # before any work
        assert [path.name for path in tmp_path.iterdir()] == ["mono.de"]


def test_bad_lines_of_further_text_are_skipped_and_counted(book, tmp_path):
    (tmp_path / "mono.de").write_bytes(b"ja\ncaf\xe9\n\na\0b\n\xff\nein zwei drei vier\nnein\n")
    made = train(
        TrainingInputs(
            book / "train.en", book / "train.de", monolingual=tmp_path / "mono.de",
            on_bad_line="skip", dev=(book / "dev.en", book / "dev.de"),
        ),
        tmp_path / "model", QUICKEST,
    )  # fmt: skip
    assert (made.stages[1].folder / "mono.0").read_text() == "ja\nein zwei drei vier\nnein\n"
    assert [note for note in made.notes if "mono" in note] == [
        "mono.de: bad lines that were skipped: 2 (not UTF-8)",
        "mono.de: bad lines that were skipped: 1 (control character)",
    ]


def test_limits_of_lines_hold_for_all_files(book, tmp_path):
    (tmp_path / "mono.de").write_text("ja\n" + "sehr " * 99 + "lang\n")
    (tmp_path / "more.de").write_text("".join(f"{line}\n" for line in texts(book, "dev")[1][:-1])
                                      + "sehr " * 99 + "lang\n")  # fmt: skip
    files = {"monolingual": tmp_path / "mono.de", "dev_reference": tmp_path / "more.de"}
    for limits in (Checks(max_words=99), Checks(max_characters=498)):
        for option, file in files.items():
            inputs = TrainingInputs(
                book / "train.en", book / "train.de", dev=(book / "dev.en", book / "dev.de"),
                checks=limits, **{option: file},
            )  # fmt: skip
            with pytest.raises(RosewoodError, match=rf"{file.name}:(2|20): there are"):
                train(inputs, tmp_path / "model", QUICKEST)


def test_translators_have_the_limits_of_the_command(book, tmp_path):
    files = (book / "train.en", book / "train.de")
    for limits in ({"line_words": 2}, {"line_characters": 9}):
        with pytest.raises(RosewoodError, match=r"train\.en:\d+: source: there are"):
            Translator.train(*files, output=tmp_path / "model", **limits)


def test_further_text_that_is_all_references(book, tmp_path):
    (tmp_path / "mono.de").write_bytes((book / "dev.de").read_bytes())
    with pytest.raises(RosewoodError, match=r"mono\.de: no text is left"):
        train(
            TrainingInputs(book / "train.en", book / "train.de", monolingual=tmp_path / "mono.de",
                           dev=(book / "dev.en", book / "dev.de")),
            tmp_path / "model", QUICKEST,
        )  # fmt: skip


def test_pairs_know_where_they_stood(book, tmp_path):
    """Also behind filters: the lines are those of the file, not of what is left."""
    rows = [f"{a}\t{b}\n" for a, b in zip(*texts(book), strict=True)]
    rows[3] = "x " * 120 + "\tlang\n"  # too long
    rows[5] = rows[4]
    (tmp_path / "all.tsv").write_text("".join(rows))
    settings = TrainingSettings(**{**QUICKEST.as_dict(), "deduplicate": True, "dev_size": 0})
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
        with pytest.raises(RosewoodError, match="must be UTF-8") as caught:
            train(inputs, tmp_path / output, QUICKEST, work=work)
        assert r"\udcff" in str(caught.value)


def test_all_pairs_are_held_out(book, tmp_path):
    files = (book / "train.en", book / "train.de")
    with pytest.raises(TrainingError, match="all 60 of them are in the development or test set"):
        train(TrainingInputs(*files, dev=files), tmp_path / "model", QUICKEST)
