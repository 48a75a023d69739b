"""Small phrase-based models for tests: random rules, language models, sentences with their limits.

Random numbers come from a seed; structure is drawn, so that failures shrink where it matters.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any, cast
from zlib import crc32

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from rosewood.decode import PhraseDecoder, SearchSettings, TranslationOptions
from rosewood.lm import Model, estimate
from rosewood.lm.files import Layout
from rosewood.reorder import Lexicalized
from rosewood.rules import Rule, RuleTable
from rosewood.rules.settings import Kind, orientation_columns
from tests.reference.phrase_options import Forced, OptionMaker, Row, table_row
from tests.reference.phrase_search import Option, Problem, Reordering, may_follow
from tests.reference.rules import spans

SOURCE = ("a", "b", "c", "d")
UNKNOWN = "ü"
TARGET = ("A", "B", "C", "D", "E")
COLUMNS = ("phrase_ef", "phrase_fe", "lexical_ef", "lexical_fe")
PENALTIES = ("word_penalty", "phrase_penalty", "unknown_penalty")
MOST_DERIVATIONS = 800

_LINES = ("A B C", "B A D D", "C A B", "E D C B A", "A A B", UNKNOWN + " B D", "C D")
_FOLDER = tempfile.TemporaryDirectory(prefix="rosewood-tests-")


class UniformModel:
    """A language model that gives a tenth to every word and to the end; it has no memory."""

    start: tuple[int, ...] = ()
    no_context: tuple[int, ...] = ()

    def score(self, words: Sequence[str]) -> float:
        return -1.0 * (len(words) + 1)

    def advance(self, state: tuple[int, ...], word: str) -> tuple[float, tuple[int, ...]]:
        return -1.0, state


@cache
def language_model(order: int, first: int = 0, layout: Layout = "fast") -> Model:
    """Of a few lines, from the first one on; it knows no word of the others."""
    path = Path(_FOLDER.name) / f"{order}-{first}-{layout}.rlm"
    return estimate(_LINES[first:], order).save(path, layout=layout)


def drawn_row(model: Reordering, words: Sequence[str], option: Option) -> tuple[float, ...]:
    """Some log probabilities, which depend on an option and on the word behind it."""
    behind = words[option.end] if option.end < len(words) else "."
    told = f"{model.name} {' '.join(words[option.begin : option.end])} {option.target} {behind}"
    random = np.random.default_rng(crc32(told.encode()))
    return tuple((-random.integers(0, 64, model.width) / 16).tolist())


@dataclass(frozen=True)
class Case:
    """A sentence, the rules there are for it, and reordering models.

    `lexicalized` has its log probabilities in columns of the rules, those of others are drawn.
    """

    words: tuple[str, ...]
    rules: tuple[Rule, ...]
    language_models: dict[str, Model]
    weights: dict[str, float]
    lexicalized: Reordering | None
    others: tuple[Reordering, ...]
    distortion_limit: int | None

    @property
    def columns(self) -> tuple[str, ...]:
        """The features of a table of its rules."""
        if self.lexicalized is None:
            return COLUMNS
        model = self.lexicalized
        return (*COLUMNS, *orientation_columns(model.classes, model.directions))

    @property
    def reorderings(self) -> tuple[Reordering, ...]:
        """All reordering models."""
        return self.others if self.lexicalized is None else (self.lexicalized, *self.others)

    def maker(self, **more: Any) -> OptionMaker:
        """What makes options for the reference."""
        rows: dict[Reordering, Row] = {}
        if self.lexicalized is not None:
            rows[self.lexicalized] = partial(table_row, self.lexicalized)
        for model in self.others:
            rows[model] = partial(self._row, model)
        return OptionMaker(self.rules, self.language_models, self.weights, rows, **more)

    def _row(self, model: Reordering, option: Option, rule: Rule | None) -> tuple[float, ...]:
        return drawn_row(model, self.words, option)

    def problem(
        self,
        *,
        forced: Sequence[Forced] = (),
        reference: tuple[str, ...] | None = None,
        **more: Any,
    ) -> Problem:
        """What the reference solves."""
        return Problem(
            len(self.words),
            tuple(self.maker(**more).options(self.words, forced)),
            self.language_models,
            self.weights,
            self.reorderings,
            self.distortion_limit,
            reference,
        )


class DrawnReordering:
    """A reordering model whose log probabilities are drawn; rules have no columns for it."""

    def __init__(self, model: Reordering) -> None:
        self.model = model
        self.name, self.kind = model.name, model.kind
        self.classes, self.directions = model.classes, model.directions

    def columns(self, table: RuleTable) -> None:
        return None

    def log_probabilities(self, options: TranslationOptions) -> NDArray[np.float64]:
        rows = [
            drawn_row(self.model, options.words, Option(begin, end, tuple(options.target_words(n))))
            for n, (begin, end) in enumerate(zip(options.begin, options.end, strict=True))
        ]
        return np.array(rows).reshape(len(options), self.model.width)


UNLIMITED = SearchSettings(
    pop_limit=None, stack_size=None, beam=None, option_limit=None, distortion_limit=None
)


@contextmanager
def decoder_of(
    case: Case, settings: SearchSettings = UNLIMITED, **more: Any
) -> Iterator[PhraseDecoder]:
    """A decoder with the models of a case, which jumps as far as it may."""
    with tempfile.TemporaryDirectory() as folder:
        table = RuleTable.build(Path(folder) / "table", case.rules, features=case.columns)
        models: list[Any] = [DrawnReordering(model) for model in case.others]
        if case.lexicalized is not None:
            models.insert(0, Lexicalized.of(table, kind=cast(Kind, case.lexicalized.kind)))
        yield PhraseDecoder(
            table,
            case.language_models,
            reorder=models,
            weights=case.weights,
            settings=replace(settings, distortion_limit=case.distortion_limit),
            **more,
        )


def reordering_models(name: str = "reorder") -> st.SearchStrategy[Reordering]:
    return st.builds(
        Reordering,
        st.just(name),
        st.sampled_from(["word", "phrase", "hierarchy"]),
        st.sampled_from(["msd", "mslr", "distance"]),
        st.sampled_from([("backward", "forward"), ("backward",), ("forward",)]),
    )


limits = st.sampled_from([None, 6, 3, 2, 1, 0])


@st.composite
def cases(
    draw: st.DrawFn,
    min_words: int = 2,
    max_words: int = 6,
    most: int = MOST_DERIVATIONS,
    lexicalized: st.SearchStrategy[Reordering | None] | None = None,
    max_others: int = 2,
) -> Case:
    """Rules that match parts of a sentence, as many as leave no more than `most` derivations."""
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    length = draw(st.sampled_from(range(max_words, min_words - 1, -1)))
    words = tuple(random.choice([*SOURCE, UNKNOWN], length).tolist())
    strategy = st.one_of(st.none(), reordering_models()) if lexicalized is None else lexicalized
    kinds = st.tuples(st.integers(1, 4), st.sampled_from(["fast", "small"]))
    models = draw(st.lists(kinds, min_size=1, max_size=2))
    case = Case(
        words,
        (),
        {
            f"lm{n or ''}": language_model(order, n, layout)
            for n, (order, layout) in enumerate(models)
        },
        {},
        draw(strategy),
        tuple(
            draw(reordering_models(f"other{n}")) for n in range(draw(st.integers(0, max_others)))
        ),
        draw(limits),
    )
    rules = _some_rules(random, case)
    while _count(case, rules) > most:
        if rules:
            del rules[int(random.integers(len(rules)))]
        else:
            case = replace(case, words=case.words[1:])
    rules.append(Rule(("no", "such"), TARGET[:1], features=dict.fromkeys(case.columns, 0.0)))
    return replace(case, rules=tuple(rules), weights=_some_weights(random, case))


def _some_rules(random: np.random.Generator, case: Case) -> list[Rule]:
    """For some spans of the sentence; few different numbers, so that hypotheses are often equal."""
    rules = {}
    density, most = random.uniform(0.2, 1.0), int(random.integers(1, 5))
    sources = dict.fromkeys(case.words[b:e] for b, e in spans(len(case.words), 4))
    for source in sources:
        if UNKNOWN in source and len(source) == 1:
            continue
        for _ in range(int(random.integers(1, most + 1)) if random.random() < density else 0):
            target = tuple(random.choice(TARGET, random.integers(0, 4)).tolist())
            links = [
                (i, j)
                for i in range(len(source))
                for j in range(len(target))
                if random.random() < 0.4
            ]
            values = -random.integers(0, 3 if random.random() < 0.3 else 64, len(case.columns)) / 16
            rules[source, target] = Rule(
                source,
                target,
                links=tuple(links),
                features=dict(zip(case.columns, values.tolist(), strict=True)),
            )
    return list(rules.values())


def _some_weights(random: np.random.Generator, case: Case) -> dict[str, float]:
    """Of any sign, some of them zero."""
    names = [*COLUMNS, *PENALTIES, "distortion"]
    names += case.language_models
    for model in case.reorderings:
        names += feature_names(model)
    values = random.normal(0.5, 0.7, len(names))
    values[random.random(len(names)) < 0.15] = 0.0
    return dict(zip(names, values.tolist(), strict=True))


def feature_names(model: Reordering) -> list[str]:
    """The features of a reordering model."""
    columns = orientation_columns(model.classes, model.directions)
    return [column.replace("orientation", model.name, 1) for column in columns]


def _count(case: Case, rules: Sequence[Rule]) -> int:
    """How many derivations there are, from the numbers of options of spans alone."""
    ways: dict[tuple[int, int], int] = {}
    for option in OptionMaker(rules, {}, {}).options(case.words):
        ways[option.span] = ways.get(option.span, 0) + 1

    @cache
    def rest(covered: frozenset[int], end: int) -> int:
        if len(covered) == len(case.words):
            return 1
        return sum(
            count * rest(covered | set(range(*span)), span[1])
            for span, count in ways.items()
            if may_follow(covered, end, span, case.distortion_limit)
        )

    return rest(frozenset(), 0)
