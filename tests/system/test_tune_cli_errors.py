"""Bad input to tune, rerank, evaluate and sweep: a reason on one line, and no file left behind."""

from __future__ import annotations

import gzip
import json

import pytest
from tests.refusals import shows
from tests.system.commands import command  # noqa: F401

from rosewood.forest import ForestSetWriter, parse_forest
from rosewood.rerank import format_candidates, toy_lists, write_candidates

LISTS = [format_candidates(each) for each in toy_lists(12, candidates=4, seed=7)]
WEIGHTS = {"system": 1, "fluency": 1, "meaning": 1, "words": 0, "dice": 0}
TUNE = ["tune", "bad.jsonl", "-o", "out.json", "--report", "out.html"]
GOOD = ["tune", "dev.jsonl", "-o", "out.json", "--report", "out.html"]
RERANK = ["rerank", "dev.jsonl", "--weights", "bad.json", "-o", "out.txt"]
SWEEP = ["sweep", "dev.jsonl", "-o", "out.json", "--trials", "out.jsonl"]
EVALUATE = ["evaluate", "best.txt", "--ref", "ref.txt"]


def changed(place: int, **values) -> str:
    """The lists of dev.jsonl, one of them with other values."""
    lists = [json.loads(line) for line in LISTS]
    lists[place].update(values)
    return "".join(json.dumps(each) + "\n" for each in lists)


def features(change) -> str:
    """The lists of dev.jsonl with features that a function has changed."""
    lists = [json.loads(line) for line in LISTS]
    for each in lists:
        for place, hyp in enumerate(each["hyps"]):
            hyp["features"] = change(dict(hyp["features"]), place)
    return "".join(json.dumps(each) + "\n" for each in lists)


def texts(change) -> str:
    lists = [json.loads(line) for line in LISTS]
    for each in lists:
        for hyp in each["hyps"]:
            hyp["text"] = change(hyp["text"])
    return "".join(json.dumps(each) + "\n" for each in lists)


def forests(path) -> None:
    with ForestSetWriter(path) as writer:
        text = "dense lm\n0 <- ||| a ||| lm=1\n1 <- 0 ||| [0] b ||| lm=2\n1 <- 0 ||| b [0] ||| lm=2"
        writer.append(parse_forest(text), {"id": "0", "refs": ["a b"]})


def many_sparse(values, place):
    return {**values, **{f"rule:{i}": float(i == place) for i in range(300)}}


