"""Table 1 of Liu, Zhao, Watanabe & Sumita (2013), run again on public data.

    python -m experiments.oscar CORPUS [--decoders hiero,phrase] [--rows mert,pro_dev,oscar]
    python -m experiments.oscar --report

CORPUS is a folder of $ROSEWOOD_DATA (tatoeba-zh-en, tanaka-ja-en, multi30k-de-en) or any folder
with train, dev, devtest and test sets of words, its name ending in the languages.  What was
measured is written to results/CORPUS.json, and the page docs/papers/oscar.md is made from all
results; --report makes the page alone.  What is computed on the way is kept in --work.
"""

from __future__ import annotations

import argparse
from typing import Any

from experiments.command import results_of, run_and_report, tuning_parser
from experiments.corpora import find_corpus
from experiments.oscar.choices import chosen_settings, train_untuned, trials
from experiments.oscar.report import write_page
from experiments.oscar.summary import summary
from experiments.oscar.systems import OSCAR, ROWS, OscarRun, measure
from experiments.stored_results import add_result, commit

RESULTS = results_of("oscar")
_BASE = "pro_dev"  # whose weights make the lists on which settings are chosen


def main(arguments: list[str] | None = None) -> None:
    """Run what the command line asks for."""
    parser = tuning_parser("oscar", __doc__, ROWS, rounds=8)
    parser.add_argument("--sentences", type=int, default=5000, help="training sentences a round")
    run_and_report(parser.parse_args(arguments), run, write_page)


def run(options: argparse.Namespace) -> None:
    """Measure the rows that were asked for; each is stored when it is done."""
    corpus = find_corpus(options.corpus, options.data, keep_devtest=True)
    seeds = range(1, options.repetitions + 1)
    for decoder in options.decoders:
        made = OscarRun(
            corpus, decoder, options.work / corpus.name, options.rounds, options.threads,
            options.quick, options.sentences,
        )  # fmt: skip
        train_untuned(made)  # so that the time of a row is that of its tuning
        settings: dict[str, list[str]] = {}
        found: dict[tuple[str, int], dict[str, Any]] = {}
        for name in options.rows:
            if ROWS[name].sweep is not None:  # lists are made with weights of the baseline
                measure(made, _BASE, 1, [])
            settings[name] = chosen_settings(made, ROWS[name].sweep, _BASE)
            for seed in seeds:
                found[name, seed] = measure(made, name, seed, settings[name])
            told = summary(corpus, found, OSCAR) | {
                "settings": settings,
                "sweeps": {each: trials(made, each) for each in ROWS},
                "sentences_a_round": options.sentences,
                "rounds": options.rounds,
                "commit": commit(),
            }
            add_result(options.results, corpus.name, decoder, told, {})


if __name__ == "__main__":
    main()
