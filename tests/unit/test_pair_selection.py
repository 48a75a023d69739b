"""The stage `clean` in blocks and processes gives what a plain loop over all pairs gives."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest
from tests.refusals import refuses

from rosewood.corpus.fingerprints import fingerprint
from rosewood.errors import CorpusError
from rosewood.model.origins import read_origins
from rosewood.pipeline import TrainingInputs, TrainingSettings, clean_stage, pair_blocks
from rosewood.pipeline.clean_stage import clean
from rosewood.pipeline.stage import Task


def quiet(*told):
    pass


@pytest.fixture
def files(tmp_path):
    """Two files with pairs that occur again and again, in both."""
    draw = random.Random(5)
    for name, count in (("one", 120), ("two", 70)):
        pairs = [(f"quelle {draw.randrange(60)}", f"target {draw.randrange(3)}")
                 for _ in range(count)]  # fmt: skip
        text = "".join(f"{source}\t{target}\n" for source, target in pairs)
        (tmp_path / f"{name}.tsv").write_text("bad line\n" + text, encoding="utf-8")
    (tmp_path / "test.tsv").write_text("quelle 7\ttarget 1\nquelle 9\ttarget 2\n", encoding="utf-8")
    return tmp_path


def run(files, name, monkeypatch, *, test=True, dev=False, threads=1, block=16, **settings):
    """What cleaning wrote, and its facts."""
    monkeypatch.setattr(pair_blocks, "BLOCK", block)
    monkeypatch.setattr(clean_stage, "FEW_BLOCKS", 1)
    inputs = TrainingInputs(
        corpus=[files / "one.tsv", files / "two.tsv"], languages="de:en", on_bad_line="skip",
        test_corpus=files / "test.tsv" if test else None,
        dev_corpus=files / "test.tsv" if dev else None,
    )  # fmt: skip
    folder, going = files / name, files / f"{name}.going"
    for each in (folder, going):
        each.mkdir()
    task = Task("clean", TrainingSettings(**settings), inputs, {}, folder, going, threads)
    facts = clean(task, quiet)
    texts = {
        each.name: each.read_text(encoding="utf-8").splitlines()
        for each in folder.iterdir()
        if each.is_file()
    }
    names, file, line = read_origins(folder / "origins")
    places = [(names[int(f)], int(n)) for f, n in zip(file, line, strict=True)]
    return texts, places, facts


def plain(files, *, deduplicate, dev_size, seed, test=True):
    """The same, a pair at a time."""
    rows = []
    for name in ("one.tsv", "two.tsv"):
        lines = (files / name).read_text(encoding="utf-8").splitlines()
        rows += [(*line.split("\t"), name, n) for n, line in enumerate(lines, 1) if "\t" in line]
    removed, seen = Counter(), set()
    kept = []
    for source, target, *place in rows:
        if deduplicate and (source, target) in seen:
            removed["duplicate pair"] += 1
            continue
        seen.add((source, target))
        kept.append((source, target, tuple(place)))
    names = sorted({fingerprint(source, seed) for source, _, _ in kept})
    if dev_size is None:
        dev_size = len(names) // 10
    chosen, dev, train = set(names[:dev_size]), {}, []
    held_out = {("quelle 7", "target 1"), ("quelle 9", "target 2")} if test else set()
    for source, target, place in kept:
        if fingerprint(source, seed) in chosen:
            if source in dev:
                removed["its source is in the development set"] += 1
            else:
                dev[source] = target
        elif (source, target) in held_out:
            removed["in a held-out set"] += 1
        else:
            train.append((source, target, place))
    return train, dev, removed


@pytest.mark.parametrize("deduplicate", [False, True])
@pytest.mark.parametrize(("test", "dev_size", "seed"), [(True, None, 1), (False, 20, 7)])
def test_blocks_and_a_plain_loop_agree(files, monkeypatch, deduplicate, test, dev_size, seed):
    settings = {"deduplicate": deduplicate, "dev_size": dev_size, "seed": seed}
    texts, places, facts = run(files, "a", monkeypatch, test=test, **settings)
    train, dev, removed = plain(files, test=test, **settings)
    pairs = zip(texts["train.source"], texts["train.target"], strict=True)
    assert [(*pair, place) for pair, place in zip(pairs, places, strict=True)] == train
    assert dict(zip(texts["dev.source"], texts["dev.target.0"], strict=True)) == dev
    assert {reason: each["count"] for reason, each in facts["removed"].items()} == removed
    facts["removed"].pop("its source is in the development set", None)  # has no examples
    assert all(1 <= len(each["examples"]) <= 3 for each in facts["removed"].values())
    assert facts["seen"] == 190
    assert facts["skipped"] == {"number of fields": 2}


@pytest.mark.slow
def test_neither_processes_nor_blocks_change_anything(files, monkeypatch):
    settings = {"deduplicate": True, "seed": 3}
    once = run(files, "a", monkeypatch, **settings)
    assert run(files, "b", monkeypatch, threads=2, **settings) == once
    assert run(files, "c", monkeypatch, block=7, **settings) == once
    assert run(files, "d", monkeypatch, block=1000, **settings) == once


def test_a_given_development_set(files, monkeypatch):
    texts, places, facts = run(files, "a", monkeypatch, test=False, dev=True)
    assert facts["dev_from"] == "given"
    assert len(texts["train.source"]) == len(places) == facts["train"]
    assert facts["train"] + facts["removed"]["in a held-out set"]["count"] == facts["seen"]


def test_too_few_sources(files, monkeypatch):
    with refuses(CorpusError, "corpus.too-small"):
        run(files, "a", monkeypatch, dev_size=60)


def test_origins_name_only_files_that_are_left(files, monkeypatch):
    (files / "two.tsv").write_bytes((files / "one.tsv").read_bytes())
    _, places, facts = run(files, "a", monkeypatch, deduplicate=True)
    assert {file for file, _ in places} == {"one.tsv"}
    assert facts["files"] == ["one.tsv", "two.tsv"]
    assert np.all(np.diff([line for _, line in places]) > 0)
