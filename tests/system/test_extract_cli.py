"""`rosewood extract` and `rosewood rules events`: what people type, and what they get."""

from __future__ import annotations

import gzip
import json
import os
import re
import subprocess
import sys

import pytest
from tests.refusals import shows, warns
from tests.system.commands import command  # noqa: F401

from rosewood.rules import RuleTable, extract_files

GERMAN = ["er geht nicht", "ja", "", "er geht", "das haus ist klein", "ein haus"]
ENGLISH = ["he does not go", "yes", "", "he goes", "the house is small", "a house"]
LINKS = ["0-0 1-3 2-2", "0-0", "", "0-0 1-1", "0-0 1-1 2-2 3-3", "0-0 1-1"]
EXTRACT = ["extract", "a.de", "a.en", "-a", "links", "-o", "rules"]


@pytest.fixture
def place(tmp_path, monkeypatch):
    for name, lines in (("a.de", GERMAN), ("a.en", ENGLISH), ("links", LINKS)):
        write(tmp_path / name, lines)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(path, lines):
    path.write_text("".join(f"{line}\n" for line in lines))


def names(place):
    return sorted(path.name for path in place.iterdir())


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


# -- what is read and written ----------------------------------------------------------------------


def test_a_table_and_what_is_said(command, place):  # noqa: F811
    done = command(*EXTRACT)
    assert done.code == 0
    assert done.out.splitlines()[:2] == ["sentence pairs      6", "seen               25"]
    warns(done.err, "pairs", 1, is_only_line=True)
    assert names(place) == ["a.de", "a.en", "links", "rules"]
    table = RuleTable.open("rules")
    found = {(" ".join(rule.source), " ".join(rule.target)): rule for rule in table}
    assert found["er", "he"].count == 2
    assert found["geht nicht", "not go"].links == ((0, 1), (1, 0))
    assert found["geht nicht", "does not go"].links == ((0, 2), (1, 1))
    assert len(table) == len(found) == table.facts["rules"]
    again = extract_files("a.de", "a.en", "links", "again")
    assert contents(place / "again") == contents(place / "rules")
    assert again.facts == table.facts
    quiet = command(*EXTRACT, "-q")  # a table that is there is replaced
    assert (quiet.code, quiet.out) == (0, "")
    assert contents(place / "again") == contents(place / "rules")


def test_facts_as_json(command, place):  # noqa: F811
    done = command(*EXTRACT, "--json", "--quiet", "--limit", 1, "--hierarchical")
    told = json.loads(done.out)
    assert told["sentences"] == 6
    assert told["over_limit"] == told["extracted"] + 2 - told["rules"] > 0  # glue rules are two
    assert (told["settings"]["hierarchical"], told["settings"]["limit"]) == (True, 1)
    assert told["bytes"] == RuleTable.open("rules").size
    assert len(RuleTable.open("rules")) == told["rules"]


@pytest.mark.parametrize(
    ("typed", "setting"),
    [
        (["--max-phrase", "3"], {"max_phrase": 3}),
        (["--max-phrase", "255"], {"max_phrase": 255}),
        (["--smoothing", "good-turing"], {"smoothing": "good-turing"}),
        (["--smoothing", "kneser-ney"], {"smoothing": "kneser-ney"}),
        (["--min-count", "1.5"], {"min_count": 1.5}),
        (["--significance", "a+e"], {"significance": "a+e"}),
        (["--significance", "a-e"], {"significance": "a-e"}),
        (["--orientation", "none"], {"orientation": None}),
        (["--orientation", "word", "--classes", "msd"], {"orientation": "word", "classes": "msd"}),
        (["--orientation", "phrase"], {"orientation": "phrase"}),
        (["--orientation-smoothing", "2", "--orientation-prior", "counts"],
         {"orientation_smoothing": 2.0, "orientation_prior": "counts"}),
        (["--hierarchical", "--max-span", "4", "--max-symbols", "3"],
         {"hierarchical": True, "max_span": 4, "max_symbols": 3}),
        (["--hierarchical", "--max-gaps", "1", "--min-gap", "2"],
         {"hierarchical": True, "max_gaps": 1, "min_gap": 2}),
        (["--hierarchical", "--adjacent-gaps"], {"hierarchical": True, "adjacent_gaps": True}),
        (["--hierarchical", "--unlinked-rules"], {"hierarchical": True, "unlinked_rules": True}),
        (["--hierarchical", "--loose"], {"hierarchical": True, "loose": True}),
        (["--hierarchical", "--loose", "--tight-gaps"],
         {"hierarchical": True, "loose": True, "tight_gaps": True}),
        (["--hierarchical", "--whole-counts"], {"hierarchical": True, "whole_counts": True}),
        (["--hierarchical", "--min-gapped", "2"], {"hierarchical": True, "min_gapped": 2}),
    ],
)  # fmt: skip
def test_every_setting_reaches_the_table(command, place, typed, setting):  # noqa: F811
    done = command(*EXTRACT, *typed, "--json", "-q", "--threads", 2, "--max-memory", "1M")
    assert done.code == 0, done.err
    chosen = json.loads(done.out)["settings"]
    assert {name: chosen[name] for name in setting} == setting
    extract_files("a.de", "a.en", "links", "want", **setting)
    assert contents(place / "rules") == contents(place / "want")
    assert command("rules", "verify", "rules").code == 0


