"""The examples run, and say what they promise."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest
from tests.notebook import code_cells, read_notebook, run_notebook

from rosewood.metrics import compare

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.slow
def test_reranking_helps(tmp_path, capsys):
    assert runpy.run_path(str(EXAMPLES / "rerank_helps.py"))["main"](tmp_path) == "helps"
    said = capsys.readouterr().out
    assert said.splitlines()[2].startswith("Reranking helps here: BLEU +")
    best, first, ref = (
        (tmp_path / f"{name}.txt").read_text().splitlines() for name in ("best", "first", "ref")
    )
    found = compare(best, first, [ref], "bleu", test="randomisation")[0]
    assert found.difference > 5
    assert found.p_value < 0.01
    assert "Reranking helps here." in (tmp_path / "report.html").read_text()


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_noise_does_not_help(tmp_path, capsys, seed):
    main = runpy.run_path(str(EXAMPLES / "rerank_noise.py"))["main"]
    assert main(tmp_path, lists=150, seed=seed) != "helps"
    said = capsys.readouterr().out
    assert re.search(r"Reranking does (NOT|not) help here", said)
    assert "Reranking does not help here" in (tmp_path / "report.html").read_text()


@pytest.mark.slow
@pytest.mark.longest
def test_the_notebook_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    book = read_notebook(EXAMPLES / "first-model.ipynb")
    stored = {cell["id"]: cell["outputs"] for cell in code_cells(book)}
    names = run_notebook(book)
    assert {score["on"]: score["value"] for score in names["made"].scores}["test"] > 60
    assert 0 < names["reply"].confidence < 1
    assert len(names["reply"].alternatives) == 5
    for file in ("model.html", "sentence.html"):
        assert "<svg" in (tmp_path / "first-model" / file).read_text("utf-8")
    # What is stored is of the same kinds; numbers may be those of another release.
    for cell in code_cells(book):
        assert [_kinds(each) for each in cell["outputs"]] == [
            _kinds(each) for each in stored[cell["id"]]
        ], cell["id"]
    pictures = [each for outputs in stored.values() for each in outputs
                if "image/svg+xml" in each.get("data", {})]  # fmt: skip
    assert len(pictures) == 2


def _kinds(output):
    return output["output_type"], sorted(output.get("data", {}))


def test_every_example_is_told():
    told = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    for script in [*EXAMPLES.glob("*.py"), *EXAMPLES.glob("*.ipynb")]:
        assert script.name in told
