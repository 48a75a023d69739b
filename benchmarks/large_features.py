"""The large feature set: what its columns cost a decoder, beside columns read from the rule table.

    python -m benchmarks.large_features MODEL TEXT [--sentences 300] [--repeat 3]

MODEL is a bundle trained with `rosewood train --features large`, TEXT has a sentence per line, raw.
Three decoders have the same rules, language models, reordering and base weights, and therefore the
same translations: without the set (base), with it (large), and without it but with a rule table of
as many more columns (table), which are read instead of computed.  All further weights are 0.
Processor time of one thread, least of several runs.  Goal: large is not slower than table.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from rosewood.decode.decoder import Decoder, decoder_kind
from rosewood.decode.large_features import LargeFeatures
from rosewood.pipeline import Translator
from rosewood.rules import Rule, RuleTable

SHARED_VALUES = 7  # different numbers in a column of the table, as counts of words have


def seconds(decoder: Decoder, sentences: Sequence[Any], *, with_forest: bool, times: int) -> float:
    """The least of several processor times."""
    best = float("inf")
    for _ in range(times):
        begin = time.process_time()
        run = decoder.search_all(sentences) if with_forest else decoder.translate(sentences)
        for _ in run:
            pass
        best = min(best, time.process_time() - begin)
    return best


def wider_table(table: RuleTable, columns: Sequence[str], folder: Path) -> RuleTable:
    """The same rules with more columns, most of whose values are 0, as in the large set."""

    def rules() -> Iterator[Rule]:
        for number, rule in enumerate(table):
            more = {
                name: float((number * 31 + place) % SHARED_VALUES if place % 10 == 0 else 0)
                for place, name in enumerate(columns)
            }
            yield replace(rule, features={**rule.features, **more}, id=None)

    features = [*table.features, *columns]
    return RuleTable.build(folder, rules(), features=features, labels=table.labels)


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("model")
    parser.add_argument("text")
    parser.add_argument("--sentences", type=int, default=300)
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    translator = Translator.load(options.model)
    bundle = translator.bundle
    parts, kind = bundle.parts(), decoder_kind(bundle.manifest["decoder"])
    large: LargeFeatures = parts["large_features"]
    base = {k: v for k, v in bundle.weights.items() if k not in large.names}
    zeros = dict.fromkeys(large.names, 0.0)
    settings = translator.decoder.settings
    text = Path(options.text)
    with text.open(encoding="utf-8") as lines, tempfile.TemporaryDirectory() as folder:
        sentences = [
            translator.text.prepare(line.rstrip("\n")).source
            for line in islice(lines, options.sentences)
        ]
        without = {name: part for name, part in parts.items() if name != "large_features"}
        wider = wider_table(parts["rules"], [f"more_{n}" for n in large.names], Path(folder) / "t")
        of_table = {f"more_{name}": 0.0 for name in large.names}
        decoders = {
            "base": kind.make(without, settings=settings, weights=base),
            "large": kind.make(parts, settings=settings, weights={**base, **zeros}),
            "table": kind.make(
                {**without, "rules": wider}, settings=settings, weights={**base, **of_table}
            ),
        }
        print(f"{len(sentences)} sentences, {len(large.names)} further columns, seconds")
        print(f"{'decoder':8} {'features':>8} {'translate':>10} {'ratio':>6} {'forests':>10} ratio")
        first: tuple[float, float] | None = None
        for name, decoder in decoders.items():
            found = (
                seconds(decoder, sentences, with_forest=False, times=options.repeat),
                seconds(decoder, sentences, with_forest=True, times=options.repeat),
            )
            first = first or found
            print(
                f"{name:8} {len(decoder.features.dense):8} {found[0]:10.2f} "
                f"{found[0] / first[0]:6.2f} {found[1]:10.2f} {found[1] / first[1]:5.2f}"
            )


if __name__ == "__main__":
    main()
