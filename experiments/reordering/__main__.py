"""Experiments of Alrajeh & Niranjan (EMNLP 2014 and WMT 2014), run again on public data.

    python -m experiments.reordering CORPUS [--parts events,selection,bleu] [--quick]
    python -m experiments.reordering --report

CORPUS is a folder of $ROSEWOOD_DATA (tatoeba-zh-en, tanaka-ja-en, multi30k-de-en) or any folder
with train, dev and test sets of words, its name ending in the languages.  What was measured is
written to results/CORPUS.json, and the page docs/papers/reordering.md is made from all results;
--report makes the page alone.  What is computed on the way is kept in --work.
"""

from __future__ import annotations

import argparse
from typing import Any

from experiments.command import experiment_parser, results_of, run_and_report
from experiments.corpora import find_corpus, prepare
from experiments.reordering import classification, selection, translation
from experiments.reordering.orientations import FEATURES, read_events
from experiments.reordering.report import write_page
from experiments.stored_results import add_result, commit

RESULTS = results_of("reordering")
PARTS = ("events", "selection", "bleu")


def main(arguments: list[str] | None = None) -> None:
    """Run what the command line asks for."""
    run_and_report(_options(arguments), run, write_page)


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = experiment_parser("reordering", __doc__)
    parser.add_argument("--parts", default=",".join(PARTS), help="parts to run, between commas")
    parser.add_argument("--systems", default=",".join(translation.SYSTEMS), help="of the part bleu")
    parser.add_argument("--repetitions", type=int, default=3, help="splits, and seeds of tuning")
    parser.add_argument("--sentences", type=int, help="at most, of the parts events and selection")
    options = parser.parse_args(arguments)
    unknown = set(options.parts.split(",")) - set(PARTS)
    unknown |= set(options.systems.split(",")) - set(translation.SYSTEMS)
    if unknown:
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    return options


def run(options: argparse.Namespace) -> None:
    """Measure the parts that were asked for; each is stored when it is done."""
    corpus = find_corpus(options.corpus, options.data)
    work = options.work / corpus.name
    aligned = prepare(corpus, work, options.threads)
    seeds = list(range(1, options.repetitions + 1))
    sentences = 3000 if options.quick else options.sentences
    passes = 5 if options.quick else classification.PASSES
    about = {
        "pairs": aligned.facts["pairs"]["train"],
        "seconds": {name: round(each, 2) for name, each in aligned.facts["seconds"].items()},
        "commit": commit(),
        "quick": options.quick,
    }
    parts = options.parts.split(",")
    if "events" in parts:
        found: dict[str, Any] = {}
        for name in FEATURES:
            events = read_events(aligned, work, name, sentences)
            found[name] = classification.measure(events, seeds, passes)
        add_result(options.results, corpus.name, "events", found, about)
    if "selection" in parts:
        found = {
            name: selection.measure(read_events(aligned, work, name, sentences), seeds)
            for name in FEATURES
        }
        add_result(options.results, corpus.name, "selection", found, about)
    if "bleu" in parts:
        systems = options.systems.split(",")
        told = translation.measure(corpus, work, seeds, options.threads, systems)
        add_result(options.results, corpus.name, "bleu", told, about)


if __name__ == "__main__":
    main()
