"""The model bundle: opened quickly, verified to the last byte, the same wherever it was made."""

from __future__ import annotations

import json
import os
import pickle
import shutil
from pathlib import Path

import pytest
from tests.training import QUICK, contents, write_book

from rosewood.errors import DamagedFileError, FormatError, RosewoodError
from rosewood.folders import table_checksum
from rosewood.model import Bundle
from rosewood.model.confidence import Confidence
from rosewood.pipeline import TrainingInputs, TrainingSettings, Translator, train
from rosewood.rules import RuleTable

QUICKEST = {**QUICK, "tune": "none", "set": {}}
SENTENCE = "We had the good letter."


def made(place: Path, output: str, threads: int = 1, **settings) -> Path:
    inputs = TrainingInputs(
        place / "train.en", place / "train.de", dev=(place / "dev.en", place / "dev.de")
    )
    train(inputs, place / output, TrainingSettings(**{**QUICKEST, **settings}), threads=threads)
    return place / output


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    return write_book(tmp_path_factory.mktemp("bundle"), train=150, dev=40)


@pytest.fixture(scope="module")
def model(book):
    return made(book, "model")


@pytest.fixture
def copy(model, tmp_path):
    """A model that may be damaged."""
    return Path(shutil.copytree(model, tmp_path / "copy"))


def files_of(model: Path) -> list[str]:
    return list(contents(model))


def rewritten(folder: Path, change, *, with_checksum: bool = True) -> None:
    """The manifest after a change, as somebody would write it who knows how."""
    path = folder / "manifest.json"
    table = json.loads(path.read_bytes())
    change(table)
    if with_checksum:
        table["crc32"] = table_checksum(table)
    path.write_text(json.dumps(table))


# -- what it is ------------------------------------------------------------------------------------


def test_its_parts(model, book):
    bundle = Bundle.open(model)
    assert isinstance(bundle.rules, RuleTable)
    assert list(bundle.language_models) == ["lm"]
    assert bundle.source_text is not None
    assert bundle.target_text is not None
    assert len(bundle.corpus) == 150
    lines = (book / "train.en").read_text().splitlines()
    for number in (0, 7, 149):
        file, _, line = bundle.origin(number).rpartition(":")
        assert file == "train.en"
        assert int(line) == number + 1
        words = bundle.corpus.source.words(number)
        assert "".join(words).lower() == lines[number].replace(" ", "").lower()
    assert [bundle.origin(number) for number in (-1, 150, 10**9)] == [None] * 3
    assert set(bundle.weights) == set(bundle.manifest["features"])
    assert bundle.confidence.as_dict() == bundle.manifest["confidence"]
    assert bundle.size == sum(map(len, contents(model).values())) - len(
        (model / "manifest.json").read_bytes()
    )
    assert "en to de" in repr(bundle)
    Bundle.verify(model)


def test_its_manifest(model):
    table = json.loads((model / "manifest.json").read_bytes())
    assert (table["format"], table["version"], table["decoder"]) == ("rosewood-model", 1, "phrase")
    assert table["languages"] == ["en", "de"]
    assert table["settings"]["aligner"] == "model1"
    assert table["seed"] == 1
    assert list(table["stages"]) == [
        "clean", "tokenise", "align", "lm", "extract", "reordering", "tune", "report",
    ]  # fmt: skip
    assert set(table["files"]) == set(files_of(model)) - {"manifest.json"}
    assert {score["name"] for score in table["scores"]} == {"BLEU", "chrF2"}
    assert all("version:" in score["signature"] for score in table["scores"])
    assert table["corpus"]["pairs"] == 150
    assert table["crc32"] == table_checksum(table)


def test_nothing_in_it_is_of_a_time_or_place(model, book):
    for name, data in contents(model).items():
        assert os.fspath(book).encode() not in data, name
        assert b".work" not in data, name


def test_without_its_corpus(book, copy):
    bundle = Bundle.open(made(book, "small", keep_corpus=False))
    assert bundle.corpus is None
    assert bundle.origin(0) is None
    Bundle.verify(bundle.folder)
    assert bundle.size < Bundle.open(copy).size
    assert Translator(bundle).translate(SENTENCE) == Translator.load(copy).translate(SENTENCE)


