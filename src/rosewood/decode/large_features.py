"""The large feature set: about 170 dense columns of a rule, from its words, links and counts.

    large = LargeFeatures.open("model/large_features")
    large.names; large.helps["inserts_the"]
    PhraseDecoder(table, lm, large=large)

Toutanova & Ahn (2013) learn their trees from such a set.  Columns depend on the rule alone; options
without a rule (unknown, forced and copied words) have zeros.  They are computed in native code
while options are looked up.  Names have words of the languages in them, with ` %:=|_` as %XX.

Folder      large-features.json (top words, class pairs), source.classes, target.classes,
            source.morphemes.json, target.morphemes.json, and how often morphemes are linked:
            link.source, link.target (-1: nothing), link.count
Native      core/decode/large_features.hpp; specification: tests/reference/large_features.py
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from rosewood import _core
from rosewood.arguments import check_type
from rosewood.corpus import WordClasses
from rosewood.corpus.segmenter import Segmenter
from rosewood.errors import CorpusError, DamagedFileError, DecodingError
from rosewood.folders import FolderKind
from rosewood.output import whole_folder
from rosewood.shared_types import PathName

SIDES = ("source", "target")
KIND = FolderKind(
    "large-features.json", "rosewood large features", 1,
    {"link.source": "<i4", "link.target": "<i4", "link.count": "<i8"},
)  # fmt: skip
FIXED = {
    "source_words": "number of source words",
    "target_words": "number of target words",
    "log_count": "log(1 + count of the rule)",
    "log_source_count": "log(1 + count of the rule's source)",
    "log_target_count": "log(1 + count of the rule's target)",
    "morpheme_ef": "log lexical weight of the target given the source, over morphemes",
    "morpheme_fe": "log lexical weight of the source given the target, over morphemes",
}
_ESCAPED = str.maketrans({each: f"%{ord(each):02X}" for each in " \t\n\r%:=|_"})
_SHOWN = 3  # words of a class in a help text


@dataclass(frozen=True, eq=False)
class MorphemeLinks:
    """How often morphemes are linked, by their numbers, in ascending order; -1 is nothing."""

    source: NDArray[np.int32]
    target: NDArray[np.int32]
    count: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class LargeSide:
    """What the large feature set knows of the words of one side."""

    top: tuple[str, ...]  # words that have features of their own
    classes: WordClasses
    segmenter: Segmenter

    def __post_init__(self) -> None:
        if len(set(self.top)) < len(self.top):
            reason = "a top word occurs twice"
            raise DecodingError(reason, code="argument.duplicate", argument="top")

    @property
    def native(self) -> Any:
        """As native code takes it."""
        own = self.classes
        return (self.top, own.words, own.classes, own.num_classes, self.segmenter.native)

    def named_class(self, number: int) -> str:
        """A class by its most frequent word; an empty one by its number."""
        words = self.classes.words_of(number, 1)
        return f"class_of_{escaped(words[0])}" if words else f"empty_class_{number}"

    def class_help(self, number: int) -> str:
        """A class by its most frequent words."""
        words = self.classes.words_of(number, _SHOWN)
        return f"class {number} ({', '.join(words)}, …)"


@dataclass(frozen=True, eq=False)
class LargeFeatures:
    """The columns of the large feature set; immutable."""

    source: LargeSide
    target: LargeSide
    class_pairs: tuple[tuple[int, int], ...]  # source and target classes whose links are counted
    links: MorphemeLinks = field(repr=False)

    def __post_init__(self) -> None:
        for side in SIDES:
            check_type(side, getattr(self, side), LargeSide, "a LargeSide", error=DecodingError)
        if len(self.native) != len(self.helps):
            reason = "two columns have the same name"
            raise DecodingError(reason, code="feature.duplicate", argument="large")

    @cached_property
    def native(self) -> _core.LargeFeatures:
        """What native code computes columns by."""
        links = self.links
        return _core.LargeFeatures(
            self.source.native, self.target.native, list(self.class_pairs), links.source,
            links.target, links.count,
        )  # fmt: skip

    @property
    def names(self) -> tuple[str, ...]:
        """The columns in their order."""
        return tuple(self.helps)

    @cached_property
    def helps(self) -> dict[str, str]:
        """The columns in their order, with a line of help each."""
        return {**FIXED, **dict(self._columns())}

    def _columns(self) -> Iterable[tuple[str, str]]:
        one, other = self.source, self.target
        for verb, side, name in (("deletes", one, "source"), ("inserts", other, "target")):
            for word in side.top:
                yield f"{verb}_{escaped(word)}", f"number of {name} words {word!r} without a link"
        for verb, side, name in (("deletes", one, "source"), ("inserts", other, "target")):
            for number in range(1, side.classes.num_classes + 1):
                words = side.class_help(number)
                yield (
                    f"{verb}_{side.named_class(number)}",
                    f"number of {name} words of {words} without a link",
                )
        for s, t in self.class_pairs:
            yield (
                f"links_{one.named_class(s)}_to_{other.named_class(t)}",
                f"number of links from source words of {one.class_help(s)} to target words of "
                f"{other.class_help(t)}",
            )

    def __repr__(self) -> str:
        return f"LargeFeatures({len(self.helps)} columns)"

    def __reduce__(self) -> tuple[object, ...]:
        return (LargeFeatures, (self.source, self.target, self.class_pairs, self.links))

    def save(self, folder: PathName) -> None:
        """Write a folder, which appears whole or not at all."""
        links = self.links
        arrays: dict[str, NDArray[Any]] = {"link.source": links.source, "link.target": links.target,
                  "link.count": links.count}  # fmt: skip
        facts = {
            "top": {side: list(getattr(self, side).top) for side in SIDES},
            "class_pairs": [list(pair) for pair in self.class_pairs],
            "columns": self.helps,
        }
        with whole_folder(folder, marker=KIND.manifest) as place:
            for side in SIDES:
                own = getattr(self, side)
                own.classes.save(place / f"{side}.classes")
                own.segmenter.save(place / f"{side}.morphemes.json")
            KIND.write(place, arrays, facts)

    @classmethod
    def open(cls, folder: PathName) -> Self:
        """Read what `save` wrote."""
        place = Path(folder)
        table, arrays = KIND.open(place)
        try:
            sides = [
                LargeSide(
                    tuple(map(str, table["top"][side])),
                    WordClasses.load(place / f"{side}.classes"),
                    Segmenter.load(place / f"{side}.morphemes.json"),
                )
                for side in SIDES
            ]
            pairs = tuple((int(s), int(t)) for s, t in table["class_pairs"])
            links = MorphemeLinks(*(arrays[f"link.{each}"] for each in (*SIDES, "count")))
            return cls(sides[0], sides[1], pairs, links)
        except (KeyError, TypeError, ValueError, DecodingError, CorpusError) as error:
            reason = f"it does not describe large features: {error}"
            raise DamagedFileError(
                reason, file=place / KIND.manifest, code="file.damaged"
            ) from error

    @classmethod
    def verify(cls, folder: PathName) -> None:
        """Check every byte of a folder."""
        KIND.verify(Path(folder))
        cls.open(folder)
        KIND.verify_manifest(Path(folder))


def escaped(word: str) -> str:
    """A word as a part of a feature's name."""
    return word.translate(_ESCAPED)
