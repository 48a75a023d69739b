"""Rules in the text formats of other programs, read line by line: the specification.

A symbol is a word, or a gap: ("X",) is one with a label in a source, and (k,) is where the k-th gap
of the source goes in a target, counted from 0.
"""

from __future__ import annotations

import re
from math import inf, isfinite, log
from typing import NamedTuple

FLOOR = -100.0
_NUMBER = re.compile(r"[+]?-?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_LINK = re.compile(r"([0-9]+)-([0-9]+)")


class Bad(Exception):
    """A line that is refused."""


class TextRule(NamedTuple):
    left: str
    source: tuple
    target: tuple
    links: tuple
    features: dict
    counts: tuple  # of the rule, its source, its target


def read_rules(lines: list[str], format: str, prefix: str) -> tuple[list[TextRule], list[int]]:
    """The rules that are good, in the order of their lines, and the lines that are not."""
    found: dict[tuple, TextRule] = {}
    bad, scores = [], set()
    for number, line in enumerate(lines, start=1):
        if not line.strip(" \t\r"):
            continue
        try:
            rule = parse(line, format, prefix)
            key = rule.left, rule.source, rule.target
            if key in found:
                raise Bad("twice")
            if format.startswith("moses") and scores not in (set(), {len(rule.features)}):
                raise Bad("another number of scores")
        except Bad:
            bad.append(number)
        else:
            scores = {len(rule.features)}
            found[key] = rule
    return list(found.values()), bad


def parse(line: str, format: str, prefix: str) -> TextRule:
    """One line."""
    fields = fields_of(line)
    if format.startswith("moses"):
        return parse_moses(fields, format == "moses_grammar", prefix)
    return parse_hiero(fields, format, prefix)


def fields_of(line: str) -> list[list[str]]:
    words = [word for word in re.split("[ \t]+", line.removesuffix("\r")) if word]
    fields: list[list[str]] = [[]]
    for word in words:
        if word == "|||":
            fields.append([])
        elif "|||" in word:
            raise Bad("||| within a word")
        else:
            fields[-1].append(word)
    return fields


def number(text: str) -> float:
    if not _NUMBER.fullmatch(text) or not isfinite(value := float(text)):
        raise Bad("no number")
    return value


def log_probability(text: str) -> float:
    value = number(text)
    if value < 0:
        raise Bad("negative")
    return max(log(value) if value else -inf, FLOOR)


def parse_moses(fields: list[list[str]], is_grammar: bool, prefix: str) -> TextRule:
    if not 3 <= len(fields) <= 7:
        raise Bad("fields")
    source, target, scores, links, counts, *_ = [*fields, [], []]
    left = "X"
    if is_grammar:
        labels = []
        for side in (source, target):
            if not side or not (found := re.fullmatch(r"\[([^][]+)\]", side[-1])):
                raise Bad("no label")
            labels.append(found.group(1))
        left = labels[0] if labels[0] == labels[1] else "][".join(labels)
        source, target = source[:-1], target[:-1]
    if not source or not scores:
        raise Bad("empty")
    features = {f"{prefix}{n}": log_probability(text) for n, text in enumerate(scores, start=1)}
    sides = [
        [moses_symbol(word) if is_grammar else word for word in side] for side in (source, target)
    ]
    points = links_of(links, sides)
    gaps = [[i for i, symbol in enumerate(side) if isinstance(symbol, tuple)] for side in sides]
    joined = dict(link for link in points if isinstance(sides[0][link[0]], tuple))
    linked = [link for link in points if isinstance(sides[0][link[0]], tuple)]
    if (
        len(linked) != len(gaps[0])
        or sorted(joined) != gaps[0]
        or sorted(joined.values()) != gaps[1]
    ):
        raise Bad("gaps")
    for k, place in enumerate(gaps[0]):
        if sides[1][joined[place]] != sides[0][place]:
            raise Bad("labels")
        sides[1][joined[place]] = (k,)
    if len(counts) > 3:
        raise Bad("counts")
    values = [number(text) for text in counts]
    if any(value < 0 for value in values):
        raise Bad("negative count")
    of_target, of_source, of_both = [*values, 0.0, 0.0, 0.0][:3]
    words = {link for link in points if link not in linked}
    return TextRule(
        left, *map(tuple, sides), tuple(sorted(words)), features, (of_both, of_source, of_target)
    )


def moses_symbol(word: str):
    if len(word) <= 2 or word[0] != "[" or word[-1] != "]":
        return word
    if not (found := re.fullmatch(r"\[([^][]+)\]\[([^][]+)\]", word)):
        raise Bad("neither a word nor a gap")
    source, target = found.groups()
    return (source if source == target else f"{source}][{target}",)


def parse_hiero(fields: list[list[str]], format: str, prefix: str) -> TextRule:
    if not 3 <= len(fields) <= 6:
        raise Bad("fields")
    left, source, target, values, links, *_ = [*fields, [], []]
    label = r"[^][,]+" if format == "cdec" else r"[^][]+"
    if len(left) != 1 or not (found := re.fullmatch(rf"\[({label})\]", left[0])):
        raise Bad("label")
    if not source:
        raise Bad("empty")
    labels: dict[int, str] = {}
    sides: list[list] = [[], []]
    for word in source:
        symbol: str | tuple = word
        if gap := re.fullmatch(rf"\[({label}),0*([1-9][0-9]*)\]", word):
            symbol, place = (gap.group(1),), int(gap.group(2))
        elif "," not in word and (gap := re.fullmatch(rf"\[({label})\]", word)):
            symbol, place = (gap.group(1),), len(labels) + 1
        if isinstance(symbol, tuple):
            if place in labels:
                raise Bad("twice")
            labels[place] = symbol[0]
        sides[0].append(symbol)
    places = list(labels)
    for word in target:
        symbol = word
        if gap := re.fullmatch(rf"\[({label}),0*([1-9][0-9]*)\]", word):
            if labels.get(int(gap.group(2))) != gap.group(1):
                raise Bad("other labels")
            symbol = (places.index(int(gap.group(2))),)
        elif format == "cdec" and (gap := re.fullmatch(r"\[0*([1-9][0-9]*)\]", word)):
            if int(gap.group(1)) not in labels:
                raise Bad("no such gap")
            symbol = (places.index(int(gap.group(1))),)
        sides[1].append(symbol)
    used = sorted(symbol[0] for symbol in sides[1] if isinstance(symbol, tuple))
    if used != list(range(len(places))):
        raise Bad("gaps")
    points = set()
    for i, j in links_of(links, sides):
        if isinstance(sides[0][i], tuple):
            gaps = [k for k, symbol in enumerate(sides[0]) if isinstance(symbol, tuple)]
            if (gaps.index(i),) != sides[1][j]:
                raise Bad("different gaps")
        else:
            points.add((i, j))
    return TextRule(
        found.group(1), *map(tuple, sides), tuple(sorted(points)),
        features_of(values, format, prefix), (0.0, 0.0, 0.0),
    )  # fmt: skip


def features_of(fields: list[str], format: str, prefix: str) -> dict[str, float]:
    features: dict[str, float] = {}
    parts = " ".join(fields).replace(";", " ").split(" ") if format == "cdec" else fields
    unnamed = 0
    for part in filter(None, parts):
        name, equals, text = part.partition("=")
        value = number(text if equals else name)
        if abs(value) > 3.5e38:
            raise Bad("too large")
        if not equals:
            name, unnamed = f"{prefix}{unnamed}", unnamed + 1
            value = -value if format == "joshua" else value
        if not name or name in features:
            raise Bad("name")
        features[name] = value
    return features


def links_of(fields: list[str], sides: list[list]) -> list[tuple[int, int]]:
    """Links as they stand; each is between two words or between two gaps."""
    links = []
    for text in fields:
        if not (found := _LINK.fullmatch(text)):
            raise Bad("no link")
        i, j = map(int, found.groups())
        if i >= len(sides[0]) or j >= len(sides[1]):
            raise Bad("outside")
        if isinstance(sides[0][i], tuple) != isinstance(sides[1][j], tuple):
            raise Bad("word and gap")
        links.append((i, j))
    return links


def sorted_rules(rules: list[TextRule], by: str | None) -> list[TextRule]:
    """In the order of tables: by source, gaps before words; then by a feature, the best first."""
    labels = sorted({rule.left for rule in rules} | labels_in(rules) - {"X"}, key=str.encode)
    rank = {label: n for n, label in enumerate(["X", *(x for x in labels if x != "X")])}

    def key(rule: TextRule) -> tuple:
        source = [
            (0, rank[symbol[0]], b"") if isinstance(symbol, tuple) else (1, 0, symbol.encode())
            for symbol in rule.source
        ]
        return source, -rule.features.get(by, 0.0) if by is not None else 0

    return sorted(rules, key=key)


def labels_in(rules: list[TextRule]) -> set[str]:
    return {symbol[0] for rule in rules for symbol in rule.source if isinstance(symbol, tuple)}


def read_reordering(
    rules: list[TextRule], lines: list[str], directions: int, classes: int
) -> tuple[dict[tuple, list[float]], tuple[int, int, int]]:
    """Log probabilities of each rule; how many lines are bad, or of no rule, and rules without."""
    table = {(rule.source, rule.target): [-log(classes)] * directions * classes for rule in rules}
    seen, bad, unmatched = set(), 0, 0
    for line in lines:
        try:
            source, target, numbers = fields_of(line)
            logs = [log_probability(text) for text in numbers]
            key = tuple(source), tuple(target)
            if not source or len(logs) != directions * classes or key in seen:
                raise Bad("reordering")
        except (Bad, ValueError):
            bad += 1
            continue
        if key in table:
            table[key] = logs
            seen.add(key)
        else:
            unmatched += 1
    return table, (bad, unmatched, len(table) - len(seen))
