"""The phrase-based decoder in small: numbers worked out by hand, and what it refuses."""

from __future__ import annotations

import pickle
from itertools import count, islice
from math import inf, nan

import numpy as np
import pytest
from tests.reference.phrase_search import LOG_OF_TEN
from tests.refusals import refuses

from rosewood.decode import Forced, PhraseDecoder, RuleIds, SearchSettings, Source, TargetWords
from rosewood.errors import DecodingError
from rosewood.lm import estimate
from rosewood.reorder import Lexicalized
from rosewood.rules import Rule, RuleTable
from rosewood.rules.settings import orientation_columns


def rule(source, target, score, links=()):
    words = tuple(source.split()), tuple(target.split())
    return Rule(*words, links=links, features={"phrase_ef": score, "rule_penalty": 1.0})


RULES = [
    rule("das", "the", -0.5, ((0, 0),)),
    rule("das haus", "the house", -0.25, ((0, 0), (1, 1))),
    rule("ist", "is", -0.125, ((0, 0),)),
    rule("klein", "small", -0.25, ((0, 0),)),
    rule("klein", "little", -0.75, ((0, 0),)),
]
WEIGHTS = {
    "phrase_ef": 1.0, "word_penalty": -0.5, "phrase_penalty": 0.25, "unknown_penalty": 1.0,
    "distortion": 0.5, "lm": 0.25,
}  # fmt: skip
TEXT = "das haus ist klein"


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    return RuleTable.build(tmp_path_factory.mktemp("rules") / "table", RULES)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    lines = ["the house is small", "the house is little", "small is the house"]
    return estimate(lines, 3).save(tmp_path_factory.mktemp("lm") / "lm.rlm")


@pytest.fixture
def decoder(table, model):
    return PhraseDecoder(table, model, weights=WEIGHTS)


# -- numbers ---------------------------------------------------------------------------------------


def test_a_sentence_by_hand(decoder, model):
    best = decoder.search(TEXT).best
    assert best.text == "the house is small"
    lm = LOG_OF_TEN * model.score(best.words)
    want = {"phrase_ef": -0.625, "word_penalty": -4.0, "phrase_penalty": 3.0, "lm": lm}
    assert best.features == pytest.approx(want)  # no rule_penalty: phrases are counted already
    assert best.score == pytest.approx(-0.625 + 2.0 + 0.75 + 0.25 * lm)
    assert best.links == ((0, 0), (1, 1), (2, 2), (3, 3))
    assert [(use.begin, use.end, use.target_begin, use.target_end) for use in best.rules] == [
        (0, 2, 0, 2), (2, 3, 2, 3), (3, 4, 3, 4),
    ]  # fmt: skip
    assert [decoder.table.by_id(use.rule).target for use in best.rules] == [
        ("the", "house"), ("is",), ("small",),
    ]  # fmt: skip


def test_jumps_are_counted_in_words(decoder):
    # 3 on, back over 4, on at once, and then over the words that are done.
    found = decoder.search(Source(TEXT, reference="small the house is"))
    assert found.best.features["distortion"] == -3 - 4
    backwards = decoder.search(Source(TEXT, reference="small is the house"))
    assert backwards.best.features["distortion"] == -3 - 2 - 3


def test_an_unknown_word_by_hand(decoder):
    best = decoder.search("das auto ist klein").best
    assert best.words == ("the", "auto", "is", "small")
    assert best.features["unknown_penalty"] == -100
    assert [use.is_unknown for use in best.rules] == [False, True, False, False]
    assert best.rules[1].rule is None
    assert (1, 1) in best.links


def test_placeholders_and_tags_are_kept_as_they_are(decoder):
    best = decoder.search("⟦1⟧ das haus ist <b> klein $num_1$ |").best
    assert set(best.words) >= {"⟦1⟧", "<b>", "$num_1$", "|"}


def test_a_glossary_is_exact(decoder):
    source = Source(TEXT, forced=(Forced(1, 3, ("building was", "home is")),))
    best = decoder.search(source).best
    assert best.text == "the home is small"
    assert [use.is_forced for use in best.rules] == [False, True, False]
    assert best.features["phrase_ef"] == -0.75
    assert "unknown_penalty" not in best.features
    nothing = decoder.search(Source(TEXT, forced=(Forced(0, 4, ("",)),))).best
    assert (nothing.words, nothing.links) == ((), ())


def test_what_cannot_be_said(decoder):
    found = decoder.search(Source(TEXT, reference="the house is large"))
    assert not found.report.reachable
    assert found.forest.is_empty
    assert (found.best.words, found.best.score, found.best.rules) == ((), -inf, ())


def test_sentences_are_texts_or_words(decoder):
    want = decoder.search(TEXT).best.words
    for same in ("  das\thaus  ist klein ", TEXT.split(), tuple(TEXT.split()), Source(TEXT)):
        assert decoder.search(same).best.words == want


def test_sentences_are_read_as_they_are_needed(decoder):
    endless = (f"das haus {n}" for n in count())
    words = [one.words[-1] for one in islice(decoder.translate(endless), 3)]
    assert words == ["0", "1", "2"]


