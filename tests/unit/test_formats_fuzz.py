"""Whatever the readers are given, they make a forest or raise FormatError."""

from __future__ import annotations

import contextlib
import gzip
import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rosewood.errors import FormatError
from rosewood.forest.formats import (
    read_cdec_json,
    read_htk,
    read_joshua_disk,
    read_joshua_dump,
    read_lazy_hypergraph,
    read_moses_graphs,
    read_plf,
    read_plf_file,
)

GOLDEN = Path(__file__).parent.parent / "golden" / "formats"
RULES = (GOLDEN / "joshua.rules").read_text()


def _plf(text: str) -> None:
    with contextlib.suppress(FormatError):
        read_plf(text)
    list(read_plf_file(text.removesuffix("\n").split("\n"), drop_unreachable=True))


READERS: dict[str, tuple[str, Callable[[str], object]]] = {
    "plf": ("lattice.plf", _plf),
    "osg": ("plain.osg", lambda text: list(read_moses_graphs(text.split("\n")))),
    "osgx": (
        "extended.osgx",
        lambda text: list(read_moses_graphs(text.split("\n"), allow_empty=True)),
    ),
    "links": ("links.slf", lambda text: read_htk(text.split("\n"))),
    "nodes": ("nodes.slf", lambda text: read_htk(text.split("\n"), drop_unreachable=True)),
    "cdec": ("hypergraph.json", lambda text: read_cdec_json(text.split("\n"))),
    "items": (
        "joshua.items",
        lambda text: list(read_joshua_disk(text.split("\n"), RULES.split("\n"))),
    ),
    "rules": (
        "joshua.rules",
        lambda text: list(read_joshua_disk(GOLDEN / "joshua.items", text.split("\n"))),
    ),
    "dump": ("joshua.dump", lambda text: read_joshua_dump(text.split("\n"))),
    "lazy": ("moses.hypergraph", lambda text: read_lazy_hypergraph(text.split("\n"))),
}
LOTS = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
PIECES = st.sampled_from(
    ["", " ", "\n", "0", "1", "2", "-1", "nan", "inf", "1e999", "9" * 30, "(", ")", "[", "]", "{",
     "}", '"', "'", "\\", ",", ":", "=", "|", "|||", "#", "null", "true", "\x00", "é", "\ud800"]
)  # fmt: skip


def read(reader: Callable[[str], object], text: str) -> None:
    with contextlib.suppress(FormatError):
        reader(text)


@pytest.mark.slow
@pytest.mark.parametrize("kind", READERS)
@given(data=st.data())
@LOTS
def test_mutations(kind: str, data: Any) -> None:
    name, reader = READERS[kind]
    text = (GOLDEN / name).read_text()
    for _ in range(data.draw(st.integers(1, 4))):
        begin = data.draw(st.integers(0, len(text)))
        end = min(len(text), begin + data.draw(st.integers(0, 12)))
        text = text[:begin] + data.draw(PIECES) + text[end:]
    read(reader, text)


@pytest.mark.slow
@pytest.mark.parametrize("kind", READERS)
@given(data=st.data())
@LOTS
def test_exchanged_tokens(kind: str, data: Any) -> None:
    """Numbers and words put in each other's places give input that is nearly right."""
    name, reader = READERS[kind]
    tokens = re.findall(r"-?[0-9.]+|\w+|\s|.", (GOLDEN / name).read_text())
    for _ in range(data.draw(st.integers(1, 5))):
        i, j = (data.draw(st.integers(0, len(tokens) - 1)) for _ in range(2))
        tokens[i] = tokens[j]
    read(reader, "".join(tokens))


@pytest.mark.slow
@pytest.mark.parametrize("kind", READERS)
@given(order=st.randoms(use_true_random=False), keep=st.floats(0.3, 1.0))
@LOTS
def test_shuffled_lines(kind: str, order: Any, keep: float) -> None:
    name, reader = READERS[kind]
    lines = [x for x in (GOLDEN / name).read_text().split("\n") if order.random() < keep]
    order.shuffle(lines)
    read(reader, "\n".join(lines))


@pytest.mark.parametrize("kind", READERS)
@given(text=st.text())
@LOTS
def test_random_text(kind: str, text: str) -> None:
    read(READERS[kind][1], text)


@pytest.mark.parametrize(
    "reader",
    [read_plf_file, read_moses_graphs, read_htk, read_cdec_json, read_joshua_dump,
     read_lazy_hypergraph],
)  # fmt: skip
@given(data=st.binary(max_size=200), suffix=st.sampled_from(["", ".gz", ".xz", ".zst"]))
@LOTS
def test_random_bytes(reader: Callable[[Path], Any], data: bytes, suffix: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"input{suffix}"
        file.write_bytes(data)
        with contextlib.suppress(FormatError):
            found = reader(file)
            if not hasattr(found, "num_nodes"):
                list(found)


@pytest.mark.parametrize("which", ["items", "rules"])
@given(data=st.data(), suffix=st.sampled_from(["", ".gz", ".xz", ".zst"]))
@LOTS
def test_random_bytes_in_joshua_files(which: str, data: Any, suffix: str) -> None:
    """One of the two files is noise, or the right one with noise in place of some bytes."""
    right = (GOLDEN / f"joshua.{which}").read_bytes()
    right = data.draw(st.sampled_from([b"", right, gzip.compress(right, mtime=0)]))
    at = data.draw(st.integers(0, len(right)))
    behind = at + data.draw(st.integers(0, 20))
    content = right[:at] + data.draw(st.binary(max_size=200)) + right[behind:]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"joshua.{which}{suffix}"
        file.write_bytes(content)
        files = {"items": GOLDEN / "joshua.items", "rules": GOLDEN / "joshua.rules", which: file}
        with contextlib.suppress(FormatError):
            list(read_joshua_disk(files["items"], files["rules"]))
