r"""Lattices of speech recognisers in HTK's Standard Lattice Format (SLF).

    VERSION=1.0
    UTTERANCE=file1  base=1.0001 lmscale=12.0 start=0 end=2
    N=3 L=3
    I=0 t=0.00
    I=1 t=0.36
    I=2 t=0.75
    J=0 S=0 E=1 W=four v=0 a=-3239.01 l=-1.2
    J=1 S=0 E=1 W=for  v=0 a=-3250.40 l=-0.7
    J=2 S=1 E=2 W=!NULL

SLF node = forest node; a link is an edge with one tail that says the tail, then the word of the
link or, where words stand on nodes, of the node it leads to (and the start says its own).  The rule
of an edge is the number of its link.

Read          fields by their long and short names; words and scores on links or nodes; `#` comment
              lines; start= and end= in the header, else the one node that nothing leads to, or from
              which nothing leads; HTK's quotes and backslashes, \' and octal \303\251 (quotes=False
              for programs, like SRILM's, that write words as they are)
Words         `!NULL` says nothing, everything else is a word: <s>, silence and noises too; a quoted
              word with spaces inside is several words
Features      `acoustic` (a), `lm` (l), `ngram` (n), `pronunciation` (r), `duration` (ds), `x1`,
              `x2`… in natural logs, whatever `base` is (0: likelihoods, not logs); `posterior` (p)
              as it is
Not kept      times, variants (v), segmentations (d), semantic tags (s), and the header's settings:
              scales and penalties are weights of a recogniser, and are not applied
Checked       the numbers of nodes and links against the header, so a file cut short is noticed
Not read      sub-lattices, backward lattices (dir=b), fields without `=`
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator
from typing import NamedTuple, Unpack

from rosewood.corpus import lines
from rosewood.errors import ForestError, FormatError
from rosewood.forest.forest import Forest
from rosewood.forest.formats._draft import DraftEdge, DraftOptions, ForestDraft
from rosewood.forest.formats._fields import next_field
from rosewood.shared_types import PathName

_NO_SIZES = "the header must give the numbers of nodes, N=, and links, L="
_SUBLATTICE = "lattices with sub-lattices are not supported"
_LONG = {  # for lines of nodes and links; the header has its own
    "time": "t", "WORD": "W", "var": "v", "div": "d", "START": "S", "END": "E",
    "acoustic": "a", "ngram": "n", "language": "l",
}  # fmt: skip
_SCORES = {
    "a": "acoustic", "l": "lm", "n": "ngram", "r": "pronunciation", "ds": "duration",
    "p": "posterior",
}  # fmt: skip
_SKIPPED = {"t", "v", "d", "s"}
_FIELD = re.compile(r"[ \t]*([A-Za-z_][A-Za-z0-9_]*)=")


class _Line(NamedTuple):
    """The words and scores of a node or a link; words are None where the line has no W=."""

    line: int
    words: list[str] | None
    values: dict[str, float]
    start: int = -1
    end: int = -1


class _Lattice:
    """An SLF file as it is read."""

    def __init__(self, quotes: bool, ignore: Collection[str]) -> None:
        self.quotes, self.ignore = quotes, ignore
        self.header: dict[str, str] = {}
        self.sizes: dict[str, int] = {}
        self.nodes: dict[int, _Line] = {}
        self.links: dict[int, _Line] = {}
        self.log_base = 1.0  # the natural log of the base; zero: values are not logs

    def read(self, line: int, text: str) -> None:
        fields = list(_fields(text, self.quotes))
        first = fields[0][0]
        if first not in ("I", "J"):
            for name, value in fields:
                self.read_header(name, value)
            return
        if len(self.sizes) < 2:
            raise ForestError(_NO_SIZES, code="line.fields", argument="N, L")
        if not self.nodes and not self.links:
            self.set_base()
        named = {}
        for name, value in fields:
            short = _LONG.get(name, name)
            if short in named:
                raise lines.given_twice(f"{name}=")
            named[short] = value
        if first == "I":
            self.read_node(line, named)
        else:
            self.read_link(line, named)

    def read_header(self, name: str, value: str) -> None:
        if self.nodes or self.links:
            reason = f"{name}= comes after the header; nodes begin with I=, links with J="
            raise ForestError(reason, code="line.order", argument=name)
        if name in ("N", "NODES", "L", "LINKS"):
            key = "nodes" if name.startswith("N") else "links"
            if key in self.sizes:
                raise lines.given_twice(f"the number of {key}")
            self.sizes[key] = lines.whole(f"{name}=", value)
        elif name in ("SUBLAT", "S"):
            raise ForestError(_SUBLATTICE, code="file.kind", argument=name)
        elif name == "dir" and value != "f":
            reason = f"dir= is {value!r}; only forward lattices, dir=f, are read"
            raise ForestError(reason, code="line.value", argument="dir", value=value)
        elif name in self.header:
            raise lines.given_twice(f"{name}=")
        self.header[name] = value

    def set_base(self) -> None:
        base = lines.number("base=", self.header.get("base", str(math.e)))
        if base < 0 or base == 1:
            reason = f"base= is {base:g}, expected 0 or the base of a logarithm"
            raise ForestError(reason, code="line.value", argument="base", value=base)
        self.log_base = math.log(base) if base else 0.0

    def number_of_node(self, what: str, text: str) -> int:
        if "nodes" in self.sizes and not self.sizes["nodes"]:
            reason = f"{what} is {text[:40]!r}, but the header has no nodes"
            raise ForestError(reason, code="line.unknown", argument=what, value=text)
        return lines.whole(what, text, 0, self.sizes["nodes"] - 1)

    def read_node(self, line: int, named: dict[str, str]) -> None:
        node = self.number_of_node("I=", named.pop("I"))
        if node in self.nodes:
            raise lines.given_twice("node", node)
        if "L" in named:
            raise ForestError(_SUBLATTICE, code="file.kind", argument="L")
        self.nodes[node] = _Line(line, *self.said(named))

    def read_link(self, line: int, named: dict[str, str]) -> None:
        link = lines.whole("J=", named.pop("J"))
        if link in self.links:
            raise lines.given_twice("link", link)
        for key in ("S", "E"):
            if key not in named:
                reason = f"link {link} has no {key}="
                raise ForestError(reason, code="line.fields", argument=key, value=link)
        start = self.number_of_node("S=", named.pop("S"))
        end = self.number_of_node("E=", named.pop("E"))
        self.links[link] = _Line(line, *self.said(named), start, end)

    def said(self, named: dict[str, str]) -> tuple[list[str] | None, dict[str, float]]:
        """Words and scores of the fields that nodes and links share."""
        words: list[str] | None = None
        values: dict[str, float] = {}
        for name, text in named.items():
            if name == "W":
                words = [] if text == "!NULL" else lines.split(text)
                if text != "!NULL" and not words:
                    reason = "W= is empty; a node or link that says nothing has !NULL"
                    raise ForestError(reason, code="line.value", argument="W")
            elif name in _SCORES or re.fullmatch(r"x[0-9]{1,9}", name):
                value = lines.number(f"{name}=", text)
                if name != "p":
                    value = self.natural_log(name, value)
                lines.add_feature(values, _SCORES.get(name, name), value)
            elif name not in _SKIPPED and name not in self.ignore:
                reason = f"{name}= is an unknown field (ignore={{{name!r}}} leaves it out)"
                raise ForestError(reason, code="line.unknown", argument=name)
        return words, values

    def natural_log(self, name: str, value: float) -> float:
        if self.log_base:
            value *= self.log_base
            if math.isinf(value):
                raise ForestError(f"{name}= is too large", code="line.number", argument=name)
            return value
        if value <= 0:
            reason = f"{name}= is {value:g}; with base=0 it is a likelihood, above zero"
            raise ForestError(reason, code="line.value", argument=name, value=value)
        return math.log(value)


def _fields(text: str, quotes: bool) -> Iterator[tuple[str, str]]:
    """name=value …, quotes and backslashes undone."""
    place = 0
    while text[place:].strip(" \t"):
        match = next_field(_FIELD, text, place)
        place = match.end()
        mark = text[place : place + 1] if quotes and text[place : place + 1] in ("'", '"') else ""
        pattern = rf"{mark}((?:[^{mark}\\]|\\.)*){mark}(?=[ \t]|\Z)" if mark else r"([^ \t\\]|\\.)*"
        value = re.compile(pattern if quotes else r"[^ \t]*").match(text, place)
        if value is None:
            reason = f"the value of {match.group(1)}= has no closing {mark}"
            raise ForestError(reason, code="line.value", argument=match.group(1))
        place = value.end()
        raw = value.group(1) if mark else value.group()
        yield match.group(1), _unescape(raw) if quotes and "\\" in raw else raw


def _unescape(text: str) -> str:
    """HTK's backslashes: three octal digits are a byte, anything else is itself."""
    raw = bytearray()
    for part in re.findall(r"\\[0-3][0-7]{2}|\\.|[^\\]+", text):
        if part[0] != "\\":
            raw += part.encode()
        elif len(part) == 4:
            raw.append(int(part[1:], 8))
        else:
            raw += part[1:].encode()
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        reason = f"the bytes of {text[:40]!r} are not UTF-8"
        raise ForestError(reason, code="file.encoding", value=text) from error


