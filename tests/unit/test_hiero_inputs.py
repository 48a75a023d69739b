"""The hierarchical decoder under strain: limits, threads, given translations, damaged tables."""

from __future__ import annotations

import shutil
from dataclasses import replace

import numpy as np
import pytest
from tests.phrase_models import language_model
from tests.refusals import refuses

from rosewood.decode import (
    Forced,
    Glossary,
    GlossaryEntry,
    HieroDecoder,
    HieroSettings,
    Source,
)
from rosewood.errors import DecodingError, RosewoodError
from rosewood.rules import Gap, Rule, RuleTable

X1, X2 = Gap("X", 1), Gap("X", 2)


def rule(source, target, value=-0.5):
    return Rule(tuple(source), tuple(target), features={"phrase_ef": value})


RULES = [
    *(rule(word, word.upper()) for word in "abcd"),
    *(rule(word, "E", -1.0) for word in "abcd"),
    rule([X1, "b", X2], [X2, "B", X1], 1.0),
    rule(["a", X1], [X1, "A"], 1.0),
    rule([X1, X2], [X1, X2]),
    rule([X1, X2], [X2, X1]),
]
TEXT = "a b c a d b ü a c b d"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("rules") / "table"


@pytest.fixture(scope="module")
def table(folder):
    return RuleTable.build(folder, RULES)


@pytest.fixture(scope="module")
def decoder(table):
    return HieroDecoder(table, language_model(3), settings=HieroSettings(pop_limit=30))


def with_settings(decoder, **changed):
    return decoder.with_settings(replace(decoder.settings, **changed))


def seen(best):
    return best.words, best.score, best.features, best.rules


def check_complete(found, length):
    """Each source word is translated once."""
    places = sorted(place for use in found.best.rules for place in use.source_places)
    assert places == list(range(length))


# -- limits ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("limit", [1, 30, 300])
def test_a_limit_for_a_sentence_is_shared_by_its_spans(decoder, limit):
    words = (TEXT.split() * 3)[:25]
    found = with_settings(decoder, max_pops=limit).search(words)
    check_complete(found, len(words))
    assert found.report.narrowed
    free = decoder.search(words)
    assert not free.report.narrowed
    assert found.report.pops < free.report.pops
    assert found.best.score <= free.best.score + 1e-9
    spans = len(free.forest.span) + len(words)  # each has one hypothesis at least
    assert found.report.pops <= max(limit, spans)
    enough = with_settings(decoder, max_pops=10 * free.report.pops).search(words)
    assert not enough.report.narrowed
    assert seen(enough.best) == seen(free.best)


def test_limits_hold_with_a_reference(decoder):
    words = tuple(TEXT.split())
    reference = decoder.search(words).best.words
    forced = decoder.search(Source(words, reference=reference))
    assert forced.report.reachable
    assert not forced.report.narrowed
    few = with_settings(decoder, max_pops=20).search(Source(words, reference=reference))
    assert few.report.narrowed
    assert few.report.pops < forced.report.pops
    slow = with_settings(decoder, time_limit=1e-9).search(Source(words, reference=reference))
    assert slow.report.timed_out


def test_when_time_is_over_each_span_gets_one_hypothesis(decoder):
    words = TEXT.split() * 3
    found = with_settings(decoder, time_limit=1e-9).search(words)
    assert found.report.timed_out
    assert not found.report.narrowed
    check_complete(found, len(words))
    assert not with_settings(decoder, time_limit=1000.0).search(words).report.timed_out


def test_work_grows_as_the_sentence_does(decoder):
    """Hypotheses and hyperedges for each word, whatever the length of the sentence."""
    fast = with_settings(decoder, pop_limit=10)
    work = []
    for length in (100, 300):
        words = (TEXT.split() * length)[:length]
        found = fast.search(words)
        check_complete(found, length)
        work.append((found.report.pops / length, found.forest.num_edges / length))
    assert work[1] == pytest.approx(work[0], rel=0.15)


def test_settings_of_boundary_words_are_checked(decoder):
    for wrong in (0, 65):
        with refuses(DecodingError, "argument.range", argument="boundary_words"):
            with_settings(decoder, boundary_words=wrong)


# -- threads ---------------------------------------------------------------------------------------


