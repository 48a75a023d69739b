"""Start-up times of the command and of the package, over those of Python alone.

    python -m benchmarks.startup [--repeat 15]

The best of several runs counts, each in a process of its own; compiled modules are there.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time

NOTHING = ["-c", "pass"]
STARTS = {
    "import rosewood": ["-c", "import rosewood"],
    "rosewood --version": ["-m", "rosewood", "--version"],
    "rosewood --help": ["-m", "rosewood", "--help"],
    "rosewood forest --help": ["-m", "rosewood", "forest", "--help"],
    "rosewood train --help": ["-m", "rosewood", "train", "--help"],
    "rosewood translate --help": ["-m", "rosewood", "translate", "--help"],
}


def best(arguments: list[str], repeat: int) -> float:
    """Seconds of the quickest of several runs of Python with some arguments."""

    def once() -> float:
        begin = time.perf_counter()
        subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
        return time.perf_counter() - begin

    once()  # compiles modules, fills the cache of files
    return min(once() for _ in range(repeat))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--repeat", type=int, default=15, help="runs, of which the best counts")
    options = parser.parse_args()
    nothing = best(NOTHING, options.repeat)
    print(f"{'':28}{'seconds':>9}{'over Python':>13}")
    print(f"{'python -c pass':28}{nothing:9.3f}")
    for name, arguments in STARTS.items():
        seconds = best(arguments, options.repeat)
        print(f"{name:28}{seconds:9.3f}{seconds - nothing:13.3f}")


if __name__ == "__main__":
    main()
