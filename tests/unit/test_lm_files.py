"""Files of language models: what is written, what is refused, and that damage is always found."""

from __future__ import annotations

import json
import zlib
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from tests.ngrams import SPECIAL, random_model, table_of, written
from tests.reference.lm import BackoffModel
from tests.refusals import refuses

from rosewood import _core
from rosewood.errors import DamagedFileError, LanguageModelError, RosewoodError
from rosewood.lm import Model, Words, estimate, files, read_table, verify_model, write_model

WAYS = [{"layout": "fast"}, {"layout": "small"}, {"layout": "small", "quantise": 3}]
each_way = pytest.mark.parametrize("how", WAYS, ids=str)


@pytest.fixture(scope="module")
def reference() -> BackoffModel:
    return random_model(2, words=6, order=3, ngrams=8)


@each_way
def test_what_was_written_is_whole(how, reference, tmp_path):
    model = written(reference, tmp_path / "lm", **how, facts={"discounts": [0.5], "wörd": None})
    verify_model(tmp_path / "lm")
    assert model.facts == {"discounts": [0.5], "wörd": None}
    assert [path.name for path in tmp_path.iterdir()] == ["lm"]


def asked(model: Model) -> None:
    """Everything that reads n-grams; errors on purpose are fine."""
    texts = ["wörd3 wörd4 wörd5", "strange wörd3 wörd5 wörd4 wörd4"]
    model.score_batch(texts)
    model.words(texts[0])
    model.distribution("wörd3 wörd4")
    model.sample(2, max_words=3)
    list(model.vocabulary)


@pytest.mark.slow
@each_way
def test_every_changed_byte_is_found(how, reference, tmp_path):
    path = tmp_path / "lm"
    written(reference, path, **how)
    good = bytearray(path.read_bytes())
    for place in range(len(good)):
        changed = bytearray(good)
        changed[place] ^= 1 << place % 8
        path.write_bytes(changed)
        with pytest.raises(DamagedFileError) as told:
            verify_model(path)
        assert told.value.file == str(path)
        code = "file.kind" if place < 8 else "file.version" if place < 12 else "file.damaged"
        is_part = place >= 64 and told.value.code == "file.changed"  # its checksum
        assert told.value.code == ("file.changed" if is_part else code)
        with suppress(RosewoodError):
            asked(Model.open(path))


@each_way
def test_wild_bytes_lead_nowhere(how, reference, tmp_path):
    """Parts full of nonsense: whatever is read from them is no reason to leave the file."""
    path = tmp_path / "lm"
    written(reference, path, **how)
    good, parts = path.read_bytes(), files.open_file(path).contents["parts"].values()
    random = np.random.default_rng(1)
    for round in range(200):
        wild = np.frombuffer(good, np.uint8).copy()
        for part in parts:
            inside = slice(part["place"], part["place"] + part["bytes"])
            if random.random() < 0.5:
                wild[inside] = (
                    round if round in (0, 255) else random.integers(256, size=part["bytes"])
                )
        with suppress(RosewoodError):  # not mapped: sanitizers watch the ends of these bytes
            asked(Model(files.file_of(path, np.frombuffer(wild.tobytes(), np.uint8))))


@each_way
def test_truncated_files(how, reference, tmp_path):
    path = tmp_path / "lm"
    written(reference, path, **how)
    good = path.read_bytes()
    for size in [*range(0, len(good), 97), len(good) - 1]:
        path.write_bytes(good[:size])
        code, what = ("file.damaged", "bytes") if size else ("file.empty", None)
        with refuses(DamagedFileError, code, argument="head" if 0 < size < 64 else what):
            Model.open(path)
    path.write_bytes(good + b"\0")
    with refuses(DamagedFileError, "file.damaged", argument="bytes", file=str(path)):
        Model.open(path)


