"""The other formats of candidates: their dialects, and that they agree with JSON lines."""

from __future__ import annotations

import contextlib
import io
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.candidates import candidate_lists, plain
from tests.refusals import check, refuses

from rosewood.errors import ForestError, FormatError, RosewoodError
from rosewood.forest import ForestSetWriter, parse_forest
from rosewood.rerank import (
    Dropped,
    format_candidates,
    read_candidates,
    write_candidates,
    write_forest_set,
)


def only(text, **options):
    (found,) = read_candidates(text.split("\n"), **options)
    return found


@pytest.mark.parametrize(
    ("row", "features", "scores"),
    [
        ("LM0= -5.2 TM0= -1 -2.5 ||| -3", {"LM0_0": -5.2, "TM0_0": -1, "TM0_1": -2.5}, [-3]),
        ("lm: -5.2 tm: -1 -2.5 ||| -3", {"lm_0": -5.2, "tm_0": -1, "tm_1": -2.5}, [-3]),
        ("lm: 1 tm: 2 lm: 3", {"lm_0": 1, "tm_0": 2, "lm_1": 3}, []),
        ("-5.2 -1 -2.5 ||| -3", {"F0": -5.2, "F1": -1, "F2": -2.5}, [-3]),
        ("-5.2", {"F0": -5.2}, []),
        ("lm=-5.2 rule:7=1 x=y=2", {"lm": -5.2, "rule:7": 1, "x=y": 2}, []),
        ("LM0= -5.2 wt:a~b= 1 ||| -3", {"LM0_0": -5.2, "wt:a~b": 1}, [-3]),
        ("F0=-1.5 ||| -0.5", {"F0": -1.5}, [-0.5]),
        ("F0= -1.5 F1= 2 ||| -0.5 ||| 0-0 1-1 ||| more", {"F0_0": -1.5, "F1_0": 2}, [-0.5]),
        ("0-0 1-1 ||| F0= 2 ||| -0.5", {"F0_0": 2}, [-0.5]),
        ("0-0 ||| WordScores= -1 -2 ||| F0=2 ||| -0.5", {"F0": 2}, [-0.5]),
        ("0.5,0.5 1,0 ||| F0=2 ||| -0.5", {"F0": 2}, [-0.5]),
        ("", {}, []),
        ("||| 2", {}, [2]),
    ],
)
@pytest.mark.parametrize("bars", [" ||| ", "|||", "\t|||\t", "  ||| "])
def test_dialects_of_n_best_lists(row, features, scores, bars):
    text = f"7 ||| the  house ||| {row}".replace(" ||| ", bars)
    found = only(f"{text}\n{text}", format="moses")
    assert (found.id, found.texts) == ("7", ("the  house",) * 2)
    assert found.features(0) == found.features(1) == features
    assert [column.tolist() for column in found.scores.values()] == [s * 2 for s in [scores] if s]


def test_rows_of_another_layout():
    rows = ["lm= 1 tm= 2 3", "tm= 4 5 lm= 6", "lm= 7 tm= 8 r:1= 9", "lm= 1 tm= 2 r:2= 3"]
    found = only("\n".join(f"0 ||| a ||| {row}" for row in rows[:2]))
    assert found.features(1) == {"lm_0": 6, "tm_0": 4, "tm_1": 5}
    found = only("\n".join(f"0 ||| a ||| {row}" for row in rows[2:]))
    assert found.features(1) == {"lm_0": 1, "tm_0": 2, "r:2": 3}


def test_references_by_the_number_of_the_list(tmp_path):
    (tmp_path / "src").write_text("s0\ns1\n")
    (tmp_path / "r0").write_text("a0\na1\n")
    (tmp_path / "r1").write_text("b0\nb1\n")
    beside = {"source": tmp_path / "src", "references": [tmp_path / "r0", tmp_path / "r1"]}
    for lines in (
        ["0 ||| x ||| 1", "0 ||| y ||| 2", "1 ||| z ||| 3"],
        ["id\ttext\tF0", "p\tx\t1", "p\ty\t2", "q\tz\t3"],
    ):
        first, second = read_candidates(lines, **beside)
        assert (first.source, first.references, first.texts) == ("s0", ("a0", "b0"), ("x", "y"))
        assert (second.source, second.references, second.texts) == ("s1", ("a1", "b1"), ("z",))
        assert second.features(0) == {"F0": 3}


