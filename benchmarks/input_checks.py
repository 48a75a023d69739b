"""Checks of training input on generated mistakes and on corpora as they are.

    python -m benchmarks.input_checks [--cases 100] [--controls 100] [--few 40] [--seed 1]

Text: the corpora of $ROSEWOOD_DATA (or ../shared/data) and the phrasebook.  A case takes pairs of a
corpus (300 to 10,000, consecutive or not) and makes one mistake: sides swapped or lines shuffled,
in all of the training data, in a part of it, or in the development set; or lines shifted from some
place on.  A mistake is noticed if a finding names its kind.  Controls have no mistake: every
finding is a false alarm.  First come all corpora as they are, with the seconds of their checks.
"""

from __future__ import annotations

import argparse
import gzip
import os
import random
import time
from collections import Counter
from collections.abc import Iterator
from itertools import permutations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rosewood.corpus.phrasebook import Phrasebook
from rosewood.pipeline import TrainingInputs, check_inputs

DATA = Path(os.environ.get("ROSEWOOD_DATA") or Path(__file__).parents[1] / "../shared/data")
CORPORA = {
    "multi30k-de-en-raw": ("de", "en"), "multi30k-de-en": ("de", "en"),
    "tanaka-ja-en": ("ja", "en"), "tatoeba-zh-en": ("zh", "en"), "novels-fr-en": ("fr", "en"),
}  # fmt: skip
SIZES = (300, 400, 600, 1000, 2000, 4000, 10_000)
Pairs = list[tuple[str, str]]


def read(folder: str, part: str, ends: tuple[str, str]) -> Pairs:
    """The pairs of two files; none where they are not."""
    paths = [DATA / folder / f"{part}.{end}.gz" for end in ends]
    if not all(path.exists() for path in paths):
        return []
    texts = [gzip.decompress(path.read_bytes()).decode().split("\n")[:-1] for path in paths]
    return list(zip(*texts, strict=True))


def corpora() -> dict[str, tuple[Pairs, Pairs]]:
    """Training pairs and other pairs of all corpora."""
    found = {}
    for name, ends in CORPORA.items():
        train, dev = read(name, "train", ends), read(name, "dev", ends)
        if name == "tatoeba-zh-en":
            dev = read(name, "devtest", ends)
        if not train:
            print(f"{name} is left out: it is not in {DATA}; set ROSEWOOD_DATA")
        elif dev:
            found[name] = train, dev
        else:
            found[name] = train[:-800], train[-800:]
    for languages in ("en-de", "en-ja"):
        book = Phrasebook(languages, seed=3, reverse=True).split(4000, 500)
        found[f"phrasebook {languages}"] = tuple(
            [pair.raw() for pair in part] for part in (book.train, book.dev)
        )
    return found


# -- mistakes -------------------------------------------------------------------------------------


def swapped(pairs: Pairs, chance: random.Random) -> tuple[Pairs, int]:
    return [(target, source) for source, target in pairs], 1


def shuffled(pairs: Pairs, chance: random.Random) -> tuple[Pairs, int]:
    targets = [target for _, target in pairs]
    chance.shuffle(targets)
    return [(source, target) for (source, _), target in zip(pairs, targets, strict=True)], 1


def partly_shuffled(pairs: Pairs, chance: random.Random) -> tuple[Pairs, int]:
    """A stretch of 40 % or more, anywhere."""
    length = int(len(pairs) * chance.uniform(0.4, 0.8))
    begin = chance.randrange(len(pairs) - length + 1)
    middle = shuffled(pairs[begin : begin + length], chance)[0]
    return pairs[:begin] + middle + pairs[begin + length :], begin + 1


def shifted(pairs: Pairs, chance: random.Random) -> tuple[Pairs, int]:
    """A line or several are missing on one side, in the first 80 % of the lines."""
    place, count = chance.randrange(int(0.8 * len(pairs))), chance.choice((1, 1, 1, 2, 3))
    sides: list[list[str]] = [list(side) for side in zip(*pairs, strict=True)]
    del sides[chance.randrange(2)][place : place + count]
    return list(zip(*sides, strict=False)), place + 1


MISTAKES: dict[str, Any] = {
    "swapped": (swapped, ("input.swapped",)),
    "shuffled": (shuffled, ("input.shuffled",)),
    "partly shuffled": (partly_shuffled, ("input.shuffled", "input.shifted")),
    "shifted": (shifted, ("input.shifted", "input.shuffled")),
}
WHERE = ("train", "dev", "second source")
_HELD_OUT = ("dev", "devtest", "test")


# -- cases ----------------------------------------------------------------------------------------


def write(folder: Path, name: str, pairs: Pairs) -> tuple[str, str]:
    """Two files whose names do not say their languages."""
    paths = tuple(str(folder / f"{name}.{end}") for end in ("source", "target"))
    for path, side in zip(paths, zip(*pairs, strict=True), strict=True):
        Path(path).write_text("".join(f"{line}\n" for line in side), encoding="utf-8")
    return paths[0], paths[1]


def sample(pairs: Pairs, size: int, chance: random.Random) -> Pairs:
    """Consecutive pairs, or pairs from anywhere in their order."""
    size = min(size, len(pairs))
    if chance.random() < 0.5:
        begin = chance.randrange(len(pairs) - size + 1)
        return pairs[begin : begin + size]
    return [pairs[k] for k in sorted(chance.sample(range(len(pairs)), size))]


