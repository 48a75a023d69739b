"""Interruptions of a search: the exception of the caller's signal handler always wins."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from tests.decoders import small_rules, write_models
from tests.processes import LONGEST, ROOT

from rosewood.rules import Gap, Rule, RuleTable

SOON = 3.0  # seconds of processor time, which do not depend on how busy the machine is


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    write_models(folder)
    one, two = Gap("X", 1), Gap("X", 2)
    swaps = [
        Rule((one, two), target, features={"phrase_ef": -1.0})
        for target in ((one, two), (two, one))
    ]
    RuleTable.build(folder / "grammar", [*small_rules(), *swaps])
    return folder


@pytest.fixture
def interrupted(models):
    """Decodes in a process of its own, and returns what was raised in each attempt."""

    def run(sentences, threads, *, error="HandlerError", attempts=1):
        order = {"sentences": sentences, "threads": threads, "error": error, "attempts": attempts}
        done = subprocess.run(
            [sys.executable, "-m", "tests.interrupting", str(models), json.dumps(order)],
            cwd=ROOT, text=True, capture_output=True, check=False, timeout=LONGEST,
        )  # fmt: skip
        assert (done.returncode, done.stderr) == (0, "")
        found = [json.loads(line) for line in done.stdout.splitlines()]
        assert len(found) == attempts
        for each in found:
            assert each["seconds"] < SOON
            assert each["again"] == ["the house"] * 4  # a decoder works after an interruption
        return [(each["raised"], each["message"]) for each in found]

    return run


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 2, 3, 4])
def test_the_exception_of_the_handler_wins(interrupted, threads):
    assert interrupted("long", threads, attempts=10) == [("HandlerError", "")] * 10


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_keyboard_interrupt_is_raised_as_it_is(interrupted, threads):
    found = interrupted("long", threads, error="KeyboardInterrupt")
    assert found == [("KeyboardInterrupt", "")]


@pytest.mark.slow
def test_an_idle_calling_thread_still_notices(interrupted):
    """Its own sentences are done, those of the other threads are not."""
    assert interrupted("mixed", 3, attempts=5) == [("HandlerError", "")] * 5


@pytest.mark.parametrize("threads", [1, 3])
def test_short_sentences_are_interrupted(interrupted, threads):
    """Sentences that end before their search asks, but are many."""
    assert interrupted("short", threads, attempts=3) == [("HandlerError", "")] * 3


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("sentences", ["gaps", "matches"])
def test_searches_with_gaps_are_interrupted(interrupted, sentences, threads):
    assert interrupted(sentences, threads, attempts=3) == [("HandlerError", "")] * 3


@pytest.mark.slow
def test_errors_of_decoding_are_the_exceptions_of_a_handler_too(interrupted):
    """Even what looks like an error of a sentence keeps its own message."""
    found = interrupted("long", 3, error="DecodingError", attempts=3)
    assert found == [("DecodingError", "raised by the handler")] * 3
