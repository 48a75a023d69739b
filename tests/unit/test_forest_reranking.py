"""Packed forests by given weights: the best strings are those of enumeration; what is refused."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.bundles import small_bundle
from tests.decoders import WEIGHTS, small_decoder
from tests.lists import lattice
from tests.reference.forest import enumerate_derivations, features_of, words_of
from tests.reference.second_stage import rescored
from tests.refusals import refuses
from tests.strategies import DENSE, SPARSE, forests, quarters
from tests.unit.test_second_stage_forest import second_stages

from rosewood.corpus import Vocabulary
from rosewood.decode.second_stage import SecondStageDecoder
from rosewood.errors import DamagedFileError, ForestError, FormatError, TuningError
from rosewood.forest import (
    FeatureSpace,
    Forest,
    ForestSet,
    ForestSetWriter,
    NamedForest,
    NgramFeatures,
    SecondStage,
    parse_forest,
    read_forests,
    write_forests,
)
from rosewood.model import write_weights
from rosewood.rerank import RerankedForest, read_candidates, rerank_forests, write_candidates

CATS = """\
forest s1
dense lm
0 <- ||| the mat ||| lm=-2
1 <- ||| a cat ||| lm=-2.5 on=-1
2 <- 0 1 ||| [1] on [0] ||| lm=-1 r:1=1
2 <- 0 1 ||| [0] 's [1] ||| lm=-1.5
forest nothing
dense lm
node 0
forest s2
dense lm
0 <- ||| x ||| lm=1
0 <- ||| y ||| lm=1 on=-2
"""
SECOND = SecondStage(NgramFeatures([("'s", "a"), ("x",)]), np.array([2.0, -0.5]), 1000)
WEIGHTS_OF_CATS = {"lm": 1.0, "on": 0.5, "r:1": 0.25, "r:2": 9.0}


def cats(name: str = "") -> list[NamedForest]:
    return [each for each in read_forests(CATS.splitlines()) if name in ("", each.name)]


@pytest.fixture
def path(tmp_path):
    with ForestSetWriter(tmp_path / "cats.rwf") as out:
        for name, forest, _ in cats():
            out.append(forest, {"id": name, "src": f"source of {name}", "refs": [name, "?"]})
    return tmp_path / "cats.rwf"


weights = st.lists(quarters, min_size=6, max_size=6).map(
    lambda values: dict(zip([*DENSE, *SPARSE], values, strict=True))
)


@given(
    st.lists(forests(), min_size=1, max_size=3), weights, second_stages(), quarters, st.booleans()
)
def test_the_best_strings_are_those_of_all_derivations(several, named, second, scale, is_second):
    """The score of a string is that of its best derivation, with its n-grams counted in it."""
    given = {**named, "second_stage": scale} if is_second else named
    stage = second if is_second else None
    found = list(rerank_forests(several, given, stage, k=1000))
    assert list(rerank_forests(several, given, stage, threads=3)) == [
        each._replace(nbest=None) for each in found
    ]
    ngrams = {}
    if is_second:
        ngrams = dict(zip(second.features.ngrams, scale * second.weights, strict=True))
    for number, (forest, each) in enumerate(zip(several, found, strict=True)):
        score = forest.score(forest.features.vector(named)).tolist()
        every = rescored(forest, score, ngrams)
        strings: dict[str, float] = {}
        for derivation, value in every.items():
            text = " ".join(words_of(forest, derivation))
            strings[text] = max(value, strings.get(text, -np.inf))
        assert each.id == str(number)
        assert each.score == max(strings.values()) == strings[each.text]
        assert dict(zip(each.nbest.texts, each.nbest.scores["rosewood"], strict=True)) == strings
        first = max(rescored(forest, score, {}).values())
        if each.is_changed:
            assert is_second
        else:
            assert each.text in {
                " ".join(words_of(forest, d))
                for d, value in rescored(forest, score, {}).items() if value == first
            }  # fmt: skip


@given(forests(), weights, second_stages())
def test_features_of_lists_add_up_to_scores(forest, named, second):
    (found,) = rerank_forests([forest], {**named, "second_stage": 0.5}, second, k=20)
    assert found.nbest.names == (*DENSE, "second_stage")
    derivations = [features_of(forest, each) for each in enumerate_derivations(forest)]
    for place, score in enumerate(found.nbest.scores["rosewood"].tolist()):
        told = found.nbest.features(place)
        assert sum({**named, "second_stage": 0.5}[name] * told[name] for name in told) == score
        told.pop("second_stage")
        own = {name: value for name, value in told.items() if value}
        assert own in [{n: v for n, v in each.items() if v} for each in derivations]


def test_forests_from_anywhere_are_the_same(path, tmp_path):
    write_forests(cats(), tmp_path / "cats.forest")
    write_weights(WEIGHTS_OF_CATS, tmp_path / "w.json")
    SECOND.save(tmp_path / "second.json")
    want = [
        RerankedForest("s1", "the mat 's a cat", -4.5, True),
        RerankedForest("nothing", "", None, False),
        RerankedForest("s2", "x", 0.5, False),
    ]
    for each in (path, str(path), ForestSet(path), cats(), iter(cats()), tmp_path / "cats.forest"):
        assert list(rerank_forests(each, WEIGHTS_OF_CATS, SECOND)) == want
    found = rerank_forests(path, tmp_path / "w.json", tmp_path / "second.json", threads=2)
    assert list(found) == want
    (tmp_path / "cats.forest").rename(tmp_path / "cats")
    assert list(rerank_forests(tmp_path / "cats", WEIGHTS_OF_CATS, SECOND, format="text")) == want
    without = list(rerank_forests(path, WEIGHTS_OF_CATS))
    assert [each.text for each in without] == ["a cat on the mat", "", "x"]


def test_lists_are_read_again(path, tmp_path):
    """Sources and references stay; a list is never empty, and has one feature in all candidates."""
    found = list(rerank_forests(path, WEIGHTS_OF_CATS, SECOND, k=1))
    lists = [each.nbest for each in found]
    assert [each.texts for each in lists] == [("the mat 's a cat",), ("",), ("x",)]
    assert lists[0].features(0) == {"lm": -6.0, "on": -1.0, "second_stage": 2.0}
    assert lists[1].features(0) == {"lm": 0.0, "on": 0.0, "second_stage": 0.0}
    assert (lists[2].source, lists[2].references) == ("source of s2", ("s2", "?"))
    write_candidates(lists, tmp_path / "a.jsonl")
    assert list(read_candidates(tmp_path / "a.jsonl")) == lists


def test_one_forest_at_a_time():
    """Forests are read as results are asked for: one for each thread, and the next."""
    space, words = FeatureSpace(["a", "b"]), Vocabulary([f"w{i}" for i in range(9)])
    given: list[int] = []

    def read() -> Iterator[Forest]:
        for number in range(20):
            given.append(number)
            yield lattice(number, space, words)[0]

    for threads in (1, 4):
        given.clear()
        for done, _ in enumerate(rerank_forests(read(), {"a": 1, "b": 1}, threads=threads), 1):
            assert len(given) <= done + threads


def test_the_search_of_a_decoder_and_its_forests_agree(tmp_path):
    """A model that has a second stage, and its first stage's forests with that second stage."""
    first = small_decoder(tmp_path)
    stage = SecondStage(
        NgramFeatures([("building",), ("that", "house"), ("little", ".")]),
        np.array([0.5, 9.0, 2.0]),
    )
    texts = ["das haus ist klein .", "wir gehen nach hause .", "zyx haus"]
    decoder = SecondStageDecoder(first, stage, weight=0.5)
    want = [each.best for each in decoder.search_all(texts)]
    packed = [each.forest for each in first.search_all(texts)]
    found = list(rerank_forests(packed, {**WEIGHTS, "second_stage": 0.5}, stage))
    assert [each.text for each in found] == [each.text for each in want]
    assert [each.score for each in found] == pytest.approx([each.score for each in want])
    folder = small_bundle(tmp_path / "model", second=stage).folder
    assert list(rerank_forests(packed, {**WEIGHTS, "second_stage": 0.5}, folder)) == found
    scored = [each.forest for each in decoder.search_all(texts)]
    again = list(rerank_forests(scored, {**WEIGHTS, "second_stage": 0.5}))
    assert [each.text for each in again] == [each.text for each in found]
    with refuses(TuningError, "argument.conflict", argument="second_stage"):
        list(rerank_forests(scored, {**WEIGHTS, "second_stage": 0.5}, stage))