def test_skipping_keeps_references_in_step(tmp_path):
    (tmp_path / "ref").write_text("a\nb\nc\nd\n")
    report = Dropped()
    lines = ["0 ||| x ||| 1", "1 ||| y ||| ?", "3 ||| z ||| 1", "2 ||| w ||| 1"]
    found = list(
        read_candidates(
            lines, references=[tmp_path / "ref"], on_bad_line="skip", report=report, file="in"
        )
    )
    assert [(c.id, c.references) for c in found] == [("0", ("a",)), ("3", ("d",))]
    first, second, third = report.reasons
    check(first, FormatError, "line.number", argument="feature 'F0'", value="?", file="in", line=2)
    check(second, FormatError, "tuning.no-candidates", value=2, file="in", line=3)
    check(third, FormatError, "line.order", argument="id", value=2, file="in", line=4)


@pytest.mark.parametrize(
    "lines",
    [
        ["id\ttext", "a\tx", "b\tx", "a\ty", "c\tx"],
        [f'{{"id": "{i}", "hyps": [{{"text": "x"}}]}}' for i in "abac"],
    ],
)
def test_a_list_that_stands_twice_has_its_own_reference(lines, tmp_path):
    (tmp_path / "ref").write_text("0\n1\n2\n3\n")
    report = Dropped()
    found = read_candidates(lines, references=[tmp_path / "ref"], on_bad_line="skip", report=report)
    assert [(c.id, *c.references) for c in found] == [("a", "0"), ("b", "1"), ("c", "3")]
    assert report.count == 1
    twice = ["0 ||| x ||| 1", "1 ||| x ||| 1", "0 ||| y ||| 1", "2 ||| x ||| 1", "3 ||| x ||| 1"]
    found = read_candidates(twice, references=[tmp_path / "ref"], on_bad_line="skip", report=report)
    assert [c.id for c in found] == ["0", "1", "2", "3"]
    assert report.count == 2


def test_a_row_that_may_be_of_two_lists_spoils_both():
    rows = ["0 ||| a ||| 1", "? ||| b ||| 1", "1 ||| c ||| 1", "2 ||| d ||| 1"]
    report = Dropped()
    found = read_candidates(rows, on_bad_line="skip", report=report)
    assert [c.id for c in found] == ["2"]
    assert report.count == 2
    rows[2] = "0 ||| c ||| 1"  # now it can only be of one
    assert [c.id for c in read_candidates(rows, on_bad_line="skip", report=report)] == ["2"]
    assert report.count == 3
    with refuses(
        FormatError, "line.number", argument="the id, the first field,", value="?", line=1
    ):
        list(read_candidates(["?|||?|||?"], format="moses"))
    with refuses(FormatError, "tuning.no-lists", value=1):
        list(read_candidates(["?|||?|||?"], format="moses", on_bad_line="skip"))


def test_tables():
    text = 'score:c\tref\tid\trule:x\ttext\tlm\tref2\tsrc\n.5\tr\ta\t2\t"x\t1\ts\tq\n'
    text += ".25\tr\ta\t\ty\t2\ts\tq"
    found = only(text)
    assert (found.id, found.texts, found.source) == ("a", ('"x', "y"), "q")
    assert found.references == ("r", "s")
    assert [found.features(i) for i in range(2)] == [{"lm": 1, "rule:x": 2}, {"lm": 2}]
    assert found.scores["c"].tolist() == [0.5, 0.25]