def test_forests_share_names(decoder):
    one, other = decoder.decode("das auto"), decoder.decode("das fahrrad")
    assert {"the", "auto"} <= set(one.vocabulary)
    assert "auto" not in other.vocabulary  # words of a request do not stay
    assert one.features is other.features is decoder.features
    assert one.best(one.score(decoder.theta())).text == "the auto"
    assert other.best(other.score(decoder.theta())).text == "the fahrrad"


def test_rules_are_features_even_without_weights(table, model):
    decoder = PhraseDecoder(table, model, features=[RuleIds()], weights=WEIGHTS)
    ids = {rule.name: f"rule:{rule.id}" for rule in table}
    best = decoder.search("ist").best
    assert best.features[ids["rule:ist|||is"]] == 1.0
    little = ids["rule:klein|||little"]
    weights = {**WEIGHTS, little: 5.0, ids["rule:klein|||small"]: 1.0}
    assert decoder.with_weights(weights).search("klein").best.text == "little"
    assert decoder.search("klein").best.text == "small"
    assert little in decoder.decode("klein").features.sparse
    assert decoder.search("klein").describe(little) == f"{little} (klein → little)"


# -- reordering models -----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["word", "phrase", "hierarchy"])
def test_a_table_with_orientations_brings_its_model(tmp_path, model, kind):
    columns = orientation_columns("msd", ("backward",))
    rules = [Rule(("a",), ("A",), features=dict.fromkeys(columns, -1.0))]
    table = RuleTable.build(tmp_path / "table", rules, facts={"orientation": {"kind": kind}})
    assert Lexicalized.of(table) == Lexicalized(kind, "msd", ("backward",))
    decoder = PhraseDecoder(table, model)
    assert decoder.reorder == (Lexicalized.of(table),)
    assert decoder.search("a").best.features["reorder_backward_monotone"] == -1.0
    assert PhraseDecoder(table, model, reorder=()).search("a").best.features.keys() == {
        "word_penalty", "phrase_penalty", "lm",
    }  # fmt: skip


def test_a_table_without_orientations_has_no_model(table, model):
    assert Lexicalized.of(table) is None
    with refuses(DecodingError, "features.missing", argument="orientation_backward_monotone"):
        PhraseDecoder(table, model, reorder=Lexicalized())


# -- what is refused -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sentence", "code", "value"),
    [
        ("a\nb", "source.line-feed", None),
        ("a\ud800", "source.encoding", 2),
        (["a b"], "source.word", "a b"),
        (["a", ""], "source.word", ""),
        (b"a b", "argument.type", b"a b"),
        (None, "argument.type", None),
    ],
)
def test_what_is_no_sentence_is_refused_by_number(decoder, sentence, code, value):
    with refuses(DecodingError, code, value=value, line=2):
        list(decoder.translate(["a", sentence]))


def test_one_sentence_is_no_list_of_them(decoder):
    with refuses(DecodingError, "argument.type", argument="sentences", value="a b"):
        list(decoder.translate("a b"))


@pytest.mark.parametrize(
    ("spans", "code", "argument"),
    [
        ([(0, 2, ("x",)), (1, 3, ("y",))], "argument.conflict", "forced"),
        ([(0, 2, ("x",)), (0, 3, ("y",))], "argument.conflict", "forced"),
        ([(3, 5, ("x",))], "argument.range", "forced"),
        ([(-1, 1, ("x",))], "argument.range", "end"),
        ([(1, 1, ("x",))], "argument.range", "end"),
        ([(0, 1, ())], "argument.missing", "targets"),
        ([(0, 1, "x")], "argument.type", "targets"),
        ([(0, 1, ("x\ny",))], "source.line-feed", None),
    ],
)
def test_a_glossary_that_is_none(decoder, spans, code, argument):
    with refuses(DecodingError, code, argument=argument):
        decoder.search(Source(TEXT, forced=tuple(Forced(*span) for span in spans)))


@pytest.mark.parametrize(
    ("name", "value", "code"),
    [
        ("lm", nan, "weights.value"),
        ("lm", "1", "argument.type"),
        ("ln", 1.0, "weights.unknown"),
        ("lm", None, "argument.type"),
    ],
)
def test_weights_that_are_refused(decoder, name, value, code):
    with refuses(DecodingError, code, argument=name):
        decoder.with_weights({**WEIGHTS, name: value})


@pytest.mark.parametrize("name", ["rule:-1", "rule:007", "rule:+3", "rule:99999999999999999999"])
def test_names_that_look_like_numbered_ones(table, model, name):
    decoder = PhraseDecoder(table, model, features=[RuleIds()], weights=WEIGHTS)
    with refuses(DecodingError, "weights.name", argument=name):
        decoder.with_weights({**WEIGHTS, name: 1.0})
    words = PhraseDecoder(table, model, features=[TargetWords()], weights=WEIGHTS)
    assert words.with_weights({**WEIGHTS, "word:-1": 1.0}).weights["word:-1"] == 1.0


def test_every_feature_needs_a_weight(decoder):
    with refuses(DecodingError, "weights.missing", argument="phrase_ef"):
        decoder.with_weights({"lm": 1.0})