def case(
    folder: Path, data: tuple[Pairs, Pairs], chance: random.Random, *, mistake: str | None,
    where: str, size: int, dev_size: int,
) -> tuple[list[Any], int]:  # fmt: skip
    """The findings of a case, and the line where the mistake begins."""
    train, dev = sample(data[0], size, chance), sample(data[1], dev_size, chance)
    make = MISTAKES[mistake][0] if mistake else lambda pairs, _: (pairs, 0)
    line = 0
    sources = [train]
    if where == "train":
        sources[0], line = make(train, chance)
    elif where == "dev":
        dev, line = make(dev, chance)
    else:
        half = len(train) * 2 // 3
        other, line = make(train[half:], chance)
        sources = [train[:half], other]
    files = [write(folder, f"train{k}", pairs) for k, pairs in enumerate(sources)]
    inputs = TrainingInputs(
        [file[0] for file in files], [file[1] for file in files], dev=write(folder, "dev", dev)
    )
    return check_inputs(inputs), line


def cases(count: int, chance: random.Random, names: list[str]) -> Iterator[dict[str, Any]]:
    """Mistakes, places, corpora and sizes in turn."""
    kinds = [(m, w) for w in WHERE for m in MISTAKES if (m, w) != ("swapped", "train")]
    for number in range(count):
        mistake, where = kinds[number % len(kinds)]
        least = 900 if where == "second source" else 300
        yield {
            "name": names[(number // len(kinds) + number) % len(names)],
            "mistake": mistake, "where": where,
            "size": chance.choice([size for size in SIZES if size >= least]),
            "dev_size": chance.choice((300, 500, 1000)),
        }  # fmt: skip


def run_cases(count: int, seed: int, few: bool = False) -> None:
    """Generated mistakes: how many are noticed, by kind."""
    chance, data = random.Random(seed), corpora()
    noticed: Counter[tuple[str, str]] = Counter()
    total: Counter[tuple[str, str]] = Counter()
    places, spent = [], 0.0
    for number, each in enumerate(cases(count, chance, list(data))):
        if few:  # a development set of a few dozen sentences
            each |= {"where": "dev", "dev_size": chance.choice((12, 20, 30, 50))}
        name = each.pop("name")
        key = each["mistake"], each["where"]
        own = random.Random(seed * 10_000 + number)
        with TemporaryDirectory() as folder:
            begin = time.process_time()
            found, line = case(Path(folder), data[name], own, **each)
            spent += time.process_time() - begin
        total[key] += 1
        codes = [finding.code for finding in found]
        if any(code in MISTAKES[each["mistake"]][1] for code in codes):
            noticed[key] += 1
            places += [
                abs(finding.line - line) for finding in found
                if finding.line is not None and finding.code == "input.shifted"
            ]  # fmt: skip
        else:
            print(f"  missed: {name} {each} {codes}", flush=True)
        if len(set(codes)) > 1:
            print(f"  several: {name} {each} {codes}", flush=True)
    for key, many in total.items():
        print(f"  {key[0]}, {key[1]}: {noticed[key]} of {many}")
    seconds = f"{spent / max(1, total.total()):.2f} s of processor time a case"
    print(f"noticed: {noticed.total()} of {total.total()}, {seconds}")
    if places:
        places.sort()
        near = sum(each <= 5 for each in places)
        print(f"shifts located within 5 lines: {near} of {len(places)}; "
              f"median {places[len(places) // 2]}, farthest {places[-1]} lines")  # fmt: skip


def run_controls(count: int, seed: int) -> None:
    """Subsets without mistakes."""
    chance, data = random.Random(seed), corpora()
    names, alarms = list(data), 0
    for number in range(count):
        name = names[number % len(names)]
        size = chance.choice((20, 50, 100, 150, 200, *SIZES))
        dev_size, own = chance.choice((10, 30, 100, 500, 1000)), random.Random(seed + number)
        with TemporaryDirectory() as folder:
            found, _ = case(
                Path(folder), data[name], own, mistake=None, where=chance.choice(WHERE), size=size,
                dev_size=dev_size,
            )  # fmt: skip
        alarms += bool(found)
        for finding in found:
            print(f"  false alarm: {name} {size} {dev_size} {finding}", flush=True)
    print(f"false alarms: {alarms} of {count} subsets")


def run_as_they_are() -> None:
    """All corpora in both directions, with all pairs of held-out sets."""
    alarms = runs = 0
    slowest = 0.0
    for folder, ends in CORPORA.items():
        if not (DATA / folder).exists():
            continue
        for sides in (ends, ends[::-1]):
            files = {part: _files(folder, part, sides) for part in ("train", *_HELD_OUT)}
            sets = [files[part] for part in _HELD_OUT if files[part] is not None]
            for dev, test in permutations(sets, 2) if sets else [(None, None)]:
                begin = time.process_time()
                found = check_inputs(TrainingInputs(*files["train"], dev=dev, test=test))
                slowest = max(slowest, time.process_time() - begin)
                runs, alarms = runs + 1, alarms + bool(found)
                for finding in found:
                    print(f"  false alarm: {dev} {test}: {finding}")
    seconds = f"at most {slowest:.2f} s of processor time each"
    print(f"false alarms: {alarms} of {runs} corpora as they are; {seconds}")


def _files(folder: str, part: str, sides: tuple[str, str]) -> Any:
    """The files of a part, the first reference where there are several."""
    found = []
    for side in sides:
        names = (f"{part}.{side}.gz", f"{part}.{side}0.gz")
        found += [str(path) for name in names if (path := DATA / folder / name).exists()][:1]
    return found if len(found) == 2 else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--cases", type=int, default=100)
    parser.add_argument("--controls", type=int, default=100)
    parser.add_argument("--few", type=int, default=40, help="cases with few held-out sentences")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    run_as_they_are()
    run_cases(given.cases, given.seed)
    run_controls(given.controls, given.seed)
    print("development sets of 12 to 50 sentences:")
    run_cases(given.few, given.seed, few=True)


if __name__ == "__main__":
    main()
