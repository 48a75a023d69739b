r"""Word lattices in Python Lattice Format (PLF), as Moses and cdec read and write them.

    ((('einen', 1.0, 1),), (('wettbewerb', 0.5, 2), ('wett', 0.25, 1)), (('bewerb', 1.0, 1),),)

A lattice is a tuple of states, a state the tuple of the arcs that leave it, an arc a word, scores,
and how many states it goes forward.  State 0 is the start, the state after the last one the end.
Lattice state = forest node; an arc is an edge with one tail that says the tail, then the word.

Read          any number of scores; cdec's `{'name': value}` in their place, Moses' `name=value`
              after them; strings in ' or ", where a backslash stands before ' " or \ only (Python
              and the decoders read other escapes differently, so they are refused)
Words         `*EPS*` says nothing; a word with spaces inside is several words
Features      `score`, or `score_1`, `score_2`…, and the names in the file; values are kept as they
              stand: the format does not say whether they are probabilities or logs of them
Not read      confusion networks without distances, `('word', 0.5)`; lattices without the outermost
              parentheses
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence
from os import fspath
from typing import Unpack

from rosewood.corpus import lines
from rosewood.errors import ForestError, FormatError, RosewoodError
from rosewood.forest.forest import Forest
from rosewood.forest.formats._draft import DraftEdge, DraftOptions, ForestDraft, shared
from rosewood.shared_types import PathName

_TOKEN = re.compile(
    r"""[ \t\r\n]*(?:(?P<mark>[(){},:]) | (?P<string>'(?:[^'\\]|\\.)*' | "(?:[^"\\]|\\.)*")
    | (?P<bare>[^ \t\r\n'"(){},]+) | (?P<end>\Z) | (?P<bad>.))""",
    re.VERBOSE | re.DOTALL,
)


class _Tokens:
    """The tokens of a text, one ahead; nesting is fixed by the format, so there is no recursion."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._breaks = [match.start() for match in re.finditer("\n", text)]
        self._end = 0
        self.advance()

    def advance(self) -> None:
        match = _TOKEN.match(self.text, self._end)
        if match is None or match.lastgroup is None:
            raise AssertionError("the pattern takes any character, and the end")
        self.kind, self.value = match.lastgroup, match.group(match.lastgroup)
        self.start, self._end = match.start(match.lastgroup), match.end()
        if self.kind == "bad":
            raise ForestError("a quoted word has no end", code="line.value", argument="word")

    def take(self, mark: str) -> bool:
        """Whether the next token is this mark, which is then passed."""
        if self.kind != "mark" or self.value != mark:
            return False
        self.advance()
        return True

    def expect(self, mark: str, where: str) -> None:
        if not self.take(mark):
            reason = f"expected {mark!r} {where}, not {self.shown}"
            raise ForestError(reason, code="line.value", expected=mark)

    @property
    def shown(self) -> str:
        return "the end of the text" if self.kind == "end" else repr(self.value[:40])

    @property
    def line(self) -> int:
        """Lines before the token."""
        return bisect_left(self._breaks, self.start)

    @property
    def column(self) -> int:
        return self.start - self.text.rfind("\n", 0, self.start)


class _Arcs:
    """Reads arcs and adds them to a draft."""

    def __init__(
        self,
        tokens: _Tokens,
        draft: ForestDraft,
        line: int,
        epsilon: Collection[str],
        score_names: Sequence[str] | None,
        probabilities: bool,
    ) -> None:
        self.tokens, self.draft, self.line = tokens, draft, line
        self.epsilon, self.names, self.probabilities = epsilon, score_names, probabilities
        self.count: int | None = None if score_names is None else len(score_names)
        self.waiting: list[tuple[int, int, list[str | int], dict[str, float], int]] = []

    def lattice(self) -> int:
        """Read the whole lattice; the number of its last state."""
        tokens, state = self.tokens, 0
        tokens.expect("(", "at the beginning of a lattice")
        while not tokens.take(")"):
            tokens.expect("(", "at the beginning of a state")
            while not tokens.take(")"):
                self.arc(state)
                if not tokens.take(","):
                    tokens.expect(")", "or ',' after an arc")
                    break
            state += 1
            if not tokens.take(","):
                tokens.expect(")", "or ',' after a state")
                break
        if tokens.kind != "end":
            reason = f"there is more after the lattice: {tokens.shown}"
            raise ForestError(reason, code="line.value", argument="lattice")
        return state

    def arc(self, state: int) -> None:
        tokens = self.tokens
        line = self.line + tokens.line
        tokens.expect("(", "at the beginning of an arc")
        if tokens.kind != "string":
            reason = f"an arc begins with a quoted word, not {tokens.shown}"
            raise ForestError(reason, code="line.value", argument="word")
        word = _unquote(tokens.value)
        tokens.advance()
        plain: list[str] = []
        values: dict[str, float] = {}
        while not tokens.take(")"):
            tokens.expect(",", "between the parts of an arc")
            if tokens.kind == "bare":
                plain.append(tokens.value)
                tokens.advance()
            elif tokens.take("{"):
                self.named(values)
            elif not (tokens.kind == "mark" and tokens.value == ")"):
                reason = f"expected a score or a distance, not {tokens.shown}"
                raise ForestError(reason, code="line.value", argument="scores")
        if not plain:
            reason = f"the arc of {word[:40]!r} has no distance"
            raise ForestError(reason, code="line.fields", argument="distance", value=word)
        distance = lines.whole("the distance, the last part of an arc,", plain.pop(), 1)
        self.scores(plain, values)
        says: list[str | int] = [0]
        if word not in self.epsilon:
            words = lines.split(word)
            if not words:
                reason = "an arc has an empty word; an arc without a word has '*EPS*'"
                raise ForestError(reason, code="line.value", argument="word", value=word)
            says += words
        self.waiting.append((state, state + distance, says, values, line))

    def named(self, values: dict[str, float]) -> None:
        """The rest of `{'name': value, …}`."""
        tokens = self.tokens
        while not tokens.take("}"):
            if tokens.kind != "string":
                reason = f"expected the quoted name of a feature, not {tokens.shown}"
                raise ForestError(reason, code="line.value", argument="feature")
            name = _unquote(tokens.value)
            tokens.advance()
            tokens.expect(":", "after the name of a feature")
            if tokens.kind != "bare":
                reason = f"expected the value of feature {name[:40]!r}, not {tokens.shown}"
                raise ForestError(reason, code="line.value", argument="feature", value=name)
            lines.add_feature(values, name, lines.number(f"feature {name[:40]!r}", tokens.value))
            tokens.advance()
            if not tokens.take(","):
                tokens.expect("}", "or ',' after a feature")
                break

    def scores(self, plain: list[str], values: dict[str, float]) -> None:
        """Scores by their place, then Moses' pairs."""
        count = next((i for i, text in enumerate(plain) if "=" in text), len(plain))
        if count and self.count not in (None, count):
            reason = f"an arc has {count} scores, expected {self.count}"
            raise ForestError(reason, code="line.fields", argument="scores", value=count)
        if count:
            self.count = count
        names = self.names
        if names is None:
            names = ["score"] if count == 1 else [f"score_{k + 1}" for k in range(count)]
        for name, text in zip(names, plain[:count], strict=False):
            value = lines.number("a score", text)
            if self.probabilities:
                if value <= 0:
                    reason = f"a score is {text}, expected a probability above zero"
                    raise ForestError(reason, code="line.value", argument="scores", value=text)
                value = math.log(value)
            lines.add_feature(values, name, value)
        for text in plain[count:]:
            name, equals, value_text = text.rpartition("=")
            if not equals:
                reason = f"the score {text[:40]!r} comes after features with names"
                raise ForestError(reason, code="line.order", argument="scores", value=text)
            lines.add_feature(values, name, lines.number(f"feature {name[:40]!r}", value_text))


def _unquote(text: str) -> str:
    def replace(match: re.Match[str]) -> str:
        if match.group(1) not in "'\"\\":
            reason = f"in {text[:40]}, a backslash stands before {match.group(1)!r}"
            raise ForestError(reason, code="line.value", argument="escape", value=match.group(1))
        return match.group(1)

    return re.sub(r"\\(.)", replace, text[1:-1], flags=re.DOTALL)


def read_plf(
    text: str,
    *,
    epsilon: Collection[str] = ("*EPS*",),
    score_names: Sequence[str] | None = None,
    probabilities: bool = False,
    file: PathName | None = None,
    line: int = 1,
    **options: Unpack[DraftOptions],
) -> Forest:
    """The forest of one lattice.

    `epsilon` are the words that say nothing, `score_names` the features of the scores without
    names.  With `probabilities`, those scores are kept as natural logs.  States on no path from the
    start to the end are an error, or left out with `drop_unreachable`.  `line` is where the text
    begins in `file`.
    """
    place = None if file is None else fspath(file)
    _, text = next(lines.read_lines([text], place))
    draft = ForestDraft(place, "state", "path from the start to the end")
    with lines.at(place, line):
        tokens = _Tokens(text)
    arcs = _Arcs(tokens, draft, line, epsilon, score_names, probabilities)
    try:
        last = arcs.lattice()
    except RosewoodError as error:
        reason = f"column {tokens.column}: {error}"
        raise error.restated(reason, FormatError, file=place, line=line + tokens.line) from error
    for state in range(last + 1):
        draft.node(state, line)
    draft.edges.append(DraftEdge(0, (), [], line=line))
    for tail, head, says, values, where in arcs.waiting:
        if head > last:
            reason = f"an arc of state {tail} leads to state {head}, but the last one is {last}"
            with lines.at(place, where):
                raise ForestError(reason, code="line.value", argument="distance", value=head)
        draft.edges.append(DraftEdge(head, [tail], says, values, where))
    return draft.build(last, line, **options)


class _LatticeOptions(DraftOptions, total=False):
    epsilon: Collection[str]
    score_names: Sequence[str] | None
    probabilities: bool


def read_plf_file(
    source: lines.Source, *, file: PathName | None = None, **options: Unpack[_LatticeOptions]
) -> Iterator[Forest]:
    """The forests of a file, or of lines, with one lattice on each line; they share all names.

    Options are those of `read_plf`.
    """
    name = lines.file_name(source, file)
    named: _LatticeOptions = {**options, **shared(options)}
    for line, text in lines.read_lines(source, name):
        if not text.strip(" \t"):
            reason = "the line is empty; a lattice without words is ()"
            raise FormatError(reason, code="line.value", argument="lattice", file=name, line=line)
        yield read_plf(text, file=name, line=line, **named)
