"""Models of word alignment: the loops against enumeration, kernels against the loops."""

from __future__ import annotations

from math import isclose

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
from tests.reference import align_words as words
from tests.refusals import refuses

from rosewood import _core
from rosewood.align import Aligner, Links
from rosewood.align.lexicon import UNIT, Lexicon, bitext_of
from rosewood.align.training import NONE, null_words
from rosewood.align.word_similarity import Stems, likeness_of, spelling
from rosewood.corpus import IndexedCorpus
from rosewood.errors import AlignmentError

EXAMPLES = settings(max_examples=40, deadline=None)
KINDS = ("uniform", "diagonal", "jumps")
chances = st.floats(1e-6, 1.0)


# -- one sentence ----------------------------------------------------------------------------------


@st.composite
def placements(draw, kind=None):
    jump = draw(st.integers(0, 3).flatmap(lambda n: st.lists(chances, min_size=2 * n + 1,
                                                             max_size=2 * n + 1)))  # fmt: skip
    return reference.Placement(
        kind or draw(st.sampled_from(KINDS)),
        draw(st.floats(0.01, 0.99)),
        draw(st.sampled_from([0.0, 4.0, 30.0]) | st.floats(0.0, 100.0)),
        [weight / sum(jump) for weight in jump],
    )


@st.composite
def emissions(draw, observed: int, places: int):
    row = st.lists(chances, min_size=places, max_size=places)
    return (
        draw(st.lists(row, min_size=observed, max_size=observed)),
        draw(st.lists(chances, min_size=observed, max_size=observed)),
    )


@EXAMPLES
@given(placements(), st.data())
def test_the_loop_is_a_sum_over_alignments(how, data):
    shape = data.draw(st.tuples(st.integers(1, 4), st.integers(1, 4)))
    emission, null_emission = data.draw(emissions(*shape))
    found = reference.inferred(how, emission, null_emission)
    want = reference.enumerated(how, emission, null_emission)
    for have, wanted in zip(found, want, strict=True):
        close(have, wanted, 1e-9)
    if how.kind == "jumps":
        placed = shape[0] - sum(found.null) + 1  # and the end
        assert isclose(sum(found.jump), placed, abs_tol=1e-9)
        # Every jump was made from somewhere, with these weights to choose from.
        assert isclose(sum(np.multiply(found.chance, how.jump)), placed, abs_tol=1e-9)


def test_alignments_by_hand():
    """Two words, two places: jumps are normalised over the places that are there."""
    how = reference.Placement("jumps", 0.2, jump=[0.1, 0.3, 0.6])
    emission, null = [[0.5, 0.25], [0.125, 1.0]], [0.1, 0.2]
    # From before the sentence: a jump of 1 to place 0, one of 2, as likely, to place 1.
    first, none = 0.8 * 0.5 * 0.5, 0.2 * 0.2
    # At the end, from place 0: to 0, to 1 or behind it, that is 0, +1 or +2.
    assert isclose(reference.story(how, emission, null, [0, None]), first * none * 0.6 / 1.5)
    # From place 0: to 0 or to 1; and at the end from place 1.
    second = 0.8 * 0.6 / 0.9 * 1.0
    assert isclose(reference.story(how, emission, null, [0, 1]), first * second * 0.6 / 1.0)
    # The first word with a place is the second one.
    second = 0.8 * 0.5 * 0.125
    assert isclose(reference.story(how, emission, null, [None, 0]), 0.02 * second * 0.6 / 1.5)
    assert isclose(reference.story(how, emission, null, [None, None]), 0.02 * none / 3)


def one_sentence(how, emission, null_emission):
    """A bitext of one sentence of distinct words, and a model under which it is this one."""
    observed, places = len(emission), len(emission[0])
    start = [np.array([0, n]) for n in (places, observed)]
    view = _core.Bitext(
        np.arange(places, dtype=np.int32), start[0], places,
        np.arange(observed, dtype=np.int32), start[1], observed,
    )  # fmt: skip
    row = np.zeros(places + 1, np.int64)
    _core.lexicon_rows(view, row)
    entry = np.zeros(row[-1], np.dtype([("word", "<i4"), ("f", "<f4"), ("b", "<f4")]))
    entry["word"] = -1
    lexicon = _core.Lexicon(row, entry.view(np.uint8), observed)
    _core.lexicon_fill(view, lexicon)
    for s in range(places):
        for place in range(row[s], row[s + 1]):
            if entry["word"][place] >= 0:
                entry["f"][place] = emission[entry["word"][place]][s]
                entry["b"][place] = 0.5
    model = _core.AlignmentModel(
        lexicon, how.kind, (how.null, how.null), (how.tension, 0.0),
        np.array(how.jump), np.array([1.0]),
        np.array(null_emission, np.float32), np.full(places, 0.1, np.float32), False,
    )  # fmt: skip
    return view, model, len(entry)


