"""Aligners asked about new text: what they kept of their training, as the loops would use it."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

import numpy as np
import pytest
from tests.bitexts import close, indexed, numbers, random_corpus, sizes
from tests.reference import align as reference
from tests.reference import align_training as loops
from tests.reference import align_words as words

from rosewood.align import Aligner, Best, Diagonal, Hmm, Model1
from rosewood.corpus import IndexedCorpus

NEW = [
    (["haus", "telefonat"], ["telephone", "house"]),
    (["häuschen", "klein", "klein"], ["little", "cottage", "xylophone"]),
    (["xylophon", "baum"], ["tree", "xylophone", "small"]),
    ([], ["nothing"]),
    (["Haus"], ["Houses"]),
]
MODELS = [
    Model1(prior=0.0),
    Model1(prior=0.1),
    Diagonal(iterations=3),
    Hmm(iterations=3, reach=4),
    Hmm(iterations=3, reach=4, agreement=True, prior=0.0),
    Best(iterations=3, reach=4),
    Best(iterations=2, reach=4, stem=3, stem_weight=20.0, spelling=5.0),
    Best(iterations=2, reach=4, stem=0, null_prior=0.3),
]


def numbered(sentences, known: tuple[list[str], list[str]]):
    """Sentences as numbers of words, those that are not known behind all others; and all words."""
    both = [list(side) for side in known]
    made = []
    for pair in sentences:
        for side, sentence in enumerate(pair):
            both[side] += [w for w in dict.fromkeys(sentence) if w not in both[side]]
        made.append(tuple([both[n].index(w) for w in pair[n]] for n in range(2)))
    return made, (both[0], both[1])


def padded(row: words.Row, size: int) -> words.Row:
    return row + [0.0] * (size - len(row))


class Trained(NamedTuple):
    """A corpus, its words, and what the loops made of it."""

    bitext: list[reference.SentencePair]
    known: tuple[list[str], list[str]]
    state: reference.Model
    last: reference.Expected


def trained(model, corpus: IndexedCorpus) -> Trained:
    bitext, known = numbers(corpus), (corpus.source.types, corpus.target.types)
    if isinstance(model, Best):
        state, history = loops.train_collapsed(bitext, known, model)
    else:
        state, history = loops.train(bitext, sizes(corpus), model)
    return Trained(bitext, known, state, history[-1])


def fitted(model, base: Trained, text, all_words) -> reference.Model:
    """The model for another text, from the counts of the last round of training."""
    pairs, size = loops.pairs_of(text), (len(all_words[0]), len(all_words[1]))
    null = padded(base.last.null[0], size[1]), padded(base.last.null[1], size[0])
    if not isinstance(model, Best):
        totals = words.count_totals(base.last.count, (len(base.known[0]), len(base.known[1])))
        wider = padded(totals[0], size[0]), padded(totals[1], size[1])
        old = words.count_partners(base.state.word[0], (len(base.known[0]), len(base.known[1])))
        here = words.count_partners(pairs, size)
        partners = [np.maximum(here[n], padded(old[n], size[n])).tolist() for n in range(2)]
        some = {p for column in base.last.count for p, n in column.items() if n >= 2.0**-20}
        count = [{p: n for p, n in column.items() if p in some} for column in base.last.count]
        return base.state._replace(
            word=words.maximise_words(pairs, count, wider, partners, model.prior),
            null_word=(words.null_words(null[0], model.prior),
                       words.null_words(null[1], model.prior)),
        )  # fmt: skip
    like, *here = words.spell(pairs, *all_words)
    _, *before = words.spell(loops.pairs_of(base.bitext), *base.known)
    spelled = [np.maximum(here[n], padded(before[n], size[n])).tolist() for n in range(2)]
    often = [Counter(word for pair in base.bitext for word in pair[n]) for n in range(2)]
    stems = [
        words.stems_of(all_words[n], [often[n][w] for w in range(size[n])], model.stem)
        for n in range(2)
    ]
    made = words.Collapsed(
        base.last.count[0], null, (like, *spelled), (stems[0], stems[1]),
        base.state.collapsed.priors,
    )  # fmt: skip
    return base.state._replace(
        word=words.maximise_collapsed(pairs, made), null_word=made.null_words(),
        collapsed=None, kept=(),
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_other_text(model):
    """New words, new pairs of known words, and the training corpus itself."""
    corpus = indexed(random_corpus(21, pairs=18))
    base = trained(model, corpus)
    aligner = Aligner.fit(corpus, model)
    old = [(corpus.source.words(k), corpus.target.words(k)) for k in range(len(corpus))]
    for sentences in (NEW, old, [*old[:3], *NEW]):
        text, all_words = numbered(sentences, base.known)
        want = fitted(model, base, text, all_words)
        posteriors = reference.align_posteriors(text, want)
        asked = [(" ".join(source), " ".join(target)) for source, target in sentences]
        for k, found in enumerate(aligner.posteriors(asked)):
            if k in posteriors:
                close(found.forward, posteriors[k][0], 1e-5)
                close(found.backward, posteriors[k][1], 1e-5)
        chosen = reference.align_choose(text, want, model.least)
        likely = aligner.align_both(asked).log_probability
        close(likely, [each.log_probability for each in chosen], 1e-5)
