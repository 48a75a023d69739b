"""Manifests that are damaged, foreign or lie: refused, and never a crash."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
from tests.damaged_bundles import (  # noqa: F401
    GOLDEN,
    copy,
    listed,
    lm_paths,
    manifest,
    rewritten,
    used,
    version_of,
)
from tests.refusals import refuses
from tests.trained import SENTENCE, book, model  # noqa: F401
from tests.training import contents

from rosewood.errors import DamagedFileError, FormatError, RosewoodError
from rosewood.model import Bundle
from rosewood.model.confidence import Confidence
from rosewood.pipeline import Translator

# ruff: noqa: F811  # fixtures are imported


@pytest.fixture(scope="module", params=[1, 2], ids=["version1", "version2"])
def shared(request, model, tmp_path_factory):
    """A model of each format version, copied once for tests that change the manifest alone."""
    original = GOLDEN if request.param == 1 else model
    return Path(shutil.copytree(original, tmp_path_factory.mktemp("shared") / "copy"))


@pytest.fixture
def described(shared):
    """A model of each format version whose manifest may be changed; it is put back."""
    whole = (shared / "manifest.json").read_bytes()
    yield shared
    (shared / "manifest.json").write_bytes(whole)


def test_what_is_no_model(tmp_path):
    for use in (Bundle.open, Bundle.verify, Translator.load):
        with refuses(FormatError, "file.missing", file=os.fspath(tmp_path / "nowhere")):
            use(tmp_path / "nowhere")
        (tmp_path / "file").write_text("")
        with refuses(FormatError, "file.kind", argument=None, file=os.fspath(tmp_path / "file")):
            use(tmp_path / "file")
        with refuses(FormatError, "file.kind", argument="manifest.json", file=os.fspath(tmp_path)):
            use(tmp_path)


@pytest.mark.parametrize(
    ("text", "code", "argument"),
    [
        *((text, "file.format", None) for text in (
            "", "{", "[]", "null", "3", "{}", '{"format": "rosewood-model"}', "\0\0", "[" * 100_000,
            '{"format": "rosewood corpus", "version": 1}')),
        ('{"format": "rosewood-model", "version": 1}', "file.damaged", "rosewood"),
    ],
)  # fmt: skip
def test_a_manifest_that_is_none(described, text, code, argument):
    (described / "manifest.json").write_text(text)
    for use in (Bundle.open, Bundle.verify):
        with refuses(DamagedFileError, code, argument=argument, file=manifest(described)):
            use(described)


@pytest.mark.parametrize("version", [0, 3, -1, "1", None, 1.5, [1], True])
def test_another_version(described, version):
    rewritten(described, lambda table: table.update(version=version, rosewood="7.8.9"))
    with refuses(DamagedFileError, "file.version", value=version) as refused:
        Bundle.open(described)
    assert "Rosewood 7.8.9" in str(refused.value)


def test_the_version_of_the_other(described):
    """Neither passes for the other."""
    field = "rules.type" if version_of(described) == 1 else "weights"
    rewritten(described, lambda table: table.update(version=3 - table["version"]))
    with refuses(DamagedFileError, "file.damaged", argument=field, file=manifest(described)):
        Bundle.open(described)


FIELDS = [
    "rosewood", "decoder", "languages", "parts", "files", "features", "search", "unknown",
    "confidence", "settings", "seed", "stages", "corpus", "scores", "fallbacks",
]  # fmt: skip


def fields_of(folder: Path) -> list[str]:
    return [*FIELDS, "weights"] if version_of(folder) == 1 else FIELDS


@pytest.mark.slow
@pytest.mark.parametrize("field", [*FIELDS, "weights"])
@pytest.mark.parametrize("value", [None, 17, "text", [], {}, [None], {"a": "b"}, 1.5, True])
def test_a_field_of_another_kind(described, field, value):
    """Refused by the manifest's name, or of the kind it should be; never another error."""
    if field not in fields_of(described):
        return
    rewritten(described, lambda table: table.update({field: value}))
    try:
        used(described)
    except RosewoodError as error:
        assert "manifest.json" in str(error)  # noqa: PT017
    else:
        assert isinstance(value, type(json.loads(contents(described)["manifest.json"])[field]))


