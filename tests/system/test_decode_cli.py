"""`rosewood decode`: what people type, and what they get."""

from __future__ import annotations

import gzip
import json

import pytest
from tests.decoders import ENGLISH, WEIGHTS, write_models
from tests.refusals import shows, warns
from tests.system.commands import command  # noqa: F401

from rosewood.align import read_pharaoh
from rosewood.decode import PhraseDecoder, SearchSettings
from rosewood.forest import ForestSet
from rosewood.lm import Model, estimate
from rosewood.model import write_weights
from rosewood.rerank import read_candidates
from rosewood.rules import RuleTable

DECODE = ["decode", "--rules", "rules", "--lm", "lm.rlm", "--weights", "w.json"]
TEXT = "das haus ist klein .\n\nzyx wir gehen nach hause .\n"
SAID = ["the house is small .", "", "zyx we go home ."]


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    folder = tmp_path_factory.mktemp("decode")
    write_models(folder)
    write_weights(WEIGHTS, folder / "w.json")
    return folder


@pytest.fixture
def place(tmp_path, models, monkeypatch):
    for name in ("rules", "lm.rlm", "w.json"):
        (tmp_path / name).symlink_to(models / name)
    (tmp_path / "in").write_text(TEXT)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def decoder(models):
    table = RuleTable.open(models / "rules")
    return PhraseDecoder(table, Model.open(models / "lm.rlm"), weights=WEIGHTS)


# -- what is written -------------------------------------------------------------------------------


def test_lines_in_and_out(command, place):  # noqa: F811
    done = command(*DECODE, text=TEXT)
    assert (done.code, done.out.splitlines()) == (0, SAID)
    told = done.err.splitlines()
    assert told[0].startswith("rosewood: 3 sentences, 11 words in ")
    assert told[1:] == ["rosewood: 1 word that no rule translates, copied"]
    quiet = command(*DECODE, "in", "-o", "out.gz", "-q", "--unknown", "drop", "--threads", 2)
    assert (quiet.code, quiet.out, quiet.err) == (0, "", "")
    assert gzip.decompress((place / "out.gz").read_bytes()).decode().splitlines() == [
        SAID[0],
        "",
        "we go home .",
    ]


def test_weights_that_are_not_tuned(command, place):  # noqa: F811
    done = command(*DECODE[:5], "in")
    assert done.code == 0
    assert "--weights" in done.err.splitlines()[0]


@pytest.mark.parametrize("distinct", [False, True])
def test_lists_that_are_read_again(command, place, decoder, distinct):  # noqa: F811
    options = ["--nbest", 4, *(["--distinct"] if distinct else []), "-q"]
    lists = command(*DECODE, "in", *options)
    objects = command(*DECODE, "in", *options, "--json")
    assert lists.code == objects.code == 0
    read = list(read_candidates(lists.out.splitlines()))
    again = list(read_candidates(objects.out.splitlines()))
    assert [each.texts for each in read] == [each.texts for each in again]
    assert [each.id for each in read] == [each.id for each in again] == ["0", "1", "2"]
    for one, other, line in zip(read, again, TEXT.splitlines(), strict=True):
        assert one.names == other.names == decoder.features.dense
        assert (one.dense == other.dense).all()
        found = decoder.search(line)
        best = found.forest.k_best(found.forest.score(decoder.theta()), 4, distinct=distinct)
        assert list(one.texts) == best.texts()
        assert one.scores["model"] == pytest.approx(best.score, abs=1e-9)
        assert one.dense @ decoder.theta() == pytest.approx(best.score, abs=1e-6)
        assert len(set(one.texts)) == len(one.texts) or not distinct


def test_json(command, place, decoder):  # noqa: F811
    done = command(*DECODE, "in", "--json", "-q")
    rows = [json.loads(line) for line in done.out.splitlines()]
    assert [row["translation"] for row in rows] == SAID
    row = rows[2]
    best = decoder.search(row["src"]).best
    assert (row["id"], row["score"]) == ("2", pytest.approx(best.score))
    assert {name: value for name, value in row["features"].items() if value} == best.features
    assert row["alignment"] == [list(link) for link in best.links]
    assert [phrase["rule"] for phrase in row["phrases"]] == [use.rule for use in best.rules]
    assert row["phrases"][0] == {
        "source": [0, 1], "target": [0, 1], "source_spans": [[0, 1]], "target_spans": [[0, 1]],
        "children": [], "rule": None, "is_unknown": True, "is_forced": False,
    }  # fmt: skip
    assert row["report"] == {
        "pops": best.report.pops, "narrowed": False, "timed_out": False, "reachable": True,
    }  # fmt: skip


