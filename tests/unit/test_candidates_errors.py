"""Bad candidate files of many kinds: each is refused with its place and its own reason."""

from __future__ import annotations

import gzip
import lzma
from typing import Any

import pytest
from tests.candidate_faults import GOOD, JSON_LINES, MOSES, TABLES, Kind, line
from tests.refusals import check, fault, refuses

from rosewood.errors import FormatError, RosewoodError, TuningError
from rosewood.rerank import Dropped, read_candidates, write_candidates, write_forest_set

BESIDE = [
    Kind(
        "references too short",
        {"in.nbest": b"0 ||| a ||| 1\n1 ||| b ||| 1\n2 ||| c ||| 1\n", "ref": b"x\n"},
        1,
        fault("file.mismatch", value=1),
        {"references": ["ref"]},
        "ref",
        always=True,
    ),
    Kind(
        "references too long",
        {"in.jsonl": line(refs="[]"), "ref": b"x\ny\nz\n"},
        2,
        fault("file.mismatch", value=3),
        {"references": ["ref"]},
        "ref",
        always=True,
    ),
    Kind(
        "references of two lengths",
        {"in.jsonl": line(refs="[]"), "ref": b"x\n", "r2": b"x\ny\n"},
        1,
        fault("file.mismatch", value=1),
        {"references": ["ref", "r2"]},
        "ref",
        always=True,
    ),
    Kind(
        "sources too short",
        {"in.tsv": b"id\ttext\tlm\na\tx\t1\n", "src": b""},
        0,
        fault("file.mismatch", value=0),
        {"source": "src"},
        "src",
        always=True,
    ),
    Kind(
        "references inside and outside",
        {"in.jsonl": GOOD, "ref": b"x\n"},
        1,
        fault("argument.conflict", argument="references"),
        {"references": ["ref"]},
        always=True,
    ),
    Kind(
        "source inside and outside",
        {"in.jsonl": GOOD.replace(b'"refs"', b'"src": "s", "refs"'), "src": b"x\n"},
        1,
        fault("argument.conflict", argument="source"),
        {"source": "src"},
        always=True,
    ),
    Kind(
        "ids from 1",
        {"in.nbest": b"1 ||| a ||| 1\n2 ||| b ||| 1\n", "ref": b"x\ny\n"},
        1,
        fault("tuning.no-candidates", value=0),
        {"references": ["ref"]},
    ),
    Kind(
        "a list is missing",
        {"in.nbest": b"0 ||| a ||| 1\n2 ||| b ||| 1\n", "ref": b"x\ny\nz\n"},
        2,
        fault("tuning.no-candidates", value=1),
        {"references": ["ref"]},
    ),
    Kind(
        "ids out of order",
        {"in.nbest": b"1 ||| b ||| 1\n0 ||| a ||| 1\n", "ref": b"x\ny\n"},
        1,
        fault("tuning.no-candidates", value=0),
        {"references": ["ref"]},
    ),
    Kind(
        "reference that is not UTF-8",
        {"in.jsonl": line(refs="[]"), "ref": b"\xff\n"},
        1,
        fault("file.encoding"),
        {"references": ["ref"]},
        "ref",
    ),
]

ONE_A_LINE = [
    Kind(
        "not a multiple",
        {"in": b"a\nb\nc\n"},
        3,
        fault("file.mismatch", value=3),
        {"per_source": 2},
        always=True,
    ),
    Kind(
        "features too short",
        {"in": b"a\nb\nc\nd\n", "lm": b"1\n2\n"},
        2,
        fault("file.mismatch", value=2),
        {"per_source": 2, "features": ["lm"]},
        "lm",
        always=True,
    ),
    Kind(
        "features too long",
        {"in": b"a\nb\n", "lm": b"1\n2\n3\n"},
        2,
        fault("file.mismatch", value=2),
        {"per_source": 2, "features": ["lm"]},
        always=True,
    ),
    Kind(
        "counts too large",
        {"in": b"a\nb\n", "n": b"1\n2\n3\n"},
        2,
        fault("file.mismatch", value=2),
        {"per_source": "n"},
        always=True,
    ),
    Kind(
        "counts too small",
        {"in": b"a\nb\n", "n": b"1\n"},
        2,
        fault("file.mismatch", value=2),
        {"per_source": "n"},
        always=True,
    ),
    Kind(
        "count is a word",
        {"in": b"a\nb\n", "n": b"x\n"},
        1,
        fault("line.number", argument="the number of candidates", value="x"),
        {"per_source": "n"},
        "n",
        always=True,
    ),
    Kind(
        "count is zero",
        {"in": b"a\nb\n", "n": b"2\n0\n"},
        2,
        fault("tuning.no-candidates", value=1),
        {"per_source": "n"},
        "n",
    ),
    Kind(
        "feature line with a word",
        {"in": b"a\nb\n", "lm": b"1\nx\n"},
        2,
        fault("line.number", argument="feature 'lm'", value="x"),
        {"per_source": 1, "features": ["lm"]},
        "lm",
    ),
    Kind(
        "feature line with NaN",
        {"in": b"a\nb\n", "lm": b"1\nnan\n"},
        2,
        fault("line.number", argument="feature 'lm'", value="nan"),
        {"per_source": 1, "features": ["lm"]},
        "lm",
    ),
    Kind(
        "empty feature line",
        {"in": b"a\nb\n", "lm": b"1\n\n"},
        2,
        fault("line.fields", value=0),
        {"per_source": 1, "features": ["lm"]},
        "lm",
    ),
    Kind(
        "empty first feature line",
        {"in": b"a\nb\n", "lm": b"\n1\n"},
        1,
        fault("line.fields", value=0),
        {"per_source": 1, "features": ["lm"]},
        "lm",
        always=True,
    ),
    Kind(
        "more numbers on a line",
        {"in": b"a\nb\n", "lm": b"1 2\n1 2 3\n"},
        2,
        fault("line.fields", value=3),
        {"per_source": 1, "features": ["lm"]},
        "lm",
    ),
    Kind(
        "pairs and numbers",
        {"in": b"a\nb\n", "f": b"lm=1\n2\n"},
        2,
        fault("line.value", argument="feature", value="2"),
        {"per_source": 1, "features": ["f"]},
        "f",
    ),
    Kind(
        "pair without a number",
        {"in": b"a\nb\n", "f": b"lm=1\nlm=\n"},
        2,
        fault("line.number", argument="feature 'lm'", value=""),
        {"per_source": 1, "features": ["f"]},
        "f",
    ),
    Kind(
        "missing pair",
        {"in": b"a\nb\n", "f": b"lm=1 tm=2\ntm=1\n"},
        2,
        fault("line.fields", argument="feature", value="lm"),
        {"per_source": 1, "features": ["f"]},
    ),
    Kind(
        "feature in two files",
        {"in": b"a\n", "f": b"lm=1\n", "lm": b"2\n"},
        1,
        fault("line.duplicate", argument="feature", value="lm"),
        {"per_source": 1, "features": ["f", "lm"]},
        "lm",
    ),
    Kind(
        "references for fewer lists",
        {"in": b"a\nb\nc\nd\n", "ref": b"x\n"},
        1,
        fault("file.mismatch", value=1),
        {"per_source": 2, "references": ["ref"]},
        "ref",
        always=True,
    ),
]

