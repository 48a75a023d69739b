"""`rosewood align`: what people type and what they get."""

from __future__ import annotations

import gzip
import json
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from tests import real
from tests.processes import LONGEST, started
from tests.refusals import refuses, shows, warns
from tests.system.commands import command  # noqa: F401

from rosewood import align
from rosewood.align import Aligner, Preparation, alignment_error_rate, read_gold, read_pharaoh
from rosewood.cli import verb
from rosewood.corpus import Corpus, IndexedCorpus, parallel_text
from rosewood.errors import AlignmentError

WORDS = {"das": "the", "haus": "house", "alte": "old", "ist": "is", "klein": "small", "ein": "a",
         "buch": "book", "hier": "here", "und": "and", "nicht": "not"}  # fmt: skip
GERMAN = [
    "das haus ist klein", "das alte haus", "ein buch ist hier", "das buch und das haus", "klein",
    "ein haus ist nicht hier", "das alte buch ist klein", "hier ist das haus", "ein alte buch",
    "das haus und ein buch", "nicht klein", "das buch ist nicht alte",
]  # fmt: skip
ENGLISH = [" ".join(WORDS[word] for word in line.split()) for line in GERMAN]
STRAIGHT = [" ".join(f"{n}-{n}" for n in range(len(line.split()))) for line in GERMAN]


def write(path, lines):
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


@pytest.fixture
def files(tmp_path):
    write(tmp_path / "a.de", GERMAN)
    write(tmp_path / "a.en", ENGLISH)
    write(tmp_path / "gold", STRAIGHT)
    return tmp_path


@pytest.fixture
def sides(files):
    return files / "a.de", files / "a.en"


def test_links_go_to_a_file_or_to_standard_output(command, files, sides):  # noqa: F811
    done = command("align", *sides, "-o", files / "out.gz")
    assert done == (0, "12 sentence pairs, 46 links (best, grow-diag-final-and)\n", "")
    assert gzip.decompress((files / "out.gz").read_bytes()).decode().splitlines() == STRAIGHT
    shown = command("align", *sides, "-o", "-", "--quiet")
    assert shown.out.splitlines() == STRAIGHT
    assert shown.err == done.out


def test_a_pipe_is_written_directly(files):
    arguments = ["align", "a.de", "a.en", "-o", "/dev/stdout", "--scores", "scores"]
    done = subprocess.run([sys.executable, "-m", "rosewood", *arguments], cwd=files,
                          capture_output=True, text=True, check=True)  # fmt: skip
    assert done.stdout.splitlines()[:12] == STRAIGHT


@pytest.mark.parametrize("model", ["best", "hmm", "diag", "model1"])
def test_it_is_what_python_gives(command, files, sides, model):  # noqa: F811
    corpus = IndexedCorpus.from_files(*sides)
    aligner, aligned = Aligner.fit_align(corpus, model)
    wanted = {"union": aligned.symmetrize("union"), "backward": aligned.backward}
    both = [*aligner.posteriors(corpus)]
    wanted["threshold:0.3"] = align.threshold(
        [each.forward for each in both], [each.backward for each in both], "geometric", 0.3
    )
    for method, links in wanted.items():
        command("align", *sides, "-o", files / "out", "--model", model, "--symmetrize", method,
                "--threads", 2)  # fmt: skip
        assert read_pharaoh(files / "out") == links


def test_new_text_with_a_saved_aligner(command, files, sides):  # noqa: F811
    folder = files / "aligner"
    assert command("align", *sides, "--save", folder, "--set", "iterations=4").code == 0
    assert Aligner.load(folder).model.to_dict()["iterations"] == 4
    write(files / "new.tsv", ["das kleine buch\tthe small book", "hier\there"])
    done = command("align", files / "new.tsv", "--load", folder, "-o", "-", "--verify")
    assert done.out.splitlines() == ["0-0 1-1 2-2", "0-0"]
    told = command("align", "--load", folder, "--verify")
    assert told.out == "Aligner(best, 10 source and 10 target words)\n"
    assert command("align", "--load", folder, "--lexicon", files / "lex").code == 0
    assert "haus\thouse\t" in (files / "lex").read_text()
    (folder / "pairs.count").write_bytes(b"\0" * (folder / "pairs.count").stat().st_size)
    shows(command("align", "--load", folder), "argument.missing")
    damaged = command("align", "--load", folder, "--verify")
    shows(damaged, "file.changed", folder / "pairs.count")


