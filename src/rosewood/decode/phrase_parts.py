"""Checks of what a phrase decoder is made of: language models, reordering models, weights."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np

from rosewood.arguments import check_type
from rosewood.decode.features import Describing, SparseFeature
from rosewood.errors import DecodingError, ForestError
from rosewood.forest import Weights
from rosewood.lm import Model
from rosewood.reorder.model import ReorderingModel, check_model
from rosewood.reorder.plugins import REORDERING
from rosewood.rules.table import RuleTable

_LARGEST = 1e12  # a weight
_NUMBER = re.compile(r"[+-]?\d+")


def named_models(models: Model | Mapping[str, Model]) -> dict[str, Model]:
    """Language models by the names of their features; one alone is called lm."""
    named = dict(models) if isinstance(models, Mapping) else {"lm": models}
    for name, model in named.items():
        expected = "a language model; give the models of a mixture one by one, with a weight each"
        check_type(name, model, Model, expected, error=DecodingError)
    return named


def reordering_models(
    reorder: ReorderingModel | Sequence[ReorderingModel | str] | None, table: RuleTable
) -> tuple[ReorderingModel, ...]:
    """Reordering models, those given by name made for the table."""
    given = ("lexicalized",) if reorder is None else reorder
    several = given if isinstance(given, Iterable) and not isinstance(given, str) else (given,)
    named = (REORDERING[each].of(table) if isinstance(each, str) else each for each in several)
    return tuple(check_model(each, table) for each in named if each is not None)


def as_weights(weights: Mapping[str, float]) -> Weights:
    """Weights by feature, of a decoder."""
    try:
        return Weights.of(weights)
    except ForestError as error:
        raise error.restated(str(error), DecodingError) from None


def _wrong_weight(name: str, value: object) -> DecodingError:
    return DecodingError(
        f"the weight of {name!r} is {value!r}, expected a number up to {_LARGEST:g}",
        code="weights.value",
        argument=name,
        value=value,
        expected=_LARGEST,
    )


def check_weights(
    weights: Weights, dense: Collection[str], sparse: Sequence[SparseFeature]
) -> None:
    """Refuse weights that do not belong to these features, or that are missing or too large."""
    templates = {each.template for each in sparse}
    numbered = {each.template for each in sparse if isinstance(each, Describing)}
    for name, value in weights.named.items():
        if not abs(value) <= _LARGEST:
            raise _wrong_weight(name, value)
        template, colon, key = name.partition(":")
        if template in numbered and _NUMBER.fullmatch(key):
            # Well-formed numbers are in weights.numbered.
            reason = f"the weight {name!r}: {key!r} is not how numbers are written"
            raise DecodingError(reason, code="weights.name", argument=name)
        if not (colon and template in templates) and name not in dense:
            reason = f"there is a weight for {name!r}, but no such feature"
            raise DecodingError(reason, code="weights.unknown", argument=name)
    for template, (numbers, values) in weights.numbered.items():
        wrong = np.flatnonzero(~(np.abs(values) <= _LARGEST))
        if len(wrong):
            number, value = int(numbers[wrong[0]]), float(values[wrong[0]])
            raise _wrong_weight(f"{template}:{number}", value)
        if template not in templates:
            reason = f"there are weights for '{template}:…', but no such feature"
            raise DecodingError(reason, code="weights.unknown", argument=template)
    for name in dense:
        if name not in weights.named:
            reason = f"there is no weight for the feature {name!r}"
            raise DecodingError(reason, code="weights.missing", argument=name)
