"""Options that all experiments have."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from pathlib import Path

from experiments.corpora import DATA
from experiments.markdown import DECODERS

_HERE = Path(__file__).parent


def results_of(name: str) -> Path:
    """The folder of the results of an experiment."""
    return _HERE / name / "results"


def shared_parser(command: str, about: str | None) -> argparse.ArgumentParser:
    """The options of one experiment and of all; the docstring of its module says what it is."""
    parser = argparse.ArgumentParser(
        prog=f"python -m {command}", description=(about or "").split("\n")[0]
    )
    parser.add_argument("corpus", nargs="?", help="name or folder of a tokenised corpus")
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the corpora")
    parser.add_argument("--work", type=Path, default=Path("experiments-work"), help="what is kept")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--quick", action="store_true", help="few settings and passes, to try it")
    parser.add_argument("--report", action="store_true", help="make the page from stored results")
    parser.add_argument(
        "--output", type=Path, default=_HERE.parent / "docs/papers", help="folder of the page"
    )
    return parser


def experiment_parser(name: str, about: str | None) -> argparse.ArgumentParser:
    """The options of an experiment."""
    parser = shared_parser(f"experiments.{name}", about)
    parser.add_argument("--results", type=Path, default=results_of(name), help="folder of results")
    return parser


def tuning_parser(
    name: str, about: str | None, rows: Iterable[str], rounds: int
) -> argparse.ArgumentParser:
    """The options of an experiment whose table has rows of tuned systems, for both decoders."""
    parser, names = experiment_parser(name, about), list(rows)
    decoders = list(DECODERS)
    parser.add_argument(
        "--decoders", type=several(decoders), default=decoders, help="between commas"
    )
    parser.add_argument("--rows", type=several(names), default=names, help="between commas")
    parser.add_argument("--repetitions", type=int, default=1, help="seeds of tuning")
    parser.add_argument("--rounds", type=int, default=rounds, help="rounds of tuning")
    return parser


def several(known: Iterable[str]) -> Callable[[str], list[str]]:
    """The type of an option that has known names between commas."""
    names = list(known)

    def parsed(text: str) -> list[str]:
        chosen = text.split(",")
        if unknown := set(chosen) - set(names):
            raise argparse.ArgumentTypeError(
                f"unknown: {', '.join(sorted(unknown))}; expected {', '.join(names)}"
            )
        return [name for name in names if name in chosen]

    return parsed


def run_and_report(
    options: argparse.Namespace,
    run: Callable[[argparse.Namespace], None],
    write_page: Callable[[Path, Path], Path],
) -> None:
    """Run an experiment, if there is a corpus, and make its page."""
    if is_run(options):
        run(options)
    print(write_page(options.results, options.output))


def is_run(options: argparse.Namespace) -> bool:
    """Whether there is a corpus to run, or else the page alone to be made."""
    if options.corpus is None and not options.report:
        raise SystemExit("give a corpus, or --report")
    return options.corpus is not None
