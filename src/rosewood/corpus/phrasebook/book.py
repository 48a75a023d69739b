"""The phrasebook: any number of distinct sentence pairs with gold alignments, from a seed."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Set
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from random import Random
from typing import NamedTuple

from rosewood.arguments import check_known, check_number, check_whole
from rosewood.corpus.phrasebook.composer import LANGUAGES, Composer
from rosewood.corpus.phrasebook.pair import PhrasebookPair
from rosewood.corpus.phrasebook.seen import SeenTexts
from rosewood.errors import RosewoodError
from rosewood.output import whole_file
from rosewood.shared_types import PathName

_PATIENCE = 100_000  # tries for one more sentence before we say that there are no more


class PhrasebookSplit(NamedTuple):
    """A corpus to learn from, and held-out sentences that are not in it."""

    train: list[PhrasebookPair]
    dev: list[PhrasebookPair]
    test: list[PhrasebookPair]


@dataclass(frozen=True, slots=True)
class Phrasebook:
    """Everyday sentences in English and German (`en-de`) or Japanese (`en-ja`).

    The same seed gives the same pairs everywhere; a longer run begins with a shorter one.  A share
    `noise` of the pairs is loose, incomplete or misspelt.  `reverse` turns the pairs round.

    >>> pair = next(Phrasebook("en-de", seed=1).pairs(1))
    >>> pair.sure <= pair.possible
    True
    """

    languages: str = "en-de"
    seed: int = 0
    noise: float = 0.05
    reverse: bool = False

    def __post_init__(self) -> None:
        check_known("phrasebook", [self.languages], LANGUAGES, error=RosewoodError)
        check_whole("seed", self.seed, low=0, error=RosewoodError)
        check_number("noise", self.noise, low=0, high=1, error=RosewoodError)

    @property
    def source(self) -> str:
        """The language of the source side: en, or the other one where it is reversed."""
        return self.languages.split("-")[self.reverse]

    @property
    def target(self) -> str:
        """The language of the target side."""
        return self.languages.split("-")[not self.reverse]

    def pairs(self, count: int | None = None) -> Iterator[PhrasebookPair]:
        """So many pairs, or pairs without end; no sentence of either side comes twice."""
        if count is not None:
            check_whole("pairs", count, low=0, error=RosewoodError)
        return self._distinct(count, self._composer())

    def split(
        self, train: int, dev: int = 0, test: int = 0, *, unseen: float | None = 0.03
    ) -> PhrasebookSplit:
        """Pairs to learn from and held-out ones; see `parts`."""
        found = PhrasebookSplit([], [], [])
        for part, pair in self.parts(train, dev, test, unseen=unseen):
            getattr(found, part).append(pair)
        return found

    def parts(
        self, train: int, dev: int = 0, test: int = 0, *, unseen: float | None = 0.03
    ) -> Iterator[tuple[str, PhrasebookPair]]:
        """Pairs in a stream, each with its part: first train, then dev, then test.

        No sentence is in two parts.  Of the words of the held-out source sentences a share `unseen`
        was not seen in training, mostly names and numbers; None takes sentences as they come.
        """
        if unseen is not None:
            check_number("unseen", unseen, low=0, high=0.2, error=RosewoodError)
        for name, count in (("train", train), ("dev", dev), ("test", test)):
            check_whole(name, count, low=0, error=RosewoodError)
        known: set[str] = set()
        stream = self._distinct(None, self._composer())
        for pair in islice(stream, train):
            known.update(pair.source)
            yield "train", pair
        share = unseen if train else None
        for part, count in (("dev", dev), ("test", test)):
            for pair in islice(_held_out(stream, known, share), count):
                yield part, pair

    def write(
        self,
        folder: PathName,
        train: int,
        dev: int = 0,
        test: int = 0,
        *,
        unseen: float | None = 0.03,
        raw: bool = False,
        step: Callable[[], object] | None = None,
    ) -> dict[str, tuple[Path, Path]]:
        """Parts as text files: train.en, train.de and train.gold, those of dev and of test.

        The source and the target of each part are returned.  `raw` text is as people write it;
        otherwise words stand between spaces.  All files appear together, or none; the folder is
        made if there is none.
        """
        Path(folder).mkdir(parents=True, exist_ok=True)
        counts = {"train": train, "dev": dev, "test": test}
        endings = (self.source, self.target, "gold")
        with ExitStack() as stack:
            files = {
                part: [
                    stack.enter_context(whole_file(Path(folder) / f"{part}.{end}"))
                    for end in endings
                ]
                for part, count in counts.items()
                if count
            }
            for part, pair in self.parts(train, dev, test, unseen=unseen):
                source, target = (
                    pair.raw() if raw else (" ".join(pair.source), " ".join(pair.target))
                )
                for file, text in zip(files[part], (source, target, pair.gold()), strict=True):
                    file.write(f"{text}\n".encode())
                if step is not None:
                    step()
        return {
            part: (Path(folder) / f"{part}.{self.source}", Path(folder) / f"{part}.{self.target}")
            for part in files
        }

    def variants(self, count: int, each: int = 2) -> Iterator[tuple[PhrasebookPair, ...]]:
        """Source sentences, each translated several times anew, without noise.

        The translations are as good as each other, and often the same: how much they differ tells
        how well a perfect translator would score against one of them.
        """
        check_whole("variants", count, low=0, error=RosewoodError)
        if self.reverse:
            reason = "only English is translated several times: reverse must be off"
            raise RosewoodError(reason, code="argument.conflict", argument="reverse", value=True)
        composer = Composer(self.languages, Random(self.seed).random, 0.0)
        seen = SeenTexts()
        while len(seen) < count:
            pairs = composer.variants(each)
            if seen.add(" ".join(pairs[0].source)):
                yield pairs

    def _composer(self) -> Composer:
        return Composer(self.languages, Random(self.seed).random, self.noise)

    def _distinct(self, count: int | None, composer: Composer) -> Iterator[PhrasebookPair]:
        sources, targets = SeenTexts(), SeenTexts()
        left = count
        while left is None or left > 0:
            for _ in range(_PATIENCE):
                pair = composer.pair()
                source, target = " ".join(pair.source), " ".join(pair.target)
                if source not in sources and targets.add(target):
                    sources.add(source)
                    break
            else:
                reason = f"there are no more than {len(sources):,} distinct pairs"
                raise RosewoodError(reason, code="phrasebook.exhausted", value=len(sources))
            yield pair.reversed() if self.reverse else pair
            left = None if left is None else left - 1


def _held_out(
    stream: Iterator[PhrasebookPair], known: Set[str], share: float | None
) -> Iterator[PhrasebookPair]:
    """Those pairs of the stream with which the share of unseen words stays where it should be."""
    words = strange = 0
    for pair in stream:
        new = sum(word not in known for word in pair.source)
        if share is not None:
            expected = share * (words + len(pair.source))
            most = math.ceil(expected) + (1 if share else 0)
            if not math.floor(expected) <= strange + new <= most:
                continue
        words, strange = words + len(pair.source), strange + new
        yield pair
