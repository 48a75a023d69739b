"""From corpora to a model in stages, and the model at work."""

from rosewood.pipeline.inputs import TrainingInputs
from rosewood.pipeline.report import write_report
from rosewood.pipeline.settings import TrainingSettings
from rosewood.pipeline.training import Trained, train
from rosewood.pipeline.translator import Translator

__all__ = ["Trained", "TrainingInputs", "TrainingSettings", "Translator", "train", "write_report"]
