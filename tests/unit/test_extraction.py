"""Extraction at its limits: long sentences, many links, many words, settings of all sorts."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from itertools import product

import numpy as np
import pytest
from tests.bitexts import indexed
from tests.reference.rules import Sentence, gapped_rules, phrase_pairs
from tests.refusals import refuses

from rosewood.align import Links
from rosewood.errors import FormatError, RuleError
from rosewood.rules import ExtractionSettings, extract


def extracted(pairs, links, folder, **settings):
    return extract(indexed(pairs), Links.of(links), folder, **settings)


def diagonal(length: int) -> set[tuple[int, int]]:
    return {(n, n) for n in range(length)}


def words(length: int, letter: str) -> list[str]:
    return [f"{letter}{n}" for n in range(length)]


@pytest.mark.parametrize(
    ("length", "longest", "rules"), [(1000, 1, 1000), (1000, 7, 6979), (300, 255, 44_115)]
)
def test_long_sentences(tmp_path, length, longest, rules):
    pair = words(length, "f"), words(length, "e")
    found = extracted([pair], [diagonal(length)], tmp_path / "rules", max_phrase=longest,
                      max_memory=1 << 20)  # fmt: skip
    assert (found.facts["instances"], len(found.table)) == (rules, rules)
    span = pair[0][40 : 40 + longest], pair[1][40 : 40 + longest]
    (rule,) = found.table.lookup(span[0])
    assert (rule.target, rule.links) == (tuple(span[1]), tuple(sorted(diagonal(longest))))
    assert rule.features["lexical_ef"] == 0


def test_a_thousand_words_with_gaps(tmp_path):
    pair = ["f"] * 1000, ["e"] * 1000
    found = extracted([pair], [diagonal(1000)], tmp_path / "rules", hierarchical=True,
                      max_memory=1 << 20, threads=2)  # fmt: skip
    short, longer = (
        len(gapped_rules(Sentence(size, size, frozenset(diagonal(size))))) for size in (10, 11)
    )
    assert found.facts["instances"] == short + 990 * (longer - short)
    found.table.verify()


MEASURED = """
import resource, sys
from rosewood.align import Links
from rosewood.corpus import IndexedCorpus
from rosewood.rules import ExtractionSettings, extract

lines = [" ".join(f"w{k * n % 499}" for n in range(100)) for k in range(40)]
links = Links.of([{(n, n) for n in range(100)}] * 40)
peaks = []

def told(*_):
    peaks.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)

found = extract(IndexedCorpus.from_lines(lines, lines), links, sys.argv[1], hierarchical=True,
                min_count=2, max_memory=1 << 20, threads=2, told=told)
