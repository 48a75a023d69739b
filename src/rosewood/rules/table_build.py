"""Rules that people have at hand, on their way into a table: named, numbered and sorted."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from rosewood.arguments import check_list, check_type
from rosewood.corpus.vocabulary import Vocabulary
from rosewood.errors import RuleError
from rosewood.folders import joined_words
from rosewood.rules.rule import Gap, Rule, Symbol
from rosewood.rules.table_files import new_table
from rosewood.shared_types import PathName

_GAP = re.compile(r"\[(.+),([1-9][0-9]*)\]")
_NO_WORD = re.compile(r"[ \t\n\ud800-\udfff]|^$")


def parsed_source(source: str | Sequence[Symbol], labels: Sequence[str]) -> tuple[Symbol, ...]:
    """Words and gaps; in a text, what looks like a gap with one of the labels is one."""
    symbols: list[Symbol] = []
    if isinstance(source, str):
        for word in source.replace("\t", " ").split(" "):
            gap = _GAP.fullmatch(word)
            if gap and gap[1] in labels:
                symbols.append(Gap(gap[1], int(gap[2])))
            elif word:
                symbols.append(word)
    else:
        symbols.extend(check_list("the words of a source", source, error=RuleError))
        for symbol in symbols:
            if not isinstance(symbol, Gap):
                _check_word(symbol)
    _check_gaps(symbols)
    return tuple(symbols)


def build_table(
    folder: PathName,
    rules: Iterable[Rule],
    labels: Sequence[str] | None,
    features: Sequence[str] | None,
    groups: Sequence[Sequence[str]],
    facts: Mapping[str, Any],
) -> None:
    """Write a table of rules, which are all held in memory."""
    known = list(check_list("rules", rules, error=RuleError))
    for number, rule in enumerate(known, 1):
        check_type(f"rule {number}", rule, Rule, "a Rule", error=RuleError)
    found = dict.fromkeys(["X", *_labels(known)]) if labels is None else labels
    labels = list(check_list("labels", found, error=RuleError))
    if features is None:
        features = list(dict.fromkeys(name for rule in known for name in rule.features))
    features = list(check_list("features", features, error=RuleError))
    words = Vocabulary(), Vocabulary()
    drafts = []
    for number, rule in enumerate(known, 1):
        try:
            drafts.append(_draft(rule, labels, features, words))
        except RuleError as error:
            raise error.restated(f"rule {number}: {error}", line=number) from error
        except (ValueError, OverflowError, TypeError) as error:
            raise RuleError(f"rule {number}: {error}", code="rules.value", line=number) from error
    _check_twice(drafts)
    order = sorted(range(len(known)), key=lambda n: _rank(drafts[n][1], len(labels)))
    with new_table(folder, labels, features, groups) as writer:
        for n in order:
            writer.native.add(*drafts[n])
        writer.finish(joined_words(words[0]), joined_words(words[1]), facts)


def _labels(rules: Iterable[Rule]) -> Iterable[str]:
    for rule in rules:
        yield rule.left
        yield from (symbol.label for symbol in rule.source if isinstance(symbol, Gap))


def _rank(source: Any, labels: int) -> list[int]:
    """By which sources are sorted: gaps by their label, then words."""
    return [-1 - symbol if symbol < 0 else labels + symbol for symbol in source.tolist()]


def _check_twice(drafts: Sequence[tuple[Any, ...]]) -> None:
    first: dict[tuple[Any, ...], int] = {}
    for number, (left, source, target, *_) in enumerate(drafts, 1):
        key = left, source.tobytes(), target.tobytes()
        if first.setdefault(key, number) != number:
            reason = f"rule {number} is the same as rule {first[key]}"
            raise RuleError(reason, code="rules.duplicate", value=number, line=number)


def _draft(
    rule: Rule,
    labels: Sequence[str],
    features: Sequence[str],
    words: tuple[Vocabulary, Vocabulary],
) -> tuple[Any, ...]:
    """A rule as the writer takes it."""
    if missing := set(rule.features) ^ set(features):
        reason = f"it has other features: {', '.join(sorted(missing))}"
        raise RuleError(reason, code="features.missing", argument="features", value=sorted(missing))
    gaps = _check_gaps(rule.source)
    for gap in rule.target:
        if isinstance(gap, Gap) and gap not in gaps:
            reason = f"its target has {gap}, its source has not"
            raise RuleError(reason, code="rules.gaps", argument="target", value=str(gap))
    for name in _labels([rule]):
        if name not in labels:
            reason = f"there is no label {name!r}"
            raise RuleError(reason, code="rules.label", argument="label", value=name)
    source = [
        -1 - labels.index(symbol.label) if isinstance(symbol, Gap) else _number(symbol, words[0])
        for symbol in rule.source
    ]
    target = [
        -symbol.number if isinstance(symbol, Gap) else _number(symbol, words[1])
        for symbol in rule.target
    ]
    links = sorted(set(rule.links))
    for link in links:
        if any(not 0 <= place < 1 << 16 for place in link):
            reason = f"link {link} leads outside of it"
            raise RuleError(reason, code="argument.range", argument="links", value=link)
    values = np.array([rule.features[name] for name in features], np.float64)
    with np.errstate(over="ignore"):
        narrow = values.astype(np.float32)
    return (
        labels.index(rule.left),
        np.array(source, np.int32),
        np.array(target, np.int32),
        np.array(links, np.uint16).reshape(-1, 2),
        (rule.count, rule.source_count, rule.target_count),
        narrow,
        -1 if rule.sentence is None else rule.sentence,
    )


def _check_gaps(source: Sequence[Symbol]) -> list[Gap]:
    """The gaps of a source; others than the first, the second, … in order are refused."""
    gaps = [symbol for symbol in source if isinstance(symbol, Gap)]
    if [gap.number for gap in gaps] != list(range(1, len(gaps) + 1)):
        told = ", ".join(map(str, gaps))
        reason = f"the gaps of a source are numbered 1, 2, … in order; these are {told}"
        raise RuleError(reason, code="rules.gaps", argument="source", value=told)
    return gaps


def _number(word: str, words: Vocabulary) -> int:
    _check_word(word)
    return words.add(word)


def _check_word(word: object) -> None:
    if not isinstance(word, str) or _NO_WORD.search(word):
        raise RuleError(f"{word!r} is not a word", code="rules.word", value=word)