def test_a_field_that_is_missing(described):
    whole = (described / "manifest.json").read_bytes()
    for field in fields_of(described):
        rewritten(described, lambda table, name=field: table.pop(name))
        with refuses(DamagedFileError, "file.damaged", argument=field, file=manifest(described)):
            Bundle.open(described)
        (described / "manifest.json").write_bytes(whole)


def test_every_field_is_under_the_checksum(described):
    table = json.loads((described / "manifest.json").read_bytes())
    assert {"format", "version", "crc32", *fields_of(described)} == set(table)
    changed = {
        "rosewood": "9.9", "decoder": "hiero", "languages": ["en", "fr"], "unknown": "drop",
        "confidence": Confidence(0.25).to_dict(), "seed": 2, "fallbacks": ["none"], "scores": [],
        "settings": {}, "stages": {}, "corpus": {},
    }  # fmt: skip
    for field, value in changed.items():
        rewritten(described, lambda now, f=field, v=value: now.update({f: v}), with_checksum=False)
        code = "file.damaged" if field == "unknown" else "file.changed"
        with refuses(DamagedFileError, code, file=manifest(described)):
            Bundle.verify(described)
        (described / "manifest.json").write_text(json.dumps(table))
    Bundle.verify(described)


@pytest.mark.parametrize(
    "weights",
    [{}, {"lm": "much"}, {"lm": None}, {"lm": True}, {"lm": 1e999}, {"lm": float("nan")},
     {"nothing": 1.0}],
)  # fmt: skip
def test_weights_that_are_none(copy, weights):
    def changed(table):
        return {**table, **weights} if weights else {}

    is_old, file = version_of(copy) == 1, manifest(copy)
    kind, code, argument = DamagedFileError, "weights.value", "lm"
    if not weights:
        code, argument = ("file.damaged", "weights") if is_old else ("weights.missing", "phrase_ef")
    elif "nothing" in weights:
        code, argument = "weights.unknown", "nothing"
    elif not is_old:
        kind, file = FormatError, os.fspath(copy / "weights" / "weights.json")
    elif not isinstance(weights["lm"], float):
        code, argument = "file.damaged", "weights.lm"
    if is_old:
        rewritten(copy, lambda table: table.update(weights=changed(table["weights"])))
    else:
        path = copy / "weights" / "weights.json"
        path.write_text(json.dumps(changed(json.loads(path.read_bytes()))))
        listed(copy, "weights/weights.json")
    with refuses(kind, code, argument=argument, file=file):
        Translator.load(copy)


def test_features_of_another_model(described):
    rewritten(described, lambda table: table["features"].reverse())
    with refuses(DamagedFileError, "file.mismatch"):
        Translator.load(described)


@pytest.mark.parametrize(
    ("name", "value"),
    [("scale", 0.0), ("scale", -1.0), ("scale", float("inf")), ("slope", -0.5), ("slope", "1"),
     ("offset", float("nan")), ("unknown", None), ("unknown", 10**400), ("more", 1.0)],
)  # fmt: skip
def test_confidence_that_is_none(described, name, value):
    rewritten(described, lambda table: table["confidence"].update({name: value}))
    wrong = f"confidence.{name}"
    with refuses(DamagedFileError, "file.damaged", argument=wrong, file=manifest(described)):
        Bundle.open(described)


@pytest.mark.parametrize("decoder", ["neural", ""])
def test_a_decoder_that_there_is_not(described, decoder):
    rewritten(described, lambda table: table.update(decoder=decoder))
    fields = {"argument": "decoder", "value": decoder, "file": manifest(described)}
    with refuses(DamagedFileError, "argument.unknown", **fields):
        Translator.load(described)


@pytest.mark.parametrize(
    "path",
    ["/etc/passwd", "../copy/lm.rlm", "rules/../lm.rlm", "", ".", "a\\b", "lm.rlm/", "C:\\x"],
)
def test_paths_that_lead_elsewhere(described, path):
    def as_file(table):
        table["files"][path] = table["files"].pop("lm.rlm")
        lm_paths(table)["lm"] = path

    rewritten(described, as_file)
    for use in (Bundle.open, Bundle.verify, Translator.load):
        with refuses(DamagedFileError, "model.path", value=path, file=manifest(described)):
            use(described)


