"""Models that are damaged, foreign or lie: refused by the name of the file, and never a crash."""

from __future__ import annotations

import json
import os
import shutil
import zlib
from pathlib import Path

import pytest
from tests.refusals import refuses
from tests.trained import SENTENCE, book, files_of, model  # noqa: F401
from tests.training import contents

from rosewood.errors import DamagedFileError, FormatError, RosewoodError
from rosewood.folders import table_checksum
from rosewood.model import Bundle
from rosewood.model.confidence import Confidence
from rosewood.pipeline import Translator

# ruff: noqa: F811  # fixtures are imported
GOLDEN = Path(__file__).parents[1] / "golden" / "bundle-v1" / "model"


@pytest.fixture(params=[1, 2], ids=["version1", "version2"])
def copy(request, model, tmp_path):
    """A model of each format version that may be damaged."""
    return Path(shutil.copytree(GOLDEN if request.param == 1 else model, tmp_path / "copy"))


def version_of(folder: Path) -> int:
    return json.loads((folder / "manifest.json").read_bytes())["version"]


def manifest(folder: Path) -> str:
    return os.fspath(folder / "manifest.json")


def lm_paths(table) -> dict[str, str]:
    """The table of language models in a manifest, to be changed."""
    is_old = table["version"] == 1
    return table["parts"]["language_models"] if is_old else table["parts"]["lm"]["paths"]


def rewritten(folder: Path, change, *, with_checksum: bool = True) -> None:
    """The manifest after a change, as somebody would write it who knows how."""
    path = folder / "manifest.json"
    table = json.loads(path.read_bytes())
    change(table)
    if with_checksum:
        table["crc32"] = table_checksum(table)
    path.write_text(json.dumps(table))


def listed(folder: Path, name: str) -> None:
    """The manifest with size and checksum of a file that was changed."""
    data = (folder / name).read_bytes()
    entry = {"bytes": len(data), "crc32": zlib.crc32(data)}
    rewritten(folder, lambda table: table["files"].update({name: entry}))


# -- files that are damaged ------------------------------------------------------------------------


def used(folder: Path) -> None:
    translator = Translator.load(folder)
    translator.reply(SENTENCE, nbest=2)
    translator.inspect(SENTENCE)


@pytest.mark.slow
def test_every_file_cut_short_or_missing(copy):
    """Refused when the model is opened, by the name of the file."""
    for name in files_of(copy):
        path = copy / name
        data = path.read_bytes()
        for damaged in (data[:-1], b"", data + b"\0", None):
            if damaged == data:
                continue
            path.unlink() if damaged is None else path.write_bytes(damaged)
            for use in (Bundle.open, Bundle.verify, Translator.load):
                if name == "manifest.json" and damaged in (data[:-1], data + b"\0"):
                    continue  # a line feed at the end more or less
                kind, file, argument = DamagedFileError, path, None
                if name == "manifest.json":
                    code = "file.format"
                    if damaged is None:
                        kind, code, file, argument = FormatError, "file.kind", copy, name
                elif damaged is None:
                    code = "file.missing"
                else:
                    code, argument = "file.damaged", "bytes"
                with refuses(kind, code, argument=argument, file=os.fspath(file)):
                    use(copy)
        path.write_bytes(data)
    Bundle.verify(copy)


