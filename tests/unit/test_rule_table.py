"""Rules and their tables: what is refused, what damaged files do, what people see."""

from __future__ import annotations

import pickle
import random
import shutil
from contextlib import suppress
from itertools import product
from math import inf, nan
from pathlib import Path

import numpy as np
import pytest
from tests.refusals import refuses
from tests.tables import rewrite

from rosewood.errors import DamagedFileError, RosewoodError, RuleError
from rosewood.folders import joined_words
from rosewood.rules import Gap, Rule, RuleTable, extract_files, new_table
from rosewood.rules.table_files import KIND, MANIFEST

X1, X2 = Gap("X", 1), Gap("X", 2)
RULES = [
    Rule(("das", "haus"), ("the", "house"), "X", ((0, 0), (1, 1)), {"p": -0.5}, 2, 3, 2, 7),
    Rule(("das",), ("the",), "X", ((0, 0),), {"p": -0.25}, 30, 40, 31.5),
    Rule(("das",), ("that",), "X", ((0, 0),), {"p": -1.5}, 10, 40, 11),
    Rule((X1, "hat", X2), (X2, "has", X1), "S", ((1, 1),), {"p": -2.0}),
    Rule(("ach",), (), "X", (), {"p": -3.0}),
]


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


def arrays(*symbols):
    return np.array(symbols, np.int32)


NO_LINKS = np.empty((0, 2), np.uint16)
NOTHING = np.empty(0, np.float32)


def write(folder, *rules):
    with new_table(folder, ["X"], []) as writer:
        for source, target in rules:
            writer.native.add(0, arrays(*source), arrays(*target), NO_LINKS, (1, 1, 1), NOTHING)
        writer.finish(joined_words("ab"), joined_words("c"), {})
        for again in (
            lambda: writer.native.add(0, arrays(5), arrays(), NO_LINKS, (1, 1, 1), NOTHING),
            lambda: writer.finish(joined_words("ab"), joined_words("c"), {}),
        ):
            with refuses(RuleError, "rules.call-order"):
                again()


def begin(folder):
    with new_table(folder, ["X"], []):
        pass


def test_sources_come_in_order(tmp_path):
    with refuses(RuleError, "rules.order", argument="source", value=2):
        write(tmp_path / "rules", ((0, 1), (0,)), ((0,), (0,)))
    with refuses(RuleError, "argument.range", argument="target", value=1):
        write(tmp_path / "rules", ((0,), (1,)))
    with refuses(RuleError, "rules.unfinished"):
        begin(tmp_path / "rules")
    assert list(tmp_path.iterdir()) == []
    write(tmp_path / "rules", ((0,), (0,)), ((0, 1), ()), ((1,), (0,)))
    assert len(RuleTable.open(tmp_path / "rules")) == 3


def test_targets_stand_in_the_training_text(tmp_path):
    text, start = arrays(0, 1, 2, 0, 1), np.array([0, 3, 3, 5], np.int64)
    with new_table(tmp_path / "rules", ["X"], []) as writer:
        writer.native.set_text(text, start)
        places = [(arrays(1, 2), 1), (arrays(0, 1), 3), (arrays(1), -1)]
        for number, (target, place) in enumerate(places):
            writer.native.add(
                0, arrays(number), target, NO_LINKS, (1, 1, 1), NOTHING, 1, place, 2 * number
            )
        with refuses(RuleError, "argument.value", argument="target_place", value=4):
            writer.native.add(0, arrays(4), arrays(1, 0), NO_LINKS, (1, 1, 1), NOTHING, 2, 4, 9)
        with refuses(RuleError, "rules.order", argument="id", value=4):
            writer.native.add(0, arrays(4), arrays(1), NO_LINKS, (1, 1, 1), NOTHING, 2, 4, 4)
        writer.finish(joined_words("abc"), joined_words("xyz"), {})
    table = RuleTable.open(tmp_path / "rules")
    table.verify()
    assert [(rule.target, rule.sentence, rule.id) for rule in table] == [
        (("y", "z"), 0, 0), (("x", "y"), 2, 2), (("y",), 1, 4)]  # fmt: skip
    small = table.filter(["a c", "b"], tmp_path / "small")
    assert list(small) == list(table)


def test_many_distinct_numbers_are_kept_exactly(tmp_path):
    draw = random.Random(1)
    rules = [
        Rule((f"w{n}",), (f"v{n % 7}",), features={"p": float(np.float32(draw.gauss(0, 9))),
             "q": -float(n % 3)}, count=draw.choice([1, 2, 0.5, 1e15, 1 / 3]),
             source_count=n, target_count=2.0**60 + n % 5 * 2.0**10)
        for n in range(3000)
    ]  # fmt: skip
    table = RuleTable.build(tmp_path / "rules", rules, groups=[["q", "source_count"]])
    table.verify()
    found = {rule.source: rule for rule in table}
    for rule in rules:
        told = found[rule.source]
        assert told.features == rule.features
        assert (told.count, told.source_count, told.target_count) == (
            rule.count, rule.source_count, rule.target_count)  # fmt: skip


def use(folder):
    """Everything one can ask of a table."""
    table = RuleTable.open(folder)
    assert table.num_ids >= 0
    for number in range(min(len(table), 20)):
        str(table[number])
    list(table.source_words)
    list(table)
    table.lookup("das haus")
    table.options("das haus hat das haus das das", limit=3)
    if len(table.features) < 10:
        table.matches("das haus hat das", max_span=4)
    table.filter(["das haus hat das haus"], folder.with_name("filtered"))


