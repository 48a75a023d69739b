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
from pathlib import Path
from typing import Any

from experiments.corpora import DATA, find_corpus
from experiments.oscar.choices import chosen_settings, train_untuned, trials
from experiments.oscar.report import write_page
from experiments.oscar.summary import summary
from experiments.oscar.systems import OSCAR, ROWS, Run, measure
from experiments.stored_results import add_result, commit

DECODERS = ("hiero", "phrase")
RESULTS = Path(__file__).parent / "results"
PAGE = Path(__file__).parents[2] / "docs" / "papers"
_BASE = "pro_dev"  # whose weights make the lists on which settings are chosen


def main(arguments: list[str] | None = None) -> None:
    """Run what the command line asks for."""
    options = _options(arguments)
    if options.corpus is not None:
        run(options)
    elif not options.report:
        raise SystemExit("give a corpus, or --report")
    print(write_page(options.results, options.output))


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m experiments.oscar", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("corpus", nargs="?", help="name or folder of a tokenised corpus")
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the corpora")
    parser.add_argument("--work", type=Path, default=Path("experiments-work"), help="what is kept")
    parser.add_argument("--decoders", default=",".join(DECODERS), help="between commas")
    parser.add_argument("--rows", default=",".join(ROWS), help="between commas")
    parser.add_argument("--repetitions", type=int, default=1, help="seeds of tuning")
    parser.add_argument("--sentences", type=int, default=5000, help="training sentences a round")
    parser.add_argument("--rounds", type=int, default=8, help="rounds of tuning")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--quick", action="store_true", help="try few settings")
    parser.add_argument("--report", action="store_true", help="make the page from stored results")
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder of results")
    parser.add_argument("--output", type=Path, default=PAGE, help="folder of the page")
    options = parser.parse_args(arguments)
    unknown = set(options.rows.split(",")) - set(ROWS)
    unknown |= set(options.decoders.split(",")) - set(DECODERS)
    if unknown:
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    return options


def run(options: argparse.Namespace) -> None:
    """Measure the rows that were asked for; each is stored when it is done."""
    corpus = find_corpus(options.corpus, options.data, keep_devtest=True)
    names = [name for name in ROWS if name in options.rows.split(",")]
    seeds = range(1, options.repetitions + 1)
    for decoder in options.decoders.split(","):
        made = Run(
            corpus, decoder, options.work / corpus.name, options.sentences, options.rounds,
            options.threads, options.quick,
        )  # fmt: skip
        train_untuned(made)  # so that the time of a row is that of its tuning
        settings: dict[str, list[str]] = {}
        found: dict[tuple[str, int], dict[str, Any]] = {}
        for name in names:
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
