"""Details of rule tables and their texts that are seen only by who looks at just them."""

from __future__ import annotations

import io
import math
import shutil

import pytest
from tests.bitexts import indexed
from tests.refusals import refuses
from tests.tables import rewrite

from rosewood.align import Links
from rosewood.errors import DamagedFileError, FormatError, RuleError
from rosewood.rules import Gap, Rule, RuleTable, extract
from rosewood.rules.formats import (
    Orientations,
    export_grammar,
    export_moses,
    import_grammar,
    import_moses,
)

X1 = Gap("X", 1)


# -- text ------------------------------------------------------------------------------------------

LINES = {
    "phrases": "{} ||| x ||| 1 1 1 1 ||| 0-0\n",
    "moses": "{} [X] ||| x [X] ||| 1 1 1 1 ||| 0-0\n",
    "cdec": "[X] ||| {} ||| x ||| A=1\n",
    "joshua": "[X] ||| {} ||| x ||| 1\n",
}


def imported(data: str, format: str, folder) -> RuleTable:
    stream = io.BytesIO(data.encode())
    if format == "phrases":
        import_moses(stream, folder)
    else:
        import_grammar(stream, folder, format=format)
    return RuleTable.open(folder)


@pytest.mark.parametrize("format", LINES)
def test_a_mark_of_byte_order_is_none_of_a_rule(tmp_path, format):
    """It is one before the first line only; elsewhere it is what words are made of."""
    lines = [LINES[format].format(word) for word in ("a", "b", "\ufeffc")]
    table = imported("\ufeff" + "".join(lines), format, tmp_path / "t")
    assert sorted(rule.source for rule in table) == [("a",), ("b",), ("\ufeffc",)]


def test_a_mark_of_byte_order_before_a_reordering_table(tmp_path):
    text = "\ufeffa ||| x ||| 0.5 0.25 0.25 1 0 0\n"
    stream = io.BytesIO(text.encode())
    import_moses(
        io.BytesIO(LINES["phrases"].format("a").encode()), tmp_path / "t", reordering=stream
    )
    (rule,) = RuleTable.open(tmp_path / "t")
    assert math.isclose(rule.features["orientation_backward_monotone"], math.log(0.5), rel_tol=1e-6)


@pytest.mark.parametrize(
    "links", ["0-0 0-2", "0-0 2-0", "0-2 2-2", "2-0 2-2", "0-0 0-0", "1-1 2-0 2-0"]
)
def test_a_gap_is_linked_once(tmp_path, links):
    text = "[X][X] a [X][X] [X] ||| [X][X] x [X][X] [X] ||| 1 1 1 1 ||| {}\n"
    with refuses(FormatError, "line.duplicate", argument="alignment", line=1):
        imported(text.format(links), "moses", tmp_path / "t")
    for good in ("0-0 2-2", "2-0 0-2", "0-0 1-1 2-2"):
        assert len(imported(text.format(good), "moses", tmp_path / "t")) == 1


def test_nothing_is_less_than_zero_by_a_sign(tmp_path):
    text = "[X] ||| a ||| x ||| 0 2 named=0\n"
    for given in (text, text.replace(" 0 2", " -0 2"), text.replace("=0", "=-0.0")):
        table = imported(given, "joshua", tmp_path / "t")
        assert [math.copysign(1, value) for value in table[0].features.values()] == [1, -1, 1]
        out = io.BytesIO()
        export_grammar(table, out, format="joshua")
        assert out.getvalue().decode() == text


def test_zeros_of_tables_have_no_sign(tmp_path):
    for name, zero in (("plus", 0.0), ("minus", -0.0)):
        rule = Rule(("a",), ("b",), "X", (), {"p": zero, "q": -1.0}, zero, zero, zero)
        table = RuleTable.build(
            tmp_path / name, [rule, Rule(("b",), ("b",), features=rule.features)]
        )
        table.verify()
        for found in table:
            numbers = (found.features["p"], found.count, found.source_count, found.target_count)
            assert [math.copysign(1, number) for number in numbers] == [1] * 4
    for path in (tmp_path / "plus").iterdir():
        assert path.read_bytes() == (tmp_path / "minus" / path.name).read_bytes()


WAYS = {"backward": ("backward",), "forward": ("forward",), "both": ("backward", "forward")}