print(found.facts["instances"], peaks[-1] - peaks[0])
"""


@pytest.mark.slow
@pytest.mark.skipif(
    sys.platform != "linux" or "asan" in os.environ.get("LD_PRELOAD", ""),
    reason="what a process takes is told in other units, or is not its own",
)
def test_memory_does_not_grow_with_the_rules_of_sentences(tmp_path):
    done = subprocess.run([sys.executable, "-c", MEASURED, tmp_path / "rules"], text=True,
                          capture_output=True, check=True)  # fmt: skip
    instances, kilobytes = map(int, done.stdout.split())
    assert instances * 40 > 48 << 20  # bytes that they take
    assert kilobytes < 24 << 10


def test_one_word_linked_with_all(tmp_path):
    pair = ["f"], words(255, "e")
    links = {(0, n) for n in range(255)}
    with refuses(RuleError, "rules.none"):
        extracted([pair], [links], tmp_path / "rules", max_phrase=254)
    found = extracted([pair], [links], tmp_path / "rules", max_phrase=255)
    assert len(found.table) == 1
    assert len(found.table[0].links) == 255
    turned = {(j, i) for i, j in links}
    found = extracted([pair[::-1]], [turned], tmp_path / "rules", max_phrase=255)
    assert found.table[0].links == tuple(sorted(turned))
    with refuses(RuleError, "rules.none"):
        extracted([pair], [links], tmp_path / "other", hierarchical=True)
    assert not (tmp_path / "other").exists()


def test_all_words_linked_with_all(tmp_path):
    pair = words(20, "f"), words(20, "e")
    links = set(product(range(20), range(20)))
    found = extracted([pair, pair], [links, links], tmp_path / "rules", max_phrase=20)
    (rule,) = found.table
    assert (rule.count, len(rule.links), rule.sentence) == (2, 400, 0)
    ends = words(1, "g") + pair[0], words(1, "d") + pair[1]
    shifted = {(i + 1, j + 1) for i, j in links} | {(0, 0)}
    found = extracted([ends], [shifted], tmp_path / "rules", max_phrase=30)
    assert sorted(len(rule.links) for rule in found.table) == [1, 400, 401]


def test_a_corpus_of_one_word(tmp_path):
    for more in ({}, {"hierarchical": True}, {"significance": "a-e"}, {"significance": 0.0},
                 {"smoothing": "kneser-ney"}, {"smoothing": "good-turing"}):  # fmt: skip
        found = extracted([(["f"], ["e"])], [{(0, 0)}], tmp_path / "rules", **more)
        (rule,) = found.table.lookup("f")
        assert (rule.target, rule.links, rule.sentence) == (("e",), ((0, 0),), 0)
        assert np.isfinite(list(rule.features.values())).all()
        found.table.verify()
    empty = extracted([(["f"], ["e"])], [{(0, 0)}], tmp_path / "rules", significance="a+e")
    assert (len(empty.table), empty.facts["insignificant"]) == (0, 1)


@pytest.mark.slow
def test_seventy_thousand_words(tmp_path):
    source, target = words(70_000, "f"), words(70_000, "e")
    pairs = [(source[n : n + 10], target[n : n + 10]) for n in range(0, 70_000, 10)]
    found = extracted(pairs, [diagonal(10)] * 7000, tmp_path / "rules", max_memory=1 << 22)
    assert len(found.table) == 7000 * 49
    for n in (0, 5, 65_531, 65_536, 69_999):
        (rule,) = found.table.lookup(source[n])
        assert (rule.target, rule.sentence) == ((target[n],), n // 10)


def some_settings(chance: random.Random) -> dict[str, object]:
    longest = chance.choice([1, 2, 3, 7, 20, 255])
    made = {
        "max_phrase": longest,
        "max_span": chance.choice([1, 2, 5, 9]),
        "max_symbols": chance.choice([1, 2, 5, 255]),
        "max_gaps": chance.randint(0, 2),
        "min_gap": chance.choice([1, 1, 2, 255]),
        "adjacent_gaps": chance.random() < 0.5,
        "unlinked_rules": chance.random() < 0.5,
        "loose": chance.random() < 0.5,
        "tight_gaps": chance.random() < 0.5,
        "whole_counts": chance.random() < 0.5,
        "hierarchical": chance.random() < 0.5,
        "orientation": chance.choice(["word", "phrase", "hierarchy", None]),
        "classes": chance.choice(["msd", "mslr"]),
        "orientation_smoothing": chance.choice([1e-9, 0.5, 1e9]),
        "orientation_prior": chance.choice(["uniform", "counts"]),
        "smoothing": chance.choice(["plain", "good-turing", "kneser-ney"]),
        "min_count": chance.choice([0.0, 0.3, 1.0, 2.0, 1e9]),
        "min_gapped": chance.choice([1, 1, 2, 1 << 40]),
        "limit": chance.choice([None, 1, 3, 1 << 40]),
    }
    if not made["hierarchical"]:
        made["significance"] = chance.choice([None, "a+e", "a-e", 0, 3.5, 1e300])
    return made


def some_pairs(chance: random.Random):
    """Sentence pairs with few or many distinct words and links, some without any."""
    types, most = chance.choice([1, 3, 300]), chance.choice([1, 4, 9])
    pairs, links = [], []
    for _ in range(chance.choice([1, 5, 30])):
        sides = [[f"{letter}{chance.randrange(types)}" for _ in range(chance.randint(0, most))]
                 for letter in "fe"]  # fmt: skip
        places = list(product(range(len(sides[0])), range(len(sides[1]))))
        pairs.append(tuple(sides))
        links.append(set(chance.sample(places, min(len(places), chance.randint(0, most + 1)))))
    return [*pairs, (["f0"], ["e0"])], [*links, {(0, 0)}]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(60))
def test_settings_of_all_sorts(tmp_path, seed):
    chance = random.Random(seed)
    settings = some_settings(chance)
    pairs, links = some_pairs(chance)
    shapes = [
        Sentence(len(source), len(target), frozenset(some))
        for (source, target), some in zip(pairs, links, strict=True)
    ]
    if settings["hierarchical"]:
        span = settings["max_span"]
        seen = sum(
            len(
                gapped_rules(
                    shape,
                    max_source=span,
                    max_target=span,
                    max_symbols=settings["max_symbols"],
                    max_gaps=settings["max_gaps"],
                    min_gap_source=settings["min_gap"],
                    allow_adjacent=settings["adjacent_gaps"],
                    need_link=not settings["unlinked_rules"],
                    tight=not settings["loose"],
                    tight_gaps=settings["tight_gaps"],
                )
            )
            for shape in shapes
        )
    else:
        longest = settings["max_phrase"]
        seen = sum(len(phrase_pairs(shape, longest, longest)) for shape in shapes)
    found = extracted(pairs, links, tmp_path / "rules", max_memory=1,
                      threads=chance.randint(1, 3), **settings)  # fmt: skip
    facts, table = found.facts, found.table
    assert facts["instances"] == seen
    left_out = facts["rare"] + facts["insignificant"] + facts["over_limit"]
    assert facts["rules"] == facts["extracted"] - left_out + 2 * settings["hierarchical"]
    assert len(table) == facts["rules"]
    table.verify()
    for rule in table:
        assert np.isfinite(list(rule.features.values())).all()
        assert settings["hierarchical"] or table.lookup(rule.source).count(rule) == 1


def test_work_and_table_are_apart(tmp_path):
    pairs, links = [(["f"], ["e"])], [{(0, 0)}]
    (tmp_path / "work").mkdir()
    extracted(pairs, links, tmp_path / "rules")
    for folder, work in (("work/rules", "work"), ("rules", "rules"), ("rules", "rules/work")):
        with refuses(FormatError, "argument.conflict"):
            extracted(pairs, links, tmp_path / folder, work=tmp_path / work)
    extracted(pairs, links, tmp_path / "rules", work=tmp_path / "work")
    assert list((tmp_path / "work").iterdir()) == []  # somebody had made it


@pytest.mark.parametrize(
    ("name", "value", "code"),
    [
        ("max_phrase", 256, "argument.range"), ("max_span", 0, "argument.range"),
        ("max_symbols", "5", "argument.type"), ("max_gaps", 3, "argument.range"),
        ("min_gap", 0, "argument.range"), ("limit", 0, "argument.range"),
        ("limit", True, "argument.type"), ("hierarchical", 1, "argument.type"),
        ("adjacent_gaps", "no", "argument.type"), ("orientation", "left", "argument.choice"),
        ("classes", None, "argument.choice"), ("orientation_prior", "x", "argument.choice"),
        ("smoothing", "kn", "argument.choice"), ("orientation_smoothing", 0, "argument.range"),
        ("min_count", -1, "argument.range"), ("min_count", 1e16, "argument.range"),
        ("significance", "a", "argument.type"), ("significance", -1.0, "argument.range"),
        ("significance", True, "argument.type"),
    ],
)  # fmt: skip
def test_settings_that_are_refused(name, value, code):
    with refuses(RuleError, code, argument=name, value=value):
        ExtractionSettings(**{name: value})


def test_settings_that_exclude_each_other():
    with refuses(RuleError, "argument.conflict", argument="significance"):
        ExtractionSettings(significance="a+e", hierarchical=True)


def test_settings_as_they_are_typed_and_of_numpy():
    found = ExtractionSettings(orientation="none", significance="3.5", max_phrase=np.int64(3))
    assert (found.orientation, found.significance, found.max_phrase) == (None, 3.5, 3)
    assert type(found.max_phrase) is int
