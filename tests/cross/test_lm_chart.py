"""Chart states of language models against tests/reference/chart.py and left-to-right scores."""

from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.ngrams import backoff_models, random_model, written
from tests.reference.chart import part_score, part_state
from tests.refusals import refuses

from rosewood.errors import LanguageModelError
from rosewood.lm import ChartState, Model, chart_score, estimate

EXAMPLES = settings(max_examples=30, deadline=None)
each_layout = pytest.mark.parametrize("layout", ["fast", "small"])


def sentence_of(model, random):
    """Words of the model's n-grams, so that long ones occur; some are unknown."""
    ngrams = list(model.probability)
    chosen = random.integers(len(ngrams), size=random.integers(0, 6))
    return tuple(word for i in chosen for word in ngrams[i] if word not in (1, 2))


def bracketed(model, words, random, check=None):
    """Score and state of words that are put together in a random order."""
    total, parts, at = 0.0, [], 0
    while at < len(words):
        size = int(random.integers(1, len(words) - at + 1))
        if size < len(words) and random.random() < 0.6:
            score, part = bracketed(model, words[at : at + size], random, check)
            total += score
            parts.append(part)
        else:
            size = 1
            parts.append(words[at])
        at += size
        if random.random() < 0.1:
            parts.append(chart_score(model, [])[1])  # a part without words changes nothing
    score, state = chart_score(model, parts)
    if check:
        check(words, total + score, state)
    return total + score, state


@each_layout
@EXAMPLES
@given(backoff_models(), st.integers(0, 2**32 - 1))
def test_any_bracketing_has_the_score_from_left_to_right(layout, reference, seed):
    random = np.random.default_rng(seed)

    def check(words, score, state):
        want = part_state(reference, words)
        assert (state.left, state.is_full, state.right) == (want.left, want.is_full, want.right)
        assert score == pytest.approx(part_score(reference, words), abs=1e-6)

    with TemporaryDirectory() as folder:
        model = written(reference, Path(folder) / "lm", layout=layout)
        for _ in range(4):
            words = sentence_of(reference, random)
            score, state = bracketed(model, words, random, check)
            for begin, end in product((False, True), repeat=2):
                text = " ".join(reference.words[w] if w else "strange" for w in words)
                rest, _ = chart_score(model, [state], begin=begin, end=end)
                want = model.score(text, begin=begin, end=end)
                assert score + rest == pytest.approx(want, abs=1e-9)


@pytest.mark.slow
@each_layout
@EXAMPLES
@given(backoff_models(max_order=4, max_words=5), st.integers(0, 2**32 - 1))
def test_equal_states_have_equal_futures(layout, reference, seed):
    random = np.random.default_rng(seed)
    words = [0, *range(3, len(reference.words))]
    known = {}
    with TemporaryDirectory() as folder:
        model = written(reference, Path(folder) / "lm", layout=layout)
        for _ in range(40):
            part = tuple(random.choice(words, random.integers(1, 6)).tolist())
            _, state = chart_score(model, part)
            other = known.setdefault(state, part)
            for _ in range(3):
                before = tuple(random.choice(words, random.integers(0, 5)).tolist())
                behind = tuple(random.choice(words, random.integers(0, 5)).tolist())
                changes = [
                    part_score(reference, (*before, *each, *behind)) - part_score(reference, each)
                    for each in (part, other)
                ]
                assert changes[0] == pytest.approx(changes[1], abs=1e-6)


@each_layout
def test_a_larger_model(layout, tmp_path):
    reference = random_model(3, words=30, order=5, ngrams=4000)
    model = written(reference, tmp_path / "lm", layout=layout)
    random = np.random.default_rng(4)
    for _ in range(100):
        words = sentence_of(reference, random)
        score, _ = bracketed(model, words, random)
        assert score == pytest.approx(part_score(reference, words), abs=1e-6)
    # What is between the first and last words does not matter.
    edge = (3, 4, 5, 6)
    states = {chart_score(model, [*edge, *middle, *edge])[1] for middle in product((7, 8), (9, 3))}
    assert len(states) == 1


@each_layout
def test_an_estimated_model_and_words_by_name(layout, tmp_path):
    lines = ["the house is small", "the small house is here", "a house is a house"]
    model = estimate(lines, order=3).save(tmp_path / "lm.rlm", layout=layout)
    cost, house = chart_score(model, ["the", "house"])
    more, phrase = chart_score(model, [house, "is", "unheard-of"])
    rest, whole = chart_score(model, [phrase], begin=True, end=True)
    want = model.score("the house is unheard-of")
    assert cost + more + rest == pytest.approx(want, abs=1e-9)
    assert isinstance(whole, ChartState)
    assert whole.left == ()
    assert phrase.right == model.state(["house", "is", "unheard-of"])
    assert chart_score(model, ["the", "house"]) == (cost, house)
    assert hash(chart_score(model, ["the", "house"])[1]) == hash(house)


def test_bad_parts_are_refused(tmp_path):
    model = estimate(["a b c", "a c"], order=3).save(tmp_path / "3.rlm")
    other = estimate(["a b c", "a c"], order=2).save(tmp_path / "2.rlm")
    _, state = chart_score(model, ["a"])
    for word in ("<s>", "</s>", 1, 2, -1):
        with refuses(LanguageModelError, "lm.sentence-mark", value=word):
            chart_score(model, [word])
    with refuses(LanguageModelError, "argument.range"):
        chart_score(model, [10**6])
    with refuses(LanguageModelError, "lm.other-model"):
        chart_score(other, [state])
    row = list(state.row)
    row[3] = 10**6
    with refuses(LanguageModelError, "lm.other-model"):
        chart_score(Model.open(tmp_path / "3.rlm"), [ChartState(tuple(row))])
