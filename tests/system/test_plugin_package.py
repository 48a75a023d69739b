"""One of everything in a package of its own: installed, listed, used; nothing else is changed.

The package is tests/plugin/; ARCHITECTURE.md says what each file is.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from zipfile import ZipFile

import pytest

from rosewood.plugins import REGISTRIES, registries

HERE = Path(__file__).parents[1] / "plugin"
ROOT = HERE.parents[1]
NAME, VERSION = "rosewood_sample", "1.0"


def entry_points():
    """The entry points of its pyproject.toml, as an installer writes them."""
    project = tomllib.loads((HERE / "pyproject.toml").read_text())["project"]
    return "".join(
        f"[{group}]\n" + "".join(f"{name} = {path}\n" for name, path in each.items())
        for group, each in project["entry-points"].items()
    )


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A folder into which the package was installed from a wheel."""
    place = tmp_path_factory.mktemp("plugin")
    wheel = place / f"{NAME}-{VERSION}-py3-none-any.whl"
    info = f"{NAME}-{VERSION}.dist-info"
    with ZipFile(wheel, "w") as archive:
        for file in sorted((HERE / NAME).glob("*.py")):
            archive.write(file, f"{NAME}/{file.name}")
        archive.writestr(f"{info}/entry_points.txt", entry_points())
        archive.writestr(
            f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {NAME}\nVersion: {VERSION}\n"
        )
        archive.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr(f"{info}/RECORD", "")
    target = place / "site"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps"]
    subprocess.run([*pip, "--target", target, wheel], check=True, capture_output=True)
    return target


@pytest.fixture
def run(installed, tmp_path):
    """Runs the command beside the package, in a folder of the test."""
    (tmp_path / "t.bars").write_text(
        "".join(f"das haus {n} ||| the house {n}\n" for n in range(40)), encoding="utf-8"
    )

    def ran(*words: object) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "rosewood", *map(str, words)],
            cwd=tmp_path, capture_output=True, text=True, timeout=300,
            env=os.environ | {"PYTHONPATH": str(installed), "COLUMNS": "200"},
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout

    return ran


@pytest.mark.slow
def test_a_verb(run):
    assert re.search(r"count-words +Count the words of a text", run("--help"))
    assert "Letters of the shortest word" in run("count-words", "--help")
    assert run("count-words", "t.bars", "--least", 4) == "80\n"


