"""Corpora of every format: what is read, what is left out, and how it is counted."""

from __future__ import annotations

import gzip
import io
import lzma
import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from tests.refusals import refuses

from rosewood.corpus import Corpus, Origin, SentencePair, read_pairs
from rosewood.corpus.languages import closest, is_backward
from rosewood.errors import CorpusError, DamagedFileError, FormatError

GOLDEN = Path(__file__).parents[1] / "golden" / "corpora"
BOLD = '<bpt i="1" code="&lt;b&gt;"/>{}<ept i="1" code="&lt;/b&gt;"/>'


def texts(corpus):
    return [(pair.source, pair.target) for pair in corpus]


def golden(name, source=None, target=None, **options):
    return Corpus.read(GOLDEN / name, source_language=source, target_language=target, **options)


def test_two_text_files(tmp_path):
    (tmp_path / "a.de").write_bytes("Haus\nja\u2028ja \n ß".encode())
    (tmp_path / "a.en").write_bytes(b"house\r\nyes yes\nss\n")
    corpus = Corpus.read((tmp_path / "a.de", tmp_path / "a.en"))
    want = [("Haus", "house"), ("ja\u2028ja ", "yes yes"), (" ß", "ss")]
    assert texts(corpus) == want
    assert texts(corpus) == want  # again
    assert texts(Corpus.read(str(tmp_path / "a.de"), str(tmp_path / "a.en"))) == want
    last = [*corpus][-1]
    assert last.origin == Origin(str(tmp_path / "a.de"), 3)
    assert str(last.origin) == f"{tmp_path / 'a.de'}:3"
    assert corpus.files == [str(tmp_path / "a.de"), str(tmp_path / "a.en")]


def test_several_sources_and_compressed_ones(tmp_path):
    (tmp_path / "a.de.gz").write_bytes(gzip.compress(b"eins\n"))
    (tmp_path / "a.en.xz").write_bytes(lzma.compress(b"one\n"))
    corpus = Corpus.read(
        tmp_path / "a.de.gz",
        tmp_path / "a.en.xz",
        GOLDEN / "table.tsv",
        source_language="de",
        target_language="en",
    )
    assert texts(corpus) == [("eins", "one"), ("Haus", "house"), ('ja "so"', 'yes "so"')]
    (tmp_path / "a.de.gz").write_bytes(gzip.compress(b"eins\n" * 10000)[:40])
    with refuses(DamagedFileError, "file.damaged") as refused:
        texts(corpus)
    assert refused.value.file.endswith("a.de.gz")
    assert refused.value.line is not None


def test_standard_input_can_be_walked_again(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("ä\tb\n".encode())))
    corpus = Corpus.read("-", format="tsv")
    assert texts(corpus) == texts(corpus) == [("ä", "b")]
    assert next(iter(corpus)).origin == Origin("<stdin>", 1)
    with refuses(CorpusError, "argument.missing", argument="format"):
        Corpus.read("-")
    with refuses(CorpusError, "argument.duplicate", value="-"):
        Corpus.read(("-", "-"))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_can_be_walked_again(tmp_path):
    path = tmp_path / "a.tsv"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_text, args=("a\tb\n",), daemon=True)
    writer.start()
    corpus = Corpus.read(path)
    assert texts(corpus) == texts(corpus) == [("a", "b")]
    writer.join()


def test_tables(tmp_path):
    corpus = golden("table.tsv", "de", "en")
    assert [*corpus] == [
        SentencePair("Haus", "house", {"domain": "homes"}),
        SentencePair('ja "so"', 'yes "so"'),
    ]
    assert texts(golden("table.tsv", "en", "de-DE"))[0] == ("house", "Haus")
    with refuses(FormatError, "line.fields", value=3, expected=2, line=1):
        texts(golden("table.tsv"))
    path = tmp_path / "t.tsv"
    path.write_text("TARGET\tSource\nhouse\tHaus\n")
    assert texts(Corpus.read(path)) == [("Haus", "house")]
    for head, code, fields in (
        ("source\ttarget\ta\ta", "line.duplicate", {"argument": "column", "value": "a"}),
        ("source\ttarget\t", "line.value", {"argument": "column"}),
        ("\ufeffsource\ttarget", "corpus.byte-order-mark", {}),
    ):
        path.write_text(f"{head}\nx\ty\n", encoding="utf-8")
        with refuses(FormatError, code, file=str(path), line=1, **fields):
            texts(Corpus.read(path))


