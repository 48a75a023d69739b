"""The rows of the table: how candidates are ranked, or which decoder translates.

Rows of lists rank the same 500 candidates of each sentence.  Settings are those that are best on
Dev-Select.  Rows inside the decoder translate with `rosewood train`'s own model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from experiments.boosting.lists import METRIC, PARTS, K, Lists, only, whole_forests
from experiments.corpora import lines_of
from experiments.runs import Run, references_of, translated
from rosewood.arrays import FloatArray
from rosewood.forest import BoostedTrees, Weights
from rosewood.forest.trees import TREES
from rosewood.learn import BoostSettings, TuningSet, boost_trees, make_learner
from rosewood.learn.boosted_set import with_trees
from rosewood.metrics import parse_metric


class Row(NamedTuple):
    """A row: its features, how it is tuned, where its conditions look, and where it is used."""

    features: str
    tuned: str
    is_inside: bool = False
    options: tuple[str, ...] = ()  # of `rosewood train`


_PRO = ("--tune", "pro", "--nbest", str(K))
_LARGE = ("--features", "large")
ROWS = {
    "base_mert": Row("base", "MERT"),
    "base_pro": Row("base", "PRO"),
    "large_pro": Row("large", "PRO"),
    "boost_global": Row("boost-global", "PRO"),
    "boost_local": Row("boost-local", "PRO"),
    "products": Row("products, local", "PRO"),
    "risk": Row("boost-local, risk of lists", "PRO"),
    "forest": Row("boost-local, risk of forests", "PRO"),
    "inside_base": Row("base", "PRO", True, _PRO),
    "inside_base_boost": Row("base, boost-local", "PRO", True, (*_PRO, "--boost")),
    "inside_large": Row("large", "PRO", True, (*_PRO, *_LARGE)),
    "inside_boost": Row("large, boost-local", "PRO", True, (*_PRO, *_LARGE, "--boost")),
    "inside_forest": Row(
        "large, boost-local, risk of forests", "PRO", True,
        (*_PRO, *_LARGE, "--boost", "--boost-set", "loss=risk"),
    ),
}  # fmt: skip
AGAINST = {False: "large_pro", True: "inside_large"}  # what p-values compare with
PENALTIES = (1e-4, 1e-3, 1e-2, 1e-1)  # of PRO
# Settings of trees that are tried on Dev-Select.
_CONSTANT = [{"leaf": "constant", "leaves": n} for n in (2, 4, 8)]
_LINEAR = [{"leaf": "linear", "leaves": 2}]
GRIDS: dict[str, list[dict[str, Any]]] = {
    "boost_global": [*_CONSTANT, *_LINEAR],
    "boost_local": [*_CONSTANT, *_LINEAR],
    "products": [{"leaf": "product", "degree": n} for n in (2, 3)],
    "risk": [{"loss": "risk", **more} for more in _CONSTANT[:2]],
    "forest": [{"loss": "risk", **more} for more in _CONSTANT[:2]],
}


@dataclass
class Found:
    """What a row found: rows of statistics of what it chose in each part, and how."""

    statistics: dict[str, FloatArray]
    settings: dict[str, Any]
    tried: list[dict[str, Any]]
    trees: BoostedTrees | None = None


class Reranking:
    """Rows that rank the lists of a corpus."""

    def __init__(self, run: Run, lists: dict[str, Lists], large: str, seed: int) -> None:
        self._run, self._lists, self._large, self._seed = run, lists, large, seed
        self._linear: dict[str, tuple[FloatArray, Found]] = {}

    def measure(self, name: str) -> Found:
        """Learn and rank."""
        if name == "base_mert":
            return self._weights(name, "mert", self._lists["dev"].base, [{}])[1]
        if name == "base_pro":
            return self._weights(name, "pro", self._lists["dev"].base, self._penalties())[1]
        theta, found = self._large_pro()
        if name == "large_pro":
            return found
        grid = GRIDS[name][:1] if self._run.quick else GRIDS[name]
        return self._boosted(name, theta, grid)

    def _penalties(self) -> list[dict[str, Any]]:
        return [{"l2": value} for value in (PENALTIES[:1] if self._run.quick else PENALTIES)]

    def _large_pro(self) -> tuple[FloatArray, Found]:
        names = tuple(self._lists["dev"].flat.features.dense)
        return self._weights("large_pro", "pro", names, self._penalties())

    def _weights(
        self, name: str, method: str, names: tuple[str, ...], grid: Sequence[dict[str, Any]]
    ) -> tuple[FloatArray, Found]:
        """Weights of a learner with the settings that are best on Dev-Select."""
        if name not in self._linear:
            parts = {part: only(each.flat, names) for part, each in self._lists.items()}
            start = parts["dev"].features.vector(self._lists["dev"].weights, only_known=True)
            tried, best = [], None
            for settings in grid:
                learner = make_learner(method, {"k": K, **settings} if method == "pro" else {})
                theta = learner.fit(parts["dev"], start, seed=self._seed).theta
                score = parts["devtest"].score(theta)
                tried.append({"settings": settings, "selected": score})
                if best is None or score > best[0]:
                    best = score, theta, settings
            assert best is not None
            chosen = {p: _statistics(each, best[1]) for p, each in parts.items()}
            self._linear[name] = best[1], Found(chosen, best[2], tried)
        return self._linear[name]

    def _boosted(self, name: str, theta: FloatArray, grid: Sequence[dict[str, Any]]) -> Found:
        """Trees with the settings that are best on Dev-Select."""
        dev, select = self._sets(name, theta)
        tried, best = [], None
        for settings in grid:
            found = boost_trees(
                dev, theta,
                BoostSettings(k=K, **settings, **({"rounds": 3} if self._run.quick else {})),
                select=select, lists=self._lists["dev"].theta(), seed=self._seed,
            )  # fmt: skip
            assert found.selected is not None
            tried.append({"settings": settings, "selected": found.selected,
                          "trees": len(found.trees), "history": found.history})  # fmt: skip
            if best is None or found.selected > best[0]:
                best = found.selected, found.trees, settings
        assert best is not None
        statistics = {}
        for part, each in self._lists.items():
            if name == "boost_global":
                statistics[part] = _statistics(*with_trees(each.flat, theta, best[1]))
            else:
                statistics[part] = _statistics(_summed(best[1], each), np.append(theta, 1.0))
        return Found(statistics, best[2], tried, best[1])

    def _sets(self, name: str, theta: FloatArray) -> tuple[TuningSet, TuningSet]:
        """What trees are learnt on, and what selects them."""
        if name == "boost_global":
            return self._lists["dev"].flat, self._lists["devtest"].flat
        if name != "forest":
            return self._lists["dev"].edges, self._lists["devtest"].edges
        names = self._lists["dev"].flat.features.dense
        weights = Weights(dict(zip(names, theta.tolist(), strict=True)))
        dev, select = (
            whole_forests(self._run, self._large, weights, self._seed, part)
            for part in ("dev", "devtest")
        )
        return dev, select


def _summed(trees: BoostedTrees, lists: Lists) -> TuningSet:
    """Lists with what trees make of their edges, added up."""
    boosted, order = with_trees(lists.edges, lists.theta(), trees)
    order[len(boosted.features.dense) - 1] = 0.0  # candidates stay those of the decoder
    forests = [
        forest.k_best(forest.score(order), K, distinct=True).as_list() for forest in boosted.each()
    ]
    return TuningSet(forests, lists.flat.metric, lists.flat.references)


def _statistics(lists: TuningSet, theta: FloatArray) -> FloatArray:
    return np.asarray(lists.statistics[lists.best_rows(theta)])


def measure_inside(run: Run, name: str, seed: int, more: Sequence[str]) -> Found:
    """Train a model and translate all parts with it."""
    told = run.train(name, seed, *ROWS[name].options, "--metric", METRIC, *more)
    metric = parse_metric(METRIC)
    statistics = {}
    for part in PARTS:
        source = lines_of(run.corpus.file(part, run.corpus.source))
        said = translated(run.model(name, seed), source)
        rows = metric.statistics_many([[line] for line in said], references_of(run.corpus, part))
        statistics[part] = np.asarray(rows)
    stages = {each["name"]: each for each in told["stages"]}
    file = run.model(name, seed) / "trees.json"
    trees = BoostedTrees.load(file) if TREES in stages and file.exists() else None
    return Found(statistics, {}, [], trees)
