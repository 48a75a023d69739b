"""The package as a whole: what importing it costs, what it exports, how its errors look."""

from __future__ import annotations

import pickle
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import rosewood
from rosewood import errors

ROOT = Path(__file__).parents[2]


def loaded_by(code: str) -> set[str]:
    """Top-level modules that are there after running some code, beyond the standard library."""
    program = f"{code}\nimport sys\nprint(*sorted({{m.split('.')[0] for m in sys.modules}}))"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    own = set(done.stdout.split()) - sys.stdlib_module_names
    # Helpers of the installation itself (editable installs, namespace packages) are not ours.
    return {name for name in own if not name.startswith("_") and name != "sitecustomize"}


@pytest.mark.slow
def test_importing_is_light():
    assert loaded_by("import rosewood") <= {"rosewood"}
    assert loaded_by("import rosewood.forest, rosewood.rerank") <= {"rosewood", "numpy"}
    bleu = "from rosewood.metrics import parse_metric\nparse_metric('bleu:tokenize=13a')"
    assert loaded_by(bleu) <= {"rosewood", "numpy"}
    light = {"rosewood", "typer", "annotated_doc", "typing_extensions", "shellingham", "rich",
             "click", "markdown_it", "pygments", "mdurl"}  # fmt: skip
    shown = loaded_by("from rosewood.cli import app")
    assert shown <= light - {"rich", "pygments", "markdown_it"}
    helped = loaded_by(
        "import contextlib, io\nfrom rosewood.cli import app\n"
        "with contextlib.suppress(SystemExit), contextlib.redirect_stdout(io.StringIO()):\n"
        "    app(['--help'])"
    )
    assert helped <= light


def test_rooms_load_when_named():
    assert rosewood.forest.Forest is import_module("rosewood.forest").Forest
    assert set(rosewood.__all__) <= set(dir(rosewood))
    with pytest.raises(AttributeError, match="no attribute 'attic'"):
        rosewood.attic  # noqa: B018


@pytest.mark.parametrize(
    "module",
    ["rosewood", "rosewood.align", "rosewood.corpus", "rosewood.corpus.phrasebook",
     "rosewood.corpus.text", "rosewood.errors", "rosewood.forest", "rosewood.forest.formats",
     "rosewood.forest.draw", "rosewood.learn", "rosewood.lm", "rosewood.metrics", "rosewood.model",
     "rosewood.decode", "rosewood.pipeline", "rosewood.reorder", "rosewood.rerank",
     "rosewood.rules", "rosewood.rules.formats"],
)  # fmt: skip
def test_every_exported_name_is_there(module):
    room = import_module(module)
    assert len(set(room.__all__)) == len(room.__all__)
    for name in room.__all__:
        assert getattr(room, name) is not None


def test_the_version_is_told_once():
    told = re.search(r'^version = "(.*)"$', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
    assert told is not None
    assert told.group(1) == rosewood.__version__


def test_the_exception_tree_is_drawn():
    for name in errors.__all__:
        kind = getattr(errors, name)
        assert issubclass(kind, errors.RosewoodError)
        assert name in errors.__doc__


def test_format_errors_tell_the_place():
    error = errors.FormatError("bad", file="a.txt", line=3)
    assert str(error) == "a.txt:3: bad"
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.line, again.file, again.reason) == (str(error), 3, "a.txt", "bad")
    assert str(errors.FormatError("bad")) == "<text>: bad"


def test_the_stub_is_up_to_date(tmp_path):
    """src/rosewood/_core.pyi is what nanobind says of the native module (`make stubs`)."""
    fresh = tmp_path / "_core.pyi"
    command = [sys.executable, "-m", "nanobind.stubgen", "--quiet", "-m", "rosewood._core"]
    subprocess.run([*command, "-o", str(fresh)], check=True)
    assert fresh.read_text() == (ROOT / "src/rosewood/_core.pyi").read_text()


def test_nothing_native_ends_the_process():
    """No exit, abort or assert in the core: kernels throw with the reason."""
    for path in [*ROOT.glob("core/**/*.?pp"), *ROOT.glob("bind/*.?pp")]:
        text = re.sub(r"//.*", "", path.read_text(encoding="utf-8"))
        assert not re.search(r"\b(exit|abort|assert|terminate)\s*\(", text), path
    for path in ROOT.glob("core/**/*.?pp"):
        text = path.read_text(encoding="utf-8")
        assert "Python.h" not in text, path
        assert "nanobind" not in text, path
