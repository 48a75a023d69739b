"""Settings of training: nonsense in any of them is refused before anything is done."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import FrozenInstanceError, fields
from pathlib import Path

import pytest
from tests.refusals import check, refuses

from rosewood.align.models import MODELS
from rosewood.align.symmetrization import SYMMETRIZATIONS
from rosewood.corpus.text.tokenisers import TOKENISERS
from rosewood.decode.plugins import DECODERS
from rosewood.errors import TrainingError
from rosewood.learn import LEARNERS
from rosewood.pipeline import Trained, TrainingSettings, Translator
from rosewood.rules.settings import CLASSES, KINDS, SMOOTHINGS
from rosewood.settings import settings_of

# What must be refused for every setting: one that can be anything is no setting.
NONSENSE = {
    "pretokenized": ["perhaps", 1, None, []],
    "tokeniser": ["", "mooses", None, 3, ["unicode"]],
    "lowercase": ["perhaps", 1, None],
    "min_words": [-1, 1.5, "1", None, True, 101],
    "max_words": [0, -1, 1.5, "many", True],
    "max_ratio": [0, 0.5, -1.0, "9", float("nan"), True],
    "deduplicate": ["perhaps", 0, None],
    "dev_size": [-1, 1.5, "100", True, 2**60],
    "memory": ["yes", True, None],
    "aligner": ["", "giza", None, 1, ["best"]],
    "symmetrization": ["", "grow", None, 1],
    "lm_order": [0, -1, 2.5, "5", None, True],
    "max_phrase": [0, -1, 256, 1.5, "7", None, True],
    "max_span": [0, -1, 256, 1.5, "10", None, True],
    "smoothing": ["", "kn", None, 1],
    "significance": ["a", -1.0, float("nan"), True, [1]],
    "orientation": ["", "left", 1, True],
    "classes": ["", "xyz", None, 1],
    "reordering": [["moses"], "maxent", None, 1, ["none", "maxent"], [1]],
    "select": [-0.1, 1.5, "all", float("nan"), True],
    "reordering_set": [{"no_such": 1}, None, [1], "a=b"],
    "word_classes": [0, -1, 1.5, "50", None, True],
    "decoder": ["", "moses", None, 1],
    "features": [["no.such:Feature"], "json:loads", None, 3, [3], ["json"], ["json:loads"],
                 ["rosewood.decode:RuleIds{"], ['rosewood.decode:RuleIds{"a": 1}']],
    "feature_set": ["", "huge", None, 1],
    "feature_classes": [0, -1, 1.5, "50", None, True],
    "tune": ["", "moses", None, 1],
    "set": [{"no_such": 1}, {"learning_rate": "fast"}, None, [1], "a=b", {1: 2}],
    "metric": ["", "bleux", None, 1, "bleu:nothing=1"],
    "rounds": [0, -1, 1.5, "10", None, True],
    "nbest": [1, 0, -1, 2.5, "100", None, True],
    "on": ["", "words", None, 1],
    "forest_edges": [0, -1, 1.5, "100", True],
    "tune_on": ["", "test", None, 1],
    "tune_sentences": [0, -1, 1.5, "100", True],
    "leave_one_out": ["perhaps", 0, None],
    "boost": ["perhaps", 1, None],
    "boost_set": [{"branches": 2}, "leaves=2", 3, None],
    "second_stage": ["", "words", None, 1],
    "second_set": [{"branches": 2}, "l2=2", 3, None],
    "pop_limit": [0, -1, 1.5, "400", True],
    "distortion_limit": [-1, 1.5, "6", True, "much"],
    "option_limit": [0, -1, 1.5, "20", True],
    "unknown": ["", "keep", None, 1],
    "seed": [-1, 2**32, 1.5, "1", None, True],
    "keep_corpus": ["perhaps", 0, None],
}  # fmt: skip


def test_the_table_has_every_setting():
    assert list(NONSENSE) == [each.name for each in fields(TrainingSettings)]


# What other rooms read: code and argument.
ELSEWHERE = {
    "features": [("feature.import", "feature"), *[("argument.type", "features")] * 4,
                 ("argument.unknown", "feature"), ("feature.class", "feature"),
                 *[("feature.settings", "feature")] * 2],
    "reordering": [("argument.choice", "reordering"), *[("argument.type", "reordering")] * 3,
                   ("argument.conflict", "reordering"), ("argument.type", "reordering")],
    "reordering_set": [("argument.unknown", "setting"),
                       *[("argument.type", "reordering_set")] * 3],
    "boost_set": [("argument.unknown", "setting"), *[("argument.type", "boost_set")] * 3],
    "second_set": [("argument.unknown", "setting"), *[("argument.type", "second_set")] * 3],
    "set": [*[("argument.unknown", "setting")] * 2, *[("argument.type", "set")] * 4],
    "metric": [*[("argument.unknown", "metric")] * 2, *[("argument.type", "metric")] * 2,
               ("argument.unknown", "setting")],
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "number"), [(name, k) for name, some in NONSENSE.items() for k in range(len(some))]
)
def test_nonsense_is_refused(name, number):
    value = NONSENSE[name][number]
    with pytest.raises(TrainingError) as caught:
        TrainingSettings(**{name: value})
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) > 10
    if name in ELSEWHERE:
        code, argument = ELSEWHERE[name][number]
        check(caught.value, TrainingError, code, argument=argument)
        return
    assert caught.value.code in ("argument.type", "argument.range", "argument.choice")
    if (name, value) == ("min_words", 101):  # more than max_words
        name, value = "max_words", 100
    assert (caught.value.argument, caught.value.value) == (name, value)


@pytest.mark.parametrize("name", list(NONSENSE))
def test_it_is_refused_before_any_work(name, tmp_path):
    """Not even the files are looked at, let alone a folder made."""
    with pytest.raises(TrainingError) as caught:
        Translator.train("no.en", "no.de", output=tmp_path / "model", **{name: NONSENSE[name][0]})
    assert caught.value.argument == ELSEWHERE.get(name, [("", name)])[0][1]
    assert list(tmp_path.iterdir()) == []


def test_settings_that_do_not_exist():
    with refuses(TrainingError, "argument.unknown", argument="setting", value="lm_ordre"):
        TrainingSettings.from_values({"lm_ordre": 3})
    with pytest.raises(TypeError):
        TrainingSettings(lm_ordre=3)


@pytest.mark.parametrize(
    ("values", "code", "fields"),
    [
        ({"pretokenized": True, "lowercase": True}, "argument.conflict", {"argument": "lowercase"}),
        ({"tune": "none", "set": {"restarts": 1}}, "argument.conflict", {"argument": "set"}),
        ({"tune": "none", "tune_on": "train"}, "argument.conflict", {"argument": "tune_on"}),
        ({"tune": "oscar", "tune_on": "train"}, "argument.conflict", {"argument": "tune_on"}),
        *(
            ({"tune": name, "on": "forests"}, "argument.conflict", {"argument": "on"})
            for name in ("pro", "l1", "oscar", "none")
        ),
        *(
            ({"tune": tune, "on": "forests", "metric": metric}, "tuning.metric", {"value": value})
            for tune in ("mr", "mr-da", "likelihood")
            for metric, value in (("ter", "ter"), ("chrf", "chrf"))
        ),
        (
            {"tune": "mr", "on": "forests", "set": {"loss": "sentence"}},
            "argument.conflict",
            {"argument": "loss"},
        ),
        ({"second_stage": "ngrams", "metric": "ter"}, "tuning.metric", {"value": "ter"}),
        ({"second_set": {"order": 5}}, "argument.range", {"argument": "order"}),
        (
            {"tune": "none", "second_stage": "ngrams"},
            "argument.conflict",
            {"argument": "second_stage"},
        ),
        ({"tune": "mira", "set": {"restarts": 1}}, "argument.unknown", {"value": "restarts"}),
        ({"min_words": 10, "max_words": 5}, "argument.range", {"argument": "max_words"}),
    ],
)
def test_settings_that_do_not_go_together(values, code, fields):
    with refuses(TrainingError, code, **fields):
        TrainingSettings(**values)


@pytest.mark.parametrize(
    "values",
    [
        {"max_words": None}, {"max_ratio": None}, {"significance": 3.5}, {"significance": "a+e"},
        {"orientation": None}, {"pop_limit": None}, {"distortion_limit": None},
        {"option_limit": None}, {"distortion_limit": 0}, {"dev_size": 0}, {"seed": 0},
        {"seed": 2**32 - 1}, {"tune": "none"}, {"tune": "mert", "set": {"restarts": 1}},
        {"metric": "chrf"}, {"metric": "ter"}, {"lm_order": 1}, {"lm_order": 8}, {"max_ratio": 1},
        *({"tune": name} for name in ("mert", "pro", "mira", "l1", "minrisk", "oscar", "none")),
        *({"tune": name, "on": "forests"} for name in ("mert", "mira", "minrisk", "mr-da")),
        {"on": "forests", "forest_edges": None},
        {"tune": "mr", "on": "forests", "metric": "ter", "set": {"loss": "length"}},
        {"tune": "mert", "on": "forests", "metric": "ter"},
        {"tune": "mr", "on": "forests", "metric": "chrf:word_order=2"},
        *({"aligner": name} for name in ("model1", "diag", "hmm", "best")),
        *({"classes": name} for name in ("msd", "mslr")),
        *({"unknown": name} for name in ("guess", "copy", "drop")),
    ],
)  # fmt: skip
def test_what_is_allowed(values):
    settings = TrainingSettings(**values)
    assert TrainingSettings.from_values(settings.to_dict()) == settings
    assert json.loads(json.dumps(settings.to_dict(), allow_nan=False)) == settings.to_dict()


def test_settings_stay_what_they_are():
    with pytest.raises(FrozenInstanceError):
        TrainingSettings().seed = 2
    given = {"restarts": 1}
    settings = TrainingSettings(tune="mert", set=given)
    given["restarts"] = 7
    assert settings.set == {"restarts": 1}
    settings.to_dict()["set"]["restarts"] = 5
    assert settings.set == {"restarts": 1}


class _Clashing:
    names = ("longer", "distortion")

    def __call__(self, options: object) -> None:
        raise NotImplementedError


@pytest.mark.slow
def test_features_of_one_name_are_refused_before_any_work():
    rules = "rosewood.decode:RuleIds"
    with refuses(TrainingError, "argument.duplicate", argument="features", value="rule"):
        TrainingSettings(features=(rules, rules))
    with refuses(TrainingError, "argument.duplicate", argument="features", value="distortion"):
        TrainingSettings(features=(rules, f"{__name__}:_Clashing"))
    TrainingSettings(features=(rules, "rosewood.decode:TargetWords"))


def test_settings_load_no_other_room():
    code = (
        "import sys\nfrom rosewood.pipeline.file_settings import TrainingFiles\n"
        "from rosewood.pipeline.settings import TrainingSettings\n"
        "from rosewood.settings import settings_of\n"
        "for kind in (TrainingFiles, TrainingSettings):\n"
        "    print(*(f'{each.option}: {each.expected}' for each in settings_of(kind)), sep='\\n')\n"
        "assert not {'numpy', 'scipy', 'rosewood.forest', 'rosewood.lm'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert "option-limit: a whole number from 1, none" in done.stdout


def test_choices_are_those_of_the_rooms():
    known = {each.name: each.choices for each in settings_of(TrainingSettings)}
    assert known["aligner"] == tuple(MODELS)
    assert known["decoder"] == tuple(DECODERS)
    assert known["tokeniser"] == tuple(TOKENISERS)
    assert known["symmetrization"] == SYMMETRIZATIONS
    assert known["smoothing"] == SMOOTHINGS
    assert known["orientation"] == KINDS
    assert known["classes"] == tuple(CLASSES)
    assert known["tune"] == (*LEARNERS, "minrisk", "none")


def test_word_classes_that_no_model_uses_are_noted():
    assert not TrainingSettings().notes
    (note,) = TrainingSettings(word_classes=20).notes
    assert "word_classes" in note
    assert "20" in note
    made = Trained(Path(), Path(), Path(), [], "new", TrainingSettings(word_classes=20))
    assert made.notes == [note]
    both = {"feature-symbols": "both"}
    assert not TrainingSettings(word_classes=20, reordering_set=both).notes
