"""Corpora that nobody would train on: a model all the same, or a reason why not."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest
from tests.refusals import refuses
from tests.training import QUICK, contents

from rosewood.errors import RosewoodError, TrainingError
from rosewood.model import Bundle
from rosewood.pipeline import TrainingInputs, TrainingSettings, Translator, train

WORDS = [f"w{k}" for k in range(30)]


def some_lines(seed: int, count: int = 120) -> list[str]:
    chance = random.Random(seed)
    return [" ".join(chance.choices(WORDS, k=chance.randint(1, 6))) for _ in range(count)]


LINES = some_lines(1)
LONG = " ".join(WORDS * 20)


def trained(place: Path, source, target, dev=None, **settings):
    for name, lines in (("a.en", source), ("a.de", target)):
        (place / name).write_text("".join(f"{line}\n" for line in lines))
    given = {}
    if dev is not None:
        for name, lines in zip(("d.en", "d.de"), dev, strict=True):
            (place / name).write_text("".join(f"{line}\n" for line in lines))
        given = {"dev": (place / "d.en", place / "d.de")}
    chosen = TrainingSettings(**{**QUICK, "tune": "mira", "set": {}, "rounds": 1, **settings})
    return train(TrainingInputs(place / "a.en", place / "a.de", **given), place / "model", chosen)


ODD = {
    "one pair": (["hello"], ["hallo"], {}),
    "two pairs": (["hello", "you"], ["hallo", "du"], {}),
    "the same pair": (["hello you"] * 100, ["hallo du"] * 100, {}),
    "one source": (["hello you"] * 120, LINES, {}),
    "one target": (LINES, ["hallo du"] * 120, {}),
    "a language into itself": (LINES, LINES, {}),
    "chance": (LINES, some_lines(2), {}),
    "stops": (["! ? ."] * 100, [". ! ?"] * 100, {}),
    "numbers": (list(map(str, range(100))), list(map(str, range(0, 700, 7))), {}),
    "long words": ([f"{'a' * 500} {x}" for x in LINES], [f"{'b' * 500} {x}" for x in LINES], {}),
    "signs": ([f"{x} 👩‍👩‍👧 ﷺ \u200b" for x in LINES], [f"{x} \u2028 é" for x in LINES], {}),
    "small and large": ([x.upper() for x in LINES], LINES, {"lowercase": True}),
    "characters": (LINES, LINES, {"tokeniser": "char"}),
    "unigrams": (LINES, LINES, {"lm_order": 1}),
    "n-grams longer than sentences": (LINES, LINES, {"lm_order": 9}),
    "words alone": (LINES, LINES, {"max_phrase": 1}),
    "no limits": (LINES, LINES, dict.fromkeys(("pop_limit", "option_limit", "distortion_limit",
                                               "max_words", "max_ratio"))),
    "bars": ([f"{x} a|||b" if k % 2 else x for k, x in enumerate(LINES)], LINES,
             {"pretokenized": True}),
    "marks of sentences": (LINES, [f"{x} </s>" if k % 2 else x for k, x in enumerate(LINES)],
                           {"pretokenized": True}),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("what", list(ODD))
def test_odd_corpora(tmp_path, what):
    source, target, settings = ODD[what]
    made = trained(tmp_path, source, target, **settings)
    assert any("untuned" in note for note in made.notes)
    Bundle.verify(tmp_path / "model")
    translator = Translator.load(tmp_path / "model")
    assert translator.translate("") == ""
    for text in ("Hello there, friend!", source[0], "👩 ??? \u3000 x"):
        reply = translator.reply(text, nbest=2)
        assert 0 <= reply.confidence <= 1
    assert translator.inspect(source[0]).to_html()


@pytest.mark.parametrize(
    ("source", "target", "settings", "code", "value"),
    [
        ([f"{x} |||" for x in LINES], LINES, {"pretokenized": True},
         "training.no-pairs", ["a word with |||"]),
        (LINES, LINES, {"significance": 1000.0}, "training.no-rules", None),
        (LINES, [f"{x} <s>" for x in LINES], {"pretokenized": True},
         "training.no-pairs", ["the word <s> or </s>"]),
    ],
)  # fmt: skip
def test_corpora_of_which_nothing_is_left(tmp_path, source, target, settings, code, value):
    with refuses(TrainingError, code, value=value):
        trained(tmp_path, source, target, **settings)
    assert not (tmp_path / "model").exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    "dev",
    [["w1"], ["q1 q2"] * 50, [LONG], ["w1"] * 50, LINES[:50]],
    ids=["one", "unknown", "long", "the same", "trained on"],
)
def test_odd_development_sets(tmp_path, dev):
    made = trained(tmp_path, LINES, some_lines(3), (dev, dev))
    assert made.stages[0].facts["dev"] == len(dev)
    assert all(0 <= each["value"] <= 100 for each in made.scores)


def test_marks_of_sentences_to_tune_on(tmp_path):
    """A language model has no probability for them: refused with file and line, or left out."""
    dev = [*LINES[:50], "w1 </s> w2"]
    try:
        trained(tmp_path, LINES, some_lines(3), (dev, dev), pretokenized=True)
    except RosewoodError as error:
        assert (Path(error.file).name, error.line) == ("d.de", 51)  # noqa: PT017


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a run is forked")
def test_a_model_behind_a_link(tmp_path):
    """The link stays; what a killed run left beside the folder it leads to is deleted."""
    (tmp_path / "disk" / "real").mkdir(parents=True)
    (tmp_path / "model").symlink_to(tmp_path / "disk" / "real")
    left = tmp_path / "disk" / f"real.{_gone()}-0a1b2c3d.part"
    left.mkdir()
    trained(tmp_path, LINES, LINES)
    assert (tmp_path / "model").is_symlink()
    assert "manifest.json" in contents(tmp_path / "disk" / "real")
    assert [path.name for path in (tmp_path / "disk").iterdir()] == ["real"]


def _gone() -> int:
    """The number of a process that is no more."""
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    return child
