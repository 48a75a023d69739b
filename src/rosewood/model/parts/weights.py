"""Bundle part `weights`: named weights as JSON, weights of numbered features as mapped arrays."""

from rosewood.forest import Weights
from rosewood.model.registry import PartType, StoredPart, register_part
from rosewood.model.weight_files import open_weights


def _open(part: StoredPart) -> Weights:
    return open_weights(part.path)


register_part(
    PartType(
        "weights",
        "weights",
        "Feature weights.",
        open=_open,
        verify=lambda part: open_weights(part.path, verify=True),
        required=True,
    )
)