def test_words_as_they_are(book):
    bundle = Bundle.open(made(book, "words", pretokenized=True))
    assert (bundle.source_text, bundle.target_text) == (None, None)
    assert not (bundle.folder / "source.json").exists()
    Bundle.verify(bundle.folder)


# -- wherever it is --------------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [2, 5])
def test_the_same_bytes_at_any_number_of_threads(book, model, threads, tmp_path):
    for path in book.glob("*.*"):
        if path.is_file():
            shutil.copy(path, tmp_path)
    assert contents(made(tmp_path, "model", threads=threads)) == contents(model)


def test_the_same_bytes_at_another_place_and_time(book, model, tmp_path):
    place = tmp_path / "some where" / "ünder"
    place.mkdir(parents=True)
    for path in book.glob("*.*"):
        if path.is_file():
            shutil.copy(path, place)
            os.utime(place / path.name, (1e9, 1e9))
    assert contents(made(place, "another name")) == contents(model)


def test_files_in_another_order_of_their_names(book, model, tmp_path):
    """What is read first is first, whatever it is called; names are told as origins alone."""
    halves = []
    for ending in ("en", "de"):
        lines = (book / f"train.{ending}").read_text().splitlines(keepends=True)
        for name, part in (("z", lines[:70]), ("a", lines[70:])):
            (tmp_path / f"{name}.{ending}").write_text("".join(part))
        halves.append([tmp_path / f"z.{ending}", tmp_path / f"a.{ending}"])
    inputs = TrainingInputs(*halves, dev=(book / "dev.en", book / "dev.de"))
    train(inputs, tmp_path / "model", TrainingSettings(**QUICKEST))
    found = contents(tmp_path / "model")
    differ = {name for name, data in contents(model).items() if found[name] != data}
    assert {name.split("/")[0] for name in differ} <= {"manifest.json", "origins"}
    bundle = Bundle.open(tmp_path / "model")
    assert [bundle.origin(k) for k in (0, 69, 70)] == ["z.en:1", "z.en:70", "a.en:1"]


def test_copied_and_moved(copy, model, tmp_path, monkeypatch):
    wanted = Translator.load(model).translate(SENTENCE)
    assert Translator.load(copy).translate(SENTENCE) == wanted
    moved = tmp_path / "else where" / "modèle"
    moved.parent.mkdir()
    copy.rename(moved)
    Bundle.verify(moved)
    monkeypatch.chdir(moved.parent)
    assert Translator.load("modèle").translate(SENTENCE) == wanted
    (tmp_path / "link").symlink_to(moved)
    assert Translator.load(tmp_path / "link").translate(SENTENCE) == wanted


def test_it_stays_where_it_is_when_one_goes_elsewhere(copy, tmp_path, monkeypatch):
    """Opened by a relative path, or by a link that leads elsewhere later."""
    (tmp_path / "link").symlink_to(copy)
    monkeypatch.chdir(tmp_path)
    opened = [Translator.load("copy"), Translator.load("link")]
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    (tmp_path / "link").unlink()
    for translator in opened:
        assert translator.inspect(SENTENCE).rules[0].origin
        assert pickle.loads(pickle.dumps(translator)).translate(SENTENCE)
        assert translator.bundle.folder == copy.resolve()


def test_it_is_only_read(copy, monkeypatch):
    """Files and folders without the right to write, and nothing is tried: root may do anything."""
    for path in [copy, *copy.rglob("*")]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    before = {path: path.stat().st_mtime_ns for path in [copy, *copy.rglob("*")]}
    Bundle.verify(copy)
    assert Translator.load(copy).reply(SENTENCE, nbest=2).translation
    assert {path: path.stat().st_mtime_ns for path in [copy, *copy.rglob("*")]} == before
    for path in [copy, *copy.rglob("*")]:
        path.chmod(0o755)


