"""Language models beside KenLM, in one run: estimation, queries, sizes, opening.

    python -m benchmarks.lm [--only estimate|query|size|open] [--full] [--threads 2] [--memory 2G]

estimate  Commands as people type them, from text to a file, of 10^6 and (with --full) 10^7 tokens,
          order 5: rosewood to its own format and to ARPA; lmplz to ARPA, and to what it can query.
          What a command takes to start, measured on ten lines, is told apart, not in ratios.
query     Scoring in the order of the text: the whole command, the library on one thread, and
          KenLM's query and kenlm_benchmark; its Python module word by word.
size      Both layouts and the quantised one beside KenLM's probing and trie.
open      The model of the largest text, with --full 1 GB of it: until its first score.
lmplz, build_binary, query and kenlm_benchmark take part where they are on the PATH, and the module
`kenlm` where it is installed.  Text: English of $ROSEWOOD_DATA (or ../shared/data) for the first
million tokens; what is larger, or not there, is made up (see `make_up`).
"""

from __future__ import annotations

import argparse
import gzip
import importlib.util
import multiprocessing
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np

from rosewood.lm import Model

DATA = Path(os.environ.get("ROSEWOOD_DATA") or Path(__file__).parents[1] / "../shared/data")
ENGLISH = ("multi30k-de-en", "novels-fr-en", "tanaka-ja-en", "tatoeba-zh-en")
ORDER = 5
REPEATS = 3
GIGABYTE = 1 << 30


class Spent(NamedTuple):
    """Seconds on the wall and of the processor, and the most memory in bytes."""

    wall: float
    processor: float
    memory: int

    def __sub__(self, other: Spent) -> Spent:
        return Spent(self.wall - other.wall, self.processor - other.processor, self.memory)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", choices=["estimate", "query", "size", "open"])
    parser.add_argument("--full", action="store_true", help="10^7 tokens, and a model of 1 GB")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--memory", default="2G")
    options = parser.parse_args()
    missing = [n for n in ("lmplz", "build_binary", "query", "kenlm_benchmark") if not there(n)]
    if missing:
        print(f"not on the PATH: {', '.join(missing)}")
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        text = place / "million"
        print(f"10^6 tokens: {real_text(text)}")
        texts = [text]
        if options.full:
            texts.append(place / "ten-million")
            print(f"10^7 tokens: {made_up(texts[-1], 10**7)}")
        for text in texts:
            if options.only in (None, "estimate"):
                estimation(text, place, options.threads, options.memory)
        if options.only in (None, "query", "size", "open"):
            for text in texts:
                models(text, place, options.threads, options.memory)
                if options.only in (None, "query"):
                    queries(text, place, options.threads)
                if options.only in (None, "size"):
                    sizes(place)
        if options.only in (None, "open"):
            if options.full:
                made_up(place / "large", 26 * 10**6)
                ours(place / "large", place / "fast.rlm", options.threads, options.memory)
            opening(place / "fast.rlm")


# -- text ------------------------------------------------------------------------------------------


def real_text(path: Path) -> str:
    """English of all corpora at hand, about a million tokens, or text that is made up."""
    files = [DATA / name / "train.en.gz" for name in ENGLISH]
    if not all(file.exists() for file in files):
        return made_up(path, 10**6)
    with path.open("wb") as out:
        for file in files:
            out.write(gzip.decompress(file.read_bytes()).replace("\ufeff".encode(), b""))
    return "English of " + ", ".join(ENGLISH)


def made_up(path: Path, tokens: int) -> str:
    """Text in a file, made in a process of its own: commands are told to use no less memory than
    the process that starts them.
    """
    maker = multiprocessing.get_context("spawn").Process(target=make_up, args=(path, tokens))
    maker.start()
    maker.join()
    return "made up, of 150,000 words"


