"""Rules and their tables: what is refused, what people see."""

from __future__ import annotations

import pickle
from itertools import product
from math import inf, nan

import numpy as np
import pytest
from tests.refusals import refuses
from tests.tables import RULES, X1, X2

from rosewood.errors import RuleError
from rosewood.rules import Gap, Rule, RuleTable, new_table
from rosewood.rules.table_files import MANIFEST


@pytest.fixture
def table(tmp_path):
    return RuleTable.build(tmp_path / "rules", RULES, facts={"made": "by hand"})


def test_rules_read_well():
    assert str(RULES[0]) == "das haus ||| the house ||| 0-0 1-1"
    assert str(RULES[3]) == "[S] ||| [X,1] hat [X,2] ||| [X,2] has [X,1] ||| 1-1"
    assert RULES[0].name == "rule:das_haus|||the_house"
    assert RULES[3].name == "rule:[S]|||[X,1]_hat_[X,2]|||[X,2]_has_[X,1]"
    assert RULES[0].is_phrase
    assert not RULES[3].is_phrase
    assert "&lt;b&gt;" in Rule(("<b>",), ("x",))._repr_html_()
    assert hash(RULES[0]) == hash(pickle.loads(pickle.dumps(RULES[0])))


def test_a_table_is_looked_up(table):
    assert [rule.target for rule in table.lookup("das")] == [("the",), ("that",)]
    assert table.lookup("das haus")[0].sentence == 7
    assert table.lookup("das unbekannt") == table.lookup("") == []
    assert table.lookup("[X,1] hat [X,2]")[0].left == "S"
    assert table.lookup([X1, "hat", X2])[0].links == ((1, 1),)
    assert table.lookup("[Y,1] hat") == []  # a word, for there is no such label
    with refuses(RuleError, "rules.label", argument="label", value="Y"):
        table.lookup([Gap("Y", 1)])
    assert (len(table), table.features, table.labels) == (5, ("p",), ("X", "S"))
    assert table.facts == {"made": "by hand"}
    assert repr(table) == f"RuleTable(5 rules, {str(table.folder)!r})"
    assert table[-1] == table[4]
    assert {word: table.source_words.id(word) for word in ("das", "haus", "x")} == {
        "das": 0, "haus": 1, "x": None}  # fmt: skip
    assert list(table.target_words) == ["the", "house", "that", "has"]
    assert "house" in table.target_words
    assert table.size == sum(path.stat().st_size for path in table.folder.iterdir()
                             if path.name != MANIFEST)  # fmt: skip
    for number in (5, -6):
        with pytest.raises(IndexError):
            table[number]
    for number in (5, -1, 2**70):
        with pytest.raises(KeyError):
            table.by_id(number)


def test_a_table_goes_to_other_processes_by_its_path(table, monkeypatch):
    again = pickle.loads(pickle.dumps(table))
    assert list(again) == list(table)
    monkeypatch.chdir(table.folder.parent)
    near = RuleTable.open("rules")
    monkeypatch.chdir("/")
    assert list(pickle.loads(pickle.dumps(near))) == list(table)
    near.verify()


@pytest.mark.parametrize(
    ("source", "code"),
    [
        ("[X,2] das", "rules.gaps"),
        ("[X,1] das [X,1]", "rules.gaps"),
        ("[X,2] das [X,1]", "rules.gaps"),
        ([X2, "das"], "rules.gaps"),
        (b"das", "argument.type"),
        (3, "argument.type"),
        ([3], "rules.word"),
        (["das haus"], "rules.word"),
        (["das", ("X", 1)], "rules.word"),
    ],
)
def test_what_is_no_source_is_refused(table, source, code):
    with refuses(RuleError, code):
        table.lookup(source)
    assert source not in table


def test_sources_and_rules_are_in_a_table_or_not(table, monkeypatch):
    monkeypatch.delattr(RuleTable, "__iter__")  # nothing is walked
    assert "das haus" in table
    assert [X1, "hat", X2] in table
    assert "haus" not in table
    assert table[0] in table
    assert Rule(("das",), ("the",)) not in table  # it has other features
    assert Rule((Gap("Y", 1),), (Gap("Y", 1),)) not in table
    assert table[1:3] == [table[1], table[2]]
    assert table[::-2] == [table[4], table[2], table[0]]


