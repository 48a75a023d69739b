"""Trained reordering models: in training, in the decoder, in bundles, and by `rosewood reorder`."""

from __future__ import annotations

import json
import pickle
import re
import shutil
from pathlib import Path

import numpy as np
import pytest
from tests.refusals import refuses, shows
from tests.shared import made_once
from tests.system.commands import command, run  # noqa: F401
from tests.trained import SENTENCE, made
from tests.training import contents, stage_facts, stage_folder, write_book

from rosewood.cli.verbs.reorder import TrainOptions
from rosewood.decode import PhraseDecoder
from rosewood.errors import DamagedFileError, DecodingError, ReorderingError, TrainingError
from rosewood.model import Bundle
from rosewood.pipeline import TrainingSettings, Translator
from rosewood.pipeline.reordering_stage import chosen_models
from rosewood.reorder import REORDERING, LinearReordering, TextEvents
from rosewood.settings import settings_of

TRAINED = ("bayes", "bayes-full", "maxent", "maxent-primal")
RICH = {"window": 2, "source_edges": True, "target_edges": True, "symbols": "both"}


def make_models(place: Path) -> None:
    write_book(place, train=150, dev=40)
    made(place, "model", reordering=("lexicalized", *TRAINED), tune="none")
    made(place, "rich", reordering=("maxent",), reordering_set=RICH, word_classes=8)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    shared = made_once(tmp_path_factory, "reordering-models", make_models)
    return Path(shutil.copytree(shared, tmp_path_factory.mktemp("reordering") / "models"))


@pytest.fixture(scope="module")
def maxent(place):
    return place / "model" / "reorder" / "maxent"


def test_several_models_are_separate_features(place):
    Bundle.verify(place / "model")
    bundle = Bundle.open(place / "model")
    assert set(bundle.part("reorder_models")) == set(TRAINED)
    assert bundle.part("reorder") == ("lexicalized", *TRAINED)
    names = bundle.manifest["features"]
    for name in ("reorder", "bayes", "bayes_full", "maxent", "maxent_primal"):
        for way in ("backward", "forward"):
            for kind in ("monotone", "swap", "left", "right"):
                assert f"{name}_{way}_{kind}" in names
    assert Translator.load(place / "model").translate(SENTENCE)


def test_options_have_the_probabilities_of_the_model(place):
    for model in ("model", "rich"):
        decoder = Translator.load(place / model).decoder
        found = decoder.search("we had the good letter at the qwzx station .")
        rows = found.options.native.orientations.reshape(len(found.options), -1)
        first = 0
        for reorder in decoder.reorder:
            width = len(reorder.directions) * 4
            if isinstance(reorder, LinearReordering):
                own = rows[:, first : first + width]
                want = reorder.log_probabilities(found.options)
                assert own == pytest.approx(want, abs=1e-9)
                assert np.exp(own[:, :4]).sum(axis=1) == pytest.approx(1.0)
                assert (own[:, 4:] == np.rint(own[:, 4:])).all()  # so that hypotheses recombine
            first += width
        assert first == rows.shape[1]


def test_models_are_the_same_at_any_number_of_threads(place, tmp_path):
    write_book(tmp_path, train=150, dev=40)
    for threads in (2, 5):
        again = made(
            tmp_path, f"rich{threads}", threads, reordering=("maxent",), reordering_set=RICH,
            word_classes=8,
        )  # fmt: skip
        assert contents(again / "reorder") == contents(place / "rich" / "reorder")
    bundle = Bundle.open(place / "rich")
    assert bundle.part("source_classes").num_classes == 8


def test_the_table_has_orientations_for_the_lexicalized_model_only(place):
    assert any(
        name.startswith("orientation") for name in Bundle.open(place / "model").rules.features
    )
    rules = Bundle.open(place / "rich").rules
    assert not any(name.startswith("orientation") for name in rules.features)


def test_models_that_nobody_asked_for():
    few, many = 9_999, 10_000
    assert chosen_models(TrainingSettings(), few) == ("lexicalized",)
    assert chosen_models(TrainingSettings(), many) == ("maxent", "lexicalized")
    assert chosen_models(TrainingSettings(select=0.1), few) == ("maxent", "lexicalized")
    assert chosen_models(TrainingSettings(reordering=("bayes",)), few) == ("bayes",)
    for given in ({"decoder": "hiero"}, {"orientation": None}, {"reordering": ("none",)}):
        assert chosen_models(TrainingSettings(**given), many) == ()


def test_selection_drops_features(place):
    made(place, "fewer", reordering=("bayes",), select=0.05)
    fewer = LinearReordering.open(place / "fewer" / "reorder" / "bayes")
    every = LinearReordering.open(place / "model" / "reorder" / "bayes")
    assert 0 < len(fewer) < len(every)
    assert fewer.facts["facts"]["features_seen"] == len(every)
    facts = stage_facts(place / "fewer.work", "reordering")["trained"]["bayes"]
    assert facts["features"] == len(fewer)


