"""`rosewood train`: options, the file of options, messages, and what is told at the end."""

from __future__ import annotations

import inspect
import json
from dataclasses import fields

import pytest
from tests.refusals import shows, warns
from tests.system.commands import command  # noqa: F401

from rosewood.cli import verb
from rosewood.corpus.phrasebook import Phrasebook
from rosewood.model import Bundle
from rosewood.pipeline import TrainingSettings, Translator, train
from rosewood.pipeline.file_settings import TrainingFiles
from rosewood.settings import settings_of

QUICK = ["--lm-order", "3", "--aligner", "model1", "--tune", "none", "--threads", "1"]


@pytest.fixture(scope="module")
def texts(tmp_path_factory):
    folder = tmp_path_factory.mktemp("texts")
    split = Phrasebook("en-de", seed=3).split(train=200, dev=20, test=20)
    for name in ("train", "dev", "test"):
        pairs = getattr(split, name)
        for side, ending in (("source", "en"), ("target", "de")):
            lines = "".join(f"{' '.join(getattr(pair, side))}\n" for pair in pairs)
            (folder / f"{name}.{ending}").write_text(lines, encoding="utf-8")
    return folder


@pytest.fixture
def place(tmp_path, texts, monkeypatch):
    for file in texts.iterdir():
        (tmp_path / file.name).symlink_to(file)
    monkeypatch.chdir(tmp_path)
    return tmp_path


FILES = ["--source", "train.en", "--target", "train.de"]


# -- options ---------------------------------------------------------------------------------------


FLAGS = {"features": "feature", "feature_set": "features"}  # of settings under other names


def options():
    return {each.name: each for each in verb("train").params}


def test_every_setting_is_an_option_with_its_default():
    known = options()
    for each in fields(TrainingSettings):
        if each.name == "keep_corpus":
            assert known["keep_corpus"].secondary_opts == ["--no-keep-corpus"]
            continue
        option = known[each.name]
        flag = FLAGS.get(each.name, each.name)
        assert option.opts == [f"--{flag.replace('_', '-')}"]
        default = getattr(TrainingSettings(), each.name)
        if isinstance(default, bool | dict) or each.name == "features":
            assert not option.default
        elif each.name != "dev_size":
            told = "none" if default is None else f"{default:g}" if default == 9 else str(default)
            told = ",".join(default) if isinstance(default, tuple) else told
            assert option.show_default == told, each.name
        assert option.help


def test_every_file_is_an_option():
    files = {each.name for each in settings_of(TrainingFiles)}
    more = set(inspect.signature(train).parameters)
    assert files | more - {"inputs", "settings", "told", "command", "on_finding"} <= set(options())


def test_what_is_typed_becomes_settings(command, place, monkeypatch):  # noqa: F811
    made = []

    def train(inputs, output, settings, **more):
        made.append(settings)
        raise KeyboardInterrupt

    monkeypatch.setattr("rosewood.pipeline.train", train)
    typed = ["--max-words", "none", "--max-ratio", "2.5", "--orientation", "none", "--tune", "mert",
             "--set", "restarts=3", "--no-keep-corpus"]  # fmt: skip
    for more in ([], typed):
        assert command("train", *FILES, "-o", "model", *more).code == 130
    assert made == [
        TrainingSettings(),
        TrainingSettings(
            max_words=None, max_ratio=2.5, orientation=None, tune="mert", set={"restarts": "3"},
            keep_corpus=False,
        ),
    ]  # fmt: skip
    done = command("train", *FILES, "-o", "model", "--max-words", "few")
    shows(done, "usage", "--max-words", "'few'", "none")
    assert len(made) == 2


@pytest.mark.parametrize(
    ("typed", "code", "shown"),
    [
        ([], "argument.missing", ["source and target", "corpus"]),
        (["--source", "train.en"], "argument.shape", ["source", "1", "target", "0"]),
        ([*FILES, "--dev", "dev.en", "missing"], "file.missing", ["missing: "]),
        ([*FILES, "--dev-reference", "dev.de"], "argument.missing", ["dev_reference", "dev"]),
        ([*FILES, "--aligner", "worst"], "usage", ["--aligner", "'worst'", "hmm"]),
        ([*FILES, "--tune", "guess"], "usage", ["--tune", "'guess'", "mira"]),
        ([*FILES, "--tune", "mira", "--set", "hope=1"], "argument.unknown", ["'hope'", "margin"]),
        ([*FILES, "--tune", "none", "--set", "c=1"], "argument.conflict", ["set", "tune"]),
        ([*FILES, "--set", "c"], "argument.value", ["--set c: "]),
        ([*FILES, "--metric", "taste"], "argument.unknown", ["metric 'taste'"]),
        ([*FILES, "--max-ratio", "much"], "usage", ["--max-ratio", "'much'", "none"]),
        ([*FILES, "--max-ratio", "0.5"], "usage", ["--max-ratio", "'0.5'", "from 1"]),
        ([*FILES, "--tokeniser", "knife"], "usage", ["--tokeniser", "'knife'", "moses"]),
        ([*FILES, "--unknown", "nonsense"], "usage", ["--unknown", "'nonsense'", "guess, copy"]),
        ([*FILES, "--pretokenized", "--lowercase"], "argument.conflict", ["lowercase"]),
        ([*FILES, "-l", "de"], "argument.value", ["languages is 'de'", "de:en"]),
        ([*FILES, "--dev", "dev.en", "dev.de", "--dev-size", "5"], "argument.conflict",
         ["dev_size"]),
        ([*FILES, "--on-bad-line", "guess"], "usage", ["--on-bad-line", "'guess'", "stop or skip"]),
        ([*FILES, "-o", "-"], "argument.value", ["--output -"]),
        ([*FILES, "--report", "-"], "argument.value", ["--report -"]),
        ([*FILES, "-o", "train.en"], "file.exists", ["train.en: "]),
        ([*FILES, "-o", "no/model"], "file.missing", ["no/model: "]),
        (["--source", "-", "--target", "train.de"], "file.kind", ["standard input (-)"]),
    ],
)  # fmt: skip
def test_one_clear_line_before_any_work(command, place, typed, code, shown):  # noqa: F811
    given = typed if "-o" in typed else [*typed, "-o", "model"]
    done = command("train", *given)
    shows(done, code, *shown)
    assert done.out == ""
    assert not (place / "model").exists()


