"""Rules in text formats: the native readers against the loops of tests/reference."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reference import rule_text as reference
from tests.rule_lines import PREFIXES, any_lines, good_lines

from rosewood import _core
from rosewood.folders import cut_words

EXAMPLES = settings(max_examples=150, deadline=None)
each_format = pytest.mark.parametrize("format", PREFIXES)


def read(text: bytes, format: str, *, skip: bool = True, block: int = 1 << 20):
    """The native reader behind the last line, or what is wrong with the first bad one."""
    reader = _core.RuleTextReader(getattr(_core.RuleFormat, format), PREFIXES[format], 1000, skip)
    data = np.frombuffer(text, np.uint8)
    for begin in range(0, len(data), block):
        if bad := reader.feed(data[begin : begin + block]):
            return bad
    return reader.finish() or reader


def native_rules(reader, by: str | None) -> list[reference.TextRule]:
    """What the reader has, as the reference would have it."""
    rules = reader.rules
    names = rules.features
    rules.finish(names.index(by) if by in names else -1)
    source_words, target_words = (
        [word.decode() for word in cut_words(*words)]
        for words in (rules.source_words(), rules.target_words())
    )
    assert source_words == sorted(source_words, key=str.encode)
    assert rules.labels[0] == "X"
    made = []
    for place in range(len(rules)):
        left, source, target, links, features, counts, _ = rules[place]
        made.append(
            reference.TextRule(
                rules.labels[left],
                tuple(source_words[s] if s >= 0 else (rules.labels[-1 - s],) for s in source),
                tuple(target_words[s] if s >= 0 else (-1 - s,) for s in target),
                tuple(links),
                dict(zip(names, features, strict=True)),
                counts,
            )
        )
    return made


def same_rules(found, want, names):
    assert [rule[:4] for rule in found] == [rule[:4] for rule in want]
    assert [rule.counts for rule in found] == [rule.counts for rule in want]
    for have, should in zip(found, want, strict=True):
        assert set(should.features) <= set(names)
        for name in names:
            assert np.float32(have.features[name]) == np.float32(should.features.get(name, 0.0))


@each_format
@EXAMPLES
@given(st.data())
def test_rules_are_what_the_loop_reads(format, data):
    lines = data.draw(st.lists(any_lines(format), max_size=12))
    text = "\n".join(lines).encode()
    want, bad = reference.read_rules(lines, format, PREFIXES[format])
    reader = read(text, format, block=data.draw(st.sampled_from([7, 64, 1 << 20])))
    assert reader.skipped == len(bad)
    assert [line for line, _ in reader.examples] == bad[:5]
    by = data.draw(st.sampled_from([None, f"{PREFIXES[format]}1"]))
    found = native_rules(reader, by)
    names = list(dict.fromkeys(name for rule in want for name in rule.features))
    assert reader.rules.features == names
    same_rules(found, reference.sorted_rules(want, by), names)
    if bad:
        line, reason = read(text, format, skip=False)
        assert line == bad[0]
        assert reason


@each_format
@EXAMPLES
@given(st.data())
def test_good_lines_are_good(format, data):
    line = data.draw(good_lines(format))
    assert reference.read_rules([line], format, PREFIXES[format])[1] == []
