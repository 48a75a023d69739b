"""Decoders under strain: damaged tables, long batches, pipes that wait."""

from __future__ import annotations

import subprocess
import sys
import threading

import numpy as np
import pytest
from tests.decoders import WEIGHTS, small_decoder, write_models
from tests.refusals import refuses

from rosewood.decode import Forced, PhraseDecoder, SearchSettings, Source, variational
from rosewood.decode.rule_decoder import batches_of_sentences
from rosewood.decode.stream import Arriving
from rosewood.errors import DecodingError, RuleError
from rosewood.lm import estimate
from rosewood.reorder import Lexicalized
from rosewood.rules import Rule, RuleTable
from rosewood.rules.settings import orientation_columns

WORDS = "das haus ist klein wir gehen nach hause zyx hallo"


@pytest.fixture(scope="module")
def decoder(tmp_path_factory):
    return small_decoder(tmp_path_factory.mktemp("endurance"))


# -- damage ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """A source with so many targets that the best are chosen, in files that can be written to."""
    folder = tmp_path_factory.mktemp("large")
    rules = [
        Rule(("a",), (f"w{n}", f"v{n % 7}"), features={"phrase_ef": -0.001 * n}) for n in range(300)
    ]
    RuleTable.build(folder / "rules", rules)
    return folder, estimate(["w1 v1 w2"], 2).save(folder / "lm.rlm")


@pytest.mark.slow
@pytest.mark.parametrize("limit", [None, 20])
@pytest.mark.parametrize("name", ["pool", "records", "codes", "shapes"])
def test_a_damaged_table_is_refused_or_says_something(large, tmp_path, name, limit):
    folder, model = large
    chance = np.random.default_rng(5)
    for _ in range(30):
        copy = tmp_path / "copy"
        subprocess.run(["cp", "-r", str(folder / "rules"), str(copy)], check=True)
        file = copy / name
        if file.exists() and file.stat().st_size:
            content = bytearray(file.read_bytes())
            for place in chance.integers(0, len(content), 1 + len(content) // 40):
                content[place] = chance.integers(256)
            file.write_bytes(content)
        settings = SearchSettings(option_limit=limit)
        try:
            decoder = PhraseDecoder(RuleTable.open(copy), model, settings=settings)
            said = decoder.search("a a").best
            assert len(said.rules) == 2
        except (RuleError, DecodingError):
            pass  # which it says
        subprocess.run(["rm", "-r", str(copy)], check=True)


# -- errors ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_errors_name_the_first_bad_sentence(tmp_path, threads):
    class Loud:
        names = ("loud",)

        def __call__(self, options):
            return np.full(len(options), 1e300 if "zyx" in options.words else 0.0)

    decoder = small_decoder(tmp_path, features=[Loud()], weights={**WEIGHTS, "loud": 1e10})
    lines = ["das haus"] * 70 + ["zyx", "das", "zyx"]
    with refuses(DecodingError, "decoding.score", value=71):
        list(decoder.translate(lines, threads=threads))


def test_features_of_an_empty_line_have_their_columns(tmp_path):
    class First:
        names = ("first",)

        def __call__(self, options):
            return options.features[:, 0]

    decoder = small_decoder(tmp_path, features=[First()], weights={**WEIGHTS, "first": 1.0})
    assert [each.text for each in decoder.translate(["das", "", "haus"])] == ["the", "", "house"]


def test_batches_are_smaller_where_sentences_are_long():
    made = batches_of_sentences(["a b"] * 200 + ["a " * 1500] * 5, 1)
    sizes = [len(batch) for batch in made]
    assert sizes == [64, 64, 64, 10, 2, 1]
    assert [len(batch) for batch in batches_of_sentences(["a"] * 130, 2)] == [128, 2]


# -- hypotheses that cannot be told apart ----------------------------------------------------------


@pytest.fixture(scope="module")
def reordering(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hierarchy")
    names = orientation_columns("mslr", ("backward",))
    rules = [Rule(("a",), ("b",), features=dict.fromkeys(names, -1.0))]
    table = RuleTable.build(folder / "rules", rules)
    return table, estimate(["b b b"], 2).save(folder / "lm.rlm")


def test_stacks_that_nobody_looks_at_make_no_difference(reordering):
    table, model = reordering
    found = {}
    for kind in ("phrase", "hierarchy"):
        decoder = PhraseDecoder(table, model, reorder=Lexicalized.of(table, kind=kind))
        search = decoder.search(Source(("a",) * 12, reference=("b",) * 12))
        found[kind] = search.forest.num_nodes
    assert found["phrase"] < 1_000 < found["hierarchy"] < 25_000  # with all stacks, 500,000


def test_forced_searches_look_at_what_fits(decoder):
    source = Source(tuple(WORDS.split()), reference=tuple(decoder.search(WORDS).best.words))
    forced, free = decoder.search(source), decoder.with_settings(SearchSettings(search="full"))
    assert forced.report.reachable
    assert forced.report.pops < free.search(WORDS).report.pops


def test_edges_of_strings_are_no_words(decoder):
    """`<s>` in a text is a word like others, also for n-gram models of a forest."""
    found = decoder.search(Source("<s> das </s> haus", forced=(Forced(0, 1, ("<s>", "x")),)))
    plain = decoder.search(Source("AA das BB haus", forced=(Forced(0, 1, ("AA", "x")),)))
    for order in (1, 2, 3):
        one = variational(found.forest, found.forest.score(decoder.theta()), order=order)
        other = variational(plain.forest, plain.forest.score(decoder.theta()), order=order)
        assert one.value == pytest.approx(other.value)
        assert one.text.replace("<s>", "AA").replace("</s>", "BB") == other.text


# -- pipes -----------------------------------------------------------------------------------------


def test_what_is_there_is_taken_together():
    gate = threading.Event()

    def items():
        yield from range(5)
        gate.wait(10)
        yield 5
        raise ValueError("at the end")

    taken = iter(Arriving(items(), 3))
    seen = next(taken)
    while len(seen) < 5:
        batch = next(taken)
        assert 1 <= len(batch) <= 3
        seen += batch
    assert seen == list(range(5))
    gate.set()
    assert next(taken) == [5]
    with pytest.raises(ValueError, match="at the end"):
        next(taken)


@pytest.mark.slow
def test_a_line_of_a_pipe_is_answered_before_the_next(tmp_path):
    write_models(tmp_path)
    command = [sys.executable, "-m", "rosewood", "decode", "--rules", "rules", "--lm", "lm.rlm"]
    with subprocess.Popen(
        [*command, "-q"], cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for line, said in (("das haus", "the house"), ("hallo !", "hello !")):
            process.stdin.write(line + "\n")
            process.stdin.flush()
            assert process.stdout.readline() == said + "\n"
        process.stdin.close()
    assert process.returncode == 0
