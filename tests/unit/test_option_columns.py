"""What is said of translation options from Python: unknown words, columns, reordering models."""

from __future__ import annotations

import numpy as np
import pytest
from tests.decoders import WEIGHTS, small_decoder

from rosewood.decode import Forced, PhraseDecoder, Source
from rosewood.lm import estimate
from rosewood.reorder import Lexicalized
from rosewood.rules import Rule, RuleTable
from rosewood.rules.settings import orientation_columns

# -- unknown words ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("forced", "asked"),
    [
        ((), ["zyx", "abc", "zyx"]),
        ((Forced(0, 2, ("both",)),), ["abc", "zyx"]),  # nothing else may touch these words
        ((Forced(0, 1, ("one",), exclusive=False),), ["abc", "zyx"]),  # it has a translation
        ((Forced(0, 2, ("both",), exclusive=False),), ["zyx", "abc", "zyx"]),  # it may need one
        ((Forced(2, 4, ("x",)), Forced(0, 1, ("y",), exclusive=False)), []),
    ],
)
def test_nobody_is_asked_for_words_that_have_a_translation(tmp_path, forced, asked):
    words = []

    def ask(word):
        words.append(word)
        return word.upper()

    decoder = small_decoder(tmp_path, unknown=ask)
    found = decoder.search(Source("zyx das abc zyx", forced))
    assert words == asked
    options = found.options
    told = {options.source_words(n)[0] for n in np.flatnonzero(options.is_unknown).tolist()}
    assert told == set(asked)


# -- columns ---------------------------------------------------------------------------------------


class Flat:
    names = ("flat",)

    def __call__(self, options):
        return np.arange(len(options)) + 1.0


class Tall(Flat):
    def __call__(self, options):
        return super().__call__(options)[:, None]


def test_one_column_may_be_a_row_of_numbers(tmp_path):
    found = []
    for number, feature in enumerate((Flat(), Tall())):
        (tmp_path / str(number)).mkdir()
        decoder = small_decoder(
            tmp_path / str(number), features=[feature], weights={**WEIGHTS, "flat": 0.25}
        )
        best = decoder.search("das zyx").best
        assert best.features["flat"] > 0
        found.append((best.words, best.score, dict(best.features)))
    assert found[0] == found[1]


# -- lexicalized reordering ------------------------------------------------------------------------


@pytest.mark.parametrize("ways", [("backward", "forward"), ("forward",), ("backward",)])
@pytest.mark.parametrize("classes", ["msd", "mslr"])
def test_columns_are_the_same_when_asked_for(tmp_path, classes, ways):
    columns = orientation_columns(classes, ways)
    random = np.random.default_rng(7)
    rules = [
        Rule(
            source,
            target,
            features={"phrase_ef": -0.5, **dict(zip(columns, row.tolist(), strict=True))},
        )
        for source, target, row in zip(
            [("a",), ("a",), ("b",), ("a", "b")],
            [("A",), ("B",), ("B",), ("B", "A")],
            -random.integers(1, 99, (4, len(columns))) / 16,
            strict=True,
        )
    ]
    table = RuleTable.build(tmp_path / "table", rules)
    model = Lexicalized.of(table)
    assert (model.classes, model.directions) == (classes, ways)

    class Asked(Lexicalized):
        """The same, but the decoder does not find them in the table."""

        def columns(self, table):
            return None

        def log_probabilities(self, options):
            rows = model.log_probabilities(options)
            for n, rule in enumerate(options.rule.tolist()):
                values = options.table[rule].features if rule >= 0 else dict.fromkeys(columns, 0.0)
                assert rows[n].tolist() == [values[name] for name in columns]
            assert (options.rule < 0).sum() == 2
            return rows

    text = Source("a b zyx a", (Forced(3, 4, ("C",)),))
    lm = estimate(["A B A", "B A C"], 2).save(tmp_path / "lm.rlm")
    asked = Asked(model.kind, classes, ways)
    found = [PhraseDecoder(table, lm, reorder=each).search(text).best for each in (model, asked)]
    assert found[0].words == found[1].words
    assert found[0].features == found[1].features
