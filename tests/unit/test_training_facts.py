"""What stages tell of a corpus, counted again by plain loops; and what they must not have read."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.refusals import refuses
from tests.training import QUICK, stage_folder, write_book

from rosewood.align import Links
from rosewood.corpus import IndexedCorpus, SentencePair
from rosewood.errors import DamagedFileError
from rosewood.model import Bundle
from rosewood.pipeline import TrainingInputs, TrainingSettings, Translator, train
from rosewood.pipeline.clean_stage import clean_settings
from rosewood.pipeline.model_stages import linked_share, read_links
from rosewood.pipeline.pair_blocks import Block
from rosewood.pipeline.pair_selection import Sifting
from rosewood.pipeline.tokenise_stage import tokenise_settings
from rosewood.workers import LateWorkers

QUICKEST = {**QUICK, "tune": "none", "set": {}}
SETTINGS = TrainingSettings(**QUICKEST)
TEXTS = 12  # files of further text: more than ten, whose names are not in the order of numbers


def lines_of(path: Path) -> list[str]:
    return path.read_text().splitlines()


def write(path: Path, lines: list[str]) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def inputs_of(place: Path, **more) -> TrainingInputs:
    """A bad line to train on, two references to test on, words that nobody has seen."""
    return TrainingInputs(
        place / "train.en", place / "train.de", dev=(place / "dev.en", place / "dev.de"),
        test=(place / "test.en", place / "test.de"), test_reference=place / "more.de",
        on_bad_line="skip", monolingual=[place / f"mono{k}.de" for k in range(TEXTS)], **more,
    )  # fmt: skip


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    place = write_book(tmp_path_factory.mktemp("facts"), train=120, dev=20, test=10)
    for part, side, more in (
        ("train", "en", ["a\x00b"]), ("train", "de", ["c"]),
        ("dev", "en", ["a quux and a quux", "a xyzzy"]), ("dev", "de", ["ein Quux", "ein Xyzzy"]),
    ):  # fmt: skip
        file = place / f"{part}.{side}"
        write(file, [*lines_of(file), *more])
    write(place / "more.de", [f"Oder {line}" for line in lines_of(place / "test.de")])
    for k in range(TEXTS):
        write(place / f"mono{k}.de", ["ja"] * (k + 1))
    held_out = [lines_of(place / f"{name}.de")[3] for name in ("dev", "test", "more")]
    write(place / "mono0.de", ["Etwas anderes.", *held_out, held_out[0], "Noch etwas."])
    return place


@pytest.fixture(scope="module")
def made(book):
    return train(inputs_of(book), book / "model", SETTINGS)


# -- what is told ----------------------------------------------------------------------------------


def test_bad_pairs_that_were_skipped(made):
    assert any(note.startswith("bad pairs that were skipped: 1 (") for note in made.notes)


def test_references_are_those_of_the_development_set(made):
    assert made.stages[0].facts["references"] == 1


def test_words_that_nobody_has_seen(made):
    folder = made.stages[1].folder
    corpus = IndexedCorpus.open(folder / "corpus")
    seen = {word for k in range(len(corpus)) for word in corpus.source.words(k)}
    words = [word for line in lines_of(folder / "dev.source") for word in line.split()]
    unseen = [word for word in words if word not in seen]
    assert {"quux", "xyzzy"} <= set(unseen)
    assert len(seen) > len(unseen) > len(set(unseen))
    assert made.stages[1].facts["dev"] == {
        "sentences": 22, "source_tokens": len(words), "unknown_tokens": len(unseen),
        "unknown_types": len(set(unseen)),
    }  # fmt: skip


def test_words_without_a_link(made):
    corpus = IndexedCorpus.open(made.stages[1].folder / "corpus")
    links = read_links(made.stages[2].folder)
    told = made.stages[2].facts
    for side, text in enumerate((corpus.source, corpus.target)):
        linked = sum(len({link[side] for link in links[k]}) for k in range(len(links)))
        share = 1 - linked / sum(len(text.words(k)) for k in range(len(links)))
        assert told[("unlinked_source", "unlinked_target")[side]] == pytest.approx(share)
    assert told["unlinked_source"] != pytest.approx(told["unlinked_target"])


def test_links_are_counted_block_by_block(tmp_path):
    """Long sentences behind short ones: words of one are not taken for those of another."""
    lines = ["a", "a", "a b c d e", "b c d e a", "a"]
    file = write(tmp_path / "text", lines)
    corpus = IndexedCorpus.build(tmp_path / "corpus", source=file, target=file)
    links = Links.of([[(i, i) for i in range(len(line.split()))] for line in lines])
    for size in (1, 2, 3, 100):
        assert linked_share(links, "source", corpus.source, block=size) == 1.0
    half = Links.of([[], [], [(0, 4), (1, 4), (2, 4), (3, 4)], [], []])
    for side, text, share in (("source", corpus.source, 4), ("target", corpus.target, 1)):
        assert linked_share(half, side, text, block=2) == pytest.approx(share / 13)


def test_shares_of_three_classes_are_those_of_four(book, made):
    other = TrainingSettings(**{**QUICKEST, "classes": "msd"})
    three = train(inputs_of(book), book / "three", other, work=book / "model.work")
    four, shares = (run.stages[5].facts["shares"] for run in (made, three))
    for way, row in four.items():
        assert row["left"] > 0 < row["right"]
        assert sum(shares[way].values()) == pytest.approx(1)
        assert list(shares[way].values()) == pytest.approx(
            [row["monotone"], row["swap"], row["left"] + row["right"]]
        )


def test_rules_that_are_too_few_for_discounts_of_their_own(tmp_path):
    write(tmp_path / "a.en", ["hello", "you"])
    write(tmp_path / "a.de", ["hallo", "du"])
    told = train(TrainingInputs(tmp_path / "a.en", tmp_path / "a.de"), tmp_path / "model", SETTINGS)
    fallback = told.stages[4].facts["fallback"]
    assert f"rules have fixed discounts: {fallback}" in told.notes


# -- further text ----------------------------------------------------------------------------------


def test_language_models_have_not_read_the_references(made, book):
    """Neither those of the development set nor any of the test set, and that is told."""
    assert "mono0.de: 4 lines were left out, they are references" in made.notes
    folder = made.stages[1].folder
    assert [line.lower() for line in lines_of(folder / "mono.0")] == [
        "etwas anderes .", "noch etwas .",
    ]  # fmt: skip


def test_language_models_are_in_the_order_of_their_files(made):
    models = made.stages[3].facts["models"]
    assert list(models) == ["lm", *(f"lm{k + 2}" for k in range(TEXTS))]
    lines = [len(lines_of(made.stages[1].folder / f"mono.{k}")) for k in range(TEXTS)]
    assert lines == [2, *range(2, TEXTS + 1)]
    words = [models[f"lm{k + 2}"]["tokens"] for k in range(1, TEXTS)]
    assert words == sorted(set(words))  # each file has a line more


# -- what is left out or split off -----------------------------------------------------------------


@pytest.mark.parametrize(("distinct", "size"), [(300, 30), (9_990, 999), (10_400, 1000)])
def test_a_tenth_is_split_off_but_not_more_than_a_thousand(tmp_path, distinct, size):
    pairs = [SentencePair(f"s{k % distinct}", f"t{k}") for k in range(distinct + 50)]
    sifting = Sifting(TrainingSettings(), set(), splits=True)
    Block.of(pairs).save(tmp_path / "pairs")
    with LateWorkers(1, 1) as workers:
        sifting.sift([tmp_path / "pairs"], workers)
    found = sifting.split()
    assert found is not None
    assert len(found.chosen) == size


@pytest.mark.parametrize("part", ["dev", "test"])
def test_a_bad_line_does_not_shift_further_references(book, tmp_path, part):
    for path in book.glob("*.[de]?"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    first = lines_of(tmp_path / f"{part}.de")
    more = write(tmp_path / "auch.de", [f"{line} Auch." for line in first])
    write(tmp_path / f"{part}.en", ["a\x00b" if k == 4 else line for k, line in
                                    enumerate(lines_of(tmp_path / f"{part}.en"))])  # fmt: skip
    inputs = TrainingInputs(
        tmp_path / "train.en", tmp_path / "train.de", on_bad_line="skip",
        **{part: (tmp_path / f"{part}.en", tmp_path / f"{part}.de"), f"{part}_reference": more},
    )  # fmt: skip
    folder = train(inputs, tmp_path / "model", SETTINGS).stages[0].folder
    left = first[:4] + first[5:]
    assert lines_of(folder / f"{part}.target.0") == left
    assert lines_of(folder / f"{part}.target.1") == [f"{line} Auch." for line in left]


# -- what decides, and what is checked -------------------------------------------------------------


@pytest.mark.parametrize("decides", [clean_settings, tokenise_settings])
@pytest.mark.parametrize("more", [{"on_bad_line": "skip"}, {"line_words": 50}])
def test_what_decides_which_lines_are_read(book, decides, more):
    """Of pairs, and of further text."""

    def decided(**how):
        files = (book / "train.en", book / "train.de")
        return decides(TrainingInputs(*files, monolingual=book / "mono1.de", **how), SETTINGS)

    assert decided() == decided()
    assert decided(**more) != decided()


def test_origins_follow_a_file_that_was_renamed(book, tmp_path):
    for name in ("a", "b"):
        for side in ("en", "de"):
            (tmp_path / f"{name}.{side}").write_bytes((book / f"dev.{side}").read_bytes())
        files = (tmp_path / f"{name}.en", tmp_path / f"{name}.de")
        train(TrainingInputs(*files), tmp_path / "model", SETTINGS)
        assert Bundle.open(tmp_path / "model").origin(0).startswith(f"{name}.en:")


def test_a_model_is_not_made_of_damaged_stages(book, tmp_path):
    """Nothing is left to do but to put the model together: its parts are looked at all the same."""
    inputs = TrainingInputs(book / "dev.en", book / "dev.de")
    train(inputs, tmp_path / "model", SETTINGS)
    file = stage_folder(tmp_path / "model.work", "lm") / "lm.rlm"
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)
    with refuses(DamagedFileError, "file.damaged", file=str(file)):
        train(inputs, tmp_path / "other", SETTINGS, work=tmp_path / "model.work")
    assert not (tmp_path / "other").exists()


@pytest.mark.parametrize(("unknown", "said"), [("copy", True), ("drop", False)])
def test_a_model_knows_what_becomes_of_unknown_words(book, made, unknown, said):
    settings = TrainingSettings(**{**QUICKEST, "unknown": unknown})
    train(inputs_of(book), book / unknown, settings, work=book / "model.work")
    translator = Translator.load(book / unknown)
    assert translator.bundle.manifest["unknown"] == unknown
    assert ("plugh" in translator.translate("plugh").lower()) is said