def test_links_and_forests(command, place, decoder):  # noqa: F811
    done = command(*DECODE, "in", "--alignment", "links", "--forests", "f.rwf", "--target-words")
    assert done.out.splitlines() == SAID
    links = [sorted(each) for each in read_pharaoh("links")]
    best = [decoder.search(line).best for line in TEXT.splitlines()]
    assert links == [list(each.links) for each in best]
    forests = ForestSet("f.rwf")
    assert [forests.info(n) for n in range(3)] == [
        {"id": str(n), "src": line} for n, line in enumerate(TEXT.splitlines())
    ]
    assert "word:small" in forests[0].features.sparse
    shown = command("forest", "best", "f.rwf", "--weights", "w.json", "-k", 1)
    assert [line.split("\t")[3] for line in shown.out.splitlines()] == SAID
    command(*DECODE, "in", "--forests", "small.rwf", "--compress-forests", "--target-words")
    assert (forests.is_compressed, ForestSet("small.rwf").is_compressed) == (False, True)
    assert list(ForestSet("small.rwf")) == list(forests)
    command(*DECODE, "in", "--forests", "small.rwf", "--append-forests", "--target-words")
    command("forest", "convert", "f.rwf", "-o", "small.rwf", "--append")
    longer = ForestSet("small.rwf")
    assert list(longer) == list(forests) * 3
    assert [longer.info(n)["id"] for n in range(9)] == list("012345012")
    done = command(*DECODE, "in", "--forests", "none.rwf", "--append-forests")
    assert done.code == 1
    assert "file.missing" in done.err


def test_threads_change_nothing(command, place):  # noqa: F811
    (place / "many").write_text(TEXT * 60)
    options = ["many", "--nbest", 3, "-q", "--threads"]
    assert command(*DECODE, *options, 1).out == command(*DECODE, *options, 2).out


def test_what_parts_fields_is_escaped(command, place):  # noqa: F811
    done = command(*DECODE, "--nbest", 1, "-q", text="das ||| |||| a|b\n")
    (candidates,) = read_candidates(done.out.splitlines())
    assert candidates.texts == ("the &#124;&#124;&#124; &#124;&#124;&#124;| a|b",)
    done = command(*DECODE, "--nbest", 1, "-q", "--target-words", text="das |||\n")
    assert (done.code, done.err) == (0, "")  # words that the table does not have have no feature
    done = command(*DECODE, "--nbest", 1, "-q", "--rule-ids", "--json", text="das |||\n")
    features = json.loads(done.out)["hyps"][0]["features"]
    assert [value for name, value in features.items() if name.startswith("rule:")] == [1.0]


# -- search ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "settings"),
    [
        (["--search", "full"], {"search": "full"}),
        (["--pop-limit", "3"], {"pop_limit": 3}),
        (["--pop-limit", "none", "--stack-size", "2"], {"pop_limit": None, "stack_size": 2}),
        (["--beam", "0.5"], {"beam": 0.5}),
        (["--distortion-limit", "0"], {"distortion_limit": 0}),
        (["--distortion-limit", "none"], {"distortion_limit": None}),
        (["--option-limit", "1"], {"option_limit": 1}),
        (["--max-phrase", "1"], {"max_phrase": 1}),
        (["--max-pops", "9"], {"max_pops": 9}),
        (["--time-limit", "100"], {"time_limit": 100.0}),
    ],
)
def test_settings(command, place, decoder, typed, settings):  # noqa: F811
    done = command(*DECODE, "in", "--json", "-q", *typed)
    assert done.code == 0
    pops = [json.loads(line)["report"]["pops"] for line in done.out.splitlines()]
    again = decoder.with_settings(SearchSettings(**settings))
    assert pops == [each.report.pops for each in again.translate(TEXT.splitlines())]


