"""The model bundle at the end of a training run, put together from the files of its stages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any, Literal

from rosewood.decode import Decoder
from rosewood.errors import FormatError
from rosewood.folders import checksums
from rosewood.model.bundle import Bundle, write_bundle
from rosewood.model.manifest import MANIFEST
from rosewood.model.python_features import write_records
from rosewood.model.registry import new_entry
from rosewood.pipeline.features_stage import LARGE
from rosewood.pipeline.final_model import final_stage, model_files
from rosewood.pipeline.inputs import TrainingInputs
from rosewood.pipeline.settings import TrainingSettings
from rosewood.pipeline.tune_stage import GROUPS, WEIGHTS
from rosewood.pipeline.work_store import Finished, StageStore
from rosewood.shared_types import ProgressCallback


def write_model(
    folder: Path,
    inputs: TrainingInputs,
    settings: TrainingSettings,
    store: StageStore,
    decoder: Decoder,
    told: ProgressCallback | None,
) -> Literal["new", "replaced", "none"]:
    """Write the bundle unless an identical one exists; returns what changed."""
    stages = {stage.name: stage for stage in store.finished}
    keys = {name: stage.key for name, stage in stages.items()}
    chosen = settings.to_dict()
    try:
        there = Bundle.open(folder).manifest
        is_same = there["stages"] == keys and there["settings"] == chosen
        if is_same and there["files"] == _without_manifest(checksums(folder)):
            return "none"
    except (FormatError, OSError):
        pass
    store.check()
    parts, files = _parts(settings, stages)
    if told is not None:
        told("putting the model together", 0, None)
    words = stages["tokenise"].facts
    facts = {
        "decoder": settings.decoder,
        "languages": list(inputs.languages),
        "features": list(decoder.features.dense),
        "search": asdict(decoder.settings),
        "unknown": settings.unknown,
        "confidence": final_stage(stages).facts["confidence"],
        "settings": chosen,
        "seed": settings.seed,
        "stages": keys,
        "corpus": {
            "pairs": words["kept"],
            **words["train"],
            "dev": stages["clean"].facts["dev"],
            "test": stages["clean"].facts["test"],
            "case": words["case"],
            "rules": stages["extract"].facts["rules"],
        },
        "scores": stages["report"].facts["scores"],
        "fallbacks": [note for stage in store.finished for note in stage.facts.get("notes", [])],
    }
    was_there = (folder / MANIFEST).exists()
    write_bundle(folder, parts, files, facts)
    return "replaced" if was_there else "new"


def _parts(
    settings: TrainingSettings, stages: Mapping[str, Finished]
) -> tuple[dict[str, Any], dict[str, Path | Callable[[Path], object]]]:
    """The parts of the model, and where the file or folder of each comes from."""
    words, rules = stages["tokenise"].folder, stages["extract"].folder
    files: dict[str, Path | Callable[[Path], object]] = {"rules": rules / "rules"}
    parts = {"rules": new_entry("rules", path="rules")}
    models = {name: f"{name}.rlm" for name in stages["lm"].facts["models"]}
    parts["lm"] = new_entry("lm", paths=models)
    files |= {file: stages["lm"].folder / file for file in models.values()}

    def add(name: str, file: str, source: Path | Callable[[Path], object]) -> None:
        parts[name], files[file] = new_entry(name, path=file), source

    names = stages["reordering"].facts["models"]
    if names and names != ["lexicalized"]:
        parts["reorder"] = new_entry("reorder", values=list(names))
    trained = [name for name in names if name != "lexicalized"]
    if trained:
        folders = {name: f"reorder/{name}" for name in trained}
        parts["reorder_models"] = new_entry("reorder_models", paths=folders)
        files |= {path: stages["reordering"].folder / name for name, path in folders.items()}
    for side in ("source", "target"):
        classes = stages["reordering"].folder / f"{side}.classes"
        if classes.exists():
            add(f"{side}_classes", classes.name, classes)
    if "features" in stages:
        add("large_features", LARGE, stages["features"].folder / LARGE)
    last = final_stage(stages).folder
    add("weights", "weights", last / WEIGHTS)
    if (stages["tune"].folder / GROUPS).exists():
        add("groups", GROUPS, stages["tune"].folder / GROUPS)
    for name, file in model_files(stages).items():
        add(name, file.name, file)
    if settings.all_features:
        records = settings.feature_records()
        add("features", "features.json", partial(write_records, records=records))
    if not settings.pretokenized:
        for side in ("source", "target"):
            add(f"{side}_text", f"{side}.json", words / f"{side}.json")
    if settings.unknown == "guess":
        add("guesses", "guesses.json", rules / "guesses.json")
    if "memory" in stages:
        add("memory", "memory", stages["memory"].folder / "memory")
    if settings.keep_corpus:
        for name in ("corpus", "origins"):
            add(name, name, words / name)
    return parts, files


def _without_manifest(files: dict[str, Any]) -> dict[str, Any]:
    return {name: entry for name, entry in files.items() if name != MANIFEST}
