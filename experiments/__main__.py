"""The tables of all papers on one corpus: hours, but what is finished is not done again.

    python -m experiments CORPUS [--work FOLDER]        # as `make papers CORPUS=CORPUS`
    python -m experiments --report                      # all pages from stored results

Each experiment has a folder of its own in --work.  `python -m experiments.NAME` runs one of them,
with options of its own.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from experiments.command import is_run, results_of, shared_parser

NAMES = sorted(each.parent.name for each in Path(__file__).parent.glob("*/__main__.py"))


def main(arguments: list[str] | None = None) -> None:
    """Run what the command line asks for."""
    parser = shared_parser("experiments", __doc__)
    parser.add_argument("--results", type=Path, help="folder of a folder of results for each")
    options = parser.parse_args(arguments)
    is_run(options)
    for name in NAMES:
        print(f"{name}:", flush=True)
        main_of(name)(arguments_of(name, options))


def main_of(name: str) -> Callable[[list[str]], None]:
    """What runs an experiment."""
    found: Callable[[list[str]], None] = import_module(f"experiments.{name}.__main__").main
    return found


def arguments_of(name: str, options: argparse.Namespace) -> list[str]:
    """The same options for one of the experiments."""
    results = results_of(name) if options.results is None else options.results / name
    places = {"data": options.data, "work": options.work / name, "results": results}
    values = {**places, "output": options.output, "threads": options.threads}
    return [
        *([] if options.corpus is None else [options.corpus]),
        *(each for key, value in values.items() for each in (f"--{key}", str(value))),
        *(f"--{key}" for key in ("quick", "report") if getattr(options, key)),
    ]


if __name__ == "__main__":
    main()
