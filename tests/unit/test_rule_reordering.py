"""Reordering tables of Moses: what their columns are, and which rules have them."""

from __future__ import annotations

import gzip
from math import log

import pytest
from tests.refusals import refuses
from tests.rule_text_tables import PHRASES, REORDERING, near, phrases, stream

from rosewood.errors import FormatError, RuleError
from rosewood.rules import RuleTable
from rosewood.rules.formats import (
    Orientations,
    export_moses,
    import_moses,
)


def test_a_reordering_table(tmp_path):
    file = tmp_path / "reordering-table.wbe-msd-bidirectional-fe.gz"
    file.write_bytes(gzip.compress(REORDERING.encode()))
    found = import_moses(stream(PHRASES), tmp_path / "t", reordering=file)
    assert (found.unmatched, found.missing, found.zeros) == (1, 1, 3)
    assert len([*found.told()]) == 3
    table = RuleTable.open(tmp_path / "t")
    columns = Orientations.parse("msd-bidirectional").columns
    assert table.features[4:] == columns
    assert columns[2] == "orientation_backward_discontinuous"
    assert table.facts["reordering"]["kind"] == "word"
    (rule,) = table.lookup("haus")
    have = [rule.features[name] for name in columns]
    assert have == [near(log(p)) for p in (0.8, 0.1, 0.1, 1)] + [-100.0, -100.0]
    missing = table.lookup("das haus")[0].features["orientation_forward_swap"]
    assert missing == near(log(1 / 3))
    out, moved = tmp_path / "pt", tmp_path / "reordering.msd-bidirectional"
    export_moses(table, out, reordering=moved)
    assert "das haus ||| the house ||| 0.6 0.2 0.2 0.5 0.25 0.25\n" in moved.read_text()
    import_moses(out, tmp_path / "u", reordering=moved)
    assert [*RuleTable.open(tmp_path / "u")] == [*table]


@pytest.mark.parametrize(
    ("name", "numbers", "want"),
    [
        ("x.gz", 6, ("msd", ("backward", "forward"), None)),
        ("x.gz", 8, ("mslr", ("backward", "forward"), None)),
        ("reordering-table.hier-mslr-backward-fe", 4, ("mslr", ("backward",), "hierarchy")),
        ("reordering-table.phrase-msd-forward-fe", 3, ("msd", ("forward",), "phrase")),
    ],
)
def test_orientations_of_a_file(name, numbers, want):
    assert Orientations.guess(name, numbers) == want


def test_orientations_that_cannot_be_known(tmp_path):
    for numbers in (3, 4, 5):
        with refuses(RuleError, "argument.missing", argument="orientations", value=numbers):
            Orientations.guess("table.gz", numbers)
    with refuses(
        RuleError, "argument.choice", argument="orientations", value="monotonicity-bidirectional"
    ):
        Orientations.parse("monotonicity-bidirectional")
    with refuses(RuleError, "argument.conflict", argument="orientations"):
        phrases(PHRASES, tmp_path / "t", orientations="msd-backward")
    assert Orientations.of_features(["f"]) is None


@pytest.mark.parametrize(
    ("line", "code", "argument"),
    [
        ("a ||| b", "line.fields", None),
        ("das haus ||| the house ||| 1 0 0", "line.fields", "probability"),
        ("a ||| b ||| 1 0 0 1 0 x", "line.number", "probability"),
        ("haus ||| house ||| 1 0 0 1 0 0", "line.duplicate", "phrases"),
        (" ||| house ||| 1 0 0 1 0 0", "line.empty", "source"),
    ],
)
def test_bad_lines_of_a_reordering_table(tmp_path, line, code, argument):
    with refuses(FormatError, code, argument=argument, line=4):
        phrases(PHRASES, tmp_path / "t", reordering=stream(REORDERING + line))


def test_a_table_without_orientations_has_no_reordering_table(tmp_path):
    table = phrases(PHRASES, tmp_path / "t")
    with refuses(RuleError, "rules.no-orientations"):
        export_moses(table, tmp_path / "pt", reordering=tmp_path / "re")
    assert not (tmp_path / "pt").exists()


def test_a_reordering_table_may_begin_with_an_empty_line(tmp_path):
    (tmp_path / "phrases").write_text("a ||| b ||| 0.5 0.5 0.5 0.5\n")
    (tmp_path / "orders").write_text("\na ||| b ||| 0.5 0.25 0.25 0.2 0.2 0.6\n")
    import_moses(tmp_path / "phrases", tmp_path / "rules", reordering=tmp_path / "orders")
    (rule,) = RuleTable.open(tmp_path / "rules")
    assert rule.features["orientation_forward_discontinuous"] == pytest.approx(log(0.6))
