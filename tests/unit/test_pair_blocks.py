"""Pairs that are read once and kept: the same pairs and tallies, wherever a run was killed."""

from __future__ import annotations

import json
from itertools import islice

import pytest

from rosewood.corpus import Checks
from rosewood.corpus.corpus import Corpus
from rosewood.pipeline import pair_blocks
from rosewood.pipeline.pair_blocks import Block, PairBlocks


class Killed(Exception):
    pass


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.setattr(pair_blocks, "BLOCK", 3)
    rows = [f"s{n} a\tt{n} b" for n in range(10)]
    rows[2] = "no tab"
    rows[5] = "only one column"
    (tmp_path / "one.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    units = [{"source": f"q{n}", "target": f"r{n}"} for n in range(7)]
    lines = "".join(json.dumps(each) + "\n" for each in units)
    (tmp_path / "two.jsonl").write_text(lines, encoding="utf-8")
    (tmp_path / "a.de").write_text("eins\nzwei\n", encoding="utf-8")
    (tmp_path / "a.en").write_text("one\ntwo\n", encoding="utf-8")
    return tmp_path


def corpus(place) -> Corpus:
    files = [place / "one.tsv", place / "two.jsonl", (place / "a.de", place / "a.en")]
    return Corpus.read(*files, on_bad_line="skip", checks=Checks())


def told(*progress):
    pass


def facts(pairs, tally):
    return (
        list(pairs),
        tally.skipped,
        tally.left_out,
        tally.joined,
        [str(e) for e in tally.examples],
    )


def plain(place):
    whole = corpus(place)
    pairs = [(pair.source.encode(), pair.target.encode(), pair.origin) for pair in whole]
    return facts(pairs, whole.tally)


def kept(blocks):
    for path in blocks.paths:
        block = Block.load(path)
        origins = map(block.origin, range(len(block.file)))
        yield from zip(block.sources(), block.targets(), origins, strict=True)


def read(blocks):
    """Reads to the end; what is yielded are the blocks that are on disk."""
    assert list(blocks.read(told)) == blocks.paths


def test_all_pairs_are_kept(place):
    blocks = PairBlocks(corpus(place), place / "kept")
    read(blocks)
    assert facts(kept(blocks), blocks.tally) == plain(place)
    assert facts(kept(blocks), blocks.tally) == plain(place)  # again


@pytest.mark.parametrize("moment", range(18))
def test_a_killed_run_continues(place, moment, monkeypatch):
    def killed(pairs):
        for number, pair in enumerate(pairs):
            if number == moment:
                raise Killed
            yield pair

    first = corpus(place)
    walk = first.walk_from
    monkeypatch.setattr(first, "walk_from", lambda start: killed(walk(start)))
    blocks = PairBlocks(first, place / "kept")
    if moment < 17:  # there are 17 pairs
        with pytest.raises(Killed):
            read(blocks)
    else:
        read(blocks)
    second = PairBlocks(corpus(place), place / "kept")
    read(second)
    assert facts(kept(second), second.tally) == plain(place)


def test_finished_files_are_not_opened_again(place):
    first = PairBlocks(corpus(place), place / "kept")
    for _ in islice(first.read(told), 4):
        pass
    (place / "one.tsv").unlink()
    second = PairBlocks(corpus(place), place / "kept")
    read(second)
    assert len(list(kept(second))) == 17


def test_pairs_of_files_that_changed_are_read_again(place):
    read(PairBlocks(corpus(place), place / "kept", ["before"]))
    text = (place / "one.tsv").read_text(encoding="utf-8")
    (place / "one.tsv").write_text(text.replace("s1", "other"), encoding="utf-8")
    again = PairBlocks(corpus(place), place / "kept", ["after"])
    read(again)
    assert facts(kept(again), again.tally) == plain(place)


def test_what_is_damaged_is_read_again(place):
    blocks = PairBlocks(corpus(place), place / "kept")
    read(blocks)
    (place / "kept" / "000001.pairs").unlink()
    again = PairBlocks(corpus(place), place / "kept")
    read(again)
    assert facts(kept(again), again.tally) == plain(place)
