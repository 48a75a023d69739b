"""Word classes beside peers, in one run: the objective, seconds, and how both grow.

    python -m benchmarks.cluster [--only quality|growth] [--classes 50] [--threads 2]

quality   Commands as people type them, reading and writing included, on one side of tatoeba-zh-en
          and multi30k-de-en (in $ROSEWOOD_DATA, or ../shared/data), or of the phrasebook where
          those are not there.  F is computed anew from each output by
          tests/reference/clusters.py; the larger, the better.
growth    A generated text of 10 million words, 50,000 types: words per second of a round.
mkcls and clustercat take part where they are on the PATH; clustercat maximises another objective.
"""

from __future__ import annotations

import argparse
import gzip
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from tests.reference import clusters as reference

from rosewood.corpus import IndexedText, WordClasses
from rosewood.corpus.phrasebook import Phrasebook

DATA = Path(os.environ.get("ROSEWOOD_DATA") or Path(__file__).parents[1] / "../shared/data")
TEXTS = ("tatoeba-zh-en/train.en", "tatoeba-zh-en/train.zh", "multi30k-de-en/train.en",
         "multi30k-de-en/train.de")  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", choices=["quality", "growth"])
    parser.add_argument("--classes", type=int, default=50)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    missing = [name for name in ("mkcls", "clustercat") if shutil.which(name) is None]
    if missing:
        print(f"not on the PATH: {', '.join(missing)}")
    if options.only in (None, "quality"):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in texts(Path(folder)):
                quality(name, text, options.classes, options.threads)
    if options.only in (None, "growth"):
        growth(options.threads)


def texts(place: Path) -> list[tuple[str, Path]]:
    """Plain text files, without lines that are refused."""
    found = []
    for name in TEXTS:
        source = DATA / f"{name}.gz"
        if not source.exists():
            print(f"{name} is skipped: it is not in {DATA}")
            continue
        found.append((name, place / name.replace("/", ".")))
        with gzip.open(source, "rt", encoding="utf-8", newline="\n") as lines:
            kept = [line for line in lines if "\ufeff" not in line]
        found[-1][1].write_text("".join(kept), encoding="utf-8")
    if not found:
        found.append(("phrasebook", place / "phrasebook"))
        lines = (f"{' '.join(pair.source)}\n" for pair in Phrasebook("en-de", seed=1).pairs(20_000))
        found[0][1].write_text("".join(lines), encoding="utf-8")
    return found


def quality(name: str, text: Path, classes: int, threads: int) -> None:
    """Objective and seconds of each program."""
    sentences = [line.split() for line in text.read_text(encoding="utf-8").split("\n")]
    counts = reference.bigrams(sentences)
    words = sum(map(len, sentences))
    print(f"\n{name}: {words:,} words, {len({w for s in sentences for w in s}):,} types, "
          f"{classes} classes")  # fmt: skip
    ours = [sys.executable, "-m", "rosewood", "cluster", str(text), "--text", "OUTPUT", "-q",
            "--classes", str(classes)]  # fmt: skip
    commands = {
        "rosewood": [*ours, "--threads", str(threads)],
        "rosewood, 1 thread": [*ours, "--threads", "1"],
        "rosewood, exchange alone": [*ours, "--threads", "1", "--annealing", "0"],
        "mkcls -n1": ["mkcls", f"-c{classes}", "-n1", f"-p{text}", "-VOUTPUT", "opt"],
        "mkcls -n2": ["mkcls", f"-c{classes}", "-n2", f"-p{text}", "-VOUTPUT", "opt"],
        "clustercat": ["clustercat", "-c", str(classes), "--min-count", "1",
                       "-j", str(threads), "--in", str(text), "--out", "OUTPUT"],
    }  # fmt: skip
    print(f"{'':26}{'F':>16}{'seconds':>9}{'processor':>10}")
    for program, command in commands.items():
        if shutil.which(command[0]) is None:
            continue
        output = text.with_suffix(".classes")
        command = [part.replace("OUTPUT", str(output)) for part in command]
        output.unlink(missing_ok=True)
        begin, used = time.perf_counter(), os.times()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        seconds, now = time.perf_counter() - begin, os.times()
        processor = now.children_user - used.children_user
        found = WordClasses.read_text(output)
        value = reference.objective(counts, {word: found[word] for word in found})
        print(f"{program:26}{value:16,.0f}{seconds:9.2f}{processor:10.2f}")


def growth(threads: int) -> None:
    """Seconds of a round of exchange on a large text."""
    text = generated(10_000_000, 50_000, 200)
    for classes in (50, 100, 500):
        times = [time.perf_counter()]
        for rounds in (1, 4):
            found = WordClasses.learn(text, classes, annealing=0, rounds=rounds, threads=threads)
            times.append(time.perf_counter())
        one, four = np.diff(times)
        seconds = (four - one) / 3
        print(
            f"{found.facts['words']:,} words, {len(found):,} types, {classes} classes, "
            f"{threads} threads: counting and the first round {one:.1f} s, later rounds "
            f"{seconds:.2f} s each, {len(found) / seconds:,.0f} types/s"
        )


def generated(words: int, types: int, classes: int) -> IndexedText:
    """Sentences of 20 words from a class bigram model, whose words have Zipf's frequencies."""
    chance = np.random.default_rng(1)
    weight = 1 / np.arange(1, types + 1) ** 1.05
    class_of = chance.integers(0, classes, types)
    mass = np.bincount(class_of, weight, classes) ** 0.5
    moves = np.cumsum(chance.dirichlet(np.full(classes, 0.05), classes) * mass, 1)
    members = [np.flatnonzero(class_of == c) for c in range(classes)]
    inside = [np.cumsum(weight[each]) for each in members]
    lines = words // 20
    ids = np.empty((lines, 20), np.int32)
    now = chance.integers(0, classes, lines)
    for place in range(20):
        for c in range(classes):
            at = np.flatnonzero(now == c)
            drawn = np.searchsorted(inside[c], chance.random(len(at)) * inside[c][-1])
            ids[at, place] = members[c][np.minimum(drawn, len(members[c]) - 1)]
        following = np.empty_like(now)
        for c in range(classes):
            at = np.flatnonzero(now == c)
            following[at] = np.searchsorted(moves[c], chance.random(len(at)) * moves[c][-1])
        now = np.minimum(following, classes - 1)
    names = [f"w{n}".encode() for n in range(types)]
    start = np.cumsum([0, *map(len, names)], dtype=np.int64)
    ends = np.arange(0, words + 1, 20, dtype=np.int64)
    return IndexedText(ids.reshape(-1), ends, np.frombuffer(b"".join(names), np.uint8), start)


if __name__ == "__main__":
    main()
