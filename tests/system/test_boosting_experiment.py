"""The experiment of boosting runs on a tiny corpus, and its page is made from what it stores."""

from __future__ import annotations

import pytest
from experiments.boosting.__main__ import chosen_of, main
from experiments.boosting.papers import TABLE
from experiments.boosting.rows import ROWS
from experiments.stored_results import read_results
from tests.system.forked_commands import forked_commands  # noqa: F401
from tests.system.small_experiment import places_with_a_book

RUN = ("large_pro", "boost_global", "boost_local", "products", "risk", "forest")


@pytest.mark.slow
@pytest.mark.usefixtures("forked_commands")
def test_boosting_experiment_on_the_phrasebook(tmp_path):
    places = places_with_a_book(tmp_path)
    main(["book-de-en", "--rows", ",".join(RUN), "--quick", *places])
    (found,) = read_results(tmp_path / "results")
    systems = found["phrase"]["systems"]
    assert set(systems) == set(RUN)
    for name, row in systems.items():
        assert row["test"] == row["devtest"]
        assert ("p" in row) == (row["test"] != systems["large_pro"]["test"])
        for one in row["tried"]:  # what was selected is what is ranked
            if one["settings"] == row["settings"] and name != "forest":
                assert one["selected"] == pytest.approx(row["devtest"], abs=1e-9)
    page = (tmp_path / "page" / "boosting.md").read_text("utf-8")
    assert all(f"{row.fi_test:.2f}" in page for row in TABLE.values())  # the paper's own figures
    assert ROWS["inside_boost"].features in page.partition("## Not run")[2]
    assert main(["--report", *places]) is None  # the same page without the data
    assert (tmp_path / "page" / "boosting.md").read_text("utf-8") == page


def test_decoders_learn_with_the_settings_that_lists_chose():
    chosen = {
        "base_pro": {"settings": {"l2": 1.0}}, "large_pro": {"settings": {"l2": 2.0}},
        "boost_local": {"settings": {"leaf": "linear"}},
        "forest": {"settings": {"loss": "risk", "leaves": 4}},
    }  # fmt: skip
    assert chosen_of("inside_base", chosen) == ["--set", "l2=1.0"]
    assert chosen_of("inside_boost", chosen) == ["--set", "l2=2.0", "--boost-set", "leaf=linear"]
    assert chosen_of("inside_forest", chosen) == ["--set", "l2=2.0", "--boost-set", "leaves=4"]
    assert chosen_of("inside_forest", {}) == []
    assert "loss=risk" in ROWS["inside_forest"].options