# What is wrong: the command, files to write first, the code of the error and what is shown.
BAD = {
    "a missing file": (
        ["tune", "nowhere.jsonl", "-o", "out.json"], {}, ["file.missing", "nowhere.jsonl: "]),
    "an empty file": (TUNE, {"bad.jsonl": ""}, ["tuning.no-lists", "bad.jsonl: "]),
    "a folder": (["tune", "folder", "-o", "out.json"], {}, ["file.kind", "folder: "]),
    "output in no folder": (
        ["tune", "dev.jsonl", "-o", "no/out.json"], {},
     ["file.missing", "no/out.json: -o: ", "'no'"]),
    "output is a folder": (["tune", "dev.jsonl", "-o", "folder"], {},
     ["file.kind", "folder: -o: "]),
    "output in a file": (
        ["tune", "dev.jsonl", "-o", "ref.txt/o"], {},
     ["file.missing", "ref.txt/o: -o: ", "'ref.txt'"]),
    "report in no folder": (
        ["tune", "dev.jsonl", "--report", "no/o.html"], {},
     ["file.missing", "no/o.html: --report: "]),
    "two outputs in one file": (
        ["tune", "dev.jsonl", "-o", "out", "--report", "out"], {},
     ["argument.duplicate", "out: --report: -o "]),
    "output over input": (["tune", "dev.jsonl", "-o", "dev.jsonl"], {},
     ["file.exists", "dev.jsonl: -o: "]),
    "a full disk": (["tune", "dev.jsonl", "-o", "/dev/full"], {}, ["system.error", "/dev/full: "]),
    "NaN": (
        TUNE, {"bad.jsonl": changed(3, hyps=[{"text": "a", "features": {"system": float("nan")}}])},
            ["line.number", "bad.jsonl:4: ", "NaN"]),
    "NaN in an n-best list": (
        ["tune", "bad.nbest", "-o", "out.json", "--ref", "ref.txt"],
        {"bad.nbest": "0 ||| a ||| lm= nan ||| 1\n"},
     ["line.number", "bad.nbest:1: ", "'lm_0' is 'nan'"]),
    "a number that is too large": (
        TUNE, {"bad.jsonl": LISTS[0].replace('"words": ', '"words": 1e999')},
                                   ["line.format", "bad.jsonl:1: "]),
    "a missing feature": (
        TUNE, {"bad.jsonl": changed(2, hyps=[{"text": "a", "features": {"system": 1}}])},
        ["line.fields", "bad.jsonl:3: ", "'fluency'"]),
    "an empty list": (TUNE, {"bad.jsonl": changed(4, hyps=[])}, ["line.empty", "bad.jsonl:5: "]),
    "an id twice": (TUNE, {"bad.jsonl": changed(5, id="0")},
     ["line.duplicate", "bad.jsonl:6: ", "'0'", "line 1"]),
    "no references": (
        TUNE, {"bad.jsonl": "".join(json.dumps({**json.loads(x),
        "refs": []}) + "\n" for x in LISTS)},
        ["metric.no-reference", "bad.jsonl:1: "]),
    "another number of references": (
        TUNE, {"bad.jsonl": changed(6, refs=["a", "b"])},
     ["line.fields", "bad.jsonl:7: ", "2 references"]),
    "too few lines of references": (
        ["tune", "bad.nbest", "-o", "out.json", "--ref", "two.txt"],
        {"bad.nbest": "0 ||| a ||| lm= 1 ||| 1\n", "two.txt": "a\nb\n"},
     ["file.mismatch", "two.txt:2: ", "bad.nbest"]),
    "not UTF-8": (
        TUNE, {"bad.jsonl": LISTS[0].encode() + b"\n\xff\n"}, ["file.encoding", "bad.jsonl:2: "]),
    "not JSON": (TUNE, {"bad.jsonl": LISTS[0] + "\n{]\n"}, ["line.format", "bad.jsonl:2: "]),
    "not gzip": (
        ["tune", "bad.jsonl.gz"], {"bad.jsonl.gz": "hello\n"},
     ["file.damaged", "bad.jsonl.gz:1: "]),
    "half a gzip": (
        ["tune", "bad.jsonl.gz"], {"bad.jsonl.gz": gzip.compress("\n".join(LISTS).encode())[:-900]},
        ["file.damaged", "bad.jsonl.gz:1: "]),
    "an unknown metric": ([*GOOD, "--metric", "bluu"], {}, ["argument.unknown", "metric 'bluu'"]),
    "a metric's bad setting": ([*GOOD, "--metric", "bleu:tokenize=klingon"], {},
     ["argument.choice", "tokenize is 'klingon'"]),
    "an unknown learner": ([*GOOD, "--method", "magic"], {},
     ["usage", "--method", "'magic'", "mert"]),
    "an unknown setting": ([*GOOD, "--set", "speed=3"], {},
     ["argument.unknown", "setting 'speed'", "restarts"]),
    "a setting out of range": (
        [*GOOD, "--set", "restarts=0"], {}, ["argument.range", "restarts is 0"]),
    "a setting that is no number": ([*GOOD, "--set", "restarts=many"], {},
     ["argument.type", "restarts is 'many'"]),
    "a setting without value": (
        [*GOOD, "--set", "restarts"], {}, ["argument.value", "--set restarts: "]),
    "a setting twice": ([*GOOD, "--set", "k=3", "--set", "k=4"], {},
     ["argument.duplicate", "--set k=4: "]),
    "an unknown format": ([*GOOD, "--format", "xml"], {},
     ["usage", "--format", "'xml'", "jsonl"]),
    "an unknown normalisation": ([*GOOD, "--normalize", "l3"], {},
     ["usage", "--normalize", "'l3'", "l1, l2, none"]),
    "starting weights that are missing": (
        [*GOOD, "--start", "nowhere.json"], {}, ["file.missing", "nowhere.json: "]),
    "a starting weight NaN": (
        [*GOOD, "--start", "bad.json"], {"bad.json": '{"system": NaN}'},
        ["weights.value", "bad.json: ", "'system' is nan"]),
    "a starting weight missing": (
        [*GOOD, "--start", "bad.json"], {"bad.json": '{"system": 1}'},
        ["weights.missing", "'fluency'"]),
    "a starting weight misspelt": (
        [*GOOD, "--start", "bad.json"], {"bad.json": json.dumps({**WEIGHTS, "wrods": 1})},
        ["weights.unknown", "'wrods'"]),
    "a starting weight twice": (
        [*GOOD, "--start", "bad.json"], {"bad.json": '{"a": 1, "a": 2}'},
        ["weights.duplicate", "bad.json: "]),
    "starting weights not JSON": (
        [*GOOD, "--start", "bad.json"], {"bad.json": "lm 1"}, ["file.format", "bad.json: "]),
    "held-out lists with other features": (
        [*GOOD, "--heldout", "bad.jsonl"],
        {"bad.jsonl": features(lambda f, _: {**f, "extra": 1.0})},
     ["features.unknown", "held-out", "'extra'"]),
    "held-out lists without a feature": (
        [*GOOD, "--heldout", "bad.jsonl"],
        {"bad.jsonl": features(lambda f, _: {"system": f["system"]})},
     ["features.missing", "held-out", "'fluency'"]),
    "held out what is tuned on": ([*GOOD, "--heldout", "dev.jsonl"], {},
     ["argument.conflict", "held-out"]),
    "held-out references without lists": (
        [*GOOD, "--heldout-ref", "ref.txt"], {},
     ["argument.missing", "--heldout-ref", "--heldout"]),
    "one list": (TUNE, {"bad.jsonl": LISTS[0]}, ["tuning.one-list", "bad.jsonl: ", "--heldout"]),
    "features that do not vary": (
        TUNE, {"bad.jsonl": features(lambda f, _: dict.fromkeys(f, 1.0))},
        ["tuning.no-variation"]),
    "candidates that are all alike": (
        TUNE, {"bad.jsonl": texts(lambda _: "a b c d")}, ["tuning.no-choice", "BLEU"]),
    "no features": (TUNE, {"bad.jsonl": features(lambda f, _: {})}, ["tuning.no-features"]),
    "too many features for MERT": (TUNE, {"bad.jsonl": features(many_sparse)},
     ["tuning.too-many-features", "305", "max_features"]),
    "no such column of scores": (
        [*GOOD, "--metric", "column:comet"], {},
     ["argument.unknown", "column 'comet'", "mistakes"]),
    "a column without name": ([*GOOD, "--metric", "column"], {},
     ["argument.missing", "metric 'column'"]),
    "one fold": ([*GOOD, "--folds", "1"], {}, ["usage", "--folds", "'1'"]),
    "no replicates": ([*GOOD, "--replicates", "0"], {}, ["usage", "--replicates", "'0'"]),
    "no resamples": ([*GOOD, "--samples", "0"], {}, ["usage", "--samples", "'0'"]),
    "forests that are no lists": (
        ["tune", "bad.rwf", "-o", "out.json"], {"bad.rwf": forests},
     ["file.format", "bad.rwf: forest 0: "]),
    "a damaged set": (["tune", "bad.rwf", "-o", "out.json"], {"bad.rwf": "RWF?"},
     ["file.kind", "bad.rwf: "]),
    "what to do with bad lines": ([*GOOD, "--on-bad-line", "cry"], {},
     ["usage", "--on-bad-line", "'cry'", "stop or skip"]),
    "only bad lines": (
        [*TUNE, "--on-bad-line", "skip"], {"bad.jsonl": "{}\n{}\n"},
     ["tuning.no-lists", "bad.jsonl: ", "bad.jsonl:1: "]),
    "weights twice on standard output": (
        ["tune", "dev.jsonl", "-o", "-", "--json"], {}, ["argument.conflict", "--json", "-o -"]),
    "a config that is missing": ([*GOOD, "--config", "no.json"], {}, ["file.missing", "no.json: "]),
    "a config that is not JSON": (
        [*GOOD, "--config", "c.json"], {"c.json": "folds: 3"}, ["file.format", "c.json: ", "JSON"]),
    "a config that is not TOML": (
        [*GOOD, "--config", "c.toml"], {"c.toml": "folds: 3"}, ["file.format", "c.toml: ", "TOML"]),
    "a config of a list": (
        [*GOOD, "--config", "c.json"], {"c.json": "[3]"}, ["file.kind", "c.json: "]),
    "a config with a name twice": (
        [*GOOD, "--config", "c.json"], {"c.json": '{"k": 1, "k": 2}'},
     ["file.format", "c.json: ", "twice"]),
    "a journal that is none": (
        [*GOOD, "--journal", "j"], {"j": "dear diary\n"}, ["file.kind", "j:1: "]),
    "standard input twice": (["tune", "-", "--heldout", "-"], {},
     ["argument.conflict", "standard input (-)"]),
    # rerank
    "missing weights": (RERANK, {}, ["file.missing", "bad.json: "]),
    "weights that are no numbers": (
        RERANK, {"bad.json": '{"system": true}'}, ["weights.value", "bad.json: ", "'system'"]),
    "too few weights": (RERANK, {"bad.json": '{"system": 1}'},
     ["argument.missing", "bad.json", "'fluency'"]),
    "a weight too many": (RERANK, {"bad.json": json.dumps({**WEIGHTS, "x": 1})},
     ["argument.unknown", "bad.json", "'x'"]),
    "an end of line in a text": (
        ["rerank", "bad.jsonl", "--weights", "weights.json", "-o", "out.txt"],
        {"bad.jsonl": texts(lambda t: t.replace(" ", "\n"))},
        ["tuning.line-break", "bad.jsonl with weights.json: list '0': "]),
    "weights that are too large": (
        RERANK, {"bad.json": json.dumps(dict.fromkeys(WEIGHTS, 1e308))},
     ["tuning.overflow", "bad.json"]),
    "-k without --nbest": (
        ["rerank", "dev.jsonl", "--weights", "weights.json", "-k", "2"], {},
        ["argument.missing", "-k", "--nbest"]),
    "a bad list far down": (
        ["rerank", "bad.jsonl", "--weights", "weights.json", "-o", "out.txt.gz"],
        {"bad.jsonl": changed(11, hyps=[])}, ["line.empty", "bad.jsonl:12: "]),
    "output of a kind we cannot write": (
        ["rerank", "dev.jsonl", "--weights", "weights.json", "-o", "out.bz2"], {},
     ["file.kind", "out.bz2: "]),
    # evaluate
    "no references to evaluate": (["evaluate", "best.txt"], {}, ["argument.missing", "--ref FILE"]),
    "references of another length": (
        ["evaluate", "best.txt", "--ref", "two.txt"], {"two.txt": "a\nb\n"},
        ["file.mismatch", "best.txt has 12 lines, but two.txt has 2"]),
    "a baseline of another length": (
        [*EVALUATE, "--baseline", "two.txt"], {"two.txt": "a\nb\n"},
        ["file.mismatch", "best.txt has 12 lines, but two.txt has 2"]),
    "translations that are empty": (
        ["evaluate", "no.txt", "--ref", "ref.txt"], {"no.txt": ""}, ["file.empty", "no.txt: "]),
    "translations not UTF-8": (
        ["evaluate", "no.txt", "--ref", "ref.txt"], {"no.txt": b"a\n\xff\n"},
     ["file.encoding", "no.txt:2: "]),
    "an unknown metric of two": ([*EVALUATE, "--metric", "bleu,blau"], {},
     ["argument.unknown", "metric 'blau'"]),
    "a metric twice": ([*EVALUATE, "--metric", "bleu,chrf,bleu"], {},
     ["argument.duplicate", "bleu,chrf,bleu"]),
    "an unknown test": (
        [*EVALUATE, "--baseline", "ref.txt", "--test", "oracle"], {},
     ["usage", "--test", "'oracle'", "bootstrap or randomisation"]),
    "scores that are no numbers": (
        [*EVALUATE, "--metric", "column:x", "--scores", "x=bad"], {"bad": "1\ntwo\n"},
     ["line.number", "bad:2: ", "'two'"]),
    "too few scores": (
        [*EVALUATE, "--metric", "column:x", "--scores", "x=bad"], {"bad": "1\n2\n"},
     ["argument.shape", "column 'x'", "12"]),
    "a column without scores": ([*EVALUATE, "--metric", "column:x"], {},
     ["argument.unknown", "column 'x'"]),
    # sweep
    "nothing to try": (SWEEP, {}, ["argument.missing", "--grid NAME"]),
    "a grid without values": ([*SWEEP, "--grid", "restarts"], {}, ["argument.value", "'restarts'"]),
    "a grid with an empty value": ([*SWEEP, "--grid", "restarts=1,,2"], {},
     ["argument.value", "'restarts=1,,2'"]),
    "a grid of an unknown setting": ([*SWEEP, "--grid", "x=1,2"], {},
     ["argument.unknown", "setting 'x'", "restarts"]),
    "a grid out of range": ([*SWEEP, "--grid", "restarts=1,0"], {},
     ["argument.range", "restarts is 0"]),
    "a grid twice": ([*SWEEP, "--grid", "k=1", "--grid", "k=2"], {},
     ["argument.duplicate", "'k=2'"]),
    "a range without trials": ([*SWEEP, "--grid", "nearby=0..1"], {},
     ["argument.missing", "nearby", "trials"]),
    "a range of nothing": (
        [*SWEEP, "--grid", "nearby=a..b", "--random", "2"], {},
     ["argument.value", "'nearby=a..b'"]),
    "a range upside down": (
        [*SWEEP, "--grid", "nearby=1..0", "--random", "2"], {}, ["argument.range", "range"]),
    "a log range from zero": (
        [*SWEEP, "--grid", "nearby=0..1:log", "--random", "2"], {},
     ["argument.range", "logarithmic", "0"]),
    "no trials": ([*SWEEP, "--grid", "nearby=0..1", "--random", "0"], {},
     ["usage", "--random", "'0'"]),
    "a split of everything": ([*SWEEP, "--grid", "k=1,2", "--split", "1"], {},
     ["usage", "--split", "[argument.range]"]),
    "choosing on other features": (
        [*SWEEP, "--grid", "k=1,2", "--select", "bad.jsonl"],
        {"bad.jsonl": features(lambda f, _: {**f, "extra": 1.0})}, ["features.unknown", "'extra'"]),
    "choosing on what is tuned on": (
        [*SWEEP, "--grid", "k=1,2", "--select", "dev.jsonl"], {}, ["argument.conflict", "choose"]),
    "trials that all fail": (
        [*SWEEP, "--method", "pro", "--grid", "threshold=2,3"], {}, ["tuning.no-trials"]),
}  # fmt: skip


