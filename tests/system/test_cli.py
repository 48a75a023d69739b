"""The command `rosewood`: verbs of forests, the demonstration, errors, output."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from tests.refusals import shows, warns
from tests.system.commands import command, run  # noqa: F401

import rosewood
from rosewood.forest import ForestSet

GOLDEN = Path(__file__).parents[1] / "golden" / "formats"
TOY = """\
forest s1
dense lm
0 <- ||| the mat ||| lm=-2
1 <- ||| a cat ||| lm=-2.5
2 <- 0 1 ||| [1] on [0] ||| lm=-1 on=1
2 <- 0 1 ||| [0] 's [1] ||| lm=-1.5
forest s2
dense lm
0 <- ||| x ||| lm=1
"""


def run_process(*arguments):
    """What the command prints in a process of its own; there must be no error."""
    done = subprocess.run(
        [sys.executable, "-m", "rosewood", *map(str, arguments)],
        capture_output=True, text=True, encoding="utf-8", check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def toy(tmp_path):
    path = tmp_path / "toy.forest"
    path.write_text(TOY, encoding="utf-8")
    return path


@pytest.mark.slow
def test_version_and_help():
    assert run_process("--version") == f"rosewood {rosewood.__version__}\n"
    assert "forest" in run_process("--help")
    shown = run_process("forest", "--help")
    for verb in [
        "info",
        "best",
        "measure",
        "ngrams",
        "draw",
        "convert",
        "prune",
        "merge",
        "verify",
    ]:
        assert verb in shown


def test_info(run, toy):  # noqa: F811
    rows = [line.split("\t") for line in run("forest", "info", toy).splitlines()]
    assert rows[1:] == [["s1", "3", "4", "2", "6", "2"], ["s2", "1", "1", "1", "1", "1"]]
    first = json.loads(run("forest", "info", toy, "--json").splitlines()[0])
    assert first["derivations"] == 2


def test_best(run, toy, tmp_path):  # noqa: F811
    out = run("forest", "best", toy, "-k", 5).splitlines()
    assert out[0] == "s1\t0\t-4.5\ta cat on the mat"
    assert out[1] == "s1\t1\t-6\tthe mat 's a cat"
    weights = tmp_path / "w.json"
    weights.write_text('{"lm": 0, "on": -1, "unheard": 7}')
    out = run("forest", "best", toy, "--weights", weights, "--json").splitlines()
    first = json.loads(out[0])
    assert first["text"] == "the mat 's a cat"
    assert first["features"] == {"lm": -6.0}
    drawn = run("forest", "best", toy, "-k", 20, "--sample", "--seed", 4)
    assert drawn == run("forest", "best", toy, "-k", 20, "--sample", "--seed", 4, "--threads", 2)
    assert len(run("forest", "best", toy, "-k", 5, "--distinct").splitlines()) == 3


def test_measure_and_ngrams(run, toy):  # noqa: F811
    row = json.loads(run("forest", "measure", toy, "--json", "--scale", "0").splitlines()[0])
    assert row["entropy"] == pytest.approx(0.6931471805599453)
    assert row["expected_features"]["lm"] == pytest.approx(-5.75)
    assert "entropy" in run("forest", "measure", toy)
    grams = run("forest", "ngrams", toy, "-n", 2, "--scale", 0).splitlines()
    assert "s1\t1\tthe mat" in grams
    assert "s1\t0.5\tcat on" in grams


def test_draw(run, toy, tmp_path, command):  # noqa: F811
    svg, html, dot = (tmp_path / f"p.{kind}" for kind in ("svg", "html", "dot"))
    run("forest", "draw", toy, "-o", svg)
    ElementTree.parse(svg)
    run("forest", "draw", toy, "-o", html, "--name", "s2")
    assert "<svg" in html.read_text()
    run("forest", "draw", toy, "-o", dot)
    assert dot.read_text().startswith("digraph")
    refused = command("forest", "draw", toy, "-o", svg, "--name", "s3")
    shows(refused, "argument.unknown", toy, "'s3'")
    refused = command("forest", "draw", toy, "-o", tmp_path / "p.png")
    shows(refused, "argument.value", tmp_path / "p.png")


def test_convert_verify_prune_merge(run, toy, tmp_path):  # noqa: F811
    packed, text = tmp_path / "toy.rwf", tmp_path / "again.forest"
    run("forest", "convert", toy, "-o", packed)
    assert "2 forests, all good" in run("forest", "verify", packed)
    run("forest", "convert", packed, "-o", text)
    assert text.read_text() == TOY
    assert run("forest", "convert", packed, "-o", "-") == TOY
    assert run("forest", "best", packed) == run("forest", "best", toy)
    run("forest", "prune", packed, "-o", text, "--beam", 0.5)
    assert "'s" not in text.read_text()
    run("forest", "merge", toy, packed, text, "-o", tmp_path / "m.forest")
    assert run("forest", "info", tmp_path / "m.forest") == run("forest", "info", toy)


def test_sets_are_compressed_on_request(run, command, toy, tmp_path):  # noqa: F811
    strings, text = tmp_path / "strings.txt", tmp_path / "out.forest"
    strings.write_text("a cat on the mat\nx\n")
    for verb in (
        ["convert", toy], ["prune", toy, "--beam", 0.5], ["merge", toy, toy],
        ["intersect", toy, "--strings", strings],
    ):  # fmt: skip
        plain, small = tmp_path / "plain.rwf", tmp_path / "small.rwf"
        run("forest", *verb, "-o", plain)
        run("forest", *verb, "-o", small, "--compress")
        assert (ForestSet(plain).is_compressed, ForestSet(small).is_compressed) == (False, True)
        assert list(ForestSet(small)) == list(ForestSet(plain))
        assert run("forest", "best", small) == run("forest", "best", plain)
        for output in (text, "-"):
            refused = command("forest", *verb, "-o", output, "--compress")
            shows(refused, "argument.value", "--compress", output)
        assert not text.exists()


@pytest.mark.parametrize(
    "name",
    ["lattice.plf", "plain.osg", "extended.osgx", "links.slf", "nodes.slf", "hypergraph.json",
     "joshua.items", "joshua.dump", "moses.hypergraph"],
)  # fmt: skip
def test_every_format(run, name):  # noqa: F811
    rows = run("forest", "info", GOLDEN / name).splitlines()
    assert len(rows) >= 2
    assert run("forest", "best", GOLDEN / name)


def test_errors_are_one_line(toy, tmp_path, command):  # noqa: F811
    def refused(verb, *arguments):
        return command("forest", verb, *arguments)

    missing, bad = tmp_path / "missing.forest", tmp_path / "bad.forest"
    shows(refused("info", missing), "file.missing", f"{missing}: No such file")
    bad.write_text("forest\n0 <- ||| a ||| x=y\n")
    shows(refused("info", bad), "line.number", f"{bad}:2:", "'x'", "'y'")
    for text, code, *fields in [
        ("{", "file.format"),
        ('{"lm": "one"}', "weights.value", "'lm'", "'one'"),
        ('{"lm": true}', "weights.value", "'lm'", "True"),
        ('{"lm": NaN}', "weights.value", "'lm'", "nan"),
        ('{"lm": ' + "9" * 401 + "}", "weights.value", "'lm'", "9999"),
        ("[1]", "file.format", "object"),
        ("[" * 100_000, "file.format"),
        ('{"lm": 1, "lm": 2}', "weights.duplicate"),
    ]:
        bad.write_text(text)
        shows(refused("best", toy, "--weights", bad), code, bad, *fields)
    shows(refused("verify", toy), "file.kind", toy)
    unknown = tmp_path / "toy.xyz"
    unknown.write_text(TOY)
    shows(refused("info", unknown), "argument.missing", unknown)
    shows(refused("info", toy, "--format", "abc"), "usage", "--format", "'abc'")
    assert refused("info", unknown, "--format", "text") == refused("info", toy)
    out = tmp_path / "none" / "x.rwf"
    shows(refused("convert", toy, "-o", out), "file.missing", out.parent)
    shows(refused("prune", toy, "-o", tmp_path / "x.forest"), "argument.missing", "beam")
    assert not (tmp_path / "x.forest").exists()
    for name in ("x.json", "x.plf", "x.forest.gz"):
        shows(refused("convert", toy, "-o", tmp_path / name), "argument.value", tmp_path / name)
    shows(refused("best", toy, "--scale", "inf"), "usage", "--scale", "'inf'")
    shows(refused("best", toy, "--scale", "1e308"), "forest.overflow", toy, "'s1'", "scale")
    for option in (["-k", 10**20], ["-k", -1], ["--threads", 0], ["--threads", 10**11]):
        shows(refused("best", toy, *option), "usage", option[0])
    unnamed = tmp_path / "unnamed.forest"
    unnamed.write_text("forest\nnode 0\nforest\nnode 0\n")
    shows(refused("merge", unnamed, "-o", "-"), "argument.duplicate", unnamed)
    squeezed = tmp_path / "x.forest.bz2"
    squeezed.write_bytes(b"")
    shows(refused("info", squeezed), "file.kind", squeezed)


def test_empty_forests_do_not_stop_the_rest(run):  # noqa: F811
    for verb in ("measure", "ngrams", "best"):
        assert "4\t" in run("forest", verb, GOLDEN / "plain.osg")
    pruned = run("forest", "prune", GOLDEN / "plain.osg", "--beam", 1, "-o", "-")
    assert "forest 4" in pruned


def test_misspelt_weights_are_told(run, toy, tmp_path):  # noqa: F811
    weights = tmp_path / "w.json"
    weights.write_text('{"lm": 1, "LM": 2}')
    done = subprocess.run(
        [sys.executable, "-m", "rosewood", "forest", "best", str(toy), "--weights", str(weights)],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    warns(done.stderr, "'LM'", is_only_line=True)


def test_standard_input_and_other_models(run, toy, tmp_path):  # noqa: F811
    assert run("forest", "best", "-", text=TOY) == run("forest", "best", toy)
    other = tmp_path / "q.json"
    other.write_text('{"lm": 0.5}')
    row = json.loads(run("forest", "measure", toy, "--other", other, "--json").splitlines()[0])
    assert row["kl_divergence"] > 0
    assert row["cross_entropy"] == pytest.approx(row["kl_divergence"] + row["entropy"])
    assert set(row["entropy_gradient"]) == {"lm", "on"}
    strings = tmp_path / "strings.txt"
    strings.write_text("a cat on the mat\nx\n")
    kept = tmp_path / "kept.forest"
    run("forest", "intersect", toy, "--strings", strings, "-o", kept)
    assert [r.split("\t")[3] for r in run("forest", "best", kept, "-k", 9).splitlines()] == [
        "a cat on the mat", "x",
    ]  # fmt: skip


def test_what_is_known_of_a_forest_stays(run, toy, tmp_path):  # noqa: F811
    from rosewood.forest import ForestSet, ForestSetWriter, read_forests

    first, second = tmp_path / "a.rwf", tmp_path / "b.rwf"
    info = {"id": 17, "refs": ["a cat"], "src": "x"}
    with ForestSetWriter(first) as out:
        out.append(next(read_forests(toy)).forest, info)
    run("forest", "convert", first, "-o", second)
    assert ForestSet(second).info(0) == info
    run("forest", "prune", second, "--beam", 1, "-o", second)
    assert ForestSet(second).info(0) == info


@pytest.mark.skipif(sys.platform == "win32", reason="links and pipes of POSIX systems")
def test_links_and_other_files_stay_what_they_are(run, toy, tmp_path):  # noqa: F811
    target, link = tmp_path / "target.forest", tmp_path / "link.forest"
    target.write_text("old")
    link.symlink_to(target)
    run("forest", "convert", toy, "-o", link)
    assert link.is_symlink()
    assert target.read_text() == TOY
    run("forest", "convert", toy, "-o", "/dev/null")
    assert not Path("/dev/null").is_file()
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        "link.forest",
        "target.forest",
        "toy.forest",
    ]


def test_output_is_utf8_whatever_the_locale(run, tmp_path):  # noqa: F811
    path = tmp_path / "x.forest"
    path.write_text("forest é\n0 <- ||| 猫\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "rosewood", "forest", "best", str(path)],
        capture_output=True, check=True, env={**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0"},
    )  # fmt: skip
    assert done.stdout.decode() == "é\t0\t0\t猫\n"


def test_enormous_counts(run, tmp_path):  # noqa: F811
    lines = ["0 <- ||| a", "0 <- ||| b"] + [
        f"{i + 1} <- {i} {i}" + " ||| [0] [1]" for i in range(44)
    ]
    path = tmp_path / "x.forest"
    path.write_text("forest x\n" + "\n".join(lines) + "\n")
    assert "1e5295" in run("forest", "info", path)
    assert json.loads(run("forest", "info", path, "--json"))["nodes"] == 45


@pytest.mark.slow
@pytest.mark.longest
def test_demo(run, tmp_path):  # noqa: F811
    folder = tmp_path / "demo"
    said = run_process("demo", "--output", folder)
    out = " ".join(said.split())
    told = re.search(
        r"BLEU ([\d.]+) \(on the sentences of tuning ([\d.]+) before it, ([\d.]+)", out
    )
    test, before, after = map(float, told.groups())
    assert test > 60
    assert before + 3 < after
    assert "was there" not in said
    assert re.search(r" → .*: seen .*; its source", said)  # a rule, and where it is from
    assert re.search(r"train\.de:\d+: ", said)
    assert "Reranking helps here: BLEU +" in said
    for page in ("model.html", "inspection.html", "reranking.html"):
        assert "<svg" in (folder / page).read_text("utf-8")
    ElementTree.parse(folder / "forest.svg")
    # What it says to type can be typed.
    commands = said.partition("\nType\n")[2].splitlines()
    assert len(commands) == 4
    for typed in commands[1:]:
        run(*shlex.split(typed.partition("rosewood ")[2]))
    assert len((folder / "said.en").read_text("utf-8").splitlines()) == 200
    assert run("demo", "--output", folder).count("was there") == 8  # all stages