@pytest.mark.slow
def test_every_file_with_another_byte(copy):
    """Found by `verify`, by the name of the file; those who do not ask get no crash."""
    for name in files_of(copy):
        path = copy / name
        data = path.read_bytes()
        for place in {0, len(data) // 2, len(data) - 1} if data else ():
            damaged = bytearray(data)
            damaged[place] ^= 0x41
            path.write_bytes(damaged)
            with pytest.raises(DamagedFileError) as caught:
                Bundle.verify(copy)
            assert caught.value.file == os.fspath(path)
            assert caught.value.code == "file.changed" or name == "manifest.json"
        path.write_bytes(data)
    Bundle.verify(copy)


@pytest.mark.slow
def test_damaged_files_in_use_are_refused_or_give_some_answer(copy):
    for name in files_of(copy):
        path = copy / name
        data = path.read_bytes()
        if not data:
            continue
        damaged = bytearray(data)
        for place in range(0, len(data), max(1, len(data) // 3)):
            damaged[place] ^= 0xFF
        path.write_bytes(damaged)
        try:
            used(copy)
        except RosewoodError as error:
            assert str(error)  # noqa: PT017
        path.write_bytes(data)


@pytest.mark.parametrize(
    "name",
    [
        "notes.txt",
        "rules/more",
        "corpus/.hidden",
        "new/file",
        "model.rlm",
        "manifest.json.1-0.part",
    ],
)
def test_a_file_that_does_not_belong_there(copy, name):
    (copy / name).parent.mkdir(exist_ok=True)
    (copy / name).write_text("foreign")
    used(copy)  # it does not harm
    with refuses(DamagedFileError, "model.foreign-file", file=os.fspath(copy / name)):
        Bundle.verify(copy)


def test_links_instead_of_files(copy, tmp_path):
    """A link is a file like any other if it leads to the same bytes."""
    (copy / "lm.rlm").rename(tmp_path / "lm.rlm")
    (copy / "lm.rlm").symlink_to(tmp_path / "lm.rlm")
    Bundle.verify(copy)
    (copy / "lm.rlm").unlink()
    (copy / "lm.rlm").symlink_to(tmp_path / "nowhere")
    for use in (Bundle.open, Bundle.verify):
        with refuses(DamagedFileError, "file.missing", file=os.fspath(copy / "lm.rlm")):
            use(copy)
    (copy / "lm.rlm").unlink()
    (copy / "lm.rlm").symlink_to(copy / "lm.rlm")
    for use in (Bundle.open, Bundle.verify):
        with pytest.raises(OSError) as caught:  # too many levels of links
            use(copy)
        assert caught.value.filename == os.fspath(copy / "lm.rlm")


def test_a_foreign_link(copy, tmp_path):
    (copy / "more").symlink_to(tmp_path / "nowhere")
    with refuses(DamagedFileError, "file.kind", file=os.fspath(copy / "more")):
        Bundle.verify(copy)


def test_a_foreign_link_to_a_folder(copy, tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "file").write_text("foreign")
    (copy / "more").symlink_to(tmp_path / "folder")
    with refuses(DamagedFileError, "file.kind", file=os.fspath(copy / "more")):
        Bundle.verify(copy)


def test_a_folder_instead_of_a_file(copy):
    (copy / "lm.rlm").unlink()
    (copy / "lm.rlm").mkdir()
    for use in (Bundle.open, Bundle.verify):
        with refuses(DamagedFileError, "file.kind", file=os.fspath(copy / "lm.rlm")):
            use(copy)


def test_a_file_instead_of_a_folder(copy):
    shutil.rmtree(copy / "rules")
    (copy / "rules").write_text("")
    for use in (Bundle.open, Bundle.verify):
        with refuses(DamagedFileError, "file.missing") as refused:
            use(copy)
        assert "rules" in refused.value.file


# -- what is no model ------------------------------------------------------------------------------


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
def test_a_manifest_that_is_none(copy, text, code, argument):
    (copy / "manifest.json").write_text(text)
    for use in (Bundle.open, Bundle.verify):
        with refuses(DamagedFileError, code, argument=argument, file=manifest(copy)):
            use(copy)


@pytest.mark.parametrize("version", [0, 3, -1, "1", None, 1.5, [1], True])
def test_another_version(copy, version):
    rewritten(copy, lambda table: table.update(version=version, rosewood="7.8.9"))
    with refuses(DamagedFileError, "file.version", value=version) as refused:
        Bundle.open(copy)
    assert "Rosewood 7.8.9" in str(refused.value)


def test_the_version_of_the_other(copy):
    """Neither passes for the other."""
    field = "rules.type" if version_of(copy) == 1 else "weights"
    rewritten(copy, lambda table: table.update(version=3 - table["version"]))
    with refuses(DamagedFileError, "file.damaged", argument=field, file=manifest(copy)):
        Bundle.open(copy)


FIELDS = [
    "rosewood", "decoder", "languages", "parts", "files", "features", "search", "unknown",
    "confidence", "settings", "seed", "stages", "corpus", "scores", "fallbacks",
]  # fmt: skip


def fields_of(folder: Path) -> list[str]:
    return [*FIELDS, "weights"] if version_of(folder) == 1 else FIELDS


@pytest.mark.slow
@pytest.mark.parametrize("field", [*FIELDS, "weights"])
@pytest.mark.parametrize("value", [None, 17, "text", [], {}, [None], {"a": "b"}, 1.5, True])
def test_a_field_of_another_kind(copy, field, value):
    """Refused by the manifest's name, or of the kind it should be; never another error."""
    if field not in fields_of(copy):
        return
    rewritten(copy, lambda table: table.update({field: value}))
    try:
        used(copy)
    except RosewoodError as error:
        assert "manifest.json" in str(error)  # noqa: PT017
    else:
        assert isinstance(value, type(json.loads(contents(copy)["manifest.json"])[field]))


def test_a_field_that_is_missing(copy):
    whole = (copy / "manifest.json").read_bytes()
    for field in fields_of(copy):
        rewritten(copy, lambda table, name=field: table.pop(name))
        with refuses(DamagedFileError, "file.damaged", argument=field, file=manifest(copy)):
            Bundle.open(copy)
        (copy / "manifest.json").write_bytes(whole)


def test_every_field_is_under_the_checksum(copy):
    table = json.loads((copy / "manifest.json").read_bytes())
    assert {"format", "version", "crc32", *fields_of(copy)} == set(table)
    changed = {
        "rosewood": "9.9", "decoder": "hiero", "languages": ["en", "fr"], "unknown": "drop",
        "confidence": Confidence(0.25).to_dict(), "seed": 2, "fallbacks": ["none"], "scores": [],
        "settings": {}, "stages": {}, "corpus": {},
    }  # fmt: skip
    for field, value in changed.items():
        rewritten(copy, lambda now, f=field, v=value: now.update({f: v}), with_checksum=False)
        code = "file.damaged" if field == "unknown" else "file.changed"
        with refuses(DamagedFileError, code, file=manifest(copy)):
            Bundle.verify(copy)
        (copy / "manifest.json").write_text(json.dumps(table))
    Bundle.verify(copy)


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


def test_features_of_another_model(copy):
    rewritten(copy, lambda table: table["features"].reverse())
    with refuses(DamagedFileError, "file.mismatch"):
        Translator.load(copy)


@pytest.mark.parametrize(
    ("name", "value"),
    [("scale", 0.0), ("scale", -1.0), ("scale", float("inf")), ("slope", -0.5), ("slope", "1"),
     ("offset", float("nan")), ("unknown", None), ("unknown", 10**400), ("more", 1.0)],
)  # fmt: skip
def test_confidence_that_is_none(copy, name, value):
    rewritten(copy, lambda table: table["confidence"].update({name: value}))
    wrong = f"confidence.{name}"
    with refuses(DamagedFileError, "file.damaged", argument=wrong, file=manifest(copy)):
        Bundle.open(copy)


@pytest.mark.parametrize("decoder", ["hiero", ""])
def test_a_decoder_that_there_is_not(copy, decoder):
    rewritten(copy, lambda table: table.update(decoder=decoder))
    fields = {"argument": "decoder", "value": decoder, "file": manifest(copy)}
    with refuses(DamagedFileError, "argument.unknown", **fields):
        Translator.load(copy)


@pytest.mark.parametrize(
    "path",
    ["/etc/passwd", "../copy/lm.rlm", "rules/../lm.rlm", "", ".", "a\\b", "lm.rlm/", "C:\\x"],
)
def test_paths_that_lead_elsewhere(copy, path):
    def as_file(table):
        table["files"][path] = table["files"].pop("lm.rlm")
        lm_paths(table)["lm"] = path

    rewritten(copy, as_file)
    for use in (Bundle.open, Bundle.verify, Translator.load):
        with refuses(DamagedFileError, "model.path", value=path, file=manifest(copy)):
            use(copy)


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
def test_parts_that_are_something_else(copy, part, value, code, argument):
    """Refused, with the name of what was wrong: nothing is guessed from it."""
    rewritten(copy, lambda table: put(table, part, value))

    def verified_and_used() -> None:
        Bundle.verify(copy)
        used(copy)

    if version_of(copy) == 1 and part in ("more", "weights"):  # which had a fixed list of parts
        code, argument = "file.damaged", f"parts.{part}"
    kind = FormatError if code == "file.format" else DamagedFileError
    file = manifest(copy)
    if argument is None:
        file = os.fspath(copy / ("lm.rlm" if part == "source_text" else "source.json"))
    with refuses(kind, code, argument=argument, file=file):
        verified_and_used()


@pytest.mark.parametrize(
    ("field", "value"),
    [("languages", []), ("languages", ["en"]), ("languages", ["en", 5]), ("scores", [5]),
     ("scores", [{}]), ("scores", [{"on": "dev", "name": "BLEU", "value": "1", "signature": ""}]),
     ("unknown", "xx"), ("unknown", ""), ("unknown", "copy"), ("seed", True), ("features", [1]),
     ("fallbacks", [None])],
)  # fmt: skip
def test_a_manifest_that_lies(copy, field, value):
    """Its checksum is right; it is refused when it is opened."""
    rewritten(copy, lambda table: table.update({field: value}))
    with refuses(DamagedFileError, "file.damaged", argument=field, file=manifest(copy)):
        Bundle.open(copy)


@pytest.mark.slow
@pytest.mark.parametrize("part", ["corpus", "origins", "source_text", "guesses", "rules"])
@pytest.mark.parametrize("value", [0, False, "", [], {}])
def test_a_part_that_is_nothing(copy, part, value):
    rewritten(copy, lambda table: put(table, part, value))
    with refuses(DamagedFileError, "model.path", argument=part, value=value, file=manifest(copy)):
        Bundle.open(copy)


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


def test_sizes_that_are_none(copy):
    for entry in ({"bytes": 1}, {"bytes": "1", "crc32": 0}, None, [], {"bytes": True, "crc32": 1}):
        rewritten(copy, lambda table, e=entry: table["files"].update({"lm.rlm": e}))
        with refuses(DamagedFileError, "file.damaged", argument="lm.rlm", file=manifest(copy)):
            Bundle.open(copy)
