"""Files of word classes, going on after a stop, and classes as parts of a bundle."""

from __future__ import annotations

import gzip
import io
import json
import re
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.bundles import small_bundle
from tests.refusals import refuses

from rosewood.corpus import IndexedText, WordClasses
from rosewood.corpus.clusters_files import is_ours
from rosewood.errors import CorpusError, DamagedFileError, FormatError
from rosewood.folders import checksums, table_checksum
from rosewood.model import Bundle
from rosewood.model.registry import new_entry

LINES = [
    f"{article} {noun} {verb}"
    for article in ("the", "a", "my")
    for noun in ("dog", "cat", "kuh", "größe")
    for verb in ("sleeps", "eats")
]


@pytest.fixture
def classes() -> WordClasses:
    return WordClasses.learn(LINES, 3, annealing=3)


def as_dict(classes: WordClasses) -> dict[str, int]:
    return {word: classes[word] for word in classes}


@pytest.mark.parametrize("name", ["en.classes", "en.classes.gz", "en.classes.xz"])
def test_saved_and_loaded(tmp_path, classes, name):
    classes.save(tmp_path / name)
    again = WordClasses.load(tmp_path / name)
    assert (as_dict(again), again.num_classes) == (as_dict(classes), 3)
    assert again.counts.tolist() == classes.counts.tolist()
    assert (again.facts, again.history) == (classes.facts, classes.history)
    again.save(tmp_path / f"again-{name}")
    assert (tmp_path / name).read_bytes() == (tmp_path / f"again-{name}").read_bytes()
    assert is_ours(tmp_path / name)


def test_nothing_to_save(tmp_path):
    WordClasses.learn([], 3).save(tmp_path / "none")
    assert len(WordClasses.load(tmp_path / "none")) == 0


def test_lines_of_words_and_classes(tmp_path, classes):
    classes.write_text(tmp_path / "en.tsv")
    lines = (tmp_path / "en.tsv").read_text().splitlines()
    assert lines[0] == f"{classes.words[0]}\t{classes.classes[0]}"
    again = WordClasses.read_text(tmp_path / "en.tsv")
    assert (as_dict(again), again.num_classes) == (as_dict(classes), 3)
    assert (again.objective, again.history) == (None, [])
    assert again.largest(1) == [1 + int(again.sizes.argmax())]
    assert not is_ours(tmp_path / "en.tsv")
    stream = io.BytesIO()
    classes.write_text(stream)
    assert stream.getvalue() == (tmp_path / "en.tsv").read_bytes()


def test_lines_of_other_programs():
    found = WordClasses.read_text(["the\t10", "dog 2", "a  010", "cat\t2", "runs\t7"])
    assert as_dict(found) == {"the": 3, "dog": 1, "a": 3, "cat": 1, "runs": 2}
    found = WordClasses.read_text(["the\tDET", "dog\tN", "cat\tN", "two\t2"])
    assert as_dict(found) == {"the": 2, "dog": 3, "cat": 3, "two": 1}


@pytest.mark.parametrize(
    ("lines", "code", "line"),
    [
        (["a 1", "b"], "line.fields", 2),
        (["a 1 2"], "line.fields", 1),
        (["a 1", ""], "line.fields", 2),
        (["a 1", "b 2", "a 3"], "line.duplicate", 3),
        ([], "file.empty", None),
    ],
)
def test_bad_lines(lines, code, line):
    with refuses(FormatError, code, file="input", line=line):
        WordClasses.read_text(lines, "input")


def damage(path, change) -> None:
    """Change the header or the body; checksums follow."""
    first, _, body = path.read_bytes().partition(b"\n")
    table = json.loads(first)
    body = change(table, body) or body
    path.write_bytes(json.dumps(table).encode() + b"\n" + body)


