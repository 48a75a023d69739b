"""What the columns of a reordering table are: directions, and the orientations of each.

    Orientations.parse("msd-bidirectional").columns
    ('orientation_backward_monotone', 'orientation_backward_swap', …)

A file of Moses has this in its name, `reordering-table.wbe-msd-bidirectional-fe.gz`, and nothing
else says whether three numbers look backward or forward.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, Self

from rosewood.errors import RuleError
from rosewood.rules.settings import CLASSES, DIRECTIONS, orientation_columns
from rosewood.shared_types import PathName

_DIRECTIONS = {
    "bidirectional": DIRECTIONS,
    "backward": ("backward",),
    "forward": ("forward",),
}
_KINDS = {"wbe": "word", "phrase": "phrase", "hier": "hierarchy"}
_NAME = re.compile(
    rf"(?:(?P<kind>{'|'.join(_KINDS)})-)?(?P<classes>{'|'.join(CLASSES)})"
    rf"-(?P<direction>{'|'.join(_DIRECTIONS)})"
)


class Orientations(NamedTuple):
    """The classes of a reordering model, its directions, and its kind, if known."""

    classes: str  # msd or mslr
    directions: tuple[str, ...]
    kind: str | None = None  # word, phrase or hierarchy

    @classmethod
    def parse(cls, text: str) -> Self:
        """From `msd-bidirectional`, `mslr-backward`, `hier-msd-forward`, …."""
        found = _NAME.fullmatch(text)
        if not found:
            reason = (
                f"orientations {text!r}: expected msd or mslr, then backward, forward or both "
                "(bidirectional), such as msd-bidirectional"
            )
            raise RuleError(reason, code="argument.choice", argument="orientations", value=text)
        return cls._of(found)

    @classmethod
    def guess(cls, file: PathName | None, numbers: int) -> Self:
        """From the name of a file, or from the count of numbers on its lines if that is enough."""
        found = _NAME.search(Path(file).name) if file is not None else None
        if found:
            return cls._of(found)
        for classes, names in CLASSES.items():
            if numbers == 2 * len(names):
                return cls(classes, _DIRECTIONS["bidirectional"])
        reason = (
            f"its lines have {numbers} probabilities, and neither these nor its name say what they "
            "are: name the orientations, such as msd-backward"
        )
        raise RuleError(reason, code="argument.missing", argument="orientations", value=numbers)

    @classmethod
    def _of(cls, found: re.Match[str]) -> Self:
        kind = _KINDS[found["kind"]] if found["kind"] else None
        return cls(found["classes"], _DIRECTIONS[found["direction"]], kind)

    @classmethod
    def of_features(cls, features: Sequence[str]) -> Self | None:
        """Those that a table has columns for, if it has."""
        for classes in CLASSES:
            for directions in _DIRECTIONS.values():
                made = cls(classes, directions)
                if set(made.columns) <= set(features):
                    return made
        return None

    @property
    def names(self) -> tuple[str, ...]:
        """Of the classes, in the order of Moses."""
        return CLASSES[self.classes]

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the features, in the order of the numbers of a line."""
        return orientation_columns(self.classes, self.directions)
