"""Bundle part `reorder`: names of reordering models, where they are not the usual ones."""

from rosewood.errors import DamagedFileError
from rosewood.model.registry import PartType, StoredPart


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


PLUGIN = PartType(
    "reorder",
    "reordering-models",
    "Names of reordering models; without it, the lexicalized one.",
    open=_open,
    verify=_open,
    where="values",
)
