"""The experiment of OSCAR runs on a tiny corpus, and its page is made from what it stores."""

from __future__ import annotations

import shutil

import pytest
from experiments.oscar.__main__ import main
from experiments.oscar.papers import TABLE
from experiments.oscar.systems import ROWS
from experiments.stored_results import read_results
from tests.system.forked_commands import forked_commands  # noqa: F401

from rosewood.corpus.phrasebook import Phrasebook


@pytest.mark.slow
@pytest.mark.usefixtures("forked_commands")
def test_oscar_experiment_on_the_phrasebook(tmp_path):
    folder = tmp_path / "data" / "book-de-en"
    Phrasebook("en-de", seed=1, reverse=True).write(folder, train=120, dev=45, test=10)
    for language in ("de", "en"):
        shutil.copy(folder / f"test.{language}", folder / f"devtest.{language}")
    places = ["--data", tmp_path / "data", "--work", tmp_path / "work", "--threads", "1"]
    places += ["--results", tmp_path / "results", "--output", tmp_path / "page"]
    run = ["book-de-en", "--decoders", "phrase", "--rows", "pro_dev,oscar", "--quick"]
    main([*run, "--sentences", "40", "--rounds", "1", *map(str, places)])
    (found,) = read_results(tmp_path / "results")
    systems = found["phrase"]["systems"]
    assert set(systems) == {"pro_dev", "oscar"}
    for row in systems.values():
        assert row["active"][0] >= row["reused"][0] > 0
        assert row["test"] == row["devtest"]
        assert row["minutes"] > 0
    assert 0 <= systems["pro_dev"]["p"] <= 1
    assert "p" not in systems["oscar"]
    assert found["phrase"]["settings"]["oscar"]
    page = (tmp_path / "page" / "oscar.md").read_text("utf-8")
    assert "book-de-en" in page
    assert all(f"{row.test:.1f}" in page for row in TABLE.values())  # the paper's own figures
    assert "## Not run" in page
    assert ROWS["mert"].label in page.partition("## Not run")[2]
    assert main(["--report", *map(str, places)]) is None  # the same page without the data
    assert (tmp_path / "page" / "oscar.md").read_text("utf-8") == page
