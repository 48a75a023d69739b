"""Features written in Python: a column for each translation option, or sparse numbered ones.

    class Longer:                                   # dense: a column
        names = ("longer",)
        def __call__(self, options):
            return (np.diff(options.target_start) > options.end - options.begin)[:, None]

    decoder = PhraseDecoder(table, lm, features=[Longer(), RuleIds()])

A feature is called once for a sentence, with all its options.  It sees an option and its source
sentence, not the hypothesis it will be part of.  A rule with gaps is one option, wherever it
matches: it has no span, so `begin` and `end` are -1, and `gaps` tells it from others.  A feature
may have a line of `help`, and a `version`, which models that use it keep.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from rosewood.arrays import FloatArray, IdArray, LongArray
from rosewood.decode.options import TranslationOptions
from rosewood.errors import DecodingError, ForestError
from rosewood.forest import SparseFeatures, Weights
from rosewood.forest.sparse import numbered_name
from rosewood.rules.table import RuleTable

Keys = LongArray | list[str]  # of sparse features: numbers, or whole names
Sparse = tuple[ArrayLike, Sequence[str] | ArrayLike, ArrayLike]  # option, key and value of each


@runtime_checkable
class OptionFeature(Protocol):
    """Dense features: a column for each name."""

    @property
    def names(self) -> tuple[str, ...]:
        """What the features are called."""
        ...

    def __call__(self, options: TranslationOptions) -> ArrayLike:
        """A row for each option, a column for each name."""
        ...


@runtime_checkable
class SparseFeature(Protocol):
    """Sparse features: `template:NUMBER`, or names that begin with the template and a colon.

    A feature whose numbers are the ids of the options' rules, each with the value 1 and none for
    options without a rule, may have the attribute `numbers_rules = True`.  Its weights are then
    part of the search itself: they cost no time, and count when the best rules of a source are
    chosen.  It is still called for the features of forests and translations.
    """

    @property
    def template(self) -> str:
        """How the names begin."""
        ...

    def __call__(self, options: TranslationOptions, chosen: LongArray) -> Sparse:
        """Of the chosen options: the option, the number (or name) and the value of each feature.

        Numbers are much faster than names.  Names must come from a bounded set: every one that is
        met stays in the feature space of the decoder.
        """
        ...


@runtime_checkable
class Describing(Protocol):
    """Sparse features whose numbers stand for something that people can read."""

    def describe(self, number: int, table: RuleTable) -> str:
        """The meaning of a number."""
        ...


def numbers_rules(feature: SparseFeature) -> bool:
    """Whether the numbers of a feature are rule ids, each with the value 1."""
    return bool(getattr(feature, "numbers_rules", False))


def check_feature(feature: object) -> None:
    """Refuse an object that is not a feature, or whose names are unusable."""
    if isinstance(feature, OptionFeature) == isinstance(feature, SparseFeature):
        reason = f"{feature!r} is not a feature: it needs names, or a template"
        raise DecodingError(reason, code="feature.class", argument="feature", value=feature)
    if isinstance(feature, SparseFeature):
        names: object = (feature.template,)
    else:
        names = feature.names  # type: ignore[attr-defined]
    if isinstance(names, str) or not isinstance(names, Sequence) or not names:
        reason = f"{feature!r} has the names {names!r}, expected a list of names"
        raise DecodingError(reason, code="feature.names", argument="names", value=names)
    for name in names:
        check_feature_name(feature, name)


def check_feature_name(owner: object, name: object) -> None:
    """Refuse a name that is empty, or has the colon that sparse features have."""
    if not isinstance(name, str) or not name or ":" in name:
        reason = f"{owner!r} has the name {name!r}, expected a text without colon"
        raise DecodingError(reason, code="feature.names", argument="name", value=name)


def _called(what: str, feature: Callable[..., Any], *arguments: object) -> Any:
    try:
        return feature(*arguments)
    except Exception as error:  # somebody's code, which may be part of a model
        reason = f"{what} failed: {error!r}"
        raise DecodingError(reason, code="feature.failed", argument=what) from error


def dense_values(feature: OptionFeature, options: TranslationOptions) -> FloatArray:
    """The values that a feature returns, checked."""
    name = feature.names[0]
    found = _called(f"feature {name!r}", feature, options)
    return finite_rows(name, found, (len(options), len(feature.names)))


def finite_rows(name: str, found: ArrayLike, shape: tuple[int, int]) -> FloatArray:
    """What a feature or a reordering model returned, as an array of finite numbers."""
    try:
        values = np.ascontiguousarray(found, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise _wrong_values(name, f"did not return numbers: {error}", "numbers") from error
    if values.shape == shape[:1] and shape[1] == 1:
        values = values[:, None]
    if values.shape != shape:
        problem = f"returned shape {values.shape}, expected {shape}"
        raise _wrong_values(name, problem, shape, values.shape)
    if not np.isfinite(values).all():
        raise _wrong_values(name, "returned NaN or infinity", "finite numbers")
    return values


def _wrong_values(name: str, problem: str, expected: object, value: object = None) -> DecodingError:
    reason = f"feature {name!r} {problem}"
    code = "feature.values"
    return DecodingError(reason, code=code, argument=name, value=value, expected=expected)


def sparse_values(
    feature: SparseFeature, options: TranslationOptions, chosen: LongArray
) -> tuple[LongArray, Keys, FloatArray]:
    """Options, numbers or names, and values that a feature returns, checked."""
    template = feature.template
    keys: Keys
    found = _called(f"feature {template!r}", feature, options, chosen)
    try:
        owner, given, values = found
        owners = np.asarray(owner, dtype=np.int64)
        numbers = np.asarray(values, dtype=np.float64)
        if isinstance(given, np.ndarray):
            keys = given.astype(np.int64, casting="safe")
        else:
            listed: list[Any] = list(given)
            is_numbers = bool(listed) and all(type(key) is int for key in listed)
            keys = np.array(listed, np.int64) if is_numbers else listed
    except (TypeError, ValueError, OverflowError) as error:
        problem = f"must return options, numbers and values of one length: {error}"
        raise _wrong_values(template, problem, "options, numbers and values") from error
    if not owners.shape == numbers.shape == (len(keys),):
        problem = "returned options, numbers and values of different lengths"
        raise _wrong_values(template, problem, "one length")
    if not np.isin(owners, chosen).all():
        problem = "returned an option that was not among those asked for"
        raise _wrong_values(template, problem, "options asked for")
    if not np.isfinite(numbers).all():
        raise _wrong_values(template, "returned NaN or infinity", "finite numbers")
    if isinstance(keys, np.ndarray):
        if len(keys) and (least := int(keys.min())) < 0:
            problem = f"returned the number {least}, expected 0 or more"
            raise _wrong_values(template, problem, "numbers from 0", least)
        return owners, keys, numbers
    for name in keys:
        if not isinstance(name, str) or not name.startswith(f"{template}:"):
            problem = f"returned the name {name!r}, expected one that begins with '{template}:'"
            raise _wrong_values(template, problem, f"{template}:…", name)
    return owners, keys, numbers


def feature_names(feature: SparseFeature, keys: Keys) -> list[str]:
    """The names of sparse features."""
    if isinstance(keys, list):
        return keys
    return [numbered_name(feature.template, number) for number in keys.tolist()]


def feature_ids(feature: SparseFeature, known: SparseFeatures, keys: Keys) -> IdArray:
    """The ids of sparse features in a feature space, to which new ones are added."""
    try:
        if isinstance(keys, list):
            return np.array(known.add_all(keys), np.int32)
        return known.add_numbers(feature.template, keys)
    except ForestError as error:
        raise error.restated(f"feature {feature.template!r}: {error}", DecodingError) from error


def feature_weights(feature: SparseFeature, weights: Weights, keys: Keys) -> FloatArray:
    """The weights of sparse features; 0 for those without one."""
    if isinstance(keys, list):
        return np.array([weights.get(name, 0.0) for name in keys], np.float64)
    return weights.lookup(feature.template, keys)


def __getattr__(name: str) -> Any:
    if name in ("RuleIds", "TargetWords"):  # models of earlier releases have them from here
        return getattr(import_module("rosewood.decode"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
