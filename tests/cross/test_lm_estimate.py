"""Estimation against the plain one, against lmplz, and against itself at any size of memory."""

from __future__ import annotations

import gzip
import io
import shutil
import subprocess
from dataclasses import replace
from math import isclose
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests import real
from tests.reference import lm_estimate as reference
from tests.refusals import refuses

from rosewood import _core
from rosewood.corpus.phrasebook import Phrasebook
from rosewood.errors import FormatError, LanguageModelError
from rosewood.lm import Estimate, estimate, estimate_files, verify_model

GOLDEN = Path(__file__).parents[1] / "golden" / "lm"
EXAMPLES = settings(max_examples=60, deadline=None)
LMPLZ = shutil.which("lmplz")
sentences = st.text("abcde", max_size=9).map(list)
texts = st.lists(sentences, min_size=1, max_size=12)

Ngrams = dict[tuple[str, ...], tuple[float, float | None]]


def ngrams(found: Estimate) -> Ngrams:
    """By their words; no back-off where nothing longer begins so."""
    every = (each for n in range(1, found.table.order + 1) for each in found.ngrams(n))
    return {words: (log10, backoff) for words, log10, backoff in every}


def check_same(found: Ngrams, want: Ngrams, tolerance: float) -> None:
    assert found.keys() == want.keys()
    for ngram, (p, left) in want.items():
        assert abs(found[ngram][0] - p) < tolerance, ngram
        assert abs((found[ngram][1] or 0.0) - (left or 0.0)) < tolerance, ngram


def read_arpa(text: str) -> Ngrams:
    """What lmplz writes, and no more."""
    rows = (line.split("\t") for line in text.splitlines() if line.count("\t"))
    return {
        tuple(row[1].split(" ")): (float(row[0]), float(row[2]) if len(row) > 2 else None)
        for row in rows
    }


def p_of(model: Ngrams, context: tuple[str, ...], word: str) -> float:
    """As a back-off model defines it."""
    ngram = (*context, word)
    if ngram in model:
        return 10 ** model[ngram][0]
    left = (model[context][1] or 0.0) if context in model else 0.0
    return 10**left * p_of(model, context[1:], word)


@given(texts, st.integers(1, 8))
@EXAMPLES
def test_estimate_is_the_plain_one(text, order):
    found = estimate(text, order)
    want, discounts = reference.estimate(text, order)
    check_same(ngrams(found), want, 1e-6)
    assert [each.order for each in found.fallbacks] == [
        n for n, (_, is_made_up) in enumerate(discounts, 1) if is_made_up
    ]
    for (_, left), (_, wanted) in zip(ngrams(found).values(), want.values(), strict=True):
        assert left is None or left <= 0 or wanted is None


@given(texts, st.integers(2, 5), st.lists(st.integers(0, 3), min_size=1, max_size=4))
@EXAMPLES
def test_cutoffs_are_those_of_the_plain_one(text, order, cutoffs):
    cutoffs = sorted(cutoffs)[: order - 1]
    found = estimate(text, order, cutoffs=[0, *cutoffs])
    want, _ = reference.estimate(text, order, cutoffs)
    check_same(ngrams(found), want, 1e-6)
    for ngram, (_, left) in ngrams(found).items():
        assert (left is None) == (want[ngram][1] is None)


@given(texts, st.integers(1, 8), st.sampled_from([(), (0, 1), (0, 0, 1, 2)]))
@EXAMPLES
def test_probabilities_of_every_context_sum_to_one(text, order, cutoffs):
    model = ngrams(estimate(text, order, cutoffs=cutoffs[:order]))
    words = {ngram[0] for ngram in model if len(ngram) == 1} - {"<s>"}
    for context in {ngram[:-1] for ngram in model} | {("b", "b", "b"), ("<unk>",)}:
        if len(context) < order and "</s>" not in context:
            total = sum(p_of(model, context, word) for word in words)
            assert isclose(total, 1.0, abs_tol=2e-6), context


@pytest.fixture(scope="module")
def lines() -> list[str]:
    return [" ".join(pair.source) for pair in Phrasebook("en-de", seed=9).pairs(3000)]


def columns(table: _core.NgramTable) -> list[bytes]:
    every = (table.columns(n) for n in range(1, table.order + 1))
    return [column.tobytes() for each in every for column in each]


@pytest.mark.slow
@pytest.mark.parametrize("cutoffs", [(), (0, 0, 1)])
@pytest.mark.parametrize("order", [1, 2, 3, 5])
def test_bytes_are_the_same_at_any_memory_and_number_of_threads(lines, order, cutoffs):
    """The smallest memory has dozens of runs for every sort."""
    want = estimate(lines, order, cutoffs=cutoffs[:order])
    for memory in (1 << 20, 1 << 22, 1 << 31):
        for threads in (1, 2, 3):
            found = estimate(
                lines, order, cutoffs=cutoffs[:order], max_memory=memory, threads=threads
            )
            assert columns(found.table) == columns(want.table)
            assert found.facts == want.facts


