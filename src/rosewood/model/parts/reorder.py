"""Bundle parts `reorder` and `reorder_models`: names of reordering models, and trained ones."""

from rosewood.errors import DamagedFileError
from rosewood.model.registry import PartType, StoredPart
from rosewood.reorder.linear import LinearReordering


def _open(part: StoredPart) -> tuple[str, ...]:
    names = part.entry["values"]
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise DamagedFileError(
            f"the part 'reorder' is {names!r}, expected a list of names",
            code="file.damaged",
            argument="reorder",
            value=names,
            file=part.folder / "manifest.json",
        )
    return tuple(names)


def _open_models(part: StoredPart) -> dict[str, LinearReordering]:
    return {name: LinearReordering.open(path) for name, path in part.paths.items()}


def _verify_models(part: StoredPart) -> None:
    for model in _open_models(part).values():
        model.verify()


PLUGIN = (
    PartType(
        "reorder",
        "reordering-models",
        "Names of reordering models; without it, the lexicalized one.",
        open=_open,
        verify=_open,
        where="values",
    ),
    PartType(
        "reorder_models",
        "linear-reordering-models",
        "Trained reordering models by name.",
        open=_open_models,
        verify=_verify_models,
        where="paths",
    ),
)