def test_ids_of_many_rules(table, tmp_path):
    small = table.filter(["das", "ach"], tmp_path / "small")
    assert [rule.id for rule in small] == small.ids(range(len(small))).tolist()
    assert small.ids(np.arange(len(small))).tolist() != list(range(len(small)))
    options, matches = small.options("das x"), small.matches("das ach das")
    assert [small[n].id for n in options.rule.tolist()] == small.ids(options.rule).tolist()
    each = [[*range(*ends)] for ends in zip(matches.first, matches.last, strict=True)]
    starts = zip(matches.rule_start[:-1], matches.rule_start[1:], strict=True)
    assert each == [matches.rule[begin:end].tolist() for begin, end in starts]
    assert small.ids(matches.rule).dtype == np.int64
    assert small.ids([]).tolist() == small.matches("").rule.tolist() == []
    room = np.zeros(len(small))
    assert small.native.add_by_id(np.empty(0, np.int64), np.empty(0), room) == 0
    for wrong in ([-1], [2, 1], [1, 1]):
        with refuses(RuleError, "argument.value", argument="ids"):
            small.native.add_by_id(np.array(wrong), np.ones(len(wrong)), room)
    for values, out in ((np.ones(2), room), (np.ones(1), np.zeros(len(small) + 1))):
        with refuses(RuleError, "argument.shape", argument="values"):
            small.native.add_by_id(np.array([0]), values, out)
    assert repr(options) == f"Options({len(options)} options)"
    assert repr(matches) == f"Matches({len(matches)} matches)"
    for bad, code, argument in (
        ([-1], "argument.range", "rule"),
        ([len(small)], "argument.range", "rule"),
        (["x"], "argument.type", "rules"),
        ([[0]], "argument.shape", "rules"),
        ([0.5], "argument.type", "rules"),
    ):
        with refuses(RuleError, code, argument=argument):
            small.ids(bad)


def test_texts_are_no_lists(table, tmp_path):
    for argument, value, act in (
        ("sentences", "das haus", lambda: table.filter("das haus", tmp_path / "t")),
        ("the words of a source", "das haus", lambda: Rule("das haus", ("the", "house"))),
        ("the words of a target", "the house", lambda: Rule(("das", "haus"), "the house")),
        ("rules", "das haus", lambda: RuleTable.build(tmp_path / "t", "das haus")),
        ("rules", RULES[0], lambda: RuleTable.build(tmp_path / "t", RULES[0])),
        ("labels", "XS", lambda: RuleTable.build(tmp_path / "t", RULES, labels="XS")),
        ("features", "p", lambda: RuleTable.build(tmp_path / "t", RULES, features="p")),
        ("the words of a sentence", 3, lambda: table.options(3)),
    ):
        with refuses(RuleError, "argument.type", argument=argument, value=value):
            act()
    with refuses(RuleError, "argument.type", argument="rule 1", value=("a", "b")):
        RuleTable.build(tmp_path / "t", [("a", "b")])
    with refuses(RuleError, "argument.type", argument="sentence"):
        table.source_words.id(b"das")
    assert not (tmp_path / "t").exists()


def test_sentences_are_checked(table):
    assert len(table.options("das haus\n")) == 4 - 1
    for bad, code, value in (
        ("das\nhaus", "source.line-feed", None),
        (["das haus"], "source.word", "das haus"),
        ([""], "source.word", ""),
        (["a", 3], "source.word", 3),
        ("\ud800", "source.encoding", 1),
    ):
        for ask in (table.options, table.matches):
            with refuses(RuleError, code, value=value):
                ask(bad)
    with refuses(RuleError, "source.line-feed", line=2):
        table.filter(["das", "das\nhaus"], table.folder.with_name("small"))
    with refuses(RuleError, "argument.conflict", argument="folder"):
        table.filter(["das"], table.folder)
    for name, value, fault in (
        ("max_span", 0, "range"), ("limit", -1, "range"), ("limit", "x", "type"),
    ):  # fmt: skip
        with refuses(RuleError, f"argument.{fault}", argument=name, value=value):
            table.options("das", **{name: value})
    assert len(table.options("")) == len(table.matches([])) == 0
    assert not table.folder.with_name("small").exists()