def test_json_lines(tmp_path):
    corpus = golden("lines.jsonl")
    assert [*corpus] == [
        SentencePair("Haus", "house", {"domain": "homes", "quality": "0.5"}),
        SentencePair("zwei Zeilen", "two lines"),
    ]
    assert corpus.tally.joined == 1
    path = tmp_path / "a.jsonl"
    path.write_text('{"translation": {"de": "ja", "en": "yes"}, "id": 3}\n{"de": "x", "en": "y"}\n')
    found = Corpus.read(path, source_language="en", target_language="de")
    assert [*found] == [SentencePair("yes", "ja", {"id": "3"}), SentencePair("y", "x")]


@pytest.mark.parametrize(
    ("line", "code", "argument"),
    [
        ("", "line.empty", None),
        ("[1]", "line.value", None),
        ("{", "line.format", None),
        ('{"source": "a"} 1', "line.fields", None),
        ('{"source": "a"}', "line.fields", "target"),
        ('{"source": "a", "target": 1}', "line.value", "target"),
        ('{"source": "a", "target": "b", "x": NaN}', "line.number", None),
        ('{"source": "a", "source": "b"}', "line.duplicate", "key"),
        ('{"source": "a", "target": "\\ud800"}', "file.encoding", "target"),
        ('{"source": "a\\u0000", "target": "b"}', "corpus.control-character", "source"),
        ('{"source": "a", "target": "b", "x": "\\u0007"}', "corpus.control-character", "tag 'x'"),
        ('{"source": "a", "target": "b", "x": [1e999]}', "line.number", "x"),
        ('{"source": "a", "target": "b", "": "x"}', "corpus.tag", "tag"),
        ('{"source": "a", "target": "b", "x\\ty": "1", "x y": "2"}', "line.duplicate", "tag"),
        ('\ufeff{"source": "a", "target": "b"}', "corpus.byte-order-mark", None),
    ],
)
def test_bad_json_lines(tmp_path, line, code, argument):
    path = tmp_path / "a.jsonl"
    path.write_text(f'{{"source": "a", "target": "b"}}\n{line}\n', encoding="utf-8")
    with refuses(FormatError, code, argument=argument, file=str(path), line=2):
        texts(Corpus.read(path))
    assert len(texts(Corpus.read(path, on_bad_line="skip"))) == 1


def test_translation_memories():
    corpus = golden("memory.tmx", "en", "de")
    first, second, third = corpus
    assert first == SentencePair("Open & close", "Öffnen & schließen", {"domain": "menus"})
    assert first.origin == Origin(str(GOLDEN / "memory.tmx"), 7, "open")
    assert second.source == f'Click {BOLD.format("here")} if 1 < 2<ph x="2"/>'
    assert second.target == f'Klicken Sie {BOLD.format("hier")}, wenn 1 < 2<ph x="2"/>'
    assert texts([third]) == [("A sentence over two lines", "Ein Satz über zwei Zeilen")]
    assert third.origin.unit == "3"
    assert corpus.left_out == {"another variant": 1, "no de, only en-US": 1}
    assert corpus.tally.joined == 1
    assert texts(golden("memory.tmx")) == texts(corpus)  # its own languages, from the first unit
    assert texts(golden("memory.tmx", "de", "fr")) == [
        (second.target, 'Cliquez <hi type="bold">ici</hi>')
    ]
    assert texts(golden("memory.tmx", "en", "de-AT"))[0][1] == "Ein Satz über zwei Zeilen, gell"
    with refuses(FormatError, "file.empty") as refused:
        texts(golden("memory.tmx", "en", "ja"))
    assert re.search(r"\b4\b", str(refused.value))


def test_a_memory_of_many_languages_wants_to_know_which(tmp_path):
    path = tmp_path / "a.tmx"
    variants = "".join(
        f'<tuv xml:lang="{each}"><seg>{each}</seg></tuv>' for each in ("fr", "en", "de")
    )
    path.write_text(f'<tmx><header srclang="*all*"/><body><tu>{variants}</tu></body></tmx>')
    with refuses(FormatError, "corpus.languages", value=["fr", "en", "de"], file=str(path), line=1):
        texts(Corpus.read(path))
    assert texts(Corpus.read(path, target_language="fr", source_language="de")) == [("de", "fr")]
    with refuses(FormatError, "corpus.languages", value=["de", "fr", "en"]):
        texts(Corpus.read(path, source_language="de"))