def test_files_of_another_kind(tmp_path):
    path = tmp_path / "lm"
    path.write_text("\\data\\\nngram 1=3\n" * 20)
    with refuses(DamagedFileError, "file.kind", file=str(path)):
        Model.open(path)
    with pytest.raises(FileNotFoundError):
        Model.open(tmp_path / "nothing")
    head = files.HEAD.pack(b"RWLMODEL", 9, 0, 64, 0)
    path.write_bytes(head.ljust(64, b"\0"))
    with refuses(DamagedFileError, "file.version", value=9, expected=1, file=str(path)):
        Model.open(path)


@pytest.mark.parametrize(
    ("change", "argument"),
    [
        ({"counts": []}, "counts"), ({"counts": [6, 2**63, 3]}, "hashes"),
        ({"counts": [6, -1, 3]}, "contents"), ({"counts": "abc"}, "contents"),
        ({"seed": "x"}, "contents"), ({"layout": "small"}, "bytes"), ({"quantised": 99}, None),
        ({"parts": {}}, "parts"), ({"parts": {"words": {"place": 10**9, "bytes": 1}}}, "place"),
        ({"parts": {"words": {"place": 2**64, "bytes": 1}}}, "contents"),
        ({"parts": 3}, "contents"),
    ],
    ids=str,
)  # fmt: skip
def test_contents_that_lie(change, argument, reference, tmp_path):
    """With a good checksum, as a program would write them that means harm."""
    path = tmp_path / "lm"
    written(reference, path)
    contents = files.open_file(path).contents | change
    text = json.dumps(contents).encode()
    data = bytearray(path.read_bytes()[: files.HEAD.unpack_from(path.read_bytes())[3]])
    data[:64] = files.head_of(zlib.crc32(text), len(data), len(text))
    path.write_bytes(data + text)
    if "quantised" in change:
        assert Model.open(path).layout == "fast"  # which has no use for it
    else:
        with refuses(DamagedFileError, "file.damaged", argument=argument, file=str(path)):
            Model.open(path)


@pytest.mark.parametrize("bits", [None, 4])
def test_n_grams_come_back_from_a_small_model(bits, reference, tmp_path):
    table = table_of(reference)
    write_model(tmp_path / "lm", table, Words.of(reference.words), layout="small", quantise=bits)
    again, words, facts = read_table(tmp_path / "lm")
    assert (words.list(), facts, again.order) == (reference.words, {}, table.order)
    for n in range(1, table.order + 1):
        have, want = again.columns(n), table.columns(n)
        assert have[0].tolist() == want[0].tolist()
        assert have[1].tolist() == want[1].tolist()
        assert np.signbit(have[3]).tolist() == np.signbit(want[3]).tolist()
        if bits is None or n == 1:
            assert have[2].tolist() == want[2].tolist()
            assert have[3].tolist() == want[3].tolist()
    # Written once more, it is the same file.
    write_model(tmp_path / "again", again, words, layout="small", quantise=bits)
    assert (tmp_path / "again").read_bytes() == (tmp_path / "lm").read_bytes()


def test_n_grams_do_not_come_back_from_a_fast_model(reference, tmp_path):
    written(reference, tmp_path / "lm")
    with refuses(LanguageModelError, "lm.fast-layout", value="fast", expected="small"):
        read_table(tmp_path / "lm")


def test_equal_hashes_are_tried_again_with_another_seed(reference, tmp_path):
    seeds = []

    class Unlucky:
        """The first two seeds give equal hashes in the last part."""

        def __init__(self, *arguments):
            seeds.append(arguments[5])
            self.writer = _core.ModelWriter(*arguments)
            self.parts = self.writer.parts

        def write(self, part, take):
            is_good = self.writer.write(part, take)
            return is_good and not (part == self.parts[-1] and len(seeds) < 3)

    model = written(reference, tmp_path / "lm", make_writer=Unlucky)
    assert seeds == [0, 1, 2]
    verify_model(tmp_path / "lm")
    assert model.words("wörd3 wörd4") == written(reference, tmp_path / "other").words("wörd3 wörd4")


