"""Machine translations in files of translators: left out of corpora and memories, and counted."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.refusals import refuses

from rosewood.corpus import Corpus
from rosewood.decode.memory_lookup import read_memory
from rosewood.errors import FormatError

GOLDEN = Path(__file__).parents[1] / "golden" / "documents"
MARK = '<prop type="x-mt">machine translation</prop>'
XLIFF1 = '<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">'
XLIFF2 = '<xliff version="2.0" xmlns="urn:oasis:names:tc:xliff:document:2.0"'


def variant(language, text, prop=""):
    return f'<tuv xml:lang="{language}">{prop}<seg>{text}</seg></tuv>'


def read(path, text):
    path.write_text(text, encoding="utf-8")
    corpus = Corpus.read(path)
    return [(pair.source, pair.target) for pair in corpus], corpus.left_out


@pytest.mark.parametrize(
    ("file", "count"),
    [("memory.translated.tmx", 1), ("second.translated.xlf", 2), ("shop.translated.xlf", 4)],
)
def test_what_rosewood_has_translated_is_not_read_back(file, count):
    corpus = Corpus.read(GOLDEN / file, source_language="de", target_language="en")
    pairs = [pair.target for pair in corpus]
    assert pairs
    assert not any("EIN" in text or "ER IST" in text or "ZWEI" in text for text in pairs)
    assert corpus.left_out["machine translation"] == count
    memory = read_memory([GOLDEN / file], None, ("de", "en"))
    assert len(memory) == len(pairs)


def test_variants_and_units_of_a_memory(tmp_path):
    no = '<prop type="x-mt">no</prop>'
    units = [
        variant("de", "a") + variant("en", "A", MARK),
        MARK + variant("de", "b") + variant("en", "B"),
        variant("de", "c") + variant("en", "C1", MARK) + variant("en", "C2"),
        no + variant("de", "d") + variant("en", "D", no),
    ]
    body = "".join(f"<tu>{each}</tu>\n" for each in units)
    text = f'<tmx version="1.4"><header srclang="de"/><body>{body}</body></tmx>'
    pairs, left_out = read(tmp_path / "a.tmx", text)
    assert pairs == [("c", "C2"), ("d", "D")]
    assert left_out == {"machine translation": 2}
    only = f'<tmx version="1.4"><header srclang="de"/><body><tu>{units[0]}</tu></body></tmx>'
    (tmp_path / "b.tmx").write_text(only, encoding="utf-8")
    with refuses(FormatError, "file.empty"):
        read_memory([tmp_path / "b.tmx"], None)


@pytest.mark.parametrize(
    ("unit", "target", "reason"),
    [
        ("", "", None),
        ("", 'state="translated"', None),
        ("", 'state-qualifier="mt-suggestion"', "machine translation"),
        ("", 'state="translated" state-qualifier="leveraged-mt"', "machine translation"),
        ("", 'state="final" state-qualifier="mt-suggestion"', None),
        ('approved="yes"', 'state-qualifier="mt-suggestion"', None),
        ('approved="no"', 'state-qualifier="mt-suggestion"', "machine translation"),
        ("", 'state="new"', "state new"),
        ("", 'state="needs-review-translation"', "state needs-review-translation"),
    ],
)
def test_states_of_xliff_1(tmp_path, unit, target, reason):
    text = (
        f'{XLIFF1}<file source-language="de" target-language="en"><body>'
        f'<trans-unit id="1" {unit}><source>a</source><target {target}>A</target></trans-unit>'
        '<trans-unit id="2"><source>b</source><target state="final">B</target></trans-unit>'
        "</body></file></xliff>"
    )
    pairs, left_out = read(tmp_path / "a.xlf", text)
    assert pairs == [("a", "A")] * (reason is None) + [("b", "B")]
    assert left_out == ({} if reason is None else {reason: 1})


@pytest.mark.parametrize(
    ("segment", "reason"),
    [
        ("", None),
        ('state="translated" subState="rosewood:mt"', "machine translation"),
        ('state="final" subState="rosewood:mt"', None),
        ('state="initial"', "state initial"),
    ],
)
def test_states_of_xliff_2(tmp_path, segment, reason):
    text = (
        f'{XLIFF2} srcLang="de" trgLang="en"><file id="f"><unit id="1">'
        f"<segment {segment}><source>a</source><target>A</target></segment>"
        '<segment state="final"><source>b</source><target>B</target></segment>'
        "</unit></file></xliff>"
    )
    pairs, left_out = read(tmp_path / "a.xlf", text)
    assert pairs == [("a", "A")] * (reason is None) + [("b", "B")]
    assert left_out == ({} if reason is None else {reason: 1})