@pytest.mark.parametrize(
    ("name", "value", "code"),
    [
        ("search", "beam", "argument.choice"), ("pop_limit", 0, "argument.range"),
        ("stack_size", 1.5, "argument.type"), ("beam", -1, "argument.range"),
        ("beam", inf, "argument.range"), ("distortion_limit", -1, "argument.range"),
        ("option_limit", True, "argument.type"), ("time_limit", 0, "argument.range"),
        ("time_limit", inf, "argument.range"), ("max_pops", 0, "argument.range"),
        ("max_phrase", 0, "argument.range"),
    ],
)  # fmt: skip
def test_settings_that_are_refused(name, value, code):
    with refuses(DecodingError, code, argument=name, value=value):
        SearchSettings(**{name: value})


def test_a_beam_must_be_a_number():
    with refuses(DecodingError, "argument.range", argument="beam"):
        SearchSettings(beam=nan)


def test_huge_limits_are_as_good_as_none(decoder):
    huge = dict.fromkeys(("pop_limit", "stack_size", "distortion_limit", "option_limit",
                          "max_phrase", "max_pops"), 1 << 80)  # fmt: skip
    free = decoder.with_settings(SearchSettings(**dict.fromkeys(huge)))
    found = decoder.with_settings(SearchSettings(**huge)).search(TEXT)
    assert found.best.score == free.search(TEXT).best.score


class Column:
    def __init__(self, *values, names=("mine",)):
        self.values, self.names = values, names

    def __call__(self, options):
        return np.broadcast_to(np.array(self.values), (len(options), len(self.values)))


@pytest.mark.parametrize(
    ("feature", "code", "argument", "expected"),
    [
        (Column(nan), "feature.values", "mine", "finite numbers"),
        (Column(1.0, 2.0), "feature.values", "mine", (6, 1)),
        (Column("x"), "feature.values", "mine", "numbers"),
        (Column(1.0, names=("lm",)), "feature.duplicate", "lm", None),
        (lambda options: 1.0, "feature.class", "feature", None),
    ],
)
def test_features_that_are_refused(table, model, feature, code, argument, expected):
    with refuses(DecodingError, code, argument=argument, expected=expected):
        PhraseDecoder(table, model, features=[feature], weights={**WEIGHTS, "mine": 1.0}).search(
            TEXT
        )


class Sparse:
    template = "mine"

    def __init__(self, *found):
        self.found = found

    def __call__(self, options, chosen):
        return self.found


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (([0], ["mine:x"], [nan]), "finite numbers"),
        (([0], ["mine:x", "mine:y"], [1.0]), "one length"),
        (([99], ["mine:x"], [1.0]), "options asked for"),
        (([-1], ["mine:x"], [1.0]), "options asked for"),
        (([0], ["other:x"], [1.0]), "mine:…"),
        ((5,), "options, numbers and values"),
    ],
)
def test_sparse_features_that_are_refused(table, model, found, expected):
    decoder = PhraseDecoder(table, model, features=[Sparse(*found)], weights=WEIGHTS)
    with refuses(DecodingError, "feature.values", argument="mine", expected=expected, line=1):
        decoder.search(TEXT)


class FailingColumn:
    names = ("mine",)
    empty = np.zeros((0, 1))

    def __call__(self, options):
        if options.words:
            raise ValueError("no dictionary")
        return self.empty


class FailingSparse:
    template = "mine"
    empty = ((), (), ())

    def __call__(self, options, chosen):
        if options.words:
            raise ValueError("no dictionary")
        return self.empty


@pytest.mark.parametrize(
    ("feature", "weights"),
    [(FailingColumn(), {"mine": 1.0}), (FailingSparse(), {}), (FailingSparse(), {"mine:x": 1.0})],
)
def test_errors_of_features_name_the_sentence_and_the_feature(table, model, feature, weights):
    decoder = PhraseDecoder(table, model, features=[feature], weights={**WEIGHTS, **weights})
    for search in (decoder.search_all, decoder.translate):
        with refuses(DecodingError, "feature.failed", argument="feature 'mine'", line=2) as refused:
            list(search(["", TEXT]))
        assert "no dictionary" in str(refused.value)


@pytest.mark.parametrize(
    ("said", "code"),
    [(["a\nb"], "source.line-feed"), ([None], "argument.type"), ([1], "argument.type")],
)
def test_translations_of_unknown_words_that_are_none(table, model, said, code):
    decoder = PhraseDecoder(table, model, weights=WEIGHTS, unknown=lambda word: said)
    with refuses(DecodingError, code, argument="unknown"):
        decoder.search("auto")


def test_errors_of_a_function_come_through(table, model):
    decoder = PhraseDecoder(table, model, weights=WEIGHTS, unknown=lambda word: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        decoder.search("auto")


def test_results_are_pickled_in_parts(table, model):
    found = PhraseDecoder(table, model, weights=WEIGHTS).search(TEXT)
    with refuses(DecodingError, "decoding.pickle"):
        pickle.dumps(found)
    assert pickle.loads(pickle.dumps(found.best)).words == found.best.words
    assert pickle.loads(pickle.dumps(found.forest)) == found.forest