def test_text_is_prepared_in_the_same_way_again(command, files):  # noqa: F811
    raw = [f"{line.capitalize()}." for line in GERMAN], [f"{line.upper()}." for line in ENGLISH]
    sides = write(files / "raw.de", raw[0]), write(files / "raw.en", raw[1])
    kept = ["-o", files / "out", "--words", files / "words", "--save", files / "aligner"]
    done = command("align", *sides, "-l", "de:en", "--tokeniser", "unicode", "--lowercase", *kept)
    assert done.code == 0
    words = (files / "words").read_text().splitlines()
    assert words[0] == "das haus ist klein .\tthe house is small ."
    assert (files / "out").read_text().splitlines()[0] == "0-0 1-1 2-2 3-3 4-4"
    how = Preparation.of(Aligner.load(files / "aligner").notes)
    assert how == Preparation("unicode", ("de", "en"), lowercase=True)
    write(files / "new.jsonl", ['{"source": "Das HAUS.", "target": "The HOUSE."}'])
    new = command("align", files / "new.jsonl", "--load", files / "aligner", "-o", "-")
    assert new.out == "0-0 1-1 2-2\n"
    lower = command("align", *sides, "--lowercase", "--words", "-", "--model", "model1")
    assert lower.out.splitlines()[0] == "das haus ist klein.\tthe house is small."
    twice = command("align", *sides, "--load", files / "aligner", "--lowercase", "-o", "-")
    shows(twice, "argument.conflict", "--lowercase")
    for notes in ({"text": 1}, {"text": {"languages": 1}}, {"text": {"lowercase": "yes"}}):
        with refuses(AlignmentError, "file.damaged", argument="notes", value=notes):
            Preparation.of(notes)


def test_every_line_of_the_files_has_a_line(command, files):  # noqa: F811
    good = zip(GERMAN, ENGLISH, strict=True)
    source, target = map(list, zip(*good, strict=True))
    source[1], target[4], source[6] = "", " ", "zu " * 30
    write(files / "b.de", source)
    write(files / "b.en", target)
    both = files / "b.de", files / "b.en"
    (files / "b.en").write_bytes((files / "b.en").read_bytes().replace(b"a book is here", b"\xff"))
    stopped = command("align", *both, "-o", files / "out")
    shows(stopped, "file.encoding", f"{files / 'b.en'}:3:")
    assert not (files / "out").exists()
    beside = ["--scores", files / "scores", "--posteriors", files / "posteriors"]
    how = ["--on-bad-line", "blank", "--max-words", 9, "--json"]
    done = command("align", *both, "-o", files / "out", *beside, *how)
    told = json.loads(done.out)
    assert (told["pairs"], told["blank"], told["too_long"]) == (12, 4, 1)
    assert told["skipped"] == {"not UTF-8": 1}
    warns(done.err, "pairs", 4)
    links = (files / "out").read_text().splitlines()
    blank = [1, 2, 4, 6]
    assert [n for n, line in enumerate(links) if not line] == blank
    assert links[11] == STRAIGHT[11]
    scores = [line.split("\t") for line in (files / "scores").read_text().splitlines()]
    assert [n for n, row in enumerate(scores) if row == ["-inf", "-inf"]] == blank
    assert all(float(value) <= 0 for row in scores for value in row)
    rows = [json.loads(line) for line in (files / "posteriors").read_text().splitlines()]
    assert [n for n, row in enumerate(rows) if not row] == blank
    assert all(0 <= p <= 1 and 0 <= q <= 1 for row in rows for _, _, p, q in row)


def test_large_corpora_are_on_disk(command, files, sides, monkeypatch, tmp_path):  # noqa: F811
    place = tmp_path / "scratch"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    made = []
    build = IndexedCorpus.build.__func__
    monkeypatch.setattr(
        IndexedCorpus, "build", classmethod(lambda *a, **k: made.append(1) or build(*a, **k))
    )
    table = "".join(f"{one}\t{other}\n" for one, other in zip(GERMAN, ENGLISH, strict=True))
    piped = command("align", "-", "--format", "tsv", "-o", "-", text=table)
    assert (piped.out.splitlines(), made) == (STRAIGHT, [1])
    assert command("align", *sides, "-o", "-").out == piped.out
    assert made == [1]
    monkeypatch.setattr(parallel_text, "SMALL_CORPUS", 10)
    assert command("align", *sides, "-o", "-").out == piped.out
    assert made == [1, 1]
    lost = command("align", *sides, "none", "none", "-o", "-")
    shows(lost, "file.missing", "none:", is_only_line=False)
    assert list(place.iterdir()) == []


