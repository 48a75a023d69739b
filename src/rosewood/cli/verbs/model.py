"""Trained models: show their parts, verify their files."""

from __future__ import annotations

from json import dumps
from typing import TYPE_CHECKING, Any

from rosewood.cli.common import ModelFolder, named_rows, print_row, print_table, warn
from rosewood.cli.groups import VerbGroup
from rosewood.cli.run_options import Json

if TYPE_CHECKING:
    from rosewood.model.python_features import FeatureRecord

app = VerbGroup("Look at models that rosewood train has made.")


@app.command()
def info(model: ModelFolder, json: Json = False) -> None:
    """Show what a model is: corpus, settings, weights, parts with sizes, scores with signatures.

    rosewood model info model
    """
    from rosewood.model import Bundle
    from rosewood.model.facts import facts_of, part_sizes, sparse_counts

    bundle = Bundle.open(model)
    if json:
        print_row(facts_of(bundle), as_json=True)
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
    _table("sparse weights", ([f"{name}:…", f"{n:,}"] for name, n in sparse_counts(bundle).items()))
    features = (
        [each.feature, _version(each), dumps(each.settings)] for each in bundle.feature_records
    )
    _table("features in Python", features)
    parts, sizes = manifest["parts"], part_sizes(bundle)
    _table("parts, MB", ([n, parts[n]["type"], f"{size / 1e6:,.2f}"] for n, size in sizes.items()))
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


def _version(record: FeatureRecord) -> str:
    return " ".join(each for each in (record.package, record.version) if each) or "-"


def _table(title: str, rows: Any) -> None:
    listed = [["  " + row[0], *row[1:]] for row in rows]
    if listed:
        print(f"\n{title}")
        print_table(listed)


PLUGIN = app
