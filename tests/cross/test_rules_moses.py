"""Phrase pairs and orientations are those of Moses's extract.

tests/golden/extract has what it made of corpus.source, .target and .align, awkward sentence pairs,
with phrases of up to three words: the pairs, and their orientations by every model. It is asked
again, and of more sentences, where it is installed.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from functools import cache
from itertools import product
from pathlib import Path

import pytest
from tests.aligned import native
from tests.reference import rules as reference
from tests.reference.rules import LEFT, MONOTONE, RIGHT, SWAP, Sentence

GOLDEN = Path(__file__).parents[1] / "golden" / "extract"
KINDS = {"wbe": "word", "phrase": "phrase", "hier": "hierarchy"}
MODELS = [f"{model}-{classes}" for model, classes in product(KINDS, ("msd", "mslr"))]
NAMES = {
    "msd": {MONOTONE: "mono", SWAP: "swap", LEFT: "other", RIGHT: "other"},
    "mslr": {MONOTONE: "mono", SWAP: "swap", LEFT: "dleft", RIGHT: "dright"},
}
MAX_PHRASE = 3
Corpus = list[tuple[list[str], list[str], Sentence]]


def read_corpus(folder: Path) -> Corpus:
    """Words of both sides, and how they are linked."""
    lines = [(folder / f"corpus.{name}").read_text().splitlines() for name in ("source", "target")]
    corpus = []
    for f, e, a in zip(*lines, (folder / "corpus.align").read_text().splitlines(), strict=True):
        links = [tuple(map(int, link.split("-"))) for link in a.split()]
        source, target = f.split(), e.split()
        corpus.append((source, target, Sentence(len(source), len(target), frozenset(links))))
    return corpus


def pair_lines(corpus: Corpus) -> list[str]:
    """Our phrase pairs with their links, as lines of the file `extract`."""
    lines = []
    for source, target, sentence in corpus:
        for box in native(sentence).phrases(MAX_PHRASE, MAX_PHRASE).tolist():
            links = sorted(sentence.inside(tuple(box)), key=lambda link: link[::-1])
            words = " ".join(source[slice(*box[:2])]), " ".join(target[slice(*box[2:])])
            told = " ".join(f"{i - box[0]}-{j - box[2]}" for i, j in links)
            lines.append(" ||| ".join((*words, told)))
    return lines


def orientation_lines(corpus: Corpus, model: str, told) -> list[tuple[str, str]]:
    """Backward and forward orientation of each phrase pair, as `told` says."""
    kind, classes = model.split("-")
    return [
        tuple(
            NAMES[classes][told(sentence, tuple(box), KINDS[kind], direction, MAX_PHRASE)]
            for direction in ("backward", "forward")
        )
        for _, _, sentence in corpus
        for box in native(sentence).phrases(MAX_PHRASE, MAX_PHRASE).tolist()
    ]


def ours(sentence, box, kind, direction, max_phrase):
    return native(sentence).orientation(kind, direction, max_phrase, box)


def as_moses(sentence, box, kind, direction, max_phrase):
    return reference.orientation(sentence, box, kind, direction, max_phrase, as_moses=True)


def parsed(lines: list[str]) -> list[tuple[str, str]]:
    """The two orientations of each line of a file `extract.o`."""
    found = [line.split(" ||| ")[2].replace("|", " ").split() for line in lines]
    return [(backward, forward) for backward, forward in found]


# -- what Moses says -------------------------------------------------------------------------------


def run_extract(folder: Path, model: str) -> tuple[list[str], list[str]]:
    """The pairs and the orientations that the installed program finds."""
    program = os.environ.get("MOSES_EXTRACT") or shutil.which("extract")
    if not program:
        pytest.skip("Moses's extract is not installed: set MOSES_EXTRACT")
    inputs = [folder / f"corpus.{name}" for name in ("target", "source", "align")]
    command = [program, *inputs, folder / model, str(MAX_PHRASE), "orientation", "--model", model]
    subprocess.run(command, check=True, capture_output=True)
    made = (folder / model, folder / f"{model}.o")
    return made[0].read_text().splitlines(), made[1].read_text().splitlines()


def write_random_corpus(folder: Path) -> None:
    """Sentence pairs of one to seven words, linked at random; words stand twice here and there."""
    chance = random.Random(11)
    rows = []
    for _ in range(300):
        sizes = chance.randint(1, 7), chance.randint(1, 7)
        links = {tuple(map(chance.randrange, sizes)) for _ in range(chance.randint(0, 9))}
        words = [[chance.choice("abcdefgh") for _ in range(size)] for size in sizes]
        rows.append((*map(" ".join, words), " ".join(f"{i}-{j}" for i, j in sorted(links))))
    for n, name in enumerate(("source", "target", "align")):
        text = "".join(row[n] + "\n" for row in rows)
        (folder / f"corpus.{name}").write_text(text)


@pytest.fixture(scope="module")
def live(tmp_path_factory):
    """Asks the program about a random corpus, each model once."""
    folder = tmp_path_factory.mktemp("extract")
    write_random_corpus(folder)
    return read_corpus(folder), cache(lambda model: run_extract(folder, model))


def golden(model: str) -> tuple[list[str], list[str]]:
    return tuple((GOLDEN / name).read_text().splitlines() for name in ("pairs", model))


@pytest.fixture(params=["golden", "live"])
def moses(request):
    """A corpus, and what Moses finds in it by a model."""
    if request.param == "golden":
        return read_corpus(GOLDEN), golden
    return request.getfixturevalue("live")


def test_phrase_pairs(moses):
    corpus, said = moses
    assert pair_lines(corpus) == said("wbe-msd")[0]


@pytest.mark.parametrize("model", MODELS)
def test_orientations(moses, model):
    """Ours but for its two mistakes (core/rules/orientation.hpp), which the definition can make."""
    corpus, said = moses
    found = parsed(said(model)[1])
    assert orientation_lines(corpus, model, as_moses) == found
    made = orientation_lines(corpus, model, ours)
    assert made == orientation_lines(corpus, model, reference.orientation)
    if model.startswith("wbe"):
        assert made == found
    elif model.endswith("msd"):
        assert [backward for backward, _ in made] == [backward for backward, _ in found]
    else:  # where it overlooks a word on the right, it says that the source goes on to the right
        for (backward, _), (theirs, _) in zip(made, found, strict=True):
            assert backward == theirs or (backward, theirs) == ("dleft", "dright")


def test_golden_files_are_what_the_program_writes(tmp_path):
    for name in ("source", "target", "align"):
        shutil.copy(GOLDEN / f"corpus.{name}", tmp_path)
    for model in MODELS:
        assert run_extract(tmp_path, model) == golden(model)