def test_no_reordering_model(place):
    made(place, "none", reordering=("none",))
    assert Translator.load(place / "none").decoder.reorder == ()
    assert not any("backward" in name for name in Bundle.open(place / "none").manifest["features"])


def test_distance_classes(place):
    chosen = {"classes": "distance", "kind": "phrase"}
    made(place, "distance", reordering=("maxent",), reordering_set=chosen)
    decoder = Translator.load(place / "distance").decoder
    assert "maxent_backward_left_far" in decoder.weights.named
    assert decoder.search("we had the good letter").best.words


@pytest.mark.parametrize(
    ("given", "code", "argument"),
    [
        ({"reordering": ("nonsense",)}, "argument.choice", "reordering"),
        ({"reordering": ("none", "maxent")}, "argument.conflict", "reordering"),
        ({"reordering": ("maxent", "maxent")}, "argument.duplicate", "reordering"),
        ({"select": 0.1, "reordering": ("lexicalized",)}, "argument.conflict", "select"),
        ({"reordering": ("maxent",), "orientation": None}, "argument.conflict", "orientation"),
        ({"reordering": ("maxent",), "decoder": "hiero"}, "argument.conflict", "reordering"),
        (
            {"reordering": ("maxent",), "reordering_set": {"sigma2": -1}},
            "argument.range",
            "sigma2",
        ),
        ({"reordering": ("maxent",), "reordering_set": {"x": 1}}, "argument.unknown", "setting"),
        (
            {"reordering": ("maxent", "bayes"), "reordering_set": {"rate": 1}},
            "argument.unknown",
            "setting",
        ),
        (
            {"reordering_set": {"symbols": "both", "feature-symbols": "both"}},
            "argument.duplicate",
            "symbols",
        ),
    ],
)
def test_bad_settings_are_refused_at_once(given, code, argument):
    with refuses(TrainingError, code, argument=argument):
        TrainingSettings(**given)


def test_settings_go_to_the_models_that_have_them():
    given = {"sigma2": "3", "alpha": "0.5", "min-feature-count": "4", "orientation": "word"}
    settings = TrainingSettings(reordering=("maxent", "bayes"), reordering_set=given)
    for name, rest in (("maxent", {"sigma2": "3"}), ("bayes", {"alpha": "0.5"})):
        chosen, of_classifier = settings.reordering_settings(name)
        assert (chosen.min_count, chosen.kind) == (4, "word")
        assert of_classifier == rest
    with refuses(TrainingError, "argument.unknown", argument="setting", value="rate") as refused:
        TrainingSettings(reordering=("maxent", "bayes"), reordering_set={"rate": 1})
    for name in ("maxent", "sigma2", "bayes", "alpha", "window"):
        assert name in str(refused.value)


def test_settings_of_classifiers_are_listed():
    (page,) = (each.help for each in settings_of(TrainOptions) if each.name == "set")
    for name in TRAINED:
        for each in REORDERING[name].setting_names():
            assert each == "threads" or re.search(rf"\b{each}\b", page), (name, each)


def test_a_trained_model_is_not_made_from_a_table(place):
    bundle = Bundle.open(place / "model")
    with refuses(DecodingError, "argument.value", argument="reordering", value="maxent"):
        PhraseDecoder(bundle.rules, bundle.part("lm"), reorder=["maxent"])


def test_pickles_and_copies(maxent):
    model = LinearReordering.open(maxent)
    again = pickle.loads(pickle.dumps(model))
    assert again.facts == model.facts
    assert [each.feature for each in again.strongest(3)] == [
        each.feature for each in model.strongest(3)
    ]