def read_htk(
    source: lines.Source,
    *,
    quotes: bool = True,
    ignore: Collection[str] = (),
    file: PathName | None = None,
    **options: Unpack[DraftOptions],
) -> Forest:
    """The forest of the one lattice of a file, or of lines.

    `ignore` are fields of nodes and links to leave out; other unknown ones are an error.  Nodes on
    no path from the start to the end are an error, or left out with `drop_unreachable`.
    """
    name = lines.file_name(source, file)
    lattice, line = _Lattice(quotes, ignore), 0
    for line, text in lines.read_lines(source, name):
        if not text.strip(" \t") or text.startswith("#"):
            continue
        with lines.at(name, line):
            if text.strip(" \t") == ".":
                raise ForestError(_SUBLATTICE, code="file.kind", argument=".")
            lattice.read(line, text)
    with lines.at(name, line or None):
        return _forest(lattice, name, line or None, options)


def _forest(lattice: _Lattice, file: str | None, line: int | None, options: DraftOptions) -> Forest:
    nodes, links = lattice.nodes, lattice.links
    if len(lattice.sizes) < 2:
        raise ForestError(_NO_SIZES, code="line.fields", argument="N, L")
    for what, found in (("links", len(links)), ("nodes", len(nodes))):
        told = lattice.sizes[what]
        if found != told and (what == "links" or nodes):
            reason = f"there are {found} {what}, expected {told} from the header"
            raise ForestError(reason, code="file.mismatch", argument=what, value=found)
    starts, ends = {k.start for k in links.values()}, {k.end for k in links.values()}
    known = nodes.keys() | starts | ends
    if not known and lattice.sizes["nodes"] == 1:
        known = {0}
    if len(known) < lattice.sizes["nodes"] and not options.get("drop_unreachable"):
        raise ForestError(
            f"the header has {lattice.sizes['nodes']} nodes, but links use {len(known)} "
            "(drop_unreachable=True leaves the others out)",
            code="forest.unreachable", value=len(known),
        )  # fmt: skip
    start = _terminal(lattice, "start", known - ends)
    end = _terminal(lattice, "end", known - starts)
    draft = ForestDraft(file, "node", "path from the start to the end")
    nothing = _Line(line or 0, None, {})
    for node in sorted(known | {start, end}):
        draft.node(node, nodes.get(node, nothing).line)
    opening = nodes.get(start, nothing)
    draft.edges.append(
        DraftEdge(draft.node(start), (), opening.words or [], opening.values, opening.line)
    )
    for label, link in links.items():
        goal = nodes.get(link.end, nothing)
        if link.words is not None and goal.words is not None:
            reason = f"link {label} and node {link.end}, where it leads, both have a word"
            raise FormatError(reason, file=file, line=link.line, code="line.value", argument="W")
        with lines.at(file, link.line):
            values = dict(goal.values)
            for key, value in link.values.items():
                lines.add_feature(values, key, value)
        says: list[str | int] = [0, *(link.words or goal.words or [])]
        head, tail = draft.node(link.end), draft.node(link.start)
        draft.edges.append(DraftEdge(head, [tail], says, values, link.line, label))
    return draft.build(draft.node(end), line, **options)


def _terminal(lattice: _Lattice, which: str, found: set[int]) -> int:
    """The start or end: as the header tells it, or the only node that can be it."""
    if which in lattice.header:
        return lattice.number_of_node(f"{which}=", lattice.header[which])
    if len(found) != 1:
        shown = ", ".join(str(v) for v in sorted(found)[:5]) or "none"
        reason = f"the header has no {which}=, and {len(found)} nodes can be the {which}: {shown}"
        raise ForestError(reason, code="line.fields", argument=which, value=len(found))
    return next(iter(found))
