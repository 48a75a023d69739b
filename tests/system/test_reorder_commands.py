"""`rosewood reorder`: what stays behind, what is refused, and that examples of the help work."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from tests.refusals import shows, warns
from tests.system.commands import command, run  # noqa: F401
from tests.training import contents

from rosewood.align import Links
from rosewood.corpus import IndexedCorpus, WordClasses
from rosewood.corpus.phrasebook import Phrasebook
from rosewood.reorder import REORDERING, CorpusEvents, LinearReordering, ReorderingSettings

EVENT = "swap ||| a ||| A ||| a&A ||| <s> </s>\n"
TRAIN = ("reorder", "train", "train.de", "train.en", "-a", "links", "-q")


@pytest.fixture(scope="module")
def book():
    return Phrasebook("en-de", seed=1, reverse=True).split(train=60)[0]


@pytest.fixture
def place(tmp_path, monkeypatch, book):
    monkeypatch.chdir(tmp_path)
    Path("train.de").write_text("".join(f"{' '.join(pair.source)}\n" for pair in book))
    Path("train.en").write_text("".join(f"{' '.join(pair.target)}\n" for pair in book))
    rows = (" ".join(f"{i}-{j}" for i, j in sorted(pair.possible)) for pair in book)
    Path("links").write_text("".join(f"{row}\n" for row in rows))
    return tmp_path


class Stopped(Exception):
    """Somebody stops the work."""


def trained(
    book, work: str | None, *, stop: str | None = None, method: str = "maxent", **settings
) -> LinearReordering:
    """A model; or work that is stopped in the passes of a direction over its examples."""
    chosen = ReorderingSettings(**settings)
    links = Links.of(pair.possible for pair in book)
    events = CorpusEvents(
        IndexedCorpus.from_pairs(book), links, kind=chosen.kind, classes=chosen.classes,
        directions=chosen.directions, max_phrase=chosen.max_phrase,
    )  # fmt: skip

    def told(what: str, *_: object) -> None:
        steps.append(what)
        if stop and what.startswith(stop):
            raise Stopped

    steps: list[str] = []
    try:
        model = REORDERING[method].train(events, chosen, work=work, told=told)
    finally:
        trained.steps = steps
    return model


def test_nothing_stays_behind_and_nothing_old_is_used(place, run):  # noqa: F811
    for number, more in enumerate(
        ([], ["--orientation", "word"], ["--classes", "msd"], ["--towards", "behind"])
    ):
        run(*TRAIN, "-o", "model", *more)
        run(*TRAIN, "-o", f"fresh{number}", *more)
        assert contents(place / "model") == contents(place / f"fresh{number}")
        assert not Path("model.work").exists()


@pytest.mark.parametrize(
    "changed", [{"kind": "word"}, {"max_phrase": 3}, {"window": 1}, {"min_count": 4}]
)
def test_work_that_was_stopped_is_for_the_same_model_alone(place, book, changed):
    with pytest.raises(Stopped):
        trained(book, "work", stop="backward")
    assert Path("work/examples").is_dir()
    trained(book, "work", **changed).save("model")
    assert "writing examples" in trained.steps
    trained(book, None, **changed).save("fresh")
    assert contents(place / "model") == contents(place / "fresh")
    assert not Path("work").exists()


def test_another_corpus_begins_anew(place, book):
    with pytest.raises(Stopped):
        trained(book, "work", stop="backward")
    trained(book[1:], "work").save("model")
    trained(book[1:], None).save("fresh")
    assert contents(place / "model") == contents(place / "fresh")


def test_work_that_was_stopped_goes_on(place, book):
    with pytest.raises(Stopped):
        trained(book, "work", stop="backward")
    trained(book, "work").save("model")
    assert "writing examples" not in trained.steps
    trained(book, None).save("fresh")
    assert contents(place / "model") == contents(place / "fresh")


@pytest.mark.parametrize("method", ["maxent", "maxent-primal"])
def test_a_direction_that_is_done_is_not_learned_again(place, book, method):
    with pytest.raises(Stopped):
        trained(book, "work", stop="forward", method=method)
    trained(book, "work", method=method).save("model")
    assert not any(what.startswith("backward") for what in trained.steps)
    trained(book, None, method=method).save("fresh")
    assert contents(place / "model") == contents(place / "fresh")


def test_other_word_classes_begin_anew(place, book):
    corpus, links = IndexedCorpus.from_pairs(book), Links.of(pair.possible for pair in book)
    few, many = (
        tuple(WordClasses.learn(text, n) for text in (corpus.source, corpus.target)) for n in (2, 5)
    )
    settings = ReorderingSettings(symbols="both")

    def stop(what: str, *_: object) -> None:
        if what.startswith("backward"):
            raise Stopped

    maxent, events = REORDERING["maxent"], CorpusEvents(corpus, links)
    with pytest.raises(Stopped):
        maxent.train(events, settings, classes=few, work="work", told=stop)
    maxent.train(events, settings, classes=many, work="work").save("model")
    maxent.train(events, settings, classes=many).save("fresh")
    assert contents(place / "model") == contents(place / "fresh")


def test_other_events_of_the_same_file_begin_anew(place, run):  # noqa: F811
    events = "swap ||| a ||| A ||| a&A ||| <s> </s>\n"
    for number, text in enumerate((events * 5, events * 5 + events.replace("swap", "left") * 9)):
        Path("events").write_text(text)
        run("reorder", "train", "--events", "events", "-o", "model", "-q")
        run("reorder", "train", "--events", "events", "-o", f"fresh{number}", "-q")
        assert contents(place / "model") == contents(place / f"fresh{number}")


def test_ctrl_c_says_how_to_resume(place, command, monkeypatch):  # noqa: F811
    """The work stays, and the same command ends it."""
    from rosewood.reorder import DualMaxEnt

    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(DualMaxEnt, "fit", stop)
        done = command(*TRAIN, "-o", "model")
    assert done.code == 130
    assert "model.work" in done.err
    assert Path("model.work/examples").is_dir()
    assert command(*TRAIN, "-o", "model").code == 0
    assert not Path("model.work").exists()


@pytest.mark.parametrize(("file", "bytes_at_the_start"), [("source.words", 1), ("slots", 512)])
def test_damaged_words_and_features_are_named(place, command, run, file, bytes_at_the_start):  # noqa: F811
    run(*TRAIN, "-o", "model")
    path = Path("model", file)
    data = bytearray(path.read_bytes())
    data[:bytes_at_the_start] = (
        b"\xff" if file == "source.words" else b"\x67"
    ) * bytes_at_the_start
    path.write_bytes(bytes(data))
    done = command("reorder", "info", "model", "-n", "100000")
    shows(done, "file.damaged", path)


def test_examples_of_the_help_work_as_typed(place, run, monkeypatch):  # noqa: F811
    """Of all verbs, in their order: later ones use what earlier ones have made."""
    from rosewood.cli.verbs import reorder

    for name in ("dev.de", "dev.en"):
        Path(name).write_bytes(Path(name.replace("dev", "train")).read_bytes())
    for name in ("train.pharaoh", "dev.pharaoh"):
        Path(name).write_bytes(Path("links").read_bytes())
    for verb in (reorder.train, reorder.info, reorder.verify, reorder.classify):
        lines = re.findall(r"^ *rosewood (.*)$", verb.__doc__ or "", re.M)
        assert lines
        for line in lines:
            run(*shlex.split(line))


def test_events_of_other_classes_are_refused_with_a_remedy(place, command, run):  # noqa: F811
    run(*TRAIN, "-o", "model")
    Path("events").write_text(EVENT.replace("swap", "discontinuous") * 2)
    for verb in (("classify", "model", "events"), ("train", "--events", "events", "-o", "other")):
        done = command("reorder", *verb, "-q")
        shows(done, "line.value", "events:1", "left", "--classes mslr", "--classes msd")
    Path("events").write_text(EVENT.replace("swap", "nonsense") * 2)
    done = command("reorder", "classify", "model", "events", "-q")
    shows(done, "line.value", "events:1", "left")
    assert "--classes" not in done.err


def test_what_is_missing_is_named(place, command, run):  # noqa: F811
    done = command(*TRAIN, "-o", "model", "--feature-symbols", "both")
    shows(done, "argument.missing", "--source-classes", "--target-classes")
    assert "before|behind|both" in run("reorder", "train", "--help")
    Path("events").write_text(EVENT * 4)
    done = command("reorder", "train", "--events", "events", "-o", "model", "--window", 3, "-q")
    shows(done, "argument.range", "window", 3, "at most 1")


def test_no_events(place, command, run):  # noqa: F811
    run(*TRAIN, "-o", "model", "--window", 1)
    Path("events").write_text("")
    done = command("reorder", "train", "--events", "events", "-o", "other", "-q")
    shows(done, "reordering.no-features", "no events")
    done = command("reorder", "classify", "model", "events")
    warns(done.err, "no events", is_only_line=True)


def test_a_model_that_needed_more_passes_says_so(place, command):  # noqa: F811
    hasty = command(*TRAIN, "-o", "hasty", "--set", "passes=1", "--set", "tolerance=1e-9")
    assert hasty.code == 0
    assert "converged" in hasty.out
    facts = LinearReordering.open("hasty").facts["facts"]["directions"]
    assert all(each["ran_out_of_passes"] for each in facts.values())
    assert command(*TRAIN, "-o", "good").code == 0
    facts = LinearReordering.open("good").facts["facts"]["directions"]
    assert not any(each["ran_out_of_passes"] for each in facts.values())
