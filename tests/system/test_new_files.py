"""One new file of each kind in a copy of the sources: help, Python, documents and tests follow.

The files are those of the package in tests/plugin/, with a line `PLUGIN = …` each.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from rosewood import _core
from rosewood.plugins import registries

ROOT = Path(__file__).parents[2]
HERE = ROOT / "tests" / "plugin"
# Editable installs find our package before those of the path do.
SITE = """import sys
sys.meta_path[:] = [f for f in sys.meta_path if "editable" not in type(f).__module__]
"""
PROGRAM = """
import json, sys
from typer.testing import CliRunner
from rosewood.cli import app
from rosewood.plugins import registries

shown = {typed: CliRunner().invoke(app, typed.split()).output for typed in sys.argv[1:]}
things = {
    each.package.replace(".", "/"): [name for name, _ in each.working()] for each in registries()
}
print(json.dumps([shown, things]))
"""
SHOWN = {
    "--help": "count-words",
    "count-words --help": "Letters of the shortest word",
    "tune --help": "random-search",
    "tune --list-settings": "Random weight vectors that are tried.",
    "evaluate --help": "first-word",
    "train --help": "hyphens",
    "decode --help": "monotone",
    "corpus convert --help": "bars",
    "translate --help": "notices",
}
TESTS = [
    "unit/test_learners.py::test_threads_do_not_matter_and_seeds_repeat[random-search]",
    "unit/test_learners.py::test_every_learner_reports_its_rounds[random-search]",
    "unit/test_learners.py::test_every_learner_takes_forests[random-search]",
    "unit/test_metrics.py::test_the_document_lists_all_metrics",
    "unit/test_corpus_formats.py::test_formats_are_listed_without_their_parsers",
    "unit/test_corpus_writers.py::test_where_corpora_cannot_go",
    "unit/test_tokenise.py::test_settings_are_checked",
    "unit/test_tokenise.py::test_settings_make_it_again[hyphens]",
    "unit/test_bundle_parts.py::test_registries_have_our_files_and_a_group_of_entry_points",
    "unit/test_training_settings.py::test_choices_are_those_of_the_rooms",
    "system/test_options.py",
    "system/test_documents.py::test_training_can_be_told_what_the_guide_says",
    "system/test_documents.py::test_choices_of_training_are_those_there_are",
    "system/test_documents.py::test_the_guide_names_every_setting_and_feature_of_decoders",
    "system/test_documents.py::test_generated_documents_are_current",
]


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """A copy of the sources with a new file of each kind; `make map` was called."""
    place = tmp_path_factory.mktemp("tree")
    for name in ("src", "docs", "tests", "examples"):  # with compiled modules, which stay valid
        shutil.copytree(ROOT / name, place / name)
    for name in ("core", "bind", "pyproject.toml", *(each.name for each in ROOT.glob("*.md"))):
        (place / name).symlink_to(ROOT / name)
    native = Path(_core.__file__)
    if not (place / "src/rosewood" / native.name).exists():
        (place / "src/rosewood" / native.name).symlink_to(native)
    (place / "src/sitecustomize.py").write_text(SITE)
    for folder, name, module, thing in new_files():
        text = (HERE / "rosewood_sample" / f"{module}.py").read_text(encoding="utf-8")
        file = place / "src" / folder / f"{name.replace('-', '_')}.py"
        file.write_text(f"{text}\n\nPLUGIN = {thing}\n", encoding="utf-8")
    run(place, "docs/generate.py")
    return place


def new_files():
    """Folder, name, module of the package and object of each."""
    project = tomllib.loads((HERE / "pyproject.toml").read_text())["project"]
    folders = {each.group: each.package.replace(".", "/") for each in registries()}
    for group, points in project["entry-points"].items():
        for name, path in points.items():
            module, _, thing = path.partition(":")
            yield folders[group], name, module.partition(".")[2], thing


def run(place, *words):
    done = subprocess.run(
        [sys.executable, *words], cwd=place, capture_output=True, text=True, timeout=600,
        env=os.environ | {"PYTHONPATH": str(place / "src"), "COLUMNS": "300"},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_there_is_a_file_of_each_kind():
    assert len(list(new_files())) == len(registries())


@pytest.mark.slow
def test_new_files_are_in_help_and_python(tree):
    shown, things = json.loads(run(tree, "-c", PROGRAM, *SHOWN))
    for typed, part in SHOWN.items():
        assert part in shown[typed], typed
    for folder, name, _, _ in new_files():
        assert name in things[folder]


@pytest.mark.slow
def test_new_files_are_in_the_documents(tree):
    reference = (tree / "docs/reference.md").read_text(encoding="utf-8")
    for _, name, _, _ in new_files():
        assert f"| `{name}` |" in reference
    for setting in ("tries", "words", "letters"):
        assert f"| `{setting}` |" in reference
    for guide, row in {
        "tuning": "| `random-search` |", "text": "| `hyphens` |", "corpora": "| `bars` | `.bars` |",
        "decoding": "| `--feature long-words` |",
    }.items():  # fmt: skip
        assert row in (tree / f"docs/{guide}.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_no_other_file_needs_a_change(tree):
    """Tests that go through all things of a kind, and those of documents that list them."""
    tests = [f"tests/{each}" for each in TESTS]
    run(tree, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests)