def test_corpora_of_all_kinds(command, place):  # noqa: F811
    command(*EXTRACT, "-q")
    want = contents(place / "rules")
    both = "".join(f"{f}\t{e}\n" for f, e in zip(GERMAN, ENGLISH, strict=True))
    (place / "a.tsv").write_text(both)
    for name in ("a.de", "a.en", "links"):
        (place / f"{name}.gz").write_bytes(gzip.compress((place / name).read_bytes()))
    write(place / "options.toml", ["alignment = 'links'", "output = 'out'", "max-phrase = 7"])
    command("corpus", "index", "a.de", "a.en", "-o", "indexed", "--quiet")
    links = (place / "links").read_text()
    for typed, text in (
        (["a.de.gz", "a.en.gz", "-a", "links.gz", "-o", "out"], ""),
        (["a.tsv", "-a", "links", "-o", "out"], ""),
        (["-", "--format", "tsv", "-a", "links", "-o", "out"], both),
        (["a.de", "a.en", "-a", "-", "-o", "out"], links),
        (["indexed", "-a", "links", "-o", "out"], ""),
        (["a.de", "a.en", "--config", "options.toml"], ""),
        (["a.de", "a.en", "--config", "options.toml", "--max-phrase", "7", "-o", "./out/"], ""),
    ):
        done = command("extract", *typed, text=text)
        assert done.code == 0, done.err
        assert contents(place / "out") == want
        assert not (place / "out.work").exists()


@pytest.mark.slow
def test_bytes_are_the_same_on_any_machine(command, place):  # noqa: F811
    write_large(place)
    for kind in ([], ["--hierarchical", "--max-span", "6"]):
        want = None
        for threads, memory in ((1, "2G"), (2, "1M"), (3, "1M")):
            done = command(*EXTRACT, "-q", "--threads", threads, "--max-memory", memory, *kind)
            assert done.code == 0, done.err
            found = contents(place / "rules")
            want = want or found
            assert found == want


def write_large(place, pairs=1500):
    """Sentence pairs whose rules do not fit into a megabyte."""
    source, target, links = [], [], []
    for k in range(pairs):
        words = [f"w{k * n % 97}" for n in range(1, 13)]
        source.append(" ".join(words))
        target.append(" ".join(f"v{word}" for word in reversed(words)))
        links.append(" ".join(f"{n}-{11 - n}" for n in range(12) if (n + k) % 7))
    for name, lines in (("a.de", source), ("a.en", target), ("links", links)):
        write(place / name, lines)


def test_progress_is_on_standard_error(place):
    code = (
        "import sys; from rosewood import progress; progress.LINE_EVERY = 0; "
        "from rosewood.cli import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", code, *EXTRACT, "--json"], capture_output=True,
                          text=True, check=True)  # fmt: skip
    assert json.loads(done.stdout)["sentences"] == 6
    parts = re.findall(r"rosewood: ([a-z ]+): [\d,]+ of", done.stderr)
    assert list(dict.fromkeys(parts)) == [
        "counting linked words", "numbering phrases", "extracting from pairs", "sorting",
        "counting", "counting targets", "scoring rules",
    ]  # fmt: skip


def test_help_tells_everything(command):  # noqa: F811
    for verb in (["extract"], ["rules", "events"]):
        done = command(*verb, "--help")
        assert done.code == 0
        assert "n-gram" not in done.out
        assert "--alignment" in done.out


