"""What a run tells: how far it has come, what it left out, whose folder it takes."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.refusals import refuses
from tests.training import QUICK, write_book

from rosewood.cli.verbs.demo import take_folder, train_command
from rosewood.errors import DecodingError, FormatError
from rosewood.pipeline import TrainingInputs, TrainingSettings, Translator, train
from rosewood.pipeline.inspection import RuleSource
from rosewood.rules import Rule


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A corpus whose first pair is in dev, whose second is too long; and what was told of it."""
    place = write_book(tmp_path_factory.mktemp("told"), train=60, dev=45)
    for end in ("en", "de"):
        path = place / f"train.{end}"
        first = (place / f"dev.{end}").read_text(encoding="utf-8").partition("\n")[0]
        text = "\n".join([first, "word " * 30, path.read_text(encoding="utf-8")])
        path.write_text(text, encoding="utf-8")
    told: list[tuple[str, int, int | None]] = []
    inputs = TrainingInputs(
        place / "train.en", place / "train.de", dev=(place / "dev.en", place / "dev.de")
    )
    made = train(
        inputs, place / "model", TrainingSettings(**{**QUICK, "max_words": 29}),
        told=lambda *each: told.append(each),
    )  # fmt: skip
    return made, told


@pytest.mark.slow
def test_every_stage_that_takes_time_tells_of_it(run):
    stages = {what.partition(":")[0] for what, _, _ in run[1]}
    assert {"1/8 clean", "2/8 tokenise", "3/8 align", "4/8 lm", "5/8 extract", "7/8 tune",
            "8/8 report"} <= stages  # fmt: skip


def test_tuning_tells_of_all_its_rounds(run):
    made, told = run
    (rows,) = {
        tuple((done, total) for what, done, total in told if what == name)
        for name in {what for what, _, _ in told if "times each" in what}
    }
    rounds = len(made.stages[-2].facts["history"])
    assert [done for done, _ in rows] == sorted(done for done, _ in rows)
    assert len(rows) == 45 * rounds + 1
    assert rows[-1] == (45 * 3, 45 * 3)


def test_what_was_left_out_has_its_file_and_line(run):
    removed = run[0].stages[1].facts["removed"]
    (example,) = removed["more than 29 words"]["examples"]
    assert example.startswith("train.en:2: word word")


def test_limits_that_do_not_exist_are_refused_by_name(run):
    with refuses(DecodingError, "argument.unknown", argument="search setting", value="pop_limits"):
        Translator.load(run[0].folder, pop_limits=3)


def test_rules_are_shown_where_both_sides_lie_alike():
    words = ("this", "is", "old", "and", "this", "too")
    seen = RuleSource(Rule(("dies",), ("this",)), None, ("x", "y", "z", "und", "dies", "!"), words)
    assert (seen.source_span, seen.target_span) == ((4, 5), (4, 5))


def test_a_demonstration_takes_no_folder_of_others(tmp_path):
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "train.de").write_text("mine")
    with refuses(FormatError, "file.exists", file=str(tmp_path / "own")):
        take_folder(tmp_path / "own")
    for _ in range(2):
        take_folder(tmp_path / "new")
    assert "'my demo/train.de'" in train_command(Path("my demo"))
