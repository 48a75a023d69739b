"""Bad candidate files of many kinds: each is refused with its place and its own reason."""

from __future__ import annotations

import gzip
import lzma
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest

from rosewood.errors import FormatError, RosewoodError, TuningError
from rosewood.rerank import Dropped, read_candidates, write_candidates, write_forest_set

GOOD = b'{"id": "a", "refs": ["r"], "hyps": [{"text": "x", "features": {"lm": 1, "tm": 2}}]}\n'


def line(id: str = '"b"', refs: str = '["r"]', features: str = '{"lm": 1, "tm": 2}') -> bytes:
    """A line of JSON with something in it changed."""
    hyps = f'[{{"text": "x", "features": {features}}}]'
    return f'{{"id": {id}, "refs": {refs}, "hyps": {hyps}}}\n'.encode()


class Kind(NamedTuple):
    """A kind of bad input: its files, the first one the candidates, and what must be told."""

    name: str
    files: dict[str, bytes]
    line: int | None
    reason: str
    options: Mapping[str, Any] = MappingProxyType({})
    file: str | None = None  # the one to blame, if it is not the first
    always: bool = False  # whether it stops even where bad lists are skipped


def jsonl(name: str, second: bytes, reason: str, *, line: int = 2) -> Kind:
    return Kind(name, {"in.jsonl": GOOD + second}, line, reason)


def moses(name: str, text: str, line: int, reason: str) -> Kind:
    return Kind(name, {"in.nbest": text.encode()}, line, reason)


def tsv(name: str, text: str, line: int, reason: str, *, always: bool = False) -> Kind:
    return Kind(name, {"in.tsv": text.encode()}, line, reason, always=always)


HEAD = "id\ttext\tref\tlm\trule:1\tscore:c\n"
ROW = "a\tx\tr\t1\t\t0.5\n"
TWO = "0 ||| a ||| lm= 1 tm= 2 3 ||| 4\n"

