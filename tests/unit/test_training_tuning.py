"""The stage `tune`: chance, lists, what is told of weights, and on what confidence is fitted."""

from __future__ import annotations

import pytest
from tests.decoders import PAIRS, small_decoder
from tests.training import QUICK, write_book

from rosewood.pipeline import TrainingInputs, TrainingSettings, Translator, train
from rosewood.pipeline import tune_stage as tuning_module
from rosewood.pipeline.confidence import fit_confidence
from rosewood.pipeline.tokenise_stage import held_out
from rosewood.pipeline.tune_stage import confidence_facts
from rosewood.pipeline.tuning_data import DecodedForests, DevSentences

NO_BETTER = "no weights were better than those that tuning began with"
SENTENCES = ["das haus ist klein .", "wir gehen nach hause .", "hallo !", "das ist nicht klein .",
             "ich habe den hund gesehen .", "das haus"]  # fmt: skip
REFERENCES = [["the house is small ."], ["we go home ."], ["good day !"], ["that is large ."],
              ["i have seen the dog ."], ["this house", "the house"]]  # fmt: skip


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    return write_book(tmp_path_factory.mktemp("tuning"), train=120, dev=60)


def tuned(book, output, **more):
    inputs = TrainingInputs(
        book / "train.en", book / "train.de", dev=(book / "dev.en", book / "dev.de")
    )
    settings = TrainingSettings(**{**QUICK, **more})
    return train(inputs, book / output, settings, work=book / "model.work")


@pytest.mark.slow
def test_chance_is_of_the_seed(book):
    """A learner that begins at random places comes to others with another seed."""
    one, other = (tuned(book, f"seed{seed}", seed=seed).stages[6].facts for seed in (1, 2))
    assert one["weights"] != other["weights"]


@pytest.mark.slow
def test_confidence_is_that_of_the_weights_that_were_found(book):
    made = tuned(book, "model")
    facts, words = made.stages[6].facts, made.stages[1].folder
    assert facts["weights"] != facts["start"]
    assert not any(note.startswith(NO_BETTER) for note in made.notes)
    sentences, references = held_out(words, "dev")
    found = []
    for weights in (facts["weights"], facts["start"]):
        decoder = Translator.load(book / "model").decoder.with_weights(weights)
        searches = decoder.search_all(sentences)
        wanted = [[text.split() for text in each] for each in references]
        how = fit_confidence(searches, decoder.theta(), wanted, unknown=decoder.unknown)
        found.append(how.to_dict())
    assert facts["confidence"] == pytest.approx(found[0])
    assert facts["confidence"] != pytest.approx(found[1])


def test_weights_that_nothing_is_better_than(tmp_path):
    """Words that are copied and cannot be right: whatever weights say, nothing changes."""
    write_book(tmp_path, train=60)
    for side, word in (("en", "quux"), ("de", "falsch")):
        (tmp_path / f"dev.{side}").write_text(f"{word}\n" * 40)
    made = tuned(tmp_path, "model")
    facts = made.stages[6].facts
    assert facts["learner"] == "mert"
    assert facts["weights"] == facts["start"]
    assert f"{NO_BETTER}; {facts['ending']}" in made.notes
    assert "no feature varies" in facts["ending"]


# -- lists -----------------------------------------------------------------------------------------


def test_lists_have_no_string_twice(tmp_path):
    decoder = small_decoder(
        tmp_path, [*PAIRS, ("das haus", "the house"), ("ist klein", "is small")]
    )
    theta = decoder.theta()
    forest = decoder.search(SENTENCES[0]).forest
    assert len({each.text for each in forest.k_best(forest.score(theta), 12)}) < 12
    data = DevSentences(SENTENCES[:2], [["a"], ["a"]])
    for listed in DecodedForests((decoder,), data, 12)(decoder.weights, 1, range(2)):
        said = [each.text for each in listed.k_best(listed.score(theta), 100)]
        assert len(said) == len(set(said)) == 12


# -- sentences that confidence is fitted on --------------------------------------------------------


@pytest.mark.parametrize(("most", "every"), [(6, 1), (5, 2), (3, 2), (2, 3)])
def test_sentences_are_from_all_over_the_set(tmp_path, monkeypatch, most, every):
    """Each with its own references, not with those of the first sentences."""
    decoder = small_decoder(tmp_path)
    monkeypatch.setattr(tuning_module, "MOST_SEARCHES", most)
    found = confidence_facts(decoder, SENTENCES, REFERENCES, 1)["confidence"]

    def fitted(searched, wanted):
        meant = [[text.split() for text in each] for each in wanted]
        searches = decoder.search_all(searched)
        return fit_confidence(searches, decoder.theta(), meant).to_dict()

    some = SENTENCES[::every]
    assert found == fitted(some, REFERENCES[::every])
    if every > 1:
        assert found != fitted(some, REFERENCES[: len(some)])
        assert found != fitted(SENTENCES[: len(some)], REFERENCES[: len(some)])
