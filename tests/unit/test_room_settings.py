"""Settings of rooms, and what the verbs of the command do with them, from Python."""

from __future__ import annotations

import json

import pytest
from tests.refusals import refuses

from rosewood.align import AlignmentSettings, align_text, make_model, read_gold
from rosewood.align.corpus_alignment import Symmetrization
from rosewood.corpus import Corpus, IndexedCorpus, TextProcessor, make_tokeniser
from rosewood.corpus.parallel_text import read_parallel_text
from rosewood.corpus.settings import CorpusSettings, ParallelSettings
from rosewood.corpus.splitting import choose_split
from rosewood.corpus.text import TextSettings
from rosewood.corpus.text.decoded_lines import decoded_lines
from rosewood.errors import (
    AlignmentError,
    CorpusError,
    FormatError,
    LanguageModelError,
    TextError,
)
from rosewood.lm import (
    EstimationSettings,
    LayoutSettings,
    Mixture,
    estimate,
    estimate_files,
    verify_any,
)
from rosewood.lm.text import read_sentences

GERMAN = ["das haus", "das buch", "ein haus", "ein buch ist alt", ""]
ENGLISH = ["the house", "the book", "a house", "a book is old", ""]


@pytest.fixture
def files(tmp_path):
    """Two parallel texts, the last line of which is empty."""
    for name, lines in (("a.de", GERMAN), ("a.en", ENGLISH)):
        (tmp_path / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return [str(tmp_path / "a.de"), str(tmp_path / "a.en")]


def test_corpora_are_read_by_their_settings(files, tmp_path):
    with refuses(FormatError, "corpus.empty-side", line=5):
        list(CorpusSettings().corpus(files))
    corpus = CorpusSettings(languages="de:en", on_bad_line="skip").corpus(files)
    assert [pair.source for pair in corpus] == GERMAN[:-1]
    assert corpus.languages == ("de", "en")
    assert [line[:24] for line in corpus.tally.report()][:1] == ["1 bad pairs were skipped"]
    assert len(list(CorpusSettings().corpus(files, every_line=True))) == len(GERMAN)
    for name in ("de", "de:", "a:b:c"):
        with refuses(CorpusError, "argument.value", argument="--languages", value=name):
            _ = CorpusSettings(languages=name).both_languages
    with refuses(CorpusError, "argument.choice", argument="on_bad_line"):
        ParallelSettings(on_bad_line="skip")


def test_parallel_text_has_a_pair_for_each_line(files, tmp_path):
    text = read_parallel_text(files, CorpusSettings())
    assert (len(text.corpus), text.blank, text.too_long, text.skipped) == (5, 1, 0, {})
    short = read_parallel_text(files, CorpusSettings(), max_words=3)
    assert (len(short.corpus), short.blank, short.too_long) == (5, 2, 1)
    IndexedCorpus.build(tmp_path / "indexed", pairs=CorpusSettings().corpus(files, every_line=True))
    again = read_parallel_text([str(tmp_path / "indexed")], CorpusSettings())
    assert again.corpus.summary() == text.corpus.summary()
    for sources, more in (([*files, str(tmp_path)], {}), ([str(tmp_path)], {"max_words": 3})):
        with refuses(CorpusError, "argument.conflict", argument="SOURCES", value=str(tmp_path)):
            read_parallel_text(sources, CorpusSettings(), **more)


def test_a_text_is_aligned(files):
    text = read_parallel_text(files, CorpusSettings())
    gold = read_gold(["0-0 1-1", "", "", "", ""])
    rounds = []
    done = align_text(
        text, make_model("hmm"), Symmetrization.parse("union"), gold=gold, report=rounds.append
    )
    assert len(rounds) == 10
    assert [len(list(done.rows(what))) for what in ("scores", "words", "posteriors")] == [5] * 3
    assert next(done.rows("words")) == "das haus\tthe house"
    assert all(len(link) == 4 for row in done.rows("posteriors") for link in json.loads(row))
    with refuses(AlignmentError, "argument.choice", argument="what", value="other"):
        list(done.rows("other"))
    told = done.to_dict()
    assert (told["model"], told["pairs"], told["blank"]) == ("hmm", 5, 1)
    assert done.summary().startswith("5 sentence pairs, ")
    assert "on 1 sentence pairs with gold" in done.summary()
    (drawing,) = done.drawings([1], posteriors=True)
    assert (drawing.title, drawing.posterior.shape) == ("Line 1", (2, 2))
    same = align_text(text, done.aligner, Symmetrization.parse("union"))
    assert same.aligner is done.aligner
    assert list(same.rows("words")) == list(done.rows("words"))


def test_settings_of_alignment():
    assert AlignmentSettings().make_model().name == "best"
    assert AlignmentSettings(model="hmm", set={"model1": "2"}).make_model().model1 == 2
    assert not AlignmentSettings().preparation((None, None))
    assert AlignmentSettings(tokeniser="unicode").preparation(("de", None)).languages == ("de", "")
    with refuses(TextError, "argument.unknown", value="nothing"):
        AlignmentSettings(tokeniser="nothing").preparation((None, None))


def test_text_settings_make_processors():
    processor = TextSettings(language="de", joiners=True, split_hyphens=True).processor()
    assert processor.tokeniser.to_dict() == {
        "language": "de", "nfc": True, "joiners": True, "hyphens": "split", "han": "characters"
    }  # fmt: skip
    assert TextSettings(tokeniser="none", lowercase=True).processor().encode("A b").words == (
        "a", "b"
    )  # fmt: skip
    with refuses(TextError, "argument.type", argument="lowercase", value=1):
        TextProcessor(lowercase=1)
    with refuses(TextError, "argument.choice", argument="hyphens", value="cut"):
        make_tokeniser("unicode", hyphens="cut")


def test_lines_are_decoded_with_their_tags():
    processor = TextSettings(language="en").processor()
    encoded = [processor.encode(text) for text in ("A <b>house</b> .", "Take {x} .")]
    tags = [json.dumps(each.to_dict()) for each in encoded]
    found = list(decoded_lines(processor, ["A house .", "Take it ."], tags))
    assert found == [("A <b>house</b> .", False), ("Take it.", True)]
    assert list(decoded_lines(processor, ["A house ."])) == [("A house.", False)]
    with refuses(FormatError, "file.mismatch", file="tags", value=1):
        list(decoded_lines(processor, ["a", "b"], tags[:1]))
    with refuses(FormatError, "line.format", file="links.json", line=1):
        list(decoded_lines(processor, ["a"], ["{"], files=["a", "links.json", "c"]))


def test_splits_are_written(files, tmp_path):
    corpus = CorpusSettings(on_bad_line="skip").corpus(files)
    chosen = choose_split(corpus, 1, 1)
    targets = corpus.write_split(chosen, tmp_path / "parts", "text.gz")
    assert [path.rpartition("/")[2] for path in targets["dev"].paths] == ["dev.de.gz", "dev.en.gz"]
    assert len(list(Corpus.read(*targets["train"].paths))) == 2
    with refuses(CorpusError, "argument.value", argument="--to", value="text.zip"):
        corpus.split_targets(tmp_path, "text.zip")


def test_settings_of_estimation(files, tmp_path):
    (tmp_path / "words").write_text("das\nhaus\n", encoding="utf-8")
    settings = EstimationSettings(order=2, cutoffs=(0, 1), vocabulary=tmp_path / "words")
    with estimate_files(files[:1], **settings.keywords()) as found:
        assert found.summary() == {
            "sentences": 5, "tokens": 10, "types": 6, "ngrams": found.summary()["ngrams"]
        }  # fmt: skip
        assert found.facts["cutoffs"] == [0, 1]
    for name, value in (("cutoffs", "a"), ("fallback", (1, 1)), ("fallback", ())):
        with refuses(LanguageModelError, "argument.type", argument=name, value=value):
            EstimationSettings(**{name: value})
    (tmp_path / "words").write_text("das haus\n", encoding="utf-8")
    with refuses(FormatError, "line.fields", line=1, value=2):
        settings.keywords()
    with refuses(LanguageModelError, "argument.conflict", argument="--quantise"):
        _ = LayoutSettings(layout="fast", quantise=4).chosen_layout
    assert LayoutSettings(quantise=4).chosen_layout == "small"


def test_models_and_mixtures_answer_alike(tmp_path):
    model = estimate(ENGLISH, 2).save(tmp_path / "lm.rlm")
    mixture = Mixture([model, model], [0.5, 0.5])
    words = [word for word, _ in model.next_words("the", 3)]
    assert words == [word for word, _ in mixture.next_words("the", 3)]
    assert sum(p for _, p in model.next_words("the")) == pytest.approx(1)
    assert (model.to_dict()["order"], mixture.to_dict()["weights"]) == (2, [0.5, 0.5])
    for each in (model, mixture):
        with refuses(LanguageModelError, "argument.range", argument="max_words", value=-1):
            each.sample(1, max_words=-1)
    mixture.save(tmp_path / "mix.json")
    estimate(ENGLISH, 2).write_arpa(tmp_path / "lm.arpa")
    for name in ("lm.rlm", "mix.json", "lm.arpa"):
        verify_any(tmp_path / name)


def test_sentences_have_no_markers(tmp_path):
    (tmp_path / "a").write_text("a b\n\nthe </s>\n", encoding="utf-8")
    lines = read_sentences([tmp_path / "a"])
    assert [next(lines), next(lines)] == ["a b", ""]
    with refuses(FormatError, "line.value", line=3, value="</s>"):
        next(lines)
