"""A decoder of a few words, for tests of what stands around decoders."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rosewood.decode import PhraseDecoder
from rosewood.lm import Model, estimate
from rosewood.rules import Rule, RuleTable

PAIRS = [
    ("das", "the"), ("das", "that"), ("haus", "house"), ("haus", "building"), ("ist", "is"),
    ("klein", "small"), ("klein", "little"), ("klicken sie", "click"), ("hier", "here"),
    ("gehen", "go"), ("wir", "we"), ("nach hause", "home"), ("ich habe", "i have"),
    ("den hund", "the dog"), ("gesehen", "seen"), ("nicht", "not"), ("und", "and"),
    (".", "."), (",", ","), ("!", "!"), ("{name}", "somebody"), ("hallo", "hello"),
]  # fmt: skip
ENGLISH = [
    "the house is small .", "the building is little .", "click here , and go !",
    "we go home .", "i have seen the dog .", "that is not small .", "hello !",
]  # fmt: skip
WEIGHTS = {
    "phrase_ef": 0.5, "word_penalty": -0.3, "phrase_penalty": 0.1, "unknown_penalty": 1.0,
    "distortion": 0.3, "lm": 0.7,
}  # fmt: skip


def small_rules(pairs: list[tuple[str, str]] = PAIRS) -> list[Rule]:
    """Phrase pairs, the first of a source the likelier; all words of a pair are linked."""
    made = []
    seen: dict[str, int] = {}
    for source, target in pairs:
        words = source.split(), target.split()
        seen[source] = seen.get(source, 0) + 1
        links = tuple((i, j) for i in range(len(words[0])) for j in range(len(words[1])))
        value = {"phrase_ef": -0.5 * seen[source]}
        made.append(Rule(tuple(words[0]), tuple(words[1]), features=value, links=links))
    return made


def write_models(folder: Path, pairs: list[tuple[str, str]] = PAIRS) -> None:
    """The table `rules` and the language model `lm.rlm` in a folder."""
    RuleTable.build(folder / "rules", small_rules(pairs))
    with estimate(ENGLISH, order=3) as model:
        model.save(folder / "lm.rlm")


def small_decoder(folder: Path, pairs: list[tuple[str, str]] = PAIRS, **how: Any) -> PhraseDecoder:
    """A decoder of these phrase pairs."""
    write_models(folder, pairs)
    how = {"weights": WEIGHTS, **how}
    return PhraseDecoder(RuleTable.open(folder / "rules"), Model.open(folder / "lm.rlm"), **how)
