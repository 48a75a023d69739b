"""`rosewood decode`: what is told beside translations, and names of files that look like more."""

from __future__ import annotations

import json
import shutil
import xml.etree.ElementTree as ET

import pytest
from tests.decoders import PAIRS, WEIGHTS, write_models
from tests.refusals import shows, warns
from tests.system.commands import command  # noqa: F401

from rosewood.decode import PhraseDecoder, forest_mbr
from rosewood.lm import Model
from rosewood.model import write_weights
from rosewood.rules import RuleTable

DECODE = ["decode", "--rules", "rules", "--lm", "lm.rlm", "--weights", "w.json"]
HEBREW = "שלום"


@pytest.fixture
def place(tmp_path, monkeypatch):
    known = [pair for pair in PAIRS if pair[0] != "hallo"]
    agreeing = [("wort", target) for target in ("p q", "r s t", "r s u", "r s v", "r s w")]
    write_models(tmp_path, [*known, ("hallo", "hello {0}"), ("frieden", HEBREW), *agreeing])
    write_weights(WEIGHTS, tmp_path / "w.json")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_placeholders_that_rules_add_are_told(command, place):  # noqa: F811
    for code in ("de", "en"):
        save = ["--language", code, "--lowercase", "--save", f"{code}.json", "-q"]
        assert command("text", "tokenise", *save, text="x\n").code == 0
    raw = [*DECODE, "--text-source", "de.json", "--text-target", "en.json"]
    done = command(*raw, text="Das Haus.\nHallo!\n")
    assert (done.code, "{0}" in done.out) == (0, True)
    warns(done.err, "placeholders", 1, "(lines 2)")
    assert "(lines 2)" not in command(*raw, text="Das Haus.\n{0}!\n").err


def test_placeholders_are_told_of_in_json_and_without_processors(command, place):  # noqa: F811
    done = command(*DECODE, "-q", text="das haus\nhallo\n{0} hallo\n%d haus\n")
    warns(done.err, "placeholders", 2, "(lines 2 3)", is_only_line=True)
    texts = "hallo\n{0} hallo\n%d 50 % &amp; haus\n"
    rows = [
        json.loads(line)
        for line in command(*DECODE, "--json", "-q", text=texts).out.split("\n")
        if line
    ]
    found = [row["placeholders"] for row in rows]
    assert found == [
        {"lost": [], "added": ["{0}"]},
        {"lost": [], "added": ["{0}"]},
        {"lost": [], "added": []},
    ]
    dropped = command(*DECODE, "--json", "-q", "--unknown", "drop", text="%d das haus\n")
    assert json.loads(dropped.out)["placeholders"] == {"lost": ["%d"], "added": []}
    warns(dropped.err, "placeholders", "lack", 1, "(lines 1)")


def test_what_consensus_chose_is_what_is_explained(command, place):  # noqa: F811
    decoder = PhraseDecoder(RuleTable.open("rules"), Model.open("lm.rlm"), weights=WEIGHTS)
    text = "das wort"
    found = decoder.search(text)
    chosen = forest_mbr(found.forest, found.forest.score(decoder.theta()), scale=0.05)
    assert chosen.text != found.best.text  # or this says nothing
    typed = ["--consensus", "forest-mbr", "--set", "scale=0.05"]
    typed += ["--explain", "--picture", "p.svg"]
    row = json.loads(command(*DECODE, "--json", "-q", *typed, text=text + "\n").out)
    assert row["translation"] == chosen.text
    assert row["explanation"]["target"] == " ".join(row["words"]) == chosen.text
    assert row["explanation"]["score"] == pytest.approx(row["score"])
    drawn = [each.text for each in ET.parse(place / "p.svg").iter() if each.tag.endswith("text")]
    assert drawn[: len(row["words"]) + 2] == [*text.split(), *row["words"]]


def test_a_file_whose_name_looks_like_two(command, place):  # noqa: F811
    """--lm a=b.rlm is the model b.rlm called a, unless there is a file of just that name."""
    want = command(*DECODE, "-q", "--json", text="das haus\n")
    shutil.copy("lm.rlm", "a=b.rlm")
    typed = [*DECODE[:4], "a=b.rlm", *DECODE[5:], "-q", "--json"]
    assert command(*typed, text="das haus\n") == want
    (place / "a=b.rlm").rename(place / "b.rlm")
    named = command(*typed, text="das haus\n")
    shows(named, "weights.unknown", "'lm'")  # the weights have no 'a', but an 'lm'


def test_words_from_the_right_are_drawn_so(command, place):  # noqa: F811
    done = command(*DECODE, "-q", "--picture", "p.svg", text="das frieden عالم\n")
    assert (done.code, HEBREW in done.out) == (0, True)
    turned = {
        each.text: each.get("direction")
        for each in ET.parse(place / "p.svg").iter()
        if each.tag.endswith("text")
    }
    assert (turned[HEBREW], turned["عالم"]) == ("rtl", "rtl")
    assert (turned["das"], turned["frieden"]) == (None, None)
