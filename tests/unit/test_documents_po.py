"""PO files as documents: what changes, what stays, and what is refused."""

from __future__ import annotations

import re

import polib
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.refusals import refuses
from tests.translated_documents import GOLDEN, in_bytes, opened, unchanged, written

from rosewood.documents import DocumentSettings, UnitTranslation, read_document
from rosewood.documents.document import FileText
from rosewood.documents.formats.po import read_po
from rosewood.documents.marks import COPY, EXACT, NEAR_EXACT
from rosewood.documents.plural_forms import PluralForms, forms_of_language
from rosewood.errors import CorpusError, FormatError

MESSAGES = GOLDEN / "messages.po"
GERMAN = {"source_language": "en", "target_language": "de"}


def test_the_translated_file_is_the_golden_one():
    document = read_document(MESSAGES, DocumentSettings(**GERMAN))
    assert [each.text for each in document.units][:2] == [
        "Welcome to the shop. It is open.",
        "You have %d apples.\n",
    ]
    assert document.kept == {"header": 1, "translated already": 1, "obsolete": 1}
    golden = GOLDEN / "messages.translated.po"
    assert written(document) == golden.read_text(encoding="utf-8")


def test_polib_reads_what_was_written(tmp_path):
    text = written(read_document(MESSAGES, DocumentSettings(**GERMAN)))
    (tmp_path / "t.po").write_text(text, encoding="utf-8")
    entries = {each.msgid: each for each in polib.pofile(str(tmp_path / "t.po"))}
    plural = entries["%(n)d house"]
    assert plural.msgstr_plural == {0: "%(n)d HOUSE", 1: "%(n)d HOUSES"}
    assert plural.flags == ["fuzzy", "python-format"]
    assert plural.tcomment == "machine translation, confidence 0.87"
    apples = entries["You have %d apples.\n"]
    assert apples.msgstr == "YOU HAVE %d APPLES.\n"
    assert apples.tcomment == "Checked by Ann.\nmachine translation, confidence 0.87"
    assert apples.previous_msgid is None
    assert entries["Good morning"].msgstr == "Guten Morgen"
    assert not entries["Good morning"].fuzzy


@pytest.mark.parametrize("name", ["crlf", "no end", "mark", "utf-16"])
def test_nothing_translated_gives_the_same_bytes(tmp_path, name):
    data = MESSAGES.read_bytes()
    if name == "crlf":
        data = data.replace(b"\n", b"\r\n")
    elif name == "no end":
        data = data[: data.rindex(b"\n#~ msgid") - 1]
    elif name == "mark":
        data = b"\xef\xbb\xbf" + data
    else:
        data = b"\xff\xfe" + data.decode().replace("charset=UTF-8", "").encode("utf-16-le")
    document = opened(tmp_path, "t.po", data, **GERMAN)
    assert unchanged(document)
    assert in_bytes(document, document.written([None] * len(document.units))) == data
    if name == "crlf":
        assert "\n" not in written(document).replace("\r\n", "")


def test_marks_can_be_switched_off_and_replaced(tmp_path):
    document = read_document(MESSAGES, DocumentSettings(marks=False))
    text = written(document)
    assert "fuzzy" not in text
    assert "machine" not in text
    marked = written(read_document(MESSAGES))
    again = opened(tmp_path, "t.po", marked)
    assert len(again.units) == len(document.units)
    twice = written(again, confidence=0.5)
    assert twice == marked.replace("0.87", "0.50")
    exact = written(again, origin=EXACT, confidence=1.0)
    assert exact.count("# exact match, confidence 1.00") == 4
    assert exact.count("#, fuzzy") == 1  # the entry with a context
    assert '#, fuzzy\nmsgctxt "menu"' in exact


@pytest.mark.parametrize(
    ("entry", "made", "is_fuzzy"),
    [
        ("", UnitTranslation("x", 1.0, EXACT), False),
        ("", UnitTranslation("x", 1.0, EXACT, is_certain=False), True),
        ("", UnitTranslation("x", 1.0, NEAR_EXACT), True),
        ("", UnitTranslation("x", None, COPY), False),
        ('msgctxt "menu"\n', UnitTranslation("x", 1.0, EXACT), True),
        ('msgctxt "menu"\n', UnitTranslation("x", None, COPY), False),
    ],
)
def test_matches_that_are_not_certain_need_review(tmp_path, entry, made, is_fuzzy):
    document = opened(tmp_path, "t.po", f'{entry}msgid "Haus"\nmsgstr ""\n')
    text = document.written([made])
    assert made.origin in text
    assert ("#, fuzzy" in text) == is_fuzzy
    assert opened(tmp_path, "again.po", text, retranslate=True).written([made]) == text


