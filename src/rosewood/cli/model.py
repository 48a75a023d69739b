"""`rosewood model`: what a model is made of, and whether all of it is there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from rosewood.cli.common import Json, named_rows, print_row, print_table
from rosewood.cli.decode_options import ModelFolder

if TYPE_CHECKING:
    from rosewood.model import Bundle

__all__ = ["app"]

app = typer.Typer(help="Look at models that rosewood train has made.", no_args_is_help=True)


@app.command()
def info(model: ModelFolder, json: Json = False) -> None:
    """Show what a model is: corpus, settings, weights, scores with signatures, sizes.

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
          f"{manifest['rosewood']}")  # fmt: skip
    _table("corpus", named_rows(manifest["corpus"]))
    _table("settings", named_rows(manifest["settings"]))
    _table("limits of the search", named_rows(manifest["search"]))
    weights = manifest["weights"]
    _table("weights", ([name, f"{weights[name]:.6g}"] for name in weights))
    parts = _sizes(bundle)
    _table("parts, MB", ([name, f"{size / 1e6:,.2f}"] for name, size in parts.items()))
    _table("scores", ([f"{each['on']} {each['name']}", f"{each['value']:.2f}", each["signature"]]
                      for each in manifest["scores"]))  # fmt: skip
    how = bundle.confidence
    _table("confidence", ([name, f"{value:.4g}"] for name, value in how.as_dict().items()))
    known, unknown = how([1.0, 1.0], [False, True]).tolist()
    print(f"  of a word that nothing speaks against {known:.2f}, or {unknown:.2f} if no rule "
          "translates it")  # fmt: skip
    if manifest["fallbacks"]:
        print("\nwhat fell back")
        for each in manifest["fallbacks"]:
            print(f"  {each}")


@app.command()
def verify(model: ModelFolder, json: Json = False) -> None:
    """Check every byte of a model; damaged and foreign files are refused by their names.

    rosewood model verify model
    """
    from rosewood.model import Bundle

    Bundle.verify(model)
    bundle = Bundle.open(model)
    found = {"model": str(model), "files": len(bundle.manifest["files"]), "bytes": bundle.size}
    if json:
        print_row({**found, "ok": True}, as_json=True)
    else:
        print(f"{model}: {found['files']} files, {bundle.size:,} bytes, all as they were written")


def _facts(bundle: Bundle) -> dict[str, Any]:
    """The manifest without its checksums, and the sizes of its parts."""
    left_out = ("format", "version", "files", "crc32", "parts")
    facts = {name: value for name, value in bundle.manifest.items() if name not in left_out}
    return {"model": str(bundle.folder), **facts, "bytes": bundle.size, "sizes": _sizes(bundle)}


def _sizes(bundle: Bundle) -> dict[str, int]:
    """The bytes of each file or folder of the model."""
    sizes: dict[str, int] = {}
    for name, entry in bundle.manifest["files"].items():
        part = name.split("/")[0]
        sizes[part] = sizes.get(part, 0) + entry["bytes"]
    return sizes


def _table(title: str, rows: Any) -> None:
    listed = [["  " + row[0], *row[1:]] for row in rows]
    if listed:
        print(f"\n{title}")
        print_table(listed)
