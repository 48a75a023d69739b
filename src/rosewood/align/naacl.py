"""Gold alignments in the format of the shared tasks of NAACL 2003 and ACL 2005.

Each line is a link: sentence, source word, target word, and then, if people said so, S (sure) or P
(possible) and a number for how sure they were.  Everything is counted from 1; a word 0 is the empty
word, to which no link leads here.

    0001 1 1 S
    0001 2 3 P 0.5
"""

from __future__ import annotations

import numpy as np

from rosewood.align.alignment import Link, Links
from rosewood.align.evaluate import Gold
from rosewood.corpus.lines import Source, at, file_name, number, read_lines, split, whole
from rosewood.errors import RosewoodError
from rosewood.shared_types import PathName

_MOST_SENTENCES = 10**7  # a number beyond is a slip, and would fill the memory with empty sentences


def read_naacl(
    source: Source, *, sentences: int | None = None, file: PathName | None = None
) -> Gold:
    """Gold links from a file, an open one, or lines.

    There are as many sentences as the largest number says, or `sentences`.
    """
    name = file_name(source, file)
    last = _MOST_SENTENCES if sentences is None else sentences
    found: dict[int, dict[Link, bool]] = {}
    for line, text in read_lines(source, name):
        with at(name, line):
            fields = split(text)
            if not fields:
                continue
            sentence, link, is_sure = _parsed(fields, last)
            links = found.setdefault(sentence, {})
            if link is not None:
                if links.get(link) is is_sure:
                    raise RosewoodError("the link occurs twice", code="line.duplicate", value=link)
                links[link] = is_sure or links.get(link, False)
    count = max(found, default=0) if sentences is None else sentences
    rows = [sorted(found.get(k + 1, {}).items()) for k in range(count)]
    made = Links.of([link for link, _ in row] for row in rows)
    return Gold(made, np.array([is_sure for row in rows for _, is_sure in row], dtype=bool))


def _parsed(fields: list[str], last: int) -> tuple[int, Link | None, bool]:
    """The sentence, the link (none where it leads to the empty word), and whether it is sure."""
    if not 3 <= len(fields) <= 5:
        reason = f"there are {len(fields)} fields, expected 3 to 5"
        raise RosewoodError(reason, code="line.fields", value=len(fields), expected="3 to 5")
    sentence = whole("the sentence", fields[0], 1, last)
    i = whole("the source word", fields[1])
    j = whole("the target word", fields[2])
    marks = fields[3:]
    kind = marks.pop(0) if marks and marks[0] in ("S", "P") else "S"
    if len(marks) > 1 or (marks and marks[0].isalpha()):
        reason = f"{fields[3][:40]!r} is neither S nor P"
        raise RosewoodError(reason, code="line.value", value=fields[3], expected="S or P")
    if marks:
        number("the confidence", marks[0])
    return sentence, (i - 1, j - 1) if i and j else None, kind == "S"
