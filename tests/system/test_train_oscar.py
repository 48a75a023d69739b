"""Training with `--tune oscar` and `--tune-on train`, and everything that reads such a model."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from tests.refusals import refuses
from tests.shared import made_once
from tests.system.commands import command  # noqa: F401
from tests.training import QUICK, contents, stage_facts, stage_folder, write_book

from rosewood.corpus import IndexedText
from rosewood.errors import DecodingError
from rosewood.forest import Weights
from rosewood.learn.candidates import concatenate
from rosewood.learn.groups import Groups
from rosewood.learn.tuning_set import TuningSet
from rosewood.metrics import parse_metric
from rosewood.model import Bundle
from rosewood.pipeline import Trained, TrainingInputs, TrainingSettings, Translator, train
from rosewood.pipeline.model_stages import estimate_without
from rosewood.pipeline.tuning_data import DecodedForests, DevSentences

DECODERS = ("phrase", "hiero")
OSCAR = {
    **QUICK, "tune": "oscar", "rounds": 1, "nbest": 20, "max_span": 6, "tune_sentences": 60,
    "set": {"lambda2": 1e-9, "keep": 10, "passes": 3, "rounds": 2, "interpolation": 0.2},
}  # fmt: skip


def run(place: Path, model: str, threads: int = 1, **changes) -> Trained:
    inputs = TrainingInputs(
        place / "train.en", place / "train.de", dev=(place / "dev.en", place / "dev.de")
    )
    settings = TrainingSettings(**{**OSCAR, **changes})
    return train(inputs, place / model, settings, threads=threads)


def make_models(place: Path) -> None:
    write_book(place, train=150, dev=40, test=20)
    for decoder in DECODERS:
        run(place, decoder, decoder=decoder)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    made = made_once(tmp_path_factory, "oscar-models", make_models)
    return Path(shutil.copytree(made, tmp_path_factory.mktemp("oscar") / "oscar"))


@pytest.mark.slow
@pytest.mark.parametrize("decoder", DECODERS)
def test_groups_are_learnt_kept_and_shown(place, decoder, command):  # noqa: F811
    model = place / decoder
    Bundle.verify(model)
    facts = stage_facts(place / f"{decoder}.work", "tune")
    assert facts["training_sentences"] == 60
    first = facts["history"][0]
    assert first["pairs"] > 0
    assert first["active"] >= first["groups"] > 1
    assert first["training_score"] > 10
    assert 0 < first["reused"] <= first["active"]
    translator = Translator.load(model)
    groups, weights = translator.bundle.part("groups"), translator.bundle.weights
    if not groups.numbered:  # the weights that tuning began with were the best ones
        pytest.fail("no groups were kept")
    for each in translator.groups(None, examples=10**6):
        own = [name for name, group in groups.items() if group == each.number]
        assert {weights.get(name, 0.0) for name in own} == {each.weight}
        assert each.size == len(own) == len(each.examples)
        assert all("→" in name for name in each.examples)  # the rule, not its number alone
    told = json.loads(command("inspect", model, "--groups", "--json").out)
    assert told["groups"][0]["size"] == translator.groups(1)[0].size
    assert "group" in command("inspect", model, "Where is the station?", "--groups").out
    page = Path(f"{model}.html").read_text("utf-8")
    assert "Groups of features" in page
    assert "training sentence" in page


def test_a_model_without_groups_says_so(tmp_path):
    write_book(tmp_path, train=60, dev=10, test=5)
    run(tmp_path, "plain", tune="none", set={})
    with refuses(DecodingError, "model.no-groups"):
        Translator.load(tmp_path / "plain").groups()


@pytest.mark.slow
@pytest.mark.parametrize("decoder", DECODERS)
def test_group_values_are_sums_and_unpacked_scores_are_grouped_ones(place, decoder):
    translator = Translator.load(place / decoder)
    made = translator.decoder
    dev = (place / "dev.en").read_text("utf-8").splitlines()[:12]
    sentences = [" ".join(translator.search(line)[0].source.words) for line in dev]
    data = DevSentences(sentences, [["a b"]] * len(sentences))
    forests = list(DecodedForests((made,), data, 20)(made.weights, 1, range(len(sentences))))
    space = forests[0].features
    tuning = TuningSet(forests, parse_metric("bleu"), data.references)
    table, count = concatenate(tuning), len(space.sparse)
    random = np.random.default_rng(1)
    groups = Groups.of(np.arange(count), random.integers(-2, 3, count).astype(float), count)
    grouped = groups.project(table)
    matrix, values = table.matrix().toarray(), grouped.matrix().toarray()
    width = table.dense.shape[1]
    for k in range(len(groups)):
        expected = matrix[:, width + groups.members(k)].sum(axis=1)
        np.testing.assert_allclose(values[:, width + k], expected, atol=1e-12)
    theta = random.normal(size=width + len(groups))
    ids, own = groups.unpack(theta[width:])
    atomic = np.zeros(len(space))
    atomic[:width] = theta[:width]
    atomic[width + ids] = own
    np.testing.assert_allclose(values @ theta, matrix @ atomic, atol=1e-9)
    again = made.with_weights(space.weights(atomic))
    for found in again.search_all(sentences):
        best = found.forest.best(found.forest.score(again.theta()))
        assert best.score == pytest.approx(found.best.score, abs=1e-9)


@pytest.mark.slow
def test_threads_do_not_matter(place):
    run(place, "other", threads=2, decoder="phrase")
    assert contents(place / "other") == contents(place / "phrase")


@pytest.mark.slow
def test_training_sentences_are_translated_as_if_they_were_new(place):
    """Rules and language models that know the sentences make them too easy."""
    run(place, "known", leave_one_out=False)
    known, new = (
        stage_facts(place / f"{name}.work", "tune")["history"][0] for name in ("known", "phrase")
    )
    assert known["training_score"] > new["training_score"] + 20
    assert abs(new["training_score"] - new["score"]) < 15
    assert known["score"] == new["score"]  # of the development set, with the same weights


def test_language_models_without_some_sentences(tmp_path):
    text = IndexedText.from_lines(["a b c", "d e", "a b c", "e <s>", "c d"])
    model = estimate_without(text, [0], 2, tmp_path / "lm.rlm")
    assert model.score("d e") > model.score("a b c")
    words = {word for word in "abcde" if model.perplexity([word]).unknown == 0}
    assert words == {"c", "d", "e"}  # both copies are left out, and what is no sentence


@pytest.mark.slow
def test_penalties_that_leave_nothing_are_told(place):
    run(place, "strong", set={**OSCAR["set"], "lambda2": 1.0})
    assert any("groups" in note for note in stage_facts(place / "strong.work", "tune")["notes"])


@pytest.mark.slow
def test_tuning_on_training_data(place):
    run(place, "train", tune="pro", set={"rounds": 1}, tune_on="train", tune_sentences=50)
    facts = stage_facts(place / "train.work", "tune")
    assert facts["sentences"] == 50
    assert facts["history"][0]["score"] > 10
    assert "groups" not in facts
    assert not (stage_folder(place / "train.work", "tune") / "groups.npz").exists()


@pytest.mark.slow
def test_a_sparse_feature_of_ones_own_is_grouped_instead_of_rules(place):
    run(place, "words", features=["target-words"])
    groups: Weights = Bundle.open(place / "words").part("groups")
    templates = {name.partition(":")[0] for name in groups} | set(groups.numbered)
    assert templates <= {"word"}
    assert TrainingSettings(tune="oscar").all_features == ("rule-ids",)
    assert TrainingSettings(tune="oscar", features=("target-words",)).all_features == (
        "target-words",
    )
    assert TrainingSettings().all_features == ()
