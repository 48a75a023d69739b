"""Random rules for tables: few words, so that sources share beginnings and sentences match.

And tables whose files were changed by somebody who knows of checksums.
"""

from __future__ import annotations

import json
import zlib
from pathlib import Path

from hypothesis import strategies as st

from rosewood.rules import Gap, Rule
from rosewood.rules.table_files import KIND, MANIFEST

WORDS = ["a", "b", "c", "ä", "|||"]
LABELS = ["X", "NP"]
FEATURES = ["phrase_ef", "lexical_ef", "penalty"]

values = st.one_of(
    st.sampled_from([0.0, -0.5, -1.0, 1.0]), st.floats(-100, 100, width=32, allow_subnormal=False)
)
counts = st.one_of(st.integers(0, 5).map(float), st.floats(0, 1e6))
sentences = st.lists(st.sampled_from([*WORDS, "unknown"]), max_size=6)


@st.composite
def rules(draw, max_gaps: int = 2) -> Rule:
    """A rule of few symbols."""
    size = draw(st.integers(1, 4))
    source, gaps = [], []
    for _ in range(size):
        if len(gaps) < max_gaps and draw(st.booleans()):
            gaps.append(Gap(draw(st.sampled_from(LABELS)), len(gaps) + 1))
            source.append(gaps[-1])
        else:
            source.append(draw(st.sampled_from(WORDS)))
    words = draw(st.lists(st.sampled_from(WORDS), max_size=3))
    target = draw(st.permutations([*words, *gaps]))
    pairs = [
        (i, j)
        for i, one in enumerate(source)
        for j, other in enumerate(target)
        if isinstance(one, str) and isinstance(other, str)
    ]
    links = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    return Rule(
        tuple(source),
        tuple(target),
        draw(st.sampled_from(LABELS)),
        tuple(sorted(links)),
        {name: draw(values) for name in FEATURES},
        draw(counts),
        draw(counts),
        draw(counts),
        draw(st.one_of(st.none(), st.integers(0, 1000))),
    )


def rule_lists(max_gaps: int = 2, max_size: int = 25) -> st.SearchStrategy[list[Rule]]:
    """Rules of which no two are the same."""
    return st.lists(
        rules(max_gaps), max_size=max_size, unique_by=lambda r: (r.left, r.source, r.target)
    )


def rewrite(path: Path, data: bytes) -> None:
    """Other bytes for a file of a table, and a checksum that fits."""
    path.write_bytes(data)
    folder = path.parent
    manifest = json.loads((folder / MANIFEST).read_bytes())
    manifest["files"][path.name]["crc32"] = zlib.crc32(data)
    shape = {key: manifest[key] for key in ("labels", "features", "groups", "facts")}
    KIND.write_manifest(folder, manifest["files"], shape)
