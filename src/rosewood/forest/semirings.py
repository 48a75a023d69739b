"""Semirings: what an edge's weight may be, and how weights combine.

Laws        plus is associative and commutative with zero; times is associative with one, zero
            annihilates it, and it distributes over plus from both sides; where it exists,
            star(k) = one + k star(k) = one + star(k) k.  All are tested for every semiring here
Yours       any object with zero, one, plus, times and commutative will do; star is for cycles:

>>> class Bottleneck:  # a chain is as strong as its weakest link; take the strongest chain
...     zero, one, commutative = 0.0, 1.0, True
...
...     def plus(self, a, b):
...         return max(a, b)
...
...     def times(self, a, b):
...         return min(a, b)
>>> from rosewood.forest import Forest
>>> from rosewood.forest.generic import inside
>>> inside(Forest.from_nbest(["a", "b"]), [0.25, 0.75], Bottleneck())
[0.75]

Further     hull.py (convex hulls), modules.py (expectations), generic.py (inside and outside)
Native      core/semiring/standard.hpp, core/semiring/scaled.hpp
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Protocol, TypeVar

from rosewood.errors import SemiringError

__all__ = [
    "BOOLEAN",
    "COUNTING",
    "LOG",
    "RATIONAL",
    "REAL",
    "SIGNED_LOG",
    "TROPICAL",
    "VITERBI",
    "Edges",
    "Scored",
    "Semiring",
    "SignedNumber",
    "earlier",
    "name_of",
    "star",
]

T = TypeVar("T")

SignedNumber = tuple[float, float]  # sign -1, 0 or 1, and the logarithm of the magnitude
Edges = tuple[int, ...]  # edges of a derivation, in pre-order
Scored = tuple[float, Edges]  # a log score and the derivation that has it

_INFINITY = math.inf
_LN2 = math.log(2.0)


class Semiring(Protocol[T]):
    """Weights that can be added and multiplied.  `star`, the sum of all powers, may be missing."""

    @property
    def zero(self) -> T: ...
    @property
    def one(self) -> T: ...
    @property
    def commutative(self) -> bool:
        """Whether times(a, b) is times(b, a): outside values and expectations need it."""
        ...

    def plus(self, a: T, b: T, /) -> T: ...
    def times(self, a: T, b: T, /) -> T: ...


def name_of(semiring: object) -> str:
    """What an error message calls a semiring."""
    return type(semiring).__name__


def star(semiring: Semiring[T], a: T) -> T:
    """one + a + a a + …; a semiring without closure, or without this one, is a SemiringError."""
    closure = getattr(semiring, "star", None)
    if closure is None:
        name = name_of(semiring)
        raise SemiringError(f"{name} has no star", code="semiring.star", argument=name)
    result: T = closure(a)
    return result


class _Standard:
    """What the semirings below share."""

    commutative = True

    def __repr__(self) -> str:
        return name_of(self)

    def __reduce__(self) -> str:  # one of each: kernels are chosen by identity
        return {"SignedLog": "SIGNED_LOG"}.get(name_of(self), name_of(self).upper())


class Boolean(_Standard):
    """Is there a derivation?"""

    zero, one = False, True

    def plus(self, a: bool, b: bool) -> bool:
        return a or b

    def times(self, a: bool, b: bool) -> bool:
        return a and b

    def star(self, a: bool) -> bool:
        return True


class _Arithmetic(_Standard):
    """Ordinary sums and products."""

    def plus(self, a: Any, b: Any) -> Any:
        return a + b

    def times(self, a: Any, b: Any) -> Any:
        return a * b

    def star(self, a: Any) -> Any:
        if not abs(a) < 1:
            raise _diverges(self, f"the powers of {a} do not add up, |p| < 1 is needed", a)
        return 1 / (1 - a)


class Counting(_Arithmetic):
    """How many derivations are there?  Whole numbers of any size."""

    zero, one = 0, 1

    def star(self, a: int) -> int:
        if a != 0:
            raise _diverges(self, f"1 + {a} + {a}·{a} + … has no end", a)
        return 1


class Real(_Arithmetic):
    """Sums of products, in doubles."""

    zero, one = 0.0, 1.0


class Rational(_Arithmetic):
    """Sums of products, exactly."""

    zero, one = Fraction(0), Fraction(1)


class Tropical(_Standard):
    """The best log score: max and +."""

    zero, one = -_INFINITY, 0.0

    def plus(self, a: float, b: float) -> float:
        return max(a, b)

    def times(self, a: float, b: float) -> float:
        return a + b

    def star(self, a: float) -> float:
        if not a <= 0.0:
            raise _diverges(self, f"a cycle of log weight {a} has no best number of rounds", a)
        return 0.0


def earlier(a: Edges, b: Edges) -> bool:
    """The total order that breaks ties: fewer edges first, then the first edge that differs.

    Unlike plain dictionary order it survives edges put before and behind, as the laws require.
    """
    return (len(a), a) < (len(b), b)


class Viterbi(_Standard):
    """The best log score with the derivation that attains it; among equals, the `earlier` one.

    Edges stand in pre-order, so times does not commute: for outside values take TROPICAL.  For long
    derivations `Forest.best` is the better way: it keeps one back-pointer a node.
    """

    commutative = False
    zero: Scored = (-_INFINITY, ())
    one: Scored = (0.0, ())

    def weights(self, log_weight: Sequence[float]) -> list[Scored]:
        """The weight of each edge: its log weight, and itself as a derivation."""
        return [(float(w), (edge,)) for edge, w in enumerate(log_weight)]

    def plus(self, a: Scored, b: Scored) -> Scored:
        if a[0] != b[0]:
            return a if a[0] > b[0] else b
        return b if earlier(b[1], a[1]) else a

    def times(self, a: Scored, b: Scored) -> Scored:
        score = a[0] + b[0]
        return self.zero if score == -_INFINITY else (score, a[1] + b[1])

    def star(self, a: Scored) -> Scored:
        if not a[0] <= 0.0:
            raise _diverges(self, f"a cycle of log weight {a[0]} has no best number of rounds", a)
        return self.one


def _log_one_minus_exp(x: float) -> float:
    """log(1 - exp(x)) for x < 0, without loss at either end."""
    return math.log(-math.expm1(x)) if x > -_LN2 else math.log1p(-math.exp(x))


class Log(_Standard):
    """Sums of products of positive numbers, by their logarithms."""

    zero, one = -_INFINITY, 0.0

    def plus(self, a: float, b: float) -> float:
        if a < b:
            a, b = b, a
        return a if b == -_INFINITY else a + math.log1p(math.exp(b - a))

    def times(self, a: float, b: float) -> float:
        return a + b

    def star(self, a: float) -> float:
        if not a < 0.0:
            raise _diverges(self, f"the powers of exp({a}) do not add up, a < 0 is needed", a)
        return -_log_one_minus_exp(a)


class SignedLog(_Standard):
    """Sums of products of numbers of either sign: sign and log magnitude (Table 3 of the paper).

    Zero has sign 0, whatever its log magnitude; log magnitude -inf with another sign is zero too.
    """

    zero: SignedNumber = (0.0, -_INFINITY)
    one: SignedNumber = (1.0, 0.0)

    def from_float(self, x: float) -> SignedNumber:
        """The signed log of an ordinary number."""
        return self.zero if x == 0.0 else (math.copysign(1.0, x), math.log(abs(x)))

    def to_float(self, a: SignedNumber) -> float:
        """The ordinary number, if a double can hold it."""
        try:
            return a[0] * math.exp(a[1])
        except OverflowError:
            reason = f"SignedLog: exp({a[1]}) does not fit a double"
            raise SemiringError(reason, code="semiring.overflow", value=a) from None

    def plus(self, a: SignedNumber, b: SignedNumber) -> SignedNumber:
        if a[0] == 0.0:
            a = self.zero
        if b[0] == 0.0:
            b = self.zero
        if a[1] < b[1]:
            a, b = b, a
        (sign, large), (other, small) = a, b
        if other == 0.0 or small == -_INFINITY:
            return self.zero if sign == 0.0 or large == -_INFINITY else a
        if sign == other:
            return (sign, large + math.log1p(math.exp(small - large)))
        if large == small:
            return self.zero
        return (sign, large + _log_one_minus_exp(small - large))

    def times(self, a: SignedNumber, b: SignedNumber) -> SignedNumber:
        sign, log = a[0] * b[0], a[1] + b[1]
        return self.zero if sign == 0.0 or log == -_INFINITY else (sign, log)

    def star(self, a: SignedNumber) -> SignedNumber:
        sign, log = a
        if sign == 0.0:
            return self.one
        if not log < 0.0:
            raise _diverges(
                self,
                f"the powers of {sign:+.0f}·exp({log}) do not add up, |p| < 1 is needed",
                a,
            )
        if sign < 0.0:
            return (1.0, -math.log1p(math.exp(log)))
        return (1.0, -_log_one_minus_exp(log))


BOOLEAN = Boolean()
COUNTING = Counting()
REAL = Real()
RATIONAL = Rational()
TROPICAL = Tropical()
VITERBI = Viterbi()
LOG = Log()
SIGNED_LOG = SignedLog()


def _diverges(semiring: object, reason: str, value: object) -> SemiringError:
    name = name_of(semiring)
    return SemiringError(f"{name}: {reason}", code="semiring.star", argument=name, value=value)
