"""The memory that some code holds at most, in a process of its own; mapped files do not count."""

from __future__ import annotations

import subprocess
import sys

_WATCHED = """
import sys, threading
from pathlib import Path

def held():
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("RssAnon"))

def watch():
    while not is_over.wait(0.01):
        most.append(held())

{imports}
most, is_over = [held()], threading.Event()
threading.Thread(target=watch, daemon=True).start()
{work}
is_over.set()
print(1024 * max(most))
"""


def most_held(imports: str, work: str, *arguments: object) -> int:
    """Bytes; `work` finds the arguments in `sys.argv[1:]`."""
    code = _WATCHED.format(imports=imports, work=work)
    made = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)], check=True, stdout=subprocess.PIPE,
        text=True,
    )  # fmt: skip
    return int(made.stdout)