def test_damaged_files_are_named(maxent, tmp_path):
    for name in ("slots", "rows", "reordering.json", "source.words"):
        copy = Path(shutil.copytree(maxent, tmp_path / name))
        data = bytearray((copy / name).read_bytes())
        data[len(data) // 2] ^= 0xFF
        (copy / name).write_bytes(bytes(data))
        with pytest.raises(DamagedFileError) as refused:
            LinearReordering.open(copy).verify()
        assert str(copy) in str(refused.value)
        (copy / name).write_bytes(bytes(data)[:-1])
        with pytest.raises(DamagedFileError):
            LinearReordering.open(copy)


# -- the command -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def aligned(place, tmp_path_factory):
    """Words of the corpus, and its links."""
    folder = tmp_path_factory.mktemp("aligned")
    from rosewood.corpus import IndexedCorpus
    from rosewood.pipeline.model_stages import read_links

    work = place / "model.work"
    corpus = IndexedCorpus.open(stage_folder(work, "tokenise") / "corpus")
    links = read_links(stage_folder(work, "align"))
    for side, text in (("src", corpus.source), ("tgt", corpus.target)):
        lines = (" ".join(text.words(k)) for k in range(len(text)))
        (folder / side).write_text("".join(f"{line}\n" for line in lines))
    rows = (" ".join(f"{i}-{j}" for i, j in links[k]) for k in range(len(corpus)))
    (folder / "links").write_text("".join(f"{row}\n" for row in rows))
    return folder


def test_train_info_verify_classify(run, command, aligned, tmp_path):  # noqa: F811
    files = (aligned / "src", aligned / "tgt", "-a", aligned / "links")
    run("rules", "events", *files, "-o", tmp_path / "events.gz", "-q")
    run("reorder", "train", *files, "-o", tmp_path / "both", "--classes", "msd", "-q",
        "--window", "1")  # fmt: skip
    run("reorder", "train", "--events", tmp_path / "events.gz", "-o", tmp_path / "text",
        "--classes", "msd", "-q")  # fmt: skip
    run("reorder", "verify", tmp_path / "both")
    told = json.loads(run("reorder", "info", tmp_path / "text", "--json", "-n", "3"))
    assert told["directions"] == ["backward"]
    assert told["features"] > 0 < told["training"]["backward"]["examples"]
    assert len(told["strongest"]) == 3
    assert "strongest features" in run("reorder", "info", tmp_path / "both")
    found = [
        run("reorder", "classify", tmp_path / name, tmp_path / "events.gz").splitlines()
        for name in ("both", "text")
    ]
    assert len(found[0]) == told["training"]["backward"]["examples"]
    # The same events, from the corpus or as text: the same model, but for rounding.
    same = sum(a.split()[0] == b.split()[0] for a, b in zip(*found, strict=True))
    assert same > 0.98 * len(found[0])
    events = "\n".join(TextLines(tmp_path / "events.gz").some(5))
    rows = run("reorder", "classify", tmp_path / "text", "-", "--json", text=events).splitlines()
    first = json.loads(rows[0])
    assert len(rows) == 5
    assert sum(first["probabilities"].values()) == pytest.approx(1)
    done = command("reorder", "classify", tmp_path / "text", tmp_path / "nothing")
    shows(done, "file.missing", tmp_path / "nothing")


class TextLines:
    """Lines of a compressed file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def some(self, n: int) -> list[str]:
        import gzip

        with gzip.open(self.path, "rt") as stream:
            return [next(stream).rstrip("\n") for _ in range(n)]


def test_wrong_commands(command, aligned, tmp_path):  # noqa: F811
    events = tmp_path / "events"
    events.write_text("swap ||| a ||| A ||| a&A ||| <s> </s>\n")
    output = ("-o", tmp_path / "model")
    done = command("reorder", "train", aligned / "src", aligned / "tgt", *output)
    shows(done, "argument.missing", "--alignment")
    done = command("reorder", "train", "--events", "-", *output)
    shows(done, "argument.value", "--events")
    done = command("reorder", "train", "--events", events, aligned / "src", *output)
    shows(done, "argument.conflict", "--events")
    done = command("reorder", "train", "--events", events, "--set", "sigma2=x", *output)
    shows(done, "argument.type", "sigma2")
    done = command("reorder", "train", "--events", events, *output, "--classes", "msd")
    shows(done, "reordering.no-features")
    assert not (tmp_path / "model").exists()
    events.write_text("nonsense\n")
    done = command("reorder", "train", "--events", events, *output, "--classes", "msd")
    shows(done, "line.value", events, 1)


def test_why_phrases_moved(place):
    seen = Translator.load(place / "model").inspect(SENTENCE)
    assert seen.moves
    models = {move.model for move in seen.moves}
    assert models == {"bayes", "bayes_full", "maxent", "maxent_primal"}
    for move in seen.moves:
        assert 0 < move.probability <= 1
        assert list(move.reasons) == sorted(move.reasons, key=lambda pair: -pair[1])
        assert move.otherwise != move.orientation
        if move.model != "bayes_full":  # whose features are not independent
            odds = sum(strength for _, strength in move.reasons)
            assert odds >= 0 or move.probability < 0.5
    # Every phrase in both directions by every model, but what would lie behind the last one.
    assert len(seen.moves) == len(models) * (2 * len(seen.explanation.rules) - 1)
    assert seen.to_dict()["moves"][0]["direction"] == "backward"
    first = next(move for move in seen.moves if move.model == "maxent")
    model = Translator.load(place / "model").bundle.part("reorder_models")["maxent"]
    assert {name for name, _ in first.reasons} <= {
        each.feature for each in model.strongest(10**6, "backward")
    }


def test_every_kind_is_listed(run):  # noqa: F811
    assert set(TRAINED) | {"lexicalized"} == set(REORDERING.names())
    page = "".join(run("reorder", "train", "--help").split())
    for name in TRAINED:
        assert name in page
    for name in TRAINED:
        with refuses(ReorderingError, "argument.unknown"):
            REORDERING[name].settings({"nonsense": 1})


def test_text_events_are_read_twice(tmp_path):
    path = tmp_path / "events"
    path.write_text("swap ||| a ||| A ||| a&A ||| <s> </s>\n" * 3)
    events = TextEvents([path])
    for name in TRAINED:
        model = REORDERING[name].train(events)
        rows = np.concatenate([rows for rows, _ in model.classify(events)])
        assert rows.argmax(axis=1).tolist() == [1, 1, 1]
