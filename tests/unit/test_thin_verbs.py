"""What verbs of the command call can be called from Python: settings, summaries, facts."""

from __future__ import annotations

import io
from contextlib import ExitStack
from dataclasses import replace

import pytest
from tests.decoders import WEIGHTS, write_models
from tests.phrase_models import language_model
from tests.refusals import refuses

from rosewood.decode import HieroDecoder, TextTranslator
from rosewood.decode.consensus_methods import make_consensus
from rosewood.decode.stream import InputLine
from rosewood.errors import DecodingError, ForestError, TuningError
from rosewood.forest import parse_forest
from rosewood.forest.summary import NamedScores, measures, sizes
from rosewood.model import write_weights
from rosewood.pipeline.decoder_parts import DecoderParts
from rosewood.pipeline.line_settings import LineSettings
from rosewood.pipeline.line_writer import LineTally, LineWriter
from rosewood.rerank import Dropped, write_candidates
from rosewood.rerank.settings import CandidateSettings, SweepSettings, TuneSettings
from rosewood.rerank.toy import toy_lists
from rosewood.rules import Gap, Rule, RuleTable
from rosewood.rules.formats import import_moses
from rosewood.rules.found_rules import rules_of_sentence

FOREST = """\
forest s1
dense lm
0 <- ||| the mat ||| lm=-2
1 <- ||| a cat ||| lm=-2.5
2 <- 0 1 ||| [1] on [0] ||| lm=-1 on=1
2 <- 0 1 ||| [0] 's [1] ||| lm=-1.5
"""


def test_consensus_by_name():
    assert make_consensus(None, {}) is None
    chosen = make_consensus("variational", {"mixture": "1:0.5,2:0.5", "scale": "2"})
    assert (chosen.orders(), chosen.scale) == ({1: 0.5, 2: 0.5}, 2.0)
    assert make_consensus("variational", {}).orders() == {2: 1.0}


@pytest.mark.parametrize(
    ("name", "typed", "code", "argument"),
    [
        (None, {"k": "1"}, "argument.missing", "consensus"),
        ("vote", {}, "argument.choice", "consensus"),
        ("mbr", {"order": "1"}, "argument.unknown", "setting"),
        ("mbr", {"k": "1_0"}, "argument.type", "k"),
        ("forest-mbr", {"order": "0"}, "argument.range", "order"),
        ("forest-mbr", {"posterior": "rough"}, "argument.choice", "posterior"),
        ("mbr", {"margin": "-1"}, "argument.range", "margin"),
        ("mbr", {"metric": "no"}, "argument.unknown", "metric"),
        ("variational", {"mixture": "0:1"}, "argument.range", "mixture"),
        ("variational", {"mixture": "1:1,1:2"}, "argument.duplicate", "mixture"),
        ("variational", {"mixture": "1:1", "order": "2"}, "argument.conflict", "order"),
    ],
)
def test_consensus_that_there_is_not(name, typed, code, argument):
    with refuses(DecodingError, code, argument=argument):
        make_consensus(name, typed)


def test_forests_in_figures():
    forest = parse_forest(FOREST)
    assert sizes(forest) == {"nodes": 3, "edges": 4, "features": 2, "words": 6, "derivations": 2}
    score = NamedScores({"on": 2.0, "off": 1.0}, scale=0.5)
    assert score(forest).tolist() == [0.0, 0.0, 1.0, 0.0]
    assert score.unused == {"off"}
    found = measures(forest, NamedScores(None, 0.0), NamedScores(None), by_feature=True)
    assert found["entropy"] == pytest.approx(0.6931471805599453)
    assert set(found) == {
        "log_z", "entropy", "expected_length", "cross_entropy", "kl_divergence",
        "expected_features", "entropy_gradient",
    }  # fmt: skip
    with refuses(ForestError, "forest.overflow", argument="scale", value=1e308):
        NamedScores(None, 1e308)(forest)


def test_candidates_by_settings(tmp_path):
    write_candidates(toy_lists(3, candidates=2, seed=1), tmp_path / "a.jsonl")
    with (tmp_path / "a.jsonl").open("a") as stream:
        stream.write("{}\n")
    dropped = Dropped()
    lists = CandidateSettings(on_bad_line="skip").read(tmp_path / "a.jsonl", report=dropped)
    assert len(list(lists)) == 3
    assert len(list(dropped.told("a.jsonl"))) == 2
    assert not list(Dropped().told("a.jsonl"))
    with refuses(TuningError, "argument.choice", argument="format", value="xml"):
        CandidateSettings(format="xml")


