"""`rosewood rules …`: what people type and what they get."""

from __future__ import annotations

import gzip
import json

import pytest
from tests.refusals import shows, warns
from tests.system.commands import Done, command  # noqa: F401

from rosewood.corpus import IndexedCorpus
from rosewood.rules import Gap, Rule, RuleTable
from rosewood.rules.formats import import_moses

PHRASES = """\
das haus ||| the house ||| 0.5 0.25 0.75 1 ||| 0-0 1-1 ||| 4 8 2 ||| |||
das haus ||| house ||| 1 0.5 0.125 0.5 ||| 1-0 ||| 6 8 6 ||| |||
haus ||| house ||| 1 1 1 1 ||| 0-0 ||| 3 3 3 ||| |||
ist ||| is ||| 1 1 1 1 ||| 0-0 ||| 3 3 3 ||| |||
"""
REORDERING = "".join(
    f"{' ||| '.join(line.split(' ||| ')[:2])} ||| 0.5 0.25 0.25 0.6 0.2 0.2\n"
    for line in PHRASES.splitlines()
)
CDEC = "[X] ||| das [X,1] ||| the [1] ||| A=1 ||| 0-0\n[S] ||| [X,1] ||| [1] ||| A=0\n"


@pytest.fixture
def files(tmp_path):
    """A phrase table, its reordering table, a grammar, and a table of the first two."""
    (tmp_path / "pt.gz").write_bytes(gzip.compress(PHRASES.encode()))
    (tmp_path / "re.msd-bidirectional-fe").write_text(REORDERING)
    (tmp_path / "grammar").write_text(CDEC)
    import_moses(
        tmp_path / "pt.gz", tmp_path / "rules", reordering=tmp_path / "re.msd-bidirectional-fe"
    )
    return tmp_path


def test_in_and_out_again(command, files):  # noqa: F811
    reordering = files / "re.msd-bidirectional-fe"
    done = command("rules", "import", "--moses", files / "pt.gz", "--reordering", reordering,
                   "-o", files / "t")  # fmt: skip
    assert (done.code, done.out, done.err) == (0, "", "")
    done = command("rules", "export", files / "t", "--moses", files / "again.gz",
                   "--reordering", files / "again.re")  # fmt: skip
    assert done.code == 0
    warns(done.err, "num-features=4")
    assert gzip.decompress((files / "again.gz").read_bytes()).decode() == PHRASES
    assert (files / "again.re").read_text() == REORDERING
    done = command("rules", "export", files / "t", "--moses", "-", "-q", "--scores", "phrase_ef")
    assert (done.code, done.err) == (0, "")
    assert (
        done.out.splitlines()[0] == "das haus ||| the house ||| 0.75 ||| 0-0 1-1 ||| 4 8 2 ||| |||"
    )


def test_standard_input_and_what_was_skipped(command, files):  # noqa: F811
    text = f"{PHRASES}bad line\nx ||| y ||| 1 0 1 1\n"
    done = command("rules", "import", "--moses", "-", "-o", files / "t", text=text)
    assert done.out == ""
    shows(done, "line.fields", "<stdin>:5:")
    assert not (files / "t").exists()
    done = command(
        "rules", "import", "--moses", "-", "-o", files / "t", "--on-bad-line", "skip", text=text
    )
    assert done.code == 0
    warns(done.err, 1, "<stdin>:5")
    warns(done.err, 1, "probability", 0)
    assert len(RuleTable.open(files / "t")) == 5


def test_grammars(command, files):  # noqa: F811
    for format in (None, "cdec"):
        more = [] if format is None else ["--format", format]
        done = command("rules", "import", "--grammar", files / "grammar", *more, "-o", files / "g")
        assert (done.code, done.err) == (0, "")
    done = command("rules", "export", files / "g", "--grammar", "-", "--format", "joshua", "-q")
    assert done.out.splitlines() == [
        "[S] ||| [X,1] ||| [X,1] ||| A=0",
        "[X] ||| das [X,1] ||| the [X,1] ||| A=1 ||| 0-0",
    ]
    done = command("rules", "show", files / "g", "das [X,1]")
    assert "the [X,1]" in done.out
    assert "[S] → [X,1]" in command("rules", "show", files / "g", "[X,1]").out


