"""The report: one page that stands alone, whatever candidates and features are called."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from tests.pages import Page

from rosewood.learn import LEARNERS
from rosewood.plots import Curve, axis, curves, ticks, weight_row
from rosewood.rerank import toy_lists, tune, write_candidates
from rosewood.rerank.report import report_html
from rosewood.rerank.summary_text import places

QUICK = {"mert": {"restarts": 3}, "mira": {"passes": 3}, "l1": {"passes": 3}, "pro": {"rounds": 2},
         "mr-da": {"stages": 2, "iterations": 4}}  # fmt: skip


def quick(lists, method="mert", **options):
    options = {"folds": 2, "replicates": 2, "samples": 50, **options}
    return tune(lists, method=method, settings=QUICK.get(method, {}), **options)


@pytest.mark.slow
@pytest.mark.parametrize("method", LEARNERS)
def test_every_learner_gives_a_page(method):
    tuned = quick(toy_lists(30, candidates=5), method)
    text = report_html(tuned, command="rosewood tune 'a <b>.jsonl'")
    page = Page(text)
    assert "script" not in page.tags
    assert page.addresses == []
    assert "url(" not in text
    assert "@import" not in text
    assert len(set(page.ids)) == len(page.ids)
    assert (
        page.tags.count("title")
        == page.tags.count("svg") - page.tags.count("polyline") - len(tuned.features) + 1
    )  # the page's own, and that of each picture; stretched parts and rows of a table have none
    for told in (tuned.signature, "rosewood tune 'a <b>.jsonl'", "overstates", "oracle", "p-value",
                 "Which feature changes which choices", "prefers-color-scheme"):  # fmt: skip
        assert told in page.said
    assert all(each.name in page.said for each in tuned.features)
    assert report_html(tuned) == report_html(tuned)


def test_hostile_names_and_texts_are_text():
    evil = {"the": "<b>the</b>", "a": '"><script>alert(1)</script>', "boat": "a&b;", "old": "קדמון",
            "near": "\u202eevil\x07\ud7ff", "bicycle": "&lt;"}  # fmt: skip

    def spoilt(text):
        return " ".join(evil.get(word, word) for word in text.split())

    names = ("sys<tem>", "flu&ency", "m" * 80 + '"', "'words'", "</td>")
    lists = (
        replace(each, id=f"<{each.id}>", names=names, texts=tuple(map(spoilt, each.texts)),
                references=tuple(map(spoilt, each.references)))
        for each in toy_lists(40, candidates=6)
    )  # fmt: skip
    tuned = quick(lists)
    text = report_html(tuned, command="</pre><script>")
    page = Page(text)
    assert "script" not in page.tags
    assert "\x07" not in text
    assert "\u202e" not in text
    assert '<p dir="auto">' in text
    assert all(name in page.said for name in names if tuned.weights[name])
    assert {"ins", "del"} <= set(page.tags)


def test_every_verdict_has_words():
    for noise, start in ((False, "Reranking helps here."), (True, "Reranking does not help")):
        tuned = quick(toy_lists(60, noise=noise))
        page = Page(report_html(tuned))
        assert start in page.said
    one = quick(toy_lists(1))
    assert one.verdict == "unknown"
    assert "Whether reranking helps is not known." in Page(report_html(one)).said
    start = {f"dice_{letter}": 1.0 for letter in "abcde"}
    same = quick(toy_lists(40, noise=True), start=start)
    assert "the starting weights" in Page(report_html(same)).said


def test_other_metrics(tmp_path):
    tuned = quick(toy_lists(40), metric="column:mistakes,higher=false")
    page = Page(report_html(tuned))
    assert "mistakes, held out" in page.said
    ter = quick(toy_lists(40), metric="ter")
    text = report_html(ter)
    worst = float(text.split('class="small">worst')[0].rsplit('x="', 1)[1].split("%")[0])
    oracle = float(text.split('class="small">oracle')[0].rsplit('x="', 1)[1].split("%")[0])
    assert worst < oracle  # better is to the right
    ter.write_report(tmp_path / "r.html")
    assert (tmp_path / "r.html").read_text(encoding="utf-8") == text
    ter.write_weights(tmp_path / "w.json")


def test_curves_of_every_kind_of_history():
    climbs = [{"round": 1, "score": 3.0, "best": 3.0}, {"round": 2, "score": 2.0, "best": 3.0}]
    curve = Curve.of("a", climbs)
    assert (curve.line, curve.dots) == ([3.0, 3.0], [3.0, 2.0])
    stages = [{"score": float(i), "stage": "T=1" if i < 2 else "T=0"} for i in range(4)]
    curve = Curve.of("b", stages)
    assert curve.stages == [(0, "T=1"), (2, "T=0")]
    assert curve.dots == []
    assert Curve.of("c", [{"score": None}]).line == []
    long = Curve.of("d", [{"score": math.sin(i)} for i in range(5000)])
    picture = curves([long, curve], metric="x")
    assert picture.count(",") < 700
    for values in ([1.0], [2.0, 2.0], [0.0, 0.0, 0.0]):
        assert "NaN" not in curves([Curve("e", values, [], [])], metric="x").replace("nan", "NaN")


def test_an_axis_without_length():
    picture = axis("x", worst=1, random=1, before=1, after=1, oracle=1)
    assert 'cx="50%"' in picture
    assert "nan" not in weight_row(0.0, 0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("low", "high"), [(0, 1), (83.77, 84.6), (-3, 1e6), (1e-7, 3e-7), (5, 5), (-2, -1)]
)
def test_ticks_are_few_and_within(low, high):
    found = ticks(low, high)
    room = 1e-9 * max(1, abs(high))
    assert 1 <= len(found) <= 6
    assert all(low - room <= each <= high + room for each in found)


def test_places():
    assert places(34.5, 2.0) == 2
    assert places(0.81, -0.2) == 4


def test_long_texts_and_no_words(tmp_path):
    lists = [
        replace(each, texts=("", " ".join(["w"] * 900), *each.texts[2:]))
        for each in toy_lists(30, candidates=4)
    ]
    write_candidates(lists, tmp_path / "x.jsonl")
    Page(report_html(quick(tmp_path / "x.jsonl")))
