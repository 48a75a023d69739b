"""The code in the documents runs, and says what the documents say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", ["README.md", "docs/forests.md"])
def test_code_runs(page, capsys):
    blocks = BLOCK.findall((ROOT / page).read_text(encoding="utf-8"))
    assert len(blocks) > 2
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, page, "exec"), names)


def test_what_the_readme_says(capsys):
    blocks = BLOCK.findall((ROOT / "README.md").read_text(encoding="utf-8"))
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, "README.md", "exec"), names)
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == ["2", "a cat on the mat"]
    assert lines[2:4] == ["-5.50 a cat on the mat", "-6.00 a cat of the mat"]
    assert lines[4] == "5"


def test_links_lead_somewhere():
    for page in (
        ROOT / "README.md",
        ROOT / "ARCHITECTURE.md",
        *sorted((ROOT / "docs").glob("*.md")),
    ):
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
            if "://" not in target:
                assert (page.parent / target).exists(), f"{page.name}: {target}"


@pytest.mark.parametrize("room", ["forest", "metrics"])
def test_the_architecture_names_every_room(room):
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    for module in sorted((ROOT / "src/rosewood" / room).iterdir()):
        if module.name.startswith("_") or module.name == "__pycache__":
            continue
        assert f"`{module.name}" in text or f"`{module.name}/`" in text, module.name
