"""Bad input to tune, rerank, evaluate and sweep: a reason on one line, and no file left behind."""

from __future__ import annotations

import gzip
import json
import re

import pytest
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


# What is wrong: the command, files to write first, a part of the reason.
BAD = {
    "a missing file": (
        ["tune", "nowhere.jsonl", "-o", "out.json"], {}, "nowhere.jsonl: No such file"),
    "an empty file": (TUNE, {"bad.jsonl": ""}, "bad.jsonl: there are no lists of candidates in it"),
    "a folder": (["tune", "folder", "-o", "out.json"], {}, "folder: Is a directory"),
    "output in no folder": (
        ["tune", "dev.jsonl", "-o", "no/out.json"], {}, "there is no folder 'no'"),
    "output is a folder": (["tune", "dev.jsonl", "-o", "folder"], {}, "folder: -o: it is a folder"),
    "output in a file": (
        ["tune", "dev.jsonl", "-o", "ref.txt/o"], {}, "there is no folder 'ref.txt'"),
    "report in no folder": (
        ["tune", "dev.jsonl", "--report", "no/o.html"], {}, "--report: there is no"),
    "two outputs in one file": (
        ["tune", "dev.jsonl", "-o", "out", "--report", "out"], {}, "out: --report: -o goes there"),
    "output over input": (["tune", "dev.jsonl", "-o", "dev.jsonl"], {}, "it is read, too"),
    "a full disk": (["tune", "dev.jsonl", "-o", "/dev/full"], {}, "No space left"),
    "NaN": (
        TUNE, {"bad.jsonl": changed(3, hyps=[{"text": "a", "features": {"system": float("nan")}}])},
            "bad.jsonl:4: "),
    "NaN in an n-best list": (
        ["tune", "bad.nbest", "-o", "out.json", "--ref", "ref.txt"],
        {"bad.nbest": "0 ||| a ||| lm= nan ||| 1\n"}, "bad.nbest:1: feature 'lm_0' is 'nan'"),
    "a number that is too large": (
        TUNE, {"bad.jsonl": LISTS[0].replace('"words": ', '"words": 1e999')},
                                   "bad.jsonl:1: "),
    "a missing feature": (
        TUNE, {"bad.jsonl": changed(2, hyps=[{"text": "a", "features": {"system": 1}}])},
        "bad.jsonl:3: "),
    "an empty list": (TUNE, {"bad.jsonl": changed(4, hyps=[])}, "bad.jsonl:5: "),
    "an id twice": (TUNE, {"bad.jsonl": changed(5, id="0")}, "bad.jsonl:6: id '0' stands twice"),
    "no references": (
        TUNE, {"bad.jsonl": "".join(json.dumps({**json.loads(x),
        "refs": []}) + "\n" for x in LISTS)},
        "bad.jsonl:1: .*no reference"),
    "another number of references": (
        TUNE, {"bad.jsonl": changed(6, refs=["a", "b"])}, "bad.jsonl:7: "),
    "too few lines of references": (
        ["tune", "bad.nbest", "-o", "out.json", "--ref", "two.txt"],
        {"bad.nbest": "0 ||| a ||| lm= 1 ||| 1\n", "two.txt": "a\nb\n"}, "two.txt"),
    "not UTF-8": (
        TUNE, {"bad.jsonl": LISTS[0].encode() + b"\n\xff\n"}, "bad.jsonl:2: it is not UTF-8"),
    "not JSON": (TUNE, {"bad.jsonl": LISTS[0] + "\n{]\n"}, "bad.jsonl:2: it is not JSON"),
    "not gzip": (
        ["tune", "bad.jsonl.gz"], {"bad.jsonl.gz": "hello\n"}, "bad.jsonl.gz:1: .*damaged"),
    "half a gzip": (
        ["tune", "bad.jsonl.gz"], {"bad.jsonl.gz": gzip.compress("\n".join(LISTS).encode())[:-900]},
        "damaged"),
    "an unknown metric": ([*GOOD, "--metric", "bluu"], {}, "there is no metric 'bluu'"),
    "a metric's bad setting": ([*GOOD, "--metric", "bleu:tokenize=klingon"], {}, "klingon"),
    "an unknown learner": ([*GOOD, "--method", "magic"], {}, "there is no learner 'magic'"),
    "an unknown setting": ([*GOOD, "--set", "speed=3"], {}, "mert has no setting 'speed'"),
    "a setting out of range": (
        [*GOOD, "--set", "restarts=0"], {}, "restarts is 0, want .*at least 1"),
    "a setting that is no number": ([*GOOD, "--set", "restarts=many"], {}, "restarts is 'many'"),
    "a setting without value": (
        [*GOOD, "--set", "restarts"], {}, "--set restarts: want name=value"),
    "a setting twice": ([*GOOD, "--set", "k=3", "--set", "k=4"], {}, "k is set twice"),
    "an unknown format": ([*GOOD, "--format", "xml"], {}, "the format is 'xml'"),
    "an unknown normalisation": ([*GOOD, "--normalize", "l3"], {}, "'l3', want l1, l2 or none"),
    "starting weights that are missing": (
        [*GOOD, "--start", "nowhere.json"], {}, "nowhere.json: No"),
    "a starting weight NaN": (
        [*GOOD, "--start", "bad.json"], {"bad.json": '{"system": NaN}'},
        "bad.json: .*'system' is nan"),
    "a starting weight missing": (
        [*GOOD, "--start", "bad.json"], {"bad.json": '{"system": 1}'},
        "no weight for .* 'fluency'"),
    "a starting weight misspelt": (
        [*GOOD, "--start", "bad.json"], {"bad.json": json.dumps({**WEIGHTS, "wrods": 1})},
        "'wrods'"),
    "a starting weight twice": (
        [*GOOD, "--start", "bad.json"], {"bad.json": '{"a": 1, "a": 2}'},
        "bad.json: .*stands twice"),
    "starting weights not JSON": (
        [*GOOD, "--start", "bad.json"], {"bad.json": "lm 1"}, "bad.json: .*JSON"),
    "held-out lists with other features": (
        [*GOOD, "--heldout", "bad.jsonl"],
        {"bad.jsonl": features(lambda f, _: {**f, "extra": 1.0})}, "held-out .*'extra'"),
    "held-out lists without a feature": (
        [*GOOD, "--heldout", "bad.jsonl"],
        {"bad.jsonl": features(lambda f, _: {"system": f["system"]})}, "held-out .*'fluency'"),
    "held out what is tuned on": ([*GOOD, "--heldout", "dev.jsonl"], {}, "held-out .* tuned on"),
    "held-out references without lists": (
        [*GOOD, "--heldout-ref", "ref.txt"], {}, "--heldout-ref belongs to --heldout"),
    "one list": (TUNE, {"bad.jsonl": LISTS[0]}, "bad.jsonl: there is only one list"),
    "features that do not vary": (
        TUNE, {"bad.jsonl": features(lambda f, _: dict.fromkeys(f, 1.0))},
        "no feature varies within any list"),
    "candidates that are all alike": (
        TUNE, {"bad.jsonl": texts(lambda _: "a b c d")}, "BLEU does not vary within any list"),
    "no features": (TUNE, {"bad.jsonl": features(lambda f, _: {})}, "have no features"),
    "too many features for MERT": (TUNE, {"bad.jsonl": features(many_sparse)}, "not meant for 305"),
    "no such column of scores": (
        [*GOOD, "--metric", "column:comet"], {}, "list 0: there is no column 'comet'"),
    "a column without name": ([*GOOD, "--metric", "column"], {}, "column needs its column"),
    "one fold": ([*GOOD, "--folds", "1"], {}, "1 folds: .*at least two"),
    "no replicates": ([*GOOD, "--replicates", "0"], {}, "0 replicates: .*at least one"),
    "no resamples": ([*GOOD, "--samples", "0"], {}, "0 samples: "),
    "forests that are no lists": (
        ["tune", "bad.rwf", "-o", "out.json"], {"bad.rwf": forests}, "list"),
    "a damaged set": (["tune", "bad.rwf", "-o", "out.json"], {"bad.rwf": "RWF?"}, "bad.rwf: "),
    "what to do with bad lines": ([*GOOD, "--on-bad-line", "cry"], {}, "on_bad_line is 'cry'"),
    "only bad lines": (
        [*TUNE, "--on-bad-line", "skip"], {"bad.jsonl": "{}\n{}\n"}, "all 2 are bad"),
    "weights twice on standard output": (
        ["tune", "dev.jsonl", "-o", "-", "--json"], {}, "--json prints the weights already"),
    "a config that is missing": ([*GOOD, "--config", "no.json"], {}, "no.json: No such file"),
    "a config that is not JSON": (
        [*GOOD, "--config", "c.json"], {"c.json": "folds: 3"}, "c.json: .*JSON"),
    "a config that is not TOML": (
        [*GOOD, "--config", "c.toml"], {"c.toml": "folds: 3"}, "c.toml: .*TOML"),
    "a config of a list": (
        [*GOOD, "--config", "c.json"], {"c.json": "[3]"}, "c.json: want a table"),
    "a config with an unknown option": (
        [*GOOD, "--config", "c.json"], {"c.json": '{"fold": 3}'},
        "c.json: there is no option 'fold'"),
    "a config with a bad number": (
        [*GOOD, "--config", "c.toml"], {"c.toml": 'folds = "many"'},
        "c.toml: option 'folds': .*integer"),
    "a config with a bad flag": (
        [*GOOD, "--config", "c.toml"], {"c.toml": "quiet = 3"},
        "c.toml: option 'quiet': .*true or false"),
    "a config with a name twice": (
        [*GOOD, "--config", "c.json"], {"c.json": '{"k": 1, "k": 2}'}, "c.json: .*stands twice"),
    "a journal that is none": (
        [*GOOD, "--journal", "j"], {"j": "dear diary\n"}, "j:1: it is not a journal"),
    "standard input twice": (["tune", "-", "--heldout", "-"], {}, "standard input .* only once"),
    # rerank
    "missing weights": (RERANK, {}, "bad.json: No such file"),
    "weights that are no numbers": (
        RERANK, {"bad.json": '{"system": true}'}, "bad.json: .*'system'"),
    "too few weights": (RERANK, {"bad.json": '{"system": 1}'}, "no weight for feature 'fluency'"),
    "a weight too many": (RERANK, {"bad.json": json.dumps({**WEIGHTS, "x": 1})}, "weight for 'x'"),
    "an end of line in a text": (
        ["rerank", "bad.jsonl", "--weights", "weights.json", "-o", "out.txt"],
        {"bad.jsonl": texts(lambda t: t.replace(" ", "\n"))},
        "bad.jsonl with weights.json: list '0': .*end of line"),
    "weights that are too large": (
        RERANK, {"bad.json": json.dumps(dict.fromkeys(WEIGHTS, 1e308))}, "does not fit a double"),
    "-k without --nbest": (
        ["rerank", "dev.jsonl", "--weights", "weights.json", "-k", "2"], {},
        "-k belongs to --nbest"),
    "a bad list far down": (
        ["rerank", "bad.jsonl", "--weights", "weights.json", "-o", "out.txt.gz"],
        {"bad.jsonl": changed(11, hyps=[])}, "bad.jsonl:12: "),
    "output of a kind we cannot write": (
        ["rerank", "dev.jsonl", "--weights", "weights.json", "-o", "out.bz2"], {}, "out.bz2: "),
    # evaluate
    "no references to evaluate": (["evaluate", "best.txt"], {}, "--ref FILE"),
    "references of another length": (
        ["evaluate", "best.txt", "--ref", "two.txt"], {"two.txt": "a\nb\n"},
        "best.txt has 12 lines, but two.txt has 2"),
    "a baseline of another length": (
        [*EVALUATE, "--baseline", "two.txt"], {"two.txt": "a\nb\n"},
        "best.txt has 12 lines, but two.txt has 2"),
    "translations that are empty": (
        ["evaluate", "no.txt", "--ref", "ref.txt"], {"no.txt": ""}, "no.txt: there are no lines"),
    "translations not UTF-8": (
        ["evaluate", "no.txt", "--ref", "ref.txt"], {"no.txt": b"a\n\xff\n"}, "no.txt:2: .*UTF-8"),
    "an unknown metric of two": ([*EVALUATE, "--metric", "bleu,blau"], {}, "no metric 'blau'"),
    "a metric twice": ([*EVALUATE, "--metric", "bleu,chrf,bleu"], {}, "bleu is asked for twice"),
    "an unknown test": (
        [*EVALUATE, "--baseline", "ref.txt", "--test", "oracle"], {}, "there is no test 'oracle'"),
    "scores that are no numbers": (
        [*EVALUATE, "--metric", "column:x", "--scores", "x=bad"], {"bad": "1\ntwo\n"}, "bad:2: "),
    "too few scores": (
        [*EVALUATE, "--metric", "column:x", "--scores", "x=bad"], {"bad": "1\n2\n"}, "column 'x'"),
    "a column without scores": ([*EVALUATE, "--metric", "column:x"], {}, "there is no column 'x'"),
    # sweep
    "nothing to try": (SWEEP, {}, "--grid NAME"),
    "a grid without values": ([*SWEEP, "--grid", "restarts"], {}, "'restarts': want name="),
    "a grid with an empty value": ([*SWEEP, "--grid", "restarts=1,,2"], {}, "a value is missing"),
    "a grid of an unknown setting": ([*SWEEP, "--grid", "x=1,2"], {}, "mert has no setting 'x'"),
    "a grid out of range": ([*SWEEP, "--grid", "restarts=1,0"], {}, "restarts is 0"),
    "a grid twice": ([*SWEEP, "--grid", "k=1", "--grid", "k=2"], {}, "given twice"),
    "a range without trials": ([*SWEEP, "--grid", "nearby=0..1"], {}, "nearby is a range"),
    "a range of nothing": (
        [*SWEEP, "--grid", "nearby=a..b", "--random", "2"], {}, "'nearby=a..b': a range is"),
    "a range upside down": (
        [*SWEEP, "--grid", "nearby=1..0", "--random", "2"], {}, "from a number to a larger one"),
    "a log range from zero": (
        [*SWEEP, "--grid", "nearby=0..1:log", "--random", "2"], {}, "begins above 0"),
    "no trials": ([*SWEEP, "--grid", "nearby=0..1", "--random", "0"], {}, "0 trials: "),
    "a split of everything": ([*SWEEP, "--grid", "k=1,2", "--split", "1"], {}, "the split is 1.0"),
    "choosing on other features": (
        [*SWEEP, "--grid", "k=1,2", "--select", "bad.jsonl"],
        {"bad.jsonl": features(lambda f, _: {**f, "extra": 1.0})}, "'extra'"),
    "choosing on what is tuned on": (
        [*SWEEP, "--grid", "k=1,2", "--select", "dev.jsonl"], {}, "that choose .*tuned on"),
    "trials that all fail": (
        [*SWEEP, "--method", "pro", "--grid", "threshold=2,3"], {}, "no trial came to an end"),
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
    arguments, contents, reason = BAD[what]
    for name, content in contents.items():
        if callable(content):
            content(files / name)
        elif isinstance(content, bytes):
            (files / name).write_bytes(content)
        else:
            (files / name).write_text(content)
    before = {path: path.read_bytes() for path in files.rglob("*") if path.is_file()}
    done = command(*arguments)
    assert done.code == 1, done
    assert done.out == ""
    lines = done.err.splitlines()
    assert len(lines) == 1, done.err
    assert lines[0].startswith("rosewood: ")
    assert re.search(reason, lines[0]), lines[0]
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