@pytest.mark.slow
def test_a_learner_and_a_metric(run, tmp_path):
    assert "random-search" in run("tune", "--help")
    listed = run("tune", "--method", "random-search", "--list-settings")
    assert "tries" in listed
    rows = [
        {
            "id": str(n),
            "refs": ["the house"],
            "hyps": [
                {"text": "a home", "features": {"x": 1, "y": n % 2}},
                {"text": "the home", "features": {"x": 0, "y": 1}},
            ],
        }
        for n in range(20)
    ]
    (tmp_path / "n.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "zero.json").write_text('{"x": 0, "y": 0}')
    chosen = ["--method", "random-search", "--set", "tries=5", "--metric", "first-word:words=1"]
    found = json.loads(run("tune", "n.jsonl", *chosen, "--json"))
    assert (found["method"], found["metric"]) == ("random-search", "first word")
    assert found["score"] == 100.0
    found = json.loads(
        run("tune", "n.jsonl", *chosen[:-1], "ter", "--start", "zero.json", "--json")
    )
    assert found["score"] == 50.0  # the best: lower is better
    (tmp_path / "h").write_text("the x\na y\n")
    (tmp_path / "r").write_text("the z\nthe z\n")
    assert "50.0" in run("evaluate", "h", "--ref", "r", "--metric", "first-word")


@pytest.mark.slow
def test_a_corpus_format(run, tmp_path):
    assert json.loads(run("corpus", "info", "t.bars", "--json"))["pairs"] == 40
    run("corpus", "convert", "t.bars", "-o", "t.tsv")
    run("corpus", "convert", "t.tsv", "-o", "again.bars")
    assert (tmp_path / "again.bars").read_bytes() == (tmp_path / "t.bars").read_bytes()


@pytest.mark.slow
def test_a_document_format(run, tmp_path):
    quick = ["--aligner", "model1", "--lm-order", 2, "--dev-size", 0, "--tune", "none", "-q"]
    run("train", "--corpus", "t.bars", "-l", "de:en", "-o", "m", *quick)
    (tmp_path / "t.notices").write_text("das haus 1\nsay: das haus 3\n")
    assert run("translate", "m", "t.notices") == "das haus 1\nsay: the house 3\n"


@pytest.mark.slow
def test_a_feature_a_decoder_and_a_tokeniser_in_a_model(run, tmp_path):
    quick = ["--aligner", "model1", "--lm-order", 2, "--dev-size", 0, "--tune", "none", "-q"]
    run("train", "--corpus", "t.bars", "-l", "de:en", "-o", "m", "--tokeniser", "hyphens",
        "--feature", 'long-words{"letters": 5}', "--decoder", "in-order", *quick)  # fmt: skip
    manifest = json.loads((tmp_path / "m" / "manifest.json").read_text())
    assert "long_words" in manifest["features"]
    (tmp_path / "in").write_text("das haus 3\n")
    assert json.loads(run("translate", "m", "in", "--json"))["features"]["long_words"] == 1
    assert manifest["decoder"] == "in-order"
    (tmp_path / "in").write_text("das-haus 3\n")
    assert run("text", "tokenise", "--tokeniser", "hyphens", "in") == "das - haus 3\n"


@pytest.mark.slow
def test_a_reordering_model(run, tmp_path):
    assert "monotone" in run("decode", "--help")
    quick = ["--aligner", "model1", "--lm-order", 2, "--dev-size", 0, "--tune", "none", "-q"]
    run("train", "--corpus", "t.bars", "-l", "de:en", "-o", "m", *quick)
    (tmp_path / "in").write_text("das haus 3\n")
    lm = next((tmp_path / "m").rglob("*.rlm"))
    found = json.loads(
        run("decode", "--rules", "m/rules", "--lm", lm, "--reordering", "monotone", "in", "--json")
    )
    assert found["features"]["order_backward_monotone"] < 0


def test_a_bundle_part(installed, tmp_path):
    program = (
        "from rosewood.model.registry import part_type, StoredPart\n"
        "from pathlib import Path\n"
        "kind = part_type('notes', 'text')\n"
        "Path('n').write_text('made on Monday\\n')\n"
        "print(kind.open(StoredPart('notes', Path('.'), {'path': 'n'})).strip(), kind.help)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True,
        env=os.environ | {"PYTHONPATH": str(installed)},
    )  # fmt: skip
    assert done.stdout == "made on Monday Notes on the model.\n", done.stderr


def test_the_architecture_has_every_registry():
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    assert len(registries()) == len(REGISTRIES)
    for registry in registries():
        folder = registry.package.removeprefix("rosewood.").replace(".", "/")
        assert f"`{folder}/NAME.py` | `{registry.group}`" in text, registry.what
        assert (ROOT / "src" / registry.package.replace(".", "/")).is_dir()


BROKEN = {
    "exits": ("import sys; sys.exit('bye')", {"verbs": "leave", "corpus_formats": "leaves"}),
    "raises": ("raise ValueError", {"learners": "raising", "metrics": "raising"}),
    "odd": ("def odd(x: set): ...\ntrain = mert = dup = odd", {"verbs": "odd dup train"}),
    "twice": ("dup = mert = print", {"verbs": "dup", "learners": "mert"}),
}


@pytest.mark.slow
def test_broken_packages_are_named_and_do_no_harm(tmp_path):
    for name, (code, points) in BROKEN.items():
        (tmp_path / f"sample_{name}.py").write_text(code)
        info = tmp_path / f"sample_{name}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(
            "".join(
                f"[rosewood.{group}]\n"
                + "".join(f"{each} = sample_{name}:{each}\n" for each in added.split())
                for group, added in points.items()
            )
        )
    (tmp_path / "t.tsv").write_text("a\tb\n")

    def ran(*words, script=("-m", "rosewood")):
        return subprocess.run(
            [sys.executable, *script, *words], cwd=tmp_path, capture_output=True, text=True,
            env=os.environ | {"PYTHONPATH": str(tmp_path), "COLUMNS": "500"},
        )  # fmt: skip

    done = ran("--help")
    assert done.returncode == 0
    assert re.search(r"leave +verb 'leave' cannot be used: .* of package exits", done.stdout)
    assert "Train a translation model" in done.stdout
    assert "Traceback" not in done.stderr
    assert done.stderr.count("[plugin.duplicate]") == 2  # dup and train
    done = ran("corpus", "info", "t.tsv", "--json")
    assert json.loads(done.stdout)["pairs"] == 1
    assert "package exits" in done.stderr
    done = ran("tune", "--list-settings")
    assert done.returncode == 0
    assert "mert: Minimum error rate" in done.stdout
    assert "package raises" in done.stderr
    assert "learner 'mert' of package twice is ignored" in done.stderr
    for verb, told in {"odd": "package odd", "dup": "packages odd and twice"}.items():
        done = ran(verb)
        assert done.returncode == 1
        assert told in done.stderr.splitlines()[-1]
        assert "[plugin." in done.stderr.splitlines()[-1]