@pytest.fixture
def files(tmp_path, monkeypatch):
    """A folder with good files, which is the current one."""
    write_candidates(toy_lists(12, candidates=4, seed=7), tmp_path / "dev.jsonl")
    lists = list(toy_lists(12, candidates=4, seed=7))
    (tmp_path / "best.txt").write_text("".join(each.texts[0] + "\n" for each in lists))
    (tmp_path / "ref.txt").write_text("".join(each.references[0] + "\n" for each in lists))
    (tmp_path / "weights.json").write_text(json.dumps(WEIGHTS))
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("what", BAD)
def test_bad_input(what, files, command):  # noqa: F811
    arguments, contents, (code, *shown) = BAD[what]
    for name, content in contents.items():
        if callable(content):
            content(files / name)
        elif isinstance(content, bytes):
            (files / name).write_bytes(content)
        else:
            (files / name).write_text(content)
    before = {path: path.read_bytes() for path in files.rglob("*") if path.is_file()}
    done = command(*arguments)
    shows(done, code, *shown)
    assert done.out == ""
    assert {path: path.read_bytes() for path in files.rglob("*") if path.is_file()} == before


def test_there_are_enough_kinds():
    assert len(BAD) >= 40


@pytest.mark.parametrize(
    "arguments",
    [
        ["tune"],
        ["rerank", "dev.jsonl"],
        ["tune", "dev.jsonl", "--speed"],
        ["tune", "dev.jsonl", "--seed", "-1"],
        ["tune", "dev.jsonl", "--threads", "0"],
        ["tune", "dev.jsonl", "--folds", "x"],
        ["evaluate", "best.txt", "--ref", "ref.txt", "--samples", "0"],
    ],
)
def test_bad_usage(arguments, files, command):  # noqa: F811
    before = sorted(files.iterdir())
    done = command(*arguments)
    assert done.code == 2
    assert "Traceback" not in done.err
    assert sorted(files.iterdir()) == before


