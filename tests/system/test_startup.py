"""What starting the command imports: that decides how long it takes (see benchmarks/startup.py)."""

from __future__ import annotations

import subprocess
import sys
from functools import cache

import pytest

ARRAYS = ("numpy", "scipy")
HEAVY = (*ARRAYS, "sacrebleu", "sacremoses", "lxml", "rosewood._core", "asyncio", "multiprocessing",
         "rich")  # fmt: skip
VERBS = "rosewood.cli.verbs."

# What must not be imported by a command: modules with all that is below them; a name that ends
# with a dot is only what is below.
NEVER = {
    (): (*HEAVY, VERBS, "rosewood.corpus.phrasebook"),
    ("--version",): (*HEAVY, VERBS),
    ("--help",): (*HEAVY, VERBS),
    ("train", "--help"): (*HEAVY, "rosewood.corpus.phrasebook", f"{VERBS}tune"),
    ("forest", "--help"): (*HEAVY, f"{VERBS}train"),
    ("translate", "--help"): (*HEAVY, f"{VERBS}train"),
}


START = """
import sys
import rosewood
if len(sys.argv) > 1:
    from rosewood.__main__ import main
    try:
        main()
    except SystemExit:
        pass
print(*sys.modules, file=sys.stderr)
"""


@cache
def imported(*arguments: str) -> frozenset[str]:
    """Every module that a start of the command imports; without arguments, `import rosewood`."""
    done = subprocess.run(
        [sys.executable, "-c", START, *arguments],
        capture_output=True, text=True, encoding="utf-8", check=True,
    )  # fmt: skip
    return frozenset(done.stderr.split())


@pytest.mark.parametrize(
    ("arguments", "module"),
    [(arguments, module) for arguments, modules in NEVER.items() for module in modules],
    ids=lambda given: given if isinstance(given, str) else " ".join(given) or "import",
)
def test_modules_that_are_not_imported(arguments, module):
    found = imported(*arguments)
    assert "rosewood" in found
    if arguments:
        assert "rosewood.cli" in found
    below = module if module.endswith(".") else module + "."
    assert not {name for name in found if name == module or name.startswith(below)}