JSON_LINES = [
    jsonl("empty line", b"\n", "the line is empty"),
    jsonl("line of blanks", b" \t \n", "the line is empty"),
    jsonl("no JSON", b"{id: 1}\n", "it is not JSON: Expecting property name"),
    jsonl("cut off", line()[:40] + b"\n", "it is not JSON: "),
    jsonl("two objects on a line", line().strip() + line(), "there is more behind the list"),
    jsonl("an array", b"[1, 2]\n", "a list is an object {…}, not [1, 2]"),
    jsonl("a string", b'"x"\n', 'a list is an object {…}, not "x"'),
    jsonl("too deep", b'{"id": ' + b"[" * 200_000 + b"\n", "nested too deeply"),
    jsonl("NaN", line(features='{"lm": NaN, "tm": 2}'), "there is a number NaN"),
    jsonl("Infinity", line(features='{"lm": 1, "tm": -Infinity}'), "there is a number -Infinity"),
    jsonl("too large", line(features='{"lm": 1e999, "tm": 2}'), "candidate 1: feature 'lm' is Inf"),
    jsonl(
        "too large and whole",
        line(features=f'{{"lm": 1{"0" * 400}, "tm": 2}}'),
        "feature 'lm' is 1000000000000000000000000000000000000000…, want a finite number",
    ),
    jsonl(
        "thousands of digits",
        line(features=f'{{"lm": 1{"0" * 9999}, "tm": 2}}'),
        "it is not JSON of candidates: Exceeds the limit",
    ),
    jsonl(
        "a string for a number",
        line(features='{"lm": "1", "tm": 2}'),
        "list 'b', candidate 1: feature 'lm' is \"1\", want a number",
    ),
    jsonl(
        "a truth value for a number",
        line(features='{"lm": true, "tm": 2}'),
        "feature 'lm' is true, want a number",
    ),
    jsonl("null for a number", line(features='{"lm": null, "tm": 2}'), "'lm' is null, want"),
    jsonl("a list for a number", line(features='{"lm": [1], "tm": 2}'), "'lm' is [1], want"),
    jsonl(
        "missing feature", line(features='{"lm": 1}'), "list 'b', candidate 1: missing feature 'tm'"
    ),
    jsonl(
        "unknown feature",
        line(features='{"lm": 1, "tm": 2, "x": 3}'),
        "list 'b', candidate 1: unknown feature 'x': the first list has it not",
    ),
    jsonl(
        "unknown score",
        b'{"id": 1, "refs": ["r"], "hyps": [{"text": "", "features": '
        b'{"lm": 1, "tm": 2}, "scores": {"c": 1}}]}\n',
        "unknown score 'c'",
    ),
    jsonl("sparse NaN", line(features='{"lm": 1, "tm": 2, "r:1": "x"}'), "feature 'r:1' is \"x\""),
    jsonl("features that are a list", line(features="[1, 2]"), '"features" is [1, 2], want an obj'),
    jsonl("duplicate key", b'{"id": 1, "id": 2, "hyps": []}\n', 'the key "id" stands twice'),
    jsonl("duplicate feature", line(features='{"lm": 1, "lm": 2}'), 'the key "lm" stands twice'),
    jsonl("duplicate id", line('"a"'), "id 'a' stands twice, the first time on line 1"),
    jsonl("no id", b'{"hyps": [{"text": ""}]}\n', 'the list has no "id"'),
    jsonl("empty id", line('""'), '"id" is "", want a string or a whole number'),
    jsonl("id is a fraction", line("1.5"), '"id" is 1.5, want a string or a whole number'),
    jsonl("id is true", line("true"), '"id" is true, want'),
    jsonl("no hyps", b'{"id": "b", "refs": ["r"]}\n', 'the list has no "hyps"'),
    jsonl("empty hyps", b'{"id": "b", "refs": ["r"], "hyps": []}\n', "list 'b': it has no cand"),
    jsonl("hyps is an object", b'{"id": "b", "hyps": {}}\n', '"hyps" is {}, want a list'),
    jsonl("hyp is a string", b'{"id": "b", "hyps": ["x"]}\n', 'candidate 1 is "x", want an object'),
    jsonl("no text", b'{"id": "b", "hyps": [{"features": {}}]}\n', 'candidate 1 has no "text"'),
    jsonl("text is null", b'{"id": "b", "hyps": [{"text": null}]}\n', '"text" is null, want a str'),
    jsonl("too few references", line(refs="[]"), "it has 0 references, the first list has 1"),
    jsonl("too many references", line(refs='["r", "s"]'), "it has 2 references, the first list"),
    jsonl("references in a string", line(refs='"r"'), '"refs" is "r", want a list'),
    jsonl("a number for a reference", line(refs="[1]"), "a reference is 1, want a string"),
    jsonl("src is a list", b'{"id": 1, "src": ["x"], "hyps": []}\n', '"src" is ["x"], want a str'),
    jsonl("half of a surrogate pair", line(refs='["\\ud800"]'), "half of a surrogate pair in"),
    jsonl("no UTF-8", line('"\xff"').replace(b"\xc3\xbf", b"\xff"), "it is not UTF-8: invalid"),
    Kind("UTF-16", {"in.jsonl": GOOD.decode().encode("utf-16")}, 1, "it is not UTF-8"),
    Kind("a feature without a name", {"in.jsonl": line(features='{"": 1}')}, 1, "has no name"),
]

MOSES = [
    moses("empty row", TWO + "\n", 2, "the line is empty"),
    moses("two fields", TWO + "0 ||| a\n", 2, "there are 2 fields, want `id ||| text ||| feat"),
    moses("id is a word", TWO + "x ||| a ||| lm= 1\n", 2, "the id, the first field, is 'x'"),
    moses("negative id", TWO + "-1 ||| a ||| lm= 1\n", 2, "the id, the first field, is '-1'"),
    moses("id comes back", TWO + TWO.replace("0", "1") + TWO, 3,
          "id '0' stands twice, the first time on line 1; the candidates of a list stand together"),
    moses("nan", TWO + "0 ||| a ||| lm= nan tm= 2 3 ||| 4\n", 2, "is 'nan', want a finite number"),
    moses("no number", "0 ||| a ||| lm= x ||| 4\n", 1, "feature 'lm_0' is 'x', want a finite"),
    moses("name without a value", TWO + "0 ||| a ||| lm= tm= 2 3 ||| 4\n", 2, "'lm' has no value"),
    moses("last name without a value", TWO + "0 ||| a ||| lm= 1 tm= ||| 4\n", 2, "'tm' has no val"),
    moses("value without a name", "0 ||| a ||| 1 lm= 2\n", 1, "the value '1' has no name"),
    moses("value behind a pair", "0 ||| a ||| lm=1 2\n", 1, "the value '2' has no name"),
    moses("sparse feature twice", "0 ||| a ||| r:1= 1 r:1= 2\n", 1, "feature 'r:1' stands twice"),
    moses("a pair without a name", "0 ||| a ||| =1\n", 1, "a feature has no name"),
    moses("fewer values", TWO + "0 ||| a ||| lm= 1 tm= 2 ||| 4\n", 2,
          "list '0', candidate 2: missing feature 'tm_1'"),
    moses("more values", TWO + "1 ||| a ||| lm= 1 5 tm= 2 3 ||| 4\n", 2,
          "list '1', candidate 1: unknown feature 'lm_1': the first list has it not"),
    moses("bad total", TWO + "0 ||| a ||| lm= 1 tm= 2 3 ||| -inf\n", 2,
          "the score, behind the features, is '-inf'"),
    moses("no total", TWO + "0 ||| a ||| lm= 1 tm= 2 3\n", 2, "missing score 'model'"),
    Kind("n-best row that is not UTF-8", {"in.nbest": TWO.encode() + b"0 ||| \xe9 ||| lm= 1\n"}, 2,
         "it is not UTF-8"),
]  # fmt: skip

