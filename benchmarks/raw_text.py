"""What casing, numbers and guesses do to raw text: BLEU with each of them on and off.

    python -m benchmarks.raw_text [--corpus NAME] [--threads 2] [--work FOLDER] [-- OPTION …]

For each corpus a model is trained on raw text, and another one that copies unknown words.  The test
set is translated as it is, and (of languages with capitals) in small letters, in capitals and in
title case, with one setting of `rosewood translate` switched off at a time.  BLEU has cased
references; input in capitals, whose output is in capitals, is compared in small letters.
Corpora of words (tanaka-ja-en, tatoeba-zh-en) are taken as if they were raw text.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import sacrebleu

from benchmarks.rules import DATA, rosewood
from benchmarks.system import CORPORA, RAW, Corpus, training_files

_EVERY = (RAW, *(each for each in CORPORA if each.folder != "multi30k-de-en"))
_NO_NUMBERS, _NO_CASING = "--no-localise-numbers", ("--casing", "keep")
_CASES: dict[str, Callable[[str], str]] = {
    "small letters": str.lower,
    "capitals": str.upper,
    "title case": lambda line: " ".join(word[:1].upper() + word[1:] for word in line.split(" ")),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    names = [corpus.folder for corpus in _EVERY]
    parser.add_argument("--corpus", choices=names, action="append", help="repeatable; else all")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--work", type=Path, help="folder where models are kept")
    parser.add_argument("more", nargs="*", help="options of rosewood train, behind --")
    options = parser.parse_args()
    for corpus in _EVERY:
        if options.corpus is not None and corpus.folder not in options.corpus:
            continue
        if not corpus.file("train", corpus.source).exists():
            print(f"{corpus.folder} is skipped: it is not in {DATA}; set ROSEWOOD_DATA")
            continue
        with tempfile.TemporaryDirectory() as folder:
            measure(corpus, options.work or Path(folder), options.threads, options.more)


def measure(corpus: Corpus, place: Path, threads: int, more: Sequence[str]) -> None:
    """Print a row of BLEU for each input and each setting."""
    print(f"\n{corpus.folder}", flush=True)
    lines = corpus.lines("test", corpus.source)
    place.mkdir(parents=True, exist_ok=True)
    models = {
        how: train(corpus, place / f"{corpus.folder}-{how}", place / f"{corpus.folder}.work",
                   threads, ["--unknown", how, *more])
        for how in ("guess", "copy")
    }  # fmt: skip

    def row(
        name: str, model: Path, text: Sequence[str], *switches: str, lower: bool = False
    ) -> None:
        said = translate(model, text, place, threads, switches)
        references = [corpus.lines("test", each) for each in corpus.references]
        score = sacrebleu.BLEU(lowercase=lower).corpus_score(said, references).score
        print(f"  {name:36}{score:8.2f}", flush=True)

    row("as it is", models["guess"], lines)
    row("unknown words copied", models["copy"], lines)
    row("numbers as in the source", models["guess"], lines, _NO_NUMBERS)
    row("case as it is", models["guess"], lines, *_NO_CASING)
    if not any(any(map(str.isupper, line)) for line in lines):
        return
    row("as it is, compared in small letters", models["guess"], lines, lower=True)
    for name, made in _CASES.items():
        text, lower = list(map(made, lines)), name == "capitals"
        row(name, models["guess"], text, lower=lower)
        row(f"{name}, case as it is", models["guess"], text, *_NO_CASING, lower=lower)


def train(corpus: Corpus, model: Path, work: Path, threads: int, more: Sequence[str]) -> Path:
    """Train a model on raw text; stages that are finished are used again."""
    command = rosewood(
        "train", *training_files(corpus), "-l", f"{corpus.source}:en",
        "--on-bad-line", "skip", "--threads", threads, "--quiet", "--work", work, "--overwrite",
        "-o", model, *more,
    )  # fmt: skip
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return model


def translate(
    model: Path, lines: Sequence[str], place: Path, threads: int, switches: Sequence[str]
) -> list[str]:
    """The translations of lines, by the command."""
    source, output = place / "input", place / "output"
    source.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    command = rosewood(
        "translate", model, source, "--threads", threads, "--quiet", "-o", output, *switches
    )
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
    return output.read_text(encoding="utf-8").split("\n")[:-1]


if __name__ == "__main__":
    main()
