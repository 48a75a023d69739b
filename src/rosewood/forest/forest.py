"""The packed forest: what every decoder returns and every learner reads.

Layout      nodes 0..V-1, edges grouped by head: edge_start[v] .. edge_start[v+1]-1;
            edge e has head[e] and tails tail[tail_start[e]:tail_start[e+1]], a node may repeat;
            features: a row of `dense`, and pairs feat_id, feat_value from feat_start[e] on;
            string: yield_symbol from yield_start[e] on: a word's number, or -1-k for the k-th tail
Invariants  bottom-up order (every tail < head), the root last, ids increasing within an edge
Example     r <- a a:  edge_start 0 1 2, head 0 1, tail_start 0 0 2, tail 0 0, yield [w] [-1 -2]
Native      core/forest/view.hpp, core/forest/validate.hpp; specification: tests/reference/forest.py
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from rosewood import _core
from rosewood.arrays import (
    FloatArray,
    IdArray,
    LongArray,
    as_array,
    as_weight,
    freeze,
    not_below,
)
from rosewood.corpus import Vocabulary
from rosewood.errors import ForestError
from rosewood.forest.array_checks import (
    check_spans,
    checked_column,
    checked_dense,
    checked_edge_start,
    heads_of,
)
from rosewood.forest.features import FeatureSpace
from rosewood.resources import check_threads

if TYPE_CHECKING:
    from rosewood.forest.search import Derivation, Derivations

_ARRAYS = (
    "edge_start", "head", "tail_start", "tail",
    "dense", "feat_start", "feat_id", "feat_value",
    "yield_start", "yield_symbol", "span", "rule", "state",
)  # fmt: skip


class Forest:
    """Immutable packed hypergraph in flat arrays.

    The constructor takes arrays and checks them: bounds, order, reachability, finite numbers; each
    violation is named with its node or edge.  `ForestBuilder` makes a forest edge by edge,
    `parse_forest` reads the text form.
    """

    __slots__ = (*_ARRAYS, "_features_view", "_view", "features", "vocabulary")

    edge_start: LongArray
    head: IdArray
    tail_start: LongArray
    tail: IdArray
    dense: FloatArray
    feat_start: LongArray
    feat_id: IdArray
    feat_value: FloatArray
    yield_start: LongArray
    yield_symbol: IdArray
    span: IdArray | None  # [V, 2]: the source words a node covers
    rule: LongArray | None  # [E]: where an edge came from
    state: LongArray | None  # [V]: whatever the maker of the forest distinguished nodes by
    features: FeatureSpace
    vocabulary: Vocabulary | None
    _view: _core.ForestView
    _features_view: tuple[int, _core.FeatureView] | None

    def __init__(
        self,
        edge_start: ArrayLike,
        tail_start: ArrayLike,
        tail: ArrayLike,
        *,
        features: FeatureSpace | None = None,
        dense: ArrayLike | None = None,
        feat_start: ArrayLike | None = None,
        feat_id: ArrayLike | None = None,
        feat_value: ArrayLike | None = None,
        vocabulary: Vocabulary | None = None,
        yield_start: ArrayLike | None = None,
        yield_symbol: ArrayLike | None = None,
        span: ArrayLike | None = None,
        rule: ArrayLike | None = None,
        state: ArrayLike | None = None,
        allow_unreachable: bool = False,
    ) -> None:
        """Check and keep the arrays; without a yield, an edge yields its tails in slot order."""
        starts = checked_edge_start(edge_start)
        nodes, edges = starts.shape[0] - 1, int(starts[-1])
        tails = as_array("tail_start", tail_start, np.int64)
        if edges != tails.shape[0] - 1:
            reason = f"edge_start has {edges} edges, tail_start {len(tails) - 1}"
            raise ForestError(reason, code="argument.shape", argument="tail_start")
        space = FeatureSpace() if features is None else features
        block = checked_dense(dense, edges, len(space.dense))
        if feat_start is None:
            if feat_id is not None or feat_value is not None:
                reason = "feat_id and feat_value need feat_start"
                raise ForestError(reason, code="argument.missing", argument="feat_start")
            feat_start, feat_id, feat_value = np.zeros(edges + 1, np.int64), (), ()
        if yield_start is None and yield_symbol is not None:
            reason = "yield_symbol needs yield_start"
            raise ForestError(reason, code="argument.missing", argument="yield_start")
        self._set(
            edge_start=starts,
            head=heads_of(starts),
            tail_start=tails,
            tail=as_array("tail", tail, np.int32),
            dense=block,
            feat_start=as_array("feat_start", feat_start, np.int64),
            feat_id=as_array("feat_id", () if feat_id is None else feat_id, np.int32),
            feat_value=as_array("feat_value", () if feat_value is None else feat_value, np.float64),
            yield_start=None,
            yield_symbol=None,
            span=checked_column("span", span, (nodes, 2), np.int32),
            rule=checked_column("rule", rule, (edges,), np.int64),
            state=checked_column("state", state, (nodes,), np.int64),
            features=space,
            vocabulary=vocabulary,
        )
        if yield_start is None:  # the structure has been checked: tails in slot order
            yield_start = tails
            yield_symbol = tails[:-1].repeat(np.diff(tails)) - np.arange(tails[-1]) - 1
        symbols = () if yield_symbol is None else yield_symbol
        object.__setattr__(self, "yield_start", as_array("yield_start", yield_start, np.int64))
        object.__setattr__(self, "yield_symbol", as_array("yield_symbol", symbols, np.int32))
        if self.span is not None:
            check_spans(self.span)
        words = -1 if vocabulary is None else len(vocabulary)
        _core.check_yield(self._view, self.yield_start, self.yield_symbol, words)
        _ = self.feature_view
        if not allow_unreachable:
            _core.check_reachable(self._view)

    def _set(self, **values: Any) -> None:
        """Fill in the fields; the native view always checks the structure again."""
        put = object.__setattr__
        for name, value in values.items():
            put(self, name, value)
        put(self, "_features_view", None)
        view = _core.make_forest(self.edge_start, self.head, self.tail_start, self.tail)
        put(self, "_view", view)

    def derive(self, **values: Any) -> Forest:
        """A forest with some fields replaced, without the checks for what comes from outside.

        For transforms: their results are right by construction, and are tested to be.
        """
        fields = {name: getattr(self, name) for name in (*_ARRAYS, "features", "vocabulary")}
        for name, value in values.items():
            fields[name] = freeze(value) if isinstance(value, np.ndarray) else value
        return Forest._unchecked(**fields)

    @staticmethod
    def _unchecked(**fields: Any) -> Forest:
        """A forest from arrays that are known to be right: the structure alone is looked at."""
        made = Forest.__new__(Forest)
        for column in ("span", "rule", "state"):
            fields.setdefault(column)
        if "head" not in fields:
            fields["head"] = heads_of(fields["edge_start"])
        made._set(**fields)
        return made

    @classmethod
    def empty(
        cls, *, features: FeatureSpace | None = None, vocabulary: Vocabulary | None = None
    ) -> Forest:
        """The forest without derivations: a root and no edges."""
        width = 0 if features is None else len(features.dense)
        return cls(
            [0, 0], [0], [],
            dense=np.zeros((0, width)), features=features, vocabulary=vocabulary,
        )  # fmt: skip

    @classmethod
    def from_nbest(
        cls,
        candidates: Sequence[str | Sequence[str]],
        dense: ArrayLike | None = None,
        *,
        sparse: Sequence[Mapping[str, float]] | None = None,
        features: FeatureSpace | None = None,
        vocabulary: Vocabulary | None = None,
    ) -> Forest:
        """An n-best list: a root with an edge for each candidate (a string is split at spaces).

        `dense` is a matrix with a column for each dense feature of `features`; `sparse` has a table
        of further features for each candidate.
        """
        from rosewood.forest.builder import nbest_forest

        return nbest_forest(candidates, dense, sparse, features, vocabulary)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a forest is immutable: cannot set {name!r}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a forest is immutable: cannot delete {name!r}")

    # -- size and shape ---------------------------------------------------------------------------

    @property
    def num_nodes(self) -> int:
        return len(self.edge_start) - 1

    @property
    def num_edges(self) -> int:
        return len(self.head)

    @property
    def root(self) -> int:
        return self.num_nodes - 1

    @property
    def is_empty(self) -> bool:
        """Whether the root has no derivation."""
        from rosewood.forest.search import count_saturating

        return bool(count_saturating(self)[-1] == 0)

    def arity(self) -> LongArray:
        """The number of tails of each edge."""
        return np.diff(self.tail_start)

    def tails(self, edge: int) -> IdArray:
        """The tails of an edge, in slot order."""
        edge = self._edge(edge)
        return self.tail[self.tail_start[edge] : self.tail_start[edge + 1]]

    def edges_into(self, node: int) -> range:
        """The edges of a node."""
        if not 0 <= node < self.num_nodes:
            raise not_below("node", node, self.num_nodes)
        return range(int(self.edge_start[node]), int(self.edge_start[node + 1]))

    def says(self, edge: int) -> list[str | int]:
        """The yield of an edge: words as strings, and k for its k-th tail."""
        edge = self._edge(edge)
        symbols = self.yield_symbol[self.yield_start[edge] : self.yield_start[edge + 1]].tolist()
        return [-1 - s if s < 0 else self.word(s) for s in symbols]

    def word(self, symbol: int) -> str:
        """The string of a word's number; the number itself where there is no vocabulary."""
        return str(symbol) if self.vocabulary is None else self.vocabulary[symbol]

    def edge_features(self, edge: int) -> dict[str, float]:
        """The features of an edge by name: all dense ones, and the sparse ones it has."""
        edge = self._edge(edge)
        named = dict(zip(self.features.dense, self.dense[edge].tolist(), strict=True))
        for i in range(int(self.feat_start[edge]), int(self.feat_start[edge + 1])):
            named[self.features.sparse[int(self.feat_id[i])]] = float(self.feat_value[i])
        return named

    def _edge(self, edge: int) -> int:
        if not 0 <= edge < self.num_edges:
            raise not_below("edge", edge, self.num_edges)
        return edge

    # -- weights ----------------------------------------------------------------------------------

    @property
    def view(self) -> _core.ForestView:
        """The structure as native kernels take it."""
        return self._view

    @property
    def feature_view(self) -> _core.FeatureView:
        """The features as native kernels take them, for the feature space as it is now."""
        return self._feature_view(len(self.features.sparse))

    def _feature_view(self, count: int) -> _core.FeatureView:
        if self._features_view is not None and self._features_view[0] == count:
            return self._features_view[1]
        view = _core.make_features(
            self.dense, self.feat_start, self.feat_id, self.feat_value, count
        )
        object.__setattr__(self, "_features_view", (count, view))
        return view

    def score(self, theta: ArrayLike, *, threads: int = 1) -> FloatArray:
        """θ·φ of each edge: the log weights of a log-linear model.

        θ may be older than features that were added since, so long as it has all of this forest.
        """
        known = np.ndim(theta) == 1 and len(np.asarray(theta)) - self.dense.shape[1]
        count = len(self.features.sparse)
        if 0 <= known < count and not (self.feat_id >= known).any():
            count = known
        parameters = as_weight("theta", theta, self.dense.shape[1] + count)
        out = np.empty(self.num_edges)
        _core.edge_scores(
            self._feature_view(count), parameters, out, check_threads(threads, ForestError)
        )
        return out

    def combine_features(self, coefficient: ArrayLike, *, threads: int = 1) -> FloatArray:
        """Σ_e coefficient[e]·φ_e: one pass over the non-zero features."""
        count = len(self.features.sparse)  # which other threads may add to meanwhile
        out = np.zeros(self.dense.shape[1] + count)
        coefficients = as_weight("coefficient", coefficient, self.num_edges)
        workers = check_threads(threads, ForestError)
        _core.add_features(self._feature_view(count), coefficients, out, workers)
        return out

    def inside(self, weight: ArrayLike) -> FloatArray:
        """Log inside value of each node; `weight` has one log weight per edge."""
        out = np.empty(self.num_nodes)
        _core.inside_log(self.view, as_weight("weight", weight, self.num_edges), out)
        return out

    def inside_outside(self, weight: ArrayLike) -> tuple[FloatArray, FloatArray]:
        """Log inside and log outside value of each node."""
        inside, outside = np.empty(self.num_nodes), np.empty(self.num_nodes)
        weights = as_weight("weight", weight, self.num_edges)
        _core.inside_outside_log(self.view, weights, inside, outside)
        return inside, outside

    def max_marginals(self, weight: ArrayLike) -> FloatArray:
        """For each edge, the best log score of a derivation that uses it."""
        out = np.empty(self.num_edges)
        _core.max_marginals(self.view, as_weight("weight", weight, self.num_edges), out)
        return out

    # -- derivations ------------------------------------------------------------------------------

    def num_derivations(self) -> int:
        """How many derivations the root has, exactly."""
        from rosewood.forest.search import num_derivations

        return num_derivations(self)

    def best(self, weight: ArrayLike) -> Derivation:
        """The best derivation; among equals, the one with the first edges."""
        from rosewood.forest.search import best

        return best(self, weight)

    def k_best(self, weight: ArrayLike, k: int, *, distinct: bool = False) -> Derivations:
        """The k best derivations, or the best derivations of the k best distinct strings."""
        from rosewood.forest.search import k_best

        return k_best(self, weight, k, distinct=distinct)

    def iterate_best(self, weight: ArrayLike, *, distinct: bool = False) -> Iterator[Derivation]:
        """All derivations (or strings), best first, each found when it is asked for."""
        from rosewood.forest.search import iterate_best

        return iterate_best(self, weight, distinct=distinct)

    def sample(
        self, weight: ArrayLike, draws: int, *, seed: int = 0, threads: int = 1
    ) -> Derivations:
        """Derivations drawn from p(d) ∝ exp(weight of d)."""
        from rosewood.forest.search import sample

        return sample(self, weight, draws, seed=seed, threads=threads)

    # -- pictures ---------------------------------------------------------------------------------

    def to_svg(self, **options: Any) -> str:
        """A picture; see `rosewood.forest.draw.to_svg`."""
        from rosewood.forest.draw import to_svg

        return to_svg(self, **options)

    def to_dot(self, **options: Any) -> str:
        """Text for Graphviz; see `rosewood.forest.draw.to_dot`."""
        from rosewood.forest.draw import to_dot

        return to_dot(self, **options)

    def _repr_svg_(self) -> str:
        from rosewood.forest.draw import to_svg

        return to_svg(self)

    def _repr_html_(self) -> str:
        from rosewood.forest.draw import to_html

        return to_html(self)

    # -- the rest ---------------------------------------------------------------------------------

    def __repr__(self) -> str:
        return (
            f"Forest({self.num_nodes} nodes, {self.num_edges} edges, {len(self.features)} features)"
        )

    def __eq__(self, other: object) -> bool:
        """Same arrays, feature names and words."""
        if not isinstance(other, Forest):
            return NotImplemented
        return (
            self.features == other.features
            and self.vocabulary == other.vocabulary
            and all(_same(getattr(self, name), getattr(other, name)) for name in _ARRAYS)
        )

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[object, ...]:
        fields = {name: getattr(self, name) for name in (*_ARRAYS, "features", "vocabulary")}
        return (_rebuild, (fields,))


def _rebuild(fields: dict[str, Any]) -> Forest:
    return Forest(
        **{name: value for name, value in fields.items() if name != "head"}, allow_unreachable=True
    )


def _same(a: Any, b: Any) -> bool:
    return (a is None and b is None) or (a is not None and b is not None and np.array_equal(a, b))