def test_blank_pairs_stand_in_for_bad_ones(tmp_path):
    write(tmp_path / "a.tsv", ["a\tb", "alone", "c\td"])
    corpus = Corpus.read(tmp_path / "a.tsv", on_bad_line="blank")
    found = [*corpus]
    assert [(pair.source, pair.target) for pair in found] == [("a", "b"), ("", ""), ("c", "d")]
    assert str(found[1].origin) == f"{tmp_path / 'a.tsv'}:2"
    assert corpus.skipped == {"number of fields": 1}


def test_an_indexed_corpus(command, files, sides):  # noqa: F811
    folder = files / "idx"
    done = command("corpus", "index", *sides, "-o", folder)
    assert done.out.splitlines()[0] == "pairs\t12"
    verified = command("corpus", "verify", folder, "--json")
    assert json.loads(verified.out)["source"] == {"words": 46, "types": 10, "longest": 5}
    assert command("align", folder, "-o", "-", "-q").out.splitlines() == STRAIGHT
    for more in (["--lowercase"], ["--max-words", 3], ["--format", "tsv"]):
        refused = command("align", folder, "-o", "-", *more)
        shows(refused, "argument.conflict", folder, more[0])
    shows(command("align", folder, *sides, "-o", "-"), "argument.conflict", folder)
    inside = command("align", folder, "-o", folder / "source.ids")
    shows(inside, "argument.conflict", f"-o {folder / 'source.ids'}")
    (folder / "source.words").write_bytes(b"?" * (folder / "source.words").stat().st_size)
    damaged = command("corpus", "verify", folder)
    shows(damaged, "file.changed", folder / "source.words")
    again = command("corpus", "index", *sides, "-o", folder, "--on-bad-line", "blank")
    assert again.code == 0
    inside = write(folder / "b.de", GERMAN)
    lost = command("corpus", "index", inside, sides[1], "-o", folder)
    shows(lost, "argument.conflict", folder, inside)
    assert inside.exists()


def test_gold_and_pictures(command, files, sides):  # noqa: F811
    gold = ["--gold", files / "gold"]
    done = command("align", *sides, *gold, "--show", 5, "--show", 1)
    lines = done.out.splitlines()
    assert lines[:5] == ["Line 5", "      k", "      l", "      e", "      i"]
    assert "house · ██· ·" in lines
    assert lines[-1] == "AER 0.0000, precision 1.0000, recall 1.0000 on 12 sentence pairs with gold"
    write(files / "part", ["", "0-0 1-1 2p3", ""])
    rest = ["--gold", files / "part", "--first-line", 5]
    told = json.loads(command("align", *sides, *rest, "--json").out)["gold"]
    assert (told["sentences"], told["sure"], told["precision"]) == (1, 2, 0.4)
    for name, numbers in (("p.svg", [6]), ("p.html", [5, 1])):
        shows = [each for n in numbers for each in ("--show", n)]
        assert command("align", *sides, *rest, *shows, "--picture", files / name).code == 0
        picture = (files / name).read_text(encoding="utf-8")
        assert picture.count("<svg") == len(numbers)
        assert "posterior" in picture
    write(files / "empty.de", ["", *GERMAN])
    write(files / "empty.en", ["", *ENGLISH])
    empty = command("align", files / "empty.de", files / "empty.en", "--show", 1)
    assert empty.code == 0


def test_long_sentences_are_told_of(command, files, sides):  # noqa: F811
    write(files / "long.tsv", ["\t".join([" ".join(GERMAN[:9] * 17)] * 2)])
    alone = [files / "long.tsv", "-o", files / "out", "-q"]
    done = command("align", *alone, "--model", "hmm", "--set", "iterations=1")
    warns(done.err, 578, "hmm", "--max-words")
    assert command("align", *alone, "--model", "diag").err == ""
    left = command("align", *sides, *alone, "--max-words", 500)
    assert "hmm" not in left.err
    assert (files / "out").read_text().splitlines()[12:] == [""]