@pytest.mark.slow
def test_damaged_tables_are_told_and_never_crash(table, tmp_path):
    draw = random.Random(5)
    names = [*KIND.files, MANIFEST]
    for _ in range(250):
        place = tmp_path / "damaged"
        shutil.copytree(table.folder, place)
        path = place / draw.choice(names)
        data = bytearray(path.read_bytes())
        kind = draw.randrange(4)
        if kind == 0:
            del data[draw.randrange(len(data) + 1) :]
        elif kind == 1:
            data += bytes(draw.randrange(1, 9))
        else:
            for _ in range(draw.choice([1, 1, 2, 8])):
                if data:
                    data[draw.randrange(len(data))] = draw.choice([0, 255, draw.randrange(256)])
        was_changed = bytes(data) != path.read_bytes() and path.name != MANIFEST
        path.write_bytes(data)
        with suppress(RosewoodError):
            use(place)
        if was_changed:
            with pytest.raises(DamagedFileError) as caught:
                RuleTable.open(place).verify()
            assert caught.value.code in ("file.damaged", "file.changed")  # its size, its checksum
            assert caught.value.file == str(path)
        shutil.rmtree(place)
        shutil.rmtree(tmp_path / "filtered", ignore_errors=True)


@pytest.mark.slow
def test_numbers_are_checked_beyond_checksums(table, tmp_path):
    """What a writer never writes is found even where the checksums were made to fit."""
    draw = random.Random(6)
    told = 0
    for _ in range(120):
        place = tmp_path / "damaged"
        shutil.copytree(table.folder, place)
        path = place / draw.choice(
            ["nodes", "children", "places", "last", "records", "shapes", "blocks", "links"]
        )
        data = bytearray(path.read_bytes())
        data[draw.randrange(max(1, len(data) - 8))] ^= 1 << draw.randrange(8)
        rewrite(path, data)
        try:
            RuleTable.open(place).verify()
        except DamagedFileError:
            told += 1
        else:
            use(place)
        shutil.rmtree(place)
        shutil.rmtree(tmp_path / "filtered", ignore_errors=True)
    assert told > 30


@pytest.mark.slow
def test_more_numbers_than_there_are_codes(tmp_path):
    """Numbers that come late have no code, and are written as they are."""
    count = (1 << 18) + 500
    words = joined_words(f"w{n}" for n in range(count))
    with new_table(tmp_path / "rules", ["X"], ["p", "q"]) as writer:
        for n in range(count):
            numbers = np.array([-n / 7, n % 3], np.float32)
            writer.native.add(0, arrays(n), arrays(n), NO_LINKS, (n, n + 1, 0.5 * n), numbers)
        writer.finish(words, words, {})
    table = RuleTable.open(tmp_path / "rules")
    for n in (0, 1, 1000, (1 << 18) - 1, 1 << 18, count - 1):
        rule = table[n]
        assert rule.source == rule.target == (f"w{n}",)
        assert rule.features == {"p": np.float32(-n / 7), "q": n % 3}
        assert (rule.count, rule.source_count, rule.target_count) == (n, n + 1, 0.5 * n)
    table.verify()


@pytest.mark.slow
def test_a_source_with_very_many_rules_hides_no_other(tmp_path):
    """Where rules begin is found across long stretches in which nothing does."""
    many = 30_000
    words = joined_words([*"abcdefgh", *(f"w{n}" for n in range(many))])
    sources = [(n,) for n in range(8)] + [(n, m) for n in range(8) for m in range(8)]
    with new_table(tmp_path / "rules", ["X"], []) as writer:
        for source in sorted(sources):
            for n in range(many if source in ((2,), (5, 1)) else 1):
                writer.native.add(0, arrays(*source), arrays(n), NO_LINKS, (1, 1, 1), NOTHING)
        writer.finish(words, words, {})
    table = RuleTable.open(tmp_path / "rules")
    table.verify()
    for source in sources:
        name = tuple("abcdefgh"[n] for n in source)
        found = table.lookup(name)
        assert len(found) == (many if source in ((2,), (5, 1)) else 1)
        assert found[-1].source == table[found[-1].id].source == name


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


def test_limits_are_the_readers_own(tmp_path):
    names = [f"f{n}" for n in range(4096)]
    rule = Rule(("a",), ("b",), features=dict.fromkeys(names, 0.5))
    table = RuleTable.build(tmp_path / "rules", [rule])
    assert len(table.lookup("a")[0].features) == 4096
    with refuses(RuleError, "argument.range", argument="features"):
        RuleTable.build(tmp_path / "more", [], features=[*names, "one more"])
    with refuses(RuleError, "argument.range", argument="source", value=1):
        RuleTable.build(tmp_path / "long", [Rule(("a",) * 1001, ("b",))])


@pytest.mark.parametrize("name", ["phrases", "grammar"])
def test_tables_of_the_first_version_are_read(tmp_path, name):
    """They were extracted from the corpus beside them, as it is done still."""
    golden = Path(__file__).parents[1] / "golden"
    table = RuleTable.open(golden / "rules" / f"table-1-{name}")
    table.verify()
    again = extract_files(
        *(golden / "extract" / f"corpus.{part}" for part in ("source", "target", "align")),
        tmp_path / "rules",
        **table.facts["settings"],
    )
    assert len(table) > 100
    assert list(table) == list(again.table)