def test_a_model_that_was_opened_survives_its_folder(copy):
    """Another model takes the place of this one while it is in use."""
    translator = Translator.load(copy)
    wanted = translator.translate(SENTENCE)
    shutil.rmtree(copy)
    assert translator.translate(SENTENCE) == wanted


# -- a translator in another process ---------------------------------------------------------------


def test_a_translator_is_pickled(model):
    translator = Translator.load(model, threads=2, pop_limit=7)
    data = pickle.dumps(translator)
    assert len(data) < 2_000
    again = pickle.loads(data)
    assert again.translate(SENTENCE) == translator.translate(SENTENCE)
    assert again.decoder.settings == translator.decoder.settings
    assert again.threads == 2
    assert again.weights == translator.weights


def test_a_glossary_is_pickled_too(model, tmp_path):
    (tmp_path / "glossary.tsv").write_text("letter\tEpistel\n")
    translator = Translator.load(model, glossary=tmp_path / "glossary.tsv", inline=True)
    (tmp_path / "glossary.tsv").unlink()
    again = pickle.loads(pickle.dumps(translator))
    assert "Epistel" in again.translate(SENTENCE)
    assert again.text.inline


def test_the_folder_of_a_pickled_translator_is_gone(copy):
    data = pickle.dumps(Translator.load(copy))
    shutil.rmtree(copy)
    with pytest.raises(FormatError, match="there is no such folder"):
        pickle.loads(data)


# -- files that are damaged ------------------------------------------------------------------------


def used(folder: Path) -> None:
    translator = Translator.load(folder)
    translator.reply(SENTENCE, nbest=2)
    translator.inspect(SENTENCE)


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
                with pytest.raises(FormatError) as caught:
                    use(copy)
                want = os.fspath(copy if name == "manifest.json" and damaged is None else path)
                assert want in str(caught.value)
        path.write_bytes(data)
    Bundle.verify(copy)


def test_every_file_with_another_byte(copy):
    """Found by `verify`, by the name of the file; those who do not ask get no crash."""
    for name in files_of(copy):
        path = copy / name
        data = path.read_bytes()
        for place in {0, len(data) // 2, len(data) - 1} if data else ():
            damaged = bytearray(data)
            damaged[place] ^= 0x41
            path.write_bytes(damaged)
            with pytest.raises(FormatError) as caught:
                Bundle.verify(copy)
            assert os.fspath(path) in str(caught.value)
        path.write_bytes(data)
    Bundle.verify(copy)


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
    with pytest.raises(DamagedFileError, match="does not belong to the model") as caught:
        Bundle.verify(copy)
    assert os.fspath(copy / name) in str(caught.value)


def test_links_instead_of_files(copy, model, tmp_path):
    """A link is a file like any other if it leads to the same bytes."""
    (copy / "lm.rlm").unlink()
    (copy / "lm.rlm").symlink_to(model / "lm.rlm")
    Bundle.verify(copy)
    (copy / "lm.rlm").unlink()
    for nowhere in (tmp_path / "nowhere", copy / "lm.rlm"):
        (copy / "lm.rlm").symlink_to(nowhere)
        for use in (Bundle.open, Bundle.verify):
            with pytest.raises((FormatError, OSError), match=r"lm\.rlm"):
                use(copy)
        (copy / "lm.rlm").unlink()


def test_a_foreign_link(copy, tmp_path):
    (copy / "more").symlink_to(tmp_path / "nowhere")
    with pytest.raises((FormatError, OSError), match="more"):
        Bundle.verify(copy)


def test_a_foreign_link_to_a_folder(copy, tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "file").write_text("foreign")
    (copy / "more").symlink_to(tmp_path / "folder")
    with pytest.raises(FormatError, match="more"):
        Bundle.verify(copy)


def test_a_folder_instead_of_a_file(copy):
    (copy / "lm.rlm").unlink()
    (copy / "lm.rlm").mkdir()
    for use in (Bundle.open, Bundle.verify):
        with pytest.raises((FormatError, OSError), match=r"lm\.rlm"):
            use(copy)


def test_a_file_instead_of_a_folder(copy):
    shutil.rmtree(copy / "rules")
    (copy / "rules").write_text("")
    for use in (Bundle.open, Bundle.verify):
        with pytest.raises((FormatError, OSError), match="rules"):
            use(copy)


# -- what is no model ------------------------------------------------------------------------------


def test_what_is_no_model(tmp_path):
    for use in (Bundle.open, Bundle.verify, Translator.load):
        with pytest.raises(FormatError, match="there is no such folder"):
            use(tmp_path / "nowhere")
        (tmp_path / "file").write_text("")
        with pytest.raises(FormatError, match="it is no folder"):
            use(tmp_path / "file")
        with pytest.raises(FormatError, match=r"it has no manifest\.json"):
            use(tmp_path)


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "null", "3", "{}", '{"format": "rosewood-model"}', "\0\0", "[" * 100_000,
     '{"format": "rosewood corpus", "version": 1}', '{"format": "rosewood-model", "version": 1}'],
)  # fmt: skip
def test_a_manifest_that_is_none(copy, text):
    (copy / "manifest.json").write_text(text)
    for use in (Bundle.open, Bundle.verify):
        with pytest.raises(DamagedFileError, match=r"manifest\.json"):
            use(copy)