TABLES = [
    tsv("no column id", "name\ttext\n", 1, "the header has no column 'id'", always=True),
    tsv("no column text", "id\tlm\na\t1\n", 1, "the header has no column 'text'", always=True),
    tsv("column twice", "id\ttext\tlm\tlm\n", 1, "column 'lm' stands twice", always=True),
    tsv("column without a name", "id\ttext\t\n", 1, "a column of the header has no", always=True),
    tsv("no rows", HEAD, None, "there are no lists of candidates in it", always=True),
    tsv("too few fields", HEAD + ROW + "a\tx\tr\t1\n", 3, "there are 4 fields, the header has 6"),
    tsv("too many fields", HEAD + ROW + ROW.strip() + "\t\n", 3, "there are 7 fields, the header"),
    tsv("empty row of a table", HEAD + ROW + "\n", 3, "the line is empty"),
    tsv("row without an id", HEAD + ROW + ROW[1:], 3, "the id is empty"),
    tsv("empty number", HEAD + ROW.replace("1", ""), 2, "feature 'lm' is '', want a finite number"),
    tsv("a word for a number", HEAD + ROW.replace("1", "x"), 2, "feature 'lm' is 'x', want a fin"),
    tsv("decimal comma", HEAD + ROW.replace("0.5", "0,5"), 2, "score 'c' is '0,5', want a finite"),
    tsv("sparse word", HEAD + ROW.replace("\t\t", "\ty\t"), 2, "feature 'rule:1' is 'y', want"),
    tsv("reference changes", HEAD + ROW + ROW.replace("r", "s"), 3,
        "the source or a reference differs from those on line 2, of this id"),
    tsv("id comes back in a table", HEAD + ROW + "b" + ROW[1:] + ROW, 4,
        "id 'a' stands twice, the first time on line 2; the candidates of a list stand together"),
]  # fmt: skip

BESIDE = [
    Kind("references too short", {"in.nbest": b"0 ||| a ||| 1\n1 ||| b ||| 1\n2 ||| c ||| 1\n",
                                  "ref": b"x\n"}, 1, "it has 1 lines, but ",
         {"references": ["ref"]}, "ref", always=True),
    Kind("references too long", {"in.jsonl": line(refs="[]"), "ref": b"x\ny\nz\n"}, 2,
         "it has 3 lines, but ", {"references": ["ref"]}, "ref", always=True),
    Kind("references of two lengths", {"in.jsonl": line(refs="[]"), "ref": b"x\n", "r2": b"x\ny\n"},
         1, "it has 1 lines, but ", {"references": ["ref", "r2"]}, "ref", always=True),
    Kind("sources too short", {"in.tsv": b"id\ttext\tlm\na\tx\t1\n", "src": b""}, 0,
         "it has 0 lines, but ", {"source": "src"}, "src", always=True),
    Kind("references inside and outside", {"in.jsonl": GOOD, "ref": b"x\n"}, 1,
         "the list has references of its own", {"references": ["ref"]}, always=True),
    Kind("source inside and outside", {"in.jsonl": GOOD.replace(b'"refs"', b'"src": "s", "refs"'),
                                       "src": b"x\n"}, 1,
         "the list has a source of its own", {"source": "src"}, always=True),
    Kind("ids from 1", {"in.nbest": b"1 ||| a ||| 1\n2 ||| b ||| 1\n", "ref": b"x\ny\n"}, 1,
         "there are no candidates for line 1 of ", {"references": ["ref"]}),
    Kind("a list is missing", {"in.nbest": b"0 ||| a ||| 1\n2 ||| b ||| 1\n", "ref": b"x\ny\nz\n"},
         2, "there are no candidates for line 2 of ", {"references": ["ref"]}),
    Kind("ids out of order", {"in.nbest": b"1 ||| b ||| 1\n0 ||| a ||| 1\n", "ref": b"x\ny\n"}, 1,
         "there are no candidates for line 1 of ", {"references": ["ref"]}),
    Kind("reference that is not UTF-8", {"in.jsonl": line(refs="[]"), "ref": b"\xff\n"}, 1,
         "it is not UTF-8", {"references": ["ref"]}, "ref"),
]  # fmt: skip

