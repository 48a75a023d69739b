"""The experiment of OSCAR runs on a tiny corpus, and its page is made from what it stores."""

from __future__ import annotations

import pytest
from experiments.oscar.__main__ import main
from experiments.oscar.papers import TABLE
from experiments.oscar.systems import ROWS
from experiments.stored_results import read_results
from tests.system.forked_commands import forked_commands  # noqa: F401
from tests.system.small_experiment import places_with_a_book


@pytest.mark.slow
@pytest.mark.usefixtures("forked_commands")
def test_oscar_experiment_on_the_phrasebook(tmp_path):
    places = places_with_a_book(tmp_path)
    run = ["book-de-en", "--decoders", "phrase", "--rows", "pro_dev,oscar", "--quick"]
    main([*run, "--sentences", "40", "--rounds", "1", *places])
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
    assert main(["--report", *places]) is None  # the same page without the data
    assert (tmp_path / "page" / "oscar.md").read_text("utf-8") == page