@pytest.mark.parametrize("version", [0, 2, "1", None, 1.5, [1], True])
def test_another_version(copy, version):
    rewritten(copy, lambda table: table.update(version=version))
    with pytest.raises(DamagedFileError, match="this release reads 1") as caught:
        Bundle.open(copy)
    assert repr(version) in str(caught.value)


FIELDS = [
    "rosewood", "decoder", "languages", "parts", "files", "features", "weights", "search",
    "unknown", "confidence", "settings", "seed", "stages", "corpus", "scores", "fallbacks",
]  # fmt: skip


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("value", [None, 17, "text", [], {}, [None], {"a": "b"}, 1.5, True])
def test_a_field_of_another_kind(copy, field, value):
    """Refused by the manifest's name, or of the kind it should be; never another error."""
    rewritten(copy, lambda table: table.update({field: value}))
    try:
        used(copy)
    except RosewoodError as error:
        assert "manifest.json" in str(error)  # noqa: PT017
    else:
        assert isinstance(value, type(json.loads(contents(copy)["manifest.json"])[field]))


@pytest.mark.parametrize("field", FIELDS)
def test_a_field_that_is_missing(copy, field):
    rewritten(copy, lambda table: table.pop(field))
    with pytest.raises(DamagedFileError, match=f"{field}.* missing") as caught:
        Bundle.open(copy)
    assert "manifest.json" in str(caught.value)


def test_every_field_is_under_the_checksum(copy):
    table = json.loads((copy / "manifest.json").read_bytes())
    assert {"format", "version", "crc32", *FIELDS} == set(table)
    changed = {
        "rosewood": "9.9", "decoder": "hiero", "languages": ["en", "fr"], "unknown": "drop",
        "confidence": Confidence(0.25).as_dict(), "seed": 2, "fallbacks": ["none"], "scores": [],
        "settings": {}, "stages": {}, "corpus": {},
    }  # fmt: skip
    for field, value in changed.items():
        rewritten(copy, lambda now, f=field, v=value: now.update({f: v}), with_checksum=False)
        with pytest.raises(DamagedFileError, match=r"manifest\.json"):
            Bundle.verify(copy)
        (copy / "manifest.json").write_text(json.dumps(table))
    Bundle.verify(copy)


@pytest.mark.parametrize(
    "weights",
    [{}, {"lm": "much"}, {"lm": None}, {"lm": True}, {"lm": 1e999}, {"lm": float("nan")},
     {"nothing": 1.0}],
)  # fmt: skip
def test_weights_that_are_none(copy, weights):
    def change(table):
        table["weights"] = {**table["weights"], **weights} if weights else {}

    rewritten(copy, change)
    with pytest.raises(RosewoodError, match=r"manifest\.json"):
        Translator.load(copy)


def test_features_of_another_model(copy):
    rewritten(copy, lambda table: table["features"].reverse())
    with pytest.raises(DamagedFileError, match="its features are not those"):
        Translator.load(copy)


