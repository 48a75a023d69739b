"""The experiment of minimum risk runs on a tiny corpus; its page is made from what it stores."""

from __future__ import annotations

import pytest
from experiments.minrisk.__main__ import main
from experiments.minrisk.consensus import BEST, METHODS
from experiments.minrisk.papers import TABLE
from experiments.minrisk.systems import CONSENSUS_ROW, ROWS
from experiments.stored_results import read_results
from tests.system.forked_commands import forked_commands  # noqa: F401
from tests.system.small_experiment import places_with_a_book


@pytest.mark.slow
@pytest.mark.usefixtures("forked_commands")
def test_minrisk_experiment_on_the_phrasebook(tmp_path):
    places = places_with_a_book(tmp_path)
    chosen = ["mert", "mr_lists", CONSENSUS_ROW]
    run = ["book-de-en", "--decoders", "phrase", "--rows", ",".join(chosen), "--quick"]
    main([*run, *places])
    (found,) = read_results(tmp_path / "results")
    own = found["phrase"]
    assert list(own["systems"]) == chosen
    for row in own["systems"].values():
        assert row["test"] == row["devtest"]
        assert row["minutes"] > 0
    assert own["systems"][CONSENSUS_ROW]["rounds"][0]["edges"] > 0
    compared = {(each["system"], each["baseline"]): each["p"] for each in own["compared"]}
    assert set(compared) == {("mr_lists", "mert"), (CONSENSUS_ROW, "mert")}
    assert all(0 < p <= 1 for p in compared.values())
    methods = {(each["method"], each["start"]): each for each in own["curves"]["runs"]}
    assert len(methods) == 4
    for (method, _), each in methods.items():
        stages = dict.fromkeys(row["stage"] for row in each["iterations"])
        assert (len(stages) > 1) == (method == "MR+DA")
    consensus = {each["method"]: each for each in own["consensus"]["methods"]}
    assert list(consensus) == [BEST, *METHODS]
    for method, each in consensus.items():  # the scale that is best on devtest, here test again
        assert each["test"] == each["devtest"]
        tried = [one for one in own["consensus"]["tried"] if one["method"] == method]
        assert each["devtest"] == max((one["devtest"] for one in tried), default=each["test"])
    page = (tmp_path / "page" / "minimum-risk.md").read_text("utf-8")
    assert all(f"{row.test:.1f}" in page for row in TABLE.values())  # the paper's own figures
    assert "MR+DA lists small" in page.partition("## Not run")[2]
    assert main(["--report", *places]) is None  # the same page without the data
    assert (tmp_path / "page" / "minimum-risk.md").read_text("utf-8") == page


def test_every_row_of_the_paper_is_one_of_ours():
    assert [name for name in ROWS if name in TABLE] == list(TABLE)
