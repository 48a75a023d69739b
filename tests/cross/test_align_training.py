"""Training of models of word alignment: round by round as the loops do it, and its laws."""

from __future__ import annotations

from itertools import pairwise
from math import isclose, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.bitexts import (
    close,
    corpora,
    entries,
    indexed,
    numbers,
    random_corpus,
    same_pairs,
    sizes,
)
from tests.reference import align as reference
from tests.reference import align_training as loops
from tests.reference import align_words as words

from rosewood import _core
from rosewood.align import Aligner, Best, Diagonal, Hmm, Model1
from rosewood.align.aligner import align_parts
from rosewood.align.collapsed import CollapsedTraining
from rosewood.align.lexicon import UNIT
from rosewood.align.positions import Shapes, learn_jumps, learn_tension
from rosewood.align.training import Training
from rosewood.corpus import IndexedCorpus

FEW = settings(max_examples=10, deadline=None)
KINDS = {"model1": Model1, "diag": Diagonal, "hmm": Hmm}
each_model = pytest.mark.parametrize("kind", KINDS)


def small(kind: str, **settings):
    """A model with jumps that can be written down, and few rounds."""
    extra = {"reach": 3, "model1": 2} if kind == "hmm" else {}
    return KINDS[kind](**{"iterations": 3, **extra, **settings})


def same_state(training: Training, state: reference.Model, tolerance: float = 1e-6) -> None:
    """The same probabilities of words and positions."""
    lexicon = training.lexicon
    for d, name in enumerate(("forward", "backward")):
        found = {p: v[0] for p, v in entries(lexicon, lexicon.entry[name]).items()}
        same_pairs(found, state.word[d], tolerance)
        close(training.null_word[d], state.null_word[d], tolerance)
        if state.placement[d].kind == "jumps":
            close(training.positions.jump[d], state.placement[d].jump, tolerance)
        if state.placement[d].kind == "diagonal":
            close(training.positions.tension[d], state.placement[d].tension, 1e-5)


def same_expectation(training: Training, want: reference.Expected) -> None:
    """The same counts of the last round."""
    found = training.expected
    assert found is not None
    by_pair = entries(training.lexicon, found.count)
    for column, count in enumerate(want.count):
        close([by_pair[p][column] / UNIT for p in count], list(count.values()))
    for d in range(2):
        close(found.null[d] / UNIT, want.null[d])
        close(found.log_probability[d], want.log_probability[d])
    totals = words.count_totals(want.count, sizes(training.corpus))
    for have, wanted in zip(training.totals, totals, strict=True):
        close(have / UNIT, wanted)


def same_choices(training: Training, state: reference.Model) -> None:
    """The same posteriors; the same links, but where a word has two that are as good."""
    corpus, native = training.corpus, training.final(0, len(training.corpus))
    aligned = align_parts([(training.bitext, native, corpus)], training.model, 1)
    bitext = numbers(corpus)
    cells = np.cumsum([0, *(len(s) * len(t) for s, t in bitext)])
    both = np.zeros(cells[-1], np.float32), np.zeros(cells[-1], np.float32)
    _core.align_posteriors(training.bitext.view, native, cells, *both)
    for k, posteriors in reference.align_posteriors(bitext, state).items():
        for d in range(2):
            close(both[d][cells[k] : cells[k + 1]], np.ravel(posteriors[d]), 2e-6)
    for k, chosen in enumerate(reference.align_choose(bitext, state, training.model.least)):
        close(aligned.log_probability[k], chosen.log_probability)
        forward = {(i, j) for j, i in enumerate(chosen.choice[0]) if i >= 0}
        backward = {(i, j) for i, j in enumerate(chosen.choice[1]) if j >= 0}
        for found, want, d in (
            (aligned.forward[k], forward, 0),
            (aligned.backward[k], backward, 1),
        ):
            for link in set(found.links) ^ want:
                assert is_a_tie(state, bitext[k], link, d, training.model.least, k), (k, link)


