"""Features of events and the models made of them, against their definitions."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.cross.test_rule_events import aligned_corpora
from tests.reference import classifiers
from tests.reference import event_features as reference
from tests.refusals import refuses

from rosewood import _core
from rosewood.errors import FormatError, ReorderingError
from rosewood.reorder import CorpusEvents, LinearReordering, TextEvents
from rosewood.reorder.event_features import FeatureTable, count_features
from rosewood.reorder.settings import EventFeatureSettings
from rosewood.rules.events import orientation_events
from rosewood.rules.settings import EVENT_CLASSES


class Classes:
    """Word classes by a table; words without one have the class 0."""

    def __init__(self, table):
        self.table = table

    def numbers(self, words):
        return np.array([self.table.get(word, 0) for word in words], np.int32)


PLAIN = {"window": 1, "source_edges": False, "target_edges": False}
CLASSES = Classes({"a": 1, "b": 1, "c": 2}), Classes({"a": 3, "d": 1})

feature_settings = st.builds(
    EventFeatureSettings,
    window=st.integers(0, 3),
    sides=st.booleans(),
    boundaries=st.booleans(),
    source_edges=st.booleans(),
    target_edges=st.booleans(),
    symbols=st.sampled_from(["words", "classes", "both"]),
    min_count=st.integers(1, 3),
)


def definitions(events: CorpusEvents, chosen: EventFeatureSettings) -> list[Counter[str]]:
    """The features of all events by name."""
    corpus, found = events.corpus, []
    for block in events.blocks():
        for n, (first, behind) in enumerate(pairwise(block.pair_start.tolist())):
            k = int(block.sentence[n])
            source, target = corpus.source.words(k), corpus.target.words(k)
            types = corpus.source.types, corpus.target.types
            pairs = [
                (types[0][f], types[1][e])
                for f, e in zip(block.pair_source[first:behind], block.pair_target[first:behind],
                                strict=True)
            ]  # fmt: skip
            found.append(
                reference.feature_names(
                    source, int(block.source_begin[n]), int(block.source_end[n]),
                    target[block.target_begin[n] : block.target_end[n]], pairs, chosen,
                    (CLASSES[0].table, CLASSES[1].table), (0, 0),
                )
            )  # fmt: skip
    return found


def named_rows(table: FeatureTable, events: CorpusEvents) -> list[Counter[str]]:
    names = [table.name(key) for key in table.key.tolist()]
    found = []
    for block in events.blocks():
        start, feature, count = table.rows(block)
        for first, behind in pairwise(start.tolist()):
            own = zip(feature[first:behind].tolist(), count[first:behind].tolist(), strict=True)
            found.append(Counter({names[f]: int(c) for f, c in own}))
    return found


@settings(max_examples=150)
@given(aligned_corpora(), feature_settings)
def test_features_are_those_of_the_definition(made, chosen):
    _, corpus, links = made
    events = CorpusEvents(corpus, links, max_phrase=3)
    table = count_features(events, chosen, classes=CLASSES)
    want = definitions(events, chosen)
    total = sum(want, Counter())
    kept = {name for name, count in total.items() if count >= chosen.min_count}
    assert {table.name(key): n for key, n in zip(table.key.tolist(), table.count, strict=True)} == {
        name: total[name] for name in kept
    }
    assert (np.diff(table.count) <= 0).all()
    found = named_rows(table, events)
    assert found == [Counter({n: c for n, c in each.items() if n in kept}) for each in want]
    part = np.arange(len(table)) % 2 == 0
    kept_names = [table.name(key) for key in table.key[part].tolist()]
    fewer = table.only(part)
    assert [fewer.name(key) for key in fewer.key.tolist()] == kept_names
    if chosen.symbols == "words":
        used = {name.partition(":")[2] for name in kept_names}
        assert all(any(word in each for each in used) for word in fewer.source_words)


@settings(max_examples=60)
@given(aligned_corpora(), st.sampled_from(["msd", "mslr", "distance"]))
def test_text_is_the_same_as_the_corpus(made, classes):
    _, corpus, links = made
    lines, labels = [], []
    for block in orientation_events(corpus, links, classes=classes):
        lines += block.lines()
        labels += block.orientation.tolist()
    own = EventFeatureSettings(min_count=1, window=1)
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "events"
        path.write_text("".join(f"{line}\n" for line in lines))
        text = TextEvents([path], classes=classes)
        assert [n for block in text.blocks() for n in block.labels["backward"].tolist()] == labels
        events = CorpusEvents(corpus, links, classes=classes, directions=("backward",))
        one, other = (count_features(each, own) for each in (text, events))
        assert sorted(map(one.name, one.key.tolist())) == sorted(
            map(other.name, other.key.tolist())
        )
        assert named_rows(one, text) == named_rows(other, events)


def random_model(bits="32", totals=False, seed=1, directions=("backward", "forward"), **chosen):
    """A model of a few words with random weights."""
    chance = np.random.default_rng(seed)
    own = EventFeatureSettings(**{"min_count": 1, **PLAIN, **chosen})
    from rosewood.align import Links
    from rosewood.corpus import IndexedCorpus

    corpus = IndexedCorpus.from_lines(["a b c d a", "b b", "c a b"], ["A B C D", "B A", "A C B"])
    links = Links.of([{(0, 0), (1, 1), (2, 3), (4, 2)}, {(0, 0), (1, 0)}, {(0, 1), (1, 0), (2, 2)}])
    events = CorpusEvents(corpus, links, directions=directions)
    table = count_features(events, own, classes=CLASSES)
    width = len(directions) * 4
    weights = chance.normal(0, 1, (len(table), width))
    if totals:
        weights = np.log(1 + chance.integers(0, 9, (len(table), width)))
    model = LinearReordering.make(
        table, weights, name="maxent", kind="hierarchy", classes="mslr", directions=directions,
        bias=chance.normal(0, 1, width).tolist(), bits=bits,
        totals=np.exp(weights).sum(axis=0).tolist() if totals else None,
    )  # fmt: skip
    return events, table, weights, model


@pytest.mark.parametrize("symbols", ["words", "classes", "both"])
@pytest.mark.parametrize(("bits", "close"), [("32", 1e-5), ("16", 1e-3), ("8", 0.2)])
def test_probabilities_are_those_of_the_formula(bits, close, symbols, tmp_path):
    events, table, weights, made = random_model(bits, symbols=symbols, window=2, target_edges=True)
    made.save(tmp_path / "model")
    model = LinearReordering.open(tmp_path / "model")
    model.verify()
    names = [table.name(key) for key in table.key.tolist()]
    found = np.concatenate([rows for rows, _ in model.classify(events)])
    for row, features in zip(found, definitions(events, table.settings), strict=True):
        for first in (0, 4):
            own = {n: w[first : first + 4] for n, w in zip(names, weights.tolist(), strict=True)}
            bias = model.facts["bias"][first : first + 4]
            want = reference.linear_log_probabilities(features, own, bias)
            assert row[first : first + 4] == pytest.approx(want, abs=close)


def test_full_inference_needs_no_gamma_function():
    events, table, weights, model = random_model(totals=True, window=2, sides=False)
    names = [table.name(key) for key in table.key.tolist()]
    found = np.concatenate([rows for rows, _ in model.classify(events)])
    for row, features in zip(found, definitions(events, table.settings), strict=True):
        for first in (0, 4):
            counts = {
                n: np.exp(w[first : first + 4]) - 1 for n, w in zip(names, weights, strict=True)
            }
            prior = np.exp(model.facts["bias"][first : first + 4]).tolist()
            want = reference.dirichlet_log_probabilities(features, counts, 1.0, prior)
            assert row[first : first + 4] == pytest.approx(want, abs=1e-5)
    assert max(max(each.values()) for each in definitions(events, table.settings)) > 1


def test_why(tmp_path):
    _, table, weights, model = random_model()
    chances, reasons = model.explain(["a", "b", "c"], 1, 2, ["B"], [(0, 0)], "forward")
    assert [each.feature for each in reasons] == ["(prior)", "pair:b&B", "left:a", "right:c"]
    names = [table.name(key) for key in table.key.tolist()]
    row = dict(zip(EVENT_CLASSES["mslr"], weights[names.index("left:a")][4:], strict=True))
    assert reasons[2].weights == pytest.approx(row, abs=1e-6)
    unknown = model.explain(["ü"], 0, 1, ["x"], [(0, 0)], "backward")[1]
    assert [each.feature for each in unknown] == ["(prior)", "left:<s>", "right:</s>"]
    # Reasons add up to the log odds of two classes.
    for one, other in (("monotone", "swap"), ("left", "right")):
        odds = sum(each.weights[one] - each.weights[other] for each in reasons)
        assert odds == pytest.approx(np.log(chances[one] / chances[other]), abs=1e-5)
    assert sum(chances.values()) == pytest.approx(1)
    strongest = model.strongest(3, "backward")
    spread = np.ptp(weights[:, :4], axis=1)
    best = np.argsort(-spread)[:3]
    assert [each.feature for each in strongest] == [names[n] for n in best]


def test_reasons_of_full_inference_know_how_frequent_a_class_is():
    _, table, weights, model = random_model(totals=True)
    totals = np.array(model.facts["totals"])
    assert len(set(totals.tolist())) > 1
    _, reasons = model.explain(["a", "b", "c"], 1, 2, ["B"], [(0, 0)], "forward")
    names = [table.name(key) for key in table.key.tolist()]
    want = weights[names.index("left:a")][4:] - np.log(totals[4:])
    (found,) = (each for each in reasons if each.feature == "left:a")
    assert list(found.weights.values()) == pytest.approx(want.tolist(), abs=1e-5)
    spread = np.ptp(weights[:, :4] - np.log(totals[:4]), axis=1)
    assert model.strongest(1, "backward")[0].feature == names[int(spread.argmax())]


def test_threads_change_nothing():
    from tests.aligned import random_pairs

    from rosewood.align import Links
    from rosewood.corpus import IndexedCorpus

    pairs = random_pairs(3, 400)
    corpus = IndexedCorpus.from_lines(*zip(*((p.source, p.target) for p in pairs), strict=True))
    links = Links.of(pair.links for pair in pairs)
    events = CorpusEvents(corpus, links)
    chosen = EventFeatureSettings(window=2)
    one = count_features(events, chosen)
    for threads in (2, 5):
        other = count_features(events, chosen, threads=threads)
        assert np.array_equal(one.key, other.key)
        assert np.array_equal(one.count, other.count)
        for block in events.blocks():
            for a, b in zip(one.rows(block), other.rows(block, threads), strict=True):
                assert np.array_equal(a, b)


BAD_LINES = {
    "swap": "line.value",
    "swap ||| a ||| A ||| a&A": "line.value",
    "left ||| a ||| A ||| a&A ||| <s> </s>": "line.value",
    "swap ||| a ||| A ||| aA ||| <s> </s>": "line.value",
    "swap ||| a ||| A ||| a&A ||| <s>": "line.value",
    "swap |||  ||| A ||| a&A ||| <s> </s>": "line.value",
    "swap ||| a |||  ||| a&A ||| <s> </s>": "line.value",
}


@pytest.mark.parametrize("line", BAD_LINES)
def test_lines_that_are_no_events(line, tmp_path):
    path = tmp_path / "events"
    path.write_text(
        f"swap ||| a ||| A ||| a&A ||| <s> </s>\nswap ||| a ||| A |||  ||| b </s>\n{line}\n"
    )
    with refuses(FormatError, BAD_LINES[line], file=str(path), line=3):
        list(TextEvents([path]).blocks())


def test_words_that_look_like_marks(tmp_path):
    path = tmp_path / "events"
    path.write_text("monotone ||| & ||| \\ ||| \\&&\\\\ ||| \\<s> </s>\n")
    events = TextEvents([path])
    table = count_features(events, EventFeatureSettings(min_count=1, **PLAIN))
    assert sorted(map(table.name, table.key.tolist())) == ["left:<s>", "pair:&&\\", "right:</s>"]
    assert events.words() == (["&", "<s>"], ["\\"])


def test_wide_windows_need_a_corpus(tmp_path):
    path = tmp_path / "events"
    path.write_text("")
    with refuses(ReorderingError, "argument.range", argument="window", value=2):
        count_features(TextEvents([path]), EventFeatureSettings(window=2))
    with refuses(ReorderingError, "argument.missing", argument="classes"):
        count_features(TextEvents([path]), EventFeatureSettings(symbols="both", window=1))


def first_slot(key: int, slots: int) -> int:
    """As core/reorder/linear_model.hpp has it."""
    for _ in range(2):
        key = (key ^ key >> 32) * 0xD6E8FEB86659FD93 & 2**64 - 1
    return ((key ^ key >> 32) >> 32) * slots >> 32


@given(st.lists(st.integers(0, 2**62), unique=True, max_size=60))
def test_slots_are_those_of_the_definition(keys):
    slots, places = _core.plan_feature_slots(np.array(keys, np.uint64))
    want, wanted = classifiers.plan_feature_slots(keys, first_slot)
    free = 2**64 - 1
    assert slots.tolist() == [free if key is None else key for key in want]
    assert places.tolist() == wanted


@given(st.lists(st.lists(st.integers(0, 6), max_size=6), min_size=1, max_size=6), st.booleans())
def test_examples_are_put_in_order(rows, has_values):
    start = np.cumsum([0, *map(len, rows)], dtype=np.int64)
    feature = np.array([number for row in rows for number in row], np.int32)
    value = np.arange(1, len(feature) + 1, dtype=np.float32) if has_values else _NO_VALUES
    begin, features, values = _core.ordered_examples(start, feature, value, 7)
    want = classifiers.ordered_examples(start.tolist(), feature.tolist(), value.tolist(), 7)
    assert (begin.tolist(), features.tolist()) == want[:2]
    assert (values.tolist() or [1.0] * len(features)) == want[2]
    assert classifiers.good_examples(begin.tolist(), features.tolist(), 7)


_NO_VALUES = np.zeros(0, np.float32)