def test_settings_become_keywords():
    tuning = TuneSettings(set={"k": "3"}, normalize="l2").keywords()
    assert tuning == {
        "method": "mert", "metric": "bleu", "start": None, "seed": 0, "folds": 5, "replicates": 3,
        "samples": 1000, "normalization": "l2", "settings": {"k": "3"},
    }  # fmt: skip
    assert SweepSettings(random=4).keywords()["trials"] == 4


def test_rules_of_a_sentence(tmp_path):
    lines = (
        b"a ||| x ||| 1 1 1 1 ||| 0-0\na ||| y ||| 1 1 1 1 ||| 0-0\na b ||| z ||| 1 1 1 1 ||| 0-0\n"
    )
    import_moses(io.BytesIO(lines), tmp_path / "rules")
    table = RuleTable.open(tmp_path / "rules")
    found = [(each.begin, each.end, each.rule.target) for each in rules_of_sentence(table, "b a b")]
    assert [each[:2] for each in found] == [(1, 2), (1, 2), (1, 3)]
    few = list(rules_of_sentence(table, "b a b", limit=1))
    assert len(few) == 2
    row = few[0].to_dict(("a", "x"))
    assert (row["begin"], row["end"], row["gaps"]) == (1, 2, [])
    assert row["origin"] == {"source": "a", "target": "x"}


@pytest.fixture
def parts(tmp_path):
    write_models(tmp_path)
    write_weights(WEIGHTS, tmp_path / "w.json")
    files = {"rules": tmp_path / "rules", "lm": [str(tmp_path / "lm.rlm")]}
    return DecoderParts(**files, weights=tmp_path / "w.json")


def test_lines_translated_from_parts_in_files(parts, tmp_path):
    translator = parts.translator(parts.open_models())
    lines = ["das haus ist klein .", "", "zyx wir gehen nach hause ."]
    settings = LineSettings(output=tmp_path / "out", alignment=tmp_path / "links")
    tally = LineTally()
    with ExitStack() as stack:
        write = LineWriter(translator, settings, None, stack)
        for line in translator.stream(lines):
            tally.count(line, write(line))
    said = ["the house is small .", "", "zyx we go home ."]
    assert (tmp_path / "out").read_text().splitlines() == said
    assert len((tmp_path / "links").read_text().splitlines()) == 3
    assert (tally.sentences, tally.words, tally.unknown) == (3, 11, 1)
    assert len(list(tally.summary("copy"))) == 2
    assert not list(tally.warnings())


def test_lines_without_a_translation_are_counted(tmp_path):
    """Of a grammar whose glue does not join all labels; not those of references."""
    glue = [Rule(gaps, gaps, "S") for gaps in ((Gap("S", 1), Gap("X", 2)), (Gap("X", 1),))]
    rules = [Rule(("a",), ("A",)), Rule(("b",), ("B",), "Y"), *glue]
    table = RuleTable.build(tmp_path / "grammar", rules, labels=("X", "Y", "S"))
    translator = TextTranslator(HieroDecoder(table, language_model(2)))
    tally = LineTally()
    with ExitStack() as stack:
        write = LineWriter(translator, LineSettings(output=tmp_path / "out"), None, stack)
        lines = [InputLine("a", reference="A"), "b", InputLine("a", reference="B")]
        for line in translator.stream(lines):
            tally.count(line, write(line))
    assert (tmp_path / "out").read_text() == "A\n\n\n"
    assert (tally.untranslated, tally.unreachable) == ([2], [3])
    assert len(list(tally.warnings())) == 2


@pytest.mark.parametrize(
    ("changed", "code", "argument"),
    [
        ({"lm": ["a:b=lm.rlm"]}, "argument.value", "--lm"),
        ({"lm": ["x=a", "x=b"]}, "argument.duplicate", "--lm"),
        ({"reorder_kind": "word"}, "file.mismatch", "--reorder-kind"),
        ({"text_source": "de.json"}, "argument.missing", "--text-target"),
    ],
)
def test_parts_that_do_not_fit(parts, changed, code, argument):
    with refuses(DecodingError, code, argument=argument):
        other = replace(parts, **changed)
        other.translator(other.open_models())
