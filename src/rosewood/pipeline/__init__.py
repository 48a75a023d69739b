"""From corpora to a model in stages, and the model at work."""

from typing import TYPE_CHECKING

from rosewood.lazy_names import lazy_names

if TYPE_CHECKING:
    from rosewood.pipeline.file_settings import TrainingFiles
    from rosewood.pipeline.findings import Finding
    from rosewood.pipeline.input_checks import check_inputs
    from rosewood.pipeline.inputs import TrainingInputs
    from rosewood.pipeline.inspection import Inspection
    from rosewood.pipeline.reply import Alternative, Reply
    from rosewood.pipeline.report import write_report
    from rosewood.pipeline.settings import TrainingSettings
    from rosewood.pipeline.training import Trained, train
    from rosewood.pipeline.translator import Translator

__all__ = [
    "Alternative",
    "Finding",
    "Inspection",
    "Reply",
    "Trained",
    "TrainingFiles",
    "TrainingInputs",
    "TrainingSettings",
    "Translator",
    "check_inputs",
    "train",
    "write_report",
]

__getattr__, __dir__ = lazy_names(__name__)