def test_long_ngrams_have_no_limit(lines):
    """Rows of more numbers than have a sort of their own."""
    text = [line.split() for line in lines[:150]]
    found = estimate(text, 24, threads=2)
    want, _ = reference.estimate(text, 24)
    check_same(ngrams(found), want, 1e-6)
    again = estimate(text, 24, max_memory=1 << 20)
    assert columns(found.table) == columns(again.table)


def test_golden_models_of_lmplz():
    text = GOLDEN / "phrasebook.en"
    for name, order, cutoffs in (("phrasebook", 4, ()), ("phrasebook-pruned", 3, (0, 1, 2))):
        found = estimate_files([text], order, cutoffs=cutoffs)
        want = read_arpa(gzip.decompress((GOLDEN / f"{name}.arpa.gz").read_bytes()).decode())
        assert not found.fallbacks
        check_same(ngrams(found), want, 1e-5)


@pytest.mark.skipif(LMPLZ is None, reason="lmplz is not on the PATH")
@pytest.mark.parametrize(("order", "prune"), [(5, ()), (1, ()), (7, ()), (4, (0, 1, 1, 2))])
def test_real_text_is_as_lmplz_has_it(order, prune):
    lines = real.lines("multi30k-de-en/train.en.gz", 8000)
    command = [LMPLZ, "-o", str(order), "-S", "200M", "--discount_fallback"]
    if prune:
        command += ["--prune", *map(str, prune)]
    text = "\n".join(lines) + "\n"
    done = subprocess.run(command, input=text.encode(), capture_output=True, check=True)
    found = estimate(lines, order, cutoffs=prune, threads=2)
    check_same(ngrams(found), read_arpa(done.stdout.decode()), 1e-5)


class Stopped(Exception):
    pass


STOPS = [("counting n-grams", 1), *(("smoothing orders", n) for n in range(5))]


@pytest.mark.parametrize("at", STOPS)
def test_work_that_was_stopped_goes_on(lines, tmp_path, at):
    text = tmp_path / "text"
    text.write_text("\n".join(lines) + "\n")
    work = tmp_path / "work"
    seen: list[str] = []

    def stopping(what, done, total):
        if (what, done if what == "smoothing orders" else int(done == total)) == at:
            raise Stopped

    options = {"order": 4, "max_memory": 1 << 20, "work": work, "cutoffs": (0, 0, 1)}
    with pytest.raises(Stopped):
        estimate_files([text], told=stopping, **options)
    assert work.exists() == (at != STOPS[0])
    with estimate_files([text], told=lambda what, *_: seen.append(what), **options) as found:
        whole = estimate_files([text], 4, cutoffs=(0, 0, 1))
        assert columns(found.table) == columns(whole.table)
        assert found.facts == whole.facts
    assert ("counting n-grams" in seen) == (at == STOPS[0])
    assert not work.exists()


def test_other_work_does_not_go_on_from_there(lines, tmp_path):
    text, work = tmp_path / "text", tmp_path / "work"
    text.write_text("\n".join(lines) + "\n")

    def stopping(what, done, total):
        if what == "smoothing orders" and done == 2:
            raise Stopped

    with pytest.raises(Stopped):
        estimate_files([text], 3, max_memory=1 << 20, work=work, told=stopping)
    with estimate_files([text], 4, max_memory=1 << 20, work=work) as found:
        assert columns(found.table) == columns(estimate(lines, 4).table)
    assert not work.exists()


def test_work_begun_anew_ends_what_was_there(lines, tmp_path):
    """One piece of work, another in the same folder, then the first again: it starts anew."""
    text, work = tmp_path / "text", tmp_path / "work"
    text.write_text("\n".join(lines) + "\n")

    def stopping(what, done, total):
        if what == "smoothing orders" and done == 2:
            raise Stopped

    options = {"order": 3, "max_memory": 1 << 20, "work": work}
    for cutoffs in ((0, 0, 1), ()):
        with pytest.raises(Stopped):
            estimate_files([text], cutoffs=cutoffs, told=stopping, **options)
    with estimate_files([text], cutoffs=(0, 0, 1), **options) as found:
        assert not found.went_on
        assert columns(found.table) == columns(estimate(lines, 3, cutoffs=(0, 0, 1)).table)


def test_a_folder_that_was_left_at_any_moment_is_taken_up(lines, tmp_path):
    """As kills leave it: files without a step, folders of half-written models, no journal line."""
    text, work = tmp_path / "text", tmp_path / "work"
    text.write_text("\n".join(lines) + "\n")
    work.mkdir()
    (work / "lm.journal").write_bytes(b"")
    (work / "lock").write_bytes(b"")
    (work / "rows.0.run").write_bytes(b"half")
    (work / "rosewood-lm-x").mkdir()
    (work / "rosewood-lm-x" / "hashes.3").write_bytes(b"half")
    with estimate_files([text], 3, max_memory=1 << 20, work=work) as found:
        assert columns(found.table) == columns(estimate(lines, 3).table)
        with refuses(LanguageModelError, "lock.held"):
            estimate_files([text], 3, max_memory=1 << 20, work=work)
    assert not work.exists()


