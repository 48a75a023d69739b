"""A process that is interrupted while it decodes, again and again, and reports what was raised.

    python -m tests.interrupting FOLDER '{"sentences": "long", "threads": 2, "attempts": 10}'

FOLDER has the models of `tests.decoders.write_models`, and `grammar`, a table with gaps.  For each
attempt a line of JSON: the type and the message of the exception, the seconds of processor time
from the signal to the exception, and what the decoder translates afterwards. The signal is
sent once the calling thread is in the search.  This is a process of its own because the exception
of a signal handler can be raised in whatever Python runs at that moment; in a test process that may
be a callback of pytest or Hypothesis, which would swallow it.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from pathlib import Path
from types import CodeType
from typing import Any

from rosewood.decode import HieroDecoder, HieroSettings, PhraseDecoder, SearchSettings
from rosewood.decode.rule_decoder import RuleDecoder
from rosewood.errors import DecodingError
from rosewood.lm import Model
from rosewood.rules import RuleTable
from tests.decoders import WEIGHTS

WORDS = "das haus ist klein . wir gehen nach hause und ich habe den hund nicht gesehen ."
LONG = " ".join([WORDS] * 1000)  # takes some 15 seconds of processor time with slow settings
SLOW = SearchSettings(search="full", stack_size=3000, pop_limit=None)
SLOW_GAPS = HieroSettings(search="full", pop_limit=None, cell_size=3000)
SENTENCES: dict[str, tuple[list[str], SearchSettings | HieroSettings]] = {
    "long": ([LONG] * 6, SLOW),
    "mixed": (["das", LONG, LONG], SLOW),  # the calling thread may have nothing left to do
    "short": (["das haus ."] * 10**6, SearchSettings()),  # each ends before its search asks
    "gaps": ([WORDS] * 6, SLOW_GAPS),
    # Looking for rules takes long, too.
    "matches": ([LONG] * 6, HieroSettings(max_span=None)),
}


class HandlerError(Exception):
    """What a signal handler raises."""


ERRORS: dict[str, BaseException | type[BaseException]] = {
    "HandlerError": HandlerError,
    "KeyboardInterrupt": KeyboardInterrupt,
    "DecodingError": DecodingError("raised by the handler"),
}


sent = 0.0  # processor time of this process when the signal was sent


def _send(delay: float, inside: list[CodeType]) -> None:
    """Interrupt this process once the calling thread is in the search."""
    caller = threading.main_thread().ident
    assert caller is not None
    while sys._current_frames()[caller].f_code not in inside:
        time.sleep(0.001)
    time.sleep(delay)  # some way into it
    global sent
    sent = time.process_time()
    os.kill(os.getpid(), signal.SIGINT)


def _attempt(decoder: Any, order: dict[str, Any], number: int) -> dict[str, Any]:
    sentences, settings = SENTENCES[order["sentences"]]
    threads = order["threads"]
    slow = decoder.with_settings(settings)
    inside = [RuleDecoder._searched.__code__]
    if order["sentences"] == "matches":
        inside.append(RuleDecoder._options.__code__)
    sender = threading.Thread(target=_send, args=(0.013 * number, inside), daemon=True)
    raised: BaseException | None = None
    try:
        sender.start()
        for _ in slow.translate(sentences, threads=threads):
            pass
    except BaseException as error:
        raised = error
    seconds = time.process_time() - sent
    sender.join()
    again = [each.text for each in slow.translate(["das haus"] * 4, threads=threads)]
    what = {"raised": type(raised).__name__, "message": str(raised)}
    return {**what, "seconds": seconds, "again": again}


def main(folder: Path, order: dict[str, Any]) -> None:
    error = ERRORS[order["error"]]

    def handler(*_: object) -> None:
        raise error

    signal.signal(signal.SIGINT, handler)
    model = Model.open(folder / "lm.rlm")
    decoder: RuleDecoder
    if order["sentences"] in ("gaps", "matches"):
        weights = {**WEIGHTS, "glue": 0.0}
        del weights["distortion"]
        decoder = HieroDecoder(RuleTable.open(folder / "grammar"), model, weights=weights)
    else:
        decoder = PhraseDecoder(RuleTable.open(folder / "rules"), model, weights=WEIGHTS)
    for number in range(order["attempts"]):
        print(json.dumps(_attempt(decoder, order, number)), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), json.loads(sys.argv[2]))
