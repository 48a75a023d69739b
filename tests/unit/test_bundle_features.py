"""Features written in Python in models: kept by import path and version, made again when loaded."""

from __future__ import annotations

import json
import shutil
import sys
from dataclasses import dataclass
from importlib import invalidate_caches, metadata
from pathlib import Path

import numpy as np
import pytest
from tests.bundles import small_bundle
from tests.decoders import WEIGHTS
from tests.refusals import refuses
from tests.trained import QUICKEST, SENTENCE
from tests.training import write_book

from rosewood.decode import RuleIds, TargetWords
from rosewood.errors import DamagedFileError, DecodingError, FormatError, MissingPackageError
from rosewood.forest import Weights
from rosewood.model import Bundle
from rosewood.model.python_features import (
    FeatureRecord,
    describe_feature,
    load_features,
    make_feature,
    read_records,
    write_records,
)
from rosewood.pipeline import TrainingInputs, TrainingSettings, Translator, train
from rosewood.settings import Settings, setting

MODULE = """
from dataclasses import dataclass, field
import numpy as np

@dataclass(frozen=True)
class Longer:
    least: int = 0
    names: tuple = field(default=("longer",), init=False)
    def __call__(self, options):
        return (np.diff(options.target_start) - (options.end - options.begin) > self.least)[:, None]

class Shorter:
    version = "3.1"
    names = ("shorter",)
    def __call__(self, options):
        return (np.diff(options.target_start) < options.end - options.begin)[:, None]

class Needs:
    names = ("needs",)
    def __init__(self, much):
        self.much = much
    def __call__(self, options):
        return np.zeros(len(options))

class Raises(Shorter):
    def __init__(self):
        raise RuntimeError("no reason")

class Colon(Shorter):
    names = ("a:b",)

@dataclass
class Odd(Shorter):
    value: object = None

class NoFeature:
    def __call__(self, options): ...

class NotCalled:
    names = ("x",)

instance = Shorter()
"""


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A module that belongs to an installed distribution; the name of the module."""
    place = tmp_path / "site"
    info = place / "demo_features-1.2.dist-info"
    info.mkdir(parents=True)
    (place / "demo_feature_module").mkdir()
    (place / "demo_feature_module" / "__init__.py").write_text("")
    (place / "demo_feature_module" / "lengths.py").write_text(MODULE)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: demo-features\nVersion: 1.2\n")
    (info / "top_level.txt").write_text("demo_feature_module\n")
    monkeypatch.syspath_prepend(place)
    invalidate_caches()
    yield "demo_feature_module.lengths"
    forget("demo_feature_module")


@pytest.fixture
def module(tmp_path, monkeypatch):
    """A module that belongs to no distribution."""
    place = tmp_path / "path"
    place.mkdir()
    (place / "loose_feature_module.py").write_text(MODULE)
    monkeypatch.syspath_prepend(place)
    invalidate_caches()
    yield "loose_feature_module"
    forget("loose_feature_module")


def forget(name: str) -> None:
    for each in [each for each in sys.modules if each.split(".")[0] == name]:
        del sys.modules[each]


def uninstalled(name: str, monkeypatch) -> None:
    monkeypatch.setattr(sys, "path", [p for p in sys.path if Path(p).name not in ("site", "path")])
    forget(name)
    invalidate_caches()


# -- records ---------------------------------------------------------------------------------------


def test_a_feature_of_a_package(package):
    feature, record = make_feature(f'{package}:Longer{{"least": 2}}')
    assert feature.least == 2
    assert record == FeatureRecord(f"{package}:Longer", "demo-features", "1.2", {"least": 2})
    assert record.requirement == "demo-features==1.2"
    assert describe_feature(feature) == record
    [again] = load_features([record], file="features.json")
    assert again == feature
    assert type(again) is type(feature)


def test_a_package_that_is_installed_later(package, tmp_path):
    """What is known of installed packages is read again when one more is there."""
    info = tmp_path / "site" / "demo_features-1.2.dist-info"
    info.rename(tmp_path / "elsewhere")
    assert make_feature(f"{package}:Longer")[1].package is None
    (tmp_path / "elsewhere").rename(info)
    assert make_feature(f"{package}:Longer")[1].package == "demo-features"


def test_a_feature_of_no_package(module):
    _, record = make_feature(f"{module}:Shorter")
    assert record == FeatureRecord(f"{module}:Shorter", None, "3.1", {})
    _, record = make_feature(f"{module}:Longer")
    assert record == FeatureRecord(f"{module}:Longer", None, None, {"least": 0})


def test_our_own_features():
    """The path by which a feature was asked for is kept: others may move."""
    _, record = make_feature("rosewood.decode:RuleIds")
    assert record == FeatureRecord(
        "rosewood.decode:RuleIds", "rosewood", metadata.version("rosewood")
    )
    assert describe_feature(TargetWords()).feature == (
        "rosewood.decode.extra_features.target_words:TargetWords"
    )
    assert make_feature("rosewood.decode.features:RuleIds")[0].template == "rule"  # as of old
    assert isinstance(make_feature("target-words")[0], TargetWords)


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("nothing", "argument.unknown"), ("a b:C", "argument.value"), (":C", "argument.value"),
        ("a:", "argument.value"), ("a:b:c", "argument.value"), ("../a:b", "argument.value"),
        ("nothing_here.at_all:C", "feature.import"), ("{}:Nothing", "feature.import"),
        ("{}:NoFeature", "feature.class"), ("{}:NotCalled", "feature.no-call"),
        ("{}:instance", "feature.class"), ("{}:Needs", "feature.construction"),
        ("{}:Raises", "feature.construction"), ("{}:Colon", "feature.construction"),
        ("{}:Longer{{", "feature.settings"), ("{}:Longer{{}}x", "feature.settings"),
        ('{}:Longer{{"most": 1}}', "feature.settings"),
        ('{}:Shorter{{"least": 1}}', "feature.settings"), ("subprocess:Popen", "feature.class"),
        ('subprocess:Popen{{"args": "true"}}', "feature.class"), ("os:system", "feature.class"),
    ],
)  # fmt: skip
def test_what_is_no_feature(module, path, code):
    with refuses(DecodingError, code, argument="feature"):
        make_feature(path.format(module))


@dataclass(frozen=True)
class Checked(Settings):
    """A feature whose settings are checked."""

    error = DecodingError
    letters: int = setting(9, "Letters of a long word.", low=1)
    names = ("long",)

    def __call__(self, options):
        return np.zeros(len(options))


def test_a_bad_setting_keeps_its_fields():
    with refuses(DecodingError, "argument.range", argument="letters", value=0) as refused:
        make_feature(f'{__name__}:Checked{{"letters": 0}}')
    assert refused.value.expected == "a whole number from 1"
    assert "Checked" in str(refused.value)


def test_features_that_cannot_be_made_again(module):
    class Local:
        names = ("local",)

        def __call__(self, options):
            return np.zeros(len(options))

    with refuses(DecodingError, "feature.import"):
        describe_feature(Local())
    odd = type(make_feature(f"{module}:Odd")[0])
    for value in (object(), float("nan"), {1, 2}):
        with refuses(DecodingError, "feature.settings"):
            describe_feature(odd(value))
    needs = sys.modules[module].Needs(1)
    with refuses(DecodingError, "feature.construction"):
        describe_feature(needs)


@pytest.mark.parametrize(
    ("table", "code", "argument", "value"),
    [
        ([], "file.format", None, None),
        ({}, "file.format", None, None),
        ({"format": "x", "version": 1, "features": []}, "file.format", None, None),
        ({"version": 2, "features": []}, "file.version", None, 2),
        ({"features": 3}, "file.damaged", "features", 3),
        ({"features": [3]}, "file.damaged", "features", 3),
        ({"features": [{}]}, "file.damaged", "features", {}),
        ({"features": [{"feature": 3}]}, "file.damaged", "feature", 3),
        ({"features": [{"feature": "a"}]}, "file.damaged", "feature", "a"),
        ({"features": [{"feature": "a:b", "package": 3}]}, "file.damaged", "package", 3),
        ({"features": [{"feature": "a:b", "settings": []}]}, "file.damaged", "settings", []),
        ({"features": [{"feature": "a:b", "version": 1}]}, "file.damaged", "version", 1),
        ({"features": [{"feature": "../a:b"}]}, "file.damaged", "feature", "../a:b"),
        ({"features": [{"feature": "a:b", "x": 1}]}, "file.damaged", "features",
         {"feature": "a:b", "x": 1}),
    ],
)  # fmt: skip
def test_records_that_are_damaged(tmp_path, table, code, argument, value):
    if isinstance(table, dict) and table:
        table = {"format": "rosewood-features", "version": 1, **table}
    path = tmp_path / "features.json"
    path.write_text(json.dumps(table))
    with refuses(DamagedFileError, code, argument=argument, value=value, file=str(path)):
        read_records(path)


# -- in models -------------------------------------------------------------------------------------


def bundle_with(folder: Path, *names: str) -> Bundle:
    made = [make_feature(each)[0] for each in names]
    weights = dict(WEIGHTS)
    dense = [name for each in made for name in getattr(each, "names", ())]
    weights |= dict.fromkeys(dense, 0.25)
    return small_bundle(folder, weights=Weights.of(weights), features=made)


@pytest.mark.slow
def test_a_model_with_features(package, tmp_path):
    bundle = bundle_with(tmp_path / "model", f"{package}:Longer", "rosewood.decode:RuleIds")
    assert [each.feature for each in bundle.feature_records] == [
        f"{package}:Longer", "rosewood.decode.extra_features.rule_ids:RuleIds",
    ]  # fmt: skip
    assert bundle.notes() == []
    found = Translator(bundle).reply("das haus ist klein")
    assert "longer" in found.features
    assert any(name.startswith("rule:") for name in found.features)
    Bundle.verify(bundle.folder)


def test_a_package_that_is_missing(package, tmp_path, monkeypatch):
    """The error says what to install; looking at the model imports nothing."""
    folder = bundle_with(tmp_path / "model", f"{package}:Longer").folder
    uninstalled("demo_feature_module", monkeypatch)
    file = str(folder / "features.json")
    with refuses(
        MissingPackageError, "package.missing", value="demo-features", file=file
    ) as caught:
        Translator.load(folder)
    assert "pip install demo-features==1.2" in str(caught.value)
    assert isinstance(caught.value, FormatError)
    bundle = Bundle.open(folder)
    Bundle.verify(folder)
    assert bundle.feature_records[0].package == "demo-features"
    [note] = bundle.notes()
    assert "pip install demo-features==1.2" in note
    assert "demo_feature_module" not in sys.modules


def test_a_module_that_is_missing(module, tmp_path, monkeypatch):
    folder = bundle_with(tmp_path / "model", f"{module}:Shorter").folder
    uninstalled("loose_feature_module", monkeypatch)
    with refuses(MissingPackageError, "package.missing", value=None):
        Translator.load(folder)


def test_another_version_is_noted(package, tmp_path):
    folder = bundle_with(tmp_path / "model", f"{package}:Longer").folder
    info = tmp_path / "site" / "demo_features-1.2.dist-info"
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: demo-features\nVersion: 2.0\n")
    invalidate_caches()
    bundle = Bundle.open(folder)
    [note] = bundle.notes()
    assert "demo-features 1.2" in note
    assert "2.0 is installed" in note
    assert Translator(bundle).translate("das haus")


def test_a_package_that_has_changed(package, tmp_path):
    """The class is gone, wants other settings, has other names, or cannot be imported."""
    folder = bundle_with(tmp_path / "model", f'{package}:Longer{{"least": 1}}').folder
    path = tmp_path / "site" / "demo_feature_module" / "lengths.py"
    for before, after, kind, code in (
        ("class Longer", "class Other", MissingPackageError, "package.missing"),
        ("    least", "    most", FormatError, "feature.settings"),
        ('"longer"', '"length"', DamagedFileError, "weights.unknown"),
        ("import numpy", "1 / 0\nimport numpy", FormatError, "feature.import"),
    ):
        path.write_text(MODULE.replace(before, after))
        shutil.rmtree(path.parent / "__pycache__", ignore_errors=True)
        forget("demo_feature_module")
        invalidate_caches()
        with pytest.raises(kind) as caught:
            Translator.load(folder)
        assert type(caught.value) is kind
        assert caught.value.code == code


def test_nothing_is_imported_from_the_model_itself(module, tmp_path, monkeypatch):
    """Even where its folder is on the path, and it has a module of that name."""
    folder = bundle_with(tmp_path / "model", f"{module}:Shorter").folder
    (folder / "loose_feature_module.py").write_text("raise SystemExit('ran')")
    uninstalled("loose_feature_module", monkeypatch)
    monkeypatch.syspath_prepend(folder)
    with refuses(FormatError, "feature.place"):
        Translator.load(folder)


def test_only_features_are_constructed(tmp_path):
    """A manifest cannot have anything done but the construction of features."""
    bundle = bundle_with(tmp_path / "model", "rosewood.decode:RuleIds")
    ran = tmp_path / "ran"
    record = FeatureRecord("subprocess:Popen", settings={"args": ["touch", str(ran)]})
    write_records(tmp_path / "features.json", [record])
    with refuses(FormatError, "feature.class", file=str(tmp_path / "features.json")):
        load_features(read_records(tmp_path / "features.json"), file=tmp_path / "features.json")
    assert not ran.exists()
    assert isinstance(bundle.features[0], RuleIds)


# -- training --------------------------------------------------------------------------------------


@pytest.mark.slow
def test_training_with_features(package, tmp_path):
    """They are in the search while weights are tuned, and in the model."""
    write_book(tmp_path, train=150, dev=50)
    inputs = TrainingInputs(
        tmp_path / "train.en", tmp_path / "train.de", dev=(tmp_path / "dev.en", tmp_path / "dev.de")
    )
    features = [f'{package}:Longer{{"least": -1}}', "rosewood.decode:TargetWords"]
    settings = {**QUICKEST, "tune": "mira", "rounds": 1}
    made = train(inputs, tmp_path / "model", TrainingSettings(**settings, features=features))
    bundle = Bundle.open(made.folder)
    Bundle.verify(made.folder)
    assert bundle.manifest["settings"]["features"] == features
    assert [(each.feature, each.settings) for each in bundle.feature_records] == [
        (f"{package}:Longer", {"least": -1}), ("rosewood.decode:TargetWords", {}),
    ]  # fmt: skip
    assert "longer" in bundle.weights
    assert bundle.weights["longer"] != 0
    assert any(name.startswith("word:") for name in bundle.weights)
    found = Translator(bundle).reply(SENTENCE)
    assert "longer" in found.features
    again = train(inputs, tmp_path / "model", TrainingSettings(**settings, features=features))
    assert again.change == "none"
    assert all(stage.was_done for stage in again.stages)
    code = tmp_path / "site" / "demo_feature_module" / "lengths.py"
    code.write_text(f"{MODULE}\n# its values are others now, and its version is the same\n")
    forget("demo_feature_module")
    invalidate_caches()
    later = train(inputs, tmp_path / "model", TrainingSettings(**settings, features=features))
    assert [stage.name for stage in later.stages if not stage.was_done] == ["tune", "report"]
    plain = train(inputs, tmp_path / "model", TrainingSettings(**settings))
    assert [stage.name for stage in plain.stages if not stage.was_done] == ["tune", "report"]
    assert "features" not in Bundle.open(plain.folder).part_names
