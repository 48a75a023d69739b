"""Translations are at least as good by the model as Moses's, and its own have the scores it says.

tests/golden/decode has a table of the phrasebook in Moses's form, with orientations of two kinds,
300 sentences, and what `moses` found for them (cube pruning with 1,000 pops; the language model is
that of tests/golden/lm).  It is asked again where it is installed: in $MOSES/bin or on the PATH.
"""

from __future__ import annotations

import shutil
from typing import NamedTuple

import numpy as np
import pytest
from benchmarks.moses_decoder import KINDS, Derivation, MosesModel, program, tuned
from tests.compat.golden_files import GOLDEN, packed, sentences

from rosewood.decode import PhraseDecoder, SearchResult, SearchSettings, Source
from rosewood.lm import Model, open_model
from rosewood.rules import RuleTable
from rosewood.rules.formats import import_moses
from rosewood.rules.formats.moses import SCORES

MODELS = [("hierarchy", "mslr"), ("phrase", "msd")]
LIMITS = {"distortion": 6, "options": 20}
POPS = 1000
TOLERANCE = 1e-3  # Moses prints six digits, and adds up single-precision numbers
SETTINGS = SearchSettings(
    search="cube",
    pop_limit=POPS,
    stack_size=POPS,
    distortion_limit=LIMITS["distortion"],
    option_limit=LIMITS["options"],
)


class Both(NamedTuple):
    """The same model for us and for Moses, and what Moses said."""

    decoder: PhraseDecoder
    moses: MosesModel
    said: list[Derivation]


@pytest.fixture(scope="module")
def language_model() -> Model:
    return open_model(GOLDEN / "lm" / "phrasebook.arpa.gz")


@pytest.fixture(scope="module", params=MODELS, ids="-".join)
def both(request, tmp_path_factory, language_model) -> Both:
    kind, classes = request.param
    folder = tmp_path_factory.mktemp(kind)
    name = f"{KINDS[kind]}-{classes}"
    pairs = GOLDEN / "decode" / "phrase-table.gz"
    orientations = GOLDEN / "decode" / f"reordering-table.{name}-bidirectional-fe.gz"
    import_moses(pairs, folder / "rules", reordering=orientations)
    decoder = PhraseDecoder(
        RuleTable.open(folder / "rules"),
        language_model,
        weights=tuned(classes),
        settings=SETTINGS,
    )
    moses = MosesModel(
        folder, folder / "lm.arpa", tuned(classes), tuple(SCORES), kind, classes, LIMITS
    )
    shutil.copy(pairs, folder / "phrase-table.gz")
    shutil.copy(orientations, folder / "reordering-table.gz")
    moses.language_model.write_text(packed("lm/phrasebook.arpa.gz"), encoding="utf-8")
    return Both(decoder, moses, moses.read(packed(f"decode/best.{name}.gz").splitlines()))


def edges_of(search: SearchResult, derivation: Derivation) -> list[int] | None:
    """The path of a forest that has these phrases, from its end to its beginning."""
    forest, options = search.forest, search.options
    paths = [([edge], int(forest.tails(edge)[0])) for edge in forest.edges_into(forest.root)]
    for begin, end, target in reversed(derivation.phrases):
        paths = [
            ([*path, edge], int(forest.tails(edge)[0]))
            for path, node in paths
            for edge in forest.edges_into(node)
            if (option := search.edge_option[edge]) >= 0
            and (options.begin[option], options.end[option]) == (begin, end)
            and tuple(options.target_words(option)) == target
        ]
    whole = [[*path, edge] for path, node in paths for edge in forest.edges_into(node)
             if not len(forest.tails(edge))]  # fmt: skip
    return whole[0] if whole else None


@pytest.mark.slow
def test_scores_are_at_least_those_of_moses(both):
    """On 99 of a hundred sentences, with the same limits."""
    decoder, _, said = both
    theirs = np.array([derivation.score for derivation in said])
    ours = np.array([found.score for found in decoder.translate(sentences(), threads=2)])
    assert np.mean(ours >= theirs - TOLERANCE) >= 0.99
    assert ours.mean() >= theirs.mean() - TOLERANCE


def test_derivations_of_moses_have_its_features_and_score(both):
    """They are in the forest of its words, which has nothing else."""
    decoder, _, said = both
    for sentence, derivation in zip(sentences(), said, strict=True):
        source = Source(tuple(sentence.split()), reference=derivation.words)
        search = decoder.search(source)
        assert search.best.words == derivation.words
        assert search.best.score >= derivation.score - TOLERANCE
        path = edges_of(search, derivation)
        assert path is not None
        found: dict[str, float] = {}
        for edge in path:
            for name, value in search.forest.edge_features(edge).items():
                found[name] = found.get(name, 0.0) + value
        unknown = found.pop("unknown_penalty", 0.0)
        for name in found.keys() | derivation.features.keys():
            told = derivation.features.get(name, 0.0)
            assert found.get(name, 0.0) == pytest.approx(told, abs=TOLERANCE), name
        score = sum(decoder.weights[name] * value for name, value in found.items())
        score += decoder.weights["unknown_penalty"] * unknown
        assert score == pytest.approx(derivation.score, abs=TOLERANCE)


def test_golden_files_are_what_moses_finds(both):
    _, moses, said = both
    if program("moses") is None:
        pytest.skip("Moses is not installed: set MOSES to its folder")
    some = sentences()[:100]
    again = moses.derivations(some, "-search-algorithm", 1, "-cbp", POPS, "-s", POPS)
    assert again == said[:100]
