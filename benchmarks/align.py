"""Word alignment beside its peers, in one run: error rates, seconds, and how both grow.

    python -m benchmarks.align [--only quality|speed|growth] [--full] [--threads 2]

quality   Alignment error rates of all models on novels-fr-en (in $ROSEWOOD_DATA, or ../shared/data)
          and on the phrasebook, 2,000 and 20,000 pairs of both languages; with seconds.
speed     Commands as people type them, reading and writing included: both directions and
          grow-diag-final-and of multi30k-de-en, or of the phrasebook where that is not there.
growth    10^4 and 10^5 generated pairs, with --full 10^6: seconds and the most memory, in a
          process of its own.
fast_align, atools and eflomal-align take part where they are on the PATH.
"""

from __future__ import annotations

import argparse
import gzip
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from rosewood.align import (
    Aligner,
    Gold,
    Links,
    alignment_error_rate,
    read_gold,
    read_pharaoh,
    symmetrize,
)
from rosewood.corpus import IndexedCorpus
from rosewood.corpus.phrasebook import Phrasebook

DATA = Path(os.environ.get("ROSEWOOD_DATA") or Path(__file__).parents[1] / "../shared/data")
METHODS = ("intersection", "grow-diag-final-and")
MODELS = ("model1", "diag", "hmm", "best")

# For those who do not have the peers; AMD EPYC, 2 threads, fast_align of 2023, eflomal 2.0.0.
MEASURED = (
    "novels-fr-en, intersection / grow-diag-final-and: fast_align 0.195 / 0.246, "
    "eflomal 0.089 / 0.105 in 39 s"
)


class Task(NamedTuple):
    """A corpus with gold alignments."""

    name: str
    source: Path
    target: Path
    gold: Gold
    first_line: int = 1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", choices=["quality", "speed", "growth", "one"])
    parser.add_argument("--full", action="store_true", help="a million pairs, too")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--pairs", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--model", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.only == "one":  # a process of its own, for its memory
        one(options.pairs, options.model, options.threads)
        return
    missing = [n for n in ("fast_align", "atools", "eflomal-align") if shutil.which(n) is None]
    if missing:
        print(f"not on the PATH: {', '.join(missing)}. Elsewhere measured: {MEASURED}")
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        if options.only in (None, "quality"):
            for task in tasks(place):
                quality(task, place, options.threads)
        if options.only in (None, "speed"):
            speed(place, options.threads)
    if options.only in (None, "growth"):
        growth(options.full, options.threads)


# -- corpora ---------------------------------------------------------------------------------------


def plain(path: Path, place: Path, name: str) -> Path:
    """The file without its compression: not all peers can read that."""
    made = place / name
    with gzip.open(path) as source, made.open("wb") as target:
        shutil.copyfileobj(source, target)
    return made


def tasks(place: Path) -> list[Task]:
    found = []
    novels = DATA / "novels-fr-en"
    if novels.is_dir():
        source = plain(novels / "train.fr.gz", place, "novels.fr")
        target = plain(novels / "train.en.gz", place, "novels.en")
        found.append(
            Task("novels-fr-en", source, target, read_gold(novels / "gold.align.gz"), 5036)
        )
    else:
        print(f"novels-fr-en is skipped: it is not in {DATA}")
    for languages in ("en-de", "en-ja"):
        for size in (2_000, 20_000):
            name = f"phrasebook {languages} {size:,}"
            texts = [place / f"{languages}.{size}.{side}" for side in ("source", "target")]
            gold = place / f"{languages}.{size}.gold"
            with (
                texts[0].open("w") as source_file,
                texts[1].open("w") as target_file,
                gold.open("w") as gold_file,
            ):
                for pair in Phrasebook(languages, seed=1).pairs(size):
                    print(*pair.source, file=source_file)
                    print(*pair.target, file=target_file)
                    print(
                        *(f"{i}{'-' if (i, j) in pair.sure else 'p'}{j}" for i, j in
                          sorted(pair.possible)),
                        file=gold_file,
                    )  # fmt: skip
            found.append(Task(name, texts[0], texts[1], read_gold(gold)))
    return found


# -- error rates -----------------------------------------------------------------------------------


def quality(task: Task, place: Path, threads: int) -> None:
    print(f"\n{task.name:36}{'intersection':>14}{'gdfa':>8}{'wall s':>9}{'processor s':>13}")

    def row(name: str, run: Callable[[], tuple[Links, Links]]) -> None:
        with Clock() as clock:
            forward, backward = run()
        rates = [
            alignment_error_rate(
                symmetrize(forward, backward, method), task.gold, first_line=task.first_line
            )
            for method in METHODS
        ]
        print(f"{name:36}{rates[0]:14.4f}{rates[1]:8.4f}{clock.wall:9.2f}{clock.processor:13.2f}")

    for model in MODELS:

        def ours(model: str = model) -> tuple[Links, Links]:
            corpus = IndexedCorpus.from_files(task.source, task.target)
            _, aligned = Aligner.fit_align(corpus, model, threads=threads)
            return aligned.forward, aligned.backward

        row(f"rosewood {model}", ours)
    outputs = place / "peer.forward", place / "peer.backward"
    for name, peer in (("fast_align", fast_align), ("eflomal-align", eflomal)):
        if shutil.which(name) is not None:

            def theirs(peer: Callable[..., None] = peer) -> tuple[Links, Links]:
                peer(task.source, task.target, *outputs, threads)
                return read_pharaoh(outputs[0]), read_pharaoh(outputs[1])

            row(name, theirs)


