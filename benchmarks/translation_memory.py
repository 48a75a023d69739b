"""Looking up sentences in a translation memory beside translating them, in one run.

    python -m benchmarks.translation_memory MODEL [--lines 1000] [--fuzzy 0.7]

MODEL is one of Multi30k, German to English, trained with --memory on; lines are those of its test
sets in $ROSEWOOD_DATA (default ../shared/data).  Times are those of the processor, on one thread.
"""

from __future__ import annotations

import argparse
import gzip
import itertools
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from rosewood.pipeline import Translator

DATA = Path(os.environ.get("ROSEWOOD_DATA") or Path(__file__).parents[1] / "../shared/data")


def lines_of(count: int) -> list[str]:
    """Lines of the test sets, again and again if there are too few."""
    found = []
    for name in ("test", "devtest", "dev"):
        path = DATA / f"multi30k-de-en-raw/{name}.de.gz"
        if not path.exists():
            raise SystemExit(f"{path} is not there: set ROSEWOOD_DATA")
        with gzip.open(path, "rt", encoding="utf-8") as file:
            found += [line.rstrip("\n") for line in file]
    return list(itertools.islice(itertools.cycle(found), count))


def microseconds(work: Callable[[str], object], lines: Sequence[str]) -> float:
    """Processor time for each line."""
    begin = time.process_time()
    for line in lines:
        work(line)
    return (time.process_time() - begin) / len(lines) * 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("--lines", type=int, default=1000)
    parser.add_argument("--fuzzy", type=float, default=0.7)
    parser.add_argument("--repeat", type=int, default=3, help="runs of translating, alternating")
    options = parser.parse_args()
    lines = lines_of(options.lines)
    translators = {
        "without memory": Translator.load(options.model, memory="off"),
        "with memory": Translator.load(options.model, memory="on", fuzzy=options.fuzzy),
    }
    lookup = translators["with memory"].memory
    assert lookup is not None
    (memory,) = lookup.memories
    lookup.best(lines[0])
    words = {line: memory.words_of(line) for line in lines}
    kinds = [match.kind for match in map(lookup.best, lines) if match is not None]
    print(f"{memory}; of {len(lines)} lines {len(kinds)} have a match at {options.fuzzy}")
    print(f"tokenising    {microseconds(memory.words_of, lines):8.1f} µs a line")
    print(f"exact         {microseconds(memory.exact, lines):8.1f} µs a line")
    fuzzy = microseconds(lambda each: memory.fuzzy(each, options.fuzzy, words=words[each]), lines)
    print(f"fuzzy         {fuzzy:8.1f} µs a line")
    took = dict.fromkeys(translators, 0.0)
    for _ in range(options.repeat):
        for name, translator in translators.items():
            begin = time.process_time()
            translator.translate(lines, threads=1)
            took[name] += (time.process_time() - begin) / options.repeat / len(lines) * 1e6
    for name, each in took.items():
        print(f"{name:14}{each:8.1f} µs a line")
    print(f"with : without {took['with memory'] / took['without memory']:.3f}")


if __name__ == "__main__":
    main()
