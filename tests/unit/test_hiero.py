"""The hierarchical decoder at its edges: grammars and sentences that are not the usual ones."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest
from tests.hiero_models import UNLIMITED
from tests.phrase_models import language_model
from tests.reference.chart_search import ChartProblem
from tests.refusals import refuses

from rosewood.decode import HieroDecoder, HieroSettings, SearchSettings, Source
from rosewood.decode.decoder import Decoder
from rosewood.errors import DecodingError
from rosewood.lm import estimate
from rosewood.rules import Gap, Rule, RuleTable

COLUMNS = ("phrase_ef",)
X1, X2 = Gap("X", 1), Gap("X", 2)


def rule(source, target, left="X", value=-0.5):
    return Rule(tuple(source), tuple(target), left, (), {"phrase_ef": value})


WORDS = [rule("a", "A"), rule("b", "B"), rule("c", "C")]
SWAP = rule([X1, "b", X2], [X2, "B", X1], value=1.0)


def made(folder, rules, labels=None, **more):
    table = RuleTable.build(folder / "table", rules, labels=labels, features=COLUMNS)
    return HieroDecoder(table, language_model(3), **more)


@pytest.fixture
def decoder(tmp_path):
    return made(tmp_path, [*WORDS, SWAP])


def test_it_is_a_decoder(decoder):
    assert isinstance(decoder, Decoder)
    again = pickle.loads(pickle.dumps(decoder))
    assert again.search("a b c").best.words == decoder.search("a b c").best.words
    assert "HieroDecoder" in repr(decoder)


def test_settings_of_another_decoder_are_refused(decoder):
    with refuses(DecodingError, "argument.type", argument="settings"):
        decoder.with_settings(SearchSettings())
    with refuses(DecodingError, "argument.type", argument="settings"):
        HieroDecoder(decoder.table, language_model(3), settings=SearchSettings())


def test_a_rule_with_gaps_moves_what_fills_them(decoder):
    best = decoder.with_weights({**decoder.weights, "phrase_ef": 5.0}).search("a b c").best
    assert best.words == ("C", "B", "A")
    top = best.rules[-1]
    assert top.source_spans == ((1, 2),)
    assert top.target_spans == ((1, 2),)
    assert [best.rules[child].source_spans for child in top.children] == [((0, 1),), ((2, 3),)]
    assert best.features["glue"] == 1.0


@pytest.mark.parametrize(
    ("label", "start"), [("S", [Gap("Y", 1)]), ("GOAL", ["<s>"]), ("X][S", ["<s>"])]
)
def test_glue_rules_of_a_table_say_which_labels_are_joined(tmp_path, label, start):
    """Those of cdec and Chiang, of Joshua, and of Moses."""
    both = [Gap(label, 1), Gap("Y", 2)]
    glue = [rule(both, both, label, 9.0), rule(start, start, label, 9.0)]
    some = [rule("a", "A", "Y"), rule("b", "B"), rule("c", "C", "Z"), rule("ac", "AC", "Y")]
    decoder = made(tmp_path, [*some, *glue], labels=("X", "Y", "Z", label))
    best = decoder.search("a ü b a c").best
    assert (best.words, best.features["glue"]) == (("A", "ü", "B", "A", "C"), 4.0)
    assert best.features["phrase_ef"] == -1.5  # of rules for words alone
    assert not decoder.search("a c c").report.reachable


def test_a_rule_of_sentences_is_not_glue_unless_there_is_a_beginning(tmp_path):
    both = [Gap("S", 1), Gap("X", 2)]
    rules = [*WORDS, rule("d", "D", "S"), rule(both, both, "S", 9.0)]
    best = made(tmp_path, rules, labels=("X", "S")).search("d a").best
    assert (best.features["glue"], best.features["phrase_ef"]) == (1.0, 8.0)


@pytest.mark.parametrize(("pops", "words"), [(2, ("P", "x")), (3, ("Q", "y"))])
def test_a_hypothesis_is_looked_at_when_one_before_it_is_taken(tmp_path, pops, words):
    """As Moses does: after `P x` and `P y` comes `Q y`, though `Q x` is worse than all."""
    model = estimate(
        ["P x"] * 5 + ["P y"] * 5 + ["P z"] * 20 + ["Q y"] * 20 + ["x"] * 40, order=2
    ).save(tmp_path / "lm.rlm")
    rules = [rule(["a", X1], [word, X1]) for word in "PQ"] + [rule("b", "x"), rule("b", "y")]
    table = RuleTable.build(tmp_path / "table", rules, features=COLUMNS)
    decoder = HieroDecoder(table, model, settings=HieroSettings(pop_limit=pops))
    weights = dict.fromkeys(decoder.weights, 0.0) | {"lm": 1.0}
    assert decoder.with_weights(weights).search("a b").best.words == words


def test_what_glue_makes_and_other_rules_make_too_begins_a_sentence(tmp_path):
    """S → X Y is a sentence, and S → S Y is glue behind it; within a sentence it has no place."""
    both, pair = [Gap("S", 1), Gap("Y", 2)], [X1, Gap("Y", 2)]
    glue = [rule(both, both, "S"), rule([Gap("Y", 1)], [Gap("Y", 1)], "S")]
    rules = [rule("a", "A"), rule("b", "B", "Y"), rule("c", "C", "Z"), rule("cb", "CB", "S")]
    rules.append(rule(pair, pair[::-1], "S"))
    labels = ("X", "Y", "Z", "S")
    decoder = made(tmp_path, [*rules, *glue], labels=labels, settings=UNLIMITED)
    models = decoder.language_models
    for text, count in (("a b", 2), ("c b", 1), ("a b b", 2), ("b c b", 0), ("c b b a b", 1)):
        found = decoder.search(text)
        problem = ChartProblem(
            text.split(), rules, labels, models, decoder.weights, joined=("X", "Y"), sentence="S"
        )
        assert len(list(problem.derivations())) == count
        assert found.report.reachable == (count > 0)
        if count:
            assert found.forest.num_derivations() == count
            assert found.best.score == pytest.approx(problem.best_score())


def test_nodes_have_spans(decoder):
    forest = decoder.decode("a b c")
    assert forest.span[-1].tolist() == [0, 3]
    assert (forest.span[:, 0] <= forest.span[:, 1]).all()


def test_rules_are_not_longer_than_they_may_be(decoder):
    weights = {**decoder.weights, "phrase_ef": 5.0}
    short = decoder.with_weights(weights).with_settings(HieroSettings(max_span=2))
    assert short.search("a b c").best.words == ("A", "B", "C")


@pytest.mark.parametrize("length", [0, 1, 2, 100, 300])
def test_sentences_of_any_length(decoder, length):
    words = [("a", "b", "c", "ü")[i % 4] for i in range(length)]
    fast = decoder.with_settings(HieroSettings(pop_limit=10))
    found = fast.search(words)
    assert len(found.best.words) == length
    places = sorted(place for use in found.best.rules for place in use.source_places)
    assert places == list(range(length))


def test_a_word_repeated_many_times(decoder):
    found = decoder.with_settings(HieroSettings(pop_limit=20)).search(["b"] * 50)
    assert found.best.words == ("B",) * 50


def test_an_empty_grammar_copies_words(tmp_path):
    decoder = made(tmp_path, [])
    assert decoder.search("x y").best.words == ("x", "y")
    assert not decoder.with_weights(decoder.weights).search("x").best.rules[0].children


def test_results_are_the_same_at_any_number_of_threads(decoder):
    sentences = ["a b c", "c b a ü", "", "b b b b b b b b b b b b"] * 20
    one, two = (
        [
            (found.best.text, found.best.score, found.forest.dense.tobytes())
            for found in decoder.search_all(sentences, threads=threads)
        ]
        for threads in (1, 3)
    )
    assert one == two


def test_a_limit_for_a_sentence_is_reported(decoder):
    found = decoder.with_settings(HieroSettings(max_pops=8)).search("a b c a b c")
    assert found.report.narrowed
    assert len(found.best.words) == 6
    assert not decoder.search("a b c a b c").report.narrowed


def test_labels_that_no_rule_makes_fill_no_gap(tmp_path):
    gap = Gap("Y", 1)
    decoder = made(tmp_path, [*WORDS, rule(["a", gap], ["Z", gap])], ["X", "Y"])
    assert decoder.decode("a b").num_derivations() == 1


def test_rules_that_lead_from_a_label_to_itself_are_refused(tmp_path):
    rules = [
        *WORDS,
        rule([Gap("Y", 1)], [Gap("Y", 1)], "Z"),
        rule([Gap("Z", 1)], [Gap("Z", 1)], "X"),
        rule([Gap("X", 1)], [Gap("X", 1)], "Y"),
    ]
    with refuses(DecodingError, "decoding.cycle", argument="rules") as refused:
        made(tmp_path, rules, ["X", "Y", "Z"])
    table = RuleTable.open(tmp_path / "table")
    named = {number for number in range(len(table)) if str(number) in str(refused.value)}
    assert {table.by_id(number).left for number in named} >= {"X", "Y", "Z"}
    assert "[Y] → [X,1]" in str(refused.value)
    with refuses(DecodingError, "decoding.cycle"):
        made(tmp_path, [rule([X1], [X1])])


def test_a_reference_that_cannot_be_reached(decoder):
    found = decoder.search(Source(("a", "b"), reference=("nothing",)))
    assert not found.report.reachable
    assert found.forest.is_empty
    assert found.best.words == ()
    assert found.best.score == -np.inf


def test_weights_and_settings_are_checked(decoder):
    with refuses(DecodingError, "weights.missing", argument="glue"):
        decoder.with_weights({n: v for n, v in decoder.weights.items() if n != "glue"})
    with refuses(DecodingError, "argument.range", argument="max_span"):
        replace(HieroSettings(), max_span=0)
    with refuses(DecodingError, "argument.type", argument="settings"):
        HieroDecoder(decoder.table, decoder.language_models, settings=7)
