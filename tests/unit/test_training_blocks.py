"""The stage `tokenise` block by block: any number of processes, killed and resumed."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.training import QUICK, contents, write_book

from rosewood.corpus import TextProcessor
from rosewood.pipeline import TrainingInputs, TrainingSettings, text_blocks
from rosewood.pipeline.clean_stage import clean
from rosewood.pipeline.stage import Done, Task
from rosewood.pipeline.tokenise_stage import tokenise

HOW = {
    "truecase": {},
    "lowercase": {"lowercase": True},
    "char": {"tokeniser": "char"},
    "words": {"pretokenized": True},
}
BLOCK = 10
LINES = [
    "<b>Das</b> ist {name} 1,5 kg.", "DAS IST LAUT.", "a ||| b", "  ", "Ein </s> Ende.",
    "„Na ja“, sagte er: „Gut.“", "z.B. e\u0301 und ￭ ￬",
]  # fmt: skip


@pytest.fixture
def book(tmp_path, monkeypatch):
    """Some awkward lines among others, cleaned; blocks of ten lines."""
    place = write_book(tmp_path / "book", train=60, dev=20)
    for end in ("en", "de"):
        path = place / f"train.{end}"
        lines = path.read_text(encoding="utf-8").splitlines()
        odd = [line for line in LINES if line.strip()]
        path.write_text("\n".join([*odd, *lines, *odd]) + "\n", encoding="utf-8")
    mono = [*LINES, *lines, *LINES] * 2
    (place / "mono.de").write_text("\n".join(mono) + "\n", encoding="utf-8")
    monkeypatch.setattr(text_blocks, "BLOCK", BLOCK)
    return place


@pytest.fixture
def run(book):
    inputs = TrainingInputs(
        book / "train.en", book / "train.de", dev=(book / "dev.en", book / "dev.de"),
        monolingual=book / "mono.de",
    )  # fmt: skip
    (book / "clean").mkdir()
    settings = TrainingSettings(**QUICK)
    facts = clean(Task("clean", settings, inputs, {}, book / "clean", book / "g"), quiet)

    def tokenised(name, going, how, told=quiet, threads=1):
        (book / name).mkdir()
        task = Task(
            "tokenise", TrainingSettings(**QUICK, **HOW[how], max_words=20), inputs,
            {"clean": Done(book / "clean", facts)}, book / name, book / going, threads,
        )  # fmt: skip
        return tokenise(task, told), contents(book / name)

    return tokenised


def quiet(what, done, total):
    pass


@pytest.mark.slow
@pytest.mark.parametrize("how", HOW)
def test_neither_blocks_nor_processes_change_the_result(run, monkeypatch, how):
    monkeypatch.setattr(text_blocks, "BLOCK", 10_000)
    wanted = run("whole", "g1", how)
    monkeypatch.setattr(text_blocks, "BLOCK", BLOCK)
    assert run("blocks", "g2", how) == wanted
    monkeypatch.setattr(text_blocks, "TEXT_PAYS", 0)
    monkeypatch.setattr(text_blocks, "WORDS_PAY", 0)
    assert run("processes", "g3", how, threads=3) == wanted


def test_words_are_those_of_the_processor(run, book):
    """The plain way: learn from all texts, then encode each."""
    facts, files = run("words", "g1", "truecase")
    settings = TrainingSettings(**QUICK)
    for side, language in (("source", "en"), ("target", "de")):
        texts = (book / "clean" / f"train.{side}").read_text(encoding="utf-8").split("\n")[:-1]
        processor = settings.processor(language).learned(texts)
        saved = TextProcessor.load(book / "words" / f"{side}.json")
        if side == "target":  # it is never cased anew, and needs no neighbours
            truecaser = replace(processor.truecaser, before={}, after={})
            processor = replace(processor, truecaser=truecaser)
        assert saved == processor
        if side == "target":
            words = [" ".join(processor.encode(text).words) for text in texts]
            left = [each for each in words if "|||" not in each and len(each.split()) <= 20]
            assert files["train.target"].decode().split("\n")[:-1] == left
    assert facts["removed"]["a word with |||"]["count"] == 2


class Killed(BaseException):
    pass


@pytest.mark.parametrize("how", HOW)
def test_a_stopped_run_goes_on_behind_the_last_block(run, book, monkeypatch, how):
    """Stopped at every call of the progress callback in turn: no block is done twice."""
    wanted = run("wanted", "g1", how)
    done = []
    for name in ("cut_pairs", "make_pairs", "make_lines"):
        function = getattr(text_blocks, name)

        def counted(*call, function=function, name=name):
            done.append((name, call[1:]))
            return function(*call)

        monkeypatch.setattr(text_blocks, name, counted)
    number = 0
    while True:
        number += 1
        calls = 0

        def told(what, *_):
            nonlocal calls
            calls += 1
            if calls == number:  # noqa: B023
                raise Killed

        try:
            found = run(f"try{number}", "g2", how, told)
            break
        except Killed:
            pass
    assert number > 5
    assert found == wanted
    pairs = [str(call) for name, call in done if name != "make_lines"]
    assert len(pairs) == len(set(pairs))


def test_a_block_is_read_whole_or_not_at_all(run, book):
    """Blocks are files that appear whole; what was being written is left alone."""

    def told(what, done, total):
        if done >= 3 * BLOCK:
            raise Killed

    with pytest.raises(Killed):
        run("one", "g1", "truecase", told)
    kept = sorted((book / "g1").glob("tokens-*"))
    assert len(kept) >= 3
    kept[1].unlink()  # those behind it are not trusted to be in order
    wanted = run("wanted", "g2", "truecase")
    assert run("two", "g1", "truecase") == wanted
