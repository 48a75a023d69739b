"""The phrase-based decoder: a sentence in, a forest of its translations out.

    decoder = PhraseDecoder(RuleTable.open("rules"), Model.open("lm.rlm"), weights=weights)
    decoder.decode("das haus ist klein")                    # a Forest
    for translation in decoder.translate(lines, threads=2): print(translation.text)
    found = decoder.search(Source(words, forced=(Forced(0, 2, ("the house",)),)))
    found.forest; found.best.links; found.report

Features have the values that Moses gives them, so weights of a moses.ini fit; docs/decoding.md
lists them.  Native      core/decode/phrase_search.hpp; specification: tests/reference/phrase_search.py
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from math import inf, isfinite
from typing import Any, Literal

import numpy as np

from rosewood import _core
from rosewood.arrays import FloatArray, IdArray, as_count
from rosewood.corpus import Vocabulary
from rosewood.decode.features import OptionFeature, SparseFeature, dense_values
from rosewood.decode.options import TranslationOptions
from rosewood.decode.settings import SearchSettings
from rosewood.decode.source import Sentence, Source
from rosewood.decode.translation import PhraseUse, SearchReport, Translation
from rosewood.errors import DecodingError, ForestError
from rosewood.forest import FeatureSpace, Forest
from rosewood.lm import Model
from rosewood.reorder.lexicalized import Lexicalized
from rosewood.reorder.model import ReorderingModel, class_names
from rosewood.rules.settings import CLASSES, DIRECTIONS, KINDS
from rosewood.rules.table import RuleTable

__all__ = ["PhraseDecoder", "PhraseSearch", "UnknownWords"]

UnknownWords = Literal["copy", "drop"] | Callable[[str], "str | Sequence[str] | None"]

_PENALTIES = ("word_penalty", "phrase_penalty", "unknown_penalty")
_BATCH = 64  # sentences a thread has at a time
_ALL = 2**62
_DEFAULTS = {"word_penalty": -1.0, "unknown_penalty": 1.0, "distortion": 0.3}


@dataclass(frozen=True, eq=False)
class PhraseSearch:
    """What a search has found: all of it as a forest, and the best of it."""

    source: Source
    forest: Forest
    options: TranslationOptions
    edge_option: IdArray  # of each edge of the forest; -1 where it says nothing
    best: Translation
    report: SearchReport


class PhraseDecoder:
    """Models and weights.  Any number of threads may ask it."""

    def __init__(
        self,
        table: RuleTable,
        language_models: Model | Mapping[str, Model],
        *,
        reorder: ReorderingModel | Sequence[ReorderingModel] | None = None,
        features: Sequence[OptionFeature | SparseFeature] = (),
        weights: Mapping[str, float] | None = None,
        settings: SearchSettings | None = None,
        unknown: UnknownWords = "copy",
    ) -> None:
        """`reorder` is what the table has columns for, unless it is given: () is none at all.

        Words that no rule translates are copied, dropped, or translated by `unknown`: a function
        from a word to its translations; None has it copied.
        """
        self.table = table
        self.language_models = _named_models(language_models)
        self.reorder = _models(reorder, table)
        self.option_features = tuple(features)
        self.settings = settings or SearchSettings()
        if not callable(unknown) and unknown not in ("copy", "drop"):
            raise DecodingError(f"unknown is {unknown!r}, want copy, drop or a function")
        self.unknown = unknown
        self._dense = [each for each in self.option_features if isinstance(each, OptionFeature)]
        self._sparse = [each for each in self.option_features if isinstance(each, SparseFeature)]
        for each in self.option_features:
            if isinstance(each, OptionFeature) == isinstance(each, SparseFeature):
                raise DecodingError(f"{each!r} is no feature: it has neither names nor a template")
        self._columns = tuple(
            name
            for name in table.features
            if not name.startswith("orientation_") and name != "rule_penalty"
        )
        self.features = FeatureSpace(self._names())
        self.vocabulary = Vocabulary()
        self._word_numbers = np.full(len(table.target_words), -1, np.int32)
        self._model = self._native_model()
        self._set_weights(weights)

    # -- features and weights ----------------------------------------------------------------------

    def _names(self) -> list[str]:
        names = [*self._columns]
        for each in self._dense:
            names += each.names
        names += [*_PENALTIES, "distortion", *self.language_models]
        for model in self.reorder:
            names += [f"{model.name}_{each}" for each in class_names(model)]
        for name in names:
            if names.count(name) > 1:
                raise DecodingError(f"two features are called {name!r}")
        return names

    def default_weights(self) -> dict[str, float]:
        """Where tuning may begin: what Moses begins with."""
        rest = dict.fromkeys(self.language_models, 0.5)
        for model in self.reorder:
            rest |= {f"{model.name}_{each}": 0.3 for each in class_names(model)}
        rest |= {name: 0.0 for each in self._dense for name in each.names}
        return {name: {**_DEFAULTS, **rest}.get(name, 0.2) for name in self.features.dense}

    def _set_weights(self, weights: Mapping[str, float] | None) -> None:
        named = self.default_weights() if weights is None else dict(weights)
        templates = tuple(f"{each.template}:" for each in self._sparse)
        for name, value in named.items():
            if isinstance(value, bool) or not isinstance(value, int | float | np.floating):
                raise DecodingError(f"the weight of {name!r} is {value!r}, want a number")
            if not isfinite(value):
                raise DecodingError(f"the weight of {name!r} is {value}, want a number")
            if self.features.dense_index(name) is None and not name.startswith(templates):
                if not templates or ":" not in name:
                    raise DecodingError(f"there is a weight for {name!r}, but no such feature")
        for name in self.features.dense:
            if name not in named:
                raise DecodingError(f"there is no weight for the feature {name!r}")
        self.weights = {name: float(value) for name, value in named.items()}
        theta = np.array([self.weights[name] for name in self.features.dense])
        limit = self.settings.option_limit or 0
        self._native = _core.PhraseDecoder(self._model, theta, limit)
        self._weighted = [
            each
            for each in self._sparse
            if any(v and n.startswith(f"{each.template}:") for n, v in self.weights.items())
        ]

    def with_weights(self, weights: Mapping[str, float]) -> PhraseDecoder:
        """The same decoder with other weights; feature space and vocabulary are shared."""
        return self._with(weights=weights)

    def with_settings(self, settings: SearchSettings) -> PhraseDecoder:
        """The same decoder with other limits."""
        return self._with(settings=settings)

    def _with(
        self, weights: Mapping[str, float] | None = None, settings: SearchSettings | None = None
    ) -> PhraseDecoder:
        made = PhraseDecoder.__new__(PhraseDecoder)
        made.__dict__.update(self.__dict__)
        made.settings = settings or self.settings
        made._set_weights(self.weights if weights is None else weights)
        return made

    def theta(self) -> FloatArray:
        """The weights for the features as they are now: sparse ones are met in forests."""
        known = self.features.sparse
        return self.features.vector(
            {n: w for n, w in self.weights.items() if n in known or n in self.features.dense}
        )

    def _native_model(self) -> _core.PhraseModel:
        places = {name: number for number, name in enumerate(self.table.features)}
        slots: list[tuple[int, int, bool, int]] = []
        columns: list[int] = []
        for model in self.reorder:
            for way in model.directions:
                classes = len(CLASSES[model.classes])
                first = (
                    len(columns) + len(model.directions[: model.directions.index(way)]) * classes
                )
                slots.append((KINDS.index(model.kind), DIRECTIONS.index(way), classes == 3, first))
            own = model.columns(self.table)
            columns += [-1] * len(class_names(model)) if own is None else own
        return _core.PhraseModel(
            self.table.native,
            [places[name] for name in self._columns],
            sum(len(each.names) for each in self._dense),
            [model.native for model in self.language_models.values()],
            slots,
            columns,
        )

    # -- searching ---------------------------------------------------------------------------------

    def decode(self, sentence: Sentence) -> Forest:
        """The forest of a sentence's translations."""
        return self.search(sentence).forest

    def search(self, sentence: Sentence) -> PhraseSearch:
        """The same, with the best translation, the options and a report."""
        return next(iter(self.search_all([sentence])))

    def search_all(
        self, sentences: Iterable[Sentence], *, threads: int = 1
    ) -> Iterator[PhraseSearch]:
        """The same of many sentences, in their order; alike at any number of threads."""
        for source, options, found in self._searched(sentences, threads, with_forest=True):
            report = SearchReport(*found.report)
            forest, edge_option = self._forest(options, found)
            best = self._translation(source, options, found, report)
            yield PhraseSearch(source, forest, options, edge_option, best, report)

    def translate(
        self, sentences: Iterable[Sentence], *, threads: int = 1
    ) -> Iterator[Translation]:
        """The best translation of each sentence; no forest is made, so this takes least time."""
        for source, options, found in self._searched(sentences, threads, with_forest=False):
            yield self._translation(source, options, found, SearchReport(*found.report))

    def _searched(
        self, sentences: Iterable[Sentence], threads: int, *, with_forest: bool
    ) -> Iterator[tuple[Source, TranslationOptions, _core.SearchResult]]:
        if isinstance(sentences, str | Source):
            raise DecodingError("sentences are a list of them, this is one")
        try:
            threads = as_count("threads", threads, 1, 1024)
        except ForestError as error:
            raise DecodingError(str(error)) from None
        rest = iter(sentences)
        count = 0
        while some := list(islice(rest, _BATCH * threads)):
            sources = [_source(each, count + n) for n, each in enumerate(some, 1)]
            count += len(some)
            options = self._options(sources, threads)
            references = [
                None if each.reference is None else " ".join(each.reference) for each in sources
            ]
            natives = [each.native for each in options]
            found = self._native.search(
                natives, references, *self.settings.native(), with_forest, threads
            )
            yield from zip(sources, options, found, strict=True)

    def _options(self, sources: list[Source], threads: int) -> list[TranslationOptions]:
        given = [source.given() + self._unknown_words(source) for source in sources]
        found = self._native.options(
            [source.text for source in sources],
            given,
            self.settings.max_phrase or _ALL,
            self.unknown == "drop",
            threads,
        )
        every = [
            TranslationOptions(source.words, self.table, self._columns, each)
            for source, each in zip(sources, found, strict=True)
        ]
        for options in every:
            self._add_columns(options)
        return every

    def _unknown_words(self, source: Source) -> list[tuple[int, int, int, str]]:
        if not callable(self.unknown):
            return []
        given = []
        for place in self._model.words_without_option(source.text):
            said = self.unknown(source.words[place])
            for target in [said] if isinstance(said, str) else said or []:
                if not isinstance(target, str) or "\n" in target:
                    raise DecodingError(
                        f"the function for unknown words gave {target!r} for "
                        f"{source.words[place]!r}, want words between spaces"
                    )
                given.append((place, place + 1, 2, target))
        return given

    def _add_columns(self, options: TranslationOptions) -> None:
        first = len(self._columns)
        for each in self._dense:
            options.native.set_features(first, dense_values(each, options))
            first += len(each.names)
        first = 0
        for model in self.reorder:
            width = len(class_names(model))
            if model.columns(self.table) is None:
                options.native.set_orientations(first, _orientations(model, options, width))
            first += width
        if self._weighted:
            scores = np.zeros(len(options))
            for each in self._weighted:
                owner, names, values = self._sparse_values(each, options, np.arange(len(options)))
                weights = np.array([self.weights.get(name, 0.0) for name in names])
                np.add.at(scores, owner, weights * values)
            options.native.set_added_score(scores)

    def _sparse_values(
        self, feature: SparseFeature, options: TranslationOptions, chosen: Any
    ) -> tuple[Any, list[str], FloatArray]:
        owner, names, values = feature(options, chosen)
        owners = np.asarray(owner, dtype=np.int64)
        numbers = np.asarray(values, dtype=np.float64)
        every = list(names)
        what = f"feature {feature.template!r}"
        if not len(owners) == len(every) == len(numbers):
            raise DecodingError(f"{what} gave options, names and values of different lengths")
        if len(owners) and not (owners.min() >= 0 and owners.max() < len(options)):
            raise DecodingError(f"{what} names an option that is not there")
        if not np.isfinite(numbers).all():
            raise DecodingError(f"{what} gave what is no number")
        for name in every:
            if not name.startswith(f"{feature.template}:"):
                raise DecodingError(f"{what} gave the name {name!r}, which begins otherwise")
        return owners, every, numbers

    # -- results -----------------------------------------------------------------------------------

    def _translation(
        self,
        source: Source,
        options: TranslationOptions,
        found: _core.SearchResult,
        report: SearchReport,
    ) -> Translation:
        chosen, values, score = found.best
        words: list[str] = []
        phrases = []
        for option in chosen.tolist():
            said = options.target_words(option)
            rule = int(options.rule[option])
            phrases.append(
                PhraseUse(
                    int(options.begin[option]),
                    int(options.end[option]),
                    len(words),
                    len(words) + len(said),
                    None if rule < 0 else int(self.table.ids([rule])[0]),
                    bool(options.is_unknown[option]),
                    bool(options.is_forced[option]),
                )
            )
            words += said
        features = {n: v for n, v in zip(self.features.dense, values.tolist(), strict=True) if v}
        for each in self._sparse:
            for option in chosen.tolist():
                _, names, numbers = self._sparse_values(each, options, np.array([option]))
                for name, value in zip(names, numbers.tolist(), strict=True):
                    features[name] = features.get(name, 0.0) + value
        score = score if report.reachable else -inf
        return Translation(
            source, tuple(words), score, features, tuple(phrases), report, self.table
        )

    def _forest(
        self, options: TranslationOptions, found: _core.SearchResult
    ) -> tuple[Forest, IdArray]:
        (edge_start, tail_start, tail, dense, yield_start, symbols, edge_option) = (
            found.take_forest()
        )
        if len(edge_start) < 2:
            empty = Forest.empty(features=self.features, vocabulary=self.vocabulary)
            return empty, edge_option
        edges = len(edge_option)
        own = edge_option >= 0
        rule = np.full(edges, -1, np.int64)
        rules = options.rule[edge_option[own]]
        rule[own] = np.where(rules >= 0, self.table.ids(np.maximum(rules, 0)), -1)
        sparse = self._sparse_rows(options, edge_option) if self._sparse else {}
        forest = Forest._unchecked(
            edge_start=edge_start,
            tail_start=tail_start,
            tail=tail,
            features=self.features,
            dense=dense.reshape(edges, len(self.features.dense)),
            vocabulary=self.vocabulary,
            yield_start=yield_start,
            yield_symbol=self._numbered(options, symbols),
            rule=rule,
            **{
                "feat_start": np.zeros(edges + 1, np.int64),
                "feat_id": np.zeros(0, np.int32),
                "feat_value": np.zeros(0),
                **sparse,
            },
        )
        return forest, edge_option

    def _numbered(self, options: TranslationOptions, symbols: IdArray) -> IdArray:
        """Words as the vocabulary of all forests numbers them."""
        known = len(self._word_numbers)
        used = np.unique(symbols[symbols >= 0])
        for number in used[used < known].tolist():
            if self._word_numbers[number] < 0:
                self._word_numbers[number] = self.vocabulary.add(options.word(number))
        extra = used[used >= known].tolist()
        numbers = np.concatenate(
            [
                self._word_numbers,
                np.array([self.vocabulary.add(options.word(n)) for n in extra], np.int32),
            ]
        )
        places = symbols.copy()
        if extra:
            among = np.searchsorted(np.array(extra), symbols)
            places = np.where(symbols >= known, known + among, symbols)
        return np.where(symbols < 0, symbols, numbers[places]).astype(np.int32)

    def _sparse_rows(self, options: TranslationOptions, edge_option: IdArray) -> dict[str, Any]:
        """The sparse features of each edge: ids ascend, and each is there once."""
        used = np.unique(edge_option[edge_option >= 0])
        rows: dict[int, dict[int, float]] = {option: {} for option in used.tolist()}
        for each in self._sparse:
            owners, names, values = self._sparse_values(each, options, used.astype(np.int64))
            ids = self.features.sparse.add_all(names)
            for owner, number, value in zip(owners.tolist(), ids, values.tolist(), strict=True):
                rows[owner][number] = rows[owner].get(number, 0.0) + value
        ordered = [sorted(rows[option].items()) for option in used.tolist()]
        counts = np.array([len(row) for row in ordered], np.int64)
        starts = np.concatenate([[0], np.cumsum(counts)])
        ids = np.array([number for row in ordered for number, _ in row], np.int32)
        values = np.array([value for row in ordered for _, value in row])
        place = np.searchsorted(used, edge_option)  # of edges that say something
        own = edge_option >= 0
        lengths = np.where(own, counts[np.where(own, place, 0)] if len(used) else 0, 0)
        feat_start = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        begin = np.where(own, starts[np.where(own, place, 0)], 0)
        pick = np.arange(feat_start[-1]) + np.repeat(begin - feat_start[:-1], lengths)
        return {
            "feat_start": feat_start,
            "feat_id": ids[pick].astype(np.int32),
            "feat_value": values[pick].astype(np.float64),
        }

    # -- the rest ----------------------------------------------------------------------------------

    def __repr__(self) -> str:
        return (
            f"PhraseDecoder({self.table!r}, {len(self.language_models)} language models, "
            f"{len(self.features.dense)} dense features)"
        )

    def __reduce__(self) -> tuple[object, ...]:
        return (
            _made_again,
            (
                self.table, self.language_models, self.reorder, self.option_features, self.weights,
                self.settings, self.unknown,
            ),
        )  # fmt: skip


