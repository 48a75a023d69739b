"""`rosewood translate` of documents, and the same from Python."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import polib
import pytest
from tests.bundles import small_bundle
from tests.refusals import refuses, shows, warns
from tests.system.commands import command  # noqa: F401

from rosewood.decode import TextTranslator
from rosewood.documents import DocumentSettings
from rosewood.errors import DecodingError, FormatError
from rosewood.pipeline import Translator

CATALOGUE = """msgid ""
msgstr "Content-Type: text/plain; charset=UTF-8\\n"

#: a.c:1
msgid "Das Haus ist klein. Wir gehen nach Hause."
msgstr ""

#, c-format
msgid "Das Haus %d ist klein.\\n"
msgstr ""

msgid "100 %"
msgstr ""

msgid "Das Haus"
msgstr "The building"
"""


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    folder = tmp_path_factory.mktemp("documents")
    small_bundle(folder / "model", raw=True)
    small_bundle(folder / "words", corpus=False)
    return folder


@pytest.fixture
def place(tmp_path, models, monkeypatch):
    for name in ("model", "words"):
        (tmp_path / name).symlink_to(models / name)
    (tmp_path / "t.po").write_text(CATALOGUE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_catalogue(command, place):  # noqa: F811
    done = command("translate", "model", "t.po", "-o", "out.po")
    assert done.code == 0, done.err
    assert done.out == ""
    entries = {each.msgid: each for each in polib.pofile("out.po")}
    first = entries["Das Haus ist klein. Wir gehen nach Hause."]
    assert first.msgstr == "The house is small. We go home."
    assert first.fuzzy
    assert re.fullmatch(r"machine translation, confidence [01]\.\d\d", first.tcomment)
    assert entries["Das Haus %d ist klein.\n"].msgstr.count("%d") == 1
    assert entries["Das Haus %d ist klein.\n"].msgstr.endswith("\n")
    assert (entries["100 %"].msgstr, entries["100 %"].fuzzy) == ("100 %", False)
    assert entries["Das Haus"].msgstr == "The building"
    warns(done.err, "3", "of", "units", "translated")
    assert command("translate", "model", "t.po").out == (place / "out.po").read_text()
    one = command("translate", "model", "-", "--format", "po", "-q", text=CATALOGUE)
    assert one.out == (place / "out.po").read_text()


def test_rows_for_programs(command, place):  # noqa: F811
    done = command("translate", "model", "t.po", "-o", "out.po", "--json", "-q")
    rows = [json.loads(line) for line in done.out.splitlines()]
    assert [each["line"] for each in rows] == [5, 9, 12]
    assert rows[0]["translation"] == "The house is small. We go home."
    assert 0 < rows[0]["confidence"] <= 1
    assert (rows[2]["confidence"], rows[2]["origin"]) == (None, "copy")
    warns(command("translate", "model", "t.po", "-o", "o", "-q", "--low-confidence", "1").err,
          "2", "units", "below", "1", "(lines 5 9)")  # fmt: skip


def test_confidences_are_those_of_lines(place):
    translator = Translator.load("model")
    (place / "t.md").write_text("Das Haus ist klein.\n")
    report = translator.translate_document("t.md", "out.md")
    assert (place / "out.md").read_text() == "The house is small.\n"
    reply = translator.reply("Das Haus ist klein.")
    assert report.units[0].confidence == pytest.approx(reply.confidence)
    assert report.mean_confidence == report.units[0].confidence
    assert (report.translated, report.failed) == (1, ())


def test_the_same_bytes_with_threads(place):
    translator = Translator.load("model")
    for threads in (1, 2):
        translator.translate_document("t.po", f"{threads}.po", threads=threads)
    assert (place / "1.po").read_bytes() == (place / "2.po").read_bytes()


def test_units_that_fail_stay(command, place):  # noqa: F811
    (place / "t.html").write_text("<p>Das Haus ist klein.</p><p>Das Haus</p>\n<p>klein\x01</p>")
    done = command("translate", "model", "t.html", "-o", "o.html", "--line-words", "3", "-q")
    assert done.code == 0, done.err
    text = (place / "o.html").read_text()
    assert text.startswith("<p>Das Haus ist klein.</p><p data-mt-confidence=")
    assert text.endswith("<p>klein\x01</p>")
    warns(done.err, "t.html:1")
    warns(done.err, "t.html:2")


def test_exact_matches_need_no_review(command, place):  # noqa: F811
    (place / "m.tsv").write_text("Das Haus ist klein.\tA small house, that.\n")
    text = 'msgid "Das Haus ist klein."\nmsgstr ""\n\nmsgid "Wir gehen nach Hause."\nmsgstr ""\n'
    (place / "t.po").write_text(text)
    done = command("translate", "model", "t.po", "-o", "o.po", "--memory-file", "m.tsv", "-q")
    assert done.code == 0, done.err
    known, other = polib.pofile("o.po")
    assert (known.msgstr, known.fuzzy) == ("A small house, that.", False)
    assert "# exact match, confidence 1.00\n" in (place / "o.po").read_text()
    assert other.fuzzy


@pytest.mark.parametrize("translation", ["You have %s letters.", "You have letters."])
def test_exact_matches_with_other_placeholders_are_not_written(command, place, translation):  # noqa: F811
    (place / "m.tsv").write_text(f"Sie haben %d Briefe.\t{translation}\n")
    (place / "t.po").write_text('msgid "Sie haben %d Briefe."\nmsgstr ""\n')
    done = command("translate", "model", "t.po", "-o", "o.po", "--memory-file", "m.tsv", "-q")
    assert done.code == 0, done.err
    assert (place / "o.po").read_bytes() == (place / "t.po").read_bytes()
    warns(done.err, "t.po:1", "%d")


MATCHES = {
    # Several translations of the same sentence; a near-exact match.
    "Das Haus ist klein.": ("Das Haus ist klein.\tA\nDas Haus ist klein.\tB\n", "B", True),
    "Das Haus %d.": ("Das Haus %s.\tHouse %s.\n", "House %d.", True),
    # Units of several sentences and lines, and without words.
    "Das Haus. Wir gehen.": ("Das Haus. Wir gehen.\tHouse and go.\n", "House and go.", False),
    "Das Haus.\\nWir gehen.\\n": (
        "Das Haus. Wir gehen.\tA house. Go.\n", "A house.\\nGo.\\n", True),
    "Haus\\nklein": ("Haus klein\tsmall house\n", "small\\nhouse", True),
    "Haus\\n\\nklein": ("Haus klein\ta house\nklein\tlittle\nHaus\tA\n", "A\\n\\nlittle", False),
    "%s": ("%s\t(%s)\n", "(%s)", False),
    "2020": ("2020\tMMXX\n", "MMXX", False),
}  # fmt: skip


@pytest.mark.parametrize("source", MATCHES)
def test_exact_matches_of_whole_units(command, place, source):  # noqa: F811
    memory, expected, is_fuzzy = MATCHES[source]
    (place / "m.tsv").write_text(memory)
    (place / "t.po").write_text(f'msgid "{source}"\nmsgstr ""\n')
    done = command("translate", "model", "t.po", "-o", "o.po", "--memory-file", "m.tsv", "-q")
    assert done.code == 0, done.err
    text = (place / "o.po").read_text()
    assert "exact match, confidence 1.00\n" in text
    (entry,) = polib.pofile("o.po")
    assert entry.msgstr == expected.replace("\\n", "\n")
    assert entry.fuzzy == is_fuzzy


def test_rows_have_matches(command, place):  # noqa: F811
    (place / "m.tsv").write_text("Das Haus ist klein.\tA small house.\nWir gehen heim.\tHome.\n")
    sources = ["Das Haus ist klein.", "Wir gehen.", "alt", "Das Haus ist klein. Wir gehen."]
    (place / "t.po").write_text("\n".join(f'msgid "{each}"\nmsgstr ""\n' for each in sources))
    options = ("--memory-file", "m.tsv", "--fuzzy", "0.5", "--json")
    done = command("translate", "model", "t.po", "-o", "o.po", *options)
    assert done.code == 0, done.err
    matches = [json.loads(line)["match"] for line in done.out.splitlines()]
    assert [each and each["kind"] for each in matches] == ["exact", "fuzzy", None, "fuzzy"]
    assert matches[0]["place"].endswith("m.tsv:1")
    assert (matches[0]["score"], matches[0]["translation"]) == (1, "A small house.")
    assert 0.5 <= matches[1]["score"] < 1
    assert matches[1]["source"] == "Wir gehen heim."
    warns(done.err, "1", "exact", "match", "2", "fuzzy", "matches")


@pytest.mark.parametrize("source", ["%s hat %d Briefe.", "Das Haus. %s hat %d Briefe.\\nklein"])
def test_exact_matches_with_placeholders_in_another_order(command, place, source):  # noqa: F811
    (place / "m.tsv").write_text("%s hat %d Briefe.\t%d letters for %s.\n")
    (place / "t.po").write_text(f'msgid "{source}"\nmsgstr ""\n')
    done = command("translate", "model", "t.po", "-o", "o.po", "--memory-file", "m.tsv", "-q")
    assert (place / "o.po").read_bytes() == (place / "t.po").read_bytes()
    warns(done.err, "t.po:1")


def test_notes_of_a_document_are_shown(command, place):  # noqa: F811
    (place / "t.po").write_text('msgid "a"\nmsgid_plural "b"\nmsgstr[0] ""\nmsgstr[1] ""\n')
    done = command("translate", "model", "t.po", "-o", "o.po", "-q", "--target-language", "cy")
    assert done.code == 0, done.err
    warns(done.err, "t.po", "cy", "Plural-Forms")


def test_messages_with_forms_stay(command, place):  # noqa: F811
    text = "{n, plural, =0 {Das Haus} other {{n} klein}}"
    (place / "t.html").write_text(f"<p>{text}</p>")
    done = command("translate", "model", "t.html", "-q")
    assert done.out == f"<p>{text}</p>"
    warns(done.err, "t.html:1")


def test_text_format_translates_lines(command, place):  # noqa: F811
    (place / "t.md").write_text("Das Haus ist klein.\n\n")
    done = command("translate", "model", "t.md", "--format", "text", "-q")
    assert done.out == "The house is small.\n\n"


@pytest.mark.parametrize(
    ("typed", "code", "shown"),
    [
        (["t.po", "-o", "t.po"], "file.exists", "t.po"),
        (["t.po", "--nbest", "3"], "argument.conflict", "--nbest"),
        (["t.po", "--inline"], "argument.conflict", "--inline"),
        (["t.po", "--alignment", "a"], "argument.conflict", "--alignment"),
        (["t.po", "--forests", "a.rwf"], "argument.conflict", "--forests"),
        (["t.po", "--reference", "r"], "argument.conflict", "--reference"),
        (["t.po", "--explain"], "argument.conflict", "--explain"),
        (["t.po", "--on-bad-line", "skip"], "argument.conflict", "--on-bad-line"),
        (["t.po", "--json"], "argument.missing", "-o"),
        (["t.txt", "--retranslate"], "argument.missing", "--retranslate"),
        (["t.txt", "--no-marks"], "argument.missing", "--no-marks"),
        (["broken.po"], "line.format", "broken.po:1"),
        (["missing.po"], "file.missing", "missing.po"),
        (["t.po", "--target-language", "?"], "argument.value", "?"),
    ],
)
def test_one_clear_line(command, place, typed, code, shown):  # noqa: F811
    (place / "t.txt").write_text("x\n")
    (place / "broken.po").write_text("msgid x\n")
    shows(command("translate", "model", *typed), code, shown)
    assert not (place / "a").exists()


def test_words_between_spaces_are_refused(command, place):  # noqa: F811
    shows(command("translate", "words", "t.po"), "model.pretokenized", "--format text")


def test_tags_are_protected_whatever_the_model_does(place):
    translator = Translator.load("model")
    text = translator.text
    sides = (replace(each, protect_tags=False) for each in (text.source_text, text.target_text))
    translator.text = TextTranslator(text.decoder, *sides)
    (place / "t.html").write_text("<p>Das <b>Haus</b> ist klein.</p>")
    translator.translate_document("t.html", "o.html", marks=False)
    assert (place / "o.html").read_text() == "<p>The <b>house</b> is small.</p>"


def test_python_refuses_too(place):
    translator = Translator.load("model")
    with refuses(FormatError, "file.exists", argument="output"):
        translator.translate_document("t.po", "t.po")
    with refuses(DecodingError, "model.pretokenized"):
        Translator.load("words").translate_document("t.po", "out.po")
    assert DocumentSettings().marks


def test_glossary_entries_that_match_nothing(command, place):  # noqa: F811
    (place / "terms.tsv").write_text("Haus\tbuilding\nNiemals\tnever\n", encoding="utf-8")
    done = command("translate", "model", "t.po", "-o", "out.po", "--glossary", "terms.tsv")
    assert done.code == 0, done.err
    assert "1 of 2 (niemals)" in done.err
    report = Translator.load("model", glossary="terms.tsv").translate_document("t.po", "again.po")
    (note,) = report.notes
    assert "niemals" in note
