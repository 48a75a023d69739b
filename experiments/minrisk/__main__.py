"""Table 5 of Li & Eisner (2009), run again on public data.

    python -m experiments.minrisk CORPUS [--decoders hiero,phrase] [--rows mert,mr_forests]
    python -m experiments.minrisk --report

CORPUS is a folder of $ROSEWOOD_DATA (tatoeba-zh-en, tanaka-ja-en, multi30k-de-en) or any folder
with train, dev, devtest and test sets of words, its name ending in the languages.  What was
measured is written to results/CORPUS.json, and the page docs/papers/minimum-risk.md is made from
all results; --report makes the page alone.  What is computed on the way is kept in --work.
"""

from __future__ import annotations

import argparse
from typing import Any

from experiments.command import results_of, run_and_report, tuning_parser
from experiments.corpora import find_corpus
from experiments.minrisk.consensus import compare
from experiments.minrisk.curves import curves
from experiments.minrisk.report import write_page
from experiments.minrisk.systems import CONSENSUS_ROW, ROWS, UNTUNED, is_known, measure, summary
from experiments.runs import Run
from experiments.stored_results import add_result, commit

RESULTS = results_of("minrisk")


def main(arguments: list[str] | None = None) -> None:
    """Run what the command line asks for."""
    known = [name for name, row in ROWS.items() if is_known(row)]
    parser = tuning_parser("minrisk", __doc__, known, rounds=6)
    run_and_report(parser.parse_args(arguments), run, write_page)


def run(options: argparse.Namespace) -> None:
    """Measure the rows that were asked for; each is stored when it is done."""
    corpus = find_corpus(options.corpus, options.data, keep_devtest=True)
    for decoder in options.decoders:
        made = Run(
            corpus, decoder, options.work / (corpus.name + ("-quick" if options.quick else "")),
            1 if options.quick else options.rounds, options.threads, options.quick,
        )  # fmt: skip
        made.train(UNTUNED, 1, "--tune", "none")  # so that the time of a row is that of its tuning
        told: dict[str, Any] = {"rounds": made.rounds, "commit": commit()}
        found: dict[tuple[str, int], dict[str, Any]] = {}
        for name in options.rows:
            for seed in range(1, options.repetitions + 1):
                found[name, seed] = measure(made, name, seed)
            told |= summary(made, found)
            add_result(options.results, corpus.name, decoder, told, {})
        if CONSENSUS_ROW in options.rows:
            told["consensus"] = compare(made, CONSENSUS_ROW, 1)
            add_result(options.results, corpus.name, decoder, told, {})
        told["curves"] = curves(made, 1)
        add_result(options.results, corpus.name, decoder, told, {})


if __name__ == "__main__":
    main()
