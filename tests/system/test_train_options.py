"""Every option of `train`, `translate` and `inspect` comes to where the work is done."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.bundles import small_bundle
from tests.system.commands import command  # noqa: F401
from tests.training import QUICK, flags, write_book

from rosewood.cli import app, verb
from rosewood.errors import TrainingError
from rosewood.pipeline import TrainingSettings, Translator

FILES = ["--source", "train.en", "--target", "train.de"]


def options_of(name: str) -> set[str]:
    """The first name of each option, but for those of every command."""
    params = verb(name).params
    named = (each for each in params if each.opts[0].startswith("--"))
    known = {each.opts[0].replace("--no-", "--") for each in named}
    return known - {"--quiet", "--json", "--config", "--help"}


def first(rows: list[tuple[Any, ...]]) -> list[str]:
    """What tests are called after."""
    return [row[0] for row in rows]


def names_of(rows: list[tuple[Any, ...]]) -> set[str]:
    return {name.replace("--no-", "--") for name in first(rows)}


# -- train -----------------------------------------------------------------------------------------

# What is typed, what has it in the end, and its value there.
SETTINGS = [
    ("--pretokenized", [], True), ("--tokeniser", ["char"], "char"), ("--lowercase", [], True),
    ("--min-words", ["2"], 2), ("--max-words", ["31"], 31), ("--max-ratio", ["2.5"], 2.5),
    ("--deduplicate", [], True), ("--dev-size", ["7"], 7), ("--memory", ["on"], "on"),
    ("--aligner", ["hmm"], "hmm"),
    ("--symmetrization", ["union"], "union"), ("--lm-order", ["4"], 4), ("--max-phrase", ["6"], 6),
    ("--max-span", ["8"], 8),
    ("--smoothing", ["plain"], "plain"), ("--significance", ["a-e"], "a-e"),
    ("--orientation", ["word"], "word"), ("--classes", ["msd"], "msd"),
    ("--reordering", ["bayes"], ["bayes"]), ("--word-classes", ["9"], 9),
    ("--select", ["0.25"], 0.25), ("--reordering-set", ["window=3"], {"window": "3"}),
    ("--decoder", ["hiero"], "hiero"),
    ("--feature", ["rosewood.decode:TargetWords"], ["rosewood.decode:TargetWords"]),
    ("--features", ["large"], "large"), ("--feature-classes", ["7"], 7),
    ("--tune", ["pro"], "pro"),
    ("--set", ["margin=0.25"], {"margin": "0.25"}), ("--metric", ["chrf"], "chrf"),
    ("--rounds", ["9"], 9), ("--nbest", ["33"], 33), ("--seed", ["5"], 5),
    ("--on", ["forests"], "forests"), ("--forest-edges", ["55"], 55),
    ("--second-stage", ["ngrams"], "ngrams"), ("--second-set", ["l2=0.5"], {"l2": "0.5"}),
    ("--tune-on", ["train"], "train"), ("--tune-sentences", ["none"], None),
    ("--no-leave-one-out", [], False), ("--boost", [], True),
    ("--boost-set", ["leaves=3"], {"leaves": "3"}),
    ("--pop-limit", ["17"], 17),
    ("--distortion-limit", ["none"], None), ("--option-limit", ["8"], 8),
    ("--unknown", ["drop"], "drop"), ("--no-keep-corpus", [], False),
]  # fmt: skip
RUN = [
    ("--output", ["there"], "output", "there"), ("--work", ["w"], "work", "w"),
    ("--report", ["r.html"], "report", "r.html"), ("--overwrite", [], "overwrite", True),
    ("--strict", [], "strict", True),
    ("--threads", ["7"], "threads", 7), ("--max-memory", ["300M"], "max_memory", 300 << 20),
]  # fmt: skip
READ = [
    ("--source", ["train.en"], lambda inputs: inputs.train.files[0], "train.en"),
    ("--target", ["train.de"], lambda inputs: inputs.train.files[1], "train.de"),
    ("--corpus", ["c.tsv"], lambda inputs: inputs.train.files[2], "c.tsv"),
    ("--languages", ["fr:ja"], lambda inputs: inputs.languages, ("fr", "ja")),
    ("--format", ["tsv"], lambda inputs: inputs.facts()["format"], "tsv"),
    ("--on-bad-line", ["skip"], lambda inputs: inputs.facts()["on_bad_line"], "skip"),
    ("--line-words", ["77"], lambda inputs: "max_words=77," in inputs.facts()["checks"], True),
    ("--line-characters", ["99"],
     lambda inputs: "max_characters=99," in inputs.facts()["checks"], True),
    ("--dev", ["d.en", "d.de"], lambda inputs: inputs.dev.files, ["d.en", "d.de"]),
    ("--dev-corpus", ["d.tsv"], lambda inputs: inputs.dev.files, ["d.tsv"]),
    ("--dev-reference", ["e.de"], lambda inputs: inputs.dev.references, ("e.de",)),
    ("--test", ["t.en", "t.de"], lambda inputs: inputs.test.files, ["t.en", "t.de"]),
    ("--test-corpus", ["t.tsv"], lambda inputs: inputs.test.files, ["t.tsv"]),
    ("--test-reference", ["u.de"], lambda inputs: inputs.test.references, ("u.de",)),
    ("--monolingual", ["m.de"], lambda inputs: inputs.monolingual, ("m.de",)),
    ("--unlabelled", ["u.en"], lambda inputs: inputs.unlabelled, ("u.en",)),
]  # fmt: skip
WITH = {  # what else is typed
    "--format": ["--corpus", "train.en"],
    "--dev-reference": [*FILES, "--dev", "d.en", "d.de"],
    "--test-reference": [*FILES, "--test", "t.en", "t.de"],
}


@pytest.fixture
def typed(command, monkeypatch, tmp_path):  # noqa: F811
    """Runs `train` up to where the work would begin, and gives what it was to work on."""
    monkeypatch.chdir(tmp_path)
    for name in ("train.en", "train.de"):
        Path(name).write_text("a\n")

    def run(*arguments: str) -> SimpleNamespace:
        got = SimpleNamespace()

        def train(inputs, output, settings, **more):
            got.inputs, got.settings = inputs, settings
            got.run = {"output": output, **more}
            raise TrainingError("far enough")

        monkeypatch.setattr("rosewood.pipeline.train", train)
        done = command("train", *arguments)
        assert "far enough" in done.err, done.err
        return got

    return run


def test_the_tables_have_every_option():
    assert names_of([*SETTINGS, *RUN, *READ]) == options_of("train")


@pytest.mark.parametrize(("option", "values", "wanted"), SETTINGS, ids=first(SETTINGS))
def test_settings_of_a_training(typed, option, values, wanted):
    """That setting is what was typed, and no other is changed."""
    got = typed(*FILES, "-o", "model", option, *values).settings.to_dict()
    name = option.removeprefix("--").removeprefix("no-").replace("-", "_")
    name = {"feature": "features", "features": "feature_set"}.get(name, name)
    assert got.pop(name) == wanted
    usual = TrainingSettings().to_dict()
    assert usual.pop(name) != wanted
    assert got == usual


@pytest.mark.parametrize(("option", "values", "name", "wanted"), RUN, ids=first(RUN))
def test_how_a_training_is_run(typed, option, values, name, wanted):
    output = [] if name == "output" else ["-o", "model"]
    usual = {"output": "model", "work": None, "report": None, "overwrite": False, "strict": False}
    got = typed(*FILES, *output, option, *values)
    assert got.run[name] == wanted
    assert {each: got.run[each] for each in usual if each != name} == {
        each: value for each, value in usual.items() if each != name
    }
    assert got.settings == TrainingSettings()


@pytest.mark.parametrize(("option", "values", "look", "wanted"), READ, ids=first(READ))
def test_what_a_training_reads(typed, option, values, look, wanted):
    given = [] if option in FILES else [option, *values]
    assert look(typed(*WITH.get(option, FILES), *given, "-o", "model").inputs) == wanted


# -- translate and inspect -------------------------------------------------------------------------

LIMITS = [
    ("--search", "full", "search", "full"), ("--pop-limit", "17", "pop_limit", 17),
    ("--stack-size", "9", "stack_size", 9), ("--beam", "0.25", "beam", 0.25),
    ("--distortion-limit", "4", "distortion_limit", 4), ("--option-limit", "3", "option_limit", 3),
    ("--max-phrase", "2", "max_phrase", 2), ("--max-pops", "1234", "max_pops", 1234),
    ("--time-limit", "2.5", "time_limit", 2.5), ("--boundary-words", "3", "boundary_words", 3),
]  # fmt: skip
READING = [
    ("--line-words", "77", "line_words", 77),
    ("--line-characters", "99", "line_characters", 99),
    ("--on-bad-line", "skip", "on_bad_line", "skip"),
]


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return small_bundle(tmp_path_factory.mktemp("options") / "model").folder


@pytest.fixture
def translating(command, monkeypatch, model):  # noqa: F811
    """Runs `translate` up to where the work would begin."""

    def run(*arguments: str) -> SimpleNamespace:
        got = SimpleNamespace()

        def translate_all(translator, reading, options, confidence, **more):
            got.limits, got.options, got.run = asdict(translator.decoder.settings), options, more

        monkeypatch.setattr("rosewood.cli.decoding.translate_all", translate_all)
        done = command("translate", model, *arguments)
        assert done.code == 0, done.err
        return got

    return run


def test_limits_and_reading_are_all_there():
    """What else `translate` has decides what is written, which is tested where that is."""
    assert names_of([*LIMITS, *READING]) <= options_of("translate")
    assert names_of(LIMITS) <= options_of("inspect")
    phrases, gaps = (TrainingSettings(decoder=kind).search(6) for kind in ("phrase", "hiero"))
    assert {f"--{name.replace('_', '-')}" for name in asdict(phrases)} == names_of(LIMITS)
    others = {f"--{name.replace('_', '-')}" for name in asdict(gaps)}
    assert others <= options_of("inspect") & options_of("translate") & options_of("decode")


@pytest.mark.parametrize(("option", "value", "name", "wanted"), LIMITS)
def test_limits_of_a_search(translating, model, option, value, name, wanted):
    usual = asdict(Translator.load(model).decoder.settings)
    assert usual[name] != wanted
    assert translating(option, value).limits == {**usual, name: wanted}


@pytest.mark.parametrize(("option", "value", "name", "wanted"), READING)
def test_which_lines_are_read(translating, option, value, name, wanted):
    usual = translating().options
    got = translating(option, value).options
    assert asdict(got) == {**asdict(usual), name: wanted}
    assert (usual.line_words, usual.line_characters) == (10_000, 100_000)


def test_threads_of_a_translation(translating):
    assert translating("--threads", "7").run["threads"] == 7


@pytest.mark.parametrize(("option", "value", "name", "wanted"), LIMITS)
def test_limits_of_an_inspection(command, monkeypatch, model, option, value, name, wanted):  # noqa: F811
    got = {}

    def inspect(translator, text, then=Translator.inspect, **more):
        got.update(asdict(translator.decoder.settings))
        return then(translator, text, **more)

    monkeypatch.setattr(Translator, "inspect", inspect)
    usual = asdict(Translator.load(model).decoder.settings)
    assert command("inspect", model, "das haus", option, value).code == 0
    assert got == {**usual, name: wanted}


# -- what became of the model ----------------------------------------------------------------------


@pytest.mark.slow
def test_it_is_told_what_became_of_the_model(command, tmp_path, monkeypatch):  # noqa: F811
    monkeypatch.chdir(write_book(tmp_path / "book", train=60))
    quick = flags({**QUICK, "tune": "none", "set": {}})
    train = ["train", *FILES, *quick, "--threads", "1", "-o", "model"]
    told = [
        command(*train, *more).err
        for more in ([], [], ["--unknown", "drop"], ["--unknown", "drop", "-q"])
    ]
    same, other = "model: it has not changed", "model: the existing model was replaced"
    assert [(same in text, other in text) for text in told] == [
        (False, False), (True, False), (False, True), (True, False),
    ]  # fmt: skip


def test_pairs_that_were_left_out_are_not_counted(tmp_path, capsys, monkeypatch):
    """What is said to be trained on is what the model was trained on."""
    place = write_book(tmp_path, train=60)
    for end in ("en", "de"):
        path = place / f"train.{end}"
        path.write_text("word " * 30 + "\n" + path.read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.chdir(place)
    typed = flags({**QUICK, "tune": "none", "set": {}, "max_words": 29, "dev_size": 5})
    files = ["--source", "train.en", "--target", "train.de", "-o", "model", "--json", "-q"]
    app(["train", *files, *typed], standalone_mode=False)
    pairs = json.loads(capsys.readouterr().out)["pairs"]
    manifest = json.loads((place / "model" / "manifest.json").read_bytes())
    assert pairs["train"] == manifest["corpus"]["pairs"] < pairs["seen"] - pairs["dev"]