def test_the_guide_names_every_model_and_option():
    guide = (Path(__file__).parents[2] / "docs/alignment.md").read_text(encoding="utf-8")
    assert all(f"`{name}`" in guide for name in (*align.MODELS, "hmm", "threshold:0.4"))
    nested = [each for name in ("links", "corpus", "text") for each in verb(name).commands.values()]
    own_verb = verb("align")
    known = {o for each in (own_verb, *nested) for option in each.params for o in option.opts}
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", guide)) <= known
    elsewhere = {"--output", "--order", "--threads", "--quiet", "--json", "--config", "--format",
                 "--languages", "--line-characters", "--model", "--help"}  # fmt: skip
    own = {max(each.opts, key=len) for each in own_verb.params if each.opts[0][0] == "-"}
    assert {option for option in own if option not in guide} <= elsewhere


def test_settings_are_listed(command):  # noqa: F811
    shown = command("align", "--list-settings").out
    assert "best: Collapsed HMMs that agree" in shown
    assert "  learn_tension  true " in shown
    one = json.loads(command("align", "--list-settings", "--model", "hmm", "--json").out)
    assert one["settings"][1]["name"] == "null"


def test_options_from_a_file(command, files, sides):  # noqa: F811
    table = {"model": "model1", "set": {"iterations": 2}, "output": str(files / "out")}
    write(files / "how.json", [json.dumps(table)])
    done = command("align", *sides, "--config", files / "how.json", "--json")
    told = json.loads(done.out)
    assert (told["model"], told["training"]["rounds"]) == ("model1", 2)
    assert (files / "out").exists()


@pytest.mark.parametrize(
    ("arguments", "code", "fields"),
    [
        (["a.de"], "corpus.one-side", "a.de:"),
        (["a.de", "none"], "file.missing", "none:"),
        (["a.de", "a.en", "--model", "tree"], "argument.unknown", "'tree'"),
        (["a.de", "a.en", "--set", "null=2"], "argument.range", "null 2.0"),
        (["a.de", "a.en", "--set", "x=2"], "argument.unknown", "best 'x'"),
        (["a.de", "a.en", "--symmetrize", "half"], "argument.choice", "symmetrize 'half'"),
        (["a.de", "a.en", "--symmetrize", "threshold:2"], "argument.range", "'threshold:2'"),
        (["a.de", "a.en", "--symmetrize", "threshold"], "argument.range", "'threshold'"),
        (["a.de", "a.en", "--order", "mine"], "argument.choice", "order 'mine'"),
        (["a.de", "a.en", "--on-bad-line", "hide"], "usage", "--on-bad-line 'hide'"),
        (["a.de", "a.en", "--on-bad-line", "skip"], "usage", "--on-bad-line 'skip'"),
        (["a.de", "a.en", "--tokeniser", "knife"], "argument.unknown", "'knife'"),
        (["a.de", "a.en", "--save", "."], "file.exists", ".: aligner.json"),
        (["a.de", "a.en", "--save", "no/folder"], "file.missing", "no/folder:"),
        (["a.de", "a.en", "--save", "-"], "argument.value", "--save"),
        (["a.de", "a.en", "--save", "out"], "argument.conflict", "out:"),
        (["a.de", "a.en", "--scores", "a.de"], "file.exists", "a.de: --scores"),
        (["a.de", "a.en", "--scores", "out"], "argument.duplicate", "out: --scores -o"),
        (["a.de", "a.en", "--load", "none"], "file.missing", "none/aligner.json:"),
        (["a.de", "a.en", "--load", "none", "--save", "x"], "argument.conflict", "--load --save"),
        (["a.de", "a.en", "--verify"], "argument.missing", "--verify --load"),
        (["a.de", "a.en", "--gold", "part"], "file.mismatch", "part: --first-line"),
        (["a.de", "a.en", "--gold", "part", "--first-line", "12"], "file.mismatch", "part: 12"),
        (["a.de", "a.en", "--gold", "part", "--first-line", "4"], "line.value", "part:1: 0-9"),
        (["a.de", "a.en", "--gold", "void"], "file.empty", "void:"),
        (["a.de", "a.en", "--show", "13"], "argument.range", "show 13 12"),
        (["a.de", "a.en", "--picture", "p.svg"], "argument.missing", "--picture --show"),
        (["a.de", "a.en", "--show", "1", "--picture", "p.png"], "argument.value",
         "--picture p.png:"),
        (["a.de", "a.en", "--show", "1", "--show", "2", "--picture", "p.svg"],
         "argument.value", "--picture p.svg:"),
        (["a.de", "a.en", "--show", "1", "--show", "2", "--picture", "p.SVG"],
         "argument.value", "--picture p.SVG:"),
        (["a.de", "a.en", "--show", "1", "--json"], "argument.conflict", "--show --json"),
        (["a.de", "a.en", "--first-line", "2"], "argument.missing", "--first-line --gold"),
        (["void", "void"], "alignment.no-pairs", ""),
    ],
)  # fmt: skip
def test_refusals(command, files, arguments, code, fields, monkeypatch):  # noqa: F811
    monkeypatch.chdir(files)
    write(files / "part", ["0-0", "0-9"] if "12" in arguments else ["0-9", "0-0"])
    write(files / "void", [""] * 12)
    before = sorted(files.iterdir())
    done = command("align", *arguments, "-o", "out")
    assert done.out == ""
    shows(done, code, *fields.split(), is_only_line=False)
    assert sorted(files.iterdir()) == before


