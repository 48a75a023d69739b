"""Which stages a run does, what they tell, and what a changed setting makes it do again."""

from __future__ import annotations

import json
import shutil
from dataclasses import fields
from pathlib import Path

import pytest
from tests.monotone import MonotoneKind
from tests.refusals import refuses
from tests.training import QUICK, contents, stage_facts, stage_folder, write_book

from rosewood.decode import DECODERS
from rosewood.errors import DamagedFileError, TrainingError
from rosewood.pipeline import Trained, TrainingInputs, TrainingSettings, train
from rosewood.pipeline.stage import that_apply
from rosewood.pipeline.stages import STAGES as DECLARED

BASE = {**QUICK, "rounds": 1}
STAGES = [each.name for each in that_apply(DECLARED, TrainingSettings(**BASE))]
FROM = {name: STAGES[number:] for number, name in enumerate(STAGES)}
RULES = ["extract", "reordering", "tune", "report"]
WEIGHTS = ["tune", "report"]
TREES = ["boost", "report"]
SECOND = ["second", "report"]
TUNING = ["tune"]  # the weights are the same here, and nothing else of it is reported

# A value that each setting has not, and what it makes to be done again.
REDONE = {
    "pretokenized": (True, FROM["tokenise"]),
    "tokeniser": ("char", FROM["tokenise"]),
    "lowercase": (True, FROM["tokenise"]),
    "min_words": (3, ["tokenise"]),  # which leaves the same pairs here
    "max_words": (12, FROM["tokenise"]),
    "max_ratio": (2.0, ["tokenise"]),
    "deduplicate": (True, ["clean"]),
    "dev_size": (41, FROM["clean"]),
    "memory": ("on", ["memory"]),
    "aligner": ("diag", ["align", *RULES]),
    "symmetrization": ("union", ["align", *RULES]),
    "lm_order": (3, ["lm", *WEIGHTS]),
    "max_phrase": (4, RULES),
    "max_span": (9, []),  # of rules with gaps
    "smoothing": ("plain", RULES),
    "significance": ("a-e", RULES),
    "orientation": ("phrase", RULES),
    "classes": ("msd", RULES),
    "reordering": (["bayes"], RULES),
    "select": (0.001, ["reordering", *WEIGHTS]),
    "reordering_set": ({"window": 1}, ["reordering", *WEIGHTS]),
    "word_classes": (9, []),  # of reordering models with classes
    "decoder": ("monotone", WEIGHTS),
    "features": (["rosewood.decode.features:RuleIds"], WEIGHTS),
    "feature_set": ("large", ["features", *WEIGHTS]),
    "feature_classes": (9, []),  # of the large feature set
    "tune": ("none", TUNING),
    "set": ({"restarts": 3}, TUNING),
    "metric": ("chrf", TUNING),
    "rounds": (2, TUNING),
    "nbest": (6, WEIGHTS),
    "on": ("forests", TUNING),
    "forest_edges": (50, []),
    "tune_on": ("train", TUNING),
    "tune_sentences": (50, []),  # of the training corpus, which is not tuned on
    "leave_one_out": (False, []),
    "boost": (True, TREES),
    "boost_set": ({"leaves": 4, "shrinkage": 1}, TREES),  # which finds trees here
    "second_stage": ("ngrams", SECOND),
    "second_set": ({"min_count": 1, "l2": 0.001}, SECOND),
    "pop_limit": (11, WEIGHTS),
    "distortion_limit": (3, ["reordering", *WEIGHTS]),
    "option_limit": (6, WEIGHTS),
    "unknown": ("drop", WEIGHTS),
    "seed": (2, TUNING),
    "keep_corpus": (False, []),
}


def inputs_of(place: Path, *, dev: bool = True, **more) -> TrainingInputs:
    given = {"dev": (place / "dev.en", place / "dev.de")} if dev else {}
    return TrainingInputs(place / "train.en", place / "train.de", **given, **more)


def redone(made: Trained) -> list[str]:
    return [stage.name for stage in made.stages if not stage.was_done]


@pytest.fixture(scope="module", autouse=True)
def second_decoder():
    """Another kind of decoder than the usual one."""
    with DECODERS.adding("monotone", MonotoneKind()):
        yield


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    place = write_book(tmp_path_factory.mktemp("stages"), train=120, dev=40, test=10)
    made = train(inputs_of(place), place / "model", TrainingSettings(**BASE))
    assert redone(made) == STAGES
    return place


def test_the_table_has_every_setting():
    assert list(REDONE) == [each.name for each in fields(TrainingSettings)]
    for name, (value, _) in REDONE.items():
        assert value != {**TrainingSettings().to_dict(), **BASE}[name]


