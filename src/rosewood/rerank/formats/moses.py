"""n-best lists as Moses, Marian, cdec and Joshua write them: a candidate on each line.

    0 ||| the house ||| LM0= -5.2 TM0= -1 -2.5 ||| -3.1 ||| 0-0 1-1     names before their values
    0 ||| the house ||| lm: -5.2 tm: -1 -2.5 ||| -3.1                   the older way
    0 ||| the house ||| lm=-5.2 rule:7=1                                a name for each value
    0 ||| the house ||| -5.2 -1 -2.5                                    no names

Names       the k-th value behind a name is `name_k` (`TM0_0`, `TM0_1`, and `LM0_0` too); a name
            with its value attached stays as it is, and so does a sparse one, with a colon;
            values without names are `F0`, `F1`…
Score       the total, behind the features, becomes the score column `model`.
The rest    Marian's alignments and word scores before the features, and whatever stands behind the
            score, are passed over.  Ids are whole numbers; rows of one id stand together.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from operator import itemgetter

from rosewood.corpus.lines import TextLine, add_feature, at, number, numbers, split, whole
from rosewood.errors import FormatError, RosewoodError
from rosewood.rerank.candidates import is_sparse
from rosewood.rerank.formats.draft import Drafts
from rosewood.rerank.formats.rows import Row, group_rows

_BETWEEN = "|||"
# What Marian may put between the text and the features: counts, word scores, alignments.
_BESIDE = re.compile(
    r"Word(?:Scores|Counts)=.*|[0-9]+-[0-9]+(?:[ \t]+[0-9]+-[0-9]+)*"
    r"|[0-9.e-]+(?:,[0-9.e-]+)+(?:[ \t]+[0-9.e-]+(?:,[0-9.e-]+)+)*"
)


def looks_like_moses(line: str) -> bool:
    """Whether a file that begins with this line can be an n-best list."""
    fields = line.split(_BETWEEN)
    return len(fields) > 2 and fields[0].strip(" \t").isdecimal()


def parse_moses(lines: Iterable[TextLine], file: str | None) -> Drafts:
    """A draft of the list of each id."""
    reader = _Reader(file)
    return group_rows(map(reader.row, lines), file, int)


class _Reader:
    def __init__(self, file: str | None) -> None:
        self.file = file
        self.layout: _Layout | None = None  # of the row before: most rows have the same

    def row(self, line: TextLine) -> Row:
        row = Row(line.number, None, error=line.error)
        fields = [field.strip(" \t") for field in line.text.split(_BETWEEN)]
        try:
            with at(self.file, line.number):
                if fields == [""]:
                    raise RosewoodError("the line is empty", code="line.empty")
                row.id = str(whole("the id, the first field,", fields[0], 0, 2**62))
                if len(fields) > 3 and _BESIDE.fullmatch(fields[2]):
                    del fields[2 : 3 + (len(fields) > 4 and bool(_BESIDE.fullmatch(fields[3])))]
                if len(fields) < 3:
                    told = "id ||| text ||| features ||| score"
                    reason = f"there are {len(fields)} fields, expected `{told}`"
                    raise RosewoodError(reason, code="line.fields", value=len(fields))
                row.text = fields[1]
                row.features = self.features(split(fields[2]))
                if len(fields) > 3:
                    row.scores = {"model": number("the score, behind the features,", fields[3])}
        except FormatError as error:
            row.error = row.error or error
        return row

    def features(self, tokens: list[str]) -> dict[str, float]:
        if self.layout is not None:
            values = self.layout.values(tokens)
            if values is not None:
                with suppress(RosewoodError):  # the slow way tells which one is bad
                    return dict(zip(self.layout.names, numbers("", values), strict=True))
        self.layout, found = _features(tokens)
        return found


class _Layout:
    """Which tokens of a row are names; rows of the same layout are read at once."""

    def __init__(self, tokens: list[str], places: list[int], names: list[str]) -> None:
        self.names = names
        self._length = len(tokens)
        taken = set(places)
        others = [i for i in range(len(tokens)) if i not in taken]
        # itemgetter gives a tuple from two items on: the first place stands twice.
        self._labels = itemgetter(*others, others[0], others[0]) if others else None
        self._values = itemgetter(places[0], *places, places[0])
        self._wanted = self._labels(tokens) if self._labels else None

    def values(self, tokens: list[str]) -> list[str] | None:
        """The numbers of a row, if it has this layout."""
        if len(tokens) != self._length:
            return None
        if self._labels is not None and self._labels(tokens) != self._wanted:
            return None
        return list(self._values(tokens)[1:-1])


def _features(tokens: list[str]) -> tuple[_Layout | None, dict[str, float]]:
    """The features of a row, and its layout where that can be used again."""
    found: dict[str, float] = {}
    counts: dict[str, int] = {}  # how many values each name has had
    places: list[int] = []
    block: str | None = None  # the name that values are for
    attached = False
    for place, token in enumerate(tokens):
        if token[-1] in "=:" and token not in "=:":
            if block is not None and not counts[block]:
                reason = f"{block[:40]!r} has no value"
                raise RosewoodError(reason, code="line.value", argument=block)
            block = token[:-1]
            counts.setdefault(block, 0)
        elif "=" in token:
            name, _, value = token.rpartition("=")
            add_feature(found, name, number(f"feature {name[:40]!r}", value))
            attached, block = True, None
        elif block is not None:
            name = block if is_sparse(block) else f"{block}_{counts[block]}"
            add_feature(found, name, number(f"feature {name[:40]!r}", token))
            counts[block] += 1
            places.append(place)
        elif counts or attached:
            reason = f"the value {token[:40]!r} has no name"
            raise RosewoodError(reason, code="line.value", argument="feature", value=token)
        else:
            name = f"F{place}"
            found[name] = number(f"feature {name!r}", token)
            places.append(place)
            if place + 1 < len(tokens) and not _is_value(tokens[place + 1]):
                reason = f"the value {token[:40]!r} has no name"
                raise RosewoodError(reason, code="line.value", argument="feature", value=token)
    if block is not None and not counts[block]:
        raise RosewoodError(f"{block[:40]!r} has no value", code="line.value", argument=block)
    if attached or not places:
        return None, found
    return _Layout(tokens, places, list(found)), found


def _is_value(token: str) -> bool:
    return "=" not in token and not token.endswith(":")
