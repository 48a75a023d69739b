"""Alternatives are in the order of the number beside them, and none is surer than the choice."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rosewood.corpus.phrasebook import Phrasebook
from rosewood.decode.coverage import linked_shares, unlinked_places
from rosewood.decode.nbest import alternatives
from rosewood.pipeline import Translator

BOOK = Phrasebook("en-de", seed=3, reverse=True)


@pytest.fixture(scope="module")
def translator(tmp_path_factory) -> Translator:
    folder = tmp_path_factory.mktemp("alternatives")
    files = BOOK.write(folder, train=500, dev=60)
    return Translator.train(
        *files["train"], dev=files["dev"], output=folder / "model", pretokenized=True,
        aligner="model1", lm_order=3, tune="none", reordering=("lexicalized",), pop_limit=100,
    )  # fmt: skip


WORDS = sorted({word for pair in BOOK.pairs(500) for word in pair.source})
SENTENCES = [" ".join(pair.source) for pair in BOOK.split(500, test=200).test]
texts = st.one_of(
    st.sampled_from(SENTENCES),
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=8).map(" ".join),
    st.permutations(SENTENCES[0].split()).map(" ".join),
)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(texts)
def test_the_order_is_that_of_the_number_shown(translator, text):
    reply = translator.reply(text, nbest=8)
    shown = [each.posterior for each in reply.alternatives]
    assert shown == sorted(shown, reverse=True)
    rows = json.loads(json.dumps(reply.to_dict()))["alternatives"]
    assert [row["posterior"] for row in rows] == shown
    assert [row["translation"] for row in rows] == [e.translation for e in reply.alternatives]
    for one, other in zip(reply.alternatives, reply.alternatives[1:], strict=False):
        assert one.posterior > other.posterior or one.score > other.score - 1e-9
    assert all(0.0 <= each.confidence <= reply.confidence <= 1.0 for each in reply.alternatives)
    assert any(each.words == reply.words for each in reply.alternatives)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(texts)
def test_what_drops_a_content_word_is_less_sure(translator, text):
    """A word that most of the forest translates, and the chosen translation does."""
    reply = translator.reply(text, nbest=8)
    _, found = translator.search(text)
    theta = translator.decoder.theta()
    weight = translator.bundle.confidence.scale * found.forest.score(theta)
    shares = linked_shares(found, weight, range(len(found.source.words)))
    content = {place for place, share in shares.items() if share > 0.5 + 1e-9}
    content -= {*unlinked_places(found.best)}
    confidence = {each.words: each.confidence for each in reply.alternatives}
    for each in alternatives(found, theta, 8, distinct=True):
        if content & {*unlinked_places(each)}:
            assert confidence[each.words] < reply.confidence


@pytest.mark.slow
def test_terminal_and_page_show_the_same_order(translator):
    for text in SENTENCES[:8]:
        seen = translator.inspect(text, options=0)
        for shown in (shown_in_text(seen.to_text()), shown_in_page(seen.to_html())):
            assert len(shown) == len(seen.reply.alternatives)
            assert shown == sorted(shown, reverse=True)
        assert sum(line.endswith("chosen") for line in seen.to_text().splitlines()) == 1


def shown_in_text(text: str) -> list[float]:
    (table,) = (part for part in text.split("\n\n") if part.startswith("probability"))
    return [float(line.split()[0]) for line in table.splitlines()[1:]]


def shown_in_page(page: str) -> list[float]:
    table = page[page.index("What could be said") :]
    table = table[: table.index("</table>")]
    return [float(each) for each in re.findall(r"<tr><td>([0-9.]+)</td>", table)]
