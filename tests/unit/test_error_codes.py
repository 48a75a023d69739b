"""Every error that the package raises has a code of the usual form, and docs/errors.md has it."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from rosewood import errors

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src/rosewood"
KINDS = set(errors.__all__)
# Their class says it all.
OWN_CODE = {"CycleError", "EmptyForestError", "DamagedFileError", "MissingPackageError"}


@cache
def calls():
    """Every call that makes an error, and its file."""
    return [
        (file, node)
        for file in sorted(SOURCE.rglob("*.py"))
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in KINDS
        and node.args
    ]


@pytest.mark.slow
def test_every_error_has_a_code():
    without = [
        f"{file.relative_to(ROOT)}:{node.lineno}"
        for file, node in calls()
        if node.func.id not in OWN_CODE
        and not any(each.arg in ("code", None) for each in node.keywords)
    ]
    assert without == []


@pytest.mark.slow
def test_codes_have_two_parts():
    for file, node in calls():
        for each in node.keywords:
            if each.arg == "code" and isinstance(each.value, ast.Constant):
                code = each.value.value
                assert re.fullmatch(r"[a-z]+(-[a-z]+)*\.[a-z]+(-[a-z]+)*", code), (file, code)
