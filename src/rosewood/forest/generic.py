"""Inside, outside and inside–outside in any semiring (Li & Eisner 2009, figures 2, 3 and 4).

Weights     one element of the semiring an edge; plain loops over lists, values in a list
Arrays      a NumPy array of doubles, with a semiring that has a native kernel, goes to the kernel
            and gives an array back; every other array is read as a list
              LOG, REAL, TROPICAL                   [E]        → [V]
              SIGNED_LOG                            [E, 2]     → [V, 2]      (sign, log magnitude)
              Expectation(SIGNED_LOG)               [E, 2, 2]  → [V, 2, 2]   <p, r>
              SecondOrderExpectation(SIGNED_LOG)    [E, 4, 2]  → [V, 4, 2]   <p, r, s, t>
Slots       an edge that uses a node twice has two slots: each counts, as in a derivative
Native      core/forest/inside.hpp; specification: tests/reference/forest.py
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeVar, overload

import numpy as np

from rosewood import _core
from rosewood.arguments import check_length, check_shape
from rosewood.arrays import FloatArray
from rosewood.errors import ForestError, SemiringError
from rosewood.forest.forest import Forest
from rosewood.forest.modules import Expectation, Module, SecondOrderExpectation, combine
from rosewood.forest.semirings import LOG, REAL, SIGNED_LOG, TROPICAL, Semiring, name_of

K = TypeVar("K")
X = TypeVar("X")


@overload
def inside(forest: Forest, weights: FloatArray, semiring: Semiring[Any]) -> Any: ...
@overload
def inside(forest: Forest, weights: Sequence[K], semiring: Semiring[K]) -> list[K]: ...
def inside(forest: Forest, weights: Any, semiring: Semiring[Any]) -> Any:
    """The value of each node: the sum over its derivations of the product of their weights.

    Products are taken in pre-order, so the semiring need not commute.  The total is the last value.
    """
    native = _native(forest, weights, semiring, above=False)
    return _inside(forest, _elements(forest, weights), semiring) if native is None else native[0]


@overload
def outside(
    forest: Forest, weights: FloatArray, semiring: Semiring[Any], inside: Any = None
) -> Any: ...
@overload
def outside(
    forest: Forest, weights: Sequence[K], semiring: Semiring[K], inside: Sequence[K] | None = None
) -> list[K]: ...
def outside(forest: Forest, weights: Any, semiring: Semiring[Any], inside: Any = None) -> Any:
    """The derivative of the total with respect to the value of each node.

    `inside` is what `inside` gave, to save computing it again.  The semiring must commute.
    """
    _require_commutative("outside", semiring)
    if inside is not None:
        check_length("inside", inside, forest.num_nodes, "node", error=ForestError)
    native = _native(forest, weights, semiring, above=True)
    if native is not None:
        return native[1]
    elements = _elements(forest, weights)
    values = _inside(forest, elements, semiring) if inside is None else list(inside)
    return _outside(forest, elements, semiring, values)


def exclusive(forest: Forest, weights: Any, semiring: Semiring[Any]) -> list[Any]:
    """k̄_e: the derivative of the total with respect to the weight of each edge.

    So k̄_e ⊗ k_e is the weight of all derivations with e, counted as often as they use it.
    """
    return _both(forest, weights, semiring)[1]


def inside_outside(
    forest: Forest,
    k_weights: Any,
    x_values: Sequence[X],
    semiring: Semiring[K],
    module: Module[K, X],
) -> tuple[K, X]:
    """<k̂, x̂>: the total weight in E(K, X) of a forest whose edges weigh <k_e, x_e>.

    Inside and outside run in K alone; then x̂ = Σ_e k̄_e x_e is one linear combination, so that long
    sparse x cost no more than their entries.  For <p, r, s, t>, with `second.lifted()` as E: k is
    <p, r>, x is <s, t>, `semiring` is E.base and `module` is E.module.
    """
    check_length("x_values", x_values, forest.num_edges, "edge", error=ForestError)
    total, coefficients = _both(forest, k_weights, semiring)
    return total, combine(module, zip(coefficients, x_values, strict=True))


# -- the loops ------------------------------------------------------------------------------------


def _structure(forest: Forest) -> tuple[list[int], list[list[int]]]:
    """edge_start, and the tails of each edge, as Python's own lists."""
    starts, tail = forest.tail_start.tolist(), forest.tail.tolist()
    return (
        forest.edge_start.tolist(),
        [tail[starts[e] : starts[e + 1]] for e in range(forest.num_edges)],
    )


def _inside(forest: Forest, weights: Sequence[K], semiring: Semiring[K]) -> list[K]:
    plus, times = semiring.plus, semiring.times
    edge_start, tails = _structure(forest)
    values: list[K] = []
    for node in range(forest.num_nodes):
        total = semiring.zero
        for edge in range(edge_start[node], edge_start[node + 1]):
            product = weights[edge]
            for tail in tails[edge]:
                product = times(product, values[tail])
            total = plus(total, product)
        values.append(total)
    return values