SQUEEZED = lzma.compress(GOOD)
WHOLE_FILES = [
    Kind("empty file", {"in.jsonl": b""}, None, fault("tuning.no-lists", value=0), always=True),
    Kind(
        "format unknown",
        {"in.txt": b"hello\n"},
        1,
        fault("file.kind", argument="format"),
        always=True,
    ),
    Kind(
        "format ambiguous", {"in.tsv": GOOD}, 1, fault("file.kind", argument="format"), always=True
    ),
    Kind("no gzip", {"in.jsonl.gz": GOOD}, 1, fault("file.damaged"), always=True),
    Kind(
        "gzip cut off",
        {"in.jsonl.gz": gzip.compress(GOOD)[:-9]},
        1,
        fault("file.damaged"),
        always=True,
    ),
    Kind(
        "xz altered",
        {"in.jsonl.xz": SQUEEZED[:20] + b"????" + SQUEEZED[24:]},
        1,
        fault("file.damaged"),
        always=True,
    ),
    Kind("no zst", {"in.jsonl.zst": GOOD}, 1, fault("file.damaged"), always=True),
    Kind("empty zst", {"in.jsonl.zst": b""}, 1, fault("file.empty"), always=True),
    Kind(
        "another compression",
        {"in.jsonl.bz2": GOOD},
        None,
        fault("file.kind", value=".bz2"),
        always=True,
    ),
    Kind("no forest set", {"in.rwf": GOOD}, None, fault("file.kind"), always=True),
]

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
    place = {"file": str(tmp_path / (kind.file or path.name)), "line": kind.line}
    with pytest.raises(FormatError) as caught:
        write_forest_set(read_candidates(path, **options), tmp_path / "out.rwf")
    check(caught.value, type(caught.value), **kind.expected, **place)
    with pytest.raises(FormatError):
        write_candidates(read_candidates(path, **options), tmp_path / "out.jsonl.gz")
    assert sorted(tmp_path.iterdir()) == before
    report = Dropped()
    skip = read_candidates(path, **options, on_bad_line="skip", report=report)
    if kind.always:
        with pytest.raises(FormatError) as again:
            list(skip)
        check(again.value, type(again.value), **kind.expected)
        return
    try:
        assert list(skip)
    except FormatError as error:
        assert error.code == "tuning.no-lists" or kind.name == "ids from 1"  # noqa: PT017
    check(report.reasons[0], FormatError, **kind.expected)


def test_there_are_many_kinds():
    assert len({kind.name for kind in KINDS}) == len(KINDS) > 100


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"format": "xml"}, fault("argument.choice", argument="format", value="xml")),
        ({"format": "lines"}, fault("argument.missing", argument="per_source")),
        ({"features": ["lm"]}, fault("argument.missing", argument="per_source")),
        ({"format": "tsv", "per_source": 3}, fault("argument.conflict", argument="per_source")),
        ({"per_source": 0}, fault("argument.range", argument="per_source", value=0)),
        ({"references": "ref"}, fault("argument.type", argument="references")),
        ({"format": "set"}, fault("argument.type", argument="candidates")),
        (
            {"per_source": 1, "features": ["a/lm.txt", "b/lm.gz"]},
            fault("argument.duplicate", argument="features", value="lm"),
        ),
    ],
)
def test_options_that_do_not_fit(options, expected):
    with refuses(TuningError, **expected):
        list(read_candidates(["{}"], **options))
    assert issubclass(TuningError, RosewoodError)