ONE_A_LINE = [
    Kind("not a multiple", {"in": b"a\nb\nc\n"}, 3, "it has 3 lines, which is not a multiple of 2",
         {"per_source": 2}, always=True),
    Kind("features too short", {"in": b"a\nb\nc\nd\n", "lm": b"1\n2\n"}, 2, "it has 2 lines, but ",
         {"per_source": 2, "features": ["lm"]}, "lm", always=True),
    Kind("features too long", {"in": b"a\nb\n", "lm": b"1\n2\n3\n"}, 2, "it has 2 lines, but ",
         {"per_source": 2, "features": ["lm"]}, always=True),
    Kind("counts too large", {"in": b"a\nb\n", "n": b"1\n2\n3\n"}, 2, "it has 2 lines, but ",
         {"per_source": "n"}, always=True),
    Kind("counts too small", {"in": b"a\nb\n", "n": b"1\n"}, 2, "it has 2 lines, but ",
         {"per_source": "n"}, always=True),
    Kind("count is a word", {"in": b"a\nb\n", "n": b"x\n"}, 1, "the number of candidates is 'x'",
         {"per_source": "n"}, "n", always=True),
    Kind("count is zero", {"in": b"a\nb\n", "n": b"2\n0\n"}, 2, "list '1' has no candidates",
         {"per_source": "n"}, "n"),
    Kind("feature line with a word", {"in": b"a\nb\n", "lm": b"1\nx\n"}, 2, "feature 'lm' is 'x'",
         {"per_source": 1, "features": ["lm"]}, "lm"),
    Kind("feature line with NaN", {"in": b"a\nb\n", "lm": b"1\nnan\n"}, 2, "feature 'lm' is 'nan'",
         {"per_source": 1, "features": ["lm"]}, "lm"),
    Kind("empty feature line", {"in": b"a\nb\n", "lm": b"1\n\n"}, 2, "there are 0 numbers on the l",
         {"per_source": 1, "features": ["lm"]}, "lm"),
    Kind("empty first feature line", {"in": b"a\nb\n", "lm": b"\n1\n"}, 1, "there is no number on",
         {"per_source": 1, "features": ["lm"]}, "lm", always=True),
    Kind("more numbers on a line", {"in": b"a\nb\n", "lm": b"1 2\n1 2 3\n"}, 2,
         "there are 3 numbers on the line, want 2", {"per_source": 1, "features": ["lm"]}, "lm"),
    Kind("pairs and numbers", {"in": b"a\nb\n", "f": b"lm=1\n2\n"}, 2, "a feature is name=value",
         {"per_source": 1, "features": ["f"]}, "f"),
    Kind("pair without a number", {"in": b"a\nb\n", "f": b"lm=1\nlm=\n"}, 2, "feature 'lm' is ''",
         {"per_source": 1, "features": ["f"]}, "f"),
    Kind("missing pair", {"in": b"a\nb\n", "f": b"lm=1 tm=2\ntm=1\n"}, 2, "missing feature 'lm'",
         {"per_source": 1, "features": ["f"]}),
    Kind("feature in two files", {"in": b"a\n", "f": b"lm=1\n", "lm": b"2\n"}, 1,
         "feature 'lm' stands twice", {"per_source": 1, "features": ["f", "lm"]}, "lm"),
    Kind("references for fewer lists", {"in": b"a\nb\nc\nd\n", "ref": b"x\n"}, 1,
         "it has 1 lines, but ", {"per_source": 2, "references": ["ref"]}, "ref", always=True),
]  # fmt: skip

