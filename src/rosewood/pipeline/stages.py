"""The stages of a training run, declared.

clean ─► tokenise ─► align ─► extract ─► reordering ─► tune ─► boost ─► second ─► report
             │         └────► features ───────────────► ┤
             ├─────► lm ──────────────────────────────► ┘
             └─────► memory

The declarations below decide the order: stages without a path between them run side by
side.  Raise the version of a stage whenever its output changes (see stage.py).
"""

from __future__ import annotations

from typing import Any

from rosewood.pipeline.boost_stage import boost, boost_settings
from rosewood.pipeline.clean_stage import clean, clean_settings
from rosewood.pipeline.features_stage import features_settings, large_features
from rosewood.pipeline.memory_stage import build_memory, has_memory, memory_settings
from rosewood.pipeline.model_stages import align, build_lms, extract_rules, extract_settings
from rosewood.pipeline.reordering_stage import reordering, reordering_settings
from rosewood.pipeline.report_stage import judge
from rosewood.pipeline.second_stage import second_stage, second_stage_settings
from rosewood.pipeline.stage import EVERY_FILE, Needs, Stage, Task, in_order
from rosewood.pipeline.tokenise_stage import tokenise, tokenise_settings
from rosewood.pipeline.tune_stage import search_choices, tune, tune_settings
from rosewood.shared_types import ProgressCallback

_MODELS = {
    "extract": Needs(files=EVERY_FILE),
    "lm": Needs(files=EVERY_FILE),
    "reordering": Needs(EVERY_FILE, facts=("distortion_limit", "models")),
    "features": Needs(files=EVERY_FILE),
}

STAGES = in_order(
    [
        Stage("clean", version=3, run=clean, decides=clean_settings, reads_inputs=True),
        Stage(
            "tokenise", version=4, run=tokenise, decides=tokenise_settings, reads_inputs=True,
            needs={"clean": Needs(EVERY_FILE, facts=("train", "dev", "test"))},
            settings=("pretokenized", "min_words", "max_words", "max_ratio"),
        ),
        Stage(
            "align", version=1, run=align,
            needs={"tokenise": Needs(files=("corpus/",))},
            settings=("aligner", "symmetrization"),
        ),
        Stage(
            "lm", version=1, run=build_lms, uses_memory=True,
            needs={"tokenise": Needs(files=("train.target", "mono.", "dev."))},
            settings=("lm_order",),
        ),
        Stage(
            "extract", version=3, run=extract_rules, decides=extract_settings, uses_memory=True,
            needs={"tokenise": Needs(files=("corpus/",)), "align": Needs(EVERY_FILE)},
        ),
        Stage(
            "reordering", version=2, run=reordering, decides=reordering_settings,
            needs={
                "tokenise": Needs(files=("corpus/",)),
                "align": Needs(EVERY_FILE),
                "extract": Needs(EVERY_FILE, ("orientation",)),
            },
            settings=("distortion_limit",),
        ),
        Stage(
            "features", version=1, run=large_features, decides=features_settings,
            applies=lambda settings, _: settings.feature_set == "large",
            needs={"tokenise": Needs(files=("corpus/",)), "align": Needs(EVERY_FILE)},
        ),
        Stage(
            "tune", version=10, run=tune, decides=tune_settings, uses_memory=True,
            needs={
                **_MODELS, "tokenise": Needs(files=("dev.", "corpus/", "unlabelled.")),
                "align": Needs(EVERY_FILE),
            },
            settings=("metric", "rounds", "nbest", "unknown", "seed"),
        ),
        Stage(
            "boost", version=4, run=boost, decides=boost_settings, uses_memory=True,
            applies=lambda settings, _: settings.boosting() is not None,
            needs={
                **_MODELS,
                "tokenise": Needs(files=("dev.",)),
                "tune": Needs(files=("weights/",), facts=("learner",)),
            },
            settings=("metric", "unknown", "seed"),
        ),
        Stage(
            "second", version=4, run=second_stage, decides=second_stage_settings, uses_memory=True,
            applies=lambda settings, _: settings.second() is not None,
            needs={
                **_MODELS, "tokenise": Needs(files=("dev.", "corpus/")), "align": Needs(EVERY_FILE),
                "tune": Needs(files=("weights/",), facts=("learner",)),
                "boost": Needs(files=EVERY_FILE),
            },
            settings=("metric", "unknown", "seed"),
        ),
        Stage(
            "memory", version=2, run=build_memory, decides=memory_settings, reads_inputs=True,
            applies=has_memory,
            needs={
                "clean": Needs(("train.", "origins/", "split_origins/", "dev."), ("dev_from",)),
                "tokenise": Needs(files=("source.json",)),
            },
            settings=("pretokenized",),
        ),
        Stage(
            "report", version=3, run=judge, decides=search_choices,
            needs={
                **_MODELS,
                "clean": Needs(("dev.", "test."), facts=("dev", "test")),
                "tokenise": Needs(files=("source.json", "target.json")),
                "tune": Needs(files=("weights/",), facts=("start", "confidence")),
                "boost": Needs(files=EVERY_FILE, facts=("confidence",)),
                "second": Needs(files=EVERY_FILE, facts=("confidence",)),
            },
            settings=("pretokenized", "unknown"),
        ),
    ]
)  # fmt: skip
STAGE_NAMES = tuple(stage.name for stage in STAGES)


def run_task(task: Task, told: ProgressCallback) -> dict[str, Any]:
    """Do the work of a stage, in whatever process this is; returns its facts."""
    (stage,) = (each for each in STAGES if each.name == task.stage)
    return stage.run(task, told)
