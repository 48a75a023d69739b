"""Models with a translation memory: sentences that are in it come back as they are there."""

from __future__ import annotations

import json
import pickle

import pytest
from tests.memories import memory as random_pairs
from tests.refusals import refuses
from tests.system.commands import command, run  # noqa: F401
from tests.training import QUICK

from rosewood.corpus import Corpus, SentencePair
from rosewood.errors import DecodingError
from rosewood.memory.slots import exact_form
from rosewood.model import Bundle
from rosewood.pipeline import TrainingInputs, TrainingSettings, Translator, train

SETTINGS = TrainingSettings(**{**QUICK, "tune": "none", "set": {}, "max_words": 12})
PAIRS = random_pairs(1000, 1)


def write(path, pairs):
    corpus = Corpus.of(
        [SentencePair(*pair) for pair in pairs], source_language="de", target_language="en"
    )
    corpus.write(path)
    return path


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A model of a TMX file, from which a development set is split off."""
    place = tmp_path_factory.mktemp("memory")
    file = write(place / "memory.tmx", PAIRS)
    train(TrainingInputs(corpus=file, languages="de:en"), place / "model", SETTINGS)
    return place


@pytest.fixture(scope="module")
def translator(place):
    return Translator.load(place / "model")


@pytest.mark.slow
def test_every_sentence_comes_back_as_it_is_in_the_memory(translator):
    own = {}
    for source, target in PAIRS:
        own.setdefault(exact_form(source), []).append(target)
    for line, (source, _) in zip(translator.stream([s for s, _ in PAIRS]), PAIRS, strict=True):
        assert line.text in own[exact_form(source)]
        assert (line.match.kind, line.match.score) == ("exact", 1.0)
        file, number = line.match.place.split(":")
        assert file == "memory.tmx"
        assert PAIRS[int(number) - 5][0] == source  # the header has four lines


def test_sentences_that_are_too_long_to_train_on_are_in_it(translator):
    long = [source for source, _ in PAIRS if len(source.split()) > 12]
    assert long
    assert all(line.match.is_exact for line in translator.stream(long))


def test_what_a_reply_says_of_an_exact_match(translator):
    source, target = PAIRS[3]
    reply = translator.reply(f"  {source} ", nbest=2)
    assert reply.translation == target
    assert (reply.confidence, reply.posterior, set(reply.word_confidence)) == (1.0, 1.0, {1.0})
    assert len(reply.words) == len(reply.word_confidence)
    row = reply.to_dict()
    assert row["match"] == {
        "kind": "exact", "score": 1.0, "source": source, "translation": target,
        "place": "memory.tmx:8", "others": 0,
    }  # fmt: skip
    assert (row["score"], row["alignment"], row["phrases"]) == (None, [], [])
    assert len(reply.alternatives) == 2  # what the search would say


def test_what_the_memory_has_is_searched_only_where_somebody_asks(translator):
    text = PAIRS[3][0]
    assert translator.reply(text).report.pops < translator.reply(text, nbest=1).report.pops
    assert translator.reply(text).to_dict()["match"]["kind"] == "exact"
    (known,) = translator.text.stream([text], forests=True, skip_known=True)
    (searched,) = translator.text.stream([text], forests=True)
    assert known.text == searched.text == PAIRS[3][1]
    assert known.search.forest.num_edges < searched.search.forest.num_edges


def test_a_fuzzy_match_is_offered_beside_the_translation(translator):
    source, target = next(pair for pair in PAIRS if len(pair[0].split()) > 8)
    text = f"{source} Apfelmus"
    (line,) = translator.stream([text])
    assert (line.match.kind, line.match.translation) == ("fuzzy", target)
    assert 0.7 <= line.match.score < 1
    assert line.text == Translator.load(translator.bundle.folder, memory="off").translate(text)
    assert Translator.load(translator.bundle.folder, fuzzy=None).reply(text).match is None
    assert Translator.load(translator.bundle.folder, fuzzy=1).reply(text).match is None


def test_an_exact_match_without_its_placeholder_is_noticed(translator):
    pairs = [pair for pair in PAIRS if "%d" in pair[0] and "%d" not in pair[1]]
    lines = list(translator.stream([source for source, _ in pairs]))
    assert lines
    assert all("%d" in line.translated().lost for line in lines)


def test_off(place):
    translator = Translator.load(place / "model", memory="off")
    assert translator.memory is None
    (line,) = translator.stream([PAIRS[0][0]])
    assert line.match is None
    assert translator.reply(PAIRS[0][0]).to_dict()["match"] is None


def test_settings_are_pickled(translator):
    again = pickle.loads(pickle.dumps(Translator.load(translator.bundle.folder, fuzzy=0.9)))
    assert (again.memory.fuzzy, len(again.memory)) == (0.9, len(translator.memory))


def test_with_a_reference_the_memory_is_not_asked(translator):
    prepared = translator.text.prepare(PAIRS[0][0], PAIRS[0][1])
    assert prepared.match is None


def test_the_command_counts_matches(place, command):  # noqa: F811
    text = f"{PAIRS[0][0]}\n{PAIRS[1][0]} ja\n"
    done = command("translate", place / "model", "--fuzzy", "0.5", text=text)
    assert "1 exact match, 1 fuzzy match\n" in done.err


def test_the_command_says_that_a_memory_never_matches(tmp_path, place, command):  # noqa: F811
    swapped = write(tmp_path / "swapped.tmx", [("what is this", "was ist das hier")])
    text = "was ist das hier\n"
    options = "translate", place / "model", "--memory", "off"
    done = command(*options, "--memory-file", swapped, text=text)
    assert "translation memory: 0 exact matches, 0 fuzzy matches\n" in done.err
    assert "translation memory" not in command(*options, text=text).err


@pytest.mark.parametrize(
    "options", [{"fuzzy": None}, {"fuzzy": 1}, {"memory": "off"}, {"memory": "auto", "bare": True}]
)
def test_what_cannot_guide_the_search_is_refused(tmp_path, place, options):
    folder = place / "model"
    if options.pop("bare", False):
        folder = place / "bare"
        file = place / "memory.tmx"
        without = TrainingSettings(**{**SETTINGS.to_dict(), "memory": "off"})
        train(TrainingInputs(corpus=file, languages="de:en"), folder, without)
    with refuses(DecodingError, "argument.conflict", argument="fuzzy_constrain"):
        Translator.load(folder, fuzzy_constrain="on", **options)
    for constrain in ("auto", "off"):
        Translator.load(folder, fuzzy_constrain=constrain, **options)


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_the_command(place, options, run):  # noqa: F811
    texts = [source for source, _ in PAIRS[:20]]
    (place / "in.de").write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    lines = run("translate", place / "model", place / "in.de", *options).splitlines()
    if options:
        rows = [json.loads(line) for line in lines]
        assert {row["match"]["kind"] for row in rows} == {"exact"}
        assert {row["confidence"] for row in rows} == {1.0}
        lines = [row["translation"] for row in rows]
    assert lines == Translator.load(place / "model").translate(texts)


def test_memories_of_files(tmp_path, place, run):  # noqa: F811
    file = write(tmp_path / "own.tmx", [("ein Haus", "our house"), PAIRS[0]])
    translator = Translator.load(place / "model", memory_file=file)
    assert translator.translate("ein Haus") == "our house"
    assert translator.memory.best("ein Haus").place.endswith("own.tmx:5")
    assert translator.memory.best(PAIRS[1][0]).is_exact  # of the model
    (tmp_path / "s").write_text("ein Haus\n", encoding="utf-8")
    (tmp_path / "t").write_text("a hut\n", encoding="utf-8")
    (tmp_path / "in").write_text("ein Haus\n", encoding="utf-8")
    files = ["--memory-file", tmp_path / "s", "--memory-file", tmp_path / "t"]
    out = run("translate", place / "model", tmp_path / "in", "--memory", "off", *files)
    assert out == "a hut\n"


def test_parts_of_fuzzy_matches_guide_the_search_by_default_where_they_are_new(tmp_path, place):
    source, target = next(pair for pair in PAIRS if len(pair[0].split()) > 6 and "<" not in pair[0])
    file = write(tmp_path / "own.tmx", [(f"{source} Apfelmus", "apple sauce it is all the time")])

    def parts(text, **options):
        prepared = Translator.load(place / "model", fuzzy=0.5, **options).text.prepare(text)
        return [each for each in prepared.source.forced if each.end > each.begin + 1]

    own, new = f"{source} Birnenmus", f"{source} Apfelmus heute"
    assert parts(own) == []
    assert parts(own, fuzzy_constrain="on") != []
    assert parts(own, fuzzy_constrain="off") == []
    translator = Translator.load(place / "model", memory_file=file, fuzzy=0.5)
    match, constrains = translator.memory.find(new)
    assert (match.translation, constrains) == ("apple sauce it is all the time", True)
    assert translator.memory.find(own)[0].translation in (target, match.translation)
    with refuses(DecodingError, "argument.choice", argument="fuzzy_constrain", value="yes"):
        Translator.load(place / "model", fuzzy_constrain="yes")


def test_models_of_plain_text_have_none_unless_asked(tmp_path, place):
    for side in range(2):
        text = "".join(f"{pair[side]}\n" for pair in PAIRS[:200])
        (tmp_path / f"train.{side}").write_text(text, encoding="utf-8")
    inputs = TrainingInputs(tmp_path / "train.0", tmp_path / "train.1")
    work = tmp_path / "work"
    train(inputs, tmp_path / "model", SETTINGS, work=work)
    assert Bundle.open(tmp_path / "model").memory is None
    with refuses(DecodingError, "model.no-memory", argument="memory"):
        Translator.load(tmp_path / "model", memory="on")
    on = TrainingSettings(**{**SETTINGS.to_dict(), "memory": "on"})
    train(inputs, tmp_path / "with", on, work=work, threads=2)
    with_memory = Translator.load(tmp_path / "with", memory="on")
    assert with_memory.memory.best(PAIRS[1][0]).place in ("train.0:2", "train.0:1")
    off = TrainingSettings(**{**SETTINGS.to_dict(), "memory": "off"})
    train(TrainingInputs(corpus=place / "memory.tmx", languages="de:en"), tmp_path / "off", off)
    assert Bundle.open(tmp_path / "off").memory is None