@EXAMPLES
@given(placements(), st.data())
def test_the_kernel_of_one_sentence(how, data):
    shape = data.draw(st.tuples(st.integers(1, 7), st.integers(1, 7)))
    emission, null_emission = data.draw(emissions(*shape))
    emission = np.float32(emission).astype(float).tolist()
    null_emission = np.float32(null_emission).astype(float).tolist()
    check_sentence(how, emission, null_emission)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", [(60, 40), (40, 60), (1, 70), (70, 1)])
def test_long_sentences(kind, shape):
    chance = np.random.default_rng(7)
    jump = chance.dirichlet(np.ones(11))
    how = reference.Placement(kind, 0.2, 5.0, jump.tolist())
    emission = chance.dirichlet(np.ones(50), shape).max(axis=2) ** 4
    emission = np.float32(emission).astype(float).tolist()
    check_sentence(how, emission, np.float32(chance.random(shape[0])).astype(float).tolist())


@pytest.mark.parametrize("places", [1, 2, 3, 9])
@pytest.mark.parametrize("rare", [1e-12, 1e-30])
def test_jumps_that_hardly_ever_happen(places, rare):
    """Where no other jump is possible, one that is rare is certain."""
    for likely in range(7):
        jump = [rare] * 7
        jump[likely] = 1 - 6 * rare
        emission = [[0.5] * places, [0.25] * places, [0.125] * places]
        check_posteriors(reference.Placement("jumps", 0.25, jump=jump), emission, [0.5] * 3)


def test_jumps_from_a_place_that_seems_impossible():
    """What follows may make it likely again: the end is near from the last place alone."""
    jump = [0.5, 1.0, 1.0, 1.0, 1.0, 1.0, 1e-6]
    how = reference.Placement("jumps", 0.5, jump=[weight / sum(jump) for weight in jump])
    rare = float(np.float32(1e-6))
    check_sentence(how, [[1.0] * 5 + [rare], [1.0] * 6], [1.0, 1.0])


def check_posteriors(how, emission, null_emission) -> reference.Inferred:
    observed, places = len(emission), len(emission[0])
    want = reference.inferred(how, emission, null_emission)
    view, model, _ = one_sentence(how, emission, null_emission)
    forward, backward = np.zeros(observed * places, np.float32), np.zeros(observed * places, "f4")
    _core.align_posteriors(view, model, np.array([0, forward.size]), forward, backward)
    close(forward.reshape(places, observed).T, want.link)
    return want


def check_sentence(how, emission, null_emission) -> None:
    want = check_posteriors(how, emission, null_emission)
    observed, places = len(emission), len(emission[0])
    view, model, size = one_sentence(how, emission, null_emission)
    null = np.zeros(observed, np.int64), np.zeros(places, np.int64)
    count, none = np.zeros(2 * size, np.int64), np.zeros(0, np.int64)
    log_probability, far, jump, chance, *_ = _core.align_expect(
        view, model, count, *null, NONE, NONE, NONE, none, none, none, none
    )
    close(log_probability[0], want.log_probability, 1e-9)
    close(null[0] / UNIT, want.null, 1e-8)
    if how.kind == "diagonal":
        close(far[0], want.distance, 1e-9)
    if how.kind == "jumps":
        close(jump, want.jump, 1e-8)
        close(chance, want.chance, 1e-8)


# -- lexicons and counts ---------------------------------------------------------------------------


@EXAMPLES
@given(corpora(pairs=8))
def test_a_lexicon_has_the_pairs_that_occur_and_no_others(sentences):
    corpus = indexed(sentences)
    lexicon = Lexicon.of(bitext_of(corpus))
    met = words.partners(numbers(corpus), corpus.source.num_types)
    assert lexicon.row.tolist() == words.lexicon_rows(met)
    assert lexicon.entry["word"].tolist() == words.lexicon_fill(met)
    occurring = {(s, t) for source, target in numbers(corpus) for s in source for t in target}
    assert set(entries(lexicon, np.zeros(len(lexicon)))) == occurring


