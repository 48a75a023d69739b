"""What a model is, as JSON values: `rosewood model info` prints it."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from typing import Any

from rosewood.model.bundle import Bundle


def facts_of(bundle: Bundle) -> dict[str, Any]:
    """The manifest without its checksums, weights, and the sizes of the parts."""
    left_out = ("format", "files", "crc32", "parts")
    facts = {name: value for name, value in bundle.manifest.items() if name not in left_out}
    return {
        "model": str(bundle.folder),
        **facts,
        "weights": bundle.weights.named,
        "sparse_weights": sparse_counts(bundle),
        "python_features": [asdict(each) for each in bundle.feature_records],
        "bytes": bundle.size,
        "sizes": part_sizes(bundle),
        "parts": {name: part["type"] for name, part in bundle.manifest["parts"].items()},
        "notes": bundle.notes(),
    }


def sparse_counts(bundle: Bundle) -> dict[str, int]:
    """How many weights of sparse features there are, numbered and named ones, by template."""
    counts = {name: len(numbers) for name, (numbers, _) in bundle.weights.numbered.items()}
    named = Counter(name.partition(":")[0] for name in bundle.weights.named if ":" in name)
    return dict(named + Counter(counts))


def part_sizes(bundle: Bundle) -> dict[str, int]:
    """Bytes of each part."""
    files = bundle.manifest["files"]
    sizes = {}
    for name, entry in bundle.manifest["parts"].items():
        places = [*entry.get("paths", {}).values(), *([entry["path"]] if "path" in entry else ())]
        own = [file for file in files if any(f"{file}/".startswith(f"{at}/") for at in places)]
        sizes[name] = sum(files[file]["bytes"] for file in own)
    return sizes
