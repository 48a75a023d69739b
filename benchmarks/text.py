"""Raw text to words and back beside sacremoses, in one run: lines a second, lines that come back.

    python -m benchmarks.text [--language de] [--lines 20000] [--repeat 3]

Lines are those of Multi30k in $ROSEWOOD_DATA (default ../shared/data).  All tokenisers have seen
them once before: what is measured is the speed that long runs come to.
"""

from __future__ import annotations

import argparse
import gzip
import itertools
import os
from pathlib import Path
from typing import Any

from benchmarks.metrics import seconds
from rosewood.corpus import TextProcessor, make_tokeniser
from rosewood.errors import TextError

DATA = Path(os.environ.get("ROSEWOOD_DATA") or Path(__file__).parents[1] / "../shared/data")


def tokenisers(language: str) -> dict[str, Any]:
    """What is measured: anything with tokenise and detokenise."""
    found: dict[str, Any] = {
        "unicode": make_tokeniser("unicode", language=language),
        "unicode, joiners": make_tokeniser("unicode", language=language, joiners=True),
        "char": make_tokeniser("char"),
        "none": make_tokeniser("none"),
    }
    try:
        found["moses"] = make_tokeniser("moses", language=language)
    except TextError as error:
        print(f"moses is left out: {error}")
        return found
    from sacremoses import MosesDetokenizer, MosesTokenizer

    class Peer:
        tokenise = staticmethod(MosesTokenizer(lang=language).tokenize)
        detokenise = staticmethod(MosesDetokenizer(lang=language).detokenize)

    return {**found, "sacremoses alone": Peer}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--language", default="de", choices=["de", "en"])
    parser.add_argument("--lines", type=int, default=20_000)
    parser.add_argument("--repeat", type=int, default=3, help="runs, of which the best counts")
    options = parser.parse_args()
    path = DATA / f"multi30k-de-en-raw/train.{options.language}.gz"
    if not path.exists():
        raise SystemExit(f"{path} is not there: set ROSEWOOD_DATA")
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as file:
        lines = [" ".join(line.split()) for line in itertools.islice(file, options.lines)]

    print(f"{len(lines)} lines\n{'':20}{'to words':>12}{'back':>12}{'exact':>10}")
    made = tokenisers(options.language)
    rates = {}
    for name, each in made.items():
        words = [each.tokenise(line) for line in lines]
        there = seconds(lambda: [each.tokenise(line) for line in lines], options.repeat)  # noqa: B023
        back = seconds(lambda: [each.detokenise(w) for w in words], options.repeat)  # noqa: B023
        same = sum(each.detokenise(w) == line for w, line in zip(words, lines, strict=True))
        rates[name] = len(lines) / there
        share = same / len(lines)
        print(f"{name:20}{rates[name]:10,.0f}/s{len(lines) / back:10,.0f}/s{share:10.2%}")
    processor = TextProcessor(made["unicode"]).learned(lines)
    whole = seconds(lambda: [processor.encode(line) for line in lines], options.repeat)
    encoded = [processor.encode(line) for line in lines]
    back = seconds(lambda: [processor.decode(e.words, e) for e in encoded], options.repeat)
    print(f"{'tags and truecasing':20}{len(lines) / whole:10,.0f}/s{len(lines) / back:10,.0f}/s")
    if "sacremoses alone" in rates:
        print(f"unicode is {rates['unicode'] / rates['sacremoses alone']:.1f} × sacremoses")


if __name__ == "__main__":
    main()
