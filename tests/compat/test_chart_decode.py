"""Translations by rules with gaps are at least as good by the model as those of Moses and cdec.

tests/golden/decode has a grammar of the phrasebook in Moses's form and what `moses` with a chart
found for 300 sentences (200 pops; the language model is that of tests/golden/lm).  It is asked
again where it is installed, in $MOSES/bin or on the PATH; so is cdec: $CDEC, or on the PATH.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pytest
from benchmarks.chart_peers import TUNED, ChartModel, Derivation, cdec_program
from benchmarks.moses_decoder import program
from tests.compat.golden_files import GOLDEN, packed, sentences

from rosewood.decode import HieroDecoder, HieroSettings, Source, alternatives
from rosewood.lm import open_model
from rosewood.rules import RuleTable
from rosewood.rules.formats import import_grammar

SPAN, OPTIONS, POPS = 10, 20, 200
TOLERANCE = 2e-3  # Moses prints six digits, and adds up single-precision numbers
SOME = 100  # sentences of live comparisons


class Both(NamedTuple):
    """The same model for us and for the peers."""

    decoder: HieroDecoder
    peers: ChartModel


@pytest.fixture(scope="module")
def both(tmp_path_factory) -> Both:
    folder = tmp_path_factory.mktemp("chart")
    import_grammar(GOLDEN / "decode" / "grammar.gz", folder / "table", format="moses")
    table = RuleTable.open(folder / "table")
    settings = HieroSettings(pop_limit=POPS, max_span=SPAN, option_limit=OPTIONS)
    model = open_model(GOLDEN / "lm" / "phrasebook.arpa.gz")
    decoder = HieroDecoder(table, model, weights=TUNED, settings=settings)
    arpa = folder / "lm.arpa"
    arpa.write_text(packed("lm/phrasebook.arpa.gz"), encoding="utf-8")
    peers = ChartModel(folder, table, arpa, TUNED, SPAN, OPTIONS)
    return Both(decoder, peers)


@pytest.fixture(scope="module")
def said(both) -> list[Derivation]:
    """What Moses found."""
    return both.peers.read_moses(packed("decode/best.chart.gz").splitlines())


def check_scores(decoder: HieroDecoder, said: Sequence[Derivation]) -> None:
    """On 99 of a hundred sentences, with the same limits."""
    theirs = np.array([derivation.score for derivation in said])
    asked = sentences()[: len(said)]
    ours = np.array([found.score for found in decoder.translate(asked, threads=2)])
    assert np.mean(ours >= theirs - TOLERANCE) >= 0.99
    assert ours.mean() >= theirs.mean() - TOLERANCE


def check_derivation(decoder: HieroDecoder, sentence: str, derivation: Derivation) -> None:
    """It is in the forest of its words, with the same value of each feature."""
    found = decoder.search(Source(tuple(sentence.split()), reference=derivation.words))
    assert found.best.words == derivation.words
    assert found.best.score >= derivation.score - TOLERANCE
    wanted = pytest.approx(derivation.features, abs=TOLERANCE)
    for count in (1, 100):
        for each in alternatives(found, decoder.theta(), count):
            if {name: each.features.get(name, 0.0) for name in derivation.features} == wanted:
                assert each.score == pytest.approx(derivation.score, abs=TOLERANCE)
                return
    pytest.fail(f"no derivation of ours has these features: {derivation}")


@pytest.mark.slow
def test_scores_are_at_least_those_of_moses(both, said):
    check_scores(both.decoder, said)


@pytest.mark.slow
def test_derivations_of_moses_have_its_features_and_score(both, said):
    for sentence, derivation in zip(sentences(), said, strict=True):
        check_derivation(both.decoder, sentence, derivation)


def test_golden_files_are_what_moses_finds(both, said):
    if program("moses") is None:
        pytest.skip("Moses is not installed: set MOSES to its folder")
    model = ChartModel.export(
        both.decoder.table, both.peers.language_model, TUNED, both.peers.folder / "moses",
        max_span=SPAN, option_limit=OPTIONS,
    )  # fmt: skip
    assert model.moses_derivations(sentences()[:SOME], POPS) == said[:SOME]


def test_cdec_finds_nothing_better(both):
    if cdec_program() is None:
        pytest.skip("cdec is not installed: set CDEC to its program")
    decoder, peers = both
    unlimited = decoder.with_settings(
        HieroSettings(pop_limit=POPS, max_span=SPAN, option_limit=None)
    )
    found = ChartModel(
        peers.folder, decoder.table, peers.language_model, TUNED, SPAN, 0
    ).cdec_derivations(sentences()[:SOME], POPS)
    check_scores(unlimited, found)
    for sentence, derivation in zip(sentences(), found, strict=False):
        check_derivation(unlimited, sentence, derivation)
