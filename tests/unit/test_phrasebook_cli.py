"""`rosewood phrasebook`."""

from __future__ import annotations

import os

import pytest
from tests.refusals import shows, warns
from tests.system.commands import command  # noqa: F401

from rosewood.corpus.phrasebook import Phrasebook

FILES = {f"{part}.{end}" for part in ("train", "dev", "test") for end in ("en", "de", "gold")}


def lines(path):
    return path.read_bytes().decode().removesuffix("\n").split("\n")


def test_files_are_what_python_gives(command, tmp_path):  # noqa: F811
    folder = tmp_path / "new" / "book"
    asked = ("--pairs", 200, "--dev", 20, "--test", 10, "--seed", 5)
    done = command("phrasebook", "en-de", "-o", folder, *asked)
    assert (done.code, done.out) == (0, "")
    warns(done.err, 200, "train", 20, "dev", 10, "test")
    assert {path.name for path in folder.iterdir()} == FILES
    parts = Phrasebook("en-de", seed=5).split(200, 20, 10)
    for part, pairs in parts._asdict().items():
        assert lines(folder / f"{part}.en") == [" ".join(pair.source) for pair in pairs]
        assert lines(folder / f"{part}.de") == [" ".join(pair.target) for pair in pairs]
        assert lines(folder / f"{part}.gold") == [pair.gold() for pair in pairs]


def test_raw_text_in_the_other_direction(command, tmp_path):  # noqa: F811
    asked = ("--pairs", 50, "--raw", "--reverse", "--noise", 0, "--quiet")
    done = command("phrasebook", "en-ja", "-o", tmp_path, *asked)
    assert done == (0, "", "")
    assert {path.name for path in tmp_path.iterdir()} == {"train.en", "train.ja", "train.gold"}
    pairs = list(Phrasebook("en-ja", seed=1, noise=0, reverse=True).pairs(50))
    assert lines(tmp_path / "train.ja") == [pair.raw()[0] for pair in pairs]
    assert lines(tmp_path / "train.en") == [pair.raw()[1] for pair in pairs]


def test_show(command):  # noqa: F811
    done = command("phrasebook", "en-de", "--show", 5, "--noise", 0)
    assert done.code == 0
    for pair in Phrasebook("en-de", seed=1, noise=0).pairs(5):
        source, target = pair.raw()
        assert source in done.out
        assert target in done.out
    assert len(done.out.rstrip().split("\n\n")) == 5


@pytest.mark.parametrize(
    ("arguments", "code", "field"),
    [
        (("en-fr", "--show", 3), "argument.unknown", "'en-fr'"),
        (("en-de",), "argument.missing", "-o"),
        (("en-de", "--show", 3, "-o", "x"), "argument.conflict", "--show"),
        (("en-de", "-o", "x", "--pairs", 0), "argument.missing", "--pairs"),
    ],
)
def test_nonsense_is_refused(command, arguments, code, field):  # noqa: F811
    done = command("phrasebook", *arguments)
    shows(done, code, field)
    assert done.err.count("\n") == 1


def test_bad_numbers_are_refused(command):  # noqa: F811
    for option, value in (("--noise", 2), ("--pairs", -1), ("--unseen", 0.9), ("--seed", -1)):
        assert command("phrasebook", "en-de", "-o", "x", option, value).code == 2


def test_places_that_cannot_be_written_are_refused_before_work(command, tmp_path):  # noqa: F811
    file = tmp_path / "file"
    file.write_text("precious")
    for place in (file, file / "below"):
        done = command("phrasebook", "en-de", "-o", place, "--pairs", 10**9)
        shows(done, "file.kind", file)
    assert file.read_text() == "precious"
    if os.geteuid():
        closed = tmp_path / "closed"
        closed.mkdir(mode=0o500)
        done = command("phrasebook", "en-de", "-o", closed, "--pairs", 10**9)
        shows(done, "file.access", closed)
