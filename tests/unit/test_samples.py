"""Samples of corpora: the same lines of both sides, from everywhere, in any format."""

from __future__ import annotations

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosewood.corpus import Corpus
from rosewood.corpus import samples as module
from rosewood.corpus.samples import RUN, read_range, sample_corpus, sample_lines


def files(place, count, *, source="s{}", target="t{}"):
    for name, form in (("a", source), ("b", target)):
        text = "".join(f"{form.format(k)}\n" for k in range(1, count + 1))
        (place / name).write_text(text)
    return str(place / "a"), str(place / "b")


def corpus(*paths):
    [found] = Corpus.read(paths).separately()
    return found


@given(count=st.integers(1, 3000), runs=st.integers(1, 9), block=st.integers(1, 5000))
def test_runs_are_pairs_with_their_lines(tmp_path_factory, count, runs, block):
    place = tmp_path_factory.mktemp("sample")
    paths = files(place, count)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_BLOCK", block)
        sample = sample_corpus(corpus(*paths), runs=runs)
        counted = sample_corpus(corpus(*paths), runs=runs, limit=block)
    assert counted == sample
    assert (sample.pairs, sample.is_whole) == (count, True)
    assert 1 <= len(sample.runs) <= 2 * runs
    if count >= 2 * runs * RUN:
        assert len(sample.runs) >= runs
    last = 0
    for run in sample.runs:
        assert run.numbers.start > last
        last = run.numbers.stop - 1
        assert run.source == [f"s{k}" for k in run.numbers]
        assert run.target == [f"t{k}" for k in run.numbers]
    assert sample.runs[0].numbers.start == 1
    if count <= 2 * runs * RUN:
        assert len(sample) == count
    else:
        assert sample.runs[-1].numbers.start > count * (1 - 2 / runs)


def test_wanted_pairs_are_found_by_line(tmp_path):
    paths = files(tmp_path, 500)
    wanted = [("s7", "t7"), ("s400", "t400"), ("s3", "t4"), ("s9", "x")]
    sample = sample_corpus(corpus(*paths), wanted, runs=1)
    assert sample.found == {7: ("s7", "t7"), 400: ("s400", "t400")}


@pytest.mark.parametrize("ending", ["tsv", "jsonl", "tmx"])
def test_other_formats(tmp_path, ending):
    paths = files(tmp_path, 100)
    whole = Corpus.read(paths, source_language="de", target_language="en")
    whole.write(str(tmp_path / f"c.{ending}"))
    [part] = Corpus.read(
        str(tmp_path / f"c.{ending}"), source_language="de", target_language="en"
    ).separately()
    sample = sample_corpus(part, [("s5", "t5")])
    assert sample.source == [f"s{k}" for k in range(1, 101)]
    assert sample.target == [f"t{k}" for k in range(1, 101)]
    assert sample.found == {5: ("s5", "t5")}


def test_compressed_files_are_read_up_to_a_limit(tmp_path):
    paths = [f"{path}.gz" for path in files(tmp_path, 5000)]
    for path in paths:
        with gzip.open(path, "wb") as stream:
            stream.write((tmp_path / path.removesuffix(".gz")).read_bytes())
    assert sample_corpus(corpus(*paths)).pairs == 5000
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_BLOCK", 1000)
        part = sample_corpus(corpus(*paths), limit=2000)
    assert not part.is_whole
    assert 0 < part.pairs < 5000


@pytest.mark.parametrize(
    "data", [b"", b"\n\n\n", b"\xff\xfe\x00", b"a\r\nb\r\n", b"x" * 100_000, b"no end"]
)
def test_strange_files_give_some_sample(tmp_path, data):
    paths = files(tmp_path, 3)
    (tmp_path / "a").write_bytes(data)
    sample = sample_corpus(corpus(*paths))
    assert all(len(run.source) == len(run.target) for run in sample.runs)
    assert not any(text.endswith("\r") for text in sample.source)
    assert len(sample_lines(paths[0])) >= len(sample)


def test_a_damaged_file_ends_the_sample(tmp_path):
    paths = files(tmp_path, 3)
    (tmp_path / "d.gz").write_bytes(b"\x1f\x8b damaged")
    sample = sample_corpus(corpus(str(tmp_path / "d.gz"), paths[1]))
    assert (sample.runs, sample.is_whole) == ([], False)


@given(begin=st.integers(1, 400), size=st.integers(1, 400), runs=st.integers(1, 20))
def test_a_range(tmp_path_factory, begin, size, runs):
    paths = files(tmp_path_factory.mktemp("range"), 500)
    found = read_range(paths, begin, begin + size, runs=runs)
    numbers = [k for run in found for k in run.numbers]
    assert set(numbers) <= set(range(begin, begin + size))
    if size <= 2 * runs * RUN:
        assert numbers == [k for k in range(begin, begin + size) if k <= 500]
    for run in found:
        assert run.source == [f"s{k}" for k in run.numbers]
        assert run.target == [f"t{k}" for k in run.numbers]
