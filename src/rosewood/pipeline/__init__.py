"""From corpora to a model in stages, and the model at work.

What translates does not load what trains: names are found when they are first asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rosewood.pipeline.inputs import TrainingInputs
    from rosewood.pipeline.inspection import Inspection
    from rosewood.pipeline.reply import Alternative, Reply
    from rosewood.pipeline.report import write_report
    from rosewood.pipeline.settings import TrainingSettings
    from rosewood.pipeline.training import Trained, train
    from rosewood.pipeline.translator import Translator

_HOMES = {
    "Alternative": "reply",
    "Inspection": "inspection",
    "Reply": "reply",
    "Trained": "training",
    "TrainingInputs": "inputs",
    "TrainingSettings": "settings",
    "Translator": "translator",
    "train": "training",
    "write_report": "report",
}

__all__ = [
    "Alternative",
    "Inspection",
    "Reply",
    "Trained",
    "TrainingInputs",
    "TrainingSettings",
    "Translator",
    "train",
    "write_report",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'rosewood.pipeline' has no attribute {name!r}")
    found = getattr(import_module(f"rosewood.pipeline.{_HOMES[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