@pytest.mark.parametrize(("language", "is_fuzzy"), [("ru", True), ("de", False), ("ja", False)])
def test_a_match_copied_into_several_plural_forms_needs_review(tmp_path, language, is_fuzzy):
    text = 'msgid "%d house"\nmsgid_plural "%d houses"\nmsgstr[0] ""\nmsgstr[1] ""\n'
    document = opened(tmp_path, "t.po", text, target_language=language)
    assert ("#, fuzzy" in written(document, origin=EXACT, confidence=1.0)) == is_fuzzy


def test_retranslate_takes_all_entries():
    document = read_document(MESSAGES, DocumentSettings(retranslate=True))
    assert "Good morning" in [each.text for each in document.units]
    assert document.kept == {"header": 1, "obsolete": 1}


def test_an_entry_of_which_a_form_failed_stays():
    document = read_document(MESSAGES)
    made = [UnitTranslation(each.text) for each in document.units]
    made[[each.text for each in document.units].index("%(n)d houses")] = None
    assert 'msgstr[0] ""\nmsgstr[1] ""' in document.written(made)


RUSSIAN = forms_of_language("ru")


@pytest.mark.parametrize(
    ("header", "single", "count", "singular"),
    [
        ("nplurals=1; plural=0;", "%d file", 1, []),
        ("nplurals=2; plural=(n != 1);", "one file", 2, [0]),
        ("nplurals=2; plural=(n > 1)", "one file", 2, [0]),
        (RUSSIAN, "%d file", 3, [0]),
        (RUSSIAN, "one file", 3, []),  # the form is that of 21, too
        (forms_of_language("cs"), "one file", 3, [0]),
        ("nplurals=2; plural=n=!1", "one file", 2, [0]),
        ("nplurals=INTEGER; plural=EXPRESSION;", "one file", 0, [0]),
        ("nplurals=2; plural=n/0;", "one file", 2, [0]),
        ("nplurals=99; plural=0;", "one file", 0, [0]),
        ("nplurals=2; plural=" + "(" * 5000 + "n", "one file", 2, [0]),
    ],
)
def test_plural_forms(header, single, count, singular):
    forms = PluralForms.parse(header)
    assert forms.count == count
    found = [form for form in range(count or 2) if forms.is_singular(form, single, "%d files")]
    assert found == singular


BROKEN = [
    ("msgid nothing\n", "line.format", 1),
    ('msgid "a"\nmsgstr "b\n', "line.format", 2),
    ('"a"\n', "line.format", 1),
    ('msgid "a"\n\nmsgid "b"\nmsgstr ""\n', "line.format", 1),
    ('msgid "a"\nmsgid "b"\nmsgstr ""\n', "line.duplicate", 2),
    ('msgid "a"\nmsgstr ""\nmsgstr ""\n', "line.duplicate", 3),
    ('msgid "a"\nmsgid_plural "b"\nmsgstr ""\n', "line.format", 1),
    ('msgid "a"\nmsgid_plural "b"\nmsgstr[1] ""\n', "line.format", 1),
    ('msgstr "a"\n', "line.format", 1),
    ('msgid "a"\n# comment\nmsgstr ""\n', "line.format", 2),
    (b'msgid "\xff"\nmsgstr ""\n', "file.encoding", 1),
    (b'msgid "\0"\nmsgstr ""\n', "corpus.control-character", 1),
    (b'msgid ""\nmsgstr "Content-Type: text/plain; charset=klingon\\n"\n', "file.encoding", None),
]


@pytest.mark.parametrize(("text", "code", "line"), BROKEN)
def test_broken_files_are_refused(tmp_path, text, code, line):
    with refuses(FormatError, code, line=line, file=str(tmp_path / "t.po")):
        opened(tmp_path, "t.po", text)


def test_another_language_is_refused(tmp_path):
    text = 'msgid ""\nmsgstr ""\n"Language: fr\\n"\n'
    with refuses(FormatError, "document.language", argument="target_language", value="fr"):
        opened(tmp_path, "t.po", text, target_language="de")
    assert opened(tmp_path, "t.po", text, target_language="fr_CA").kept == {"header": 1}


def test_encodings(tmp_path):
    head = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=ISO-8859-1\\n"\n'
    text = f'{head}\nmsgid "ä"\nmsgstr ""\n'
    document = opened(tmp_path, "t.po", text.encode("latin-1"))
    assert document.units[0].text == "ä"
    assert in_bytes(document, written(document)).endswith('msgstr "Ä"\n'.encode("latin-1"))
    with refuses(FormatError, "document.encoding", value="例"):
        in_bytes(document, written(document, lambda _: "例"))
    with refuses(CorpusError, "argument.missing", argument="format"):
        read_document(tmp_path / "t.unknown")


comment = st.sampled_from(["# by hand", "#. extracted", "#: a.c:1", "#, c-format", "#, fuzzy", "#"])
string = st.text(st.sampled_from('aB .%d\n\t"\\é<>x'), max_size=30)