def test_defaults_in_the_help_are_those_of_the_search(command):  # noqa: F811
    told = " ".join(command("decode", "--help").out.split())
    for name, value in vars(SearchSettings()).items():
        part = told.split(f"--{name.replace('_', '-')} ")[1]
        assert part.split("[default: ")[1].startswith(f"{value}".lower())


def test_limits_that_were_met_are_told(command, place):  # noqa: F811
    done = command(*DECODE, "in", "--max-pops", 5)
    warns(done.err, "--max-pops", 2, "(lines 1 3)")
    text = "das haus ist klein . " * 40
    done = command(*DECODE, "--time-limit", "1e-9", text=text)
    warns(done.err, "--time-limit", 1, "(lines 1)")


def test_several_language_models(command, place):  # noqa: F811
    weights = {**WEIGHTS, "other": 0.1, "lm": 0.6}
    write_weights(weights, place / "two.json")
    two = ["--lm", "other=lm.rlm", "--weights", "two.json", "--json", "-q"]
    done = command(*DECODE[:5], *two, text=TEXT)
    row = json.loads(done.out.splitlines()[0])
    assert row["features"]["other"] == row["features"]["lm"] < 0
    again = command(*DECODE[:5], "--lm", "lm.rlm", text=TEXT)
    shows(again, "argument.duplicate", "--lm lm.rlm", "'lm'")
    odd = command(*DECODE[:5], "--lm", "a:b=lm.rlm", text=TEXT)
    shows(odd, "argument.value", "--lm a:b=lm.rlm", "'a:b'")


def test_arpa_files_and_mixtures(command, place):  # noqa: F811
    with estimate(ENGLISH, order=3) as made:
        made.save("small.rlm", layout="small")
    assert command("lm", "convert", "small.rlm", "-o", "lm.arpa").code == 0
    arpa = ["decode", "--rules", "rules", "--lm", "lm.arpa", "--weights", "w.json", "-q", "in"]
    assert command(*arpa).out.splitlines() == SAID
    mix = ["lm", "mix", "lm.rlm", "small.rlm", "--weights", "0.5,0.5", "-o", "mix.json", "-q"]
    assert command(*mix).code == 0
    done = command("decode", "--rules", "rules", "--lm", "mix.json", "in")
    shows(done, "argument.type", "lm", "Mixture")
    assert done.out == ""


# -- consensus, explanations -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "settings", "key"),
    [
        ("mbr", ["k=20", "metric=chrf", "scale=2"], "posterior"),
        ("forest-mbr", ["order=3", "posterior=expected", "margin=20"], "gain"),
        ("variational", ["order=3", "viterbi=0.5"], "divergence"),
        ("variational", ["mixture=1:0.5,2:0.5", "scale=2"], "divergence"),
    ],
)
def test_consensus(command, place, name, settings, key):  # noqa: F811
    typed = ["--consensus", name, *(each for text in settings for each in ("--set", text))]
    done = command(*DECODE, "in", "-q", "--json", *typed)
    assert done.code == 0
    rows = [json.loads(line) for line in done.out.splitlines()]
    assert all(row["consensus"]["name"] == name and key in row["consensus"] for row in rows)
    text = command(*DECODE, "in", "-q", *typed)
    assert text.out.splitlines() == [row["translation"] for row in rows]
    covered = [place for use in rows[2]["phrases"] for place in range(*use["source"])]
    assert sorted(covered) == list(range(6))


def test_explanations(command, place):  # noqa: F811
    done = command(*DECODE, "in", "--explain", "--picture", "p.html", "-q")
    assert done.out.splitlines() == SAID
    assert done.err.startswith("1\nwords")
    page = (place / "p.html").read_text()
    assert page.count("<svg") == page.count("<h3") == 3
    assert '<span style="opacity:0.5">3</span> zyx wir gehen nach hause .</h3>' in page
    rows = command(*DECODE, "in", "--explain", "--json", "-q")
    assert rows.err == ""
    row = json.loads(rows.out.splitlines()[0])
    assert row["explanation"]["score"] == pytest.approx(row["score"])
    one = command(*DECODE, "--picture", "p.svg", "-q", text="das haus\n")
    assert (one.code, (place / "p.svg").read_text()[:4]) == (0, "<svg")
    (place / "p.svg").unlink()
    many = command(*DECODE, "in", "--picture", "p.svg", "-q")
    shows(many, "argument.value", "--picture: ", ".svg", ".html")
    assert not (place / "p.svg").exists()


