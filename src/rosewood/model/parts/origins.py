"""Bundle part `origins`: the file and line of each pair of the corpus."""

from rosewood.model.origins import Origins
from rosewood.model.registry import PartType

PLUGIN = PartType(
    "origins",
    "origins",
    "File and line of each pair of the training corpus.",
    open=lambda part: Origins.open(part.path),
    verify=lambda part: Origins.verify(part.path),
    optional=True,
)
