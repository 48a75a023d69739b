"""A PO file beside the same sentences as plain lines, in one run: how much longer it takes.

    python -m benchmarks.documents MODEL [--units 10000] [--rounds 3] [--threads 1]
                                   [--text FILE.gz]

Both are read from a file and written to one.  The PO file needs more: the forest of each sentence,
from which the confidence of its mark comes.  Runs take turns, and the best of each counts; the goal
is that the PO file is translated at 80 % of the speed of the lines, or faster.  Sentences are those
of --text, or of the German training text of Multi30k in $ROSEWOOD_DATA (default ../shared/data).
"""

from __future__ import annotations

import argparse
import gzip
import itertools
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from rosewood.pipeline import Translator

DATA = Path(os.environ.get("ROSEWOOD_DATA") or Path(__file__).parents[1] / "../shared/data")
TEXT = DATA / "multi30k-de-en-raw/train.de.gz"
GOAL = 0.8


def plain(translator: Translator, source: Path, target: Path, threads: int) -> None:
    """Lines as `rosewood translate` does them."""
    with source.open(encoding="utf-8") as lines, target.open("w", encoding="utf-8") as out:
        stripped = (line.rstrip("\n") for line in lines)
        for each in translator.stream(stripped, threads=threads):
            out.write(each.text + "\n")


def measured(run: Callable[[], object]) -> tuple[float, float]:
    """Seconds by the clock, and of the processors."""
    begin, used = time.perf_counter(), time.process_time()
    run()
    return time.perf_counter() - begin, time.process_time() - used


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("--units", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--text", type=Path, default=TEXT)
    options = parser.parse_args()
    if not options.text.exists():
        raise SystemExit(f"{options.text} is not there: set ROSEWOOD_DATA, or use --text")
    with gzip.open(options.text, "rt", encoding="utf-8", newline="\n") as file:
        different = dict.fromkeys(" ".join(line.split()) for line in file)
    lines = list(itertools.islice(filter(None, different), options.units))
    quoted = [each.replace("\\", "\\\\").replace('"', '\\"') for each in lines]
    translator = Translator.load(options.model)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        (place / "t.txt").write_text("".join(f"{each}\n" for each in lines), encoding="utf-8")
        entries = [f'#: a.c:{n}\nmsgid "{each}"\nmsgstr ""\n' for n, each in enumerate(quoted)]
        (place / "t.po").write_text("\n".join(entries), encoding="utf-8")
        runs: dict[str, Callable[[], object]] = {
            "lines": lambda: plain(translator, place / "t.txt", place / "out.txt", options.threads),
            "PO file": lambda: translator.translate_document(
                place / "t.po", place / "out.po", threads=options.threads
            ),
        }
        found: dict[str, list[tuple[float, float]]] = {name: [] for name in runs}
        for _ in range(options.rounds):
            for name, run in runs.items():
                found[name].append(measured(run))
    best = {name: [min(each) for each in zip(*times, strict=True)] for name, times in found.items()}
    print(f"{len(lines):,} units, {options.threads} threads: best of {options.rounds} rounds")
    print(f"{'':10}{'clock':>12}{'processors':>14}{'units/s':>10}")
    for name, (clock, used) in best.items():
        print(f"{name:10}{clock:10.2f} s{used:12.2f} s{len(lines) / clock:10,.0f}")
    for place_of, what in enumerate(("clock", "processor time")):
        speed = best["lines"][place_of] / best["PO file"][place_of]
        told = "met" if speed >= GOAL else "missed"
        print(f"speed of the PO file by {what}: {speed:.2f} of the lines (goal {GOAL}: {told})")


if __name__ == "__main__":
    main()