def test_an_empty_table_is_one(tmp_path):
    table = RuleTable.build(tmp_path / "rules", [], features=["p"])
    table.verify()
    assert (list(table), table.lookup("x"), len(table.options("x y"))) == ([], [], 0)
    assert len(table.filter(["x"], tmp_path / "small")) == 0


@pytest.mark.parametrize(
    ("rule", "code", "argument", "value"),
    [
        (Rule((), ("a",)), "argument.missing", "source", 1),
        (Rule(("a", X1), ("a",)), "rules.gaps", "source", 1),
        (Rule(("a",), ("a", X1)), "rules.gaps", "target", "[X,1]"),
        (Rule(("a", X1), (X1, X1)), "rules.gaps", "target", 1),
        (Rule(("a", X2), ("a", X2)), "rules.gaps", "source", "[X,2]"),
        (Rule(("a",), ("a",), links=((0, 1),)), "argument.range", "links", 1),
        (Rule(("a",), ("a",), links=((0, -1),)), "argument.range", "links", (0, -1)),
        (Rule(("a", X1), (X1, "a"), links=((0, 0),)), "rules.links", "links", 1),
        (Rule(("a",), ("a",), count=nan), "argument.range", "count", 1),
        (Rule(("a",), ("a",), source_count=-1), "argument.range", "source_count", 1),
        (Rule(("a",), ("a",), target_count=inf), "argument.range", "target_count", 1),
        (Rule(("a b",), ("a",)), "rules.word", None, "a b"),
        (Rule(("a",), ("",)), "rules.word", None, ""),
        (Rule(("a",), ("\udc00",)), "rules.word", None, "\udc00"),
        (Rule(("a",), ("a",), sentence=-7), "argument.range", "sentence", 1),
    ],
)
def test_rules_that_cannot_be_are_refused(tmp_path, rule, code, argument, value):
    with refuses(RuleError, code, argument=argument, value=value):
        RuleTable.build(tmp_path / "rules", [rule])
    assert list(tmp_path.iterdir()) == []


def test_features_are_checked(tmp_path):
    for value in (nan, inf, -inf, 1e300):
        with refuses(RuleError, "argument.range", argument="features", value=1):
            RuleTable.build(tmp_path / "rules", [Rule(("a",), ("b",), features={"p": value})])
    two = [Rule(("a",), ("b",), features={"p": 0}), Rule(("b",), ("b",), features={"q": 0})]
    with refuses(RuleError, "features.missing", argument="features", value=["q"]):
        RuleTable.build(tmp_path / "rules", two)
    with refuses(RuleError, "rules.duplicate", value=2):
        RuleTable.build(tmp_path / "rules", [two[0], two[0]])
    with refuses(RuleError, "argument.duplicate", argument="features"):
        RuleTable.build(tmp_path / "rules", [], features=["p", "p"])
    with refuses(RuleError, "argument.unknown", argument="groups"):
        RuleTable.build(tmp_path / "rules", [], features=["p"], groups=[["x"]])
    with refuses(RuleError, "argument.duplicate", argument="groups"):
        RuleTable.build(tmp_path / "rules", [], features=["p"], groups=[["p"], ["p"]])


def test_names_of_rules_are_their_own():
    words = ["a_b", "a", "b", "[X,1]", "\\", "\\_", "|||", "|", "a\\", "_b", "_"]
    rules = [Rule(source, ("c",)) for n in (1, 2) for source in product(words, repeat=n)]
    rules += [Rule((Gap("X", 1),), (Gap("X", 1),)), Rule(("a",), ("|||", "c"))]
    assert len({rule.name for rule in rules}) == len(rules)


@pytest.mark.parametrize("label", ["", "a b", "a\tb", "a\nb", "|||", "a|||b"])
def test_labels_that_text_cannot_have(tmp_path, label):
    with (
        refuses(RuleError, "argument.value", argument="labels"),
        new_table(tmp_path / "rules", [label], []),
    ):
        pass