def test_catalogues():
    corpus = golden("catalogue.po")
    assert [*corpus] == [
        SentencePair('Open the "file"', "Die „Datei“ öffnen"),
        SentencePair("Open", "Öffnen", {"context": "menu"}),
        SentencePair("%d file", "%d Datei", {"flags": "c-format", "plural": "0"}),
        SentencePair("%d files", "%d Dateien", {"flags": "c-format", "plural": "1"}),
        SentencePair("First line second line", "Erste Zeile zweite Zeile"),
    ]
    assert [pair.origin.line for pair in corpus] == [11, 15, 19, 19, 25]
    assert corpus.left_out == {"fuzzy": 1, "untranslated": 1, "obsolete": 1}
    turned = golden("catalogue.po", "de", "en")
    assert texts(turned) == [(target, source) for source, target in texts(corpus)]
    assert texts(golden("catalogue.po", "en", "de")) == texts(corpus)
    with refuses(FormatError, "file.empty") as refused:
        texts(golden("catalogue.po", "fr", "ja"))
    assert "language de 5" in str(refused.value)


def test_bad_entries_of_catalogues(tmp_path):
    path = tmp_path / "a.po"
    whole = (GOLDEN / "catalogue.po").read_bytes()
    path.write_bytes(whole.replace('Öffnen"'.encode(), b'\xd6ffnen"', 1))
    with refuses(FormatError, "file.encoding", file=str(path), line=17):
        texts(Corpus.read(path))
    corpus = Corpus.read(path, on_bad_line="skip")
    assert [pair.origin.line for pair in corpus] == [11, 19, 19, 25]
    assert corpus.skipped == {"not UTF-8": 1}
    path.write_bytes(whole.replace(b"First line", b"First\rline"))
    assert len(texts(corpus)) == 4
    assert corpus.skipped == {"carriage return": 1}
    path.write_bytes(b"\xef\xbb\xbf" + whole)
    with refuses(FormatError, "corpus.byte-order-mark", file=str(path), line=1):
        texts(Corpus.read(path))
    last = whole.count(b"\n") + 2
    for line in (b"nonsense", b'msgid "no end', b'msgid no"', b'msgstr "a"b"', b'msgid "a" b'):
        path.write_bytes(whole + b"\n" + line + b'\nmsgstr "x"\n')
        with refuses(FormatError, "line.format", file=str(path), line=last):
            texts(Corpus.read(path))
        assert len(texts(corpus)) == 5
        assert corpus.skipped == {"not a PO line": 1}
    path.write_bytes(whole + b'\nmsgid "a"\nmsgid "b"\nmsgstr "x"\n')
    with refuses(FormatError, "file.format", file=str(path), line=last + 1):
        texts(Corpus.read(path))
    path.write_bytes(whole + b"\n" + whole)  # one behind the other
    assert len(texts(Corpus.read(path))) == 10
    path.write_bytes('msgid "a\u2028b"\nmsgstr "c\u2028d"\n'.encode())
    assert texts(Corpus.read(path)) == [("a\u2028b", "c\u2028d")]


def test_a_language_with_one_plural_form(tmp_path):
    path = tmp_path / "ja.po"
    path.write_text('msgid "a"\nmsgid_plural "many"\nmsgstr[0] "x"\n')
    assert texts(Corpus.read(path)) == [("many", "x")]


def test_xliff_1():
    corpus = golden("job.xlf")
    assert [*corpus] == [
        SentencePair(
            'Hello <g id="1">world</g><x id="2"/>',
            'Hallo <g id="1">Welt</g><x id="2"/>',
            {"state": "final", "approved": "yes"},
        ),
        SentencePair("One.", "Eins."),
        SentencePair("Two.", "Zwei."),
    ]
    assert [pair.origin.unit for pair in corpus] == ["1", "2/a", "2/b"]
    assert [pair.origin.line for pair in corpus] == [5, 11, 11]
    assert corpus.left_out == {"untranslated": 1, "not to be translated": 1}
    turned = golden("job.xlf", "de", "en")
    assert texts(turned) == [(target, source) for source, target in texts(corpus)]
    with refuses(FormatError, "file.empty") as refused:
        texts(golden("job.xlf", "fr", "de"))
    assert "languages en-US to de-DE 4" in str(refused.value)


