"""What training reads: lines that are bad, sets with references, text of one language."""

# ruff: noqa: F811  # fixtures are arguments of the same name
from __future__ import annotations

import gzip

import pytest
from tests.refusals import refuses
from tests.training_files import (  # noqa: F401
    BAD,
    BAD_CODES,
    QUICKEST,
    book,
    broken,
    cleaned,
    texts,
)

from rosewood.errors import DamagedFileError, FormatError
from rosewood.model import Bundle
from rosewood.pipeline import TrainingInputs, Translator, train


@pytest.mark.slow
@pytest.mark.parametrize("what", list(BAD))
@pytest.mark.parametrize("name", ["train.en", "train.de", "dev.en", "dev.de"])
def test_bad_lines(book, tmp_path, name, what):
    broken(book, tmp_path, name, BAD[what])
    given = {"dev": (tmp_path / "dev.en", tmp_path / "dev.de")}
    files = (tmp_path / "train.en", tmp_path / "train.de")
    with refuses(FormatError, BAD_CODES[what], file=str(tmp_path / name), line=7):
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
    sides = (tmp_path / "train.en", tmp_path / "train.de")
    with refuses(FormatError, "file.mismatch", value=59, file=str(sides[1]), line=59):
        train(TrainingInputs(*sides), tmp_path / "model", QUICKEST)
    assert not (tmp_path / "model").exists()


@pytest.mark.parametrize(
    ("name", "text", "line", "code"),
    [
        ("a.tsv", "one\ttwo\nthree\n", 2, "line.fields"),
        ("a.jsonl", '{"source": "a", "target": "b"}\n{"source": 1}\n', 2, "line.fields"),
        ("a.tmx", "<tmx><body><tu>", 1, "file.format"),
        ("a.tmx", "no xml at all", 1, "file.format"),
        ("a.xlf", "<xliff/>", None, "file.empty"),
        ("a.po", 'msgid "a\n', 1, "line.format"),
        ("a.tsv.gz", "no gzip", 1, "file.damaged"),
        ("a.tsv", "", None, "file.empty"),
    ],
)
def test_files_that_are_damaged(tmp_path, name, text, line, code):
    (tmp_path / name).write_text(text)
    kind = DamagedFileError if code == "file.damaged" else FormatError
    with refuses(kind, code, file=str(tmp_path / name), line=line):
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


@pytest.mark.parametrize("count", [19, 21])
def test_references_of_another_length(book, tmp_path, count):
    (tmp_path / "more.de").write_text("Etwas.\n" * count)
    with refuses(FormatError, "file.mismatch", file=str(tmp_path / "more.de")):
        train(
            TrainingInputs(book / "train.en", book / "train.de",
                           dev=(book / "dev.en", book / "dev.de"),
                           dev_reference=tmp_path / "more.de"),
            tmp_path / "model", QUICKEST,
        )  # fmt: skip
    assert not (tmp_path / "model").exists()


@pytest.mark.slow
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
    with refuses(FormatError, BAD_CODES[what], file=str(tmp_path / name), line=7):
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
    with refuses(FormatError, "file.empty", file=str(tmp_path / "more.de")):
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
    ("data", "line"), [(b"ja\ncaf\xe9\n", 2), (b"", None), (b"\n \n\t\n", None)]
)
def test_further_text_that_is_bad(book, tmp_path, data, line):
    (tmp_path / "mono.de").write_bytes(data)
    code = "file.empty" if line is None else "file.encoding"
    with refuses(FormatError, code, file=str(tmp_path / "mono.de"), line=line):
        train(
            TrainingInputs(book / "train.en", book / "train.de", monolingual=tmp_path / "mono.de"),
            tmp_path / "model", QUICKEST,
        )  # fmt: skip
    assert not (tmp_path / "model").exists()
    if line is None:  # before any work
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
    for limits in ({"line_words": 99}, {"line_characters": 498}):
        for option, file in files.items():
            inputs = TrainingInputs(
                book / "train.en", book / "train.de", dev=(book / "dev.en", book / "dev.de"),
                **limits, **{option: file},
            )  # fmt: skip
            line = 2 if option == "monolingual" else 20
            with refuses(FormatError, "corpus.too-long", file=str(file), line=line):
                train(inputs, tmp_path / "model", QUICKEST)


def test_translators_have_the_limits_of_the_command(book, tmp_path):
    files = (book / "train.en", book / "train.de")
    for limits in ({"line_words": 2}, {"line_characters": 9}):
        with refuses(FormatError, "corpus.too-long", file=str(book / "train.en")):
            Translator.train(*files, output=tmp_path / "model", **limits)


def test_further_text_that_is_all_references(book, tmp_path):
    (tmp_path / "mono.de").write_bytes((book / "dev.de").read_bytes())
    with refuses(FormatError, "file.empty", file=str(tmp_path / "mono.de")):
        train(
            TrainingInputs(book / "train.en", book / "train.de", monolingual=tmp_path / "mono.de",
                           dev=(book / "dev.en", book / "dev.de")),
            tmp_path / "model", QUICKEST,
        )  # fmt: skip
