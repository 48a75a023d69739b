"""What formats of other programs cannot say, and what cannot be written at all."""

from __future__ import annotations

import io
import random
import shutil
from contextlib import suppress

import pytest
from tests.refusals import refuses
from tests.rule_text_tables import X1, grammar, phrases, written

from rosewood.errors import RosewoodError, RuleError
from rosewood.rules import Gap, Rule, RuleTable
from rosewood.rules.formats import (
    export_grammar,
    export_moses,
    import_grammar,
    import_moses,
)


def test_words_that_would_be_read_as_gaps(tmp_path):
    def table(word: str) -> RuleTable:
        return RuleTable.build(tmp_path / "t", [Rule((word,), ("x",), features={"f": 0.0})])

    gaps = ("cdec", "joshua", "moses")
    for word, formats in {"[X,1]": gaps, "[X]": gaps, "a|||b": (*gaps, None)}.items():
        made = table(word)
        for format in (*gaps, None):
            if format in formats:
                with refuses(RuleError, "rules.unwritable", argument="source", value=0):
                    written(made, format)
            else:
                assert word in written(made, format)


def test_rules_of_a_grammar_are_no_phrases(tmp_path):
    rules = [Rule((X1, "a"), (X1, "x"), features={"f": 0.0})]
    with refuses(RuleError, "rules.unwritable", argument="grammar", value=0):
        written(RuleTable.build(tmp_path / "t", rules))
    rules = [Rule(("a",), ("x",), "S", features={"f": 0.0})]
    with refuses(RuleError, "rules.unwritable", argument="grammar", value=0):
        written(RuleTable.build(tmp_path / "u", rules))


def test_names_that_cannot_be_written(tmp_path):
    rules = [Rule(("a",), ("x",), "N,P", features={"a b": 0.0})]
    table = RuleTable.build(tmp_path / "t", rules)
    plain = RuleTable.build(tmp_path / "v", [Rule(("a",), ("x",), "N,P", features={"a": 0.0})])
    with refuses(RuleError, "rules.unwritable", argument="label", value=0):
        written(plain, "cdec")
    with refuses(RuleError, "argument.value"):
        written(table, "joshua")
    large = RuleTable.build(tmp_path / "u", [Rule(("a",), ("x",), features={"f": 1e4})])
    with refuses(RuleError, "rules.unwritable", argument="features", value=0):
        written(large)
    assert written(table, "moses").startswith("a [N,P] ||| x [N,P] ||| 1 |||")


def test_rules_that_a_format_cannot_hold_are_left_out(tmp_path):
    rules = [
        Rule(("[sic]",), ("x",), features={"f": 0.0}),
        Rule(("a",), ("[sic]",), features={"f": 0.0}),
        Rule(("a",), ("x",), features={"f": 0.0}),
        Rule(("a", X1), ("x", X1), features={"f": 0.0}),
        Rule(("b", Gap("N,P", 1)), ("y", Gap("N,P", 1)), features={"f": 0.0}),
        Rule(("b",), ("x",), "N,P", features={"f": 0.0}),
        Rule(("c",), ("x",), features={"f": 1e4}),
    ]
    table = RuleTable.build(tmp_path / "t", rules)
    for format, want in {None: 3, "cdec": 4, "joshua": 6, "moses": 4}.items():
        out = io.BytesIO()
        if format is None:
            done = export_moses(table, out, skip_unwritable=True)
        else:
            done = export_grammar(table, out, format=format, skip_unwritable=True, threads=2)
        assert (done.features, done.skipped) == (("f",), len(rules) - want)
        assert len(out.getvalue().splitlines()) == want


def test_a_block_of_nothing_but_rules_left_out_is_not_the_end(tmp_path):
    text = "".join(f"[X] ||| w{n} [X,1] ||| [1] ||| A=0\n" for n in range(70_000))
    table = grammar(f"{text}[X] ||| zzz ||| y ||| A=0\n", tmp_path / "t", "cdec")
    out = io.BytesIO()
    done = export_moses(table, out, skip_unwritable=True, threads=2)
    assert (done.skipped, out.getvalue()) == (70_000, b"zzz ||| y ||| 1 ||| ||| ||| |||\n")


def test_what_is_no_file_no_table_and_no_list_is_told(tmp_path):
    table = phrases("a ||| x ||| 1 1 1 1\n", tmp_path / "t")
    for act, argument in (
        (lambda: export_moses("rules", tmp_path / "x"), "table"),
        (lambda: export_grammar(None, tmp_path / "x", format="cdec"), "table"),
        (lambda: export_moses(table, 3), "path"),
        (lambda: export_moses(table, table.folder / "x"), None),
        (lambda: export_moses(table, tmp_path / "x", scores="abcd"), "scores"),
        (lambda: export_grammar(table, tmp_path / "x", format="cdec", features="f"), "features"),
        (lambda: import_moses(None, tmp_path / "x"), "source"),
        (lambda: import_grammar(None, tmp_path / "x"), "source"),
        (lambda: phrases("a ||| x ||| 1 1 1 1\n", tmp_path / "x", scores="abcd"), "scores"),
    ):
        code = "file.exists" if argument is None else "argument.type"
        with refuses(RuleError, code, argument=argument):
            act()
    assert not (tmp_path / "x").exists()


@pytest.mark.slow
def test_damaged_tables_are_written_or_refused(tmp_path):
    """Whatever is in its files, the process goes on; what comes out may be wrong."""
    text = "".join(
        f"[{'XS'[n % 2]}] ||| w{n} [X,1] v ||| [1] u{n % 7} ||| A={n} B=0.5 ||| 0-1\n"
        for n in range(40)
    )
    good = grammar(text, tmp_path / "good", "cdec")
    chance = random.Random(7)
    files = [p.name for p in good.folder.iterdir() if p.suffix != ".json" and p.stat().st_size]
    for n in range(150):
        shutil.copytree(good.folder, tmp_path / "bad", dirs_exist_ok=True)
        file = tmp_path / "bad" / files[n % len(files)]
        data = bytearray(file.read_bytes())
        for _ in range(chance.randint(1, 4)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        file.write_bytes(data)
        with suppress(RosewoodError):
            written(RuleTable.open(tmp_path / "bad"), chance.choice(["cdec", "moses", "joshua"]))
