"""Modules over a semiring, and the expectation semirings made from them (Li & Eisner 2009, §4).

First order   <p, r>: p in a commutative semiring P, r in a P-module R            (Table 1)
Second order  <p, r, s, t>: r, s, t in P-modules R, S, T, with a bilinear R×S→T   (Table 2)
Lifting       <p, r, s, t> as <<p, r>, <s, t>>: first order over K = E(P, R) and X = S×T, where
              <p, r><s, t> = <p s, p t + r s>; so `inside_outside` in generic.py serves both orders
Commuting     Table 1 is not associative over a P that does not commute; such a P is refused
Native        core/semiring/expectation.hpp, for scalars in the signed log semiring
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any, Generic, Protocol, TypeVar, cast

import numpy as np

from rosewood.arrays import FloatArray, freeze
from rosewood.errors import SemiringError
from rosewood.forest.semirings import Semiring, name_of, star

P = TypeVar("P")
P_contra = TypeVar("P_contra", contravariant=True)
R = TypeVar("R")
S = TypeVar("S")
T = TypeVar("T")
Key = TypeVar("Key", bound=Hashable)


class Module(Protocol[P_contra, R]):
    """Things that can be added, and scaled by elements of a semiring P."""

    @property
    def zero(self) -> R: ...
    def plus(self, a: R, b: R, /) -> R: ...
    def scale(self, p: P_contra, r: R, /) -> R: ...


def combine(module: Module[P, R], terms: Iterable[tuple[P, R]]) -> R:
    """Σ p r over pairs (p, r); modules that can do this in one go have a `combine` of their own."""
    own = getattr(module, "combine", None)
    if own is not None:
        result: R = own(terms)
        return result
    total = module.zero
    for p, r in terms:
        total = module.plus(total, module.scale(p, r))
    return total


class Scalars(Generic[P]):
    """A semiring as a module over itself."""

    def __init__(self, base: Semiring[P]) -> None:
        self.base = base
        self.zero = base.zero

    def plus(self, a: P, b: P) -> P:
        return self.base.plus(a, b)

    def scale(self, p: P, r: P) -> P:
        return self.base.times(p, r)


class TupleVectors(Generic[P]):
    """Short vectors over any semiring, as tuples."""

    def __init__(self, base: Semiring[P], size: int) -> None:
        self.base = base
        self.zero: tuple[P, ...] = (base.zero,) * size

    def plus(self, a: tuple[P, ...], b: tuple[P, ...]) -> tuple[P, ...]:
        return tuple(map(self.base.plus, a, b))

    def scale(self, p: P, r: tuple[P, ...]) -> tuple[P, ...]:
        return tuple(self.base.times(p, x) for x in r)


class NumpyVectors:
    """Dense vectors and matrices of doubles, over REAL."""

    def __init__(self, *shape: int) -> None:
        self.zero: FloatArray = freeze(np.zeros(shape))

    def plus(self, a: FloatArray, b: FloatArray) -> FloatArray:
        return a + b

    def scale(self, p: float, r: FloatArray) -> FloatArray:
        return p * r

    def combine(self, terms: Iterable[tuple[float, FloatArray]]) -> FloatArray:
        total = np.zeros(self.zero.shape)
        for p, r in terms:
            total += p * r
        return total


class SparseVectors(Generic[P, Key]):
    """Vectors as dictionaries: missing entries are zero, and zeros are not kept."""

    def __init__(self, base: Semiring[P]) -> None:
        self.base = base

    @property
    def zero(self) -> dict[Key, P]:
        return {}

    def plus(self, a: dict[Key, P], b: dict[Key, P]) -> dict[Key, P]:
        return self.combine(((self.base.one, a), (self.base.one, b)))

    def scale(self, p: P, r: dict[Key, P]) -> dict[Key, P]:
        return self.combine(((p, r),))

    def combine(self, terms: Iterable[tuple[P, dict[Key, P]]]) -> dict[Key, P]:
        """The cost is that of the entries there are."""
        plus, times, zero = self.base.plus, self.base.times, self.base.zero
        total: dict[Key, P] = {}
        for p, r in terms:
            for key, x in r.items():
                total[key] = plus(total.get(key, zero), times(p, x))
        return {key: x for key, x in total.items() if x != zero}


class Expectation(Generic[P, R]):
    """E(P, R): pairs <p, r>, a total weight and an unnormalised expectation.

    Edges weigh <p, p·r> for the expectation of Σ r, or <p, ∇p> for the gradient of the total.
    """

    commutative = True

    def __init__(self, base: Semiring[P], module: Module[P, R] | None = None) -> None:
        """`module` is R; left out, it is P itself."""
        _require_commutative(base)
        self.base = base
        self.module = cast("Module[P, R]", Scalars(base) if module is None else module)
        self.zero = (base.zero, self.module.zero)
        self.one = (base.one, self.module.zero)

    @property
    def scalar(self) -> bool:
        """Whether R is P itself."""
        return isinstance(self.module, Scalars)

    def plus(self, a: tuple[P, R], b: tuple[P, R]) -> tuple[P, R]:
        return (self.base.plus(a[0], b[0]), self.module.plus(a[1], b[1]))

    def times(self, a: tuple[P, R], b: tuple[P, R]) -> tuple[P, R]:
        module = self.module
        return (
            self.base.times(a[0], b[0]),
            module.plus(module.scale(a[0], b[1]), module.scale(b[0], a[1])),
        )

    def star(self, a: tuple[P, R]) -> tuple[P, R]:
        """<p*, p* p* r>."""
        p = star(self.base, a[0])
        return (p, self.module.scale(self.base.times(p, p), a[1]))

    def __repr__(self) -> str:
        return f"Expectation({self.base!r}, {name_of(self.module)})"


class SecondOrderExpectation(Generic[P, R, S, T]):
    """E(P, R, S, T): <p, r, s, t>, a total weight and unnormalised expectations of r, s and r·s.

    Edges weigh <p, p·r, p·s, p·r·s> for covariances, or <p, p·r, ∇p, ∇(p·r)> for the gradient of an
    expectation.  With scalars, and with nothing given but `base`, all of them are in P.
    """

    commutative = True

    def __init__(
        self,
        base: Semiring[P],
        r: Module[P, R] | None = None,
        s: Module[P, S] | None = None,
        t: Module[P, T] | None = None,
        product: Callable[[R, S], T] | None = None,
    ) -> None:
        """`product` is the bilinear R×S→T; left out, it is the product in P."""
        _require_commutative(base)
        self.base = base
        self.r, self.s, self.t = _modules(base, r, s, t, product)
        self.product = cast("Callable[[R, S], T]", base.times if product is None else product)
        self.scalar = product is None
        nothing = (self.r.zero, self.s.zero, self.t.zero)
        self.zero = (base.zero, *nothing)
        self.one = (base.one, *nothing)

    def plus(self, a: tuple[P, R, S, T], b: tuple[P, R, S, T]) -> tuple[P, R, S, T]:
        return (
            self.base.plus(a[0], b[0]),
            self.r.plus(a[1], b[1]),
            self.s.plus(a[2], b[2]),
            self.t.plus(a[3], b[3]),
        )

    def times(self, a: tuple[P, R, S, T], b: tuple[P, R, S, T]) -> tuple[P, R, S, T]:
        (p1, r1, s1, t1), (p2, r2, s2, t2) = a, b
        plus = self.t.plus
        return (
            self.base.times(p1, p2),
            self.r.plus(self.r.scale(p1, r2), self.r.scale(p2, r1)),
            self.s.plus(self.s.scale(p1, s2), self.s.scale(p2, s1)),
            plus(
                plus(self.t.scale(p1, t2), self.t.scale(p2, t1)),
                plus(self.product(r1, s2), self.product(r2, s1)),
            ),
        )

    def star(self, a: tuple[P, R, S, T]) -> tuple[P, R, S, T]:
        """<p*, p* p* r, p* p* s, p* p* (p* r s + p* r s + t)>."""
        p = star(self.base, a[0])
        square = self.base.times(p, p)
        twice = self.t.scale(p, self.product(a[1], a[2]))
        inner = self.t.plus(self.t.plus(twice, twice), a[3])
        return (
            p,
            self.r.scale(square, a[1]),
            self.s.scale(square, a[2]),
            self.t.scale(square, inner),
        )

    def lifted(self) -> Expectation[tuple[P, R], tuple[S, T]]:
        """The same semiring as first order over first order: see `lift`."""
        return lift(self.base, self.r, self.s, self.t, self.product)

    def __repr__(self) -> str:
        modules = ", ".join(map(name_of, (self.r, self.s, self.t)))
        return f"SecondOrderExpectation({self.base!r}, {modules})"


class LiftedModule(Generic[P, R, S, T]):
    """X = S×T as a module over K = E(P, R): <p, r><s, t> = <p s, p t + r s>."""

    def __init__(
        self,
        base: Semiring[P],
        s: Module[P, S] | None = None,
        t: Module[P, T] | None = None,
        product: Callable[[R, S], T] | None = None,
    ) -> None:
        self.one = base.one
        _, self.s, self.t = _modules(base, None, s, t, product)
        self.product = cast("Callable[[R, S], T]", base.times if product is None else product)
        self.zero = (self.s.zero, self.t.zero)

    def plus(self, a: tuple[S, T], b: tuple[S, T]) -> tuple[S, T]:
        return (self.s.plus(a[0], b[0]), self.t.plus(a[1], b[1]))

    def scale(self, k: tuple[P, R], x: tuple[S, T]) -> tuple[S, T]:
        (p, r), (s, t) = k, x
        return (self.s.scale(p, s), self.t.plus(self.t.scale(p, t), self.product(r, s)))

    def combine(self, terms: Iterable[tuple[tuple[P, R], tuple[S, T]]]) -> tuple[S, T]:
        for_s: list[tuple[P, S]] = []
        for_t: list[tuple[P, T]] = []
        for (p, r), (s, t) in terms:
            for_s.append((p, s))
            for_t.append((p, t))
            for_t.append((self.one, self.product(r, s)))
        return (combine(self.s, for_s), combine(self.t, for_t))


def lift(
    base: Semiring[P],
    r: Module[P, R] | None = None,
    s: Module[P, S] | None = None,
    t: Module[P, T] | None = None,
    product: Callable[[R, S], T] | None = None,
) -> Expectation[tuple[P, R], tuple[S, T]]:
    """E(K, X) with K = E(P, R) and X = S×T: <<p, r>, <s, t>> behaves as <p, r, s, t> does.

    Its `base` is K and its `module` is X, the two that `inside_outside` takes.
    """
    _modules(base, r, s, t, product)
    return Expectation(Expectation(base, r), LiftedModule(base, s, t, product))


def _require_commutative(base: Semiring[Any]) -> None:
    if not base.commutative:
        reason = (
            f"expectations over {name_of(base)}: its times does not commute, so that "
            "<p1 p2, p1 r2 + p2 r1> would not be associative"
        )
        raise SemiringError(reason, code="semiring.not-commutative", argument="base")


def _modules(base: Semiring[Any], r: Any, s: Any, t: Any, product: object) -> Any:
    """The three modules, P itself for those left out; without a product all must be."""
    if product is None and not (r is None and s is None and t is None):
        reason = "modules for r, s, t are given, but not the product of r and s"
        raise SemiringError(reason, code="argument.missing", argument="product")
    return tuple(Scalars(base) if m is None else m for m in (r, s, t))