# -- what is known of the text ---------------------------------------------------------------------


def test_references(command, place):  # noqa: F811
    (place / "refs").write_text("the building is little .\n\nwe go home .\n")
    done = command(*DECODE, "in", "--reference", "refs")
    assert done.out.splitlines() == ["the building is little .", "", ""]
    warns(done.err, "references", 1, "(lines 3)")
    rows = command(*DECODE, "in", "--reference", "refs", "--json", "-q").out.splitlines()
    row = json.loads(rows[2])
    assert (row["report"]["reachable"], row["translation"], row["score"]) == (False, None, None)
    lists = command(*DECODE, "in", "--reference", "refs", "--nbest", 2, "--forests", "f.rwf")
    assert {line.split()[0] for line in lists.out.splitlines()} == {"0", "1", "2"}
    assert lists.out.splitlines()[-1].startswith("2 |||  ||| phrase_ef=0.0 ")
    assert ForestSet("f.rwf")[2].is_empty
    (place / "refs").write_text("a\n")
    done = command(*DECODE, "in", "--reference", "refs", "-o", "out")
    shows(done, "file.mismatch", "refs: ", "1 lines, but in has more")
    (place / "refs").write_text("a\n" * 4)
    done = command(*DECODE, "in", "--reference", "refs", "-o", "out")
    shows(done, "file.mismatch", "refs: ", "more lines than in")
    assert not (place / "out").exists()


def test_glossary_and_spans(command, place):  # noqa: F811
    (place / "terms").write_text("haus\tmy Castle\nklein\tzzz\tsoft\n")
    done = command(*DECODE, "in", "--glossary", "terms", "-q")
    assert done.out.splitlines()[0] == "the my Castle is small ."
    done = command(*DECODE, "in", "--glossary", "-", "-q", text="klein\ttiny\n")
    assert done.out.splitlines()[0] == "the house is tiny ."
    text = '<x translation="a">das</x> haus &lt;\n'
    done = command(*DECODE, "--inline", "--glossary", "terms", "-q", "--json", text=text)
    row = json.loads(done.out)
    assert row["words"] == ["a", "my", "Castle", "<"]
    assert [use["is_forced"] for use in row["phrases"]] == [True, True, False]
    (place / "terms").write_text("haus\tmy Castle\nklein zzz\n")
    done = command(*DECODE, "in", "--glossary", "terms")
    shows(done, "line.fields", "terms:2: ")
    done = command(*DECODE, "--inline", text="das\ndas <b> haus\n")
    shows(done, "inline.no-translation", "<stdin>:2: ", "'<b>'")


def test_raw_text(command, place):  # noqa: F811
    for code in ("de", "en"):
        save = ["--language", code, "--lowercase", "--save", f"{code}.json", "-q"]
        assert command("text", "tokenise", *save, text="x\n").code == 0
    raw = [*DECODE, "--text-source", "de.json", "--text-target", "en.json"]
    text = "Das <b>Haus</b> {name} ist klein.\nKlicken Sie <i>hier</i>!\n"
    done = command(*raw, "-q", "--distortion-limit", 0, text=text)
    assert done.out.splitlines() == [
        "The <b>house</b> {name} is small.",
        "Click <i>here</i>!",
    ]
    lists = command(*raw, "-q", "--nbest", 2, "--distortion-limit", 0, text=text)
    assert lists.out.splitlines()[2].split(" ||| ")[1] == "Click <i>here</i>!"
    lost = command(*raw, "--inline", text='<x translation="y">Haus {name}</x>\n')
    assert lost.out == "Y\n"
    warns(lost.err, "placeholders", 1, "(lines 1)")
    done = command(*raw[:-2], text=text)
    shows(done, "argument.missing", "--text-source and --text-target")
