"""Features of one's own: a column for each translation option, or named ones that few options have.

    class Longer:                                   # dense: a column
        names = ("longer",)
        def __call__(self, options):
            return (np.diff(options.target_start) > options.end - options.begin)[:, None]

    decoder = PhraseDecoder(table, lm, features=[Longer(), RuleIds()])

A feature is asked once for a sentence, of all its options.  It sees an option and its source
sentence, not what the search puts around it.  Native code is not involved.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike

from rosewood.arrays import FloatArray, LongArray
from rosewood.decode.options import TranslationOptions
from rosewood.errors import DecodingError
from rosewood.rules.table import RuleTable

__all__ = [
    "OptionFeature",
    "RuleIds",
    "SparseFeature",
    "TargetWords",
    "check_feature",
    "dense_values",
    "sparse_values",
]

Sparse = tuple[ArrayLike, Sequence[str], ArrayLike]  # option, name and value of each


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
    """Sparse features, whose names begin with the template and a colon."""

    @property
    def template(self) -> str:
        """How the names begin."""
        ...

    def __call__(self, options: TranslationOptions, chosen: LongArray) -> Sparse:
        """Of the chosen options: the option, the name and the value of each feature."""
        ...


class RuleIds:
    """Every rule is a feature, which says how often a translation uses it: `rule:…`."""

    template = "rule"

    def __init__(self) -> None:
        self._names: WeakKeyDictionary[RuleTable, dict[int, str]] = WeakKeyDictionary()

    def __call__(self, options: TranslationOptions, chosen: LongArray) -> Sparse:
        """The names of rules (`Rule.name`), each 1."""
        own = chosen[options.rule[chosen] >= 0]
        known = self._names.setdefault(options.table, {})
        names = []
        for rule in options.rule[own].tolist():
            if rule not in known:
                known[rule] = options.table[rule].name
            names.append(known[rule])
        return own, names, np.ones(len(own))

    def __reduce__(self) -> tuple[object, ...]:
        return (RuleIds, ())


class TargetWords:
    """How often a translation says a word: `word:…`."""

    template = "word"

    def __call__(self, options: TranslationOptions, chosen: LongArray) -> Sparse:
        """The words of each option."""
        owner: list[int] = []
        names: list[str] = []
        for option in chosen.tolist():
            words = options.target_words(option)
            owner += [option] * len(words)
            names += [f"word:{word}" for word in words]
        return owner, names, np.ones(len(owner))


def check_feature(feature: object) -> None:
    """Refuses what is none, or has no names to go by."""
    if isinstance(feature, OptionFeature) == isinstance(feature, SparseFeature):
        raise DecodingError(f"{feature!r} is no feature: it needs names, or a template")
    if isinstance(feature, SparseFeature):
        names: object = (feature.template,)
    else:
        names = feature.names  # type: ignore[attr-defined]
    if isinstance(names, str) or not isinstance(names, Sequence) or not names:
        raise DecodingError(f"{feature!r} has the names {names!r}, want a list of them")
    for name in names:
        if not isinstance(name, str) or not name or ":" in name:
            raise DecodingError(f"{feature!r} has the name {name!r}, want a text without colon")


def dense_values(feature: OptionFeature, options: TranslationOptions) -> FloatArray:
    """What a feature says, checked."""
    want = (len(options), len(feature.names))
    try:
        values = np.ascontiguousarray(feature(options), dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DecodingError(f"feature {feature.names[0]!r} gave no numbers: {error}") from error
    if values.shape == want[:1] and want[1] == 1:
        values = values[:, None]
    if values.shape != want:
        raise DecodingError(
            f"feature {feature.names[0]!r} gave numbers of shape {values.shape}, want {want}"
        )
    if not np.isfinite(values).all():
        raise DecodingError(f"feature {feature.names[0]!r} gave what is no number")
    return values


def sparse_values(
    feature: SparseFeature, options: TranslationOptions, chosen: LongArray
) -> tuple[LongArray, list[str], FloatArray]:
    """Options, names and values that a feature gives, checked."""
    what = f"feature {feature.template!r}"
    try:
        owner, names, values = feature(options, chosen)
        owners = np.asarray(owner, dtype=np.int64)
        numbers = np.asarray(values, dtype=np.float64)
        every = list(names)
    except (TypeError, ValueError) as error:
        raise DecodingError(f"{what} gave no options, names and values: {error}") from error
    if not owners.shape == numbers.shape == (len(every),):
        raise DecodingError(f"{what} gave options, names and values of different lengths")
    if not np.isin(owners, chosen).all():
        raise DecodingError(f"{what} names an option that it was not asked of")
    if not np.isfinite(numbers).all():
        raise DecodingError(f"{what} gave what is no number")
    for name in every:
        if not isinstance(name, str) or not name.startswith(f"{feature.template}:"):
            raise DecodingError(f"{what} gave the name {name!r}, which begins otherwise")
    return owners, every, numbers