def test_bytes_are_the_same_at_any_number_of_threads(decoder):
    words = TEXT.split()
    sentences = [words[n % 5 : n % 5 + n % 8] for n in range(60)]
    sentences += [["b"] * 40, Source(tuple(words), reference=("A",)), []]

    def everything(threads):
        for found in decoder.search_all(sentences, threads=threads):
            forest = found.forest
            arrays = (
                forest.edge_start, forest.tail_start, forest.tail, forest.dense,
                forest.yield_start, forest.yield_symbol, forest.rule, forest.span,
            )  # fmt: skip
            yield seen(found.best), [None if each is None else each.tobytes() for each in arrays]

    one = list(everything(1))
    for threads in (2, 5):
        assert list(everything(threads)) == one


# -- given translations ----------------------------------------------------------------------------


def test_forced_spans_that_gaps_and_words_of_rules_would_cut(decoder):
    """A span may be all of a gap or part of it; no rule has a word of its own within."""
    words = ("a", "b", "c", "b")
    for begin in range(4):
        for end in range(begin + 1, 5):
            found = decoder.search(Source(words, forced=(Forced(begin, end, ("F G",)),)))
            check_complete(found, 4)
            text = found.best.text
            assert text.count("F G") == 1
            (use,) = (use for use in found.best.rules if use.is_forced)
            assert use.source_spans == ((begin, end),)
            for edge in range(found.forest.num_edges):
                one = found.edge_rule(edge)
                if one is None or one.is_forced:
                    continue
                for first, last in one.source_spans:
                    assert last <= begin or first >= end


def test_a_forced_span_longer_than_rules_may_be_is_joined_by_glue(decoder):
    words = ("a", "b", "c", "d", "a", "b", "c", "d", "a", "b", "c", "d", "a", "b")
    found = decoder.search(Source(words, forced=(Forced(1, 13, ("long",)),)))
    assert "long" in found.best.words
    check_complete(found, len(words))


def test_glossaries(decoder):
    words = TEXT.split()
    glossary = Glossary([GlossaryEntry(("b", "c"), ("Q",)), GlossaryEntry(("ü",), ("U", "V"))])
    found = decoder.search(Source(tuple(words), glossary.apply(words)))
    check_complete(found, len(words))
    assert "Q" in found.best.words
    assert {"U", "V"} & set(found.best.words)
    soft = Glossary([GlossaryEntry(("b", "c"), ("Q",), exclusive=False)])
    loose = decoder.search(Source(tuple(words), soft.apply(words)))
    assert loose.forest.num_derivations() > found.forest.num_derivations()


def test_a_function_for_unknown_words(table):
    asked = []

    def guess(word):
        asked.append(word)
        return {"ü": ["U", "UE E"], "ö": "O"}.get(word)

    decoder = HieroDecoder(table, language_model(3), unknown=guess)
    found = decoder.search("a ü b ö ß")
    assert asked == ["ü", "ö", "ß"]
    assert {"O", "ß"} <= set(found.best.words)
    assert {"U", "UE"} & set(found.best.words)
    assert sum(use.is_unknown for use in found.best.rules) == 3
    dropping = HieroDecoder(table, language_model(3), unknown="drop")
    assert dropping.search("ü").best.words == ()
    copied = dropping.search("ü a ü").best
    assert set(copied.words) <= {"A", "E"}


# -- damage ----------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("limit", [None, 2])
def test_a_damaged_table_is_refused_or_says_something(table, folder, tmp_path, limit):
    chance = np.random.default_rng(7)
    settings = HieroSettings(option_limit=limit, pop_limit=20)
    refusals, model = 0, language_model(2)
    files = sorted(path.name for path in folder.iterdir() if path.suffix != ".json")
    for name in [each for each in files if (folder / each).stat().st_size]:
        for _ in range(3):
            copy = tmp_path / "copy"
            shutil.copytree(folder, copy)
            content = bytearray((copy / name).read_bytes())
            for place in chance.integers(0, len(content), 1 + len(content) // 20):
                content[place] = chance.integers(256)
            (copy / name).write_bytes(content)
            try:
                decoder = HieroDecoder(RuleTable.open(copy), model, settings=settings)
                found = decoder.search(TEXT)
                check_complete(found, len(TEXT.split()))
            except RosewoodError:
                refusals += 1
            shutil.rmtree(copy)
    assert refusals
