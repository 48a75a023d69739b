"""`rosewood translate`, `inspect` and `model`: what people type, and what they get."""

from __future__ import annotations

import json
import subprocess
import sys
from xml.etree import ElementTree as ET

import pytest
from tests.bundles import small_bundle
from tests.decoders import WEIGHTS
from tests.refusals import shows, warns
from tests.system.commands import command  # noqa: F401

from rosewood.align import read_pharaoh
from rosewood.decode import RuleIds, TargetWords
from rosewood.forest import ForestSet, Weights
from rosewood.model.confidence import Confidence
from rosewood.pipeline import Translator

TEXT = "Das Haus ist klein.\n\nZyx, wir gehen nach Hause.\n"
SAID = ["The house is small.", "", "Zyx, we go home."]


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    folder = tmp_path_factory.mktemp("translate")
    small_bundle(folder / "model", raw=True)
    small_bundle(folder / "words", corpus=False, how=Confidence(2.0))
    return folder


@pytest.fixture
def place(tmp_path, models, monkeypatch):
    for name in ("model", "words"):
        (tmp_path / name).symlink_to(models / name)
    (tmp_path / "in").write_text(TEXT)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def translator(models):
    return Translator.load(models / "model")


def rows(done):
    assert done.code == 0, done.err
    return [json.loads(line) for line in done.out.splitlines()]


# -- translate -------------------------------------------------------------------------------------


def test_lines_in_and_out(command, place, translator):  # noqa: F811
    done = command("translate", "model", text=TEXT)
    assert (done.code, done.out.splitlines()) == (0, SAID)
    assert translator.translate(TEXT.splitlines()) == SAID
    told = done.err.splitlines()
    assert told[0].startswith("rosewood: 3 sentences, ")
    assert told[1] == "rosewood: 1 word that no rule translates, copied"
    quiet = command("translate", "model", "in", "-o", "out", "-q", "--threads", 2)
    assert (quiet.code, quiet.out, quiet.err) == (0, "", "")
    assert (place / "out").read_text().splitlines() == SAID
    words = command("translate", "words", "-q", text="das haus ist klein .\n")
    assert words.out == "the house is small .\n"


def test_json_rows_are_replies(command, place, translator):  # noqa: F811
    found = rows(command("translate", "model", "in", "--json", "-q"))
    want = list(translator.replies(TEXT.splitlines(), nbest=5))
    assert found == [
        {"id": str(number), **json.loads(json.dumps(each.to_dict()))}
        for number, each in enumerate(want)
    ]
    assert 0 < found[0]["confidence"] <= 1
    few = rows(command("translate", "model", "in", "--json", "--nbest", 2, "--explain", "-q"))
    assert [len(row["alternatives"]) for row in few] == [2, 1, 2]
    assert few[0]["explanation"]["score"] == pytest.approx(few[0]["score"])
    assert "hyps" not in few[0]


def test_whatever_decode_writes(command, place, translator):  # noqa: F811
    typed = ["--alignment", "links", "--forests", "f.rwf", "--picture", "p.html", "-q"]
    done = command("translate", "model", "in", "--nbest", 2, "--distinct", *typed)
    assert done.code == 0
    lines = [line.split(" ||| ") for line in done.out.splitlines()]
    assert [line[0] for line in lines] == ["0", "0", "1", "2", "2"]
    assert [line[1] for line in lines[::2]][:1] == SAID[:1]
    want = [each.alignment for each in translator.replies(TEXT.splitlines())]
    assert [tuple(sorted(each)) for each in read_pharaoh("links")] == want
    assert len(ForestSet("f.rwf")) == 3
    assert (place / "p.html").read_text().count("<svg") == 3


def test_consensus_glossary_and_spans(command, place):  # noqa: F811
    agreed = rows(
        command("translate", "model", "in", "--consensus", "mbr", "--set", "k=10", "--json", "-q")
    )
    assert agreed[0]["consensus"]["name"] == "mbr"
    assert agreed[0]["confidence"] > 0
    (place / "terms").write_text("Haus\tMansion\n")
    done = command("translate", "model", "in", "--glossary", "terms", "-q")
    assert done.out.splitlines()[0] == "The Mansion is small."
    span = 'Das <x translation="cottage">Haus</x> ist klein.'
    done = command("translate", "model", "--inline", "-q", text=f"{span}\n")
    assert done.out == "The cottage is small.\n"


def test_limits_differ_from_the_models(command, place):  # noqa: F811
    full = rows(command("translate", "model", "in", "--json", "-q"))
    less = rows(command("translate", "model", "in", "--json", "-q", "--pop-limit", 1))
    assert less[2]["report"]["pops"] < full[2]["report"]["pops"]
    (place / "c.toml").write_text("pop-limit = 1\njson = true\nquiet = true\n")
    assert rows(command("translate", "model", "in", "--config", "c.toml")) == less


