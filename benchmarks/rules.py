"""Rules beside Moses, in one run: extraction, memory and disk, sizes of tables, looking options up.

    python -m benchmarks.rules [--only train|million|options|size] [--threads 2] [--full]

train    From text and links to a scored table with orientations, the whole command as people type
         it, beside Moses's train-model.perl, steps 4 to 8 (lexical tables, extraction, scores,
         reordering table).  Memory is that of all processes together (pages that they share are
         counted once), disk what is in the folders they work in, polled.
size     The table beside Moses's compact phrase table and compact reordering table.
options  All options of sentences of 30 words, the 20 best of each span: targets and features.
million  With --full: a million sentence pairs that are made up, within a gigabyte for sorting.
Moses takes part where $MOSES is its folder (with bin/ and scripts/).  Text: multi30k-de-en of
$ROSEWOOD_DATA (or ../shared/data), aligned by `rosewood align --model diag`; without it the
phrasebook, which is smaller.
"""

from __future__ import annotations

import argparse
import gzip
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import numpy as np

from rosewood.rules import RuleTable

DATA = Path(os.environ.get("ROSEWOOD_DATA") or Path(__file__).parents[1] / "../shared/data")
MOSES = Path(os.environ["MOSES"]) if os.environ.get("MOSES") else None
CORPUS = "multi30k-de-en"
REORDERING = "hier-mslr-bidirectional-fe"
REPEATS = 3
POLL = 0.02  # seconds
MEGABYTE = 1 << 20


class Spent(NamedTuple):
    """Seconds on the wall; peaks of memory and of disk in bytes."""

    wall: float
    memory: int
    disk: int

    def __str__(self) -> str:
        both = (self.memory + self.disk) / MEGABYTE
        sizes = f"{self.memory / MEGABYTE:9.0f}{self.disk / MEGABYTE:9.0f}{both:9.0f}"
        return f"{self.wall:9.2f}{sizes}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", choices=["train", "size", "options", "million"])
    parser.add_argument("--full", action="store_true", help="a million sentence pairs, too")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--memory", default="2G", help="--max-memory of extraction")
    options = parser.parse_args()
    if MOSES is None:
        print("Moses takes no part: $MOSES is not set")
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        if options.only != "million":
            source, target, links = corpus(place, options.threads)
            table = train(source, target, links, place, options.threads, options.memory)
            if options.only in (None, "size"):
                sizes(table, place, options.threads)
            if options.only in (None, "options"):
                look_up(table, source)
        if options.full or options.only == "million":
            million(place, options.threads)


# -- text ------------------------------------------------------------------------------------------


def corpus(place: Path, threads: int) -> tuple[Path, Path, Path]:
    """Two sides of words, and their links."""
    sides = place / "source", place / "target"
    if (DATA / CORPUS).exists():
        for side, language in zip(sides, ("de", "en"), strict=True):
            packed = DATA / CORPUS / f"train.{language}.gz"
            side.write_bytes(gzip.decompress(packed.read_bytes()))
        print(f"text: {CORPUS}")
    else:
        run(rosewood("phrasebook", "en-de", "--reverse", "--pairs", 20_000, "--test", 1000,
                     "-o", place / "book", "--quiet"))  # fmt: skip
        for side, language in zip(sides, ("de", "en"), strict=True):
            (place / "book" / f"train.{language}").rename(side)
        print("text: 20,000 pairs of the phrasebook")
    links = place / "links"
    run(rosewood("align", *sides, "-o", links, "--model", "diag", "--threads", threads, "--quiet"))
    return *sides, links


