"""Files of rule tables: how they are written, what damage does to them, earlier versions."""

from __future__ import annotations

import random
import shutil
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from tests.refusals import refuses
from tests.tables import RULES, rewrite

from rosewood.errors import DamagedFileError, RosewoodError, RuleError
from rosewood.folders import joined_words
from rosewood.rules import Rule, RuleTable, extract_files, new_table
from rosewood.rules.table_files import KIND, MANIFEST


@pytest.fixture
def table(tmp_path):
    return RuleTable.build(tmp_path / "rules", RULES, facts={"made": "by hand"})


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
    place = tmp_path / "damaged"
    shutil.copytree(table.folder, place)
    for _ in range(250):
        path = place / draw.choice(names)
        good = path.read_bytes()
        data = bytearray(good)
        kind = draw.randrange(4)
        if kind == 0:
            del data[draw.randrange(len(data) + 1) :]
        elif kind == 1:
            data += bytes(draw.randrange(1, 9))
        else:
            for _ in range(draw.choice([1, 1, 2, 8])):
                if data:
                    data[draw.randrange(len(data))] = draw.choice([0, 255, draw.randrange(256)])
        was_changed = data != good and path.name != MANIFEST
        path.write_bytes(data)
        with suppress(RosewoodError):
            use(place)
        if was_changed:
            with pytest.raises(DamagedFileError) as caught:
                RuleTable.open(place).verify()
            assert caught.value.code in ("file.damaged", "file.changed")  # its size, its checksum
            assert caught.value.file == str(path)
        path.write_bytes(good)
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
    ids = np.arange(count, dtype=np.int32)
    numbers = np.stack([-ids / 7, ids % 3], axis=1).astype(np.float32)
    words = joined_words(f"w{n}" for n in range(count))
    with new_table(tmp_path / "rules", ["X"], ["p", "q"]) as writer:
        for n in range(count):
            word = ids[n : n + 1]
            writer.native.add(0, word, word, NO_LINKS, (n, n + 1, 0.5 * n), numbers[n])
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
    ids = np.arange(many, dtype=np.int32)
    words = joined_words([*"abcdefgh", *(f"w{n}" for n in range(many))])
    sources = [(n,) for n in range(8)] + [(n, m) for n in range(8) for m in range(8)]
    with new_table(tmp_path / "rules", ["X"], []) as writer:
        for source in sorted(sources):
            symbols = arrays(*source)
            for n in range(many if source in ((2,), (5, 1)) else 1):
                writer.native.add(0, symbols, ids[n : n + 1], NO_LINKS, (1, 1, 1), NOTHING)
        writer.finish(words, words, {})
    table = RuleTable.open(tmp_path / "rules")
    table.verify()
    for source in sources:
        name = tuple("abcdefgh"[n] for n in source)
        found = table.lookup(name)
        assert len(found) == (many if source in ((2,), (5, 1)) else 1)
        assert found[-1].source == table[found[-1].id].source == name


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
