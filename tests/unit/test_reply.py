"""All that is known of a translation in one answer."""

from __future__ import annotations

import json
import math
from dataclasses import FrozenInstanceError, asdict

import pytest
from tests.bundles import CONFIDENCE, small_bundle
from tests.decoders import PAIRS, small_decoder
from tests.refusals import refuses

from rosewood.decode import PhraseDecoder, Source, TextTranslator, alternatives, mbr
from rosewood.decode.text import PreparedText
from rosewood.errors import DecodingError
from rosewood.pipeline import Translator
from rosewood.pipeline.confidence import confidences
from rosewood.pipeline.reply import reply_of, said_of

TEXT = "das haus ist klein ."


@pytest.fixture(scope="module")
def translator(tmp_path_factory):
    return Translator(small_bundle(tmp_path_factory.mktemp("reply") / "model"))


def test_what_is_known(translator):
    reply = translator.reply(TEXT)
    found = translator.decoder.search(TEXT)
    best = found.best
    assert (reply.source, reply.translation) == (TEXT, "the house is small .")
    assert reply.source_words == tuple(TEXT.split())
    assert (reply.words, reply.alignment, reply.score) == (best.words, best.links, best.score)
    assert (reply.rules, reply.report) == (best.rules, best.report)
    assert list(reply.features) == list(translator.decoder.features.dense)
    assert reply.features["unknown_penalty"] == 0.0
    score = sum(value * translator.weights[name] for name, value in reply.features.items())
    assert score == pytest.approx(reply.score)
    [sure] = confidences(found, translator.decoder.theta(), CONFIDENCE, [best])
    assert (reply.word_confidence, reply.posterior) == (sure.words, sure.posterior)
    assert reply.confidence == pytest.approx(sum(sure.words) / len(sure.words))
    assert reply.alternatives == ()
    with pytest.raises(FrozenInstanceError):
        reply.score = 0.0


def test_alternatives_are_those_of_a_list_with_posteriors_of_strings(translator):
    reply = translator.reply(TEXT, nbest=6)
    forest = translator.decode(TEXT)
    want = {
        each.text: each.posterior
        for each in mbr(forest, forest.score(translator.decoder.theta()), 6, scale=2.0)
    }
    assert len(reply.alternatives) == 6
    assert {each.translation: each.posterior for each in reply.alternatives} == pytest.approx(want)
    scores = [each.score for each in reply.alternatives]
    assert scores == sorted(scores, reverse=True)
    first = reply.alternatives[0]
    assert (first.translation, first.confidence) == (reply.translation, reply.confidence)
    assert (first.posterior, first.alignment) == (reply.posterior, reply.alignment)
    assert sum(want.values()) <= 1 + 1e-9


def test_alternatives_say_different_things(tmp_path):
    """However many derivations there are of each."""
    pairs = [*PAIRS, ("das haus", "the house"), ("ist klein", "is small")]
    decoder = small_decoder(tmp_path, pairs)
    prepared, found = PreparedText(TEXT, Source(TEXT)), decoder.search(TEXT)
    said = [each.text for each in alternatives(found, decoder.theta(), 12)]
    assert len(set(said)) < 12
    reply = reply_of(TextTranslator(decoder), prepared, found, CONFIDENCE, nbest=12)
    assert len({each.translation for each in reply.alternatives}) == 12


def test_json_has_all_of_it(translator):
    reply = translator.reply(TEXT, nbest=2)
    row = json.loads(json.dumps(reply.to_dict(), allow_nan=False))
    assert list(row) == [
        "src", "translation", "match", "confidence", "posterior", "word_confidence",
        "source_words", "words", "alignment", "score", "features", "phrases", "report",
        "placeholders", "alternatives",
    ]  # fmt: skip
    assert row["placeholders"] == {"lost": [], "added": []}
    assert row["alignment"] == [list(link) for link in reply.alignment]
    assert row["phrases"][0] == {
        "source": [0, 1], "target": [0, 1], "source_spans": [[0, 1]], "target_spans": [[0, 1]],
        "children": [], "rule": 0, "is_unknown": False, "is_forced": False,
    }  # fmt: skip
    assert row["report"] == asdict(reply.report)
    assert list(row["alternatives"][1]) == [
        "translation", "confidence", "posterior", "words", "alignment", "score", "features",
    ]  # fmt: skip