# -- peers -----------------------------------------------------------------------------------------


def fast_align(source: Path, target: Path, forward: Path, backward: Path, threads: int) -> None:
    joined = forward.with_suffix(".joined")
    with joined.open("w") as out, source.open() as one, target.open() as other:
        for s, t in zip(one, other, strict=True):
            out.write(f"{s.rstrip()} ||| {t.rstrip()}\n")
    for path, more in ((forward, []), (backward, ["-r"])):
        with path.open("w") as out:
            command = ["fast_align", "-i", str(joined), "-d", "-o", "-v", *more]
            quietly(command, threads, stdout=out)


def eflomal(source: Path, target: Path, forward: Path, backward: Path, threads: int) -> None:
    for output in (forward, backward):
        output.unlink(missing_ok=True)  # it does not write over files
    quietly(
        [
            "eflomal-align",
            *("-s", str(source), "-t", str(target)),
            *("-f", str(forward), "-r", str(backward)),
        ],
        threads,
    )


def quietly(command: list[str], threads: int, stdout: object = subprocess.DEVNULL) -> None:
    subprocess.run(
        command,
        check=True,
        stdout=stdout,  # type: ignore[call-overload]
        stderr=subprocess.DEVNULL,
        env={**os.environ, "OMP_NUM_THREADS": str(threads)},
    )


class Clock:
    """Seconds on the wall, and of the processor with what was started."""

    def __enter__(self) -> Clock:
        self._begun = time.perf_counter(), _processor()
        return self

    def __exit__(self, *_: object) -> None:
        self.wall = time.perf_counter() - self._begun[0]
        self.processor = _processor() - self._begun[1]


def _processor() -> float:
    used = [resource.getrusage(w) for w in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


# -- speed -----------------------------------------------------------------------------------------


def speed(place: Path, threads: int) -> None:
    folder = DATA / "multi30k-de-en"
    if folder.is_dir():
        name = "multi30k-de-en"
        source = plain(folder / "train.de.gz", place, "m.de")
        target = plain(folder / "train.en.gz", place, "m.en")
    else:
        name = "phrasebook en-de"
        source, target = generated(place, 29_000)
    print(f"\n{name}: files in, one file out{'':6}{'wall s':>9}{'processor s':>13}")
    out = place / "out.pharaoh"
    both = place / "both.forward", place / "both.backward"
    command = [str(Path(sys.executable).with_name("rosewood")), "align", str(source), str(target)]

    def row(what: str, run: Callable[[], None]) -> Clock:
        with Clock() as clock:
            run()
        print(f"{what:36}{clock.wall:9.2f}{clock.processor:13.2f}")
        return clock

    def ours(model: str) -> None:
        quietly([*command, "-o", str(out), "--model", model, "--threads", str(threads)], threads)

    def theirs(peer: Callable[..., None]) -> None:
        peer(source, target, *both, threads)
        with out.open("w") as stream:
            quietly(
                ["atools", "-i", str(both[0]), "-j", str(both[1]), "-c", METHODS[1]],
                threads,
                stdout=stream,
            )

    for model, name, peer in (
        ("diag", "fast_align", fast_align),
        ("best", "eflomal-align", eflomal),
    ):
        mine = min((row(f"rosewood {model}", lambda m=model: ours(m)) for _ in range(3)),
                   key=lambda clock: clock.wall)  # type: ignore[misc]  # fmt: skip
        if shutil.which(name) and shutil.which("atools"):
            other = row(f"{name}, atools", lambda p=peer: theirs(p))  # type: ignore[misc]
            print(
                f"  {name} takes {other.wall / mine.wall:.1f} times as long, and "
                f"{other.processor / mine.processor:.1f} times the processor"
            )


# -- growth ----------------------------------------------------------------------------------------


def generated(place: Path, size: int) -> tuple[Path, Path]:
    texts = place / f"{size}.source", place / f"{size}.target"
    with texts[0].open("w") as source, texts[1].open("w") as target:
        for pair in Phrasebook("en-de", seed=3).pairs(size):
            print(*pair.source, file=source)
            print(*pair.target, file=target)
    return texts


def one(size: int, model: str, threads: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        texts = generated(Path(folder), size)
        subprocess.run(
            [sys.executable, "-c", _ONE, *map(str, texts), model, str(threads)], check=True
        )


_ONE = """
import resource, sys, time
from rosewood.align import Aligner
from rosewood.corpus import IndexedCorpus
begun = time.perf_counter(), time.process_time()
corpus = IndexedCorpus.from_files(*sys.argv[1:3])
Aligner.fit_align(corpus, sys.argv[3], threads=int(sys.argv[4]))[1].symmetrize()
wall, processor = time.perf_counter() - begun[0], time.process_time() - begun[1]
most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
words = len(corpus.source.ids) + len(corpus.target.ids)
print(f"{len(corpus):>10,}{sys.argv[3]:>8}{wall:9.2f}{processor:13.2f}{most:8.0f} MB"
      f"{processor / words * 1e6:12.2f}")
"""


def growth(full: bool, threads: int) -> None:
    print(
        f"\n{'pairs':>10}{'model':>8}{'wall s':>9}{'processor s':>13}{'most':>11}{'µs a word':>12}"
    )
    sys.stdout.flush()
    for model in ("diag", "best"):
        for size in (10_000, 100_000, *([1_000_000] if full else [])):
            command = [sys.executable, "-m", "benchmarks.align", "--only", "one"]
            command += ["--pairs", str(size), "--model", model, "--threads", str(threads)]
            subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
