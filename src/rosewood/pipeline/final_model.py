"""The decoder of a model from the stages of its run: trees and a second stage on tuned weights.

Stages that improve a tuned decoder write the folder `weights` where they did; the last of them has
the weights of the model.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

from rosewood.decode import Decoder
from rosewood.decode.second_stage import SecondStageDecoder
from rosewood.forest import BoostedTrees, SecondStage
from rosewood.model.weight_files import open_weights
from rosewood.pipeline.settings import TrainingSettings
from rosewood.pipeline.stage import Done
from rosewood.pipeline.tune_stage import WEIGHTS, make_decoder
from rosewood.pipeline.work_store import Finished

TREES_FILE, SECOND_FILE = "trees.json", "second_stage.json"
_IMPROVING = ("second", "boost")  # the last one first

StageResult = TypeVar("StageResult", Done, Finished)


def final_stage(stages: Mapping[str, StageResult]) -> StageResult:
    """The stage that has the weights of the model."""
    for name in _IMPROVING:
        found = stages.get(name)
        if found is not None and (found.folder / WEIGHTS).exists():
            return found
    return stages["tune"]


def kept_trees(stages: Mapping[str, StageResult]) -> BoostedTrees | None:
    """The boosted trees of a run, if it has any."""
    file = _file(stages, "boost", TREES_FILE)
    return None if file is None else BoostedTrees.load(file)


def model_files(stages: Mapping[str, StageResult]) -> dict[str, Path]:
    """The files of trees and of the second stage, by the names of their parts, where they are."""
    files = {
        "trees": _file(stages, "boost", TREES_FILE),
        "second_stage": _file(stages, "second", SECOND_FILE),
    }
    return {name: file for name, file in files.items() if file is not None}


def _file(stages: Mapping[str, StageResult], stage: str, name: str) -> Path | None:
    found = stages.get(stage)
    file = None if found is None else found.folder / name
    return file if file is not None and file.exists() else None


def final_decoder(
    settings: TrainingSettings, stages: Mapping[str, StageResult], *, lm: Path | None = None
) -> Decoder:
    """The decoder of a run with the weights of its model, as far as the stages given made it.

    `lm` is taken instead of the language model of the training corpus.
    """
    decoder = make_decoder(settings, stages, lm, trees=kept_trees(stages))
    weights = open_weights(final_stage(stages).folder / WEIGHTS)
    if (file := model_files(stages).get("second_stage")) is not None:
        return SecondStageDecoder(decoder, SecondStage.load(file)).with_weights(weights)
    return decoder.with_weights(weights)
