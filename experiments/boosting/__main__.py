"""Table 2 of Toutanova & Ahn (2013), run again on public data.

    python -m experiments.boosting CORPUS [--rows base_pro,large_pro,boost_local]
    python -m experiments.boosting --report

CORPUS is a folder of $ROSEWOOD_DATA (tatoeba-zh-en, tanaka-ja-en, multi30k-de-en) or any folder
with train, dev, devtest and test sets of words, its name ending in the languages.  What was
measured is written to results/CORPUS.json, and the page docs/papers/boosting.md is made from all
results; --report makes the page alone.  What is computed on the way is kept in --work.
"""

from __future__ import annotations

import argparse
import json
from typing import Any

import numpy as np

from experiments.boosting.lists import METRIC, PARTS, make_lists
from experiments.boosting.report import write_page
from experiments.boosting.rows import AGAINST, ROWS, Found, Reranking, measure_inside
from experiments.command import experiment_parser, is_run, results_of
from experiments.corpora import find_corpus
from experiments.runs import Run, references_of, write_json
from experiments.stored_results import add_result, commit
from rosewood.metrics import paired_bootstrap, parse_metric

RESULTS = results_of("boosting")
_SEED = 1
_BASE, _LARGE = "mert", "large"  # models: weights of the lists, and columns of their edges
_ROUNDS = 8


def main(arguments: list[str] | None = None) -> None:
    """Run what the command line asks for."""
    parser = experiment_parser("boosting", __doc__)
    parser.add_argument("--rows", default=",".join(ROWS), help="between commas")
    options = parser.parse_args(arguments)
    if unknown := set(options.rows.split(",")) - set(ROWS):
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    if is_run(options):
        run(options)
    print(write_page(options.results, options.output))


def run(options: argparse.Namespace) -> None:
    """Measure the rows that were asked for; each is stored when it is done."""
    corpus = find_corpus(options.corpus, options.data, keep_devtest=True)
    rounds = 1 if options.quick else _ROUNDS
    made = Run(corpus, "phrase", options.work / corpus.name, rounds, options.threads, options.quick)
    made.train(_BASE, _SEED, "--tune", "mert", "--metric", METRIC)
    made.train(_LARGE, _SEED, "--tune", "none", "--features", "large")
    lists = make_lists(made, _BASE, _LARGE, _SEED)
    reranking = Reranking(made, lists, _LARGE, _SEED)
    systems: dict[str, dict[str, Any]] = {}
    for name in (name for name in ROWS if name in options.rows.split(",")):
        note = made.folder / f"{name}-{_SEED}.row.json"
        if not note.exists():
            found = (
                measure_inside(made, name, _SEED, chosen_of(name, systems))
                if ROWS[name].is_inside
                else reranking.measure(name)
            )
            write_json(note, _stored(found))
        systems[name] = json.loads(note.read_text("utf-8"))
        add_result(options.results, corpus.name, "phrase", _summary(made, systems), {})


def chosen_of(name: str, systems: dict[str, dict[str, Any]]) -> list[str]:
    """Settings that were chosen on lists, for decoders that learn the same."""
    is_large = "large" in ROWS[name].options
    rows = {"--set": "large_pro" if is_large else "base_pro"}
    if "--boost" in ROWS[name].options:
        rows["--boost-set"] = "forest" if name == "inside_forest" else "boost_local"
    return [
        each
        for option, row in rows.items()
        for key, value in systems.get(row, {}).get("settings", {}).items()
        if f"{key}={value}" not in ROWS[name].options
        for each in (option, f"{key}={value}")
    ]


def _stored(found: Found) -> dict[str, Any]:
    return {
        "statistics": {part: rows.tolist() for part, rows in found.statistics.items()},
        "settings": found.settings,
        "tried": found.tried,
        "trees": None if found.trees is None else found.trees.to_dict(),
    }


def _summary(run: Run, systems: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Scores of all rows, and p-values against the row without trees."""
    metric = parse_metric(METRIC)
    rows = {
        name: {part: np.array(each) for part, each in system["statistics"].items()}
        for name, system in systems.items()
    }
    summed = {}
    for name, system in systems.items():
        summed[name] = {
            **{part: float(metric.score(rows[name][part])) for part in PARTS},
            "settings": system["settings"],
            "tried": system["tried"],
            "trees": system["trees"],
        }
        against = AGAINST[ROWS[name].is_inside]
        if against in systems and name != against:
            one, other = rows[name]["test"], rows[against]["test"]
            if not np.array_equal(one, other):  # no trees were better than some
                summed[name]["p"] = paired_bootstrap(metric, one, other, samples=1000).p_value
    return {
        "seed": _SEED,
        "sentences": {part: len(references_of(run.corpus, part)) for part in PARTS},
        "references": len(references_of(run.corpus, "test")[0]),
        "signature": metric.signature_with(nrefs=len(references_of(run.corpus, "test")[0])),
        "systems": summed,
        "commit": commit(),
    }


if __name__ == "__main__":
    main()
