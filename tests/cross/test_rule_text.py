"""Rules in text formats: the native readers against the loops of tests/reference; round trips."""

from __future__ import annotations

import io
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reference import rule_text as reference
from tests.rule_lines import PREFIXES, any_lines, good_lines

from rosewood import _core
from rosewood.folders import cut_words
from rosewood.rules import RuleTable
from rosewood.rules.formats import (
    Orientations,
    export_grammar,
    export_moses,
    import_grammar,
    import_moses,
)
from rosewood.rules.table_files import MANIFEST

EXAMPLES = settings(max_examples=50, deadline=None)
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


@pytest.mark.slow
@each_format
@EXAMPLES
@given(st.data())
def test_rules_are_what_the_loop_reads(format, data):
    lines = data.draw(st.lists(any_lines(format), max_size=12))
    text = "\n".join(lines).encode()
    want, bad = reference.read_rules(lines, format, PREFIXES[format])
    reader = read(text, format, block=data.draw(st.sampled_from([7, 64, 1 << 20])))
    assert reader.skipped == len(bad)
    assert [each[0] for each in reader.examples] == bad[:5]
    by = data.draw(st.sampled_from([None, f"{PREFIXES[format]}1"]))
    found = native_rules(reader, by)
    names = list(dict.fromkeys(name for rule in want for name in rule.features))
    assert reader.rules.features == names
    same_rules(found, reference.sorted_rules(want, by), names)
    if bad:
        line, reason, *_ = read(text, format, skip=False)
        assert line == bad[0]
        assert reason


@each_format
@EXAMPLES
@given(st.data())
def test_good_lines_are_good(format, data):
    line = data.draw(good_lines(format))
    assert reference.read_rules([line], format, PREFIXES[format])[1] == []


# -- tables ----------------------------------------------------------------------------------------


def imported(text: bytes, format: str, folder: Path, **more) -> RuleTable:
    """A table of a text; bad lines are skipped."""
    kept = {"on_bad_line": "skip", **more}
    if format == "moses_phrases":
        import_moses(io.BytesIO(text), folder, **kept)
    else:
        import_grammar(io.BytesIO(text), folder, format=format.removesuffix("_grammar"), **kept)
    return RuleTable.open(folder)


def exported(table: RuleTable, format: str, threads: int = 1) -> bytes:
    """What is written of it."""
    out = io.BytesIO()
    if format == "moses_phrases":
        export_moses(table, out, threads=threads)
    else:
        export_grammar(table, out, format=format.removesuffix("_grammar"), threads=threads)
    return out.getvalue()


def parts(table: RuleTable) -> dict[str, bytes]:
    """All files but the manifest, which knows from which file it came."""
    return {p.name: p.read_bytes() for p in table.folder.iterdir() if p.name != MANIFEST}


@pytest.mark.slow
@each_format
@EXAMPLES
@given(st.data())
def test_what_is_written_is_read_back_as_the_same_table(format, data):
    lines = data.draw(st.lists(good_lines(format), min_size=1, max_size=12))
    with TemporaryDirectory() as place:
        first = imported("\n".join(lines).encode(), format, Path(place) / "first")
        text = exported(first, format)
        again = imported(text, format, Path(place) / "again", on_bad_line="stop")
        assert (again.features, again.labels) == (first.features, first.labels)
        assert parts(again) == parts(first)
        assert exported(again, format, threads=3) == text
        first.verify()


@pytest.mark.slow
@EXAMPLES
@given(st.lists(good_lines("cdec"), min_size=1, max_size=8))
def test_grammars_go_through_other_formats(lines):
    with TemporaryDirectory() as place:
        first = imported("\n".join(lines).encode(), "cdec", Path(place) / "first")
        other = imported(exported(first, "joshua"), "joshua", Path(place) / "other")
        again = imported(exported(other, "cdec"), "cdec", Path(place) / "again")
        assert list(first) == list(other) == list(again)


# -- reordering ------------------------------------------------------------------------------------

PHRASES = ["a ||| x ||| 0.5 0.5 0.5 0.5", "a b ||| x y ||| 0.5 0.5 0.5 0.5",
           "a ||| y ||| 0.5 0.5 0.25 0.5"]  # fmt: skip
rows = st.tuples(
    st.sampled_from(["a ||| x", "a b ||| x y", "a ||| y", "a ||| a", "b ||| x"]),
    st.lists(st.sampled_from(["0.5", "0.25", "1", "0", "-1", "nan", "x"]), min_size=5, max_size=6)
    | st.lists(st.sampled_from(["0.5", "0.25", "0.125", "0"]), min_size=6, max_size=6),
).map(lambda row: f"{row[0]} ||| {' '.join(row[1])}")


@pytest.mark.slow
@EXAMPLES
@given(st.lists(rows, min_size=1, max_size=6))
def test_reordering_tables_are_joined_as_the_loop_does(lines):
    rules, _ = reference.read_rules(PHRASES, "moses_phrases", "score_")
    want, counts = reference.read_reordering(rules, lines, 2, 3)
    columns = Orientations.parse("msd-bidirectional").columns
    with TemporaryDirectory() as place:
        found = import_moses(
            io.BytesIO("\n".join(PHRASES).encode()),
            Path(place) / "table",
            reordering=io.BytesIO("\n".join(lines).encode()),
            orientations="msd-bidirectional",
            on_bad_line="skip",
        )
        assert (found.skipped, found.unmatched, found.missing) == counts
        for rule in RuleTable.open(Path(place) / "table"):
            have = [rule.features[name] for name in columns]
            assert have == list(np.float32(want[rule.source, rule.target]))