@st.composite
def catalogues(draw):
    """A file, and the texts that it has."""
    lines, texts = [], []
    for number in range(draw(st.integers(0, 5))):
        lines += draw(st.lists(comment, max_size=3))
        texts.append(f"{number}{draw(string)}")
        told = draw(st.booleans())
        for key, text in (("msgid", texts[-1]), ("msgstr", draw(string) if told else "")):
            quoted = [polib.escape(part) for part in re.split(r"(?<=\n)", text)]
            lines += [f'{key} "{quoted[0]}"', *(f'"{part}"' for part in quoted[1:])]
        lines += [""] * draw(st.integers(0, 2))
    newline = draw(st.sampled_from(["\n", "\r\n"]))
    return "".join(line + newline for line in lines), texts


@given(catalogues())
def test_random_files(catalogue):
    text, texts = catalogue
    document = read_po(FileText(text, "t.po"), DocumentSettings(retranslate=True))
    assert [each.text for each in document.units] == texts
    assert unchanged(document)
    again = read_po(
        FileText(document.written([UnitTranslation(f"x{each}") for each in texts]), "t.po"),
        DocumentSettings(retranslate=True),
    )
    assert [each.text for each in again.units] == texts
    found = polib.pofile(again.file.text + "\n") if texts else []
    assert [each.msgstr for each in found] == [f"x{each}" for each in texts]
    assert all(each.fuzzy for each in found)


@pytest.mark.parametrize(
    ("language", "header", "is_noted"),
    [
        ("cy", "", True),
        ("cy", "Plural-Forms: nplurals=4; plural=(n==1 ? 0 : n==2 ? 1 : n==8 ? 2 : 3);\\n", False),
        ("cy", "Plural-Forms: nplurals=INTEGER; plural=EXPRESSION;\\n", True),
        ("de", "", False),
    ],
)
def test_unknown_plural_forms_are_noted(tmp_path, language, header, is_noted):
    text = f'msgid ""\nmsgstr "{header}"\n\nmsgid "a"\nmsgstr ""\n'
    plural = '\nmsgid "b"\nmsgid_plural "c"\nmsgstr[0] ""\nmsgstr[1] ""\n'
    assert opened(tmp_path, "t.po", text, target_language=language).notes == []
    notes = opened(tmp_path, "t.po", text + plural, target_language=language).notes
    assert ["Plural-Forms" in each for each in notes] == [True] * is_noted


def test_plural_forms_of_a_person_stay(tmp_path):
    head = 'msgid "%d house"\nmsgid_plural "%d houses"\n'
    text = f'{head}msgstr[0] ""\nmsgstr[1] "%d "\n"HUMAN"\n'
    first = written(opened(tmp_path, "t.po", text, target_language="de"))
    note = "# msgstr[0]: machine translation, confidence 0.87\n"
    done = f'{head}msgstr[0] "%d HOUSE"\nmsgstr[1] "%d "\n"HUMAN"\n'
    assert first == f"{note}#, fuzzy\n{done}"
    # The same again: the form of the person stays, the note is not doubled.
    again = opened(tmp_path, "t.po", first, target_language="de")
    assert written(again) == first
    everything = opened(tmp_path, "t.po", first, target_language="de", retranslate=True)
    whole = written(everything)
    assert "HUMAN" not in whole
    assert whole.startswith("# machine translation")
    # Russian: two forms are missing; one that the header does not have is not lost.
    for language, machine in (("ru", (1, 2)), ("ja", (1, 2))):
        forms = 'msgstr[0] "HUMAN"\nmsgstr[1] ""\nmsgstr[2] ""\nmsgstr[3] "OTHER"\n'
        document = opened(tmp_path, "t.po", head + forms, target_language=language)
        (entry,) = polib.pofile(written(document))
        assert (entry.msgstr_plural[0], entry.msgstr_plural[3]) == ("HUMAN", "OTHER")
        assert all(entry.msgstr_plural[form] == "%d HOUSES" for form in machine)


def test_fuzzy_plural_forms_are_replaced(tmp_path):
    text = '#, fuzzy\nmsgid "a"\nmsgid_plural "b"\nmsgstr[0] "old"\nmsgstr[1] ""\n'
    assert "old" not in written(opened(tmp_path, "t.po", text, target_language="de"))


@pytest.mark.parametrize("note", ["", "# msgstr[7]: machine translation\n#, fuzzy\n"])
def test_more_plural_forms_than_the_language_has(tmp_path, note):
    text = f'{note}msgid "a"\nmsgid_plural "b"\nmsgstr[0] "x"\nmsgstr[1] "y"\nmsgstr[2] ""\n'
    (entry,) = polib.pofile(written(opened(tmp_path, "t.po", text, target_language="de")))
    expected = {0: "A", 1: "B"} if note else {0: "x", 1: "y", 2: "B"}
    assert entry.msgstr_plural == expected