def test_candidates_one_a_line(tmp_path):
    (tmp_path / "lm.scores.txt").write_text("1\n2\n3\n")
    (tmp_path / "tm.txt").write_text("1 2\n3\t4\n5 6\n")
    (tmp_path / "f").write_text("\nscore:c=1 r:1=2\n\n")
    (tmp_path / "n").write_text("2\n1\n")
    files = [tmp_path / "lm.scores.txt", tmp_path / "tm.txt"]
    found = list(read_candidates(["a", "", "c"], features=files, per_source=tmp_path / "n"))
    assert [(c.id, c.texts) for c in found] == [("0", ("a", "")), ("1", ("c",))]
    assert found[0].features(1) == {"lm.scores": 2, "tm_0": 3, "tm_1": 4}
    with refuses(FormatError, "line.unknown", argument="score", value="c", line=2):
        list(read_candidates(["a", "b", "c"], features=[tmp_path / "f"], per_source=1))
    found = list(read_candidates(["a", "b"], per_source=1))
    assert [c.dense.shape for c in found] == [(1, 0)] * 2


def test_standard_input_may_be_bytes():
    stream = io.BytesIO(b"0 ||| \xc3\xa9 ||| 1\n0 ||| \xff ||| 2\n1 ||| b ||| 1\n")
    report = Dropped()
    found = read_candidates(stream, on_bad_line="skip", report=report, file="<stdin>")
    assert [c.id for c in found] == ["1"]
    assert str(report.reasons[0]).startswith("<stdin>:2: it is not UTF-8")


def test_forest_sets_come_back_as_lists(tmp_path):
    path = tmp_path / "a.rwf"
    with ForestSetWriter(path) as out:
        out.append(parse_forest("0 <- ||| a b ||| lm:x=1\n"))
        out.append(parse_forest("0 <- ||| a ||| f:a=1\n1 <- 0 ||| [0] ||| f:b=2\n"))
        for info in ({"id": []}, {"src": 1}, {"refs": "r"}, {"refs": [1]}, {"scores": {"c": []}}):
            out.append(parse_forest("0 <- ||| a b ||| lm:x=1\n"), info)
    report = Dropped()
    found = list(read_candidates(path, on_bad_line="skip", report=report))
    assert [(c.id, c.texts, c.features(0)) for c in found] == [("0", ("a b",), {"lm:x": 1})]
    assert report.count == 6
    with refuses(FormatError, "file.format", argument="forest"):
        list(read_candidates(path))


# -- the same data in every format -----------------------------------------------------------------

SCORED = settings(max_examples=50, deadline=None, suppress_health_check=list(HealthCheck))


def written(lists, folder):
    """The same lists in every format: for each, the file and the options it is read with."""

    def file(name, lines):
        path = folder / name
        path.write_bytes("".join(f"{line}\n" for line in lines).encode())
        return path

    rows = [(c, i) for c in lists for i in range(len(c))]
    count = len(lists[0].references)
    references = [file(f"ref{k}", [c.references[k] for c in lists]) for k in range(count)]
    beside = {"references": references}
    if lists[0].source is not None:
        beside["source"] = file("src", [c.source for c in lists])

    def pairs(values):
        return " ".join(f"{name}={value!r}" for name, value in values.items())

    nbest, table, told = [], [], []
    sparse = sorted({name for c in lists for t in c.sparse for name in t})
    head = ["id", "text", *(["src"] if "source" in beside else []), *["ref1", "ref2"][:count]]
    head += [*lists[0].names, *sparse, *(f"score:{name}" for name in lists[0].scores)]
    table.append("\t".join(head))
    for c, i in rows:
        features, scores = c.features(i), {name: float(v[i]) for name, v in c.scores.items()}
        told.append(pairs(features | {f"score:{name}": v for name, v in scores.items()}))
        fields = [c.id, c.texts[i], pairs(features), *map(repr, scores.values())]
        nbest.append(" ||| ".join(fields))
        own = {"id": c.id, "text": c.texts[i], "src": c.source}
        own |= {f"ref{k + 1}": c.references[k] for k in range(count)}
        own |= {name: repr(v) for name, v in features.items()}
        own |= {f"score:{name}": repr(v) for name, v in scores.items()}
        table.append("\t".join(own.get(name, "") for name in head))
    packed = folder / "a.rwf"
    write_forest_set(lists, packed).close()
    squeezed = folder / "a.jsonl.xz"
    write_candidates(lists, squeezed)
    return {
        "jsonl": (file("a.jsonl", map(format_candidates, lists)), {}),
        "squeezed": (squeezed, {}),
        "set": (packed, {}),
        "moses": (file("a.nbest", nbest), beside),
        "tsv": (file("a.tsv", table), {}),
        "lines": (
            file("a.txt", [c.texts[i] for c, i in rows]),
            beside
            | {
                "features": [file("features", told)],
                "per_source": file("counts", [len(c) for c in lists]),
            },
        ),
    }


