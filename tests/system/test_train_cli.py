"""`rosewood train`: options, the file of options, messages, and what is told at the end."""

from __future__ import annotations

import json
from dataclasses import fields

import pytest
from rosewood.cli.training import settings_of
from tests.system.commands import _built, command  # noqa: F401

from rosewood.corpus.phrasebook import Phrasebook
from rosewood.errors import TrainingError
from rosewood.model import Bundle
from rosewood.pipeline import TrainingSettings, Translator

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


def options():
    return {each.name: each for each in _built().commands["train"].params}


def test_every_setting_is_an_option_with_its_default():
    known = options()
    for each in fields(TrainingSettings):
        if each.name == "keep_corpus":
            assert known["keep_corpus"].secondary_opts == ["--no-keep-corpus"]
            continue
        option = known[each.name]
        flag = {"features": "feature"}.get(each.name, each.name)  # which may be repeated
        assert option.opts == [f"--{flag.replace('_', '-')}"]
        default = getattr(TrainingSettings(), each.name)
        if each.name in ("set", "features") or isinstance(default, bool):
            assert not option.default
        elif each.name != "dev_size":
            told = "none" if default is None else f"{default:g}" if default == 9 else str(default)
            assert option.show_default == told, each.name
        assert option.help


def test_every_file_is_an_option():
    import inspect

    from rosewood.pipeline import TrainingInputs, train

    for kind in (TrainingInputs, train):
        for name in inspect.signature(kind).parameters:
            if name in ("inputs", "settings", "told", "command", "checks"):
                continue
            assert name in options(), name


def test_what_is_typed_becomes_settings():
    assert settings_of({"tune": None}) == TrainingSettings()
    typed = {"max_words": "none", "max_ratio": "2.5", "orientation": "none", "tune": "mert",
             "set": {"restarts": "3"}, "keep_corpus": False}  # fmt: skip
    made = settings_of(typed)
    assert (made.max_words, made.max_ratio, made.orientation) == (None, 2.5, None)
    assert (made.tune, made.keep_corpus) == ("mert", False)
    with pytest.raises(TrainingError, match="--max-words few: want a number or none"):
        settings_of({"max_words": "few"})


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ([], "there is nothing to train on: want source and target, or corpus"),
        (["--source", "train.en"], "there are 1 files of sources, but 0 of targets"),
        ([*FILES, "--dev", "dev.en", "missing"], "missing: No such file or directory"),
        ([*FILES, "--dev-reference", "dev.de"], "dev_reference is given, but no dev"),
        ([*FILES, "--aligner", "worst"], "there is no model 'worst'"),
        ([*FILES, "--tune", "guess"], "there is no learner 'guess'"),
        ([*FILES, "--tune", "mira", "--set", "hope=1"], "hope"),
        ([*FILES, "--tune", "none", "--set", "c=1"], "settings of a learner, but tune is none"),
        ([*FILES, "--set", "c"], "--set c: want name=value"),
        ([*FILES, "--metric", "taste"], "taste"),
        ([*FILES, "--max-ratio", "much"], "--max-ratio much: want a number or none"),
        ([*FILES, "--max-ratio", "0.5"], "max_ratio is 0.5, want a number from 1 on"),
        ([*FILES, "--tokeniser", "knife"], "tokeniser 'knife'"),
        ([*FILES, "--unknown", "nonsense"], "unknown is 'nonsense', want guess, copy or drop"),
        ([*FILES, "--pretokenized", "--lowercase"], "lowercase them before"),
        ([*FILES, "-l", "de"], "want two of them, as in de:en"),
        ([*FILES, "--dev", "dev.en", "dev.de", "--dev-size", "5"], "dev_size would split off"),
        ([*FILES, "--on-bad-line", "guess"], "guess"),
        ([*FILES, "-o", "-"], "a model is a folder"),
        ([*FILES, "--report", "-"], "a model is a folder"),
        ([*FILES, "-o", "train.en"], "train.en: it is there already"),
        ([*FILES, "-o", "no/model"], "there is no folder"),
        (["--source", "-", "--target", "train.de"], "- cannot be one"),
    ],
)
def test_one_clear_line_before_any_work(command, place, typed, told):  # noqa: F811
    given = typed if "-o" in typed else [*typed, "-o", "model"]
    done = command("train", *given)
    assert (done.code, done.out) == (1, ""), done.err
    assert told in done.err
    assert len(done.err.splitlines()) == 1
    assert not (place / "model").exists()


def test_what_typer_refuses(command, place):  # noqa: F811
    for typed in (["--dev", "dev.en"], ["--rounds", "0"], ["--max-memory", "1K"], ["--sorce", "a"]):
        done = command("train", *FILES, "-o", "model", *typed)
        assert done.code == 2, typed


# -- training --------------------------------------------------------------------------------------


@pytest.fixture
def trained(command, place):  # noqa: F811
    done = command(
        "train", *FILES, "--dev", "dev.en", "dev.de", "--test", "test.en", "test.de", "-o", "m",
        *QUICK, "--pretokenized",
    )  # fmt: skip
    assert done.code == 0, done.err
    return done


def test_what_is_told_at_the_end(command, place, trained):  # noqa: F811
    lines = trained.out.splitlines()
    said = "200 to train on, 20 for development, 20 to test on, of 200"
    assert lines[0].split(maxsplit=1) == ["pairs", said]
    assert lines[1].startswith("rules")
    told = [line.split("  ")[0] for line in lines[2:]]
    assert told == ["BLEU, dev", "chrF2, dev", "BLEU, test", "chrF2, test", "model", "report",
                    "work"]  # fmt: skip
    assert "nrefs:1|case:mixed" in lines[2]
    assert "next: rosewood translate m < input > output" in trained.err
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
    assert (done.code, "bad.toml: option 'dev'" in done.err) == (1, True)


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
    assert "the same command goes on from m.work" in done.err
