"""The experiments of papers run on a tiny corpus, and their page is made from what they store."""

from __future__ import annotations

import json
import shutil
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from experiments.__main__ import NAMES
from experiments.__main__ import main as main_of_all
from experiments.command import results_of
from experiments.corpora import find_corpus
from experiments.reordering.__main__ import main
from experiments.reordering.classification import (
    SMOOTHING,
    lexicalized_log_probabilities,
    seconds_to,
)
from experiments.reordering.orientations import Part
from experiments.stored_results import add_result, read_results
from tests.system.forked_commands import forked_commands  # noqa: F401

from rosewood.corpus.phrasebook import Phrasebook
from rosewood.reorder import Examples

MODELS = {
    "majority", "lexicalized", "bayes", "bayes_full", "primal", "dual_0.01", "dual_0.1", "dual_1.0",
    "dual_rosewood",
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.usefixtures("forked_commands")
def test_reordering_experiment_on_the_phrasebook(tmp_path, capsys):
    book = Phrasebook("en-de", seed=1, reverse=True)
    book.write(tmp_path / "data" / "book-de-en", train=300, dev=20, test=20)
    places = ["--data", tmp_path / "data", "--work", tmp_path / "work", "--threads", "1"]
    places += ["--results", tmp_path / "results", "--output", tmp_path / "page"]
    run = ["book-de-en", "--quick", "--repetitions", "2", "--systems", "lexicalized,bayes"]
    main([*run, *map(str, places)])
    (found,) = read_results(tmp_path / "results")
    assert found["corpus"] == "book-de-en"
    for features in ("paper", "rosewood"):
        events = found["events"][features]
        assert set(events["models"]) == MODELS
        for name, row in events["models"].items():
            assert len(row["error"]) == len(row["seconds"]) == 2
            assert all(0 <= error <= 1 for error in row["error"]), name
        shares = events["models"]["dual_0.1"]["active_share"]
        assert shares[0] == 1
        assert shares == sorted(shares, reverse=True)
        assert sum(events["classes"].values()) == pytest.approx(1, abs=1e-3)
        assert [row["passes"] for row in events["curves"]["primal"]] == [1, 2, 3, 5]
        chosen = found["selection"][features]
        assert len(chosen["errors"]["bayes"][0]) == len(chosen["shares"])
        ranked = [score for _, score in chosen["ranked"]]
        assert ranked == sorted(ranked)
    systems = found["bleu"]["systems"]
    assert set(systems) == {"lexicalized", "bayes"}
    assert len(systems["bayes"]["bleu"]) == len(systems["bayes"]["p_each"]) == 2
    assert 0 <= systems["bayes"]["p"] <= 1
    assert systems["bayes"]["bytes"] > 0
    made = tmp_path / "page"
    page = (made / "reordering.md").read_text("utf-8")
    assert "book-de-en" in page
    assert all(name in page for name in ("25.2", "17.81", "34.87"))  # the papers' own figures
    for picture in ("active", "selection", "information"):
        assert f"(reordering-{picture}.svg)" in page
        assert "<svg" in (made / f"reordering-{picture}.svg").read_text("utf-8")
    assert main(["--report", *map(str, places)]) is None  # the same page without the data
    assert (made / "reordering.md").read_text("utf-8") == page


PAGES = {name: name for name in NAMES} | {"minrisk": "minimum-risk"}


@pytest.mark.parametrize("name", NAMES)
def test_the_stored_page_is_that_of_the_stored_results(tmp_path, name):
    experiment = import_module(f"experiments.{name}.__main__")
    shutil.copytree(results_of(name), tmp_path / "results")
    experiment.main(["--report", "--results", str(tmp_path / "results"), "--output", str(tmp_path)])
    kept = Path(__file__).parents[2] / "docs" / "papers"
    page = PAGES[name]
    for file in (f"{page}.md", *(each.name for each in kept.glob(f"{page}-*.svg"))):
        assert (tmp_path / file).read_text("utf-8") == (kept / file).read_text("utf-8")


def test_all_experiments_run_one_after_the_other(tmp_path, monkeypatch, capsys):
    asked = []
    monkeypatch.setattr(
        "experiments.__main__.main_of", lambda name: lambda given: asked.append((name, given))
    )
    main_of_all(["book-de-en", "--work", str(tmp_path / "work"), "--threads", "3", "--quick"])
    assert [name for name, _ in asked] == NAMES == ["boosting", "minrisk", "oscar", "reordering"]
    assert capsys.readouterr().out.split() == [f"{name}:" for name in NAMES]
    for name, given in asked:
        assert given[0] == "book-de-en"
        assert given[given.index("--work") + 1] == str(tmp_path / "work" / name)
        assert given[given.index("--results") + 1] == str(results_of(name))
        assert given[given.index("--threads") + 1] == "3"
        assert given[-1] == "--quick"
    with pytest.raises(SystemExit, match="give a corpus, or --report"):
        main_of_all([])


def test_all_pages_are_made_at_once(tmp_path, capsys):
    main_of_all(["--report", "--output", str(tmp_path)])
    assert {each.name for each in tmp_path.glob("*.md")} == {
        f"{page}.md" for page in PAGES.values()
    }
    assert capsys.readouterr().out.count(".md") == len(NAMES)


def test_the_summary_of_all_papers_has_every_page():
    text = (Path(__file__).parents[2] / "docs" / "papers" / "README.md").read_text("utf-8")
    for page in PAGES.values():
        assert f"({page}.md)" in text


def test_lexicalized_probabilities_are_smoothed_and_back_off():
    examples = Examples.of(np.ones((4, 1)), [0, 0, 1, 2], num_classes=3)
    train = Part(examples, np.array([0, 0, 0, 1]))
    found = np.exp(lexicalized_log_probabilities(train, np.array([0, 1, 7])))
    assert found[0] == pytest.approx((np.array([2, 1, 0]) + SMOOTHING) / (3 + 3 * SMOOTHING))
    assert found[1] == pytest.approx((np.array([0, 0, 1]) + SMOOTHING) / (1 + 3 * SMOOTHING))
    assert found[2] == pytest.approx([0.5, 0.25, 0.25])


def test_parts_of_a_result_are_added(tmp_path):
    add_result(tmp_path, "a-de-en", "events", {"x": [1, 2]}, {"pairs": 3})
    file = add_result(tmp_path, "a-de-en", "bleu", {"y": [[1], [2, 3]]}, {"pairs": 4})
    stored = json.loads(file.read_text("utf-8"))
    assert (stored["events"], stored["bleu"]) == ({"x": [1, 2]}, {"y": [[1], [2, 3]]})
    assert stored["pairs"] == 4


def test_seconds_to_an_error():
    rows = [{"passes": 1, "error": 0.3, "seconds": 1}, {"passes": 2, "error": 0.2, "seconds": 2}]
    assert seconds_to(rows, 0.2) == rows[1]
    assert seconds_to(rows, 0.1) is None


def test_a_missing_corpus_is_refused(tmp_path):
    with pytest.raises(SystemExit):
        find_corpus("nothing-de-en", tmp_path)
