"""What may stand for words that nobody has a rule for, that people insist on, that features are
added to: the decoder against all derivations there are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.phrase_checks import check_best, derivations_of, summary, wanted
from tests.phrase_models import (
    COLUMNS,
    PENALTIES,
    UNKNOWN,
    UNLIMITED,
    Case,
    cases,
    decoder_of,
    language_model,
)
from tests.reference import phrase_search as reference
from tests.reference.phrase_options import Forced as ReferenceForced
from tests.reference.phrase_options import copied, dropped

from rosewood.decode import Forced, RuleIds, Source, TargetWords

EXAMPLES = settings(max_examples=30, deadline=None)
modes = st.sampled_from(["cube", "full"])


def check(case, decoder, problem, source):
    """All derivations and the best one."""
    found = decoder.search(source)
    some = summary(derivations_of(found.forest, decoder.theta()), case.language_models)
    assert some == wanted(problem)
    assert found.best.score == pytest.approx(reference.best(problem)[0], abs=1e-6)
    return found


def spelt(word):
    """Two translations for a word, none for others."""
    return [f"{word} {word}", ""] if word == UNKNOWN else None


def spelt_or_copied(word):
    return spelt(word) or [word]


UNKNOWN_WORDS = [("copy", copied), ("drop", dropped), (spelt, spelt_or_copied)]


# -- forced translations ---------------------------------------------------------------------------


@st.composite
def forced_spans(draw, words):
    """Spans of a sentence with one translation or two; those that are exclusive do not overlap."""
    said = st.sampled_from(["A", "B C", "new word", ""])
    found, free = [], set(range(words))
    for _ in range(draw(st.integers(1, 3))):
        begin = draw(st.integers(0, words - 1))
        end = draw(st.integers(begin + 1, min(words, begin + 3)))
        targets = tuple(draw(st.lists(said, min_size=1, max_size=2, unique=True)))
        exclusive = free.issuperset(range(begin, end)) and draw(st.booleans())
        if exclusive:
            free -= set(range(begin, end))
        found.append((begin, end, targets, exclusive))
    return found


@pytest.mark.slow
@EXAMPLES
@given(cases(max_words=5, most=200), modes, st.data())
def test_forced_translations(case, search, data):
    spans = data.draw(forced_spans(len(case.words)))
    unknown, by = data.draw(st.sampled_from(UNKNOWN_WORDS))
    limits = {"max_phrase": data.draw(st.sampled_from([None, 1, 2]))}
    forced = [ReferenceForced(*span) for span in spans]
    problem = case.problem(forced=forced, unknown=by, **limits)
    how = replace(UNLIMITED, search=search, **limits)
    with decoder_of(case, how, unknown=unknown) as decoder:
        source = Source(case.words, forced=tuple(Forced(*span) for span in spans))
        found = check(case, decoder, problem, source)
        said = found.best
        for begin, end, targets, exclusive in spans:
            if exclusive:
                (use,) = [use for use in said.rules if use.begin < end and begin < use.end]
                assert (use.begin, use.end, use.is_forced, use.rule) == (begin, end, True, None)
                target = said.words[use.target_begin : use.target_end]
                assert " ".join(target) in targets


# -- unknown words -------------------------------------------------------------------------------


@pytest.mark.slow
@EXAMPLES
@given(cases(max_words=5, most=300), modes, st.sampled_from(UNKNOWN_WORDS))
def test_unknown_words(case, search, either):
    unknown, by = either
    problem = case.problem(unknown=by)
    with decoder_of(case, replace(UNLIMITED, search=search), unknown=unknown) as decoder:
        said = check(case, decoder, problem, case.words).best
        check_best(problem, said)
        for use in said.rules:
            if use.is_unknown:
                target = said.words[use.target_begin : use.target_end]
                assert (use.end, use.rule) == (use.begin + 1, None)
                assert " ".join(target) in by(case.words[use.begin])


def test_a_table_without_rules():
    case = Case(("a", "b"), (), {"lm": language_model(2)}, {}, None, (), None)
    case = with_weights(case, dict.fromkeys((*COLUMNS, *PENALTIES, "distortion", "lm"), 0.5))
    with decoder_of(case) as decoder:
        said = check(case, decoder, case.problem(), "a b").best
        assert said.features["unknown_penalty"] == -200


# -- features that users add -----------------------------------------------------------------------


class Shape:
    """Dense: how long an option is on both sides, and whether the next word is unknown."""

    names = ("letters", "before_unknown")

    def __call__(self, options):
        rows = [
            shape(options.words, Bare(options.begin[n], options.end[n], options.target_words(n)))
            for n in range(len(options))
        ]
        return np.array([[row[name] for name in self.names] for row in rows]).reshape(-1, 2)


class Bare:
    def __init__(self, begin, end, target):
        self.begin, self.end, self.target = int(begin), int(end), tuple(target)


def shape(words, option):
    letters = sum(map(len, option.target)) - (option.end - option.begin)
    is_before = option.end < len(words) and words[option.end] == UNKNOWN
    return {"letters": letters / 4, "before_unknown": float(is_before)}


class Pairs:
    """Sparse: every pair of a source word and a target word of an option."""

    template = "pair"

    def __call__(self, options, chosen):
        which, names, values = [], [], []
        for n in chosen.tolist():
            bare = Bare(options.begin[n], options.end[n], options.target_words(n))
            for name, value in pairs(options.words, bare).items():
                which.append(n)
                names.append(name)
                values.append(value)
        return np.array(which, np.int64), names, np.array(values, float)


def pairs(words, option):
    found = {}
    for source in words[option.begin : option.end]:
        for target in option.target:
            name = f"pair:{source}_{target}"
            found[name] = found.get(name, 0.0) + 0.5
    return found


WEIGHTS = {"letters": 0.7, "before_unknown": -1.0, "pair:a_A": 2.0, "pair:b_C": -0.5}


def with_weights(case, weights):
    return replace(case, weights={**case.weights, **weights})


@pytest.mark.slow
@EXAMPLES
@given(cases(max_words=5, most=300), modes)
def test_columns_and_sparse_features_from_python(case, search):
    case = with_weights(case, WEIGHTS)
    more = [
        lambda option, rule: shape(case.words, option),
        lambda option, rule: pairs(case.words, option),
    ]
    problem = case.problem(features=more)
    how = replace(UNLIMITED, search=search)
    with decoder_of(case, how, features=[Shape(), Pairs()]) as decoder:
        said = check(case, decoder, problem, case.words).best
        assert said.features.get("letters", 0.0) == pytest.approx(
            sum(map(len, said.words)) / 4 - len(case.words) / 4
        )
        check_best(problem, said)


@pytest.mark.slow
@EXAMPLES
@given(cases(max_words=5, most=300), modes)
def test_rule_ids_and_target_words(case, search):
    with decoder_of(case) as built:
        ids = {rule.name: f"rule:{rule.id}" for rule in built.table}
        known = set(built.table.target_words)
    some = {ids[rule.name]: 0.5 for rule in case.rules[::2]}
    case = with_weights(case, {**some, "word:A": 1.0, "word:B": -1.0})

    def names(option, rule):
        return {} if rule is None else {ids[rule.name]: 1.0}

    def words(option, rule):
        target = [word for word in option.target if word in known]
        return {f"word:{word}": float(target.count(word)) for word in target}

    problem = case.problem(features=[names, words])
    how = replace(UNLIMITED, search=search)
    with decoder_of(case, how, features=[RuleIds(), TargetWords()]) as decoder:
        said = check(case, decoder, problem, case.words).best
        check_best(problem, said)
        table = decoder.table
        for use in said.rules:
            if use.rule is not None:
                rule = table.by_id(use.rule)
                assert rule.source == case.words[use.begin : use.end]
                assert rule.target == said.words[use.target_begin : use.target_end]


@pytest.mark.slow
@EXAMPLES
@given(cases(max_words=5, most=100), modes, st.data())
def test_all_of_it_at_once(case, search, data):
    """With a reference, too, and features of one's own for forced and unknown words."""
    case = with_weights(case, WEIGHTS)
    spans = data.draw(forced_spans(len(case.words)))
    unknown, by = data.draw(st.sampled_from(UNKNOWN_WORDS))
    asked = {
        "forced": [ReferenceForced(*span) for span in spans],
        "unknown": by,
        "features": [
            lambda option, rule: shape(case.words, option),
            lambda option, rule: pairs(case.words, option),
        ],
    }
    every = {reference.yield_of(one) for one in reference.derivations(case.problem(**asked))}
    said = data.draw(st.sampled_from(sorted(every)))
    how = replace(UNLIMITED, search=search)
    with decoder_of(case, how, features=[Shape(), Pairs()], unknown=unknown) as decoder:
        source = Source(case.words, tuple(Forced(*span) for span in spans), said)
        check(case, decoder, case.problem(reference=said, **asked), source)