def test_a_lexicon_of_words_that_never_occur():
    """A corpus's vocabulary may know more words than its sentences have."""
    corpus = IndexedCorpus.from_lines(["b", ""], ["y y", "z"], known=(["a", "b", "c"], ["z", "y"]))
    lexicon = Lexicon.of(bitext_of(corpus))
    assert lexicon.row.tolist() == [0, 0, 2, 2]
    assert sorted(lexicon.entry["word"].tolist()) == [-1, 1]
    for name in ("model1", "diag", "hmm", "best"):
        aligner, aligned = Aligner.fit_align(corpus, name)
        assert [set(a.links) for a in aligned.symmetrize("union")][1] == set()
        assert np.isfinite(aligned.log_probability).all()
        assert repr(aligner).endswith("3 source and 2 target words)")


@EXAMPLES
@given(st.floats(1e-8, 1e9) | st.floats(1e-3, 50.0))
def test_exp_digamma(x):
    out = np.empty(2)
    _core.exp_digamma(np.array([x, 1.0]), out)
    close(out, [words.exp_digamma(x), words.exp_digamma(1.0)], 1e-9)


def test_digamma_of_nothing():
    for x in (0.0, -1.0, np.nan):
        with refuses(AlignmentError, "argument.range"):
            _core.exp_digamma(np.array([1.0, x]), np.empty(2))


def random_counts(corpus, lexicon, columns, seed=0):
    """Counts, some of them 0, as arrays and as loops take them."""
    chance = np.random.default_rng(seed)
    count = chance.integers(0, 4 * UNIT, (len(lexicon), columns)) * chance.integers(
        0, 2, (len(lexicon), columns)
    )
    by_pair = entries(lexicon, count)
    return count, [{p: float(n[c]) / UNIT for p, n in by_pair.items()} for c in range(columns)]