@pytest.mark.parametrize(
    ("arguments", "code", "fields"),
    [
        ([], "argument.missing", "-o"),
        (["-o", "-", "--json"], "argument.conflict", "-o --json"),
        (["-o", "-", "--scores", "-"], "argument.conflict", "-o --scores"),
        (["-o", "-", "--show", 1], "argument.conflict", "-o --show"),
        (["--lexicon", "-"], "argument.value", "--lexicon"),
    ],
)
def test_one_thing_at_a_time_on_standard_output(command, sides, arguments, code, fields):  # noqa: F811
    done = command("align", *sides, *arguments)
    assert done.out == ""
    shows(done, code, *fields.split())


def test_what_is_missing_is_told(command, sides, files):  # noqa: F811
    shows(command("align", "-o", "-"), "usage", "SOURCES")
    assert command("align", *sides, "--save", files / "aligner").code == 0
    refused = command("align", "--load", files / "aligner", "--scores", files / "x")
    shows(refused, "usage", "SOURCES", "--scores")


def test_stopping_leaves_nothing(files):
    write(files / "l.de", ["", *GERMAN * 2000])
    write(files / "l.en", ["", *ENGLISH * 2000])
    before = sorted(files.iterdir())
    arguments = ["align", "l.de", "l.en", "-o", "out", "--save", "aligner", "--set"]
    with started(
        [sys.executable, "-m", "rosewood", *arguments, "iterations=1000"], cwd=files,
        stderr=subprocess.PIPE, stdout=subprocess.PIPE,
    ) as running:  # fmt: skip
        assert b"pairs" in running.stderr.readline()  # training begins
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=LONGEST)
    assert (running.returncode, out, err) == (130, b"", b"rosewood: stopped\n")
    assert sorted(files.iterdir()) == before


@pytest.mark.slow
@pytest.mark.longest
def test_real_text(command, tmp_path, monkeypatch):  # noqa: F811
    """Novels: below 0.089 and 0.105, which is what eflomal reaches."""
    fitted, found = Aligner.fit_align, []

    def fit_align(*arguments, **keywords):
        found.append(fitted(*arguments, **keywords))
        return found[0]

    monkeypatch.setattr(Aligner, "fit_align", fit_align)
    sides = real.path_of("novels-fr-en/train.fr.gz"), real.path_of("novels-fr-en/train.en.gz")
    gold = real.path_of("novels-fr-en/gold.align.gz")
    done = command("align", *sides, "-o", tmp_path / "out", "--gold", gold, "--first-line", 5036,
                   "--json", "-q")  # fmt: skip
    error = json.loads(done.out)["gold"]["aer"]
    links = read_pharaoh(tmp_path / "out")
    assert alignment_error_rate(links, read_gold(gold), first_line=5036) == error
    ((_, aligned),) = found
    for method, most in (("intersection", 0.068), ("grow-diag-final-and", 0.071)):
        of_method = aligned.symmetrize(method)
        assert alignment_error_rate(of_method, read_gold(gold), first_line=5036) < most
    assert error == alignment_error_rate(of_method, read_gold(gold), first_line=5036)
