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
from pathlib import Path
from typing import Any

from experiments.corpora import DATA, find_corpus, prepare
from experiments.reordering import classification, selection, translation
from experiments.reordering.orientations import FEATURES, read_events
from experiments.reordering.report import write_page
from experiments.stored_results import add_result, commit

RESULTS = Path(__file__).parent / "results"
PARTS = ("events", "selection", "bleu")
PAGE = Path(__file__).parents[2] / "docs" / "papers"


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
        prog="python -m experiments.reordering", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("corpus", nargs="?", help="name or folder of a tokenised corpus")
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the corpora")
    parser.add_argument("--work", type=Path, default=Path("experiments-work"), help="what is kept")
    parser.add_argument("--parts", default=",".join(PARTS), help="parts to run, between commas")
    parser.add_argument("--systems", default=",".join(translation.SYSTEMS), help="of the part bleu")
    parser.add_argument("--repetitions", type=int, default=3, help="splits, and seeds of tuning")
    parser.add_argument("--sentences", type=int, help="at most, of the parts events and selection")
    parser.add_argument("--quick", action="store_true", help="few passes and sentences, to try it")
    parser.add_argument("--threads", type=int, default=2, help="of training whole systems")
    parser.add_argument("--report", action="store_true", help="make the page from stored results")
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder of results")
    parser.add_argument("--output", type=Path, default=PAGE, help="folder of the page")
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