def test_what_typer_refuses(command, place):  # noqa: F811
    for typed in (["--dev", "dev.en"], ["--rounds", "0"], ["--max-memory", "1K"], ["--sorce", "a"]):
        done = command("train", *FILES, "-o", "model", *typed)
        assert (done.code, typed[0] in done.err) == (2, True), done.err


# -- training --------------------------------------------------------------------------------------


@pytest.fixture
def trained(command, place):  # noqa: F811
    done = command(
        "train", *FILES, "--dev", "dev.en", "dev.de", "--test", "test.en", "test.de", "-o", "m",
        *QUICK, "--pretokenized",
    )  # fmt: skip
    assert done.code == 0, done.err
    return done


@pytest.mark.slow
def test_what_is_told_at_the_end(command, place, trained):  # noqa: F811
    lines = trained.out.splitlines()
    said = "200 to train on, 20 for development, 20 to test on, of 200"
    assert lines[0].split(maxsplit=1) == ["pairs", said]
    assert lines[1].startswith("rules")
    told = [line.split("  ")[0] for line in lines[2:]]
    assert told == ["BLEU, dev", "chrF2, dev", "BLEU, test", "chrF2, test", "model", "report",
                    "work"]  # fmt: skip
    assert "nrefs:1|case:mixed" in lines[2]
    warns(trained.err, "rosewood translate m < input > output")
    again = command("train", *FILES, "--dev", "dev.en", "dev.de", "--test", "test.en", "test.de",
                    "-o", "m", *QUICK, "--pretokenized", "--json", "-q")  # fmt: skip
    assert again.err == ""
    row = json.loads(again.out)
    assert (row["model"], row["report"], row["work"]) == ("m", "m.html", "m.work")
    assert row["pairs"] == {"seen": 200, "train": 200, "dev": 20, "test": 20}
    assert [stage["name"] for stage in row["stages"]] == [
        "clean", "tokenise", "align", "lm", "extract", "reordering", "tune", "report",
    ]  # fmt: skip
    assert all(stage["was_done"] for stage in row["stages"])
    assert {each["on"] for each in row["scores"]} == {"dev", "test"}
    done = command("translate", "m", "test.en", "-q")
    assert len(done.out.splitlines()) == 20


def test_a_file_of_options(command, place, trained):  # noqa: F811
    (place / "train.toml").write_text(
        'source = "train.en"\ntarget = ["train.de"]\ndev = ["dev.en", "dev.de"]\n'
        'test = ["test.en", "test.de"]\nlm-order = 4\naligner = "model1"\ntune = "none"\n'
        "pretokenized = true\nthreads = 1\noutput = 'm'\n"
    )
    done = command("train", "--config", "train.toml", "--lm-order", 3, "--json", "-q")
    assert done.code == 0, done.err
    assert all(stage["was_done"] for stage in json.loads(done.out)["stages"])  # what is typed wins
    (place / "bad.toml").write_text('dev = "dev.en"\n')
    done = command("train", *FILES, "-o", "m", "--config", "bad.toml")
    shows(done, "argument.value", "bad.toml: option 'dev'", exit_code=2)


@pytest.mark.slow
def test_the_same_from_python(place, trained):
    made = Translator.train(
        "train.en", "train.de", dev=("dev.en", "dev.de"), test=("test.en", "test.de"),
        output="python", lm_order=3, aligner="model1", tune="none", pretokenized=True,
    )  # fmt: skip
    ours, theirs = (Bundle.open(name).manifest for name in ("m", "python"))
    assert {**ours, "crc32": 0} == {**theirs, "crc32": 0}
    assert made.bundle.manifest == theirs


def test_stopped_by_somebody(command, place, monkeypatch):  # noqa: F811
    def stopped(*arguments, **more):
        raise KeyboardInterrupt

    monkeypatch.setattr("rosewood.pipeline.train", stopped)
    done = command("train", *FILES, "-o", "m/")
    assert done.code == 130
    assert "m.work" in done.err.splitlines()[0]