@pytest.mark.slow
def test_nothing_is_done_again(book):
    before = contents(book / "model")
    made = train(inputs_of(book), book / "model", TrainingSettings(**BASE), threads=2)
    assert redone(made) == []
    assert contents(book / "model") == before


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in REDONE if name != "dev_size"])
def test_a_changed_setting_redoes_only_what_depends_on_it(book, name):
    value, wanted = REDONE[name]
    changed = {**BASE, name: value}
    if name == "tune":
        changed["set"] = {}
    made = train(inputs_of(book), book / "model", TrainingSettings(**changed))
    assert redone(made) == wanted
    manifest = json.loads((book / "model" / "manifest.json").read_bytes())
    assert manifest["settings"][name] == value
    assert [stage.key for stage in made.stages] == list(manifest["stages"].values())


@pytest.mark.slow
def test_settings_that_decide_what_is_split_off(tmp_path):
    """Without a development set, chance decides it, too."""
    write_book(tmp_path, train=160)
    base = {**BASE, "tune": "none", "set": {}, "dev_size": 40}
    inputs = inputs_of(tmp_path, dev=False)
    train(inputs, tmp_path / "model", TrainingSettings(**base))
    for change in ({"dev_size": 41}, {"seed": 2}):
        made = train(inputs, tmp_path / "model", TrainingSettings(**{**base, **change}))
        assert redone(made) == FROM["clean"]


def test_back_and_forth(book):
    """Stages of former settings stay: they are not done again, and the model is what it was."""
    settings = TrainingSettings(**BASE)
    train(inputs_of(book), book / "model", settings)
    before = contents(book / "model")
    train(inputs_of(book), book / "model", TrainingSettings(**{**BASE, "lm_order": 3}))
    assert contents(book / "model") != before
    assert redone(train(inputs_of(book), book / "model", settings)) == []
    assert contents(book / "model") == before


# -- what decides stages beside settings -----------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "wanted"),
    [
        ("train.en", ["clean", "tokenise", "align", *RULES]),
        ("train.de", STAGES),
        ("dev.de", ["clean", "tokenise", "lm", *WEIGHTS]),
        ("mono.de", ["tokenise", "lm", *WEIGHTS]),
    ],
)
def test_a_changed_file(tmp_path, file, wanted):
    write_book(tmp_path, train=80, dev=40)
    (tmp_path / "mono.de").write_text("Das ist ein Haus.\nWir haben Zeit.\n")
    settings = TrainingSettings(**{**BASE, "tune": "none", "set": {}})
    given = {"monolingual": tmp_path / "mono.de"}
    train(inputs_of(tmp_path, **given), tmp_path / "model", settings)
    path = tmp_path / file
    path.write_text(path.read_text().replace("i", "y", 1))
    made = train(inputs_of(tmp_path, **given), tmp_path / "model", settings)
    assert redone(made) == wanted


@pytest.mark.slow
def test_what_is_added_redoes_little(tmp_path):
    """More text for language models, a test set: alignment and rules stay what they are."""
    write_book(tmp_path, train=80, dev=40, test=10)
    (tmp_path / "mono.de").write_text("Das ist ein Haus.\nWir haben Zeit.\n")
    settings = TrainingSettings(**{**BASE, "tune": "none", "set": {}})
    train(inputs_of(tmp_path), tmp_path / "model", settings)
    test = (tmp_path / "test.en", tmp_path / "test.de")
    made = train(inputs_of(tmp_path, test=test), tmp_path / "model", settings)
    assert redone(made) == ["clean", "tokenise", "report"]
    mono = tmp_path / "mono.de"
    made = train(inputs_of(tmp_path, monolingual=mono), tmp_path / "model", settings)
    assert redone(made) == ["tokenise", "lm", *WEIGHTS]


def test_files_that_moved_are_the_same(tmp_path):
    write_book(tmp_path / "a", train=80, dev=40)
    settings = TrainingSettings(**{**BASE, "tune": "none", "set": {}})
    train(inputs_of(tmp_path / "a"), tmp_path / "model", settings)
    (tmp_path / "a").rename(tmp_path / "b")
    assert redone(train(inputs_of(tmp_path / "b"), tmp_path / "model", settings)) == []


@pytest.mark.slow
def test_memory_and_threads_decide_nothing(book):
    settings = TrainingSettings(**BASE)
    train(inputs_of(book), book / "model", settings)
    before = contents(book / "model")
    made = train(
        inputs_of(book), book / "small", settings, work=book / "small.work", threads=3,
        max_memory=64 << 20,
    )  # fmt: skip
    assert redone(made) == STAGES
    assert contents(book / "small") == before


