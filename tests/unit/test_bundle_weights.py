"""Weights in bundles: names as JSON, half a million numbered features as mapped arrays."""

from __future__ import annotations

import json
import time
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from tests.bundles import small_bundle
from tests.decoders import WEIGHTS
from tests.refusals import refuses

from rosewood.decode import RuleIds
from rosewood.errors import DamagedFileError, FormatError, TuningError
from rosewood.folders import table_checksum
from rosewood.forest import Weights
from rosewood.model import Bundle, read_weights
from rosewood.model.weight_files import open_weights, save_weights
from rosewood.pipeline import Translator

MANY = 500_000


def many_weights() -> Weights:
    numbers = np.arange(MANY, dtype=np.int64) * 3
    return Weights(WEIGHTS, {"rule": (numbers, np.sin(numbers.astype(np.float64)))})


@st.composite
def some_weights(draw):
    names = st.text(st.characters(blacklist_categories=("Cs",)), min_size=1, max_size=8)
    finite = st.floats(allow_nan=False, allow_infinity=False)
    templates = draw(st.lists(names.map(lambda x: x.replace(":", ".")), unique=True, max_size=3))
    numbered = {}
    for template in templates:
        numbers = sorted(draw(st.sets(st.integers(0, 2**48 - 1), min_size=1, max_size=5)))
        values = draw(arrays.arrays(np.float64, len(numbers), elements=finite))
        numbered[template] = (np.array(numbers, np.int64), values)
    plain = names.filter(lambda name: ":" not in name)
    return Weights(draw(st.dictionaries(plain, finite, max_size=4)), numbered)


@pytest.mark.slow
@given(weights=some_weights())
def test_they_come_back_as_they_were(weights, tmp_path_factory):
    folder = tmp_path_factory.mktemp("weights") / "weights"
    save_weights(folder, weights)
    found = open_weights(folder, verify=True)
    assert found == weights
    assert list(found) == list(weights)  # in their order
    assert found.named == read_weights(folder / "weights.json")
    assert (folder / "sparse.json").exists() == bool(weights.numbered)


def test_a_bundle_with_half_a_million(tmp_path):
    """Neither JSON has them; saving and loading take no time that anybody notices."""
    weights = many_weights()
    begin = time.process_time()
    save_weights(tmp_path / "alone", weights)
    saving = time.process_time() - begin
    bundle = small_bundle(tmp_path / "model", weights=weights, features=[RuleIds()])
    assert (bundle.folder / "manifest.json").stat().st_size < 20_000
    assert (bundle.folder / "weights" / "weights.json").stat().st_size < 1_000
    assert (bundle.folder / "weights" / "numbers").stat().st_size == 8 * MANY
    times = []
    for _ in range(5):
        begin = time.process_time()
        found = Bundle.open(bundle.folder).weights
        times.append(time.process_time() - begin)
    assert found == weights
    assert found["rule:3"] == np.sin(3.0)
    print(f"saved in {saving * 1e3:.0f} ms, opened in {min(times) * 1e3:.1f} ms")
    assert saving < 1
    assert min(times) < 0.05
    Bundle.verify(bundle.folder)


def test_they_are_used(tmp_path):
    """A rule of much weight is used, though the model would rather use others."""
    text = "das haus ist klein"
    plain = Translator(small_bundle(tmp_path / "plain", features=[RuleIds()]))
    said = plain.reply(text, nbest=50)
    other = next(
        name
        for alternative in said.alternatives
        for name in alternative.features
        if name.startswith("rule:") and name not in said.features
    )
    weights = Weights.of({**WEIGHTS, other: 50.0})
    bundle = small_bundle(tmp_path / "model", weights=weights, features=[RuleIds()])
    found = Translator(bundle).reply(text)
    assert found.translation != said.translation
    assert found.features[other] == 1.0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "change", "code", "argument", "value"),
    [
        ("numbers", lambda data: data[8:16] + data[:8] + data[16:],  # do not ascend
         "file.damaged", "rule", 1),
        ("numbers", lambda data: data[:16] + data[8:16], "file.damaged", "rule", 5),  # twice 5
        ("numbers", lambda data: b"\xff" * 8 + data[8:], "file.damaged", "rule", -1),
        ("values", lambda data: np.array([np.nan]).tobytes() + data[8:], "weights.value", None, 0),
        ("values", lambda data: data[:-8] + np.array([-np.inf]).tobytes(),
         "weights.value", None, 2),
        ("sparse.json", lambda data: data.replace(b'"rule": 3', b'"rule": 4'),
         "file.damaged", "templates", 4),
        ("sparse.json", lambda data: data.replace(b'"rule": 3', b'"rule": 0'),
         "file.damaged", "rule", 0),
        ("sparse.json", lambda data: data.replace(b'"rule": 3', b'"ru:e": 3'),
         "file.damaged", "ru:e", 3),
        ("sparse.json", lambda data: data.replace(b'"templates"', b'"template_"'),
         "file.damaged", "templates", None),
        ("sparse.json", lambda data: b"{}", "file.kind", None, None),
        ("weights.json", lambda data: b"[]", "file.format", "weights", None),
    ],
)  # fmt: skip
def test_files_that_are_damaged(tmp_path, file, change, code, argument, value):
    """Refused when the weights are asked for, by the name of the file, though sizes are right.

    `verify` finds the checksum wrong where it gets so far.
    """
    weights = Weights(WEIGHTS, {"rule": (np.array([1, 5, 7]), np.array([0.5, 1.5, -2.0]))})
    folder = small_bundle(tmp_path / "model", weights=weights, features=[RuleIds()]).folder
    path = folder / "weights" / file
    data = change(path.read_bytes())
    assert data != path.read_bytes()
    path.write_bytes(data)
    table = json.loads((folder / "manifest.json").read_bytes())
    table["files"][f"weights/{file}"] = {"bytes": len(data), "crc32": zlib.crc32(data)}
    table["crc32"] = table_checksum(table)
    (folder / "manifest.json").write_text(json.dumps(table))
    kind = FormatError if code == "file.format" else DamagedFileError
    with refuses(kind, code, argument=argument, value=value, file=str(path)):
        Translator.load(folder)
    changed = "file.changed" if code in ("file.damaged", "weights.value") else code
    with refuses(kind, changed, file=str(path)):
        Bundle.verify(folder)


def test_weights_of_features_that_the_model_lacks(tmp_path):
    weights = Weights(WEIGHTS, {"rule": (np.array([1]), np.array([0.5]))})
    with refuses(DamagedFileError, "weights.unknown"):
        Translator(small_bundle(tmp_path / "model", weights=weights))


def test_weights_that_are_no_numbers_are_not_written(tmp_path):
    for wrong in (np.nan, np.inf):
        with refuses(TuningError, "weights.value", argument="rule"):
            save_weights(
                tmp_path / f"{wrong}", Weights({}, {"rule": (np.array([1]), np.array([wrong]))})
            )