def put(table, part: str, value) -> None:
    """Another path of a part, as each version writes it; None is no such part."""
    if table["version"] == 1:
        table["parts"]["language_models" if part == "lm" else part] = value
    elif value is None:
        table["parts"].pop(part)
    else:
        entry = table["parts"].setdefault(part, {"type": "more"})
        entry["paths" if part == "lm" else "path"] = value


@pytest.mark.parametrize(
    ("part", "value", "code", "argument"),
    [
        ("rules", "lm.rlm", "file.kind", "rules"),
        ("source_text", "rules", "file.kind", "source_text"),
        ("rules", "corpus", "file.kind", "rules"),
        ("corpus", "rules", "file.kind", "corpus"),
        ("origins", "corpus", "file.kind", "origins"),
        ("rules", None, "model.part-missing", "rules"),
        ("rules", "nothing", "file.missing", "rules"),
        ("lm", {}, "file.damaged", "lm.paths"),
        ("lm", {"lm": "source.json"}, "file.kind", None),
        ("lm", {"lm": None}, "model.path", "lm"),
        ("lm", {"phrase_fe": "lm.rlm"}, "feature.duplicate", "phrase_fe"),
        ("source_text", "lm.rlm", "file.format", None),
        ("source_text", None, "model.part-missing", "source_text"),
        ("more", "rules", "model.part-unknown", "more"),
        ("weights", "corpus", "file.kind", "weights"),
    ],
)
def test_parts_that_are_something_else(described, part, value, code, argument):
    """Refused, with the name of what was wrong: nothing is guessed from it."""
    rewritten(described, lambda table: put(table, part, value))

    def verified_and_used() -> None:
        Bundle.verify(described)
        used(described)

    if version_of(described) == 1 and part in (
        "more",
        "weights",
    ):  # which had a fixed list of parts
        code, argument = "file.damaged", f"parts.{part}"
    kind = FormatError if code == "file.format" else DamagedFileError
    file = manifest(described)
    if argument is None:
        file = os.fspath(described / ("lm.rlm" if part == "source_text" else "source.json"))
    with refuses(kind, code, argument=argument, file=file):
        verified_and_used()


@pytest.mark.parametrize(
    ("field", "value"),
    [("languages", []), ("languages", ["en"]), ("languages", ["en", 5]), ("scores", [5]),
     ("scores", [{}]), ("scores", [{"on": "dev", "name": "BLEU", "value": "1", "signature": ""}]),
     ("unknown", "xx"), ("unknown", ""), ("unknown", "copy"), ("seed", True), ("features", [1]),
     ("fallbacks", [None])],
)  # fmt: skip
def test_a_manifest_that_lies(described, field, value):
    """Its checksum is right; it is refused when it is opened."""
    rewritten(described, lambda table: table.update({field: value}))
    with refuses(DamagedFileError, "file.damaged", argument=field, file=manifest(described)):
        Bundle.open(described)


@pytest.mark.slow
@pytest.mark.parametrize("part", ["corpus", "origins", "source_text", "guesses", "rules"])
@pytest.mark.parametrize("value", [0, False, "", [], {}])
def test_a_part_that_is_nothing(described, part, value):
    rewritten(described, lambda table: put(table, part, value))
    with refuses(
        DamagedFileError, "model.path", argument=part, value=value, file=manifest(described)
    ):
        Bundle.open(described)


@pytest.mark.parametrize("side", ["source", "target"])
def test_words_of_the_corpus_that_are_no_text(copy, side):
    """Of the right size, so that it is opened; told by its name when the words are asked for."""
    file = copy / "corpus" / f"{side}.words"
    file.write_bytes(b"\xff" * file.stat().st_size)
    text = getattr(Bundle.open(copy).corpus, side)
    for ask in (lambda: text.words(0), lambda: text.types, lambda: text.part(3, 5).words(0)):
        with refuses(DamagedFileError, "file.encoding", file=os.fspath(file)):
            ask()
    with refuses(DamagedFileError, "file.encoding", file=os.fspath(file)):
        Translator.load(copy).inspect(SENTENCE)


def test_sizes_that_are_none(described):
    for entry in ({"bytes": 1}, {"bytes": "1", "crc32": 0}, None, [], {"bytes": True, "crc32": 1}):
        rewritten(described, lambda table, e=entry: table["files"].update({"lm.rlm": e}))
        with refuses(DamagedFileError, "file.damaged", argument="lm.rlm", file=manifest(described)):
            Bundle.open(described)
