"""Language models by their files, whatever these are: models, mixtures, ARPA files."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from os import fspath
from pathlib import Path
from typing import TypedDict, Unpack

from rosewood.corpus.compression import open_input
from rosewood.errors import DamagedFileError
from rosewood.lm.arpa import read_arpa
from rosewood.lm.files import open_file, verify_model, write_model
from rosewood.lm.mixture import Mixture
from rosewood.lm.model import Model
from rosewood.resources import MAX_MEMORY
from rosewood.shared_types import CountCallback, PathName

Kind = str  # "model", "mixture" or "arpa"

_LOOK = 1 << 16  # bytes in which a file tells what it is


def kind_of(path: PathName) -> Kind:
    r"""What a file is, by how it begins; an ARPA file has \data\ within its first 64 KB."""
    with open_input(path) as stream:
        begin = stream.read(_LOOK)
    if begin.startswith(b"RWLMODEL"):
        return "model"
    if begin.lstrip().startswith(b"{"):
        return "mixture"
    if b"\\data\\" in begin:
        return "arpa"
    reason = "it is no language model: neither one of Rosewood, nor a mixture, nor an ARPA file"
    raise DamagedFileError(reason, code="file.kind", file=path)


class ArpaKeywords(TypedDict, total=False):
    """Keywords of `open_model`, for ARPA files: see `open_arpa`."""

    threads: int
    max_memory: int
    temporary: PathName | None
    step: CountCallback | None


def open_model(path: PathName, **keywords: Unpack[ArpaKeywords]) -> Model | Mixture:
    """A model or a mixture, mapped; an ARPA file is converted first, which takes its time."""
    kind = kind_of(path)
    if kind == "mixture":
        return Mixture.open(path)
    if kind == "model":
        return Model.open(path)
    return open_arpa(path, **keywords)


def verify_any(path: PathName, *, threads: int = 1, step: CountCallback | None = None) -> None:
    """Reads all of a model, of the models of a mixture, or of an ARPA file."""
    kind = kind_of(path)
    if kind == "arpa":
        read_arpa(path, threads=threads, step=step)
        return
    for file in (
        [model.path for model in Mixture.open(path).models] if kind == "mixture" else [path]
    ):
        verify_model(file)


def open_arpa(
    path: PathName,
    *,
    threads: int = 1,
    max_memory: int = MAX_MEMORY,
    temporary: PathName | None = None,
    step: CountCallback | None = None,
) -> Model:
    """An ARPA file as a model, which lies in a file of its own for as long as it lives."""
    folder = tempfile.mkdtemp(prefix="rosewood-lm-", dir=temporary)
    try:
        table, words, facts = read_arpa(
            path, threads=threads, max_memory=max_memory, temporary=temporary, step=step
        )
        file = Path(folder) / (Path(fspath(path)).name + ".rlm")
        write_model(
            file, table, words, facts=facts,
            threads=threads, max_memory=max_memory, temporary=temporary,
        )  # fmt: skip
        model = Model(open_file(file), is_temporary=True)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    weakref.finalize(model, shutil.rmtree, folder, ignore_errors=True)
    return model