def make_up(place: Path, pairs: int, seed: int = 0) -> tuple[Path, Path, Path]:
    """Sentence pairs whose words translate each other, with words left out and added and swapped.

    Words have Zipf's frequencies; a word often has one of few successors, so that phrases come
    again as they do in text.
    """
    rng = np.random.default_rng(seed)
    vocabulary, most = 200_000, 40
    frequency = np.cumsum(1 / np.arange(1, vocabulary + 1) ** 1.05)
    frequency /= frequency[-1]
    paths = place / "million.source", place / "million.target", place / "million.links"
    with (
        paths[0].open("w") as source_file,
        paths[1].open("w") as target_file,
        paths[2].open("w") as link_file,
    ):
        for begin in range(0, pairs, 20_000):
            size = min(20_000, pairs - begin)
            lengths = np.minimum(3 + rng.geometric(1 / 12, size), most)
            words = np.zeros((size, most), np.int64)
            for at in range(most):
                fresh = np.searchsorted(frequency, rng.random(size))
                if at:
                    choice = np.minimum(rng.zipf(1.6, size), 50)
                    follow = (words[:, at - 1] * 7919 + choice * 104_729) % vocabulary
                    fresh = np.where(rng.random(size) < 0.6, follow * follow % 9973, fresh)
                words[:, at] = np.minimum(fresh, vocabulary - 1)
            for row, length in zip(words.tolist(), lengths.tolist(), strict=True):
                row = row[:length]
                order = list(range(length))
                for at in np.flatnonzero(rng.random(max(1, length - 1)) < 0.15).tolist():
                    if at + 1 < length:
                        order[at], order[at + 1] = order[at + 1], order[at]
                chances = rng.random(length).tolist()
                target, links = [], []
                for i, chance in zip(order, chances, strict=True):
                    if chance < 0.08:
                        continue  # left out
                    links.append(f"{i}-{len(target)}")
                    target.append(f"t{row[i] if chance < 0.8 else row[i] * 31 % vocabulary:x}")
                    if chance > 0.92:
                        target.append(f"t{row[i] * 17 % 997:x}")  # added, without a link
                source_file.write(" ".join(f"s{word:x}" for word in row) + "\n")
                target_file.write(" ".join(target) + "\n")
                link_file.write(" ".join(links) + "\n")
    return paths


# -- commands --------------------------------------------------------------------------------------


def rosewood(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "rosewood", *map(str, arguments)]


def run(command: list[str]) -> None:
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def watched(command: list[str], folder: Path) -> Spent:
    """What a command takes with all that it starts; `folder` is where it works."""
    peak = {"memory": 0, "disk": 0}
    done = threading.Event()
    begin = time.perf_counter()
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )

    def watch() -> None:
        while not done.is_set():
            at = time.perf_counter()
            peak["memory"] = max(peak["memory"], _memory(process.pid))
            peak["disk"] = max(peak["disk"], _disk(folder))
            done.wait(max(POLL, 20 * (time.perf_counter() - at)))  # a twentieth of a core at most

    watcher = threading.Thread(target=watch)
    watcher.start()
    code = process.wait()
    wall = time.perf_counter() - begin
    done.set()
    watcher.join()
    if code:
        raise SystemExit(f"{' '.join(command)} failed: {code}")
    return Spent(wall, peak["memory"], max(peak["disk"], _disk(folder)))


def _memory(session: int) -> int:
    """Of all processes of a session; pages that they share are counted once."""
    total = 0
    for entry in Path("/proc").iterdir():
        try:
            if not entry.name.isdigit():
                continue
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
            if int(fields[3]) == session:
                told = re.search(r"^Pss:\s+(\d+)", (entry / "smaps_rollup").read_text(), re.M)
                total += int(told[1]) * 1024 if told else 0
        except (OSError, IndexError):
            pass  # it has ended meanwhile
    return total


def _disk(folder: Path) -> int:
    total = 0
    for path, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):  # it has gone meanwhile
                total += os.lstat(Path(path) / name).st_blocks * 512
    return total


# -- extraction ------------------------------------------------------------------------------------


def train(source: Path, target: Path, links: Path, place: Path, threads: int, memory: str) -> Path:
    print(f"\n{'from links to a table':34}{'wall s':>9}{'memory':>9}{'disk':>9}{'both MB':>9}")
    yardsticks: list[tuple[str, Spent]] = []
    if MOSES is not None:
        for name, more in (
            ("Moses, steps 4 to 8", []),
            ("  both directions at once", ["--sort-parallel", str(threads), "--parallel"]),
        ):
            shutil.rmtree(place / "moses", ignore_errors=True)
            yardstick = moses(source, target, links, place / "moses", threads, more)
            yardsticks.append((name.strip(), yardstick))
            print(f"{name:34}{yardstick}")
    runs = []
    for number in range(REPEATS):
        folder = place / f"ours{number}"
        folder.mkdir()
        command = rosewood("extract", source, target, "--alignment", links, "-o", folder / "rules",
                           "--threads", threads, "--max-memory", memory, "--quiet")  # fmt: skip
        runs.append(watched(command, folder))
    spent = min(runs)
    print(f"{'rosewood extract':34}{spent}")
    for name, other in yardsticks:
        both = (spent.memory + spent.disk) / (other.memory + other.disk)
        faster = f"{other.wall / spent.wall:.1f}x as fast"
        print(f"  against {name}: {faster}, {both:.2f} of memory and disk")
    table = RuleTable.open(place / "ours0" / "rules")
    print(f"{len(table):,} rules")
    return place / "ours0" / "rules"


