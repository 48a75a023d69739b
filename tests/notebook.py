"""Notebooks, run cell by cell without Jupyter: their outputs as it would show them.

    python -m tests.notebook examples/first-model.ipynb    # runs it, and stores what it shows

A cell that ends with an expression shows its value: as text, and as HTML or SVG where it has that.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from rosewood.output import whole_file

_KINDS = {"_repr_html_": "text/html", "_repr_svg_": "image/svg+xml"}


def read_notebook(path: Path) -> dict[str, Any]:
    """A notebook of format 4; what Jupyter would refuse is refused."""
    book = json.loads(path.read_text(encoding="utf-8"))
    assert book["nbformat"] == 4
    assert book["nbformat_minor"] >= 5  # cells have names
    assert book["metadata"]["kernelspec"]["name"] == "python3"
    names = [cell["id"] for cell in book["cells"]]
    assert len(set(names)) == len(names)
    for cell in book["cells"]:
        assert cell["cell_type"] in ("markdown", "code")
        assert cell["metadata"] == {}
        assert "".join(cell["source"]).strip()
        assert ({"outputs", "execution_count"} <= set(cell)) == (cell["cell_type"] == "code")
    return dict(book)


def code_cells(book: dict[str, Any]) -> list[dict[str, Any]]:
    """The cells that are run."""
    return [cell for cell in book["cells"] if cell["cell_type"] == "code"]


def run_notebook(book: dict[str, Any]) -> dict[str, Any]:
    """Runs all cells in the folder we are in, fills in their outputs, and returns all names."""
    names: dict[str, Any] = {"__name__": "__main__"}
    for number, cell in enumerate(code_cells(book), 1):
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            value = _run("".join(cell["source"]), f"cell {number}", names)
        cell["execution_count"] = number
        cell["outputs"] = []
        if said.getvalue():
            text = said.getvalue().splitlines(keepends=True)
            cell["outputs"].append({"name": "stdout", "output_type": "stream", "text": text})
        if value is not None:
            cell["outputs"].append(
                {
                    "data": _shown(value),
                    "execution_count": number,
                    "metadata": {},
                    "output_type": "execute_result",
                }
            )
    return names


def _run(code: str, name: str, names: dict[str, Any]) -> Any:
    """Runs a cell; its value is that of a last expression."""
    tree = ast.parse(code, name)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, name, "exec"), names)
    if last is None:
        return None
    return eval(compile(ast.Expression(last.value), name, "eval"), names)


def _shown(value: Any) -> dict[str, list[str]]:
    data = {"text/plain": repr(value)}
    for method, kind in _KINDS.items():
        if hasattr(value, method):
            data[kind] = getattr(value, method)()
    return {kind: text.splitlines(keepends=True) for kind, text in data.items()}


def _store(path: Path) -> None:
    book = read_notebook(path)
    path = path.resolve()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        run_notebook(book)
        os.chdir(path.parent)
    with whole_file(path) as out:
        out.write(json.dumps(book, ensure_ascii=False, indent=1).encode() + b"\n")


if __name__ == "__main__":
    _store(Path(sys.argv[1]))
