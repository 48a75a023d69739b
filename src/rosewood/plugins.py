"""Everything that can be added in one file, here or in another package.

for registry in registries(): print(registry.what, registry.package, registry.group)
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from rosewood.registry import Registry

REGISTRIES = (
    "rosewood.cli:VERBS",
    "rosewood.learn.registry:LEARNERS",
    "rosewood.metrics.registry:METRICS",
    "rosewood.decode.plugins:DECODERS",
    "rosewood.decode.plugins:FEATURES",
    "rosewood.reorder.plugins:REORDERING",
    "rosewood.corpus.formats:CORPUS_FORMATS",
    "rosewood.documents.formats:DOCUMENTS",
    "rosewood.corpus.text.tokenisers:TOKENISERS",
    "rosewood.model.registry:PARTS",
)


def registries() -> list[Registry[Any]]:
    """All registries."""
    found = []
    for path in REGISTRIES:
        module, _, name = path.partition(":")
        found.append(getattr(import_module(module), name))
    return found
