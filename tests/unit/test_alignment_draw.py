"""Pictures of alignments: everything is there, any text is safe, rows stay in line."""

from __future__ import annotations

import unicodedata
import xml.etree.ElementTree as ET

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.refusals import refuses

from rosewood.align import Alignment, GoldAlignment
from rosewood.align.draw import to_html, to_svg, to_text
from rosewood.errors import AlignmentError

SVG = "{http://www.w3.org/2000/svg}"
HOUSE = Alignment.parse("0-0 1-2").with_words("das haus", "the big house")
GOLD = GoldAlignment(frozenset({(0, 0), (1, 1)}), frozenset({(0, 0), (1, 1), (0, 1)}))


def tooltips(picture: str) -> list[str]:
    return [t.text or "" for t in ET.fromstring(picture).iter(f"{SVG}title")]


def test_words_and_links_are_there():
    root = ET.fromstring(to_svg(HOUSE))
    texts = ["".join(t.itertext()) for t in root.iter(f"{SVG}text")]
    assert texts == ["das", "haus", "the", "big", "house"]
    assert tooltips(HOUSE.svg()) == ["das – the (0-0)", "haus – house (1-2)"]
    assert "<script" not in to_svg(HOUSE)
    numbered = ET.fromstring(to_svg(Alignment.parse("0-1")))
    assert ["".join(t.itertext()) for t in numbered.iter(f"{SVG}text")] == ["0", "0", "1"]


def test_gold_and_posteriors():
    told = tooltips(HOUSE.svg(gold=GOLD, posterior=[[0.9, 0.1, 0.0], [0.001, 0.2, 0.75]]))
    assert told == [
        "das – the (0-0)\nsure\nposterior 0.900",
        "das – big (0-1)\npossible, not linked\nposterior 0.100",
        "haus – big (1-1)\nsure, not linked\nposterior 0.200",
        "haus – house (1-2)\nnot in the gold\nposterior 0.750",
    ]
    page = to_html(HOUSE, gold=GOLD)
    assert "2 source words · 3 target words · 2 links · 1 wrong, 1 missed" in page
    for word in ("right", "wrong", "sure, missed", "possible"):
        assert f">{word}</text>" in page
    assert "posterior" not in page
    with refuses(AlignmentError, "argument.shape", argument="target", value=4, expected=3):
        to_svg(HOUSE, posterior=np.zeros((2, 4)))
    with refuses(AlignmentError, "argument.shape", argument="source", value=5, expected=2):
        to_svg(HOUSE, gold=GoldAlignment(frozenset({(4, 0)}), frozenset()))
    for bad, fault in (([0.5], "shape"), ([[float("nan")]], "value")):
        with refuses(AlignmentError, f"argument.{fault}", argument="posterior"):
            to_svg(HOUSE, posterior=bad)


@given(st.lists(st.text(min_size=1), max_size=4), st.lists(st.text(min_size=1), max_size=4))
def test_any_text_is_safe(source, target):
    a = Alignment(frozenset(zip(range(len(source)), range(len(target)), strict=False)),
                  tuple(source), tuple(target))  # fmt: skip
    root = ET.fromstring(a.svg())
    assert len(list(root.iter(f"{SVG}text"))) == len(source) + len(target)
    assert a._repr_html_().count("<svg") == 1
    assert a.text().count("\n") < 400 or max(map(len, source)) > 300


def test_empty_pictures():
    for a in (Alignment(frozenset()), Alignment(frozenset(), (), ("a",))):
        ET.fromstring(a.svg())
        assert "0 links" in a.html()
    assert Alignment(frozenset()).text() == ""


def test_writing_from_the_right():
    a = Alignment.parse("0-0").with_words(["שלום!"], ["مرحبا"])
    ways = [t.get("direction") for t in ET.fromstring(a.svg()).iter(f"{SVG}text")]
    assert ways == ["rtl", "rtl"]
    assert "\u200eمرحبا\u200e ██" in a.text()


def test_long_sentences_fit():
    words = [f"word{n}" for n in range(60)]
    a = Alignment(frozenset((n, n) for n in range(60)), tuple(words), tuple(words))
    root = ET.fromstring(a.svg())
    assert float(root.get("width", "0")) < 1100
    assert float(root.get("font-size", "0")) >= 10
    very = Alignment(frozenset({(499, 499)}))
    assert float(ET.fromstring(very.svg()).get("height", "0")) > 499 * 15


def test_text_by_hand():
    assert to_text(HOUSE).split("\n") == [
        "        h",
        "      d a",
        "      a u",
        "      s s",
        "  the ██·",
        "  big · ·",
        "house · ██",
    ]
    assert to_text(HOUSE, gold=GOLD).split("\n")[4:] == [
        "  the ██·",
        "  big · []",
        "house · ><",
        "██ sure  ▓▓ possible  >< wrong  [] missed",
    ]
    possible = GoldAlignment(frozenset(), frozenset({(0, 0)}))
    assert "the ▓▓·" in to_text(HOUSE, gold=possible)


def test_wide_letters_and_marks_stay_in_line():
    a = Alignment.parse("0-0 1-1").with_words(["語", "e\u0301a"], ["世界", "👍🏽"])
    top, rows = a.text().split("\n")[:2], a.text().split("\n")[2:]
    assert top == ["       e\u0301", "     語a"]
    assert [len(row) - len(row.lstrip()) for row in rows] == [0, 2]
    for row in rows:
        label = row[: row.index(" ", 2)].strip()
        wide = sum(2 for c in label if unicodedata.east_asian_width(c) == "W" and c != "🏽")
        assert wide in (2, 4)
