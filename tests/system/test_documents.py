"""The code in the documents runs, and says what the documents say."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from rosewood.align.models import MODELS
from rosewood.align.symmetrization import SYMMETRIZATIONS
from rosewood.cli import verb as command_of
from rosewood.corpus.phrasebook import Phrasebook
from rosewood.corpus.text.tokenisers import TOKENISERS
from rosewood.decode import HieroSettings, SearchSettings
from rosewood.model import Bundle
from rosewood.pipeline import TrainingInputs, TrainingSettings, train
from rosewood.plugins import registries
from rosewood.rerank import read_candidates
from rosewood.rules.settings import CLASSES, KINDS, SMOOTHINGS

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("page", "least"),
    [
        ("docs/forests.md", 3),
        ("docs/formats.md", 1),
        ("docs/text.md", 4),
        ("docs/documents.md", 1),
        ("docs/word-classes.md", 1),
        ("docs/tuning.md", 4),
        ("docs/oscar.md", 3),
        ("docs/corpora.md", 4),
        ("docs/alignment.md", 5),
        ("docs/phrasebook.md", 1),
        ("docs/language-models.md", 5),
        ("docs/rules.md", 7),
        ("docs/reordering.md", 3),
        ("docs/decoding.md", 15),
        ("docs/training.md", 5),
        ("docs/memory.md", 2),
    ],
)
def test_code_runs(page, least, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # some of it writes files
    blocks = BLOCK.findall((ROOT / page).read_text(encoding="utf-8"))
    assert len(blocks) >= least
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, page, "exec"), names)


@pytest.mark.slow
@pytest.mark.longest
def test_what_the_readme_says(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = BLOCK.findall((ROOT / "README.md").read_text(encoding="utf-8"))
    assert len(blocks) == 4
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, "README.md", "exec"), names)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].endswith("station?")
    confidence, _, rest = lines[1].partition(" ")
    assert 0 < float(confidence) < 1
    assert lines[0] in rest  # the best of the alternatives
    assert any(re.match(r"  train\.de:\d+$", line) for line in lines)  # where a rule is from
    assert sum(line.startswith("Reranking helps here: BLEU +") for line in lines) == 1
    lines = lines[lines.index("2") :]
    assert lines == [
        *("2", "a cat on the mat"),
        *("-5.50 a cat on the mat", "-6.00 a cat of the mat"),
    ]


@pytest.mark.parametrize("kind", ["jsonl", "moses", "tsv"])
def test_candidates_in_the_documents_are_read(kind):
    text = (ROOT / "docs/formats.md").read_text(encoding="utf-8")
    (block,) = re.findall(rf"^```{kind}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    first, second = read_candidates(block.splitlines())
    assert (first.id, first.texts) == ("0", ("the house", "a house"))
    assert first.features(1)["rule:ein"] == 1
    assert second.texts == ("yes",)


def test_links_lead_somewhere():
    for page in (
        ROOT / "README.md",
        ROOT / "ARCHITECTURE.md",
        ROOT / "examples" / "README.md",
        *sorted((ROOT / "docs").glob("*.md")),
    ):
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
            if "://" not in target:
                assert (page.parent / target).exists(), f"{page.name}: {target}"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("page", "verbs"),
    [
        ("docs/tuning.md", ["tune", "rerank", "evaluate", "sweep"]),
        ("docs/rules.md", ["extract", "rules", "phrasebook", "align"]),
        (
            "docs/decoding.md",
            [
                *("decode", "phrasebook", "align", "extract", "lm", "tune", "evaluate"),
                *("text", "forest", "train"),
            ],
        ),
        ("docs/word-classes.md", ["cluster"]),
        ("docs/documents.md", ["translate"]),
        ("docs/training.md", ["train", "translate", "inspect", "model", "evaluate", "tune"]),
    ],
)
def test_options_of_guides_are_there(page, verbs):
    guide = (ROOT / page).read_text(encoding="utf-8")
    known = {"--help", "--per-source", *(option for verb in verbs for option in _options(verb))}
    for option in re.findall(r"(?<![\w-])--[a-z][a-z-]+", guide):
        assert option in known, option


@pytest.mark.slow
@pytest.mark.parametrize(
    ("page", "verb"),
    [
        ("docs/rules.md", "extract"),
        ("docs/decoding.md", "decode"),
        ("docs/word-classes.md", "cluster"),
        *(("docs/training.md", verb) for verb in ("train", "translate", "inspect", "model")),
    ],
)
def test_guides_name_every_option(page, verb):
    guide = (ROOT / page).read_text(encoding="utf-8")
    shared = {*_options("align"), "--work", "--json"}  # those are told elsewhere
    for option in set(_options(verb)) - shared:
        assert option in guide or not option.startswith("--"), option


FLAGS = {"keep-corpus": "no-keep-corpus", "features": "feature", "feature-set": "features"}


@pytest.mark.slow
def test_training_can_be_told_what_the_guide_says():
    guide = (ROOT / "docs/training.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^```toml\n(.*?)^```$", guide, re.MULTILINE | re.DOTALL)
    for name in tomllib.loads(block):
        assert f"--{name}" in _options("train")
    for option in set(_options("train")) & set(_options("align")):
        assert option in guide or not option.startswith("--"), option  # named here, too
    for setting in fields(TrainingSettings):
        name = setting.name.replace("_", "-")
        name = FLAGS.get(name, name)
        assert f"--{name}" in guide


@pytest.mark.parametrize(
    ("option", "names"),
    [
        ("tokeniser", TOKENISERS),
        ("aligner", MODELS),
        ("symmetrization", SYMMETRIZATIONS),
        ("smoothing", SMOOTHINGS),
        ("orientation", [*KINDS, "none"]),
        ("classes", CLASSES),
    ],
)
def test_choices_of_training_are_those_there_are(option, names):
    """In the guide nothing but them, after the option; in --help all of them."""
    guide = (ROOT / "docs/training.md").read_text(encoding="utf-8")
    (told,) = re.findall(rf"`--{option}` (`[^;|]*)", guide)
    listed = set(re.findall(r"`([^`]+)`", told))
    assert listed <= set(names)
    assert listed == set(names) or option == "tokeniser"  # docs/text.md lists them all
    (found,) = (each for each in _parameters("train") if f"--{option}" in each.opts)
    said = re.findall(r"[a-z0-9-]+", f"{found.help} {found.metavar}")
    assert set(names) <= set(said)


def test_defaults_of_training_are_those_there_are():
    guide = (ROOT / "docs/training.md").read_text(encoding="utf-8")
    defaults = re.findall(r"`--([a-z-]+)` \(?(\d+)\b", guide)
    assert len(defaults) >= 8
    for option, value in defaults:
        assert getattr(TrainingSettings(), option.replace("-", "_")) == int(value), option


def test_the_manifest_is_told(tmp_path):
    told = (ROOT / "docs/formats.md").read_text(encoding="utf-8")
    files = Phrasebook(seed=1).write(tmp_path, train=60, raw=True)
    train(TrainingInputs(*files["train"]), tmp_path / "model")
    for name in Bundle.open(tmp_path / "model").manifest:
        assert f"`{name}`" in told, name


def test_the_guide_names_every_setting_and_feature_of_decoders():
    guide = (ROOT / "docs/decoding.md").read_text(encoding="utf-8")
    for setting in (*fields(SearchSettings), *fields(HieroSettings)):
        assert f"`--{setting.name.replace('_', '-')}`" in guide, setting.name
    for name in ("word_penalty", "phrase_penalty", "unknown_penalty", "distortion", "lm"):
        assert f"`{name}`" in guide, name


def _options(verb: str) -> list[str]:
    """What `rosewood VERB --help` knows of, and those of the verbs below it."""
    each = [(*parameter.opts, *parameter.secondary_opts) for parameter in _parameters(verb)]
    return [option for options in each for option in options]


def _parameters(verb: str) -> list[Any]:
    command = command_of(verb)
    each = [command, *getattr(command, "commands", {}).values()]
    return [parameter for one in each for parameter in one.params]


@pytest.mark.slow
def test_generated_documents_are_current(tmp_path):
    """Tables, settings, names and codes are those of the package: else run `make map`.

    What another package adds makes no difference.
    """
    (tmp_path / "other-1.0.dist-info").mkdir()
    added = "".join(f"[{each.group}]\nother = other:Other\n" for each in registries())
    (tmp_path / "other-1.0.dist-info" / "entry_points.txt").write_text(added)
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, ROOT / "docs" / "generate.py", "--check"], capture_output=True, text=True,
        env=os.environ | {"PYTHONPATH": path},
    )  # fmt: skip
    stale = {line.partition(":")[0] for line in done.stdout.splitlines()}
    assert stale <= {"docs/modules.md"}, done.stdout + done.stderr  # new modules may wait
    assert done.stderr == ""