def is_a_tie(state, pair, link, d, least, k) -> bool:
    """Whether something else is as good as a link, up to rounding."""
    kept = state.kept[k] if state.kept else None
    found = reference.sentence_posteriors(state, pair, kept)
    o, s = (link[1], link[0]) if d == 0 else link
    row = list(found[d].link[o])
    others = [found[d].null[o]]
    if state.agreement:
        row = [(p * found[1 - d].link[n][o]) ** 0.5 for n, p in enumerate(row)]
        others = [least]
    others += row[:s] + row[s + 1 :]
    return any(abs(row[s] - other) < 1e-5 for other in others)


# -- round by round --------------------------------------------------------------------------------


@pytest.mark.slow
@each_model
@pytest.mark.parametrize("agreement", [False, True])
@pytest.mark.parametrize("prior", [0.0, 0.01, 1.0])
def test_em_is_the_loops(kind, agreement, prior):
    corpus = indexed(random_corpus(5))
    model = small(kind, agreement=agreement, prior=prior)
    training = Training(corpus, model, threads=2)
    training.run()
    state, history = loops.train(numbers(corpus), sizes(corpus), model)
    same_state(training, state)
    same_expectation(training, history[-1])
    for row, want in zip(training.history, history, strict=True):
        close(row["forward"] * len(corpus.target.ids), want.log_probability[0])
        close(row["backward"] * len(corpus.source.ids), want.log_probability[1])
    same_choices(training, state)


@FEW
@given(corpora(), st.sampled_from(list(KINDS)), st.booleans(), st.sampled_from([0.0, 0.1]),
       st.floats(1e-6, 0.999))  # fmt: skip
def test_em_of_any_corpus(sentences, kind, agreement, prior, null):
    corpus = indexed(sentences)
    model = small(kind, agreement=agreement, prior=prior, null=null, iterations=2)
    training = Training(corpus, model)
    training.run()
    state, history = loops.train(numbers(corpus), sizes(corpus), model)
    same_expectation(training, history[-1])
    same_choices(training, state)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"iterations": 1},
        {"iterations": 4, "stem": 0},
        {"stem_weight": 0.0, "spelling": 0.0},
        {"stem": 2, "stem_weight": 50.0, "stem_prior": 1.0, "spelling": 10.0},
        {"null": 0.9, "pair_prior": 1.0, "null_prior": 0.5, "prior": 0.0},
    ],
)
def test_best_is_the_loops(settings):
    corpus = indexed(random_corpus(6, pairs=16))
    model = Best(**{"iterations": 3, "reach": 4, "model1": 2, **settings})
    training = CollapsedTraining(corpus, model, threads=2)
    training.run()
    texts = [*corpus.source.vocabulary], [*corpus.target.vocabulary]
    state, history = loops.train_collapsed(numbers(corpus), texts, model)
    same_expectation(training, history[-1])
    same_state(training, state)
    for row, want in zip(training.history, history, strict=True):
        close(row["forward"] * len(corpus.target.ids), want.log_probability[0])
    kept = training.kept[0].reshape(-1, 2, 2)
    want = [links for sentence in history[-1].kept for links in sentence.links]
    for row, links in zip(kept.tolist(), want, strict=True):
        assert [at for at, _ in row if at >= 0] == list(links)
        close([weight / UNIT for at, weight in row if at >= 0], list(links.values()))
    for d in range(2):
        close(training.kept[1 + d] / UNIT, [n for s in history[-1].kept for n in s.null[d]])
    same_choices(training, state)


def test_a_words_own_link_is_left_out():
    """A word that occurs once knows nothing of its partner but what others tell."""
    like = {(0, 0): 0.0, (0, 1): 0.0}, [0.0], [0.0, 0.0]
    stems = words.Stems([0], [1.0], 1), words.Stems([0, 1], [1.0, 1.0], 2)
    made = words.Collapsed(
        {(0, 0): 1.0, (0, 1): 3.0}, ([0.5, 0.0], [0.0]), like, stems,
        words.Priors(0.1, 0.2, 1.0, 0.0, 0.01),
    )  # fmt: skip
    assert isclose(made.probability(0, (0, 0), 1.0), 0.1 / 3.2)
    assert isclose(made.probability(0, (0, 0), 0.0), 1.1 / 4.2)
    assert isclose(made.probability(1, (0, 0), 1.0), 1.0)
    assert isclose(made.null_probability(1, 0, 0.5), 0.2 / 0.4)