@pytest.mark.parametrize("kind", ["set", "list", "text"])
@pytest.mark.parametrize(
    ("changed", "code", "value"),
    [
        ({"lm": None}, "argument.missing", "lm"),
        ({"on": None, "On": 1.0}, "argument.unknown", "On"),
        ({"boost": 1.0}, "argument.unknown", "boost"),
        ({"second_stage": 1.0}, "argument.unknown", "second_stage"),
    ],
)
def test_weights_that_do_not_fit(path, tmp_path, kind, changed, code, value):
    write_forests(cats(), tmp_path / "cats.txt")
    given = {"set": path, "list": cats(), "text": tmp_path / "cats.txt"}[kind]
    named = {name: v for name, v in {**WEIGHTS_OF_CATS, **changed}.items() if v is not None}
    with refuses(TuningError, code, argument="weights", value=value):
        found = rerank_forests(given, named)
        assert kind != "set"  # all features are known before the first forest
        list(found)


def test_features_that_are_met_late_have_weights():
    """`on` is in no forest but the last."""
    late = [*cats("nothing"), NamedForest("x", parse_forest("dense lm\n0 <- ||| x ||| lm=1 on=2"))]
    found = list(rerank_forests(late, {"lm": 1.0, "on": 1.0}))
    assert [each.score for each in found] == [None, 3.0]


