"""Pictures of word alignments, with gold links and posteriors."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from rosewood.cli.common import bad_value
from rosewood.errors import AlignmentError
from rosewood.shared_types import PathName

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from rosewood.align import Alignment, Gold, GoldAlignment

__all__ = ["Drawing", "check_picture", "gold_of", "is_svg", "write_picture"]


class Drawing(NamedTuple):
    """What is drawn of a sentence."""

    alignment: Alignment
    gold: GoldAlignment | None = None
    posterior: NDArray[np.float64] | None = None
    title: str = ""


def gold_of(gold: Gold, line: int, first_line: int | None) -> GoldAlignment | None:
    """The gold links of a line of the corpus, if there are any."""
    number = line - (first_line or 1)
    return gold[number] if 0 <= number < len(gold) and gold.is_aligned[number] else None


def is_svg(output: PathName) -> bool:
    """Whether it holds one picture, not a page of several."""
    return Path(output).suffix.lower() == ".svg"


def check_picture(option: str, output: PathName | None) -> None:
    """Refuses, before any work, kinds of pictures that do not exist."""
    if output is not None and Path(output).suffix.lower() not in (".svg", ".html"):
        raise bad_value(AlignmentError, option, output, "a name with .svg or .html")


def write_picture(drawings: Sequence[Drawing], output: PathName) -> None:
    """One matrix as SVG, or an HTML page of any number of them."""
    from rosewood.output import whole_file

    if is_svg(output):
        (each,) = drawings
        picture = each.alignment.svg(gold=each.gold, posterior=each.posterior)
    else:
        parts = ["<!doctype html>", '<meta charset="utf-8">', "<title>Alignment</title>"]
        for each in drawings:
            title = f'<h3 style="font-family:sans-serif">{each.title}</h3>'
            parts += [title] if each.title else []
            parts.append(each.alignment.html(gold=each.gold, posterior=each.posterior))
        picture = "\n".join([*parts, ""])
    with whole_file(output) as stream:
        stream.write(picture.encode())
