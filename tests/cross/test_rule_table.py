"""Rule tables against enumeration (tests/reference/rule_tables.py)."""

from __future__ import annotations

import tempfile
from collections import Counter
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reference import rule_tables as reference
from tests.tables import FEATURES, LABELS, rule_lists, sentences

from rosewood.rules import RuleTable

EXAMPLES = settings(max_examples=60, deadline=None)
GROUPS = [["count", "source_count", "phrase_ef"], ["lexical_ef", "penalty"]]


@contextmanager
def table_of(rules, **more):
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "table"
        more = {"groups": GROUPS, **more}
        yield RuleTable.build(place, rules, labels=LABELS, features=FEATURES, **more)


def unnumbered(rules):
    return [replace(rule, id=None) for rule in rules]


def test_the_reference_is_what_one_says_by_hand():
    from rosewood.rules import Gap, Rule

    rules = [Rule(("a", Gap("X", 1)), (Gap("X", 1),)), Rule(("b",), ("c",))]
    found = sorted(reference.matches(rules, ["a", "b", "b"], 3, 1), key=str)
    assert found == [
        (0, 2, rules[0].source, ((1, 2),)),
        (0, 3, rules[0].source, ((1, 3),)),
        (1, 2, rules[1].source, ()),
        (2, 3, rules[1].source, ()),
    ]
    assert reference.kept(rules, [["a"], ["c"]]) == set()


@pytest.mark.slow
@EXAMPLES
@given(rule_lists(), st.booleans())
def test_a_table_holds_its_rules(rules, is_grouped):
    with table_of(rules, groups=GROUPS if is_grouped else []) as table:
        table.verify()
        listed = list(table)
        assert Counter(map(str, listed)) == Counter(map(str, rules))
        assert [rule.id for rule in listed] == list(range(len(rules)))
        assert listed == [table[n] for n in range(len(table))]
        assert listed == [table.by_id(n) for n in range(len(table))]
        for source in {rule.source for rule in rules}:
            want = [rule for rule in rules if rule.source == source]
            assert unnumbered(table.lookup(source)) == want
            assert unnumbered(table.lookup(" ".join(map(str, source)))) == want


@pytest.mark.slow
@EXAMPLES
@given(rule_lists(), sentences, st.integers(1, 6), st.integers(1, 3))
def test_matches_are_all_there_are(rules, sentence, max_span, min_gap):
    with table_of(rules) as table:
        found = table.matches(sentence, max_span=max_span, min_gap=min_gap)
        listed = []
        for n in range(len(found)):
            some = range(found.gap_start[n], found.gap_start[n + 1])
            gaps = tuple((int(found.gap_begin[k]), int(found.gap_end[k])) for k in some)
            own = [table[r] for r in range(found.first[n], found.last[n])]
            assert unnumbered(own) == unnumbered(table.lookup(own[0].source))
            listed.append((int(found.begin[n]), int(found.end[n]), own[0].source, gaps))
        want = Counter(reference.matches(rules, sentence, max_span, min_gap))
        assert Counter(listed) == want


@pytest.mark.slow
@EXAMPLES
@given(rule_lists(max_gaps=1), sentences, st.integers(1, 5), st.integers(0, 3))
def test_options_are_those_of_all_spans(rules, sentence, max_span, limit):
    with table_of(rules) as table:
        found = table.options(" ".join(sentence), max_span=max_span, limit=limit)
        want = []
        for begin in range(len(sentence)):
            for end in range(begin + 1, min(begin + max_span, len(sentence)) + 1):
                rows = table.lookup(sentence[begin:end])[:limit]
                want += [(begin, end, rule) for rule in rows]
        assert len(found) == len(want)
        for n, (begin, end, rule) in enumerate(want):
            assert (found.begin[n], found.end[n], found.rule[n]) == (begin, end, rule.id)
            words = found.target[found.target_start[n] : found.target_start[n + 1]]
            assert tuple(map(table.target_words.word, words.tolist())) == rule.target
            assert found.features[n].tolist() == list(rule.features.values())


@pytest.mark.slow
@EXAMPLES
@given(
    rule_lists(),
    st.lists(sentences, max_size=4),
    st.one_of(st.none(), st.integers(1, 2)),
    st.integers(1, 3),
)
def test_filtering_keeps_what_sentences_can_use(rules, texts, limit, threads):
    with table_of(rules) as table:
        place = table.folder.parent / "filtered"
        small = table.filter(map(" ".join, texts), place, limit=limit, threads=threads)
        small.verify()
        want = []
        for source in reference.kept(rules, texts):
            want += table.lookup(source)[:limit]
        assert list(small) == sorted(want, key=lambda rule: rule.id)  # ids, too
        assert small.num_ids == table.num_ids
        assert all(small.by_id(rule.id) == rule for rule in want)
        numbers = {rule.id: number for number, rule in enumerate(small)}
        for step in (1, 2, 3):
            ids = np.arange(0, table.num_ids + 4, step)
            for each, own in ((small, numbers), (table, {n: n for n in range(len(table))})):
                expected = np.ones(len(each))
                known = [(own[id_], id_) for id_ in ids.tolist() if id_ in own]
                for number, id_ in known:
                    expected[number] += id_
                found = np.ones(len(each))
                added = each.native.add_by_id(ids, ids.astype(float), found)
                assert added == sum(id_ > 0 for _, id_ in known)
                assert found.tolist() == expected.tolist()
        assert small.labels == table.labels
        again = small.filter(map(" ".join, texts), place.with_name("again"), limit=limit)
        assert list(again) == list(small)


@settings(max_examples=10, deadline=None)
@given(rule_lists())
def test_the_same_rules_make_the_same_bytes(rules):
    with table_of(rules) as one, table_of(rules) as other:
        for path in one.folder.iterdir():
            assert path.read_bytes() == (other.folder / path.name).read_bytes()