@pytest.mark.parametrize(
    ("name", "value"),
    [("scale", 0.0), ("scale", -1.0), ("scale", float("inf")), ("slope", -0.5), ("slope", "1"),
     ("offset", float("nan")), ("unknown", None), ("unknown", 10**400), ("more", 1.0)],
)  # fmt: skip
def test_confidence_that_is_none(copy, name, value):
    rewritten(copy, lambda table: table["confidence"].update({name: value}))
    with pytest.raises(DamagedFileError, match=r"manifest\.json.*its confidence is damaged"):
        Bundle.open(copy)


@pytest.mark.parametrize("decoder", ["hiero", ""])
def test_a_decoder_that_there_is_not(copy, decoder):
    rewritten(copy, lambda table: table.update(decoder=decoder))
    with pytest.raises(DamagedFileError, match="decoder"):
        Translator.load(copy)


@pytest.mark.parametrize(
    "path",
    ["/etc/passwd", "../copy/lm.rlm", "rules/../lm.rlm", "", ".", "a\\b", "lm.rlm/", "C:\\x"],
)
def test_paths_that_lead_elsewhere(copy, path):
    def as_file(table):
        table["files"][path] = table["files"].pop("lm.rlm")
        table["parts"]["language_models"]["lm"] = path

    rewritten(copy, as_file)
    for use in (Bundle.open, Bundle.verify, Translator.load):
        with pytest.raises(FormatError, match=r"manifest\.json"):
            use(copy)


@pytest.mark.parametrize(
    ("part", "value"),
    [("rules", None), ("rules", "corpus"), ("rules", "nothing"), ("language_models", {}),
     ("language_models", {"lm": "source.json"}), ("language_models", {"lm": None}),
     ("language_models", {"phrase_fe": "lm.rlm"}), ("source_text", "lm.rlm"),
     ("source_text", None), ("corpus", "rules"), ("origins", "corpus"), ("more", "rules")],
)  # fmt: skip
def test_parts_that_are_something_else(copy, part, value):
    """Refused, with the name of what was wrong: nothing is guessed from it."""
    rewritten(copy, lambda table: table["parts"].update({part: value}))

    def verified_and_used() -> None:
        Bundle.verify(copy)
        used(copy)

    with pytest.raises((RosewoodError, OSError), match="copy"):
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
    with pytest.raises(DamagedFileError, match=r"manifest\.json"):
        Bundle.open(copy)


@pytest.mark.parametrize("part", ["corpus", "origins", "source_text", "guesses", "rules"])
@pytest.mark.parametrize("value", [0, False, "", [], {}])
def test_a_part_that_is_nothing(copy, part, value):
    rewritten(copy, lambda table: table["parts"].update({part: value}))
    with pytest.raises(DamagedFileError, match=r"manifest\.json"):
        Bundle.open(copy)


@pytest.mark.parametrize("side", ["source", "target"])
def test_words_of_the_corpus_that_are_no_text(copy, side):
    """Of the right size, so that it is opened; told by its name when the words are asked for."""
    file = copy / "corpus" / f"{side}.words"
    file.write_bytes(b"\xff" * file.stat().st_size)
    text = getattr(Bundle.open(copy).corpus, side)
    for ask in (lambda: text.words(0), lambda: text.types, lambda: text.part(3, 5).words(0)):
        with pytest.raises(DamagedFileError, match=rf"{side}\.words.* is not UTF-8"):
            ask()
    with pytest.raises(DamagedFileError, match=rf"{side}\.words"):
        Translator.load(copy).inspect(SENTENCE)


def test_sizes_that_are_none(copy):
    for entry in ({"bytes": 1}, {"bytes": "1", "crc32": 0}, None, [], {"bytes": True, "crc32": 1}):
        rewritten(copy, lambda table, e=entry: table["files"].update({"lm.rlm": e}))
        with pytest.raises(DamagedFileError, match=r"manifest\.json.*lm\.rlm"):
            Bundle.open(copy)