def test_events_of_all_kinds(command, place):  # noqa: F811
    """As many as phrase pairs are seen, of any kind, wherever they are written."""
    events = ["rules", "events", *EXTRACT[1:5]]
    links = (place / "links").read_text()
    command(*EXTRACT, "-q", "--max-phrase", 2)
    seen = RuleTable.open("rules").facts["instances"]
    for kind in ("word", "phrase", "hierarchy"):
        for direction in ("backward", "forward"):
            for classes in ("msd", "mslr"):
                how = ["--orientation", kind, "--direction", direction, "--classes", classes]
                done = command(*events, *how, "--max-phrase", 2, "-q", "--threads", 3)
                assert len(done.out.splitlines()) == seen
                assert command(*events, *how, "-o", "out.gz", "--max-phrase", 2).out == ""
                assert gzip.decompress((place / "out.gz").read_bytes()).decode() == done.out
    typed = ["rules", "events", "a.de", "a.en", "-a", "-", "--classes", "mslr", "--max-phrase", 2]
    assert command(*typed, "--direction", "forward", text=links).out == done.out


@pytest.mark.parametrize(
    ("typed", "code", "shown"),
    [
        (["--orientation", "best"], "usage", ["'best'", "word, phrase, hierarchy"]),
        (["--direction", "up"], "usage", ["--direction", "'up'", "backward or forward"]),
        (["--classes", "x"], "usage", ["--classes", "'x'", "msd, mslr, distance"]),
        (["--max-phrase", "0"], "usage", ["--max-phrase", "'0'"]),
        (["--max-phrase", "99999999999"], "usage", ["--max-phrase", "'99999999999'"]),
        (["-o", "a.de"], "file.exists", ["a.de: -o: "]),
        (["-o", "no/where"], "file.missing", ["no/where: -o: ", "'no'"]),
        (["-a", "missing"], "file.missing", ["missing: "]),
    ],
)
def test_events_that_cannot_be(command, place, typed, code, shown):  # noqa: F811
    done = command("rules", "events", *EXTRACT[1:5], "-q", *typed)
    shows(done, code, *shown, is_only_line=False)
    assert done.out == ""
    assert names(place) == ["a.de", "a.en", "links"]