@pytest.mark.parametrize("columns", [1, 2])
@pytest.mark.parametrize("prior", [0.0, 1e-9, 0.01, 0.5, 100.0])
def test_probabilities_of_counts(columns, prior):
    corpus = indexed(random_corpus(1))
    lexicon = Lexicon.of(bitext_of(corpus))
    count, loops = random_counts(corpus, lexicon, columns)
    totals = lexicon.totals(count)
    want = words.count_totals(loops, sizes(corpus))
    for found, wanted in zip(totals, want, strict=True):
        close(found / UNIT, wanted, 1e-9)
    partners = words.count_partners(loops[0], sizes(corpus))
    assert [each.tolist() for each in lexicon.partners] == list(partners)
    _core.maximise_words(lexicon.view, count, *totals, *lexicon.partners, prior)
    found = entries(lexicon, lexicon.entry["forward"]), entries(lexicon, lexicon.entry["backward"])
    for have, wanted in zip(
        found, words.maximise_words(found[0], loops, want, partners, prior), strict=True
    ):
        np.testing.assert_allclose([have[p][0] for p in wanted], list(wanted.values()), rtol=1e-6)
    null = np.array([0, UNIT, 5 * UNIT // 2])
    np.testing.assert_allclose(
        null_words(null, prior), words.null_words((null / UNIT).tolist(), prior), rtol=1e-6
    )


@pytest.mark.slow
def test_divergence_is_an_expectation():
    """Of the logarithm of how much likelier a row is under its posterior than under its prior."""
    count, prior = np.array([3.0, 0.0, 1.5]), 0.7
    from scipy.stats import dirichlet  # takes a second to import

    rows = dirichlet.rvs(count + prior, size=200_000, random_state=1).T
    ahead = dirichlet.logpdf(rows, count + prior) - dirichlet.logpdf(rows, np.full(3, prior))
    assert abs(ahead.mean() - words.dirichlet_divergence(count, prior)) < 0.02


def test_counts_of_other_pairs():
    """What a model keeps goes to the pairs of another text, those it has not met get nothing."""
    corpus = indexed(random_corpus(3))
    lexicon = Lexicon.of(bitext_of(corpus))
    kept = {(0, 1): (UNIT, 2), (0, 3): (5, 6), (2, 0): (7, 8), (2, 9): (9, 10)}
    start = np.searchsorted([s for s, _ in kept], np.arange(5)).astype(np.int64)
    word = np.array([t for _, t in kept], np.int32)
    count = np.array(list(kept.values()))
    out = np.full(len(lexicon) * 2, 99)
    _core.transfer_counts(start, word, count, lexicon.view, out, 2)
    found = entries(lexicon, out)
    want = words.transfer_counts(kept, found, 2)
    assert {p: tuple(n) for p, n in found.items()} == want
    assert sum(map(any, want.values())) >= 2
    with refuses(AlignmentError, "argument.shape"):
        _core.transfer_counts(start[::-1].copy(), word, count, lexicon.view, out)


# -- what words tell -------------------------------------------------------------------------------

TEXTS = st.lists(
    st.text("abcABCéß'1", min_size=1, max_size=9)
    | st.sampled_from(["telephone", "Telefon", "日本"]),
    min_size=1, max_size=8, unique=True,
)  # fmt: skip


@EXAMPLES
@given(TEXTS, TEXTS)
def test_likeness(source, target):
    corpus = IndexedCorpus.from_lines([" ".join(source)], [" ".join(target)])
    lexicon = Lexicon.of(bitext_of(corpus))
    made = likeness_of(lexicon, source, target, threads=2)
    found = entries(lexicon, made.like)
    like, *totals = words.spell(found, source, target)
    same_pairs({p: v[0] for p, v in found.items()}, like)
    close(made.source_total, totals[0])
    close(made.target_total, totals[1])
    assert [spelling(w) for w in source] == [words.spelling(w) for w in source]


def test_likeness_by_hand():
    for one, other, want in (
        ("haus", "haus", 1.0), ("", "", 0.0), ("abc", "abd", 0.0), ("abcd", "abc", 0.0),
        ("telefon", "telephone", (6 / 9 - 0.6) / 0.4), ("abcde", "abcxy", 0.0),
        ("abcde", "abcdx", 0.5), ("日本", "日本", 1.0),
    ):  # fmt: skip
        assert isclose(words.likeness(one, other), want, abs_tol=1e-12)
    assert words.spelling("Élan") == "elan"


@EXAMPLES
@given(TEXTS, st.integers(0, 5), st.integers(0, 3))
def test_stems(texts, length, often):
    frequency = [(often * n) % 4 for n in range(len(texts))]
    found = Stems.of(texts, np.array(frequency), length)
    want = words.stems_of(texts, frequency, length)
    assert (found.stem.tolist(), found.size) == (want.stem, want.size)
    close(found.share, want.share)


def test_pairs_of_stems():
    corpus = indexed(random_corpus(4))
    lexicon = Lexicon.of(bitext_of(corpus))
    sides = []
    for text in (corpus.source, corpus.target):
        frequency = np.bincount(text.ids, minlength=text.num_types)
        sides.append(Stems.of([*text.vocabulary], frequency, 4))
    made = bitext_of(corpus, sides[0].stem, sides[1].stem, words=(sides[0].size, sides[1].size))
    stems = Lexicon.of(made)
    pair = np.zeros(len(lexicon), np.int32)
    _core.pair_stems(lexicon.view, sides[0].stem, sides[1].stem, stems.view, pair, 2)
    count, (loop,) = random_counts(corpus, lexicon, 1)
    count[lexicon.entry["word"] < 0] = 0
    sums = np.zeros(len(stems), np.int64)
    _core.add_pairs(count.reshape(-1), pair, sums)
    want = words.add_pairs(
        loop, words.pair_stems(loop, tuple(words.Stems(s.stem.tolist(), [], s.size) for s in sides))
    )
    same_pairs({p: v[0] / UNIT for p, v in entries(stems, sums).items()}, want)
    with refuses(AlignmentError, "argument.range"):
        _core.add_pairs(count.reshape(-1), pair + len(stems), sums)


# -- links -----------------------------------------------------------------------------------------


@EXAMPLES
@given(st.lists(st.lists(st.integers(-1, 9), max_size=8)), st.sampled_from(["source", "target"]))
def test_links_of_choices(choices, side):
    start = np.cumsum([0, *map(len, choices)])
    choice = np.array([place for each in choices for place in each], np.int32)
    links = Links.from_choices(choice, start, of=side)
    want = [reference.links_from_choices(each, side == "target") for each in choices]
    assert [sorted(each.links) for each in links] == want


# -- files -----------------------------------------------------------------------------------------


@EXAMPLES
@given(st.lists(st.sets(st.tuples(st.integers(0, 2000), st.integers(0, 2000)), max_size=6)))
def test_lines_of_links(sentences):
    links = Links.of(sentences)
    lines = [reference.format_links(list(each)) for each in sentences]
    text = "".join(line + "\n" for line in lines).encode()
    assert _core.format_links(links.view, np.zeros(0, np.uint8), 0, len(links)) == text
    (start, source, target), *_ = _core.parse_links(np.frombuffer(text, np.uint8), 1, 0, False)
    found = list(zip(source.tolist(), target.tolist(), strict=True))
    for k, line in enumerate(lines):
        assert found[start[k] : start[k + 1]] == reference.parse_links(line)