@pytest.fixture(scope="module")
def untuned(tmp_path_factory):
    """Texts and the finished stages of a run."""
    place = write_book(tmp_path_factory.mktemp("untuned"), train=60, dev=20)
    settings = TrainingSettings(**{**BASE, "tune": "none", "set": {}})
    train(inputs_of(place), place / "model", settings)
    return place


@pytest.mark.slow
@pytest.mark.parametrize(
    ("stage", "file", "other"),
    [("clean", "train.source", {"max_words": 50}), ("tokenise", "train.target", {"lm_order": 3}),
     ("tokenise", "corpus/source.ids", {"aligner": "diag"}),
     ("align", "start.npy", {"max_phrase": 2}), ("align", "source.npy", {"max_phrase": 2}),
     ("lm", "lm.rlm", {"unknown": "drop"}), ("extract", "rules/ids", {"unknown": "drop"})],
)  # fmt: skip
@pytest.mark.parametrize("damage", ["cut", "changed", "gone"])
def test_a_finished_stage_that_was_damaged(untuned, tmp_path, stage, file, other, damage):
    """What depends on it is not done with it: the file is named, and nothing is written."""
    shutil.copytree(untuned, tmp_path, dirs_exist_ok=True)
    settings = {**BASE, "tune": "none", "set": {}}
    path = stage_folder(tmp_path / "model.work", stage) / file
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0x01
    if damage == "gone":
        path.unlink()
    else:
        path.write_bytes(data if damage == "changed" else data[:-3])
    before = contents(tmp_path / "model")
    with refuses(DamagedFileError, "file.damaged", file=str(path)):
        train(inputs_of(tmp_path), tmp_path / "model", TrainingSettings(**{**settings, **other}))
    assert contents(tmp_path / "model") == before


# -- what stages tell ------------------------------------------------------------------------------


@pytest.mark.slow
def test_facts(book):
    made = train(
        inputs_of(book, test=(book / "test.en", book / "test.de")), book / "facts",
        TrainingSettings(**BASE),
    )  # fmt: skip
    facts = {stage.name: stage.facts for stage in made.stages}
    assert {each.name: each.facts for each in made.stages} == {
        name: stage_facts(made.work, name) for name in STAGES
    }
    clean = facts["clean"]
    assert clean["files"] == ["train.en", "train.de"]
    assert clean["languages"] == ["en", "de"]
    assert (clean["seen"], clean["train"], clean["dev"], clean["test"]) == (120, 120, 40, 10)
    assert (clean["skipped"], clean["left_out"], clean["joined"]) == ({}, {}, 0)
    assert (clean["dev_from"], clean["references"], clean["removed"]) == ("given", 1, {})
    words = facts["tokenise"]
    assert (words["tokeniser"], words["pretokenized"], words["case"]) == (
        "unicode", False, "truecase",
    )  # fmt: skip
    assert (words["seen"], words["kept"]) == (120, 120)
    for side in ("source", "target"):
        told = words["train"][side]
        lengths = words["lengths"][side]
        assert sum(lengths) == 120
        assert sum(length * count for length, count in enumerate(lengths)) == told["tokens"]
        assert told["mean"] == pytest.approx(told["tokens"] / 120)
        assert told["longest"] == len(lengths) - 1
        assert told["types"] > told["once"] > 0
    assert words["dev"]["sentences"] == 40
    assert words["dev"]["source_tokens"] > words["dev"]["unknown_tokens"] > 0
    assert words["dev"]["unknown_types"] <= words["dev"]["unknown_tokens"]
    aligned = facts["align"]
    assert (aligned["model"], aligned["symmetrization"]) == ("model1", "grow-diag-final-and")
    assert aligned["links"] > 120
    assert len(aligned["history"]) >= 3
    for each in aligned["examples"]:
        assert each["source"]
        assert all(
            0 <= i < len(each["source"]) and 0 <= j < len(each["target"]) for i, j in each["links"]
        )
    assert 0 <= aligned["unlinked_source"] < 1
    model = facts["lm"]["models"]["lm"]
    assert (model["order"], model["tokens"] > 500, len(model["ngrams"])) == (2, True, 2)
    assert model["dev_perplexity"] > 1
    assert facts["extract"]["rules"] > 100
    assert facts["reordering"]["classes"] == "mslr"
    for shares in facts["reordering"]["shares"].values():
        assert sum(shares.values()) == pytest.approx(1)
    tuned = facts["tune"]
    assert (tuned["learner"], tuned["metric"]) == ("mert", "bleu:tokenize=none")
    assert tuned["sentences"] == 40
    assert set(tuned["start"]) == set(tuned["weights"])
    assert set(tuned["confidence"]) == {
        "scale",
        "slope",
        "offset",
        "unknown",
        "guessed",
        "guess_slope",
    }
    assert [row["round"] for row in tuned["history"]] == list(range(1, len(tuned["history"]) + 1))
    report = facts["report"]
    assert [(each["on"], each["name"]) for each in report["scores"]] == [
        ("dev", "BLEU"), ("dev", "chrF2"), ("test", "BLEU"), ("test", "chrF2"),
    ]  # fmt: skip
    assert made.scores == report["scores"]
    assert report["text"] == "raw"
    assert {"source", "translation", "confidence", "explanation", "svg"} <= set(
        report["examples"][0]
    )
    assert all(stage.seconds > 0 and stage.memory > 1 << 20 for stage in made.stages)