def _outside(
    forest: Forest, weights: Sequence[K], semiring: Semiring[K], values: Sequence[K]
) -> list[K]:
    plus, times = semiring.plus, semiring.times
    edge_start, tails = _structure(forest)
    above = [semiring.zero] * forest.num_nodes
    above[forest.root] = semiring.one
    for node in range(forest.root, -1, -1):
        for edge in range(edge_start[node], edge_start[node + 1]):
            slots = tails[edge]
            behind = [semiring.one]  # products of the slots behind each one, last slot first
            for tail in slots[:0:-1]:
                behind.append(times(values[tail], behind[-1]))
            before = times(above[node], weights[edge])
            for tail in slots:
                above[tail] = plus(above[tail], times(before, behind.pop()))
                before = times(before, values[tail])
    return above


def _both(forest: Forest, weights: Any, semiring: Semiring[K]) -> tuple[K, list[K]]:
    """The total, and the exclusive weight of each edge."""
    _require_commutative("inside–outside", semiring)
    native = _native(forest, weights, semiring, above=True)
    if native is None:
        elements = _elements(forest, weights)
        values = _inside(forest, elements, semiring)
        above = _outside(forest, elements, semiring, values)
    else:
        values, above = (_as_elements(array, semiring) for array in native)
    times = semiring.times
    _, tails = _structure(forest)
    coefficients = []
    for head, slots in zip(forest.head.tolist(), tails, strict=True):
        product = above[head]
        for tail in slots:
            product = times(product, values[tail])
        coefficients.append(product)
    return values[-1], coefficients


def _elements(forest: Forest, weights: Any) -> Sequence[Any]:
    """The weights as a list, counted; NaN is refused."""
    elements: Sequence[Any] = weights.tolist() if isinstance(weights, np.ndarray) else weights
    check_length("weights", elements, forest.num_edges, "edge", error=ForestError)
    for edge, weight in enumerate(elements):
        if isinstance(weight, float) and math.isnan(weight):
            reason = f"the weight of edge {edge} is NaN"
            raise ForestError(reason, code="argument.value", argument="weights", value=edge)
    return elements


def _require_commutative(what: str, semiring: Semiring[Any]) -> None:
    if not semiring.commutative:
        reason = f"{what}: multiplication of {name_of(semiring)} does not commute"
        raise SemiringError(reason, code="semiring.not-commutative", argument="semiring")


# -- native kernels -------------------------------------------------------------------------------


def _signed_numbers(semiring: Semiring[Any]) -> int:
    """How many signed logs make an element of the native kernel; 0 where it has none."""
    if semiring is SIGNED_LOG:
        return 1
    if isinstance(semiring, Expectation | SecondOrderExpectation):
        scalar = semiring.base is SIGNED_LOG and semiring.scalar
        return (2 if isinstance(semiring, Expectation) else 4) if scalar else 0
    return 0


def _native(
    forest: Forest, weights: Any, semiring: Semiring[Any], *, above: bool
) -> tuple[FloatArray, FloatArray] | None:
    """Inside values, and outside values if `above`, by a kernel; None where there is no kernel."""
    if not isinstance(weights, np.ndarray) or weights.dtype.kind != "f":
        return None
    numbers = _signed_numbers(semiring)
    if not numbers and semiring not in (LOG, REAL, TROPICAL):
        return None
    item = {0: (), 1: (2,), 2: (2, 2), 4: (4, 2)}[numbers]
    check_shape("weights", weights, (forest.num_edges, *item), error=ForestError)
    weight = np.ascontiguousarray(weights, dtype=np.float64)
    values = np.empty((forest.num_nodes, *item))
    outer = np.empty((forest.num_nodes, *item))
    if numbers:
        _core.inside_outside_signed(forest.view, numbers, weight.ravel(), values, outer)
    elif semiring is LOG:
        if above:
            _core.inside_outside_log(forest.view, weight, values, outer)
        else:
            _core.inside_log(forest.view, weight, values)
    elif semiring is REAL:
        _core.inside_outside_real(forest.view, weight, values, outer)
    else:
        _core.inside_outside_tropical(forest.view, weight, values, outer)
    return values, outer


def _as_elements(array: FloatArray, semiring: Semiring[Any]) -> list[Any]:
    """What a kernel gave, as elements of the semiring."""
    numbers = _signed_numbers(semiring)
    if numbers == 0:
        plain: list[Any] = array.tolist()
        return plain
    if numbers == 1:
        return [tuple(pair) for pair in array.tolist()]
    return [tuple(tuple(pair) for pair in element) for element in array.tolist()]
