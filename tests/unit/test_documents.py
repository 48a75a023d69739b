"""All document formats: golden files, what stays byte for byte, and hostile files."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from tests.refusals import refuses
from tests.translated_documents import GOLDEN, in_bytes, opened, unchanged, written

from rosewood.documents import (
    DOCUMENTS,
    DocumentSettings,
    UnitTranslation,
    read_document,
    write_document,
)
from rosewood.documents.document import FileText
from rosewood.documents.formats import TEXT, format_of
from rosewood.documents.inline_codes import InlineCodes, Token
from rosewood.errors import CorpusError, FormatError

LANGUAGES = {"source_language": "de", "target_language": "en"}
FILES = sorted(each.name for each in GOLDEN.iterdir() if ".translated." not in each.name)
IN_GERMAN = [name for name in FILES if not name.endswith(".po")]


@pytest.mark.parametrize("name", IN_GERMAN)
def test_the_translated_file_is_the_golden_one(name):
    file = GOLDEN / name
    document = read_document(file, DocumentSettings(**LANGUAGES))
    golden = file.with_name(f"{file.stem}.translated{file.suffix}")
    assert written(document) == golden.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("how", ["as it is", "crlf", "byte order mark", "no end"])
def test_nothing_translated_gives_the_same_bytes(tmp_path, name, how):
    data = (GOLDEN / name).read_bytes()
    if how == "crlf":
        data = data.replace(b"\n", b"\r\n")
    elif how == "byte order mark":
        data = b"\xef\xbb\xbf" + data
    elif how == "no end":
        data = data.rstrip()
    document = opened(tmp_path, name, data, **LANGUAGES)
    assert document.units
    assert unchanged(document)
    output = tmp_path / f"out-{name}"
    write_document(document, [None] * len(document.units), output)
    assert output.read_bytes() == data
    if how == "crlf":
        assert "\n" not in written(document).replace("\r\n", "")


@pytest.mark.parametrize("name", IN_GERMAN)
def test_translated_units_can_be_switched_to_no_marks(name):
    text = written(read_document(GOLDEN / name, DocumentSettings(marks=False, **LANGUAGES)))
    assert "machine" not in text
    assert "mt-" not in text
    assert "0.87" not in text


@pytest.mark.parametrize("name", [each for each in FILES if each.endswith((".xlf", ".tmx", ".po"))])
def test_what_is_translated_is_not_translated_again(tmp_path, name):
    text = written(read_document(GOLDEN / name, DocumentSettings(**LANGUAGES)))
    again = opened(tmp_path, name, text, **LANGUAGES)
    fuzzy = 5 if name.endswith(".po") else 0  # entries for review count as untranslated
    assert len(again.units) == fuzzy
    other = opened(tmp_path, name, text, retranslate=True, **LANGUAGES)
    assert unchanged(other)
    twice = written(other, confidence=0.5)
    assert "0.87" not in twice
    if name.endswith((".xlf", ".tmx")):
        etree.fromstring(twice.encode())
        assert written(opened(tmp_path, name, twice, retranslate=True, **LANGUAGES)) == written(
            opened(tmp_path, name, twice, retranslate=True, **LANGUAGES)
        )


def test_formats_by_ending():
    assert format_of("a/b.PO") == "po"
    assert format_of("b.xliff.gz") == "xliff"
    assert format_of("b.md") == "markdown"
    assert format_of("b.txt") == TEXT
    assert format_of("b.txt", "srt") == "srt"
    assert {"html", "markdown", "po", "srt", "tmx", "webvtt", "xliff"} <= set(DOCUMENTS)


def test_formats_are_listed_without_their_parsers():
    code = (
        "import sys; from rosewood.documents.formats import DOCUMENTS; "
        "print(*DOCUMENTS.own_names()); DOCUMENTS.helps(); "
        "print(*[name for name in sys.modules if name.startswith('rosewood.documents.formats.')])"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    names, imported = told.stdout.splitlines()
    assert set(names.split()) >= {"html", "markdown", "po", "srt", "tmx", "webvtt", "xliff"}
    assert imported == ""


def test_a_missing_package_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "lxml", None)
    with refuses(CorpusError, "package.missing", value="formats"):
        read_document(GOLDEN / "shop.xlf")


def test_compressed_documents(tmp_path):
    document = read_document(GOLDEN / "film.srt")
    write_document(document, [None] * len(document.units), tmp_path / "film.srt.gz")
    again = read_document(tmp_path / "film.srt.gz")
    assert again.file.text == document.file.text


# -- inline codes ----------------------------------------------------------------------------------


def test_codes_are_checked():
    bold = [Token("open", "<b>", "b"), Token("text", "x"), Token("close", "</b>", "b")]
    codes = InlineCodes([*bold, Token("value", "<br>"), Token("close", "</i>", "i")])
    assert codes.tagged == '<bpt i="1"/>x<ept i="1"/><ph i="3"/><ept i="4"/>'
    assert codes.fault(codes.tagged) is None
    assert codes.restored(codes.tagged) == "<b>x</b><br></i>"
    for bad in (
        '<bpt i="1"/>x<ept i="1"/><ph i="3"/>',
        codes.tagged + '<ph i="3"/>',
        codes.tagged + '<ph i="9"/>',
        '<ept i="1"/>x<bpt i="1"/><ph i="3"/><ept i="4"/>',
    ):
        assert codes.fault(bad)
    nested = InlineCodes([Token("open", "<i>", "i"), *bold, Token("close", "</i>", "i")])
    assert nested.fault('<bpt i="1"/><bpt i="2"/><ept i="1"/><ept i="2"/>')


def test_text_that_looks_like_a_code_is_one():
    codes = InlineCodes([Token("text", 'a <ph i="1"/> b'), Token("value", "<br>")])
    assert codes.restored(codes.tagged) == 'a <ph i="1"/> b<br>'
    assert codes.fault(codes.tagged) is None


# -- XML -------------------------------------------------------------------------------------------

XLIFF = '<xliff version="1.2"><file source-language="de">%s</file></xliff>'
TMX = '<tmx version="1.4"><header srclang="de"/><body>%s</body></tmx>'
BOMB = '<!DOCTYPE xliff [<!ENTITY a "x"><!ENTITY b "&a;&a;">]>\n' + XLIFF % "&b;"


@pytest.mark.parametrize(
    ("name", "text", "code", "line"),
    [
        ("t.xlf", BOMB, "corpus.entity", None),
        ("t.xlf", '<!DOCTYPE x SYSTEM "file:///etc/passwd">\n<tmx/>', "file.kind", 2),
        ("t.xlf", XLIFF % "\n<source>", "file.format", 2),
        ("t.xlf", XLIFF % "<source>&unknown;</source>", "file.format", 1),
        ("t.xlf", "", "file.format", None),
        ("t.xlf", b"<xliff>\xff</xliff>", "file.encoding", 1),
        ("t.xlf", '<?xml version="1.0" encoding="klingon"?><xliff/>', "file.encoding", None),
        ("t.xlf", "<xliff>" + "<a>" * 5000 + "</a>" * 5000 + "</xliff>", "file.format", 1),
        ("t.xlf", XLIFF.replace("de", "fr") % "", "document.language", 1),
        ("t.tmx", "<xliff/>", "file.kind", 1),
        ("t.vtt", "1\n", "file.kind", 1),
        ("t.srt", "1\n00:00:01,000 --> 00:00:02,000\nx\n\ny\n", "line.format", 5),
        ("t.srt", "1\n00:00:01 --> x\ny\n", "line.format", 2),
        ("t.html", '<p>x</p>\n<html lang="fr">', "document.language", 2),
        ("t.html", b"<p>\xe4</p>", "file.encoding", 1),
        ("t.md", b"x\0y", "corpus.control-character", 1),
    ],
)
def test_hostile_files_are_refused(tmp_path, name, text, code, line):
    with refuses(FormatError, code, file=str(tmp_path / name)) as refused:
        opened(tmp_path, name, text, **LANGUAGES)
    assert line is None or refused.value.line == line


def test_xml_of_other_encodings(tmp_path):
    text = XLIFF % '\n<trans-unit id="ä"><source>schön &#8211; gut</source></trans-unit>'
    for encoding in ("iso-8859-1", "utf-8", "windows-1252"):
        data = f'<?xml version="1.0" encoding="{encoding}"?>{text}'.encode(encoding)
        document = opened(tmp_path, "t.xlf", data, **LANGUAGES)
        assert document.units[0].text == "schön – gut"
        assert in_bytes(document, document.written([None])) == data
    data = b"\xff\xfe" + text.encode("utf-16-le")
    document = opened(tmp_path, "t.xlf", data, **LANGUAGES)
    assert in_bytes(document, document.written([None])) == data


def test_prefixes_and_quotes_of_xml_stay(tmp_path):
    text = (
        "<x:xliff xmlns:x='urn:oasis:names:tc:xliff:document:1.2' version = '1.2'>"
        "<x:file source-language='de' target-language='en'><x:trans-unit id='1' >"
        "<x:source>Haus<x:x id='1' title='a > b' /></x:source></x:trans-unit></x:file></x:xliff>"
    )
    document = opened(tmp_path, "t.xlf", text, marks=False)
    changed = text.replace(
        "</x:source>", "</x:source><x:target>HAUS<x:x id='1' title='a > b' /></x:target>"
    )
    assert written(document) == changed


def test_halves_of_angular_are_pairs(tmp_path):
    text = XLIFF % (
        '<trans-unit id="1"><source>a <x id="START_TAG_SPAN_1"/>b<x id="CLOSE_TAG_SPAN"/> '
        '<x id="INTERPOLATION"/></source></trans-unit>'
    )
    (unit,) = opened(tmp_path, "t.xlf", text).units
    assert unit.text == 'a <bpt i="1"/>b<ept i="1"/> <ph i="3"/>'


def test_sentences_of_a_unit_are_written_together(tmp_path):
    document = read_document(GOLDEN / "shop.xlf", DocumentSettings(**LANGUAGES))
    made = [UnitTranslation(each.text) for each in document.units]
    made[2] = None  # the second sentence of u4
    assert '<target state="new"/>' in document.written(made)


@pytest.mark.parametrize(("name", "text"), [("t.xlf", XLIFF), ("t.tmx", TMX)])
def test_xml_that_lxml_alone_reads_is_refused(tmp_path, name, text):
    with refuses(FormatError, "file.format", file=str(tmp_path / name), line=2):
        opened(tmp_path, name, text % "\n<\u2c00/>", **LANGUAGES)


def test_empty_sentences_of_a_target_are_filled(tmp_path):
    sentence = '<mrk mtype="seg" mid="%d">%s</mrk>'
    cut = " ".join(
        sentence % each for each in ((1, "eins"), (2, "<g id='1'>zwei</g>"), (3, "drei"))
    )
    target = sentence % (1, "Human") + " " + sentence % (2, "") + ' <mrk mtype="seg" mid="3"/>'
    target = f"<target>{target}</target>"
    text = XLIFF % (
        f'<trans-unit id="u"><source>x</source><seg-source>{cut}</seg-source>{target}</trans-unit>'
    )
    document = opened(tmp_path, "t.xlf", text)
    assert [each.name for each in document.units] == ["u/2", "u/3"]
    assert document.kept == {}
    assert unchanged(document)
    made = written(document)
    expected = " ".join(
        sentence % each for each in ((1, "Human"), (2, "<g id='1'>ZWEI</g>"), (3, "DREI"))
    )
    assert f'state-qualifier="mt-suggestion">{expected}</target>' in made
    again = opened(tmp_path, "t.xlf", made)
    assert (again.units, again.kept) == ([], {"translated already": 1})
    everything = opened(tmp_path, "t.xlf", text, retranslate=True)
    assert [each.name for each in everything.units] == ["u/1", "u/2", "u/3"]


def test_a_control_character_cannot_be_in_xml():
    document = read_document(GOLDEN / "shop.xlf", DocumentSettings(**LANGUAGES))
    assert document.check(UnitTranslation("a\x01b"), 2)


def test_a_memory_needs_languages(tmp_path):
    with refuses(FormatError, "argument.missing", argument="target_language"):
        opened(tmp_path, "t.tmx", TMX % "", source_language="de")


# -- subtitles -------------------------------------------------------------------------------------


def test_cues_keep_their_number_of_lines(tmp_path):
    text = "1\n00:00:01,000 --> 00:00:02,000\naaa bbb ccc ddd\neee fff\n"
    document = opened(tmp_path, "t.srt", text)
    assert written(document).splitlines()[2:] == ["AAA BBB CCC", "DDD EEE FFF"]
    assert written(document, lambda _: "one two three four").endswith("\none two\nthree four\n")
    assert written(document, lambda _: "alone").endswith(",000\nalone\n")
    arrow = opened(tmp_path, "t.srt", text)
    assert arrow.check(UnitTranslation("a --> b"), 0)


def test_lines_without_spaces_are_wrapped(tmp_path):
    text = "1\n00:00:01,000 --> 00:00:02,000\n今日はとても\nいい天気です。\n"
    document = opened(tmp_path, "t.srt", text)
    assert document.units[0].text == "今日はとてもいい天気です。"
    assert written(document, str) == text.replace("も\nい", "もい\n")


# -- HTML and Markdown -----------------------------------------------------------------------------


def test_html_in_the_source_language_only(tmp_path):
    text = '<p lang="de">Haus</p><p lang="fr">maison</p><p lang="???">x</p>'
    document = opened(tmp_path, "t.html", text, **LANGUAGES)
    assert [each.text for each in document.units] == ["Haus"]
    assert written(document).startswith('<p data-mt-confidence="0.87" lang="en">HAUS</p><p lang="f')
    assert written(opened(tmp_path, "t.html", written(document), **LANGUAGES | {
        "source_language": "en", "target_language": "de"}), confidence=0.5).startswith(
            '<p data-mt-confidence="0.50" lang="de">HAUS</p>')  # fmt: skip


def test_both_attributes_of_xhtml_change(tmp_path):
    text = '<html xml:lang="de" lang="de"><p>Haus</p></html>'
    document = opened(tmp_path, "t.xhtml", text, marks=False, **LANGUAGES)
    assert written(document) == '<html xml:lang="en" lang="en"><p>HAUS</p></html>'


def test_html_is_escaped_again(tmp_path):
    text = "<p title='a &lt; b'>a &lt; b &amp;nbsp; &quot;</p>"
    document = opened(tmp_path, "t.html", text, marks=False)
    assert [each.text for each in document.units] == ["a < b", 'a < b &nbsp; "']
    assert written(document, str) == '<p title="a &lt; b">a &lt; b &amp;nbsp; "</p>'


def test_markdown_emphasis_stays_emphasis(tmp_path):
    document = opened(tmp_path, "t.md", "Ein **Haus** mit _Tür_.\n")
    units = [each.text for each in document.units]
    assert units == ['Ein <bpt i="1"/>Haus<ept i="1"/> mit <bpt i="3"/>Tür<ept i="3"/>.']
    moved = '<bpt i="1"/> house <ept i="1"/>with <bpt i="3"/><ept i="3"/>*a* 1.'
    assert written(document, lambda _: moved) == "**house** with \\*a\\* 1.\n"


@pytest.mark.parametrize(
    ("source", "translation", "expected"),
    [
        ("Haus", "1. house", "1\\. house"),
        ("Haus", "# house", "\\# house"),
        ("Haus", "- house", "\\- house"),
        ("Haus", "> house", "\\> house"),
        ("- Haus", "- house", "- \\- house"),
        ("1\\. Haus", '<ph i="1"/> house', None),
    ],
)
def test_a_translation_does_not_begin_a_block(tmp_path, source, translation, expected):
    document = opened(tmp_path, "t.md", source)
    if expected is not None:
        assert written(document, lambda _: translation) == expected


MARKDOWN_KEPT = [
    "```\nHaus\n```", "~~~ x\nHaus\n```\n~~~~", "    Haus", "<div>\nHaus\n</div>", "12 %",
    "---\na: Haus\n---", "[Haus]: http://a.b", "***", "$$\nHaus\n$$", "<!-- Haus\n\nHaus -->",
    "`Haus`", "![Haus](x.png)", "http://haus.de", "| `a` |\n|---|\n| 1 |", "::: note",
]  # fmt: skip


@pytest.mark.parametrize("text", MARKDOWN_KEPT)
def test_what_stays_in_markdown(tmp_path, text):
    assert [each.text for each in opened(tmp_path, "t.md", text).units] == []


def test_every_character_of_markdown_comes_back(tmp_path):
    text = 'a\\*b [x](y (z) "t") *a* __b__ `c` <i>d</i> ~~e~~ [f][g] &amp; \\\n'
    text += "h  \ni_j_k 2 * 3\n"
    document = opened(tmp_path, "t.md", text)
    assert written(document, str) == text


def test_no_pattern_takes_long():
    settings = DocumentSettings(**LANGUAGES)
    hostile = [
        "<b",
        "<!--",
        "{%",
        "<%",
        "<p ",
        "*a",
        "[a",
        "![",
        "](",
        "`a ",
        "$a",
        "> ",
        "&",
        "_a",
    ]
    for text in hostile:
        for name in ("html", "markdown"):
            document = DOCUMENTS[name].read(FileText(text * 2000, "x"), settings)
            assert unchanged(document)


def test_marks_have_two_digits():
    from rosewood.documents.marks import mark_of

    settings = DocumentSettings()
    for sure, text in ((0.499, "0.49"), (1.0, "1.00"), (0.29, "0.29"), (0.0, "0.00")):
        mark = mark_of(UnitTranslation("x", sure), settings)
        assert mark is not None
        assert re.fullmatch(rf"machine translation, confidence {text}", mark.note)


# -- random documents ------------------------------------------------------------------------------

markdown = st.lists(
    st.sampled_from([
        "Ein Haus", " ", "\n", "\n\n", "*", "**", "_", "`", "```\n", "[", "](x)", "]", "> ", "- ",
        "1. ", "# ", "| ", "|---|", "<b>", "</b>", "\\", "<div>\n", "    ", "!", "~~", "{x}",
        "http://a.b/c", "[Haus]: x\n", "---\n", "$", "<!--", "-->", "  \n", "\t", "[^1]", "&amp;",
    ]),
    max_size=25,
).map("".join)  # fmt: skip
html = st.lists(
    st.sampled_from([
        "Ein Haus. ", " ", "\n", "<p>", "</p>", "<b>", "</b>", "<i title='Ein Haus'>", "</i>",
        "<br>", "<code>", "</code>", "<!-- x -->", "<script>x</script>", "&lt;", "<li>", "<",
        "<p lang=de>", "<img alt=Haus>", "<span translate=no>", "</span>", "{% x %}", '"',
        "<p lang=en>", "{x}",
    ]),
    max_size=25,
).map("".join)  # fmt: skip


@given(markdown)
def test_random_markdown(text):
    document = DOCUMENTS["markdown"].read(FileText(text, "x"), DocumentSettings())
    assert unchanged(document)
    # Translated into itself: white space between words changes, and _ or * around nothing.
    same = written(document, str)
    squeezed = re.sub(r"[\s>]", "", same)
    codes = [each for place in document.places for each in place.codes.tokens]
    for each in codes:
        if each.kind != "text" and each.raw[0] not in "*_~":
            assert re.sub(r"[\s>]", "", each.raw) in squeezed
    before, after = (Counter(re.findall(r"\w+", each.replace("\\", ""))) for each in (text, same))
    assert not before - after
    assert set(after - before) <= {"Haus"}  # a link whose text is its label gets it beside it


@given(html)
def test_random_html(text):
    settings = DocumentSettings(marks=False, **LANGUAGES)
    document = DOCUMENTS["html"].read(FileText(text, "x"), settings)
    assert unchanged(document)
    same = written(document)
    for tag in ("<p", "</p>", "<b>", "</b>", "<i ", "<br>", "<!-- x -->", "<script>x</script>",
                "{% x %}", "{x}", "<li>", "<img "):  # fmt: skip
        assert same.count(tag) == text.count(tag)


@st.composite
def nested_html(draw):
    """A well-formed page whose inline elements go over line breaks, inputs and blocks."""
    names = st.sampled_from(["b", "i", "u", "p", "div"])
    leaf = st.sampled_from(["Ein Haus ", "<br/>", "<input/>", "klein ", "<img/>"])
    grown = st.recursive(
        leaf,
        lambda inner: st.builds(
            lambda name, parts: f"<{name}>{''.join(parts)}</{name}>",
            names, st.lists(inner, max_size=5),
        ),
        max_leaves=15,
    )  # fmt: skip
    return f"<body>{''.join(draw(st.lists(grown, min_size=1, max_size=5)))}</body>"


@given(nested_html(), st.randoms(use_true_random=False))
def test_tags_nest_in_whatever_order_translations_have_them(text, chance):
    settings = DocumentSettings(marks=False, **LANGUAGES)
    document = DOCUMENTS["html"].read(FileText(text, "x"), settings)
    made = []
    for number, unit in enumerate(document.units):
        parts = re.findall(r"<[^<>]*>|\w+", unit.text)
        for _ in range(chance.randrange(3)):
            place = chance.randrange(len(parts))
            parts.insert(chance.randrange(len(parts)), parts.pop(place))
        done = UnitTranslation(" ".join(parts))
        made.append(done if document.check(done, number) is None else None)
    etree.fromstring(document.written(made))


@pytest.mark.parametrize(
    ("text", "good", "bad"),
    [
        ("<b>x<br>a</b> <i>c</i>", '<bpt i="2"/>c<ept i="2"/><ept i="1"/>',
         '<bpt i="2"/>c<ept i="1"/><ept i="2"/>'),
        ("<u>1<br>a</u> <i>c<br>1</i>", 'a<ept i="1"/><bpt i="2"/>c',
         '<bpt i="2"/>c a<ept i="1"/>'),
    ],
)  # fmt: skip
def test_tags_whose_other_half_is_elsewhere(tmp_path, text, good, bad):
    document = opened(tmp_path, "t.html", text, **LANGUAGES)
    number = next(n for n, each in enumerate(document.units) if "<ept" in each.text)
    assert document.check(UnitTranslation(good), number) is None
    assert document.check(UnitTranslation(bad), number) is not None


times = st.sampled_from(["00:00:01,000 --> 00:00:02,000", "1:02:03.4 --> 1:02:05.678 X1:0"])
cue_text = st.lists(
    st.sampled_from(
        ["Ein Haus", " ", "<i>", "</i>", "{\\an8}", "- ", "\n", "♪", "12", "<font x=1>"]
    ),
    min_size=1,
    max_size=12,
).map("".join)


@given(st.lists(st.tuples(times, cue_text), max_size=5), st.sampled_from(["\n", "\r\n"]))
def test_random_subtitles(cues, newline):
    text = ""
    for number, (time, said) in enumerate(cues):
        lines = [line for line in said.split("\n") if line.strip()]
        text += "\n".join([str(number), time, *lines]) + "\n\n"
    text = text.replace("\n", newline)
    document = DOCUMENTS["srt"].read(FileText(text, "x"), DocumentSettings())
    assert unchanged(document)
    made = written(document)
    again = DOCUMENTS["srt"].read(FileText(made, "x"), DocumentSettings())
    assert len(again.units) == len(document.units)
    for each in (r"\d+:.*", r"<[^<>]*>", r"\{[^{}]*\}", "12", "♪", "HAUS"):
        assert re.findall(each, made) == re.findall(each, text.replace("Haus", "HAUS"))