@pytest.mark.parametrize(
    ("text", "code", "shown"),
    [
        ("fold = 3", "argument.unknown", ["option 'fold'", "folds"]),
        ('folds = "many"', "argument.type", ["option 'folds' is 'many'", "a whole number from 2"]),
        ('folds = "5"', "argument.type", ["option 'folds' is '5'", "a whole number from 2"]),
        ("folds = 1", "argument.range", ["option 'folds' is 1", "a whole number from 2"]),
        ("folds = [5]", "argument.type", ["option 'folds' is [5]"]),
        ("folds = true", "argument.type", ["option 'folds' is True"]),
        ("threads = 1.5", "argument.type", ["option 'threads' is 1.5", "a whole number"]),
        ("threads = 0", "argument.range", ["option 'threads' is 0"]),
        ("metric = 3", "argument.type", ["option 'metric' is 3", "a text"]),
        ("output = 3", "argument.type", ["option 'output' is 3", "a text"]),
        ("ref = [3]", "argument.type", ["option 'ref' is 3", "a text"]),
        ('normalize = "l3"', "argument.choice", ["option 'normalize' is 'l3'", "l1"]),
        ("max-memory = 2.5", "argument.type", ["option 'max-memory' is 2.5"]),
        ("quiet = 3", "argument.type", ["option 'quiet' is 3", "True or False"]),
        ("set = {k = {a = 1}}", "argument.type", ["option 'set', 'k',", "a text or a number"]),
        ('set = {restarts = "1"}', "argument.type", ["option 'set': restarts is '1'", "a whole"]),
        ("set = {restarts = -1}", "argument.range", ["option 'set': restarts is -1", "a whole"]),
        ("set = {restart = 1}", "argument.unknown", ["option 'set': ", "'restart'", "restarts"]),
    ],
)
def test_a_config_of_wrong_options_and_types_is_a_fault_of_usage(files, command, text, code, shown):  # noqa: F811
    (files / "c.toml").write_text(text)
    shows(command(*GOOD, "--config", "c.toml"), code, "c.toml: ", *shown, exit_code=2)
