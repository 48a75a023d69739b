"""Symmetrisation: the kernel against its specification, and both against what is published."""

from __future__ import annotations

import itertools
import os
import random
import shutil
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests import real
from tests.reference import symmetrize as reference
from tests.refusals import refuses

from rosewood.align import ORDERS, SYMMETRIZATIONS, Links, format_pharaoh, read_pharaoh, symmetrize
from rosewood.errors import AlignmentError

REFERENCES = {"symal": reference.symmetrize, "atools": reference.atools}


@st.composite
def directions(draw, longest: int = 8):
    """Forward and backward links of a sentence: functions, as models give them, or any links."""
    sources, targets = draw(st.integers(1, longest)), draw(st.integers(1, longest))
    source = st.integers(0, sources - 1)
    target = st.integers(0, targets - 1)
    if draw(st.booleans()):
        any_links = st.sets(st.tuples(source, target), max_size=2 * longest)
        return draw(any_links), draw(any_links)
    chosen = draw(st.lists(st.none() | source, min_size=targets, max_size=targets))
    other = draw(st.lists(st.none() | target, min_size=sources, max_size=sources))
    forward = {(i, j) for j, i in enumerate(chosen) if i is not None}
    return forward, {(i, j) for i, j in enumerate(other) if j is not None}


def native(forward, backward, method, order="symal"):
    one, other = Links.of([forward]), Links.of([backward])
    return set(symmetrize(one, other, method, order=order)[0].links)


def test_the_definition_by_hand():
    """The matrix of a textbook: the intersection, what grows beside it, what is added at last."""
    forward = {(0, 0), (1, 1), (1, 2), (3, 3), (5, 5)}
    backward = {(0, 0), (1, 1), (2, 2), (4, 3), (6, 7)}
    expected = {
        "intersection": {(0, 0), (1, 1)},
        "union": forward | backward,
        # (1, 2) is beside (1, 1) and (2, 2) touches its corner; (3, 3) touches that of (2, 2), and
        # (4, 3) is beside it.  Nothing leads to (5, 5) and (6, 7).
        "grow-diag": {(0, 0), (1, 1), (1, 2), (2, 2), (3, 3), (4, 3)},
        "grow-diag-final": forward | backward,
        "grow-diag-final-and": forward | backward,
    }
    for method, links in expected.items():
        assert reference.symmetrize(forward, backward, method) == links


def test_final_and_wants_two_free_words():
    forward, backward = {(0, 0), (0, 2)}, {(0, 0), (2, 4), (3, 4)}
    assert native(forward, backward, "grow-diag") == {(0, 0)}
    assert native(forward, backward, "grow-diag-final") == {(0, 0), (0, 2), (2, 4), (3, 4)}
    assert native(forward, backward, "grow-diag-final-and") == {(0, 0), (2, 4)}
    assert native(backward, forward, "grow-diag-final-and") == {(0, 0), (2, 4)}


def test_the_orders_differ():
    """One of two links must stay out: symal goes by target words, atools by source words."""
    for forward, backward in itertools.product(
        *2 * [[set(c) for n in range(4) for c in itertools.combinations(
            list(itertools.product(range(2), range(3))), n)]]
    ):  # fmt: skip
        if native(forward, backward, "grow-diag") != native(
            forward, backward, "grow-diag", order="atools"
        ):
            return
    pytest.fail("no input tells the orders apart")


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("method", SYMMETRIZATIONS)
def test_every_small_pair_of_functions(method, order):
    forwards = [
        {(i, j) for j, i in enumerate(chosen) if i is not None}
        for chosen in itertools.product([None, 0, 1], repeat=3)
    ]
    backwards = [
        {(i, j) for i, j in enumerate(chosen) if j is not None}
        for chosen in itertools.product([None, 0, 1, 2], repeat=2)
    ]
    pairs = list(itertools.product(forwards, backwards))
    made = symmetrize(
        Links.of(f for f, _ in pairs), Links.of(b for _, b in pairs), method, order=order
    )
    for links, (forward, backward) in zip(made, pairs, strict=True):
        assert links.links == REFERENCES[order](forward, backward, method)