@pytest.mark.parametrize("classes", ["msd", "mslr"])
@pytest.mark.parametrize("directions", WAYS.values(), ids=list(WAYS))
def test_orientations_need_all_of_their_columns(tmp_path, classes, directions):
    whole = Orientations(classes, directions)
    assert Orientations.of_features(["p", *whole.columns]) == whole
    assert Orientations.of_features([*whole.columns[::-1], "q"]) == whole
    for column in whole.columns:
        left = [each for each in whole.columns if each != column]
        way = [each for each in directions if f"_{each}_" not in column]
        assert Orientations.of_features(left) == (
            Orientations(classes, tuple(way)) if way else None
        )
    some = dict.fromkeys([whole.columns[0], "phrase_ef"], -1.0)
    table = RuleTable.build(tmp_path / "t", [Rule(("a",), ("b",), features=some)])
    with refuses(RuleError, "rules.no-orientations"):
        export_moses(table, tmp_path / "phrases", reordering=tmp_path / "reordering")


# -- filtering -------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [63, 64, 65, 66, 127, 128, 129, 140])
def test_long_sentences_keep_what_lies_across_sixty_four_words(tmp_path, size):
    words = [f"w{n}" for n in range(size)]
    near = sorted({n for n in (0, 1, 61, 62, 63, 64, 65, 66, 126, 127, 128, 129) if n < size}
                  | {size - 2, size - 1})  # fmt: skip
    wanted: dict[tuple[str | Gap, ...], bool] = {}
    for n in near:
        wanted[X1, words[n]] = n > 0
        wanted[words[n], X1] = n < size - 1
        for length in range(1, 5):
            if n + length <= size:
                wanted[tuple(words[n : n + length])] = True
        for m in near:
            wanted[words[n], X1, words[m]] = n + 1 < m
            wanted[words[n], words[m]] = n + 1 == m
            wanted[words[n], X1, words[m], Gap("X", 2)] = n + 1 < m < size - 1
            wanted[X1, words[n], Gap("X", 2), words[m]] = n > 0 and n + 1 < m
            if m + 1 < size:
                wanted[words[n], X1, words[m], words[m + 1]] = n + 1 < m
                wanted[words[m], words[m + 1], X1, words[n]] = m + 2 < n
    rules = [
        Rule(source, (*(symbol for symbol in source if isinstance(symbol, Gap)), "x"))
        for source in wanted
    ]
    table = RuleTable.build(tmp_path / "t", rules)
    small = table.filter([" ".join(words)], tmp_path / "small")
    assert {rule.source for rule in small} == {
        source for source, is_kept in wanted.items() if is_kept
    }


# -- what a table must be --------------------------------------------------------------------------


def field(data: bytes, place: int, width: int) -> int:
    """A number of a file of numbers that have so many bits each."""
    return int.from_bytes(data, "little") >> place * width & (1 << width) - 1


def with_field(data: bytes, place: int, width: int, value: int) -> bytes:
    whole = int.from_bytes(data, "little")
    whole ^= (field(data, place, width) ^ value) << place * width
    return whole.to_bytes(len(data), "little")


def refused(folder, name: str, data: bytes) -> None:
    place = folder.with_name("changed")
    shutil.copytree(folder, place)
    rewrite(place / name, data)
    with refuses(DamagedFileError, "file.damaged", argument=name, file=str(place)):
        RuleTable.open(place).verify()
    shutil.rmtree(place)


def test_ids_are_below_their_number(tmp_path):
    rules = [Rule((f"w{n}",), ("x",)) for n in range(21)]
    table = RuleTable.build(tmp_path / "t", rules).filter(["w3 w17 w20"], tmp_path / "small")
    assert table.num_ids == 21
    data = (table.folder / "ids").read_bytes()
    assert [field(data, n, 5) for n in range(3)] == [3, 17, 20]
    for place, value in ((2, 21), (2, 22), (2, 31), (2, 17), (2, 0), (1, 3), (1, 20), (0, 17)):
        refused(table.folder, "ids", with_field(data, place, 5, value))
    rewrite(table.folder / "ids", with_field(data, 2, 5, 19))
    RuleTable.open(table.folder).verify()


def test_sentences_of_the_text_are_in_order(tmp_path):
    pairs = [(["a"], ["x"]), (["a", "b"], ["x", "y"]), (["b"], ["y", "y", "y"]), (["c"], ["z"])]
    table = extract(indexed(pairs), Links.of([{(0, 0)}] * 4), tmp_path / "rules").table
    data = (table.folder / "text.start").read_bytes()
    assert [field(data, n, 3) for n in range(5)] == [0, 1, 3, 6, 7]
    for place, value in ((0, 1), (1, 4), (2, 0), (2, 7), (3, 2), (4, 6), (4, 5)):
        refused(table.folder, "text.start", with_field(data, place, 3, value))
    rewrite(table.folder / "text.start", with_field(data, 1, 3, 0))  # an empty sentence
    RuleTable.open(table.folder).verify()
