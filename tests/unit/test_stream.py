"""The loop that translates lines: order, batches, references, lines that are bad, live input."""

from __future__ import annotations

import threading
from queue import Queue

import pytest
from tests.bundles import small_bundle
from tests.refusals import refuses

from rosewood.decode.stream import InputLine
from rosewood.errors import DecodingError, FormatError
from rosewood.pipeline import Translator

LINES = ["das haus", "wir gehen nach hause", "", "unbekannt"]
BAD = '<x translation="a">das'  # a span that does not end


@pytest.fixture(scope="module")
def translator(tmp_path_factory):
    bundle = small_bundle(tmp_path_factory.mktemp("stream") / "model")
    return Translator(bundle, inline=True, threads=2)


def texts(stream):
    return [line.text for line in stream]


def test_lines_are_translated_in_their_order(translator):
    many = LINES * 60  # several batches
    want = [translator.translate(line) for line in LINES] * 60
    assert texts(translator.stream(many)) == want
    assert texts(translator.stream(many, threads=1, forests=True)) == want
    assert texts(translator.stream(iter(many), live=True)) == want
    assert [line.number for line in translator.stream(many)] == list(range(1, len(many) + 1))


def test_forests_are_kept_where_they_are_wanted(translator):
    (line,) = translator.stream(["das haus"], forests=True)
    assert line.search.best.words == line.best.words
    assert line.search.forest.num_edges > 0
    (line,) = translator.stream(["das haus"])
    assert line.search is None
    assert line.prepared.text == "das haus"
    assert line.translated().text == line.text


def test_references(translator):
    lines = [InputLine("das haus", "the house", 7), InputLine("das haus", "nothing", 9)]
    one, other = translator.stream(lines)
    assert (one.number, one.best.report.reachable, one.text) == (7, True, "the house")
    assert (other.number, other.best.report.reachable) == (9, False)


def test_a_bad_line_ends_the_stream(translator):
    with refuses(FormatError, "inline.unclosed", value="x", file="in.de", line=2):
        texts(translator.stream(["das", BAD], file="in.de"))
    with refuses(DecodingError, "inline.unclosed", value="x"):
        texts(translator.stream(["das", BAD]))
    unread = FormatError("no UTF-8", file="in.de", line=4, code="file.encoding")
    with refuses(FormatError, "file.encoding", line=4):
        texts(translator.stream([InputLine("", error=unread)]))


@pytest.mark.parametrize("live", [False, True])
def test_bad_lines_are_kept_in_their_places(translator, live):
    unread = FormatError("no UTF-8", file="in.de", line=3, code="file.encoding")
    lines = ["das haus", BAD, InputLine("", error=unread), "haus"]
    found = list(translator.stream(lines, errors="keep", file="in.de", forests=True, live=live))
    assert [line.number for line in found] == [1, 2, 3, 4]
    assert [line.text for line in found] == [translator.translate("das haus"), "", "",
                                             translator.translate("haus")]  # fmt: skip
    assert [line.error is None for line in found] == [True, False, False, True]
    assert (type(found[1].error), found[1].error.line) == (FormatError, 2)
    assert found[2].error is unread


def test_a_live_line_is_answered_before_the_next(translator):
    asked: Queue[str | None] = Queue()
    asked.put("das haus")
    answers = translator.stream(iter(asked.get, None), live=True)
    first = next(answers)
    assert (first.text, first.is_pause) == ("the house", True)
    for line in ("haus", None):
        asked.put(line)
    assert texts(answers) == [translator.translate("haus")]


def test_an_error_of_live_input_follows_what_came_before(translator):
    def lines():
        yield "das haus"
        raise OSError("the connection is lost")

    answers = translator.stream(lines(), live=True)
    assert next(answers).text == "the house"
    with pytest.raises(OSError, match="lost"):
        next(answers)


def test_input_is_not_read_to_its_end(translator):
    """A stream has no end, and no more is read than the decoder searches together."""
    read = threading.Semaphore(0)

    def endless():
        while True:
            read.release()
            yield "das haus"

    assert next(translator.stream(endless())).text == "the house"


@pytest.mark.parametrize("lines", ["das haus", b"das haus", 3, None])
def test_what_is_not_a_list_of_lines(translator, lines):
    with refuses(DecodingError, "argument.type", argument="lines", value=lines):
        translator.stream(lines)


def test_what_else_is_refused(translator):
    with refuses(DecodingError, "argument.choice", argument="errors", value="skip"):
        translator.stream([], errors="skip")
    with refuses(DecodingError, "argument.type", argument="bundle", value="model") as refused:
        Translator("model")
    assert "Translator.load" in str(refused.value)


@pytest.mark.parametrize("call", ["stream", "translate", "replies"])
@pytest.mark.parametrize("threads", [0, -1, 1025])
def test_threads_are_checked_where_they_are_given(translator, call, threads):
    """They are not taken for the default, and not first looked at when lines are read."""
    with refuses(DecodingError, "argument.range", argument="threads", value=threads):
        getattr(translator, call)([], threads=threads)
    with refuses(DecodingError, "argument.range", argument="threads", value=threads):
        Translator.load(translator.bundle.folder, threads=threads)


@pytest.mark.parametrize("how", [{"thread": 4}, {"erors": "keep"}])
def test_unknown_keywords_are_refused(translator, how):
    for each in (translator, translator.text):
        with pytest.raises(TypeError, match=next(iter(how))):
            each.stream(["das haus"], **how)


@pytest.mark.parametrize("name", ["nbest", "options"])
def test_counts_are_checked_by_their_names(translator, name):
    with refuses(DecodingError, "argument.range", argument=name, value=-1):
        translator.inspect("das haus", **{name: -1})
    with refuses(DecodingError, "argument.range", argument="nbest", value=-1):
        translator.reply("das haus", nbest=-1)
