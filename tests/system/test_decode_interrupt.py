"""Interruptions of a search: the exception of the caller's signal handler always wins."""

import os
import signal
import threading
import time
from contextlib import contextmanager

import pytest
from tests.decoders import small_decoder

from rosewood.decode import SearchSettings
from rosewood.errors import DecodingError

WORDS = "das haus ist klein . wir gehen nach hause und ich habe den hund nicht gesehen ."
LONG = " ".join([WORDS] * 300)  # minutes of searching
SLOW = SearchSettings(search="full", stack_size=3000, pop_limit=None)


class HandlerError(Exception):
    """What a signal handler raises."""


@pytest.fixture(scope="module")
def slow(tmp_path_factory):
    return small_decoder(tmp_path_factory.mktemp("models"), settings=SLOW)


@contextmanager
def interrupted_after(seconds, error=HandlerError):
    """Sends SIGINT to this process; its handler, set here, raises `error`."""

    def handler(number, frame):
        raise error

    before = signal.signal(signal.SIGINT, handler)
    timer = threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT))
    try:
        timer.start()
        yield
    finally:
        timer.cancel()
        timer.join()
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("threads", [1, 2, 3, 4])
def test_the_exception_of_the_handler_wins(slow, threads):
    for attempt in range(10):
        with interrupted_after(0.02 + 0.013 * attempt), pytest.raises(HandlerError):
            list(slow.translate([LONG] * 6, threads=threads))


def test_keyboard_interrupt_is_raised_as_it_is(slow):
    with interrupted_after(0.05, KeyboardInterrupt), pytest.raises(KeyboardInterrupt):
        list(slow.translate([LONG] * 4, threads=3))


def test_an_idle_calling_thread_still_notices(slow):
    """Its own sentences are done, those of the other threads are not."""
    begin = time.monotonic()
    with interrupted_after(0.5), pytest.raises(HandlerError):
        list(slow.translate(["das", LONG, LONG], threads=3))
    assert time.monotonic() - begin < 20


@pytest.mark.parametrize("threads", [1, 3])
def test_short_sentences_are_interrupted(slow, threads):
    """Sentences that end before their search asks, but are many."""
    begin = time.monotonic()
    with interrupted_after(0.3), pytest.raises(HandlerError):
        list(
            slow.with_settings(SearchSettings()).translate(["das haus ."] * 10**6, threads=threads)
        )
    assert time.monotonic() - begin < 20


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_a_decoder_works_after_an_interruption(slow, threads):
    with interrupted_after(0.05), pytest.raises(HandlerError):
        list(slow.translate([LONG] * 4, threads=threads))
    found = list(slow.translate(["das haus"] * 4, threads=threads))
    assert [each.text for each in found] == ["the house"] * 4


def test_errors_of_decoding_are_the_exceptions_of_a_handler_too(slow):
    """Even what looks like an error of a sentence keeps its own message."""
    error = DecodingError("raised by the handler")
    with interrupted_after(0.05, error), pytest.raises(DecodingError) as caught:
        list(slow.translate([LONG] * 4, threads=3))
    assert str(caught.value) == "raised by the handler"
