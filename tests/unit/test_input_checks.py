"""Checks of training input: each mistake is found, and good corpora give no findings."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.refusals import refuses

from rosewood.cli import error_line
from rosewood.corpus import Corpus
from rosewood.corpus.phrasebook import Phrasebook
from rosewood.errors import TrainingError
from rosewood.pipeline import TrainingInputs, TrainingSettings, check_inputs
from rosewood.pipeline.findings import Finding, check_strict
from rosewood.pipeline.result_checks import check_scores

SIZES = {"train": 400, "dev": 120, "test": 120}


@cache
def book(languages="en-de"):
    found = Phrasebook(languages, seed=5).split(**SIZES)
    return {name: [pair.raw() for pair in getattr(found, name)] for name in SIZES}


def write(place, name, pairs, ends=("src", "tgt")):
    """Two files of text."""
    paths = tuple(str(place / f"{name}.{end}") for end in ends)
    for path, side in zip(paths, zip(*pairs, strict=True), strict=True):
        text = "".join(f"{line}\n" for line in side)
        Path(path).write_text(text, encoding="utf-8", newline="")
    return paths


def turned(pairs):
    return [(target, source) for source, target in pairs]


def mixed(pairs, which):
    """Pairs of which some have their sides exchanged."""
    return [pair[::-1] if turn else pair for pair, turn in zip(pairs, which, strict=True)]


def shuffled(pairs, seed=1):
    targets = [target for _, target in pairs]
    random.Random(seed).shuffle(targets)
    return [(source, target) for (source, _), target in zip(pairs, targets, strict=True)]


def shifted(pairs, place, side=1):
    sides = [list(each) for each in zip(*pairs, strict=True)]
    del sides[side][place - 1]
    return list(zip(*sides, strict=False))


def findings(place, *, languages="en-de", settings=None, files=None, ends=("src", "tgt"), **parts):
    """Findings of the phrasebook where some parts are replaced; None leaves a part out."""
    pairs = {**book(languages), **parts}
    written = {name: write(place, name, own, ends) for name, own in pairs.items() if own}
    source, target = written.pop("train")
    return check_inputs(TrainingInputs(source, target, **written, **(files or {})), settings)


def codes(found):
    return [each.code for each in found]


@pytest.mark.parametrize("languages", ["en-de", "en-ja"])
@pytest.mark.parametrize("is_turned", [False, True])
def test_good_corpora_have_no_findings(tmp_path, languages, is_turned):
    parts = {name: turned(own) if is_turned else own for name, own in book(languages).items()}
    assert findings(tmp_path, languages=languages, **parts) == []


@pytest.mark.slow
@settings(max_examples=20)
@given(sizes=st.tuples(*[st.integers(1, 120)] * 3), seed=st.integers(0, 99))
def test_small_subsets_have_no_findings(tmp_path_factory, sizes, seed):
    chance = random.Random(seed)
    parts = {
        name: chance.sample(own, min(size, len(own)))
        for (name, own), size in zip(book().items(), sizes, strict=True)
    }
    assert findings(tmp_path_factory.mktemp("subset"), **parts) == []


# -- swapped --------------------------------------------------------------------------------------


@pytest.mark.parametrize("languages", ["en-de", "en-ja"])
@pytest.mark.parametrize("name", ["dev", "test"])
def test_swapped_held_out_sets(tmp_path, languages, name):
    part = turned(book(languages)[name])
    [found] = findings(tmp_path, languages=languages, **{name: part})
    assert (found.code, found.argument) == ("input.swapped", name)
    assert found.file == str(tmp_path / f"{name}.src")
    assert "either" in found.message  # it may as well be the training data


@pytest.mark.parametrize("which", [0, 1, 2])
def test_a_source_that_goes_the_other_way(tmp_path, which):
    train = book()["train"]
    parts = [train[:150], train[150:280], train[280:]]
    parts[which] = turned(parts[which])
    files = [write(tmp_path, f"part{k}", part) for k, part in enumerate(parts)]
    [found] = check_inputs(TrainingInputs(*map(list, zip(*files, strict=True))))
    assert (found.code, found.file) == ("input.swapped", files[which][0])


def test_a_memory_in_the_other_direction(tmp_path):
    """Without languages a memory goes in its own direction."""
    train = book()["train"]
    files = write(tmp_path, "train", train[:300])
    memory = str(tmp_path / "memory.tmx")
    Corpus.of(
        turned(train[300:]), source_language="de", target_language="en"
    ).write(memory)  # fmt: skip
    [found] = check_inputs(TrainingInputs(*files, corpus=[memory]))
    assert (found.code, found.file) == ("input.swapped", memory)
    assert check_inputs(TrainingInputs(*files, corpus=[memory], languages="en:de")) == []


def test_a_part_of_a_file_that_is_swapped(tmp_path):
    train = book()["train"]
    [found] = findings(tmp_path, train=train[:256] + turned(train[256:]), dev=None, test=None)
    assert found.code == "input.swapped"
    assert abs(found.line - 257) <= 32


@pytest.mark.parametrize("languages", ["en-de", "en-ja"])
@pytest.mark.parametrize("share", [0.05, 0.3, 0.5, 0.7])
def test_single_pairs_that_are_swapped(tmp_path, languages, share):
    chance = random.Random(3)
    bad = [chance.random() < share for _ in book(languages)["train"]]
    train = mixed(book(languages)["train"], bad)
    [found] = findings(tmp_path, languages=languages, train=train)
    assert (found.code, found.argument) == ("input.swapped", "source")
    assert bad[found.line - 1]
    assert abs(found.value - sum(bad) / len(bad)) < 0.04


@pytest.mark.parametrize("is_turned", [False, True])
def test_every_second_pair_is_swapped(tmp_path, is_turned):
    """The development set tells which ones, and is not blamed."""
    train = mixed(book()["train"], [k % 2 == is_turned for k in range(400)])
    [found] = findings(tmp_path, train=train, test=None)
    assert (found.code, found.argument) == ("input.swapped", "source")
    assert found.line % 2 != is_turned
    [found] = findings(tmp_path, train=train, dev=None, test=None)
    assert (found.code, found.argument) == ("input.swapped", "source")


def test_single_pairs_of_a_set_that_are_swapped(tmp_path):
    dev = mixed(book()["dev"], [k % 3 == 1 for k in range(120)])
    [found] = findings(tmp_path, dev=dev)
    assert (found.code, found.argument) == ("input.swapped", "dev")
    assert (found.line - 1) % 3 == 1


def test_few_pairs_that_are_swapped_are_not_told_of(tmp_path):
    train = mixed(book()["train"], [k in (7, 90, 200) for k in range(400)])
    assert findings(tmp_path, train=train) == []


def test_paraphrases_have_no_direction(tmp_path):
    sources = [source for source, _ in book()["train"]]
    pairs = [(s, " ".join(reversed(s.split()))) for s in sources]
    assert findings(tmp_path, train=pairs, dev=None, test=None) == []


# -- shuffled and shifted -------------------------------------------------------------------------


@pytest.mark.parametrize("languages", ["en-de", "en-ja"])
@pytest.mark.parametrize("name", ["train", "dev", "test"])
def test_shuffled_sides(tmp_path, languages, name):
    part = shuffled(book(languages)[name])
    [found] = findings(tmp_path, languages=languages, **{name: part})
    assert (found.code, found.argument, found.line) == ("input.shuffled", name, None)


def test_a_part_that_is_shuffled(tmp_path):
    train = book()["train"]
    [found] = findings(tmp_path, train=train[:200] + shuffled(train[200:]))
    assert found.code == "input.shuffled"
    assert abs(found.line - 200) <= 20


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("place", [60, 150, 300])
def test_a_missing_line(tmp_path, side, place):
    [found] = findings(tmp_path, train=shifted(book()["train"], place, side))
    assert found.code == "input.shifted"
    assert abs(found.line - place) <= 4
    # Where a target is missing, each target stands a line before its source.
    assert found.value == (1 if side == 0 else -1)


def test_all_lines_are_shifted(tmp_path):
    """As where one of two files has a header."""
    [found] = findings(tmp_path, train=shifted(book()["train"], 1))
    assert (found.code, found.line) == ("input.shifted", None)


def test_a_development_set_with_a_missing_line(tmp_path):
    [found] = findings(tmp_path, dev=shifted(book()["dev"], 50))
    assert (found.code, found.argument) == ("input.shifted", "dev")
    assert abs(found.line - 50) <= 4


def test_a_set_may_be_swapped_and_shuffled(tmp_path):
    found = findings(tmp_path, dev=turned(shuffled(book()["dev"])))
    assert codes(found) == ["input.swapped", "input.shuffled"]


def test_a_shift_in_a_large_file_is_found_exactly(tmp_path):
    pairs = [pair.raw() for pair in Phrasebook("en-de", seed=9).pairs(9000)]
    [found] = findings(tmp_path, train=shifted(pairs, 5000), dev=None, test=None)
    assert found.code == "input.shifted"
    assert abs(found.line - 5000) <= 4


def test_lists_of_words_are_not_judged(tmp_path):
    """Each word comes once: nothing can be learnt of the others."""
    chance = random.Random(1)

    def word():
        return "".join(chance.choice("abcdefghijklmnoprstuvw") for _ in range(chance.randint(3, 9)))

    pairs = [(word(), word().upper()) for _ in range(400)]
    assert findings(tmp_path, train=pairs, dev=None, test=None) == []


def test_the_same_line_again_and_again(tmp_path):
    assert findings(tmp_path, train=book()["train"][:1] * 400, dev=None, test=None) == []


# -- texts ----------------------------------------------------------------------------------------


def test_the_same_text_on_both_sides(tmp_path):
    train = [(source, source) for source, _ in book()["train"]]
    assert "input.same-text" in codes(findings(tmp_path, train=train))
    [path, _] = write(tmp_path, "one", book()["train"])
    assert codes(check_inputs(TrainingInputs(path, path))) == ["input.same-text"]


def test_half_of_a_memory_is_not_translated(tmp_path):
    train = [(s, s if k % 4 == 1 else t) for k, (s, t) in enumerate(book()["train"])]
    [found] = findings(tmp_path, train=train, dev=None, test=None)
    assert (found.code, found.argument) == ("input.same-text", "target")
    assert abs(found.value - 0.25) < 0.01
    train = [(s, s if k % 8 == 1 else t) for k, (s, t) in enumerate(book()["train"])]
    assert findings(tmp_path, train=train, dev=None, test=None) == []


def test_the_same_text_in_capitals(tmp_path):
    train = [(source, source.upper()) for source, _ in book()["train"]]
    parts = {"train": train, "dev": None, "test": None}
    assert codes(findings(tmp_path, **parts)) == ["input.same-text"]
    # In one language it may be the task.
    assert findings(tmp_path, **parts, files={"languages": "en:en"}) == []


def test_garbled_text(tmp_path):
    train = [(s, t.encode().decode("latin-1")) for s, t in book()["train"]]
    [found] = findings(tmp_path, train=train, dev=None, test=None)
    assert (found.code, found.file) == ("input.garbled", str(tmp_path / "train.tgt"))


def test_raw_text_that_is_said_to_be_tokenised(tmp_path):
    settings = TrainingSettings(pretokenized=True)
    found = findings(tmp_path, settings=settings, dev=None, test=None)
    assert codes(found) == ["input.not-tokenised"] * 2


def test_another_language(tmp_path):
    others = [target for _, target in book("en-ja")["dev"]]
    dev = [(source, other) for (source, _), other in zip(book()["dev"], others, strict=True)]
    found = findings(tmp_path, dev=dev)
    assert "input.other-language" in codes(found)


# -- the same sentences ---------------------------------------------------------------------------


def test_a_development_set_from_the_training_data(tmp_path):
    [found] = findings(tmp_path, dev=book()["train"][100:180])
    assert (found.code, found.argument, found.value) == ("input.in-training", "dev", 1.0)


@pytest.mark.parametrize("is_memory", [False, True])
def test_sources_from_the_training_data_with_other_targets(tmp_path, is_memory):
    dev = [(source, f"Also, {target}") for source, target in book()["train"][100:180]]
    more = {}
    if is_memory:
        more = {"corpus": [str(tmp_path / "memory.tmx")]}
        Corpus.of(book()["train"][50:], source_language="en", target_language="de").write(
            more["corpus"][0]
        )
    train = book()["train"][:50] if is_memory else book()["train"]
    [found] = findings(tmp_path, train=train, dev=dev, files=more)
    assert (found.code, found.argument, found.value) == ("input.in-training", "dev", 1.0)
    half = dev[:30] + book()["dev"][:40]
    assert findings(tmp_path, train=train, dev=half, files=more) == []


def test_a_test_set_that_is_the_development_set(tmp_path):
    [found] = findings(tmp_path, test=book()["dev"])
    assert (found.code, found.argument) == ("input.same-set", "test")


def test_a_few_sentences_in_common_are_usual(tmp_path):
    assert findings(tmp_path, dev=book()["dev"] + book()["train"][:20]) == []


# -- names and languages --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "code"),
    [("xx:yy", "input.language-code"), ("en:jp", "input.language-code"),
     ("en-UK:de", "input.language-code"),
     ("de:en", "input.language-names"), ("fr:de", "input.language-names")],
)  # fmt: skip
def test_languages_that_cannot_be(tmp_path, given, code):
    found = findings(tmp_path, files={"languages": given}, ends=("en", "de"))
    assert set(codes(found)) == {code}


def test_languages_that_fit(tmp_path):
    for languages in ("en:de", "en-GB:de-AT", "eng:deu"):
        assert findings(tmp_path, files={"languages": languages}, ends=("en", "de")) == []
    assert findings(tmp_path, files={"languages": "x-old:gsw"}) == []


def test_words_in_names_are_not_languages(tmp_path):
    parts = {name: write(tmp_path, name, own, ("en", "de")) for name, own in book().items()}
    words = tuple(str(tmp_path / f"{word}.txt") for word in ("in", "no"))
    for path, word in zip(parts["dev"], words, strict=True):
        Path(path).rename(word)
    assert check_inputs(TrainingInputs(*parts["train"], dev=words)) == []
    assert check_inputs(TrainingInputs(*words, dev=parts["test"])) == []
    assert check_inputs(TrainingInputs(*words, languages="en:de")) == []
    assert codes(check_inputs(TrainingInputs(*words, languages="no:in"))) == [
        "input.language-names"
    ]
    assert check_inputs(TrainingInputs(*words, languages="in:no")) == []


def test_names_of_swapped_files_are_not_told_of_twice(tmp_path):
    parts = {name: write(tmp_path, name, own, ("en", "de")) for name, own in book().items()}
    inputs = TrainingInputs(*parts["train"], dev=parts["dev"][::-1])
    assert codes(check_inputs(inputs)) == ["input.swapped"]


# -- other text -----------------------------------------------------------------------------------


def test_other_text_of_the_wrong_side(tmp_path):
    source, target = write(tmp_path, "more", book()["test"])
    settings = TrainingSettings(tune="mr")
    for name, right, wrong in (("monolingual", target, source), ("unlabelled", source, target)):
        assert findings(tmp_path, files={name: [right]}, settings=settings) == []
        [found] = findings(tmp_path, files={name: [wrong]}, settings=settings)
        assert (found.code, found.argument, found.file) == ("input.other-side", name, wrong)


def test_further_references(tmp_path):
    dev = book()["dev"]
    good = write(tmp_path, "good", dev)
    bad = write(tmp_path, "bad", shuffled(dev))
    assert findings(tmp_path, files={"dev_reference": [good[1]]}) == []
    [found] = findings(tmp_path, files={"dev_reference": [good[1], bad[1]]})
    assert (found.code, found.file) == ("input.shuffled", bad[1])
    [found] = findings(tmp_path, files={"dev_reference": [good[0]]})
    assert (found.code, found.argument) == ("input.other-side", "dev_reference")


# -- strange input --------------------------------------------------------------------------------


@pytest.mark.slow
@given(data=st.lists(st.binary(max_size=300), min_size=2, max_size=2))
def test_any_bytes(tmp_path_factory, data):
    place = tmp_path_factory.mktemp("bytes")
    for name, own in zip(("a", "b"), data, strict=True):
        (place / name).write_bytes(own)
    assert isinstance(check_inputs(TrainingInputs(str(place / "a"), str(place / "b"))), list)


@pytest.mark.slow
@given(
    lines=st.lists(st.tuples(*[st.text(st.characters(exclude_characters="\n\r"))] * 2), max_size=60)
)
def test_any_lines(tmp_path_factory, lines):
    place = tmp_path_factory.mktemp("lines")
    known = [[side.encode(errors="ignore").decode() for side in pair] for pair in lines]
    paths = write(place, "any", 4 * known or [("", "")])
    assert isinstance(check_inputs(TrainingInputs(*paths, dev=paths)), list)


# -- results --------------------------------------------------------------------------------------


def scores(bleu, chrf, on="dev"):
    return [{"on": on, "name": "BLEU", "value": bleu}, {"on": on, "name": "chrF2", "value": chrf}]


@pytest.mark.parametrize(
    ("bleu", "chrf", "languages", "code"),
    [
        (0.8, 17.0, ["de", "en"], "result.near-zero"),
        (1.5, 40.0, ["de", "en"], None),
        (0.8, 17.0, ["en", "zh"], None),
        (0.0, 3.0, ["en", "zh"], "result.near-zero"),
        (40.0, 60.0, [None, None], None),
        (97.0, 99.0, [None, None], "result.too-good"),
    ],
)
def test_scores_that_cannot_be(bleu, chrf, languages, code):
    found = check_scores(scores(bleu, chrf), languages)
    assert codes(found) == ([] if code is None else [code])


def test_the_command_shows_each_finding_on_a_line_with_its_code():
    found = [Finding("input.swapped", "a"), Finding("input.shuffled", "b")]
    with refuses(TrainingError, "input.swapped") as refused:
        check_strict(found, strict=True)
    ends = [line.rpartition(" ")[2] for line in error_line(refused.value).splitlines()]
    assert ends == ["[input.swapped]", "[input.shuffled]"]


def test_strict_raises_the_first():
    found = [Finding("input.swapped", "a", "x.de", value=1), Finding("input.shuffled", "b")]
    check_strict(found, strict=False)
    check_strict([], strict=True)
    with refuses(
        TrainingError, "input.swapped", file="x.de", value=1, match=r"^a .*\nb \[input.shuffled\]$"
    ):
        check_strict(found, strict=True)