def test_what_cannot_be_written(reference, tmp_path):
    table, words = table_of(reference), Words.of(reference.words)
    for name, value, fault in [
        ("layout", "large", "choice"),
        ("quantise", 8, "conflict"),
        ("facts", {"a": float("nan")}, "value"),
        ("facts", {"a": object()}, "value"),
    ]:
        with refuses(LanguageModelError, f"argument.{fault}", argument=name, value=value):
            write_model(tmp_path / "lm", table, words, **{name: value})
    with refuses(LanguageModelError, "argument.range", argument="quantise", value=17):
        write_model(tmp_path / "lm", table, words, layout="small", quantise=17)
    for wrong in ("threads", "max_memory"):
        with refuses(LanguageModelError, "argument.range", argument=wrong, value=0):
            write_model(tmp_path / "lm", table, words, **{wrong: 0})
    with refuses(LanguageModelError, "argument.shape", argument="words"):
        write_model(tmp_path / "lm", table, Words.of(SPECIAL))
    with refuses(LanguageModelError, "argument.duplicate", argument="words"):
        write_model(tmp_path / "lm", table, Words.of([*reference.words[:5], "wörd3"]))
    with refuses(LanguageModelError, "file.damaged"):
        write_model(tmp_path / "lm", table, Words.of(reversed(reference.words)))
    with refuses(LanguageModelError, "argument.shape", argument="words"):
        write_model(tmp_path / "lm", _core.NgramTable(), words)
    with refuses(LanguageModelError, "file.kind", file="/dev/null"):
        write_model("/dev/null", table, words)
    assert list(tmp_path.iterdir()) == []


def table(*orders: tuple[list[int], list[int], list[float], list[float]]) -> _core.NgramTable:
    made = _core.NgramTable()
    for word, children, probability, backoff in orders:
        made.add_order(
            np.array(word, np.uint32),
            np.array(children, np.uint32),
            np.array(probability, np.float32),
            np.array(backoff, np.float32),
        )
    return made


@pytest.mark.parametrize(
    ("orders", "code"),
    [
        ([([0, 1, 2], [], [-1, 0, 0.5], [])], "lm.probability"),
        ([([0, 1, 2], [], [-1, 0, np.nan], [])], "lm.probability"),
        ([([0, 2, 1], [], [-1, 0, -1], [])], "lm.ngram-order"),
        ([([0, 1, 2], [], [-1, 0], [])], "argument.shape"),
        ([([0, 1, 2], [0, 0, 2], [-1] * 3, [0] * 3), ([0], [], [-1], [])], "lm.ngrams"),
        ([([0, 1, 2], [0, 0, 0], [-1] * 3, [0] * 3), ([0], [], [-1], [])], "lm.ngrams"),
        ([([0, 1, 2], [0, 0, 2], [-1] * 3, [0] * 3), ([1, 0], [], [-1] * 2, [])], "lm.ngram-order"),
        ([([0, 1, 2], [0, 0, 1], [-1] * 3, [0] * 3), ([3], [], [-1], [])], "lm.ngram-order"),
        ([([0, 1, 2], [0, 0, 1], [-1] * 3, [0, np.inf, 0]), ([1], [], [-1], [])], "lm.backoff"),
    ],
)
@pytest.mark.parametrize("layout", ["fast", "small"])
def test_tables_that_are_none(layout, orders, code, tmp_path):
    with refuses(LanguageModelError, code):
        write_model(tmp_path / "lm", table(*orders), Words.of(SPECIAL), layout=layout)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("name", "tolerance"), [("fast", 1e-6), ("small", 1e-6), ("4bits", 0.5)])
def test_files_of_version_1_are_read(name, tolerance):
    """Written by the first release; models of users must not get lost."""
    golden = Path(__file__).parents[1] / "golden" / "lm"
    path = golden / f"model-1-{name}.rlm"
    verify_model(path)
    model = Model.open(path)
    lines = (golden / "phrasebook.en").read_text().splitlines()[:80]
    want = estimate(lines, 3)
    assert model.facts["discounts"] == want.facts["discounts"]
    assert list(model.vocabulary) == want.words.list()
    for ngram in want.ngrams(3):
        *context, last = ngram.words
        p = model.distribution(context)[model.vocabulary.id(last)]
        assert abs(np.log10(p) - ngram.log10) < tolerance
