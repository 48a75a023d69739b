"""Bundle part `weights`: named weights as JSON, weights of numbered features as mapped arrays."""

from rosewood.forest import Weights
from rosewood.model.registry import PartType, StoredPart
from rosewood.model.weight_files import open_weights


def _open_values(part: StoredPart) -> Weights:
    return Weights.of(part.entry["values"])


PLUGIN = (
    PartType(
        "weights",
        "weights",
        "Feature weights.",
        open=lambda part: open_weights(part.path),
        verify=lambda part: open_weights(part.path, verify=True),
        required=True,
    ),
    PartType(
        "weights",
        "named-weights",
        "Feature weights in the manifest of a version-1 bundle.",
        open=_open_values,
        verify=_open_values,
        where="values",
    ),
)