# -- objectives ------------------------------------------------------------------------------------

# Counts are rounded to 2^-31 and probabilities to 2^-25 of themselves; a sweep's log probability
# can lose that for each of its words, and where a count was rounded to 0 a word has 1e-30.
ROUNDING = 2.0**-23


def objectives(corpus: IndexedCorpus, model):
    """[round, direction]: what each round of training may not lower."""
    training = Training(corpus, model)
    found = []
    stages = [("model1", "uniform")] * model.warm_up
    for stage, placing in [*stages, *[(model.name, model.placing)] * model.iterations]:
        before, jumps = training.expected, training.positions.jump
        training.step(stage, placing)
        if before is None and model.prior > 0:
            continue  # the first probabilities come from no counts
        value = np.array(training.expected.log_probability)
        if placing == "jumps":
            value += [0.5 * np.log(jump / jump.sum()).sum() for jump in jumps]
        if model.prior > 0:
            value -= divergences(training, before)
        found.append((placing, value))
    return [
        (one, other)
        for (stage, one), (next_stage, other) in pairwise(found)
        if stage == next_stage  # another model has another objective
    ]


def divergences(training: Training, before) -> np.ndarray:
    """What the variational bound pays for the probabilities it was computed with."""
    prior, found = training.model.prior, entries(training.lexicon, before.count)
    paid = []
    for d in range(2):  # the last column is that of both directions where they agree
        count = {pair: row[min(d, len(row) - 1)] / UNIT for pair, row in found.items()}
        null = words.dirichlet_divergence(before.null[d] / UNIT, prior)
        paid.append(words.word_divergence(count, d, prior) + null)
    return np.array(paid)


def never_falls(corpus, model) -> None:
    tokens = np.array([len(corpus.target.ids), len(corpus.source.ids)])
    for before, after in objectives(corpus, model):
        assert (after >= before - ROUNDING * (tokens + np.abs(before))).all(), after - before


@pytest.mark.slow
@each_model
@pytest.mark.parametrize("prior", [0.0, 0.02, 0.5, 10.0])
@pytest.mark.parametrize("null", [1e-4, 0.2, 0.95])
def test_em_never_lowers_its_objective(kind, prior, null):
    for seed in range(3):
        corpus = indexed(random_corpus(seed, pairs=30))
        never_falls(corpus, small(kind, prior=prior, null=null, iterations=12))


@FEW
@given(corpora(), st.sampled_from(list(KINDS)), st.just(0.0) | st.floats(0.02, 5.0),
       st.floats(0.001, 0.99), st.integers(1, 6))  # fmt: skip
def test_em_never_lowers_its_objective_anywhere(sentences, kind, prior, null, reach):
    extra = {"reach": reach} if kind == "hmm" else {}
    never_falls(indexed(sentences), small(kind, prior=prior, null=null, iterations=8, **extra))


# -- positions -------------------------------------------------------------------------------------

leaps = st.lists(
    st.integers(1, 7).flatmap(
        lambda places: st.tuples(
            st.just(places), st.integers(-1, places - 1), st.integers(0, places),
            st.floats(0.0, 100.0),
        )
    ),
    min_size=1, max_size=20,
)  # fmt: skip


