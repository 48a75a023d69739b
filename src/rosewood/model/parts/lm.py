"""Bundle part `lm`: language models by the names of their features."""

from rosewood.lm import Model
from rosewood.lm.files import verify_model
from rosewood.model.registry import PartType, StoredPart


def _verify(part: StoredPart) -> None:
    for path in part.paths.values():
        verify_model(path)


PLUGIN = PartType(
    "lm",
    "language-models",
    "Language models; their names are names of features.",
    open=lambda part: {name: Model.open(path) for name, path in part.paths.items()},
    verify=_verify,
    where="paths",
    required=True,
)