@pytest.mark.parametrize(
    ("arguments", "code", "fields"),
    [
        (["import", "-o", "t"], "argument.missing", "--moses --grammar"),
        (["import", "-o", "t", "--moses", "a", "--grammar", "b"], "argument.conflict",
         "--moses --grammar"),
        (["import", "-o", "t", "--grammar", "b", "--reordering", "c"], "argument.missing",
         "--reordering --moses"),
        (["import", "-o", "t", "--moses", "b", "--format", "cdec"], "argument.missing",
         "--format --grammar"),
        (["import", "-o", "t", "--moses", "pt.gz", "--reordering", "-"], "argument.missing",
         "--orientations"),
        (["import", "-o", "t", "--moses", "none"], "file.missing", "none:"),
        (["import", "-o", "grammar", "--moses", "pt.gz"], "file.exists", "grammar:"),
        (["import", "-o", "t", "--moses", "grammar"], "line.number", "grammar:1: 'the'"),
        (["import", "-o", "t", "--grammar", "grammar", "--format", "x"], "usage", "--format 'x'"),
        (["import", "-o", "t", "--moses", "pt.gz", "--on-bad-line", "cry"], "usage",
         "--on-bad-line 'cry'"),
        (["export", "rules"], "argument.missing", "--moses --reordering --grammar"),
        (["export", "rules", "--grammar", "x"], "argument.missing", "--grammar --format"),
        (["export", "rules", "--moses", "x", "--format", "cdec"], "argument.missing",
         "--grammar --format"),
        (["export", "rules", "--moses", "-", "--reordering", "-"], "argument.conflict",
         "--moses --reordering"),
        (["export", "rules", "--moses", "x", "--grammar", "y", "--format", "cdec"],
         "argument.conflict", "--grammar --moses"),
        (["export", "rules", "--moses", "none/x"], "file.missing", "none/x: --moses"),
        (["export", "rules", "--moses", "x", "--scores", "none"], "features.missing", "'none'"),
        (["export", "none", "--moses", "x"], "file.missing", "none/rules.json:"),
        (["filter", "rules", "text", "-o", "rules"], "argument.conflict", "rules:"),
        (["export", "rules", "--moses", "rules/x"], "file.exists", "rules/x"),
        (["import", "-o", "t", "--moses", "pt.gz", "--scores", "a,b"],
         "argument.shape", "pt.gz: 2"),
        (["show", "rules", "  "], "argument.value", "SOURCE"),
        (["show", "rules", "[X,2] das"], "rules.gaps", "[X,2]"),
        (["show", "none", "x"], "file.missing", "none/rules.json:"),
        (["info", "grammar"], "file.kind", "grammar/rules.json:"),
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_told(command, files, monkeypatch, arguments, code, fields):  # noqa: F811
    monkeypatch.chdir(files)
    done = command("rules", *arguments)
    assert done.out == ""
    shows(done, code, *fields.split())
    assert not (files / "t").exists()
    assert not (files / "x").exists()


def test_rules_of_a_source(command, files):  # noqa: F811
    done = command("rules", "show", files / "rules", "das haus")
    head, best, other = done.out.splitlines()
    assert head.split() == ["id", "target", "links", "counts", "phrase_fe", "lexical_fe",
                            "phrase_ef", "lexical_ef"]  # fmt: skip
    assert best.split()[1:6] == ["the", "house", "0-0", "1-1", "2/8/4"]
    assert other.split()[1:4] == ["house", "1-0", "6/8/6"]
    done = command("rules", "show", files / "rules", "das haus", "-n", "1", "--all")
    assert "orientation_backward_swap" in done.out
    assert len(done.out.splitlines()) == 2
    done = command("rules", "show", files / "rules", "das haus", "--json")
    first = json.loads(done.out.splitlines()[0])
    assert (first["target"], first["links"]) == (["the", "house"], [[0, 0], [1, 1]])
    assert first["counts"] == {"rule": 2.0, "source": 8.0, "target": 4.0}
    assert first["features"]["orientation_forward_swap"] < -1.6
    for more in ([], ["--json"]):
        done = command("rules", "show", files / "rules", "nichts", *more)
        assert (done.code, done.out) == (0, "")
        warns(done.err, "'nichts'")


def test_rules_for_a_sentence(command, files):  # noqa: F811
    done = command("rules", "show", files / "rules", "das haus ist", "--sentence", "-n", "1")
    assert [row.split()[0] for row in done.out.splitlines()] == ["span", "0:2", "1:2", "2:3"]
    command("rules", "import", "--grammar", files / "grammar", "-o", files / "g")
    done = command("rules", "show", files / "g", "das haus ist", "-s", "--json")
    rows = [json.loads(row) for row in done.out.splitlines()]
    found = {(row["begin"], row["end"], str(row["gaps"])) for row in rows if row["left"] == "X"}
    assert found == {(0, 2, "[[1, 2]]"), (0, 3, "[[1, 3]]")}


def test_long_sentences_do_not_explode(command, tmp_path):  # noqa: F811
    gaps = Gap("X", 1), Gap("X", 2)
    rule = Rule((gaps[0], "a", gaps[1]), (gaps[0], "b", gaps[1]))
    for name, facts, longest in (("imported", {}, 10), ("extracted", {"max_span": 4}, 4)):
        RuleTable.build(tmp_path / name, [rule], facts={"settings": facts})
        done = command("rules", "show", tmp_path / name, "a " * 100, "-s", "--json")
        rows = [json.loads(row) for row in done.out.splitlines()]
        assert max(row["end"] - row["begin"] for row in rows) == longest


def test_rules_that_a_format_cannot_hold_are_left_out_if_asked(command, tmp_path):  # noqa: F811
    table = tmp_path / "t"
    RuleTable.build(table, [Rule(("[sic]",), ("x",)), Rule(("a",), ("b",))])
    export = ["rules", "export", table, "--grammar", "-", "--format", "cdec"]
    done = command(*export)
    assert done.out == ""
    shows(done, "rules.unwritable", "rule 0", "'[sic]'", "--skip-unwritable")
    done = command(*export, "--skip-unwritable")
    assert (done.code, done.out) == (0, "[X] ||| a ||| b ||| \n")
    warns(done.err, 1, "rule")


def test_where_rules_came_from(command, tmp_path):  # noqa: F811
    source, target = ["ein haus", "das haus ist da"], ["a house", "the house is there"]
    rules = [Rule(("haus",), ("house",), sentence=1), Rule(("ein",), ("a",), sentence=7),
             Rule((Gap("X", 1), "da"), ("there", Gap("X", 1)))]  # fmt: skip
    RuleTable.build(tmp_path / "rules", rules)
    (tmp_path / "de").write_text("\n".join(source) + "\n")
    (tmp_path / "en").write_text("\n".join(target) + "\n")
    IndexedCorpus.build(tmp_path / "corpus", source=tmp_path / "de", target=tmp_path / "en")
    for origin in (["corpus"], ["de", "en"]):
        given = [part for name in origin for part in ("--origin", tmp_path / name)]
        done = command("rules", "show", tmp_path / "rules", "haus", *given)
        assert done.out.splitlines()[-3:] == [
            "sentence 2", "  das haus ist da", "  the house is there",
        ]  # fmt: skip
        done = command("rules", "show", tmp_path / "rules", "haus", "--json", *given)
        assert json.loads(done.out)["origin"]["target"] == "the house is there"
        done = command("rules", "show", tmp_path / "rules", "ein", *given)
        warns(done.err, 1, "sentences")
        done = command("rules", "show", tmp_path / "rules", "[X,1] da", *given)
        warns(done.err, "origins")


def test_filter(command, files):  # noqa: F811
    (files / "text").write_text("ist das\nhaus\n")
    done = command("rules", "filter", files / "rules", files / "text", "-o", files / "some")
    assert (done.code, done.out) == (0, "")
    warns(done.err, 2, 4, "rules")
    kept = RuleTable.open(files / "some")
    assert [(rule.id, str(rule.source[0])) for rule in kept] == [(2, "haus"), (3, "ist")]
    done = command("rules", "filter", files / "rules", "-", "-o", files / "some", "-q",
                   "--limit", "1", text="das haus\n")  # fmt: skip
    assert (done.code, done.err) == (0, "")
    assert [rule.id for rule in RuleTable.open(files / "some")] == [0, 2]


def test_info_and_verify(command, files):  # noqa: F811
    done = command("rules", "info", files / "rules", "--json")
    row = json.loads(done.out)
    assert (row["rules"], row["source_words"], row["labels"]) == (4, 3, ["X"])
    assert row["facts"]["made_from"] == {"moses": "pt.gz"}
    assert "facts.reordering.classes" in command("rules", "info", files / "rules").out
    done = command("rules", "verify", files / "rules")
    assert (done.code, done.out) == (0, f"{files / 'rules'}: good\n")
    data = bytearray((files / "rules" / "records").read_bytes())
    data[0] ^= 1
    (files / "rules" / "records").write_bytes(data)
    done = command("rules", "verify", files / "rules", files / "none")
    for line, code, file in zip(
        done.err.splitlines(),
        ("file.changed", "file.missing"),
        (files / "rules" / "records", files / "none" / "rules.json"),
        strict=True,
    ):
        shows(Done(1, "", line), code, f"rosewood: {file}: ")
    assert done.code == 1


def test_every_verb_explains_itself(command):  # noqa: F811
    for verb in ("show", "import", "export", "filter", "info", "verify"):
        assert command("rules", verb, "--help").code == 0