def test_references_that_are_reached_or_not(command, place):  # noqa: F811
    (place / "ref").write_text("The house is small.\n\nNothing of this.\n")
    done = command("translate", "model", "in", "--reference", "ref", "--json", "-q")
    first, _, last = rows(done)
    assert first["posterior"] == pytest.approx(1.0)
    assert (last["translation"], last["confidence"], last["alternatives"]) == (None, 0.0, [])


def test_bad_lines(command, place):  # noqa: F811
    (place / "bad").write_bytes(b"Hallo!\n\xff\nHallo!\n")
    done = command("translate", "model", "bad", "-q")
    shows(done, "file.encoding", "bad:2: ")
    done = command("translate", "model", "bad", "-q", "--on-bad-line", "blank", "--json")
    assert [row.get("translation") for row in rows(done)] == ["Hello!", None, "Hello!"]
    assert "error" in rows(done)[1]
    done = command("translate", "model", "bad", "-q", "--on-bad-line", "skip", "--json")
    assert [(row["id"], row["translation"]) for row in rows(done)] == [
        ("0", "Hello!"), ("2", "Hello!"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("typed", "code", "shown"),
    [
        (["nowhere"], "file.missing", ["nowhere: "]),
        (["in"], "file.kind", ["in: "]),
        (["empty"], "file.kind", ["empty: ", "manifest.json"]),
        (["model", "in", "--distinct"], "argument.missing", ["--distinct", "--nbest"]),
        (["model", "in", "--pop-limit", "many"], "usage", ["--pop-limit", "many", "none"]),
        (["model", "in", "--pop-limit", "0"], "usage", ["--pop-limit", "0"]),
        (["model", "in", "-o", "model/lm.rlm"], "argument.conflict", ["model/lm.rlm: -o: "]),
        (["model", "in", "-o", "model/out"], "argument.conflict", ["model/out: -o: "]),
        (["model", "in", "--alignment", "link/rules/a"], "argument.conflict",
         ["link/rules/a: --alignment: "]),
        (["link", "in", "--forests", "model/f.rwf"], "argument.conflict",
         ["model/f.rwf: --forests: "]),
        (["model", "in", "--picture", "model/p.svg"], "argument.conflict",
         ["model/p.svg: --picture: "]),
        (["model", "in", "--set", "k=1"], "argument.missing", ["--set k", "--consensus"]),
        (["model", "in", "--compress-forests"], "argument.missing",
         ["--compress-forests", "--forests"]),
        (["model", "missing"], "file.missing", ["missing: "]),
    ],
)  # fmt: skip
def test_one_clear_line(command, place, typed, code, shown):  # noqa: F811
    (place / "empty").mkdir()
    (place / "link").symlink_to("model")
    done = command("translate", *typed)
    shows(done, code, *shown)
    assert done.out == ""


@pytest.mark.slow
def test_answers_come_line_by_line(place):
    program = [sys.executable, "-m", "rosewood", "translate", "model", "-q"]
    with subprocess.Popen(
        program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=place
    ) as process:
        for _ in range(2):
            process.stdin.write("Hallo!\n")
            process.stdin.flush()
            assert process.stdout.readline() == "Hello!\n"
        process.stdin.close()
        assert process.wait() == 0


def test_decode_can_be_as_sure(command, place, translator):  # noqa: F811
    decode = ["decode", "--rules", "words/rules", "--lm", "words/lm.rlm", "--weights", "w.json"]
    (place / "w.json").write_text(json.dumps(translator.weights))
    text = "das haus ist klein .\n"
    done = command(*decode, "--json", "--confidence", 2, "--pop-limit", 300, "-q", text=text)
    want = rows(command("translate", "words", "--json", "-q", text=text))
    assert rows(done) == want
    done = command(*decode, "--confidence", 2, text=text)
    shows(done, "argument.missing", "--confidence", "--json")
    done = command(*decode, "--json", "--confidence", -1, text=text)
    shows(done, "argument.range", "scale", "-1.0")


# -- inspect ---------------------------------------------------------------------------------------


def test_inspect(command, place, translator):  # noqa: F811
    done = command("inspect", "model", "Das Haus ist klein.")
    seen = translator.inspect("Das Haus ist klein.")
    assert (done.code, done.out, done.err) == (0, f"{seen.to_text()}\n", "")
    assert "train.de:7" in done.out
    done = command(
        "inspect", "model", "Das Haus.", "--json", "--html", "i.html", "--picture", "f.svg",
        "--options", 1, "--nbest", 2, "--pop-limit", 50,
    )  # fmt: skip
    assert len(rows(done)[0]["alternatives"]) == 2
    assert done.err.splitlines() == ["rosewood: wrote i.html", "rosewood: wrote f.svg"]
    assert (place / "i.html").read_text().startswith("<!DOCTYPE html>")
    ET.parse(place / "f.svg")
    without = command("inspect", "words", "das haus", "--options", 0)
    assert "The model keeps no corpus" in without.out


@pytest.mark.parametrize(
    ("typed", "code", "shown"),
    [
        (["nowhere", "a"], "file.missing", ["nowhere: "]),
        (["model", "a", "--html", "a.txt"], "argument.value", ["a.txt: --html: ", ".html"]),
        (["model", "a", "--picture", "a.html"], "argument.value", ["a.html: --picture: ", ".svg"]),
        (["model", "a", "--html", "no/a.html"], "file.missing", ["no/a.html: --html: ", "'no'"]),
        (["model", "a", "--html", "model/a.html"], "argument.conflict", ["model/a.html: --html: "]),
        (["model", "a", "--picture", "model/a.svg"], "argument.conflict",
         ["model/a.svg: --picture: "]),
        (["model", "a\x07b"], "corpus.control-character", ["TEXT: ", "U+0007"]),
    ],
)  # fmt: skip
def test_inspect_refuses(command, place, typed, code, shown):  # noqa: F811
    done = command("inspect", *typed)
    shows(done, code, *shown)
    assert done.out == ""


# -- model -----------------------------------------------------------------------------------------


def test_model_info(command, place, translator):  # noqa: F811
    done = command("model", "info", "model")
    assert done.code == 0
    for part in (
        "model: de to en, ", "pairs  2", "lm_order  3", "pop_limit         300", "phrase_ef  ",
        "dev BLEU  31.50  nrefs:1|tok:13a", "slope        0.5",
        "of a word that nothing speaks against 0.93, or 0.69 if no rule translates it",
        "  weights are untuned ones",
    ):  # fmt: skip
        assert part in done.out, part
    told = rows(command("model", "info", "model", "--json"))[0]
    assert told["weights"] == translator.weights
    assert told["bytes"] == sum(told["sizes"].values()) == translator.bundle.size
    assert told["parts"] == {
        name: entry["type"] for name, entry in translator.bundle.manifest["parts"].items()
    }
    assert (told["version"], told["sparse_weights"], told["notes"]) == (2, {}, [])
    assert told["scores"][0]["signature"] == "nrefs:1|tok:13a"


def test_model_info_counts_sparse_weights(command, tmp_path, monkeypatch):  # noqa: F811
    monkeypatch.chdir(tmp_path)
    sparse = {"rule:3": 1.0, "rule:5": 2.0, "word:house": 0.5, "word:7": 0.25}
    weights = Weights.of({**WEIGHTS, **sparse})
    small_bundle(tmp_path / "m", weights=weights, features=[RuleIds(), TargetWords()])
    told = rows(command("model", "info", "m", "--json"))[0]
    assert told["sparse_weights"] == {"rule": 2, "word": 2}
    done = command("model", "info", "m")
    assert "rule:…  2" in done.out
    assert "word:…  2" in done.out
    assert "word:house" not in done.out


def test_model_verify(command, tmp_path, monkeypatch):  # noqa: F811
    monkeypatch.chdir(tmp_path)
    small_bundle(tmp_path / "m")
    done = command("model", "verify", "m")
    assert (done.code, done.out.endswith(" all as they were written\n")) == (0, True)
    assert rows(command("model", "verify", "m", "--json"))[0]["ok"] is True
    (tmp_path / "m" / "extra").touch()
    done = command("model", "verify", "m")
    shows(done, "model.foreign-file", "m/extra: ")
    (tmp_path / "m" / "extra").unlink()
    model = tmp_path / "m" / "lm.rlm"
    data = bytearray(model.read_bytes())
    data[len(data) // 2] ^= 1
    model.write_bytes(data)
    done = command("model", "verify", "m")
    shows(done, "file.changed", "m/lm.rlm: ", "checksum")


# -- what went wrong -------------------------------------------------------------------------------


def test_glossary_entries_that_never_match_are_told_of(command, place):  # noqa: F811
    (place / "terms").write_text(
        "Haus\tMansion\nHäuser\tmansions\nnach Hause\thome\nBahnhof\tdepot\n"
    )
    done = command("translate", "model", "in", "--glossary", "terms", "-q")
    warns(done.err, "glossary", "2 of 4", "häuser", "bahnhof", is_only_line=True)
    done = command("translate", "model", "--glossary", "terms", "-q", text="Bahnhof häuser haus\n")
    warns(done.err, "glossary", "1 of 4", "nach", is_only_line=True)
    both = "Das Haus. Nach Hause! Häuser, Bahnhof\n"
    assert command("translate", "model", "--glossary", "terms", "-q", text=both).err == ""


def test_empty_translations_are_told_of(command, place):  # noqa: F811
    (place / "terms").write_text("Das Haus\t\n")
    done = command("translate", "model", "-q", "--glossary", "terms", text="das haus\n\nhaus\n")
    assert done.out.splitlines()[:2] == ["", ""]
    warns(done.err, "empty", 1, "(lines 1)", is_only_line=True)


def test_placeholders_in_json(command, place):  # noqa: F811
    (place / "terms").write_text("%d Haus\thouse {x}\n")
    typed = ["--json", "-q", "--glossary", "terms"]
    row, other = rows(command("translate", "model", *typed, text="das %d Haus\n{0} haus\n"))
    assert other["placeholders"] == {"lost": [], "added": []}
    assert "placeholders" in row