def test_a_stream_does_not_go_on_from_another(tmp_path):
    def stopping(what, done, total):
        if what == "smoothing orders" and done == 2:
            raise Stopped

    options = {"order": 3, "max_memory": 1 << 16, "work": tmp_path / "work"}
    text = "".join(f"a{k} b{k % 7}\n" for k in range(9000))
    with pytest.raises(Stopped):
        estimate_files([io.BytesIO(text.encode())], told=stopping, **options)
    assert not (tmp_path / "work").exists()
    with estimate_files([io.BytesIO(b"c d\n")], **options) as found:
        assert found.facts["sentences"] == 1


@pytest.mark.slow
def test_very_many_sentences_on_disk(tmp_path):
    """More than are read back at a time; parts of the file that are written in several pieces."""
    text = [f"w{k % 4000} w{k}" for k in range(80_000)]
    want = estimate(text, 2)
    found = estimate(text, 2, max_memory=1 << 20)
    assert columns(found.table) == columns(want.table)
    for threads in (1, 2):
        model = replace(found, threads=threads).save(tmp_path / f"{threads}.rlm")
        assert model.size > 4 << 20
        verify_model(model.path)
    assert (tmp_path / "1.rlm").read_bytes() == (tmp_path / "2.rlm").read_bytes()


def test_a_folder_that_somebody_made_stays(tmp_path):
    text, work = tmp_path / "text", tmp_path / "work"
    text.write_text("a b\n")
    work.mkdir()
    with estimate_files([text], 2, work=work):
        pass
    assert list(work.iterdir()) == []


@pytest.mark.slow
def test_many_runs_are_merged_in_stages(tmp_path):
    """More runs than may be open at a time, and orders with files of their own."""
    text = [f"w{k % 601} w{k % 499} w{k % 401} w{k}" for k in range(60_000)]
    resource = pytest.importorskip("resource")
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    want = estimate(text, 3)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (120, limits[1]))
        found = estimate(text, 3, max_memory=1 << 16)
        assert columns(found.table) == columns(want.table)
        long = [" ".join(text[:100])]
        found = estimate(long, 200, max_memory=1 << 20)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    assert columns(found.table) == columns(estimate(long, 200).table)


def test_orders_that_no_memory_could_hold_are_refused():
    for order in (10**6, 2**31 - 1, 2**40):
        with refuses(LanguageModelError, "lm.memory", argument="max_memory", value=1 << 28):
            estimate(["a b c"], order, max_memory=1 << 28)


def test_somebody_elses_folder_is_left_alone(tmp_path):
    text, work = tmp_path / "text", tmp_path / "work"
    text.write_text("a b\n")
    work.mkdir()
    (work / "thesis.tex").write_text("mine")
    with refuses(FormatError, "file.exists", file=str(work)):
        estimate_files([text], work=work)
    assert (work / "thesis.tex").read_text() == "mine"


def test_native_steps_are_refused_out_of_turn(tmp_path):
    def made(order=2, words=5, cutoffs=(0, 0), threads=1):
        return _core.NgramEstimator(order, words, list(cutoffs), str(tmp_path), 1 << 20, threads)

    for bad, fault, argument in (
        ({"order": 0}, "range", "order"), ({"words": 2}, "range", "words"),
        ({"cutoffs": (1, 1)}, "value", "cutoffs"), ({"cutoffs": (0,)}, "value", "cutoffs"),
        ({"cutoffs": (0, 2, 1), "order": 3}, "value", "cutoffs"),
        ({"threads": 0}, "range", "threads"),
    ):  # fmt: skip
        with refuses(LanguageModelError, f"argument.{fault}", argument=argument):
            made(**bad)
    native = made()
    text, ends = np.array([3, 4], np.uint32), np.array([2], np.int64)
    for bad_text, bad_ends, fault, argument in (
        (text, np.array([3], np.int64), "shape", "ends"),
        (text, np.array([2, 1], np.int64), "value", "ends"),
        (np.array([5], np.uint32), np.array([1], np.int64), "range", "text"),
        (np.array([1], np.uint32), np.array([1], np.int64), "range", "text"),
    ):
        with refuses(LanguageModelError, f"argument.{fault}", argument=argument):
            native.add(bad_text, bad_ends)
    for too_early in (native.sizes, native.finish, lambda: native.smooth(1, [0.5, 1, 1.5])):
        with refuses(LanguageModelError, "lm.call-order"):
            too_early()
    native.add(text, ends)
    native.count()
    with refuses(LanguageModelError, "lm.call-order"):
        native.add(text, ends)
    with refuses(LanguageModelError, "lm.call-order"):
        native.smooth(2, [0.5, 1, 1.5])
    for discounts in ([0.0, 1, 1.5], [0.5, 2.1, 1.5], [0.5, 1, float("nan")]):
        with refuses(LanguageModelError, "argument.range", argument="discounts"):
            native.smooth(1, discounts)
