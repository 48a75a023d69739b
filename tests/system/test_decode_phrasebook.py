"""From sentence pairs to translations by commands alone, on the corpus that the project carries."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.system.commands import command  # noqa: F401

from rosewood.align import Links
from rosewood.corpus import IndexedCorpus
from rosewood.corpus.phrasebook import Phrasebook
from rosewood.lm import estimate
from rosewood.metrics import evaluate
from rosewood.model import read_weights
from rosewood.rules import extract


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    """English into German: a table with orientations, a language model, held-out sentences."""
    folder = tmp_path_factory.mktemp("phrasebook")
    train, dev, _ = Phrasebook("en-de", seed=1).split(train=600, dev=40, test=1)
    sides = [" ".join(p.source) for p in train], [" ".join(p.target) for p in train]
    corpus = IndexedCorpus.from_lines(*sides)
    extract(corpus, Links.of([p.sure for p in train]), folder / "rules", orientation="hierarchy")
    with estimate(sides[1], order=3) as model:
        model.save(folder / "lm.rlm")
    for name, side in (("dev.en", "source"), ("dev.de", "target")):
        lines = [" ".join(getattr(pair, side)) + "\n" for pair in dev]
        (folder / name).write_text("".join(lines))
    return folder


@pytest.fixture
def models(book, monkeypatch):
    monkeypatch.chdir(book)
    return ["decode", "--rules", "rules", "--lm", "lm.rlm", "dev.en", "-q"]


def bleu(text):
    references = Path("dev.de").read_text().splitlines()
    return evaluate(text.splitlines(), [references], "bleu:tokenize=none")[0].value


@pytest.mark.slow
def test_lists_are_tuned_and_the_weights_translate_better(command, models):  # noqa: F811
    before = command(*models)
    assert command(*models, "--nbest", 30, "--distinct", "-o", "dev.nbest").code == 0
    tune = ["tune", "dev.nbest", "--ref", "dev.de", "--metric", "bleu:tokenize=none"]
    done = command(*tune, "-o", "w.json", "--folds", 2, "--replicates", 1, "-q")
    assert done.code == 0
    assert "reorder_backward_monotone" in read_weights("w.json")
    after = command(*models, "--weights", "w.json")
    assert bleu(after.out) > bleu(before.out) > 20


@pytest.mark.parametrize("kind", ["word", "phrase", "hierarchy", "none"])
def test_kinds_of_orientations(command, models, kind):  # noqa: F811
    done = command(*models, "--reorder-kind", kind, "--json")
    rows = [json.loads(line) for line in done.out.splitlines()]
    assert len(rows) == 40
    names = {name for row in rows for name in row["features"] if name.startswith("reorder_")}
    assert len(names) == (0 if kind == "none" else 8)


def test_what_was_said_is_reached(command, models):  # noqa: F811
    said = command(*models)
    Path("said").write_text(said.out)
    again = command(*models, "--reference", "said", "--json")
    rows = [json.loads(line) for line in again.out.splitlines()]
    assert all(row["report"]["reachable"] for row in rows)
    assert [row["translation"] for row in rows] == said.out.splitlines()