lists_of_lines = candidate_lists(
    texts=plain, ids=str, sparse=("rule:1", "bigram:x=y"), scores=("model",)
)


@pytest.mark.slow
@given(lists_of_lines)
@SCORED
def test_all_formats_agree(lists):
    with tempfile.TemporaryDirectory() as folder:
        for kind, (path, options) in written(lists, Path(folder)).items():
            assert list(read_candidates(path, **options)) == lists, kind


# -- whatever they are given -----------------------------------------------------------------------

PIECES = st.sampled_from(
    [b"", b" ", b"\n", b"\t", b"0", b"1", b"-1", b"nan", b"1e999", b"9" * 30, b"[", b"]", b"{",
     b"}", b'"', b"\\", b"\\ud800", b",", b":", b"=", b"|||", b"null", b"true", b"\x00", b"\xff",
     b"\xc3\xa9", b"\xef\xbb\xbf", b"id", b"text", b"score:", b"a:b"]
)  # fmt: skip
NAMES = [
    "a.jsonl",
    "a.nbest",
    "a.tsv",
    "a.txt",
    "features",
    "counts",
    "ref0",
    "a.rwf",
    "a.jsonl.xz",
]


@pytest.fixture(scope="module")
def sample(tmp_path_factory):
    """Files of every format, and their bytes."""
    folder = tmp_path_factory.mktemp("sample")
    lines = [
        f'{{"id": "{i}", "src": "s{i}", "refs": ["r {i}"], "hyps": ['
        f'{{"text": "a {i}", "features": {{"lm": -1.5, "tm": {i}, "rule:1": 1}}, '
        f'"scores": {{"model": 0.5}}}}, '
        f'{{"text": "b", "features": {{"tm": 2, "lm": 1e-3}}, "scores": {{"model": 1}}}}]}}'
        for i in range(3)
    ]
    files = written(list(read_candidates(lines)), folder)
    return files, {name: (folder / name).read_bytes() for name in NAMES}


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
def test_mutations(sample, name, data):
    files, contents = sample
    content = contents[name]
    for _ in range(data.draw(st.integers(1, 4))):
        begin = data.draw(st.integers(0, len(content)))
        end = min(len(content), begin + data.draw(st.integers(0, 12)))
        content = content[:begin] + data.draw(PIECES) + content[end:]
    folder = files["jsonl"][0].parent
    (folder / name).write_bytes(content)
    try:
        kinds = [k for k, (p, o) in files.items() if name in {p.name, *named(o)}]
        for kind in kinds:
            for skip in ("error", "skip"):
                with contextlib.suppress(RosewoodError):
                    list(read_candidates(files[kind][0], **files[kind][1], on_bad_line=skip))
        assert kinds
    finally:
        (folder / name).write_bytes(contents[name])


def named(options):
    for value in options.values():
        for path in value if isinstance(value, list) else [value]:
            yield path.name


@given(
    st.binary(max_size=200),
    st.sampled_from(["jsonl", "nbest", "tsv", "txt", "rwf"]),
    st.sampled_from(["", ".gz", ".xz", ".zst"]),
    st.sampled_from([None, "jsonl", "moses", "tsv", "set"]),
    st.sampled_from(["error", "skip"]),
)
@settings(max_examples=200, deadline=None)
def test_random_bytes(content, ending, squeezed, format, on_bad_line):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"a.{ending}{squeezed}"
        path.write_bytes(content)
        with contextlib.suppress(RosewoodError):
            list(read_candidates(path, format=format, on_bad_line=on_bad_line))


@given(st.text(), st.sampled_from(["jsonl", "moses", "tsv"]))
@settings(max_examples=200, deadline=None)
def test_random_text(text, format):
    with contextlib.suppress(RosewoodError):
        list(read_candidates(text.split("\n"), format=format, on_bad_line="skip"))
    assert issubclass(ForestError, RosewoodError)
