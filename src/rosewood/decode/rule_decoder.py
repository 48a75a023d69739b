"""What decoders with rule tables share: features, weights, options, batches of sentences."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np

from rosewood import _core
from rosewood.arguments import check_choice, check_list, check_type
from rosewood.arrays import FloatArray
from rosewood.decode.decoder import UnknownWords
from rosewood.decode.feature_declarations import Feature, feature, own_feature
from rosewood.decode.features import (
    OptionFeature,
    SparseFeature,
    check_feature,
    dense_values,
    feature_weights,
    numbers_rules,
    sparse_values,
)
from rosewood.decode.large_features import LargeFeatures
from rosewood.decode.options import TranslationOptions
from rosewood.decode.phrase_parts import as_weights, check_weights, named_models
from rosewood.decode.results import SearchResult
from rosewood.decode.rule_results import RuleResults, each_result
from rosewood.decode.rule_weights import rule_weights
from rosewood.decode.settings import native_limit
from rosewood.decode.source import Forced, Sentence, Source
from rosewood.decode.translation import Translation
from rosewood.errors import DecodingError
from rosewood.forest import BoostedTrees, FeatureSpace, Forest, Weights
from rosewood.forest.trees import TREES
from rosewood.lm import Model
from rosewood.resources import check_threads
from rosewood.rules.leave_one_out import SCORES
from rosewood.rules.table import RuleTable

PENALTIES = ("word_penalty", "phrase_penalty", "unknown_penalty")
_BATCH, _BATCH_WORDS = 64, 2000  # sentences and words a thread has at a time
_ALL = 2**62


class RuleDecoder(ABC):
    """Models and weights; a `Decoder`.  A kind of search says what is special to it."""

    settings_type: ClassVar[type]  # of its search settings
    options_type: ClassVar[type[TranslationOptions]] = TranslationOptions

    def __init__(
        self,
        table: RuleTable,
        language_models: Model | Mapping[str, Model],
        features: Sequence[OptionFeature | SparseFeature],
        weights: Mapping[str, float] | None,
        settings: Any,
        unknown: UnknownWords,
        trees: BoostedTrees | None = None,
        large: LargeFeatures | None = None,
    ) -> None:
        check_type("table", table, RuleTable, "a RuleTable", error=DecodingError)
        self._check_settings(settings)
        check_list("features", features, "a list of features", error=DecodingError)
        self.table = table
        check_type("trees", trees, BoostedTrees | None, "BoostedTrees", error=DecodingError)
        self.trees = trees
        check_type("large", large, LargeFeatures | None, "LargeFeatures", error=DecodingError)
        self.large = large
        self.language_models = named_models(language_models)
        self.option_features = tuple(features)
        self.settings = settings or self.settings_type()
        if not callable(unknown):
            check_choice("unknown", unknown, ("copy", "drop", "a function"), error=DecodingError)
        self.unknown = unknown
        self._dense = [each for each in self.option_features if isinstance(each, OptionFeature)]
        self._sparse = [each for each in self.option_features if isinstance(each, SparseFeature)]
        for each in self.option_features:
            check_feature(each)
        self._columns = tuple(
            name
            for name in table.features
            if not name.startswith("orientation_") and name not in ("rule_penalty", "glue")
        )
        self._declared = self._declarations()
        self._layout = self._feature_layout()
        self.features = FeatureSpace(self._layout.names)
        self._model = self._native_model()
        self._results = self._result_maker()
        self._set_weights(as_weights(self.default_weights() if weights is None else weights))

    # -- what is special to a kind of search -------------------------------------------------------

    @abstractmethod
    def _features_of_search(self) -> list[Feature]:
        """Features that depend on more than a rule, but for language models; and behind those."""

    @abstractmethod
    def _native_model(self) -> Any:
        """The native model, without weights."""

    @abstractmethod
    def _native_decoder(
        self, theta: FloatArray, limit: int, rule_weights: FloatArray | None
    ) -> Any:
        """The native model with weights; `limit` is how many rules a source has at most."""

    @abstractmethod
    def _result_maker(self) -> RuleResults:
        """What makes results of native ones."""

    @property
    @abstractmethod
    def _max_span(self) -> int | None:
        """Words that a rule spans at most."""

    def _add_search_columns(self, options: TranslationOptions) -> None:  # noqa: B027
        """Add what the search wants to know of options besides features."""

    # -- features and weights ----------------------------------------------------------------------

    def _declarations(self) -> list[Feature]:
        """The declarations of the dense features, in the order of θ."""
        found = [feature(name, family="column") for name in self._columns]
        for dense in self._dense:
            found += [own_feature(name, dense, family="option") for name in dense.names]
        for name, help in ({} if self.large is None else self.large.helps).items():
            found.append(replace(feature(name, family="large"), help=help))
        found += [feature(name) for name in PENALTIES]
        found += self._features_of_search()
        found += [] if self.trees is None else [feature(TREES)]
        names = [each.name for each in found] + [each.template for each in self._sparse]
        for name in names:
            if names.count(name) > 1:
                reason = f"two features are called {name!r}"
                raise DecodingError(reason, code="feature.duplicate", argument=name)
        return found

    def _feature_help(self) -> dict[str, str]:
        """The help of dense features by name, of sparse ones by template."""
        sparse = [own_feature(each.template, each, family="option") for each in self._sparse]
        return {each.name: each.help for each in [*self._declared, *sparse]}

    def _feature_layout(self) -> _core.FeatureLayout:
        """The table of dense features that native code shares: its order is the order of names."""
        places = {name: number for number, name in enumerate(self.table.features)}
        rows: list[tuple[str, str, int]] = []
        seen: Counter[str] = Counter()
        for each in self._declared:
            kind = str(each.native)
            rows.append((each.name, kind, places[each.name] if kind == "table" else seen[kind]))
            seen[kind] += 1
        return _core.FeatureLayout(rows)

    def _native_trees(self) -> list[tuple[list[tuple[int, int, float]], list[float], list[int]]]:
        """Trees in terms of the places of features: splits, values of leaves, factors."""
        if self.trees is None:
            return []
        place = {each.name: number for number, each in enumerate(self._declared[:-1])}
        for name in self.trees.columns:
            if name not in place:
                reason = f"trees look at the feature {name!r}, which this decoder does not have"
                raise DecodingError(reason, code="features.missing", argument=name)
        return [
            (
                [(each.leaf, place[each.column], each.threshold) for each in tree.splits],
                [tree.scale * value for value in tree.values],
                [place[name] for name in tree.factors],
            )
            for tree in self.trees.trees
        ]

    def default_weights(self) -> dict[str, float]:
        """Weights from which tuning starts: those of Moses."""
        return {each.name: each.start for each in self._declared}

    def _set_weights(self, weights: Weights) -> None:
        check_weights(weights, self.features.dense, self._sparse)
        self.weights = weights
        theta = np.array([weights.named[name] for name in self.features.dense])
        limit = native_limit(self.settings.option_limit)
        of_rules = rule_weights(self._sparse, weights, self.table)
        self._native = self._native_decoder(theta, limit, of_rules)
        self._theta: FloatArray = theta
        used = {name.partition(":")[0] for name, value in weights.named.items() if value}
        used |= {name for name, (_, values) in weights.numbered.items() if values.any()}
        self._weighted = [
            each for each in self._sparse if each.template in used and not numbers_rules(each)
        ]

    def with_weights(self, weights: Mapping[str, float]) -> Self:
        """The same decoder with other weights; the feature space is shared."""
        return self._with(weights=weights)

    def with_settings(self, settings: Any) -> Self:
        """The same decoder with other search settings; None are its own."""
        self._check_settings(settings)
        return self._with(settings=settings)

    def _check_settings(self, settings: Any) -> None:
        expected = self.settings_type
        check_type("settings", settings, expected | None, expected.__name__, error=DecodingError)

    def _with(self, weights: Mapping[str, float] | None = None, settings: Any = None) -> Self:
        made = object.__new__(type(self))
        made.__dict__.update(self.__dict__)
        made.settings = settings or self.settings
        made._set_weights(self.weights if weights is None else as_weights(weights))
        return made

    def theta(self) -> FloatArray:
        """The weights in the order of `features`, which grow as sparse features are met."""
        known = self._theta
        if len(known) != len(self.features):  # two threads may both compute it: the same values
            known = self._theta = self.features.vector(self.weights, only_known=True)
            known.flags.writeable = False
        return known

    def describe(self, name: str) -> str:
        """The name of a sparse feature, and what it stands for: the sides of a rule."""
        return self._results.describe(name)

    # -- searching ---------------------------------------------------------------------------------

    def decode(self, sentence: Sentence) -> Forest:
        """The forest of a sentence's translations."""
        return self.search(sentence).forest

    def search(self, sentence: Sentence) -> SearchResult:
        """Search one sentence: its forest, best translation, options and report."""
        return next(iter(self.search_all([sentence])))

    def search_all(
        self, sentences: Iterable[Sentence], *, threads: int = 1
    ) -> Iterator[SearchResult]:
        """Search many sentences; results in their order, the same at any number of threads."""
        searched = self._searched(sentences, threads, with_forest=True)
        return each_result(self._results.search, searched)

    def translate(
        self, sentences: Iterable[Sentence], *, threads: int = 1
    ) -> Iterator[Translation]:
        """The best translation of each sentence; no forest is made, so this takes least time."""
        searched = self._searched(sentences, threads, with_forest=False)
        return each_result(self._results.translation, searched)

    def _searched(
        self, sentences: Iterable[Sentence], threads: int, *, with_forest: bool
    ) -> Iterator[tuple[Source, TranslationOptions, Any]]:
        check_list("sentences", sentences, "a list of sentences", error=DecodingError)
        threads = check_threads(threads, DecodingError)
        number = 1
        for sources in batches_of_sentences(sentences, threads):
            options = self._options(sources, number, threads)
            references = [each.reference for each in sources]
            natives = [each.native for each in options]
            found = self._native.search(
                natives, references, *self.settings.native(), with_forest, number, threads
            )
            number += len(sources)
            yield from zip(sources, options, found, strict=True)

    def _options(
        self, sources: list[Source], number: int, threads: int
    ) -> list[TranslationOptions]:
        """`number` is that of the first sentence, for errors."""
        given = [source.given() + self._unknown_words(source) for source in sources]
        found = self._native.options(
            [source.words for source in sources],
            given,
            native_limit(self._max_span) or _ALL,
            self.unknown == "drop",
            number,
            threads,
            *self._changed(sources),
        )
        count = sum(each.computed != "hypothesis" for each in self._declared)
        alone = self.features.dense[:count]
        every = [
            self.options_type(
                source.words, self.table, self._columns, each, alone, self.language_models
            )
            for source, each in zip(sources, found, strict=True)
        ]
        for place, options in enumerate(every, number):
            try:
                self._add_columns(options)
            except DecodingError as error:
                raise error.restated(f"sentence {place}: {error}", line=place) from error
        return every

    def _changed(self, sources: list[Source]) -> tuple[list[Any], list[int]]:
        """Rules that sentences have otherwise than the table, and which features change."""
        if all(source.left_out is None for source in sources):
            return [], []
        names = self.features.dense
        places = [(n, names.index(name)) for n, name in enumerate(SCORES) if name in names]
        changed: list[Any] = []
        for source in sources:
            left_out = source.left_out
            if left_out is None:
                changed.append(None)
                continue
            added = left_out.added[:, [n for n, _ in places]]
            added = np.where(left_out.is_removed[:, None], -np.inf, added)
            changed.append((left_out.rules, np.ascontiguousarray(added)))
        return changed, [place for _, place in places]

    def _unknown_words(self, source: Source) -> list[tuple[int, int, int, tuple[str, ...]]]:
        if not callable(self.unknown):
            return []
        given = []
        told = {n for f in source.forced if f.exclusive for n in range(f.begin, f.end)}
        told |= {f.begin for f in source.forced if f.end == f.begin + 1}
        for place in self._model.words_without_option(source.words):
            if place in told:
                continue
            said = self.unknown(source.words[place])
            if said is not None and (isinstance(said, bytes) or not isinstance(said, Iterable)):
                said = [said]  # which is refused
            for target in [said] if isinstance(said, str) else said or []:
                try:
                    forced = Forced(place, place + 1, (target,))
                except DecodingError as error:
                    word = source.words[place]
                    raise error.restated(
                        f"the function for unknown words, asked for {word!r}: {error}",
                        argument="unknown",
                    ) from None
                given += [(place, place + 1, 2, words) for words in forced.translations]
        return given

    def _add_columns(self, options: TranslationOptions) -> None:
        first, _ = self._layout.block("option")
        for dense in self._dense:
            options.native.set_features(first, dense_values(dense, options))
            first += len(dense.names)
        self._add_search_columns(options)
        if self._weighted:
            scores = np.zeros(len(options))
            for each in self._weighted:
                owner, keys, values = sparse_values(each, options, np.arange(len(options)))
                weights = feature_weights(each, self.weights, keys)
                scores += np.bincount(owner, weights * values, minlength=len(options))
            options.native.set_added_score(scores)

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({self.table!r}, {len(self.language_models)} language models, "
            f"{len(self.features.dense)} dense features)"
        )


def batches_of_sentences(sentences: Iterable[Sentence], threads: int) -> Iterator[list[Source]]:
    """Sentences that are searched together: fewer where they are long, for memory's sake."""
    batch: list[Source] = []
    words = 0
    for number, each in enumerate(sentences, 1):
        batch.append(_source(each, number))
        words += len(batch[-1].words)
        if len(batch) == _BATCH * threads or words >= _BATCH_WORDS * threads:
            yield batch
            batch, words = [], 0
    if batch:
        yield batch


def _source(sentence: Sentence, number: int) -> Source:
    try:
        return Source.of(sentence)
    except DecodingError as error:
        raise error.restated(f"sentence {number}: {error}", line=number) from None