def _made_again(table: RuleTable, lms: Any, reorder: Any, features: Any, *rest: Any) -> Any:
    weights, settings, unknown = rest
    return PhraseDecoder(
        table, lms, reorder=reorder, features=features, weights=weights, settings=settings,
        unknown=unknown,
    )  # fmt: skip


def _source(sentence: Sentence, number: int) -> Source:
    try:
        return Source.of(sentence)
    except DecodingError as error:
        raise DecodingError(f"sentence {number}: {error}") from None


def _named_models(models: Model | Mapping[str, Model]) -> dict[str, Model]:
    named = dict(models) if isinstance(models, Mapping) else {"lm": models}
    for name, model in named.items():
        if not isinstance(model, Model):
            raise DecodingError(
                f"{name!r} is {type(model).__name__}, want a language model; models of a mixture "
                "can be given one by one, with a weight each"
            )
    return named


def _models(
    reorder: ReorderingModel | Sequence[ReorderingModel] | None, table: RuleTable
) -> tuple[ReorderingModel, ...]:
    if reorder is None:
        found = Lexicalized.of(table)
        return () if found is None else (found,)
    if isinstance(reorder, ReorderingModel):
        return (reorder,)
    return tuple(reorder)


def _orientations(model: ReorderingModel, options: TranslationOptions, width: int) -> FloatArray:
    rows = np.ascontiguousarray(model.log_probabilities(options), dtype=np.float64)
    if rows.shape != (len(options), width):
        raise DecodingError(
            f"{model.name!r} gave numbers of shape {rows.shape}, want {(len(options), width)}"
        )
    if not np.isfinite(rows).all():
        raise DecodingError(f"{model.name!r} gave what is no number")
    return rows
