"""A second stage: forests of a first model, scored again with n-grams of the whole string.

    second = SecondStage.load("second_stage.json")
    second.best(forest, score).text             # score: of each edge, by the first model
    chosen = second.rescore(forest, score)      # its forest: only good edges, refined

The first model's score keeps weight 1, each n-gram of the string adds its own weight (Li & Eisner
2009, section 7.4.3).  Edges that are in no good derivation of the first model are dropped before.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rosewood.arguments import check_number, check_shape
from rosewood.arrays import FloatArray, IdArray, LongArray, as_weight
from rosewood.errors import DamagedFileError, ForestError, RosewoodError
from rosewood.forest.forest import Forest
from rosewood.forest.ngram_features import NgramFeatures
from rosewood.forest.refinement import Refined
from rosewood.forest.search import Derivation
from rosewood.forest.transform import MAX_EDGES, prune
from rosewood.output import whole_file
from rosewood.shared_types import PathName

FORMAT, VERSION = "rosewood second stage", 1
SECOND_STAGE = "second_stage"  # the feature that the n-grams add up to


class Rescored(NamedTuple):
    """What is left of a forest: refined, with old edges and nodes, and the scores of its edges."""

    refined: Refined
    edge_map: LongArray
    node_map: IdArray
    ngrams: FloatArray  # what the n-grams of each edge add
    total: FloatArray  # with the score of the first stage

    def best(self) -> Derivation:
        """The best derivation of the refined forest."""
        return self.refined.forest.best(self.total)


@dataclass(frozen=True, eq=False)
class SecondStage:
    """Weights of n-grams beside the score of a first model, whose weight is 1.

    A forest keeps at most `edges_per_word` edges for each word of its best translation.
    """

    features: NgramFeatures
    weights: FloatArray
    edges_per_word: float = 50.0
    facts: dict[str, Any] = field(default_factory=dict)  # how it was learnt: JSON values

    def __post_init__(self) -> None:
        check_shape("weights", self.weights, (len(self.features),), error=ForestError)
        if not np.isfinite(self.weights).all():
            bad = int(np.flatnonzero(~np.isfinite(self.weights))[0])
            reason = f"the weight of {' '.join(self.features.ngrams[bad])!r} is not finite"
            raise ForestError(reason, code="argument.value", argument="weights")
        check_number("edges_per_word", self.edges_per_word, low=1, error=ForestError)

    def __len__(self) -> int:
        return len(self.features)

    def __repr__(self) -> str:
        return f"SecondStage({len(self)} n-grams of up to {self.features.order} words)"

    @cached_property
    def _used(self) -> tuple[NgramFeatures, FloatArray]:
        """The n-grams that have a weight: others need not be looked up."""
        used = np.flatnonzero(self.weights)
        if len(used) == len(self):
            return self.features, self.weights
        return NgramFeatures(self.features.ngrams[i] for i in used.tolist()), self.weights[used]

    def scaled(self, factor: float) -> SecondStage:
        """The same with every weight multiplied."""
        return replace(self, weights=factor * self.weights)

    def rescore(
        self, forest: Forest, score: ArrayLike, *, scale: float = 1.0, max_edges: int = MAX_EDGES
    ) -> Rescored:
        """A forest with new scores; `score` is the first model's, of each edge.

        `scale` multiplies what n-grams add.
        """
        first = as_weight("score", score, forest.num_edges)
        small = prune(forest, first, density=self.edges_per_word, bare=True)
        features, weights = self._used
        refined = features.refined(small.forest, max_edges=max_edges)
        ngrams = features.edge_scores(refined, weights)
        edge_map = small.edge_map[refined.edge_map]
        node_map = small.node_map[refined.node_map]
        return Rescored(refined, edge_map, node_map, ngrams, first[edge_map] + scale * ngrams)

    def best(self, forest: Forest, score: ArrayLike) -> Derivation:
        """The best derivation of a forest, as one of that forest with its new score."""
        made = self.rescore(forest, score)
        found = made.best()
        return Derivation(forest, made.edge_map[found.edges], found.score)

    def strongest(self, most: int = 20) -> list[tuple[str, float]]:
        """The n-grams with the largest weights, by size."""
        order = np.argsort(-np.abs(self.weights), kind="stable")[:most].tolist()
        return [(" ".join(self.features.ngrams[i]), float(self.weights[i])) for i in order]

    # -- files -------------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """For JSON; n-grams without a weight are left out."""
        pairs = zip(self.features.ngrams, self.weights.tolist(), strict=True)
        return {
            "format": FORMAT,
            "version": VERSION,
            "edges_per_word": self.edges_per_word,
            "facts": self.facts,
            "weights": {" ".join(ngram): value for ngram, value in pairs if value},
        }

    @classmethod
    def from_dict(cls, told: Any) -> SecondStage:
        """What `to_dict` wrote; anything else is a ForestError."""
        if not isinstance(told, dict) or told.get("format") != FORMAT:
            raise _wrong(f"it is not a {FORMAT}", "file.kind")
        if told.get("version") != VERSION:
            reason = f"its format version is {told.get('version')}, this release reads {VERSION}"
            raise _wrong(reason, "file.version")
        weights: Any = told.get("weights")
        edges: Any = told.get("edges_per_word")
        facts: Any = told.get("facts")
        if not (isinstance(weights, dict) and isinstance(facts, dict) and _is_number(edges)):
            raise _wrong("weights, edges_per_word and facts are not a table, a number, a table")
        for ngram, value in weights.items():
            if not _is_number(value):
                raise _wrong(f"the weight of {ngram!r} is {value!r:.40}, expected a finite number")
        features = NgramFeatures(tuple(ngram.split(" ")) for ngram in weights)
        values = np.array(list(weights.values()), np.float64)
        return cls(features, values, float(edges), facts)

    def save(self, path: PathName) -> None:
        """Write a JSON file, which appears whole or not at all."""
        text = json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False, indent=1)
        with whole_file(path) as out:
            out.write(f"{text}\n".encode())

    @classmethod
    def load(cls, path: PathName) -> SecondStage:
        """Read a file that `save` wrote."""
        raw = Path(path).read_bytes()
        try:
            return cls.from_dict(json.loads(raw))
        except (ValueError, RecursionError) as error:
            told = f"it is not JSON: {error}"
            raise DamagedFileError(told, file=path, code="file.damaged") from error
        except RosewoodError as error:
            code = error.code if error.code.startswith("file.") else "file.damaged"
            raise DamagedFileError(str(error), file=path, code=code) from error


def _is_number(value: Any) -> bool:
    is_one = isinstance(value, int | float) and not isinstance(value, bool)
    return is_one and abs(value) < 1e300 and math.isfinite(value)


def _wrong(reason: str, code: str = "file.damaged") -> ForestError:
    return ForestError(reason, code=code)