# -- sentences that are held out -------------------------------------------------------------------


def test_held_out_pairs_are_not_trained_on(tmp_path):
    write_book(tmp_path, train=100, dev=40, test=10)
    for ending in ("en", "de"):
        train_file = tmp_path / f"train.{ending}"
        dev = (tmp_path / f"dev.{ending}").read_text().splitlines(keepends=True)
        test = (tmp_path / f"test.{ending}").read_text().splitlines(keepends=True)
        # Twice a pair to tune on, once one to test on; a source of it with another translation.
        mixed = [dev[0], dev[3], dev[0], test[9], dev[5] if ending == "en" else "Etwas anderes.\n"]
        train_file.write_text(train_file.read_text() + "".join(mixed))
    inputs = inputs_of(tmp_path, test=(tmp_path / "test.en", tmp_path / "test.de"))
    settings = TrainingSettings(**{**BASE, "tune": "none", "set": {}})
    made = train(inputs, tmp_path / "model", settings)
    facts = made.stages[0].facts
    assert (facts["seen"], facts["train"]) == (105, 101)
    removed = facts["removed"]["in a held-out set"]
    assert removed["count"] == 4
    assert any("train.en:101" in example for example in removed["examples"])
    assert "pairs that are not trained on: 4 (in a held-out set)" in made.notes
    trained = (made.stages[0].folder / "train.source").read_text().splitlines()
    targets = (made.stages[0].folder / "train.target").read_text().splitlines()
    pairs = set(zip(trained, targets, strict=True))
    for part in ("dev", "test"):
        sides = [(tmp_path / f"{part}.{e}").read_text().splitlines() for e in ("en", "de")]
        assert not pairs & set(zip(*sides, strict=True))


@pytest.mark.parametrize("size", [None, 1, 25])
def test_what_is_split_off_shares_no_source(tmp_path, size):
    """However often a source is there, and with whatever translations."""
    write_book(tmp_path, train=150)
    for ending in ("en", "de"):
        path = tmp_path / f"train.{ending}"
        lines = path.read_text().splitlines(keepends=True)
        others = lines[:50] if ending == "en" else lines[50:100]
        path.write_text("".join([*lines, *others]))
    settings = TrainingSettings(**{**BASE, "tune": "none", "set": {}, "dev_size": size})
    made = train(inputs_of(tmp_path, dev=False), tmp_path / "model", settings)
    clean = made.stages[0]
    assert clean.facts["dev_from"] == "split"
    told = sum(each["count"] for each in clean.facts["removed"].values())
    assert clean.facts["dev"] + clean.facts["train"] + told == clean.facts["seen"] == 200
    wanted = 15 if size is None else size
    assert wanted <= clean.facts["dev"] <= 2 * wanted + 2
    sources = [
        set((clean.folder / f"{part}.source").read_text().splitlines())
        for part in ("train", "dev")
    ]  # fmt: skip
    assert not sources[0] & sources[1]
    assert f"{clean.facts['dev']} pairs were split off" in " ".join(made.notes)


def test_no_development_set_at_all(tmp_path):
    write_book(tmp_path, train=80)
    made = train(
        inputs_of(tmp_path, dev=False), tmp_path / "model", TrainingSettings(**BASE, dev_size=0)
    )
    assert made.stages[0].facts["dev"] == 0
    assert made.scores == []
    assert any("untuned" in note for note in made.notes)


def test_nothing_is_left_to_train_on(tmp_path):
    write_book(tmp_path, train=50, dev=40)
    for ending in ("en", "de"):
        (tmp_path / f"train.{ending}").write_bytes((tmp_path / f"dev.{ending}").read_bytes())
    with refuses(TrainingError, "training.no-pairs"):
        train(inputs_of(tmp_path), tmp_path / "model", TrainingSettings(**BASE))
    assert not (tmp_path / "model").exists()
    with refuses(TrainingError, "training.no-pairs"):
        train(
            TrainingInputs(tmp_path / "dev.en", tmp_path / "dev.de"), tmp_path / "model",
            TrainingSettings(**BASE, min_words=90, dev_size=0),
        )  # fmt: skip