def resealed(table, body):
    """The checksums of something that was changed on purpose."""
    table |= {"bytes": len(body), "body_crc32": zlib.crc32(body)}
    table["crc32"] = table_checksum(table)
    return body


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda table, body: body[:-1], "file.damaged"),
        (lambda table, body: body + b"x\t1\t1\n", "file.damaged"),
        (lambda table, body: body.replace(b"dog", b"fog"), "file.changed"),
        (lambda table, body: table.update(classes=4), "file.changed"),
        (lambda table, body: table["facts"].update(objective=1.0), "file.changed"),
        (lambda table, body: table.update(version=2), "file.version"),
        (lambda table, body: table.update(format="other"), "file.kind"),
        (lambda table, body: table.pop("format"), "file.kind"),
    ],
)
def test_damaged_files(tmp_path, classes, change, code):
    path = tmp_path / "en.classes"
    classes.save(path)
    damage(path, lambda table, body: got if isinstance(got := change(table, body), bytes) else None)
    with refuses(DamagedFileError, code, file=str(path)):
        WordClasses.load(path)


@pytest.mark.parametrize(
    ("change", "code", "line"),
    [
        (lambda t, b: resealed(t, b.replace(b"\t1\t", b"\t9\t", 1)), "line.number", 2),
        (lambda t, b: resealed(t, b.replace(b"\t1\t", b"\t0\t", 1)), "line.number", 2),
        (lambda t, b: resealed(t, b.replace(b"\t", b" \t x ", 1)), "line.fields", 2),
        (lambda t, b: resealed(t, b + b"dog\t1\t1\n"), "file.damaged", None),
        (lambda t, b: resealed(t, b"\xff" + b[1:]), "file.encoding", None),
        (lambda t, b: t.pop("words") and resealed(t, b), "file.damaged", 1),
        (lambda t, b: t.update(facts=3) or resealed(t, b), "file.damaged", 1),
    ],
)
def test_files_whose_checksums_are_right(tmp_path, classes, change, code, line):
    path = tmp_path / "en.classes"
    classes.save(path)
    damage(path, change)
    with pytest.raises(FormatError) as refused:
        WordClasses.load(path)
    assert (refused.value.code, refused.value.file) == (code, str(path))
    assert refused.value.line == line


@pytest.mark.parametrize("content", [b"", b"\n", b"{}", b"[1]\n", b"a\t1\n", b"\x00\xff" * 9])
def test_files_of_another_kind(tmp_path, content):
    path = tmp_path / "en.classes"
    path.write_bytes(content)
    with refuses(DamagedFileError, "file.kind", file=str(path)):
        WordClasses.load(path)