def test_empty_texts_and_strange_words(translator):
    empty = translator.reply("", nbest=3)
    assert (empty.translation, empty.words, empty.word_confidence) == ("", (), ())
    assert (empty.confidence, empty.posterior) == (1.0, 1.0)
    assert [each.translation for each in empty.alternatives] == [""]
    strange = translator.reply("xyzzy")
    assert (strange.translation, strange.rules[0].is_unknown) == ("xyzzy", True)
    certain = math.log(0.99 / 0.01)  # nothing else could be said: that does not make it right
    assert strange.confidence == pytest.approx(1 / (1 + math.exp(1.5 - 0.5 * certain)))
    assert strange.posterior == pytest.approx(1.0)


def test_saying_nothing_is_not_sure(tmp_path):
    """What is dropped has one translation in the forest, of posterior 1: that says nothing."""
    translator = Translator(small_bundle(tmp_path / "model", unknown="drop"))
    for text in ("qqqq", "qqqq xyzzy"):
        reply = translator.reply(text, nbest=2)
        assert (reply.translation, reply.words, reply.word_confidence) == ("", (), ())
        assert reply.confidence == 0.0
        assert [each.confidence for each in reply.alternatives] == [0.0]
    assert translator.reply("").confidence == 1.0
    assert translator.reply("qqqq haus").confidence > 0


@pytest.mark.parametrize("text", [None, 5, b"das haus", ["das haus", None], [1], [b"x"], [["a"]]])
def test_what_is_no_text(translator, text):
    for ask in (
        translator.reply, translator.decode, translator.explain, translator.inspect,
        translator.search, translator.translate, lambda given: list(translator.replies(given)),
    ):  # fmt: skip
        with refuses(DecodingError, "argument.type"):
            ask(text)


def test_a_reference_that_cannot_be_reached(translator):
    prepared = PreparedText("das haus", Source("das haus", reference="no such thing"))
    found = translator.decoder.search(prepared.source)
    reply = reply_of(translator.text, prepared, found, CONFIDENCE, nbest=3)
    assert (reply.confidence, reply.posterior, reply.alternatives) == (0.0, 0.0, ())
    row = json.loads(json.dumps(reply.to_dict(), allow_nan=False))
    assert (row["translation"], row["score"], row["features"]) == (None, None, {})


def test_another_choice_has_its_own_confidence(translator):
    prepared, found = translator.search(TEXT)
    forest = found.forest
    other = alternatives(found, translator.decoder.theta(), 2)[1]
    chosen = translator.text.text_of(other, prepared)
    reply = reply_of(translator.text, prepared, found, CONFIDENCE, nbest=1, chosen=chosen)
    assert reply.words == other.words != found.best.words
    assert reply.posterior < reply.alternatives[0].posterior
    assert forest is found.forest
    plain = said_of(chosen, translator.decoder.features.dense).to_dict()
    assert plain == {name: value for name, value in reply.to_dict().items() if name in plain}
    assert "confidence" not in plain


@pytest.mark.slow
def test_many_texts_at_any_number_of_threads(translator):
    texts = [TEXT, "", "hallo !", "wir gehen nach hause ."] * 40
    one = list(translator.replies(texts, nbest=2))
    two = list(translator.replies(iter(texts), nbest=2, threads=2))
    assert one == two
    assert [each.source for each in one] == texts


@pytest.mark.parametrize(("given", "wanted"), [({}, 3), ({"threads": 5}, 5)])
def test_the_threads_of_a_translator(translator, monkeypatch, given, wanted):
    """Its own, unless others are asked for."""
    asked = []

    def counted(then):
        def called(self, texts, *, threads=1):
            asked.append(threads)
            return then(self, texts, threads=threads)

        return called

    for name in ("search_all", "translate"):
        monkeypatch.setattr(PhraseDecoder, name, counted(getattr(PhraseDecoder, name)))
    several = Translator(translator.bundle, threads=3)
    assert several.translate([TEXT, TEXT], **given)
    assert len(list(several.replies([TEXT, TEXT], **given))) == 2
    assert asked == [wanted] * 2