def test_what_a_group_says_of_translation_holds_for_its_units(tmp_path):
    path = tmp_path / "a.xlf"
    unit = '<trans-unit id="1"{}><source>a</source><target>b</target></trans-unit>'
    inside = unit.format("") + unit.format(' translate="yes"')
    path.write_text(
        f'<xliff version="1.2"><file source-language="en" target-language="de"><body>'
        f'{unit.format("")}<group translate="no"><group>{inside}</group></group>'
        "</body></file></xliff>"
    )
    corpus = Corpus.read(path)
    assert len(texts(corpus)) == 2
    assert corpus.left_out == {"not to be translated": 1}


def test_sentences_that_are_marked_on_one_side_only(tmp_path):
    path = tmp_path / "a.xliff"
    path.write_text(
        '<xliff version="1.2"><file><body><trans-unit id="1"><source>A. B.</source>'
        '<seg-source><mrk mtype="seg" mid="0">A.</mrk> <mrk mtype="seg" mid="1">B.</mrk>'
        '</seg-source><target><mrk mtype="seg" mid="0">C.</mrk> D.</target></trans-unit>'
        "</body></file></xliff>"
    )
    assert texts(Corpus.read(path)) == [("A. B.", "C. D.")]


def test_xliff_2():
    corpus = golden("job2.xlf")
    assert [*corpus] == [
        SentencePair(
            'Hello <pc id="1">world</pc><ph id="2" dataRef="d1"/>',
            'Hallo <pc id="1">Welt</pc><ph id="2" dataRef="d1"/>',
            {"state": "final"},
        ),
        SentencePair("Yes", "Ja"),
    ]
    assert [pair.origin.unit for pair in corpus] == ["u1/s1", "u2"]
    assert corpus.left_out == {"untranslated": 1}


def test_read_pairs():
    pairs = read_pairs(GOLDEN / "job.xlf", source_language="de", target_language="en")
    assert next(pairs).target.startswith("Hello")


def test_languages_by_their_tags():
    assert closest("en", ["de", "en-US", "EN"]) == "EN"
    assert closest("en", ["de", "en_GB", "en-US"]) == "en_GB"
    assert closest("pt-BR", ["pt-PT", "pt"]) == "pt"
    assert closest("en", ["eng", "de-EN"]) is None
    assert is_backward(("en", "de"), "en-US", None) is False
    assert is_backward(("en", "de"), "de", None) is True
    assert is_backward(("en", "de"), "fr", None) is None


@pytest.mark.parametrize(
    ("sources", "options", "code", "argument", "value"),
    [
        ([], {}, "argument.missing", "sources", None),
        (["a.txt"], {}, "corpus.one-side", "source", "a.txt"),
        (["a.txt", "b.tsv"], {}, "corpus.one-side", "source", "a.txt"),
        (["a.tsv"], {"format": "doc"}, "argument.choice", "format", "doc"),
        ([("a", "b")], {"format": "tsv"}, "argument.conflict", "format", "tsv"),
        ([3], {}, "argument.type", "source", 3),
        ([""], {}, "argument.value", "source", ""),
        (["a.tsv"], {"on_bad_line": "hide"}, "argument.choice", "on_bad_line", "hide"),
        (["a.tsv"], {"source_language": "12"}, "argument.value", "source_language", "12"),
        (["a.tsv"], {"checks": 3}, "argument.type", "checks", 3),
    ],
)
def test_what_is_asked_must_make_sense(sources, options, code, argument, value):
    with refuses(CorpusError, code, argument=argument, value=value):
        Corpus.read(*sources, **options)


@pytest.mark.parametrize(("name", "package"), [("memory.tmx", "lxml"), ("catalogue.po", "polib")])
def test_a_missing_package_is_told(monkeypatch, name, package):
    monkeypatch.setitem(sys.modules, package, None)
    with refuses(CorpusError, "package.missing", value="formats") as refused:
        texts(golden(name))
    assert "pip install 'rosewood[formats]'" in str(refused.value)


def test_formats_are_listed_without_their_parsers():
    code = (
        "import sys; from rosewood.corpus.formats import CORPUS_FORMATS; "
        "print(*CORPUS_FORMATS.own_names()); CORPUS_FORMATS.helps(); "
        "print(*[name for name in sys.modules if name.startswith('rosewood.corpus.formats.')])"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    names, imported = told.stdout.splitlines()
    assert set(names.split()) >= {"jsonl", "po", "text", "tmx", "tsv", "xliff"}
    assert imported == ""
