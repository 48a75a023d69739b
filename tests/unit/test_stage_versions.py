"""A stage whose output changes gets a new version: else results of older code would be reused.

python -m tests.unit.test_stage_versions      # after raising versions: write the new hashes
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest
from tests.training import QUICK, write_book

from rosewood.journal import fingerprint
from rosewood.pipeline import TrainingInputs, TrainingSettings, train
from rosewood.pipeline.stages import STAGES

GOLDEN = Path(__file__).parents[1] / "golden" / "stages.json"
SETTINGS = {
    "raw": {
        **QUICK,
        "feature_set": "large",
        "memory": "on",
        "boost_set": {"rounds": 3, "k": 20, "samples": 100},
    },
    "words": {**QUICK, "pretokenized": True, "tune": "none", "set": {}, "unknown": "drop"},
}
# L-BFGS, with which the second stage is learnt, ends elsewhere on another kind of processor, by
# some bits: its output is not stored, and there is no reminder that its version must be raised.
NGRAMS = {**QUICK, "second_stage": "ngrams"}


def _without_signatures(facts):
    """Signatures name the version of sacreBLEU that is installed."""
    if isinstance(facts, dict):
        return {k: _without_signatures(v) for k, v in facts.items() if k != "signature"}
    return [_without_signatures(each) for each in facts] if isinstance(facts, list) else facts


def outputs(place: Path) -> dict[str, dict]:
    """For each stage its version, and on a small fixed corpus its keys and hashes of its output."""
    write_book(place, train=150, dev=45, test=10)
    (place / "mono.de").write_text("Das ist ein Haus.\nWir haben Zeit.\n" * 5, encoding="utf-8")
    inputs = TrainingInputs(
        place / "train.en", place / "train.de", dev=(place / "dev.en", place / "dev.de"),
        test=(place / "test.en", place / "test.de"), monolingual=place / "mono.de",
    )  # fmt: skip
    found: dict[str, dict] = {stage.name: {"version": stage.version} for stage in STAGES}
    for name, settings in SETTINGS.items():
        made = train(inputs, place / name, TrainingSettings(**settings), threads=2)
        for stage in made.stages:
            output = fingerprint(stage.files, _without_signatures(stage.facts))
            found[stage.name][name] = {"key": stage.key[:16], "output": output[:16]}
    made = train(inputs, place / "ngrams", TrainingSettings(**NGRAMS), threads=2)
    found["second"]["ngrams"] = {each.name: each.key[:16] for each in made.stages}["second"]
    return found


@pytest.fixture(scope="module")
def now(tmp_path_factory):
    return outputs(tmp_path_factory.mktemp("versions") / "book")


def verdict(name: str, golden: dict | None, now: dict) -> str | None:
    """What is wrong with a stage.  The same key and other bytes: its version was not raised."""
    if golden is not None:
        for each in SETTINGS:
            if each not in golden or each not in now:  # a run without this stage
                continue
            old, new = golden[each], now[each]
            if old["key"] == new["key"] and old["output"] != new["output"]:
                return (
                    f"the output of stage {name!r} has changed: raise its version in "
                    "src/rosewood/pipeline/stages.py, then run this module"
                )
    if golden != now:
        return f"what decides stage {name!r} has changed: run this module to store its new hashes"
    return None


@pytest.mark.slow
@pytest.mark.parametrize("name", [stage.name for stage in STAGES])
def test_a_changed_output_has_a_new_version(now, name):
    golden = json.loads(GOLDEN.read_text(encoding="utf-8")).get(name)
    assert verdict(name, golden, now[name]) is None


def test_what_the_test_says():
    def row(key, output):
        return {"version": 1, **{each: {"key": key, "output": output} for each in SETTINGS}}

    assert verdict("x", row("a", "b"), row("a", "b")) is None
    assert "raise its version" in str(verdict("x", row("a", "b"), row("a", "c")))
    assert "store its new hashes" in str(verdict("x", row("a", "b"), row("d", "c")))
    assert "store its new hashes" in str(verdict("x", None, row("d", "c")))


def test_the_stages_are_those_of_the_file():
    assert list(json.loads(GOLDEN.read_text(encoding="utf-8"))) == [each.name for each in STAGES]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        rows = outputs(Path(folder) / "book")
    GOLDEN.parent.mkdir(exist_ok=True)
    GOLDEN.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
