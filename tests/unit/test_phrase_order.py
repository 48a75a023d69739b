"""What comes first in a search: the order of options, who wins among equals, what is one node."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.phrase_models import UNLIMITED
from tests.reference.phrase_search import LOG_OF_TEN
from tests.refusals import refuses

from rosewood.decode import Forced, PhraseDecoder, Source
from rosewood.errors import DecodingError
from rosewood.lm import open_arpa
from rosewood.rules import Rule, RuleTable

WEIGHTS = {
    "phrase_ef": 1.0, "word_penalty": 0.0, "phrase_penalty": 0.0, "unknown_penalty": 1.0,
    "distortion": 1.0, "lm": 1.0,
}  # fmt: skip
# X and Y are as good as each other, but not the same to what comes next.
ARPA = """\\data\\
ngram 1=6
ngram 2=2

\\1-grams:
-2\t<unk>
-99\t<s>\t-0.5
-1\t</s>
-1\tX\t-0.25
-1\tY\t-0.25
-1\tZ

\\2-grams:
-0.5\tX Z
-0.5\tY Z

\\end\\
"""


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("order") / "lm.arpa"
    path.write_text(ARPA)
    return open_arpa(path)


@pytest.fixture
def decoder_for(tmp_path, model):
    def make(*pairs, **how):
        rules = [
            Rule(
                tuple(source.split()),
                tuple(target.split()),
                features={"phrase_ef": score[0] if score else -0.5},
            )
            for source, target, *score in pairs
        ]
        table = RuleTable.build(tmp_path / f"table{len(list(tmp_path.iterdir()))}", rules)
        how = {"settings": UNLIMITED, "weights": WEIGHTS, **how}
        return PhraseDecoder(table, model, **how)

    return make


def in_table(decoder, source):
    """Targets of a source, in the order of the table."""
    rules = (decoder.table[number] for number in range(len(decoder.table)))
    return [" ".join(rule.target) for rule in rules if rule.source == (source,)]


# -- equals ----------------------------------------------------------------------------------------


TWO = [("a", "X"), ("a", "Y"), ("b", "Z")]
SEARCHES = [{"search": "full"}, {"search": "cube"}, {"search": "cube", "pop_limit": 10**9}]


@pytest.mark.parametrize("pairs", [TWO, [TWO[1], TWO[0], TWO[2]]])
@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("limit", [{}, {"stack_size": 1}, {"pop_limit": 1}, {"option_limit": 1}])
def test_equal_scores_go_to_what_came_first(decoder_for, pairs, search, limit):
    how = {"distortion_limit": 0, **search, **limit}
    decoder = decoder_for(*pairs, settings=replace(UNLIMITED, **how))
    first = in_table(decoder, "a")[0]
    assert decoder.search("a").best.text == first  # among final nodes
    found = decoder.search("a b")
    assert found.best.text == f"{first} Z"
    if limit and not (limit == {"pop_limit": 1} and search["search"] == "full"):
        every = found.forest.iterate_best(found.forest.score(decoder.theta()))
        assert {each.text for each in every} == {f"{first} Z"}


@pytest.mark.parametrize("search", SEARCHES)
def test_of_two_equal_ways_to_a_node_the_first_is_taken(decoder_for, search):
    """What one step from the beginning has made was there before what two steps make."""
    decoder = decoder_for(
        ("a", "X"), ("b", "Z"), ("a b", "X Z"), settings=replace(UNLIMITED, **search),
        weights={**WEIGHTS, "phrase_ef": 0.0},
    )  # fmt: skip
    found = decoder.search("a b")
    alike = [each.score for each in found.forest.iterate_best(found.forest.score(decoder.theta()))]
    assert alike[0] == alike[1]
    assert [(use.begin, use.end) for use in found.best.rules] == [(0, 2)]


def test_options_beyond_the_limit_are_the_last_of_the_table(decoder_for):
    names = [f"u{n}" for n in range(9)]  # the language model knows none of them
    for limit in (1, 4, 8):
        decoder = decoder_for(
            *(("a", name) for name in names), settings=replace(UNLIMITED, option_limit=limit)
        )
        options = decoder.search("a").options
        said = [" ".join(options.target_words(n)) for n in range(len(options))]
        assert said == in_table(decoder, "a")[:limit]


def test_better_ways_to_a_node_count_when_a_stack_is_pruned(decoder_for):
    """The first way to X is worse than Y, the second one, which two steps make, is better."""
    decoder = decoder_for(
        ("a b", "X", -0.9), ("a b", "Y", -0.1), ("a", "", -0.5), ("b", "X", -0.5), ("c", "Z"),
        settings=replace(UNLIMITED, search="full", stack_size=1, distortion_limit=0),
        weights={**WEIGHTS, "phrase_penalty": 2.0},
    )  # fmt: skip
    best = decoder.search("a b c").best
    assert (best.text, len(best.rules)) == ("X Z", 3)


# -- options ---------------------------------------------------------------------------------------


def test_options_stand_by_their_beginning_and_those_of_the_table_first(decoder_for):
    decoder = decoder_for(("b", "Y"), ("b", "X"), ("b c", "Z"), ("a", "Z"))
    given = (
        Forced(1, 3, ("long", "also"), exclusive=False),
        Forced(0, 3, ("all",), exclusive=False),
        Forced(1, 2, ("short",), exclusive=False),
        Forced(0, 1, ("one",), exclusive=False),
    )
    options = decoder.search(Source("a b c", given)).options
    told = [
        (int(options.begin[n]), int(options.end[n]), " ".join(options.target_words(n)))
        for n in range(len(options))
    ]
    assert told == [
        (0, 1, "Z"), (0, 1, "one"), (0, 3, "all"),
        *((1, 2, target) for target in in_table(decoder, "b")), (1, 3, "Z"),
        (1, 2, "short"), (1, 3, "long"), (1, 3, "also"),
        (2, 3, "c"),
    ]  # fmt: skip
    assert options.rule.tolist()[3:5] == sorted(options.rule.tolist()[3:5])


@pytest.mark.parametrize(("value", "is_fine"), [(9e199, True), (1.1e200, False)])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_scores_that_are_too_large(decoder_for, value, is_fine, sign):
    class Huge:
        names = ("huge",)

        def __call__(self, options):
            return np.full(len(options), sign * value)

    decoder = decoder_for(*TWO, features=[Huge()], weights={**WEIGHTS, "huge": 1.0})
    if is_fine:
        assert decoder.search("b").best.score == pytest.approx(sign * value)
    else:
        with refuses(DecodingError, "decoding.score"):
            decoder.search("b")


@pytest.mark.parametrize("word", ["<s>", "zyx"])
def test_the_word_that_begins_sentences_is_unknown_within_them(decoder_for, word):
    best = decoder_for(*TWO).search(f"b {word} b").best
    assert best.words == ("Z", word, "Z")
    # Z behind <s> (-0.5 for going back), an unknown word, Z, and the end.
    assert best.features["lm"] == pytest.approx(LOG_OF_TEN * (-0.5 - 1 - 2 - 1 - 1))


# -- nodes -----------------------------------------------------------------------------------------


class Behind:
    """What options say of the step behind them, one number each."""

    name, kind, classes, directions = "behind", "phrase", "msd", ("forward",)

    def __init__(self, *numbers):
        self.numbers = numbers

    def columns(self, table):
        return None

    def log_probabilities(self, options):
        rows = np.full((len(options), 3), -1.0)
        rows[: len(self.numbers), 0] = self.numbers
        return rows


@pytest.mark.parametrize(
    ("numbers", "nodes"),
    [
        ((-1.0, -1.0), 1),
        ((-1.0, float(np.nextafter(-1.0, 0.0))), 2),
        ((0.0, -0.0), 1),
        ((-1.0, -1.0 - 2.0**-31), 2),
    ],
)
def test_rows_that_differ_in_their_last_bits_make_two_nodes(decoder_for, numbers, nodes):
    names = [f"behind_forward_{each}" for each in ("monotone", "swap", "discontinuous")]
    decoder = decoder_for(
        ("b", "Z"), reorder=[Behind(*numbers)], weights={**WEIGHTS, **dict.fromkeys(names, 1.0)},
        settings=replace(UNLIMITED, distortion_limit=0),
    )  # fmt: skip
    forest = decoder.decode(Source("a b", (Forced(0, 1, ("u", "v")),)))
    assert forest.num_derivations() == 2
    assert forest.num_nodes == 1 + nodes + 1 + 1  # the beginning, u or v, behind Z, the root


# -- few hypotheses --------------------------------------------------------------------------------


class Beside:
    """What options say of a step in the order of the source: by the first of their words."""

    name, kind, classes = "beside", "phrase", "msd"

    def __init__(self, way, **numbers):
        self.directions, self.numbers = (way,), numbers

    def columns(self, table):
        return None

    def log_probabilities(self, options):
        first = [options.target_words(n)[0] for n in range(len(options))]
        return np.array([[self.numbers.get(word, 0.0), 0.0, 0.0] for word in first])

    def weights(self):
        classes = ("monotone", "swap", "discontinuous")
        return {**WEIGHTS, **{f"beside_{self.directions[0]}_{each}": 1.0 for each in classes}}


def test_orientations_backward_count_in_what_is_looked_at_first(decoder_for):
    for bad, good in ("XY", "YX"):
        model = Beside("backward", **{bad: -5.0})
        decoder = decoder_for(
            *TWO, reorder=[model], weights=model.weights(), settings=replace(UNLIMITED, pop_limit=1)
        )
        assert decoder.search("a").best.text == good


def test_orientations_forward_count_in_what_is_looked_at_first(decoder_for):
    """Both hypotheses of the second stack go on from the better one of the first."""
    for bad, good in ("uv", "vu"):
        model = Beside("forward", **{bad: -5.0})
        decoder = decoder_for(
            ("a", "u"), ("a", "v"), ("b", "X"), ("b", "Y", -0.75), ("b", "Z", -9.0),
            reorder=[model], weights=model.weights(),
            settings=replace(UNLIMITED, pop_limit=2, distortion_limit=0),
        )  # fmt: skip
        forest = decoder.decode("a b")
        every = {each.text for each in forest.iterate_best(forest.score(decoder.theta()))}
        assert every == {f"{good} X", f"{good} Y"}


@pytest.mark.parametrize(
    ("search", "max_pops", "pops", "is_narrowed"),
    [
        ({"pop_limit": 4}, 4, 4, False),  # as much as was wanted
        ({"pop_limit": 4}, 3, 3, True),
        ({"pop_limit": 9}, 9, 9, False),
        ({"pop_limit": 20}, 9, 9, False),  # there is no more
        ({"pop_limit": 20}, 8, 8, True),
        ({}, 9, 9, False),
        ({}, 8, 8, True),
        ({"search": "full"}, 9, 9, False),
        ({"search": "full"}, 8, 8, True),
    ],
)
def test_a_search_is_narrowed_if_it_wanted_more(decoder_for, search, max_pops, pops, is_narrowed):
    decoder = decoder_for(
        *(("a", f"u{n}") for n in range(9)),
        settings=replace(UNLIMITED, max_pops=max_pops, **search),
    )
    report = decoder.search("a").report
    assert (report.pops, report.narrowed) == (pops, is_narrowed)


def test_stacks_get_their_share_of_what_is_left(decoder_for):
    """Of 11 the first of three stacks may have 3, but has 1 only; the others 5 each, not 4."""
    pairs = [("a", "u"), *((word, f"u{n}") for n in range(6) for word in "bc")]
    how = replace(UNLIMITED, max_pops=11, distortion_limit=0)
    report = decoder_for(*pairs, settings=how).search("a b c").report
    assert (report.pops, report.narrowed) == (1 + 5 + 5, True)


@pytest.mark.parametrize("search", SEARCHES)
def test_when_time_is_over_every_stack_gets_one_hypothesis(decoder_for, search):
    decoder = decoder_for(*TWO, settings=replace(UNLIMITED, time_limit=1e-9, **search))
    found = decoder.search("a b a b")
    assert (found.report.pops, found.report.timed_out) == (4, True)
    assert found.forest.num_derivations() == 1
