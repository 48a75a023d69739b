"""Trained models: show their parts, verify their files."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from json import dumps
from typing import TYPE_CHECKING, Any

import typer

from rosewood.cli.common import Json, ModelFolder, named_rows, print_row, print_table, warn

if TYPE_CHECKING:
    from rosewood.model import Bundle
    from rosewood.model.python_features import FeatureRecord

__all__ = ["PLUGIN"]

app = typer.Typer(help="Look at models that rosewood train has made.", no_args_is_help=True)


@app.command()
def info(model: ModelFolder, json: Json = False) -> None:
    """Show what a model is: corpus, settings, weights, parts with sizes, scores with signatures.

    rosewood model info model
    """
    from rosewood.model import Bundle

    bundle = Bundle.open(model)
    if json:
        print_row(_facts(bundle), as_json=True)
        return
    manifest = bundle.manifest
    source, target = (each or "?" for each in manifest["languages"])
    print(f"{model}: {source} to {target}, {bundle.size / 1e6:,.1f} MB, made by rosewood "
          f"{manifest['rosewood']}, format version {manifest['version']}, decoder "
          f"{manifest['decoder']}")  # fmt: skip
    _table("corpus", named_rows(manifest["corpus"]))
    _table("settings", named_rows(manifest["settings"]))
    _table("limits of the search", named_rows(manifest["search"]))
    dense = ((name, value) for name, value in bundle.weights.named.items() if ":" not in name)
    _table("weights", ([name, f"{value:.6g}"] for name, value in dense))
    sparse = _sparse(bundle)
    _table("sparse weights", ([f"{name}:…", f"{count:,}"] for name, count in sparse.items()))
    features = (
        [each.feature, _version(each), dumps(each.settings)] for each in bundle.feature_records
    )
    _table("features in Python", features)
    parts = ([each["name"], each["type"], f"{each['bytes'] / 1e6:,.2f}"] for each in _parts(bundle))
    _table("parts, MB", parts)
    _table("scores", ([f"{each['on']} {each['name']}", f"{each['value']:.2f}", each["signature"]]
                      for each in manifest["scores"]))  # fmt: skip
    how = bundle.confidence
    _table("confidence", ([name, f"{value:.4g}"] for name, value in how.to_dict().items()))
    known, unknown = how([1.0, 1.0], [False, True]).tolist()
    print(f"  of a word that nothing speaks against {known:.2f}, or {unknown:.2f} if no rule "
          "translates it")  # fmt: skip
    if manifest["fallbacks"]:
        print("\nwhat fell back")
        for each in manifest["fallbacks"]:
            print(f"  {each}")
    for note in bundle.notes():
        warn(note)


@app.command()
def verify(model: ModelFolder, json: Json = False) -> None:
    """Check every byte of a model; damaged and foreign files are refused by their names.

    rosewood model verify model
    """
    from rosewood.model import Bundle

    Bundle.verify(model)
    bundle = Bundle.open(model)
    parts = list(bundle.part_names)
    files = len(bundle.manifest["files"])
    if json:
        found = {"model": str(model), "files": files, "bytes": bundle.size, "parts": parts}
        print_row({**found, "skipped": list(bundle.skipped_parts), "ok": True}, as_json=True)
    else:
        print(f"{model}: {len(parts)} parts ({', '.join(parts)}), {files} files, "
              f"{bundle.size:,} bytes, all as they were written")  # fmt: skip
    for name in bundle.skipped_parts:
        warn(f"part {name!r}: its checksums are right; this release does not know what it has")


def _facts(bundle: Bundle) -> dict[str, Any]:
    """The manifest without its checksums, weights, and the sizes of the parts."""
    left_out = ("format", "files", "crc32", "parts")
    facts = {name: value for name, value in bundle.manifest.items() if name not in left_out}
    return {
        "model": str(bundle.folder),
        **facts,
        "weights": bundle.weights.named,
        "sparse_weights": _sparse(bundle),
        "python_features": [asdict(each) for each in bundle.feature_records],
        "bytes": bundle.size,
        "sizes": {each["name"]: each["bytes"] for each in _parts(bundle)},
        "parts": {each["name"]: each["type"] for each in _parts(bundle)},
        "notes": bundle.notes(),
    }


def _sparse(bundle: Bundle) -> dict[str, int]:
    """How many weights of sparse features there are, numbered and named ones, by template."""
    counts = {name: len(numbers) for name, (numbers, _) in bundle.weights.numbered.items()}
    named = Counter(name.partition(":")[0] for name in bundle.weights.named if ":" in name)
    return dict(named + Counter(counts))


def _version(record: FeatureRecord) -> str:
    return " ".join(each for each in (record.package, record.version) if each) or "-"


def _parts(bundle: Bundle) -> list[dict[str, Any]]:
    """Name, type and bytes of each part."""
    files = bundle.manifest["files"]
    rows = []
    for name, entry in bundle.manifest["parts"].items():
        places = [*entry.get("paths", {}).values(), *([entry["path"]] if "path" in entry else ())]
        own = [file for file in files if any(_is_in(file, place) for place in places)]
        size = sum(files[file]["bytes"] for file in own)
        rows.append({"name": name, "type": entry["type"], "bytes": size})
    return rows


def _is_in(file: str, place: str) -> bool:
    return file == place or file.startswith(f"{place}/")


def _table(title: str, rows: Any) -> None:
    listed = [["  " + row[0], *row[1:]] for row in rows]
    if listed:
        print(f"\n{title}")
        print_table(listed)


PLUGIN = app