@pytest.mark.slow
@settings(deadline=None)
@given(leaps, st.integers(1, 4).flatmap(
    lambda reach: st.lists(st.floats(1e-3, 1.0), min_size=2 * reach + 1, max_size=2 * reach + 1)
))  # fmt: skip
def test_jumps_become_likelier(made, weights):
    """Jumps of sentences with so many places, from a place to another or to the end, so often."""
    jump = np.array(weights) / sum(weights)

    def how(jump):
        return reference.Placement("jumps", 0.0, jump=jump.tolist())

    def choices(places, s):
        return range(places + 1 if s == places else places)

    def whole(jump, places, last, s):
        return sum(jump[how(jump).size(other - last)] for other in choices(places, s))

    def likelihood(jump):
        seen = sum(
            often * log(jump[how(jump).size(s - last)] / whole(jump, places, last, s))
            for places, last, s, often in made
        )
        return seen + 0.5 * np.log(jump / jump.sum()).sum()

    count, chance = np.zeros(len(jump)), np.zeros(len(jump))
    for places, last, s, often in made:
        count[how(jump).size(s - last)] += often
        for other in choices(places, s):
            chance[how(jump).size(other - last)] += often / whole(jump, places, last, s)
    better = learn_jumps(jump, count, chance)
    close(better, loops.better_jumps(jump.tolist(), count.tolist(), chance.tolist()), 1e-12)
    assert isclose(better.sum(), 1.0)
    assert likelihood(better) >= likelihood(jump) - 1e-9 * (1 + abs(likelihood(jump)))


positions = st.dictionaries(
    st.integers(1, 6).flatmap(
        lambda n: st.tuples(st.just(n), st.integers(1, 40), st.integers(0, n - 1))
    ),
    st.floats(0.01, 50.0),
    min_size=1, max_size=8,
)  # fmt: skip


def native_tension(far: float, links: loops.Positions, near: float) -> float:
    shapes = Shapes.of(*(np.array([key[n] for key in links]) for n in (0, 1)))
    placed = np.zeros(len(shapes.at))
    for first, ((_, _, o), count) in zip(shapes.first, links.items(), strict=True):
        placed[first + o] += count
    return learn_tension(shapes, far, placed, near)


@pytest.mark.slow
@settings(deadline=None)
@given(positions, st.floats(0.0, 1.0), st.floats(0.0, 1000.0))
def test_tension_is_the_likeliest(links, share, near):
    """`share` of how far links are without any tension."""
    far = share * (loops.tension_slope(0.0, 0.0, links))
    found = native_tension(far, links, near)
    best = loops.tension_likelihood(found, far, links)
    for other in [*np.geomspace(0.1, 100.0, 60), found * 1.01, found * 0.99]:
        if 0.1 <= other <= 100.0:
            assert loops.tension_likelihood(other, far, links) <= best + 1e-9 * (1 + abs(best))
    # Where links are as near as they can be, any high tension is as good as any other.
    if abs(loops.tension_slope(50.0, far, links)) > 1e-6 * sum(links.values()):
        assert isclose(found, loops.best_tension(far, links), rel_tol=1e-4, abs_tol=1e-6)


@pytest.mark.slow
@settings(deadline=None)
@given(positions, st.floats(0.5, 20.0))
def test_the_slope_of_tension(links, tension):
    width = 1e-4
    up, down = (loops.tension_likelihood(tension + d, 0.3, links) for d in (width, -width))
    assert isclose(
        (up - down) / (2 * width), loops.tension_slope(tension, 0.3, links), rel_tol=1e-5,
        abs_tol=1e-5 * sum(links.values()),
    )  # fmt: skip


# -- threads ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*KINDS, "best"])
def test_the_same_bytes_at_any_number_of_threads(name, tmp_path):
    corpus = indexed(random_corpus(9, pairs=300, longest=14))
    found = []
    for threads in (1, 2, 3, 7):
        aligner, aligned = Aligner.fit_align(corpus, name, threads=threads)
        folder = tmp_path / str(threads)
        aligner.save(folder)
        files = {path.name: path.read_bytes() for path in sorted(folder.iterdir())}
        again = aligner.align_both(corpus, threads=threads)
        posteriors = [p.forward.tobytes() for p in aligner.posteriors(corpus, threads=threads)]
        found.append(
            (files, aligned.forward, aligned.backward, aligned.log_probability.tobytes(),
             again.forward, again.log_probability.tobytes(), posteriors)
        )  # fmt: skip
    assert all(each == found[0] for each in found[1:])