def test_whoever_reads_events_has_seen_enough(place):
    write_large(place, 300)
    typed = [sys.executable, "-m", "rosewood", "rules", "events", *EXTRACT[1:5], "-q"]
    with subprocess.Popen(typed, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout.readline().count(b"|||") == 4
        process.stdout.close()
        assert process.stderr.read() == b""


# -- what is refused -------------------------------------------------------------------------------

BAD_LINES = [
    ("links", 2, "0-1", "line.value", ["links:2: ", "0-1", "1 words of the target"]),
    ("links", 2, "1-0", "line.value", ["links:2: ", "1-0", "1 words of the source"]),
    ("links", 3, "0-0", "line.value", ["links:3: ", "0-0", "0 words of the source"]),
    ("a.de", 3, "ja", None, []),  # nothing is linked: that is fine
    ("a.de", 2, "", "line.value", ["links:2: ", "0-0", "0 words of the source"]),
    ("a.en", 2, "", "line.value", ["links:2: ", "0-0", "0 words of the target"]),
    ("a.de", 2, "|||", "line.value", ["a.de:2: ", "source has the word |||"]),
    ("a.en", 4, "he ||| goes", "line.value", ["a.en:4: ", "target has the word |||"]),
    ("a.en", 4, "he a|||b", "line.value", ["a.en:4: ", "target has the word a|||b"]),
]


@pytest.mark.parametrize(("name", "line", "text", "code", "shown"), BAD_LINES)
def test_bad_lines(command, place, name, line, text, code, shown):  # noqa: F811
    lines = (place / name).read_text().split("\n")
    lines[line - 1] = text
    (place / name).write_text("\n".join(lines))
    done = command(*EXTRACT, "-q")
    events = command("rules", *["events", *EXTRACT[1:5]], "-q")
    if code is None:
        assert (done.code, events.code) == (0, 0)
        return
    for each in (done, events):
        shows(each, code, *shown, is_only_line=False)
    assert names(place) == ["a.de", "a.en", "links"]
    skipped = command(*EXTRACT, "-q", "--on-bad-line", "skip")
    assert skipped.code == 0
    told = skipped.err.splitlines()[-1]
    assert all(part in told for part in (": 1;", f"line {line}: ", *shown[1:]))
    left = [n for n in range(len(LINKS)) if n != line - 1]
    for other, whole in (("a.de", GERMAN), ("a.en", ENGLISH), ("links", LINKS)):
        write(place / other, [whole[n] for n in left])
    command(*EXTRACT[:-1], "want", "-q")
    assert list(map(str, RuleTable.open("rules"))) == list(map(str, RuleTable.open("want")))


@pytest.mark.parametrize(
    ("text", "code", "shown"),
    [
        ("0-0 1", "line.value", "'1'"),
        ("0-0 x-1", "line.value", "'x-1'"),
        ("0--1", "line.value", "'0--1'"),
        ("-1-0", "line.value", "'-1-0'"),
        ("0-99999999999", "line.value", "'0-99999999999'"),
        ("0-0 0-0", "line.duplicate", "the link 0-0 "),
        ("0p0", "line.value", "'0p0'"),
    ],
)
def test_links_that_are_none(command, place, text, code, shown):  # noqa: F811
    write(place / "links", [LINKS[0], text, *LINKS[2:-1], text])
    shows(command(*EXTRACT, "-q"), code, "links:2: ", shown)
    assert names(place) == ["a.de", "a.en", "links"]
    skipped = command(*EXTRACT, "-q", "--on-bad-line", "skip")
    assert skipped.code == 0
    told = skipped.err.splitlines()[-1]
    assert all(part in told for part in (": 2;", "line 2: ", shown))
    assert {rule.sentence for rule in RuleTable.open("rules")} == {0, 3, 4}


@pytest.mark.parametrize("name", ["a.de", "a.en", "links"])
def test_a_file_that_is_shorter(command, place, name):  # noqa: F811
    lines = (place / name).read_text().splitlines()
    write(place / name, lines[:-1])
    for how in ([], ["--on-bad-line", "skip"]):
        done = command(*EXTRACT, "-q", *how)
        shows(done, "file.mismatch", "5", name, is_only_line=False)
        assert names(place) == ["a.de", "a.en", "links"]


def test_nothing_to_extract(command, place):  # noqa: F811
    for name, lines in (("links", [""] * 6), ("a.de", [""] * 6), ("a.en", [""] * 6)):
        write(place / name, lines)
        done = command(*EXTRACT, "-q", "--on-bad-line", "skip")
        shows(done, "rules.no-links", is_only_line=False)
    for name in ("links", "a.de", "a.en"):
        write(place / name, [])
    shows(command(*EXTRACT, "-q"), "file.empty", "a.de:")
    write(place / "a.de", ["x"])
    write(place / "a.en", [" ".join("y" * 300)])
    write(place / "links", [" ".join(f"0-{n}" for n in range(300))])
    done = command(*EXTRACT, "-q")
    shows(done, "rules.none")
    assert names(place) == ["a.de", "a.en", "links"]


@pytest.mark.parametrize(
    ("typed", "code", "shown"),
    [
        (["--max-phrase", "0"], "usage", ["--max-phrase", "'0'"]),
        (["--max-phrase", "256"], "usage", ["--max-phrase", "'256'"]),
        (["--max-phrase", "x"], "usage", ["--max-phrase", "'x'"]),
        (["--max-phrase", "-1"], "usage", ["--max-phrase", "'-1'"]),
        (["--max-span", "256"], "usage", ["--max-span", "'256'"]),
        (["--max-symbols", "0"], "usage", ["--max-symbols", "'0'"]),
        (["--max-gaps", "3"], "usage", ["--max-gaps", "'3'"]),
        (["--min-gap", "256"], "usage", ["--min-gap", "'256'"]),
        (["--min-count", "-1"], "usage", ["--min-count", "'-1'"]),
        (["--min-count", "nan"], "usage", ["--min-count", "'nan'"]),
        (["--min-count", "inf"], "usage", ["--min-count", "'inf'"]),
        (["--limit", "0"], "usage", ["--limit", "'0'"]),
        (["--limit", "99999999999999999999"], "usage", ["--limit", "'99999999999999999999'"]),
        (["--smoothing", "best"], "usage", ["--smoothing", "'best'"]),
        (["--orientation", "best"], "usage", ["--orientation", "'best'"]),
        (["--classes", "x"], "usage", ["--classes", "'x'"]),
        (["--orientation-prior", "x"], "usage", ["--orientation-prior", "'x'"]),
        (["--orientation-smoothing", "0"], "usage", ["--orientation-smoothing", "'0'"]),
        (["--orientation-smoothing", "nan"], "usage", ["--orientation-smoothing", "'nan'"]),
        (["--significance", "nan"], "usage", ["--significance", "'nan'"]),
        (["--significance", "-1"], "usage", ["--significance", "'-1'"]),
        (["--significance", "a"], "usage", ["--significance", "'a'"]),
        (["--significance", "a+e", "--hierarchical"], "argument.conflict",
         ["--significance", "--hierarchical"]),
        (["--threads", "0"], "usage", ["--threads"]),
        (["--max-memory", "0"], "usage", ["--max-memory", "'0'", "1M"]),
        (["--max-memory", "much"], "usage", ["--max-memory", "'much'", "500M"]),
        (["--on-bad-line", "cry"], "usage", ["--on-bad-line", "'cry'", "stop, skip, blank"]),
        (["--work", "rules"], "argument.conflict", ["rules: rules "]),
        (["--work", "."], "argument.conflict", [".: a.de "]),
        (["--work", "a.de"], "argument.conflict", ["a.de: a.de "]),
        (["--work", "taken"], "file.exists", ["taken: ", "rules.journal"]),
        (["--work", "no/where"], "file.missing", ["no/where: "]),
        (["-o", "taken"], "file.exists", ["taken: ", "rules.json"]),
        (["-o", "links"], "file.exists", ["links: ", "rules.json"]),
        (["-o", "taken/inner", "--work", "taken"], "argument.conflict", ["taken: taken/inner "]),
        (["-o", "old", "-a", "old/links"], "argument.conflict", ["old: old/links "]),
        (["-o", "old", "--work", "old/work"], "argument.conflict", ["old: old/work "]),
        (["-o", "no/where"], "file.missing", ["no/where: "]),
        (["-o", "-"], "argument.value", ["-: -o: "]),
        (["-a", "missing"], "file.missing", ["missing: "]),
        (["-a", "taken"], "file.kind", ["taken: "]),
        (["missing"], "corpus.one-side", ["missing: "]),
    ],
)  # fmt: skip
def test_errors_are_told_and_leave_nothing(command, place, typed, code, shown):  # noqa: F811
    (place / "taken").mkdir()
    (place / "taken" / "letter").write_text("mine")
    (place / "old").mkdir()
    (place / "old" / "rules.json").write_text("{}")
    (place / "old" / "links").write_text("")
    before = names(place)
    done = command(*EXTRACT, "-q", *typed)
    shows(done, code, *shown, is_only_line=False)
    assert code == "usage" or len(re.findall("^rosewood: (?!pairs)", done.err, re.M)) == 1
    assert names(place) == before
    assert (place / "taken" / "letter").read_text() == "mine"


def test_the_folder_one_is_in(command, place, monkeypatch):  # noqa: F811
    (place / "empty").mkdir()
    monkeypatch.chdir(place / "empty")
    done = command("extract", "../a.de", "../a.en", "-a", "../links", "-o", ".", "-q")
    shows(done, "argument.value", ".: ", exit_code=1)


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written(command, place):  # noqa: F811
    (place / "closed").mkdir(mode=0o500)
    done = command(*EXTRACT[:-1], "closed/rules", "-q")
    shows(done, "file.permission", "closed/rules: ")


def test_nothing_is_left_to_keep(command, place):  # noqa: F811
    """A table may be empty: that was asked for, and is told."""
    for kind, rules in ([], 0), (["--hierarchical"], 2):
        done = command(*EXTRACT, "--json", "--min-count", 1000, *kind)
        told = json.loads(done.out)
        assert (told["rules"], told["rare"]) == (rules, told["extracted"])
        assert command("rules", "verify", "rules").code == 0
        assert len(RuleTable.open("rules")) == rules


@pytest.mark.parametrize(
    "typed",
    [
        ["--hierarchical", "--max-phrase", "5"],
        ["--hierarchical", "--orientation", "word"],
        ["--max-span", "5"],
        ["--loose"],
    ],
)
def test_options_that_would_do_nothing_are_refused(command, place, typed):  # noqa: F811
    done = command(*EXTRACT, *typed)
    option = next(each for each in typed if each != "--hierarchical")
    shows(done, "argument.conflict", option, "--hierarchical")