@pytest.mark.slow
@given(directions(), st.sampled_from(SYMMETRIZATIONS), st.sampled_from(ORDERS))
def test_the_kernel_is_the_definition(pair, method, order):
    assert native(*pair, method, order) == REFERENCES[order](*pair, method)


@pytest.mark.slow
@given(directions(), st.sampled_from(ORDERS))
def test_laws(pair, order):
    forward, backward = pair
    made = {method: native(forward, backward, method, order) for method in SYMMETRIZATIONS}
    assert made["intersection"] <= made["grow-diag"] <= made["grow-diag-final-and"]
    assert made["grow-diag"] <= made["grow-diag-final"] <= made["union"]
    assert made["grow-diag-final-and"] <= made["union"]
    # After FINAL every word that has a link in either direction has one.
    for place in (0, 1):
        assert {link[place] for link in made["grow-diag-final"]} == {
            link[place] for link in made["union"]
        }
    for method in SYMMETRIZATIONS:  # two that agree are left alone
        assert native(forward, forward, method, order) == forward


@pytest.mark.slow
@given(st.lists(directions(5), max_size=8), st.integers(0, 1000))
def test_sentences_far_out_and_threads(pairs, away):
    """Large places take no memory; sentences do not touch each other; threads change nothing."""
    moved = [
        [{(i + away * 10**6, j + away * 10**5) for i, j in side} for side in pair] for pair in pairs
    ]
    pairs, moved = pairs * 200, moved * 200
    near, far = ([Links.of(p[side] for p in some) for side in (0, 1)] for some in (pairs, moved))
    for order in ORDERS:
        one = symmetrize(*near, order=order)
        other = symmetrize(*far, order=order, threads=4)
        assert (one.start == other.start).all()
        assert (one.source + away * 10**6 == other.source).all()
        assert (one.target + away * 10**5 == other.target).all()


def test_arguments_are_checked():
    links = Links.of([{(0, 0)}])
    with refuses(AlignmentError, "argument.unknown", argument="symmetrisation", value="best"):
        symmetrize(links, links, "best")
    with refuses(AlignmentError, "argument.unknown", argument="order", value="giza"):
        symmetrize(links, links, order="giza")
    with refuses(AlignmentError, "argument.shape"):
        symmetrize(links, Links.of([]))
    with refuses(AlignmentError, "argument.range", argument="threads", value=0):
        symmetrize(links, links, threads=0)


def _atools() -> str:
    found = os.environ.get("ATOOLS") or shutil.which("atools")
    if not found:
        pytest.skip("atools of fast_align is not installed: set ATOOLS")
    return found


def _live(forward: Links, backward: Links, method: str, folder) -> Links:
    for name, links in (("f", forward), ("b", backward)):
        (folder / name).write_text(format_pharaoh(links))
    name = {"intersection": "intersect"}.get(method, method)
    command = [_atools(), "-i", folder / "f", "-j", folder / "b", "-c", name]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return read_pharaoh(done.stdout.splitlines())


@pytest.mark.parametrize("method", SYMMETRIZATIONS)
def test_atools_says_the_same(method, tmp_path):
    chance = random.Random(7)
    forward, backward = [], []
    for _ in range(500):
        sources, targets = chance.randint(1, 12), chance.randint(1, 12)
        corner = {(sources - 1, targets - 1)}  # atools guesses the size from the links
        forward.append(corner | {(chance.randrange(sources), j) for j in range(targets)})
        backward.append(corner | {(i, chance.randrange(targets)) for i in range(sources)})
    one, other = Links.of(forward), Links.of(backward)
    assert _live(one, other, method, tmp_path) == symmetrize(one, other, method, order="atools")


def test_atools_says_the_same_of_real_links(tmp_path):
    gold = real.lines("novels-fr-en/gold.align.gz")
    sure = read_pharaoh([" ".join(x for x in line.split() if "p" not in x) for line in gold])
    both = read_pharaoh([line.replace("p", "-") for line in gold])
    for method in SYMMETRIZATIONS:
        made = symmetrize(sure, both, method, order="atools")
        assert _live(sure, both, method, tmp_path) == made
