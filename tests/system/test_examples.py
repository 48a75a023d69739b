"""The examples run, and say what they promise."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

from rosewood.metrics import compare

EXAMPLES = Path(__file__).parents[2] / "examples"


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


@pytest.mark.parametrize("seed", [1, 2])
def test_noise_does_not_help(tmp_path, capsys, seed):
    main = runpy.run_path(str(EXAMPLES / "rerank_noise.py"))["main"]
    assert main(tmp_path, lists=150, seed=seed) != "helps"
    said = capsys.readouterr().out
    assert re.search(r"Reranking does (NOT|not) help here", said)
    assert "Reranking does not help here" in (tmp_path / "report.html").read_text()


def test_every_example_is_told():
    told = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    for script in EXAMPLES.glob("*.py"):
        assert script.name in told