@given(st.data())
def test_any_byte_that_is_changed_is_noticed(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("classes") / "en.classes"
    WordClasses.learn(LINES, 2, annealing=0).save(path)
    content = bytearray(path.read_bytes())
    place = data.draw(st.integers(0, len(content) - 1))
    content[place] ^= 1 << data.draw(st.integers(0, 7))
    path.write_bytes(content)
    with pytest.raises(FormatError):
        WordClasses.load(path)


def test_another_way_to_write_the_same_number_is_noticed(tmp_path):
    path = tmp_path / "en.classes"
    WordClasses.learn(LINES, 2, annealing=0).save(path)
    first, _, rest = path.read_bytes().partition(b"\n")
    number = re.search(rb"-?[0-9]+\.[0-9]+", first)[0]
    path.write_bytes(first.replace(number, number + b"0") + b"\n" + rest)
    with refuses(DamagedFileError, "file.changed", file=str(path), line=1):
        WordClasses.load(path)


def test_compressed_files_that_are_cut_off(tmp_path, classes):
    path = tmp_path / "en.classes.gz"
    path.write_bytes(gzip.compress(b'{"format": 1')[:-3])
    with refuses(DamagedFileError, "file.damaged", file=str(path)):
        WordClasses.load(path)


class Stop(Exception):
    """Raised in the middle of the work."""


@pytest.mark.parametrize("number", [1, 2, 4])
def test_learning_goes_on_where_it_was_stopped(tmp_path, number):
    how = {"annealing": 3, "rounds": 9, "seed": 5}
    WordClasses.learn(LINES, 4, **how).save(tmp_path / "whole")
    seen: list[str] = []

    def stop(what: str, done: int, total: int | None) -> None:
        seen.append(what)
        if what == f"round {number}, words" and done == 0:
            raise Stop

    work = tmp_path / "work"
    with pytest.raises(Stop):
        WordClasses.learn(LINES, 4, **how, work=work, told=stop)
    assert work.exists() == (number > 1)
    seen.clear()
    found = WordClasses.learn(LINES, 4, **how, work=work, told=lambda what, *_: seen.append(what))
    assert next(each for each in seen if each.startswith("round")) == f"round {number}, words"
    found.save(tmp_path / "again")
    assert (tmp_path / "whole").read_bytes() == (tmp_path / "again").read_bytes()
    assert not work.exists()


def stopped(work, lines=LINES, **how) -> None:
    def stop(what: str, done: int, total: int | None) -> None:
        if what == "round 3, words":
            raise Stop

    with pytest.raises(Stop):
        WordClasses.learn(lines, 4, annealing=3, work=work, told=stop, **how)


@pytest.mark.parametrize(("lines", "how"), [(LINES[1:], {}), (LINES, {"seed": 2})])
def test_other_work_does_not_go_on(tmp_path, lines, how):
    work = tmp_path / "work"
    stopped(work)
    seen: list[str] = []
    told = lambda what, *_: seen.append(what)  # noqa: E731
    WordClasses.learn(lines, 4, annealing=3, work=work, told=told, **how)
    assert "round 1, words" in seen


def test_a_damaged_round_is_refused(tmp_path):
    work = tmp_path / "work"
    stopped(work)
    [path] = work.glob("round-*.npy")
    path.write_bytes(path.read_bytes()[:-1] + b"\xff")
    with refuses(DamagedFileError, "file.changed", file=str(path)):
        WordClasses.learn(LINES, 4, annealing=3, work=work)


def test_somebody_elses_folder(tmp_path):
    (tmp_path / "mine").write_text("mine")
    with refuses(FormatError, "file.exists", file=str(tmp_path)):
        WordClasses.learn(LINES, 4, work=tmp_path)


def test_text_from_files(tmp_path):
    (tmp_path / "one").write_text("a b\n\nc\n")
    with gzip.open(tmp_path / "two.gz", "wt") as stream:
        stream.write("b d")
    steps: list[int] = []
    text = IndexedText.from_files(
        [tmp_path / "one", tmp_path / "two.gz", io.BufferedReader(io.BytesIO(b"e\n"))],
        step=steps.append,
    )
    assert [text.words(n) for n in range(len(text))] == [["a", "b"], [], ["c"], ["b", "d"], ["e"]]
    assert sum(steps) == 5
    with refuses(CorpusError, "argument.type", argument="files"):
        IndexedText.from_files("one")
    (tmp_path / "bad").write_bytes(b"a\n\xff\nb\n\x00\n")
    with refuses(FormatError, "file.encoding", file=str(tmp_path / "bad"), line=2):
        IndexedText.from_files([tmp_path / "one", tmp_path / "bad"])
    skipped: list[str] = []
    text = IndexedText.from_files([tmp_path / "one", tmp_path / "bad"], skipped=skipped)
    assert text.types == ["a", "b", "c"]
    assert [each.split(": ")[0] for each in skipped] == [f"{tmp_path}/bad:2", f"{tmp_path}/bad:4"]


@pytest.mark.parametrize("side", ["source", "target"])
def test_classes_in_a_bundle(tmp_path, classes, side):
    folder = small_bundle(tmp_path / "model").folder
    assert Bundle.open(folder).part(f"{side}_classes") is None
    name = f"{side}.classes"
    classes.save(folder / name)
    path = folder / "manifest.json"
    table = json.loads(path.read_bytes())
    table["parts"][f"{side}_classes"] = new_entry(f"{side}_classes", path=name)
    table["files"] = {k: v for k, v in checksums(folder).items() if k != "manifest.json"}
    table["crc32"] = table_checksum(table)
    path.write_text(json.dumps(table))
    found = Bundle.open(folder).part(f"{side}_classes")
    assert as_dict(found) == as_dict(classes)
    Bundle.verify(folder)
    damage(folder / name, lambda table, body: body.replace(b"dog", b"fog"))
    with refuses(DamagedFileError, "file.changed", file=str(folder / name)):
        Bundle.open(folder).part(f"{side}_classes")