SQUEEZED = lzma.compress(GOOD)
WHOLE_FILES = [
    Kind("empty file", {"in.jsonl": b""}, None, "there are no lists of candidates in it",
         always=True),
    Kind("format unknown", {"in.txt": b"hello\n"}, 1, "neither its ending nor its first line",
         always=True),
    Kind("format ambiguous", {"in.tsv": GOOD}, 1,
         "its first line looks like jsonl, but its ending says tsv", always=True),
    Kind("no gzip", {"in.jsonl.gz": GOOD}, 1, "the compressed file is damaged", always=True),
    Kind("gzip cut off", {"in.jsonl.gz": gzip.compress(GOOD)[:-9]}, 1,
         "the compressed file is damaged", always=True),
    Kind("xz altered", {"in.jsonl.xz": SQUEEZED[:20] + b"????" + SQUEEZED[24:]}, 1,
         "the compressed file is damaged", always=True),
    Kind("no zst", {"in.jsonl.zst": GOOD}, 1, "the compressed file is damaged", always=True),
    Kind("empty zst", {"in.jsonl.zst": b""}, 1, "the compressed file is damaged", always=True),
    Kind("another compression", {"in.jsonl.bz2": GOOD}, None, ".bz2 files are not read here",
         always=True),
    Kind("no forest set", {"in.rwf": GOOD}, None, "it is not a forest set", always=True),
]  # fmt: skip

KINDS = [*JSON_LINES, *MOSES, *TABLES, *BESIDE, *ONE_A_LINE, *WHOLE_FILES]


def placed(kind: Kind, folder: Any) -> tuple[Any, dict[str, Any]]:
    """The files of a kind on disk: the candidates, and the options with their paths."""
    for name, content in kind.files.items():
        (folder / name).write_bytes(content)

    def there(value: Any) -> Any:
        if isinstance(value, list):
            return [there(v) for v in value]
        return folder / value if isinstance(value, str) else value

    options = {name: there(value) for name, value in kind.options.items()}
    return folder / next(iter(kind.files)), options


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_each_kind_is_told_and_leaves_nothing(kind, tmp_path):
    path, options = placed(kind, tmp_path)
    before = sorted(tmp_path.iterdir())
    with pytest.raises(FormatError) as caught:
        write_forest_set(read_candidates(path, **options), tmp_path / "out.rwf")
    assert kind.reason in caught.value.reason
    assert caught.value.file == str(tmp_path / (kind.file or path.name))
    assert caught.value.line == kind.line
    with pytest.raises(FormatError):
        write_candidates(read_candidates(path, **options), tmp_path / "out.jsonl.gz")
    assert sorted(tmp_path.iterdir()) == before
    report = Dropped()
    skip = read_candidates(path, **options, on_bad_line="skip", report=report)
    if kind.always:
        with pytest.raises(FormatError) as again:
            list(skip)
        assert kind.reason in again.value.reason
        return
    try:
        assert list(skip)
    except FormatError as error:
        assert "are bad, the first" in str(error) or kind.name == "ids from 1"  # noqa: PT017
    assert kind.reason in report.reasons[0].reason


def test_there_are_many_kinds():
    assert len({kind.name for kind in KINDS}) == len(KINDS) > 100


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"format": "xml"}, "the format is 'xml', want one of jsonl, moses, lines, tsv, set"),
        ({"format": "lines"}, "per_source must tell how many"),
        ({"features": ["lm"]}, "per_source must tell how many"),
        ({"format": "tsv", "per_source": 3}, "are for candidates one a line, not tsv"),
        ({"per_source": 0}, "per_source is 0, want at least 1"),
        ({"references": "ref"}, "references and features are lists of files, not one file"),
        ({"format": "set"}, "a forest set is read from a file"),
        ({"per_source": 1, "features": ["a/lm.txt", "b/lm.gz"]}, "files of features are called"),
    ],
)
def test_options_that_do_not_fit(options, reason):
    with pytest.raises(TuningError, match=reason):
        list(read_candidates(["{}"], **options))
    assert issubclass(TuningError, RosewoodError)