def make_up(path: Path, tokens: int, vocabulary: int = 150_000, seed: int = 0) -> None:
    """Text whose n-grams grow as those of natural text do.

    A word is drawn from few successors of the last two, from few of the last, or from all, each
    time with Zipf's frequencies.
    """
    rng = np.random.default_rng(seed)
    lengths = np.minimum(1 + rng.geometric(1 / 20, tokens // 15), 100)
    lengths = lengths[: int(np.searchsorted(np.cumsum(lengths), tokens)) + 1]
    frequency = np.cumsum(1 / np.arange(1, vocabulary + 1) ** 1.05)
    frequency /= frequency[-1]

    def drawn(uniform: np.ndarray) -> np.ndarray:
        return np.minimum(np.searchsorted(frequency, uniform), vocabulary - 1)

    def scattered(numbers: np.ndarray) -> np.ndarray:
        """From 0 to 1, always the same for a number."""
        bits = numbers.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        bits ^= bits >> np.uint64(29)
        bits *= np.uint64(0xBF58476D1CE4E5B9)
        return (bits >> np.uint64(11)).astype(np.float64) / 2**53

    words = np.zeros((len(lengths), int(lengths.max())), np.int32)
    last, before = np.full((2, len(lengths)), vocabulary, np.int64)
    for place in range(words.shape[1]):
        live = np.flatnonzero(lengths > place)
        rank = np.minimum(rng.zipf(1.5, len(live)), 1000)
        kind = rng.random(len(live))
        pair = (last[live] * 200_003 + before[live]) * 1009 + rank
        successor = scattered(np.where(kind < 0.35, pair, last[live] * 1009 + rank))
        word = drawn(np.where(kind < 0.7, successor, rng.random(len(live))))
        words[live, place] = word
        before[live], last[live] = last[live], word
    names = [f"w{number:x}" for number in range(vocabulary)]
    with path.open("w") as out:
        for row, length in zip(words, lengths, strict=True):
            out.write(" ".join([names[word] for word in row[:length]]) + "\n")


# -- commands --------------------------------------------------------------------------------------


def there(program: str) -> bool:
    return shutil.which(program) is not None


def run(command: list[str], stdin: Path | None = None, stdout: Path | None = None) -> Spent:
    """What a command takes, from beginning to end."""
    with (
        (stdin or Path(os.devnull)).open("rb") as source,
        (stdout or Path(os.devnull)).open("wb") as target,
    ):
        begin = time.perf_counter()
        process = subprocess.Popen(command, stdin=source, stdout=target, stderr=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
        wall = time.perf_counter() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} failed: {process.returncode}")
    return Spent(wall, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024)


def best(*runs: Spent) -> Spent:
    return min(runs)


def rosewood(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "rosewood", *map(str, arguments)]


def ours(text: Path, to: Path, threads: int, memory: str, *more: object) -> Spent:
    target = "--arpa" if to.suffix == ".arpa" else "-o"
    return run(
        rosewood("lm", "estimate", "--order", ORDER, text, target, to, "--threads", threads,
                 "--max-memory", memory, "--quiet", *more)
    )  # fmt: skip


def lmplz(text: Path, to: Path, memory: str) -> Spent:
    command = ["lmplz", "-o", str(ORDER), "-S", memory, "-T", str(to.parent), "--discount_fallback"]
    return run(command, text, to)


# -- estimation ------------------------------------------------------------------------------------


def estimation(text: Path, place: Path, threads: int, memory: str) -> None:
    few = place / "few"
    few.write_text("a b c\n" * 10)
    print(f"\nestimation of {text.name}{'wall s':>20}{'start s':>9}{'processor s':>13}{'MB':>7}")

    def row(name: str, spent: Spent, start: Spent, yardstick: Spent | None) -> Spent:
        net = spent - start
        ratio = "" if yardstick is None else f"   {yardstick.wall / net.wall:.1f}x"
        print(
            f"{name:36}{spent.wall:9.2f}{start.wall:9.2f}{spent.processor:13.2f}"
            f"{spent.memory / 1e6:7.0f}{ratio}"
        )
        return net

    arpa, binary = place / "lmplz.arpa", place / "kenlm.probing"
    yardstick = chain = None
    if there("lmplz"):
        start = best(*(lmplz(few, arpa, memory) for _ in range(REPEATS)))
        spent = best(*(lmplz(text, arpa, memory) for _ in range(REPEATS)))
        yardstick = row("lmplz, ARPA", spent, start, None)
        if there("build_binary"):
            built = run(["build_binary", "-s", "probing", str(arpa), str(binary)])
            both = Spent(*(a + b for a, b in zip(spent, built, strict=True)))
            chain = row("lmplz and build_binary probing", both, start, None)
    for name, target, other, more in (
        ("rosewood, fast", "own.rlm", yardstick, ()),
        ("  against both of KenLM's", "own.rlm", chain, ()),
        ("rosewood, small", "own.rlm", yardstick, ("--layout", "small")),
        ("rosewood, ARPA", "own.arpa", yardstick, ()),
    ):
        to = place / target
        start = best(*(ours(few, to, threads, memory, *more) for _ in range(REPEATS)))
        spent = best(*(ours(text, to, threads, memory, *more) for _ in range(REPEATS)))
        row(name, spent, start, other)
        to.unlink()


def models(text: Path, place: Path, threads: int, memory: str) -> None:
    """The same model in every form, estimated by whom it belongs to."""
    ours(text, place / "fast.rlm", threads, memory)
    ours(text, place / "small.rlm", threads, memory, "--layout", "small")
    ours(text, place / "quantised.rlm", threads, memory, "--layout", "small", "--quantise", 8)
    if there("lmplz") and there("build_binary"):
        arpa = place / "lmplz.arpa"
        lmplz(text, arpa, memory)
        for name, options in (
            ("probing", ["probing"]), ("trie", ["trie"]),
            ("compressed", ["-a", "22", "trie"]),
            ("quantised", ["-q", "8", "-b", "8", "-a", "22", "trie"]),
        ):  # fmt: skip
            run(["build_binary", "-s", "-T", str(place), *options, str(arpa), str(place / name)])


# -- queries ---------------------------------------------------------------------------------------


def queries(text: Path, place: Path, threads: int) -> None:
    lines = text.read_text().split("\n")[:-1]
    words = sum(len(line.split()) + 1 for line in lines)
    print(f"\nscoring {text.name}, {words:,} words with </s>{'ns a word':>16}{'processor':>12}")

    def row(name: str, wall: float, processor: float) -> None:
        print(f"{name:44}{wall / words * 1e9:12.0f}{processor / words * 1e9:12.0f}")

    for layout in ("fast", "small", "quantised"):
        model = Model.open(place / f"{layout}.rlm")
        for number in (1, threads):
            spent = best(*(_timed(model, lines, number) for _ in range(REPEATS)))
            row(f"rosewood {layout}, score_batch, {number} threads", spent.wall, spent.processor)
    command = rosewood("lm", "perplexity", place / "fast.rlm", text, "--quiet", "--threads", 1)
    spent = best(*(run(command) for _ in range(REPEATS)))
    row("rosewood lm perplexity, whole command", spent.wall, spent.processor)
    if there("query") and (place / "probing").exists():
        for name in ("probing", "trie"):
            command = ["query", "-v", "summary", str(place / name)]
            spent = best(*(run(command, text) for _ in range(REPEATS)))
            row(f"KenLM query, {name}", spent.wall, spent.processor)
    if there("kenlm_benchmark") and (place / "probing").exists():
        ids = place / "ids"
        run(["kenlm_benchmark", "-v", "-m", str(place / "probing")], text, ids)
        for number in (1, threads):
            wall, processor = min(_kenlm_benchmark(place, ids, number) for _ in range(REPEATS))
            row(f"kenlm_benchmark, probing, {number} threads, ids", wall, processor)
    if importlib.util.find_spec("kenlm") and (place / "probing").exists():
        _python_kenlm(place / "probing", lines, row)


def _timed(model: Model, lines: list[str], threads: int) -> Spent:
    begin, used = time.perf_counter(), time.process_time()
    model.score_batch(lines, threads=threads)
    return Spent(time.perf_counter() - begin, time.process_time() - used, 0)


def _kenlm_benchmark(place: Path, ids: Path, threads: int) -> tuple[float, float]:
    """Seconds without loading, as it tells them."""
    command = ["kenlm_benchmark", "-q", "-t", str(threads), "-m", str(place / "probing")]
    with ids.open("rb") as source:
        done = subprocess.run(command, stdin=source, capture_output=True, text=True, check=True)
    told = re.search(r"Excluding load, CPU: (\S+) Wall: (\S+)", done.stdout + done.stderr)
    assert told is not None
    return float(told[2]), float(told[1])


def _python_kenlm(binary: Path, lines: list[str], row: object) -> None:
    """Word by word, as a decoder written in Python does it; and a sentence at a time."""
    import kenlm

    model = kenlm.Model(str(binary))
    some = lines[: max(1, len(lines) // 10)]
    begin, used = time.perf_counter(), time.process_time()
    for line in some:
        state, after = kenlm.State(), kenlm.State()
        model.BeginSentenceWrite(state)
        for word in (*line.split(), "</s>"):
            model.BaseScore(state, word, after)
            state, after = after, state
    share = len(lines) / len(some)
    row("Python kenlm, BaseScore word by word",
        (time.perf_counter() - begin) * share, (time.process_time() - used) * share)  # type: ignore[operator]  # fmt: skip
    begin, used = time.perf_counter(), time.process_time()
    for line in some:
        model.score(line)
    row("Python kenlm, score a sentence",
        (time.perf_counter() - begin) * share, (time.process_time() - used) * share)  # type: ignore[operator]  # fmt: skip


# -- sizes and opening -----------------------------------------------------------------------------


def sizes(place: Path) -> None:
    print(f"\n{'size':24}{'MB':>10}")
    for name, file in (
        ("rosewood fast", "fast.rlm"), ("KenLM probing", "probing"),
        ("rosewood small", "small.rlm"), ("KenLM trie", "trie"),
        ("KenLM trie -a 22", "compressed"),
        ("rosewood small, 8 bits", "quantised.rlm"), ("KenLM trie -q 8 -b 8 -a 22", "quantised"),
    ):  # fmt: skip
        if (place / file).exists():
            print(f"{name:28}{(place / file).stat().st_size / 1e6:10.2f}")


def opening(path: Path) -> None:
    """In a process that has everything imported, with the file in the system's cache."""
    path.read_bytes()
    times = []
    for _ in range(REPEATS):
        begin = time.perf_counter()
        Model.open(path).score("the first score")
        times.append(time.perf_counter() - begin)
    size = path.stat().st_size
    print(f"\nopening {size / GIGABYTE:.2f} GB until the first score: {min(times) * 1e3:.1f} ms")


if __name__ == "__main__":
    main()
