"""Small grammars for tests: random rules with gaps, labels and unary rules, and sentences."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

from hypothesis import strategies as st

from rosewood.decode import HieroDecoder, HieroSettings
from rosewood.lm import Model
from rosewood.rules import Gap, Rule, RuleTable
from tests.phrase_models import SOURCE, TARGET, UNKNOWN, language_model
from tests.reference.chart_search import ChartProblem

COLUMNS = ("phrase_ef", "lexical_ef")
FEATURES = (*COLUMNS, "word_penalty", "phrase_penalty", "unknown_penalty", "glue")
UNLIMITED = HieroSettings(pop_limit=None, max_span=None, option_limit=None)
MOST_DERIVATIONS = 800


@dataclass(frozen=True)
class HieroCase:
    """A sentence, a grammar for it, language models and weights."""

    words: tuple[str, ...]
    rules: tuple[Rule, ...]
    labels: tuple[str, ...]
    language_models: dict[str, Model]
    weights: dict[str, float]
    max_span: int | None
    joined: tuple[str, ...] | None = None  # labels that glue rules of the table name

    def problem(self, **more: Any) -> ChartProblem:
        """What the reference solves."""
        return ChartProblem(
            self.words, self.rules, self.labels, self.language_models, self.weights,
            self.max_span, joined=self.joined, **more,
        )  # fmt: skip


@contextmanager
def decoder_of(case: HieroCase, settings: HieroSettings = UNLIMITED, **more: Any) -> Iterator[Any]:
    """A decoder with the models of a case."""
    with tempfile.TemporaryDirectory() as folder:
        glue = [rule for label in case.joined or () for rule in glue_rules(label)]
        labels = (*case.labels, "S") if glue else case.labels
        table = RuleTable.build(
            Path(folder) / "table", [*case.rules, *glue], labels=labels, features=COLUMNS
        )
        yield HieroDecoder(
            table, case.language_models, weights=case.weights,
            settings=replace(settings, max_span=case.max_span), **more,
        )  # fmt: skip


def glue_rules(label: str) -> list[Rule]:
    """Rules that say that glue joins parts of a label."""
    values = dict.fromkeys(COLUMNS, 0.0)
    both, alone = (Gap("S", 1), Gap(label, 2)), (Gap(label, 1),)
    return [Rule(gaps, gaps, "S", (), values) for gaps in (both, alone)]


def _rule(random: Random, words: tuple[str, ...], labels: tuple[str, ...]) -> Rule:
    begin = random.randrange(len(words))
    end = random.randrange(begin, min(begin + 4, len(words))) + 1
    source: list[str | Gap] = []
    at, gaps = begin, 0
    while at < end:
        if gaps < 2 and random.random() < 0.45:
            size = random.randint(1, end - at)
            gaps += 1
            source.append(Gap(random.choice(labels), gaps))
            at += size
        else:
            source.append(words[at])
            at += 1
    left = random.choice(labels)
    if len(source) == 1 and isinstance(source[0], Gap):  # from a later label to an earlier one
        first, last = sorted(random.sample(range(len(labels)), 2)) if len(labels) > 1 else (0, 0)
        if first == last:
            source = [words[begin]]
        else:
            left, source = labels[first], [Gap(labels[last], 1)]
    own = [symbol for symbol in source if isinstance(symbol, Gap)]
    target: list[str | Gap] = [*random.choices(TARGET, k=random.choice([0, 1, 1, 2])), *own]
    random.shuffle(target)
    links = tuple(
        (i, j)
        for i, one in enumerate(source)
        for j, other in enumerate(target)
        if isinstance(one, str) and isinstance(other, str) and random.random() < 0.5
    )
    values = {name: -random.randrange(64) / 16 for name in COLUMNS}
    return Rule(tuple(source), tuple(target), left, links, values)


def _word_rule(random: Random, word: str, labels: tuple[str, ...]) -> Rule:
    values = {name: -random.randrange(64) / 16 for name in COLUMNS}
    return Rule((word,), (random.choice(TARGET),), random.choice(labels), ((0, 0),), values)


@st.composite
def hiero_cases(
    draw: st.DrawFn, max_words: int = 5, most: int = MOST_DERIVATIONS, max_labels: int = 3
) -> HieroCase:
    """Rules that may match parts of a sentence, as many as leave at most `most` derivations."""
    random = Random(draw(st.integers(0, 2**32 - 1)))
    labels = draw(st.sampled_from([("X",), ("X", "Y"), ("X", "Y", "Z")][:max_labels]))
    length = draw(st.sampled_from(range(max_words, 0, -1)))
    words = tuple(random.choices([*SOURCE, *SOURCE, UNKNOWN], k=length))
    orders = draw(st.lists(st.integers(1, 4), max_size=2))
    layouts = st.sampled_from(["fast", "small"])
    models = {f"lm{i}": language_model(n, i, draw(layouts)) for i, n in enumerate(orders)}
    names = [*FEATURES, *models]
    weights = {name: random.randrange(-16, 17) / 8 for name in names}
    span = draw(st.sampled_from([None, 3, 2, 1]))
    rules: dict[tuple[Any, ...], Rule] = {}
    case = HieroCase(words, (), labels, models, weights, span)
    drawn = [_word_rule(random, word, labels) for word in SOURCE if random.random() < 0.8]
    drawn += [_rule(random, words, labels) for _ in range(draw(st.integers(0, 12)))]
    for rule in drawn:
        tried = rules | {(rule.left, rule.source, rule.target): rule}
        made = replace(case, rules=tuple(tried.values()))
        if len(list(islice(made.problem().derivations(), most + 1))) <= most:
            rules, case = tried, made
    few = replace(case, joined=("X", *random.sample(labels[1:], random.randrange(len(labels)))))
    is_possible = next(few.problem().derivations(), None) is not None
    return few if is_possible and random.random() < 0.5 else case
