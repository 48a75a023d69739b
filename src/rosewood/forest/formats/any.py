"""One function for every format, by name or by the ending of the file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from os import PathLike
from pathlib import Path
from typing import Any

from rosewood.arguments import check_choice
from rosewood.corpus import Vocabulary
from rosewood.corpus.lines import Source
from rosewood.errors import FormatError
from rosewood.forest.features import FeatureSpace
from rosewood.forest.files import ForestSet
from rosewood.forest.forest import Forest
from rosewood.forest.formats import FORMATS
from rosewood.forest.formats.cdec import read_cdec_json
from rosewood.forest.formats.htk import read_htk
from rosewood.forest.formats.joshua import read_joshua_disk
from rosewood.forest.formats.lazy import read_joshua_dump, read_lazy_hypergraph
from rosewood.forest.formats.moses import read_moses_graphs
from rosewood.forest.formats.plf import read_plf_file
from rosewood.forest.rename import renamed
from rosewood.forest.text import NamedForest, read_forests


def read_any(
    source: Source,
    *,
    format: str | None = None,
    features: FeatureSpace | None = None,
    vocabulary: Vocabulary | None = None,
    **options: Any,
) -> Iterator[NamedForest]:
    """The forests of a file (or of lines) and their names there, in any format of `FORMATS`.

    Without `format` the file's ending decides (a compressed file's ending before that).  Further
    options go to the format's own reader.  Forests share `features` and `vocabulary`.
    """
    file = Path(source) if isinstance(source, str | PathLike) else None
    name = _guess(file) if format is None else format
    check_choice("format", name, FORMATS, error=FormatError)
    if name in ("set", "joshua"):
        if file is None:
            reason = f"the format {name} is read from a file, not from lines"
            raise FormatError(reason, code="argument.conflict", argument="format", value=name)
        if name == "set":
            yield from _from_set(file, features, vocabulary)
            return
    space = FeatureSpace() if features is None else features
    words = Vocabulary() if vocabulary is None else vocabulary
    names: dict[str, Any] = {"features": space, "vocabulary": words, **options}
    if name == "text":
        # A text file says itself which of its features are dense.
        yield from read_forests(source, features=features, vocabulary=words, **options)
    elif name == "plf":
        for number, forest in enumerate(read_plf_file(source, **names)):
            yield NamedForest(str(number), forest)
    elif name == "moses":
        for sentence, forest in read_moses_graphs(source, **names):
            yield NamedForest(str(sentence), forest)
    elif name == "joshua" and file is not None:
        rules = file.with_name(file.name.replace(".items", ".rules"))
        for sentence, forest in read_joshua_disk(file, rules, **names):
            yield NamedForest(str(sentence), forest)
    else:
        yield NamedForest("" if file is None else file.stem, _SINGLE[name](source, **names))


_SINGLE: dict[str, Callable[..., Forest]] = {
    "htk": read_htk,
    "cdec": read_cdec_json,
    "joshua-dump": read_joshua_dump,
    "lazy": read_lazy_hypergraph,
}


def _guess(file: Path | None) -> str:
    if file is None:
        reason = f"format must be given for lines: one of {', '.join(FORMATS)}"
        raise FormatError(reason, code="argument.missing", argument="format")
    endings = [s for s in file.suffixes if s not in (".gz", ".xz", ".zst", ".bz2", ".Z")]
    for name, known in FORMATS.items():
        if endings and endings[-1] in known:
            return name
    reason = f"no format has this file ending: give format, one of {', '.join(FORMATS)}"
    raise FormatError(reason, code="argument.missing", argument="format", file=file)


def _from_set(
    file: Path, features: FeatureSpace | None, vocabulary: Vocabulary | None
) -> Iterator[NamedForest]:
    found = ForestSet(file)
    space = found.features if features is None else features
    words = found.vocabulary if vocabulary is None else vocabulary
    for number in range(len(found)):
        name, forest, info = set_item(found, number)
        yield NamedForest(name, renamed(forest, space, words), info)


def set_item(found: ForestSet, number: int) -> NamedForest:
    """A forest of a set in memory of its own: of a huge set, one is in memory at a time."""
    forest, info = found.read(number), found.info(number)
    return NamedForest(str(info.get("id", number)), forest, info)