@pytest.mark.parametrize(
    ("changed", "code", "argument"),
    [
        ({"weights": {"lm": float("nan")}}, "argument.range", "lm"),
        ({"weights": {"lm": "1"}}, "argument.type", "lm"),
        ({"weights": 1}, "argument.type", "weights"),
        ({"forests": 1}, "argument.type", "forests"),
        ({"forests": [1]}, "argument.type", "forests"),
        ({"second": {}}, "argument.type", "second"),
        ({"k": 0}, "argument.range", "k"),
        ({"threads": 0}, "argument.range", "threads"),
        ({"format": "xml"}, "argument.choice", "format"),
        ({"forests": []}, "file.empty", "forests"),
        ({"weights": {"lm": 1e308, "on": 1e308, "r:1": 0.0}}, "tuning.overflow", None),
        ({"weights": {"lm": 1, "second_stage": 1e308}, "second": SECOND}, "tuning.overflow", None),
    ],
)  # fmt: skip
def test_what_is_refused(changed, code, argument):
    given = {"forests": cats("s1"), "weights": {"lm": 1.0}, **changed}
    with refuses(TuningError, code, argument=argument):
        list(rerank_forests(**given))


def test_files_that_are_no_second_stage(path, tmp_path):
    (tmp_path / "w.json").write_text('{"lm": 1}')
    with refuses(DamagedFileError, "file.kind", file=str(tmp_path / "w.json")):
        rerank_forests(path, WEIGHTS_OF_CATS, tmp_path / "w.json")
    folder = small_bundle(tmp_path / "model").folder
    with refuses(TuningError, "model.no-second-stage", file=str(folder)):
        rerank_forests(path, WEIGHTS_OF_CATS, folder)
    with refuses(FormatError, "file.kind"):
        rerank_forests(path, WEIGHTS_OF_CATS, tmp_path)
    with pytest.raises(FileNotFoundError):
        rerank_forests(path, WEIGHTS_OF_CATS, tmp_path / "nowhere.json")


def test_a_forest_that_is_too_large_is_named(monkeypatch):
    def refuse(*given, **more):
        raise ForestError("too many edges", code="forest.too-large")

    monkeypatch.setattr(SecondStage, "rescore", refuse)
    with refuses(TuningError, "forest.too-large", match="forest 's1'", value="s1"):
        list(rerank_forests(cats(), WEIGHTS_OF_CATS, SECOND))


def test_a_damaged_set_is_named(path):
    data = path.read_bytes()
    path.write_bytes(data[:200] + bytes(64) + data[264:])
    with refuses(DamagedFileError, "file.damaged", file=str(path)):
        list(rerank_forests(path, WEIGHTS_OF_CATS))


def test_an_empty_set(tmp_path):
    ForestSetWriter(tmp_path / "empty.rwf").close()
    with refuses(TuningError, "file.empty", file=str(tmp_path / "empty.rwf")):
        list(rerank_forests(tmp_path / "empty.rwf", {"lm": 1.0}))
