"""The table of dense features that Python and native code share."""

from itertools import permutations

import numpy as np
import pytest
from tests.decoders import WEIGHTS, write_models
from tests.refusals import refuses

from rosewood import _core
from rosewood.decode import SearchSettings
from rosewood.errors import DecodingError
from rosewood.lm import Model
from rosewood.rules import RuleTable

ROWS = [
    ("phrase_ef", "table", 3),
    ("phrase_fe", "table", 0),
    ("mine", "option", 0),
    ("yours", "option", 1),
    ("word_penalty", "word_penalty", 0),
    ("phrase_penalty", "phrase_penalty", 0),
    ("unknown_penalty", "unknown_penalty", 0),
    ("distortion", "distortion", 0),
    ("lm", "lm", 0),
    ("more", "lm", 1),
    ("reorder_swap", "orientation", 0),
]


def test_names_are_in_the_order_of_rows():
    layout = _core.FeatureLayout(ROWS)
    assert layout.rows == ROWS
    assert layout.names == [name for name, _, _ in ROWS]
    assert len(layout) == len(ROWS)
    assert layout.stateless == 7


def test_blocks_are_found_by_kind():
    layout = _core.FeatureLayout(ROWS)
    assert layout.block("table") == (0, 2)
    assert layout.block("option") == (2, 2)
    assert layout.block("lm") == (8, 2)
    assert layout.block("orientation") == (10, 1)
    assert _core.FeatureLayout([]).block("lm")[1] == 0
    with refuses(DecodingError, "argument.choice", argument="kind"):
        layout.block("nonsense")


@pytest.mark.parametrize(
    ("rows", "code", "argument"),
    [
        ([("a", "nonsense", 0)], "argument.choice", "kind"),
        ([("", "lm", 0)], "argument.value", "name"),
        ([("a", "lm", 0), ("a", "lm", 1)], "argument.duplicate", "name"),
        (
            [("a", "lm", 0), ("b", "distortion", 0), ("c", "lm", 1)],
            "decoding.feature-order",
            None,
        ),
        ([("a", "distortion", 0), ("b", "distortion", 0)], "argument.duplicate", "kind"),
        ([("a", "lm", 1)], "argument.value", "index"),
        ([("a", "lm", 0), ("b", "lm", 0)], "argument.value", "index"),
        ([("a", "distortion", 1)], "argument.value", "index"),
        ([("a", "table", -1)], "argument.range", "index"),
        ([("a", "lm", 0), ("b", "table", 0)], "decoding.feature-order", None),
    ],
)
def test_bad_rows_are_refused(rows, code, argument):
    with refuses(DecodingError, code, argument=argument):
        _core.FeatureLayout(rows)


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    write_models(folder)
    return RuleTable.open(folder / "rules"), Model.open(folder / "lm.rlm")


GOOD = [("phrase_ef", "table", 0), *ROWS[4:9]]


def native_model(models, rows, columns=(), lms=1):
    table, lm = models
    layout = _core.FeatureLayout(rows)
    return _core.PhraseModel(layout, table.native, [lm.native] * lms, [], list(columns))


def test_a_decoder_refuses_a_layout_that_does_not_fit(models):
    native_model(models, GOOD)
    for kind in ("word_penalty", "phrase_penalty", "unknown_penalty", "distortion"):
        with refuses(DecodingError, "decoding.missing-feature", argument=kind):
            native_model(models, [row for row in GOOD if row[1] != kind])
    with refuses(DecodingError, "argument.shape", argument="lm", value=0):
        native_model(models, GOOD, lms=0)
    with refuses(DecodingError, "argument.shape", argument="orientation", value=1):
        native_model(models, GOOD, columns=[-1])
    with refuses(DecodingError, "argument.range", argument="column", value=99):
        native_model(models, [("x", "table", 99), *GOOD[1:]])


def best_of(models, rows):
    """Score and features of the best translation of a sentence, by names."""
    model = native_model(models, rows)
    weights = {**WEIGHTS, "distortion": -0.3}  # jumps are wanted
    theta = np.array([weights[name] for name, _, _ in rows])
    decoder = _core.PhraseDecoder(model, theta, 0)
    options = decoder.options([["das", "haus", "ist", "klein", "zyx"]], [[]], 7, False, 1, 1)
    (found,) = decoder.search(options, [None], *SearchSettings().native(), True, 1, 1)
    _, values, score = found.best
    return score, dict(zip((name for name, _, _ in rows), values.tolist(), strict=True))


def test_positions_are_asked_for_and_not_assumed(models):
    """Every order that is allowed gives the same translation, features and score."""
    score, values = best_of(models, GOOD)
    assert all(values.values())
    for stateless in permutations(GOOD[:4]):
        for rest in permutations(GOOD[4:]):
            found, named = best_of(models, [*stateless, *rest])
            assert found == pytest.approx(score)
            assert named == pytest.approx(values)