def moses(
    source: Path, target: Path, links: Path, folder: Path, threads: int, more: list[str]
) -> Spent:
    assert MOSES is not None
    (folder / "in").mkdir(parents=True)
    for path, name in (
        (source, "corpus.src"), (target, "corpus.trg"), (links, "aligned.grow-diag-final-and")
    ):  # fmt: skip
        (folder / "in" / name).symlink_to(path)
    model = folder / "model"
    model.mkdir()
    command = [
        str(MOSES / "scripts/training/train-model.perl"), "--first-step", "4", "--last-step", "8",
        "--root-dir", str(folder), "--model-dir", str(model), "--corpus",
        str(folder / "in/corpus"), "--f", "src", "--e", "trg", "--alignment-file",
        str(folder / "in/aligned"), "--alignment", "grow-diag-final-and", "--reordering",
        REORDERING, "--max-phrase-length", "7", "--cores", str(threads), *more,
    ]  # fmt: skip
    return watched(command, model)


def sizes(table: Path, place: Path, threads: int) -> None:
    print(f"\n{'size':34}{'MB':>9}")
    print(f"{'rosewood, with orientations':34}{_size(table) / 1e6:9.2f}")
    plain = place / "plain"
    run(rosewood("extract", place / "source", place / "target", "--alignment", place / "links",
                 "-o", plain, "--orientation", "none", "--quiet"))  # fmt: skip
    print(f"{'rosewood, phrase pairs alone':34}{_size(plain) / 1e6:9.2f}")
    if MOSES is None:
        return
    model = place / "moses" / "model"
    total = 0
    for program, name, more in (
        ("processPhraseTableMin", "phrase-table", ["-nscores", "4"]),
        ("processLexicalTableMin", f"reordering-table.{REORDERING}", []),
    ):
        out = place / name
        run([str(MOSES / "bin" / program), "-in", str(model / f"{name}.gz"), "-out", str(out),
             "-threads", str(threads), *more])  # fmt: skip
        size = sum(path.stat().st_size for path in place.glob(f"{name}*") if path.is_file())
        total += size
        told = f"Moses, compact {name.partition('.')[0]}"
        print(f"{told:34}{size / 1e6:9.2f}")
    print(f"{'Moses, both':34}{total / 1e6:9.2f}")


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.iterdir())


def look_up(folder: Path, source: Path, length: int = 30, limit: int = 20) -> None:
    """Sentences of the text itself, put together until they are long enough, one by one."""
    table = RuleTable.open(folder)
    if (DATA / CORPUS).exists():  # text that the table has not seen
        text = gzip.decompress((DATA / CORPUS / "test.de.gz").read_bytes()).decode()
    else:
        text = source.read_text(encoding="utf-8")
    words = text.split()[: 300 * length]
    some = [words[at : at + length] for at in range(0, len(words) - length + 1, length)]
    spent, found = [], 0
    for sentence in some:  # warm
        found += len(table.options(sentence, limit=limit).rule)
    for _ in range(5):
        for sentence in some:
            begin = time.perf_counter()
            table.options(sentence, limit=limit)
            spent.append(time.perf_counter() - begin)
    print(
        f"\noptions of {length} words, {found / len(some):.0f} of them: "
        f"median {statistics.median(spent) * 1e6:.0f} us, "
        f"nine tenths in {np.quantile(spent, 0.9) * 1e6:.0f} us"
    )
    begin = time.perf_counter()
    RuleTable.open(folder).options(some[0], limit=limit)
    print(
        f"opening the table until its first options: {(time.perf_counter() - begin) * 1e3:.1f} ms"
    )


def million(place: Path, threads: int) -> None:
    source, target, links = make_up(place, 10**6)
    folder = place / "large"
    folder.mkdir()
    print(f"\n{'a million pairs':34}{'wall s':>9}{'memory':>9}{'disk':>9}{'both MB':>9}")
    command = rosewood("extract", source, target, "--alignment", links, "-o", folder / "rules",
                       "--threads", threads, "--max-memory", "1G", "--quiet")  # fmt: skip
    print(f"{'rosewood extract, 1G for sorting':34}{watched(command, folder)}")
    table = RuleTable.open(folder / "rules")
    print(f"{len(table):,} rules, {table.size / 1e6:,.0f} MB")


if __name__ == "__main__":
    main()
