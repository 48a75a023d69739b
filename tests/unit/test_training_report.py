"""The page of a training run: it stands alone, and is written whatever stages tell or do not."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.pages import Page

from rosewood.pipeline.report import report_html, write_report
from rosewood.pipeline.report_facts import Facts, byte_size, percent, took
from rosewood.pipeline.report_plots import bar_row, histogram, move_row, shares_row

EXPLAINED = {
    "features": {"lm": -12.5, "word_penalty": -3.0, "rule:<x>": 1.0},
    "weights": {"lm": 0.5, "word_penalty": -0.2, "rule:<x>": 0.1},
    "contributions": {"lm": -6.25, "word_penalty": 0.6, "rule:<x>": 0.1},
}
SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><title>why</title></svg>'


def example(number: int, score: float) -> dict[str, Any]:
    return {
        "on": "test", "number": number, "source": "das haus",
        "references": ["the house", "a house"], "translation": "the home", "chrf": score,
        "score": -5.5, "confidence": 0.75,
        "posterior": 0.5, "explanation": EXPLAINED, "svg": SVG,
    }  # fmt: skip


def facts() -> dict[str, dict[str, Any]]:
    """What all stages tell of a run in which everything happened."""
    return {
        "clean": {
            "files": ["train.de", "train.en"], "languages": ["de", "en"], "seen": 1000,
            "skipped": {"empty side": 3}, "left_out": {"untranslated": 2}, "joined": 1,
            "examples": ["train.de:7: empty side"],
            "removed": {"duplicate pair": {"count": 4, "examples": ["train.de:9: ja ||| yes"]}},
            "train": 900, "dev": 90, "dev_from": "split", "references": 1, "test": 50,
            "notes": ["no development set was given: 90 pairs were split off"],
        },
        "tokenise": {
            "tokeniser": "unicode", "pretokenized": False, "case": "truecase", "seen": 900,
            "kept": 890,
            "removed": {"more than 100 words": {"count": 10, "examples": ["pair:5: a ||| b"]}},
            "train": {
                "source": {"tokens": 9000, "types": 800, "once": 400, "longest": 40, "mean": 10.1},
                "target": {"tokens": 9500, "types": 700, "once": 300, "longest": 42, "mean": 10.7},
            },
            "lengths": {"source": [0, 5, 100, 500, 285], "target": [0, 9, 81, 300, 400, 100]},
            "dev": {"sentences": 90, "source_tokens": 900, "unknown_tokens": 36,
                    "unknown_types": 30},
            "notes": [],
        },
        "align": {
            "model": "best", "symmetrization": "grow-diag-final-and", "links": 8000,
            "unlinked_source": 0.12, "unlinked_target": 0.15,
            "history": [
                {"round": n, "stage": "model1" if n < 3 else "best", "forward": -9.0 + n,
                 "backward": -8.0 + n} for n in range(1, 6)
            ],
            "examples": [{"source": ["das", "haus"], "target": ["the", "house"],
                          "links": [[0, 0], [1, 1]], "score": -1.5}],
            "notes": [],
        },
        "lm": {
            "models": {"lm": {
                "order": 3, "tokens": 9500, "types": 700, "ngrams": [703, 4000, 8000],
                "fallbacks": ["3-grams have fixed discounts: none has the count 3"],
                "bytes": 99_000, "dev_perplexity": 81.25, "dev_unknown": 12}},
            "notes": ["language model lm: 3-grams have fixed discounts: none has the count 3"],
        },
        "extract": {"rules": 20_000, "instances": 60_000, "extracted": 24_000, "rare": 0,
                    "insignificant": 4000, "over_limit": 0, "bytes": 2_500_000,
                    "settings": {"max_phrase": 7, "significance": None}, "notes": []},
        "reordering": {
            "kind": "hierarchy", "classes": "mslr",
            "shares": {way: {"monotone": 0.9, "swap": 0.05, "left": 0.03, "right": 0.02}
                       for way in ("backward", "forward")},
            "notes": [],
        },
        "tune": {
            "learner": "mira", "metric": "bleu:tokenize=none", "signature": "…", "sentences": 90,
            "nbest": 100, "settings": {"passes": 5}, "ending": "3 rounds are done", "score": 31.0,
            "history": [
                {"round": 1, "score": None, "new": 5, "tuned": 30.0, "moved": 0.5},
                {"round": 2, "score": 29.0, "new": 5, "tuned": 31.5, "moved": 0.1},
                {"round": 3, "score": 31.0, "new": 5, "tuned": None, "moved": None},
            ],
            "start": {"lm": 0.5, "word_penalty": -1.0},
            "weights": {"lm": 0.4, "word_penalty": -0.1, "rule:x": 0.01}, "notes": [],
        },
        "report": {
            "text": "raw",
            "scores": [
                {"on": on, "name": name, "value": value, "signature": f"{name}|v:1"}
                for on, shift in (("dev", 0.0), ("test", 1.0))
                for name, value in (("BLEU", 30.04 + shift), ("chrF2", 50.5 + shift))
            ],
            "baseline": [{"on": "dev", "name": "BLEU", "value": 28.0, "signature": "BLEU|v:1"}],
            "examples": [example(n, 10.0 * n) for n in range(1, 10)],
            "unknown_words": [["Pulli", 3], ["Salto", 2]], "notes": [],
        },
    }  # fmt: skip


@dataclass(frozen=True)
class Stage:
    name: str
    facts: dict[str, Any]
    key: str = "0123456789abcdef"
    seconds: float = 2.0
    memory: int = 50_000_000
    was_done: bool = field(default=False)


def stages(told: dict[str, dict[str, Any]], *, done: tuple[str, ...] = ()) -> list[Stage]:
    return [Stage(name, each, was_done=name in done) for name, each in told.items()]


def read(told: dict[str, dict[str, Any]], **more: Any) -> tuple[str, Page]:
    html = report_html(stages(told), **more)
    page = Page(html)
    assert "script" not in page.tags
    assert all(address.startswith("#") for address in page.addresses)
    assert {address[1:] for address in page.addresses} <= set(page.ids)
    assert len(set(page.ids)) == len(page.ids)
    assert "url(" not in html
    assert "@import" not in html
    assert ">nan" not in html
    assert '"nan' not in html
    return html, page


def test_everything_is_told():
    _, page = read(
        facts(), command="rosewood train 'a <b>'", settings={"aligner": "best"}, size=10**7
    )
    for told in (
        "de → en", "31.0", "30.04", "28.00", "+2.04", "flatter the model", "BLEU|v:1",
        "No development set was given", "fixed discounts", "duplicate pair",
        "more than 100 words",
        "train.de:9: ja ||| yes", "bad lines", "empty side", "36 (4.0 %)", "Pulli", "truecase",
        "grow-diag-final-and", "81.2", "4,000", "20,000", "monotone 90 %", "mira",
        "The weights that round 2 learnt are kept", "word_penalty", "confidence 75 %", "the house",
        "a house",
        "rosewood train 'a <b>'", "max phrase", "passes", "10.0 MB", "50.0 MB", "16 s",
        "Made by Rosewood",
    ):  # fmt: skip
        assert told.replace(" %", "\u00a0%").replace(" MB", "\u00a0MB") in page.said, told
    assert {"ins", "del", "polyline", "rect", "details"} <= set(page.tags)
    assert page.said.count("fixed discounts") == 2  # in the box, and beside the model


def test_what_was_done_before_is_told(tmp_path):
    path = tmp_path / "r.html"
    write_report(path, stages(facts(), done=("clean", "tokenise")), title="Mine")
    page = Page(path.read_text(encoding="utf-8"))
    assert "2 stages had been done by a run before and were not done again" in page.said
    assert "this run took 12 s" in page.said
    assert page.said.count("done before") == 2
    assert "Mine" in page.said


@pytest.mark.parametrize("missing", list(facts()))
def test_a_stage_may_be_missing(missing):
    told = facts()
    del told[missing]
    read(told)
    read({missing: facts()[missing]})


def test_nothing_at_all():
    _, page = read({})
    assert "A translation model" in page.said
    assert "Nothing was translated" in page.said


def test_no_tuning_no_test_no_words_of_their_own():
    told = facts()
    told["tune"] |= {"learner": None, "history": [], "ending": "not tuned", "score": None}
    told["tokenise"] |= {"pretokenized": True, "tokeniser": None, "case": "as it is"}
    told["report"] |= {"scores": told["report"]["scores"][:2], "baseline": [], "text": "words"}
    told["clean"] |= {
        "languages": [None, None],
        "dev_from": "given",
        "references": 4,
        "removed": {},
    }
    told["tokenise"]["removed"] = {}
    _, page = read(told)
    assert "No weights were tuned" in page.said
    assert "On held-out sentences, BLEU is 30.0" in page.said
    assert "nothing was changed" in page.said
    assert "4 references each" in page.said
    assert "Nothing was filtered" in page.said
    assert "tuning" not in page.ids


def test_without_a_test_set_one_is_asked_for():
    told = facts()
    told["report"]["scores"] = told["report"]["scores"][:2]
    _, page = read(told)
    assert "flatter the model. For figures to believe" in page.said
    assert "which flatters it" in page.said


EVIL = "</style></pre><script>alert(1)</script>\"'&amp;\u202eevil\x07\ud800 קדמון " + "w" * 9000


def spoilt(value: Any) -> Any:
    """The same facts, every text and every name a hostile one."""
    if isinstance(value, dict):
        return {
            key if key in KNOWN else f"{key}{EVIL}": each if key == "svg" else spoilt(each)
            for key, each in value.items()
        }
    if isinstance(value, list):
        return [spoilt(each) for each in value]
    return f"{value}{EVIL}" if isinstance(value, str) and value not in ("dev", "test") else value


def _names(value: Any) -> set[str]:
    if isinstance(value, dict):
        return set(value) | {n for each in value.values() for n in _names(each)}
    return {n for each in value for n in _names(each)} if isinstance(value, list) else set()


KNOWN = _names(facts()) - {"duplicate pair", "more than 100 words", "lm", "monotone", "rule:<x>"}


def test_hostile_texts_are_text():
    html, page = read(
        spoilt(facts()), command=EVIL, title=EVIL, notes=[EVIL], settings={EVIL: EVIL}
    )
    assert "\x07" not in html
    assert "\u202e" not in html
    assert "<script>alert(1)</script>" in page.said
    html.encode()
    assert len(html) < 2_000_000


def test_a_large_run_has_a_small_page():
    told = facts()
    words = [f"wort{n}" for n in range(500)]
    told["align"]["examples"] = [
        {"source": words, "target": words, "links": [[n, n] for n in range(500)], "score": -1.0}
    ] * 50
    told["align"]["history"] *= 1000
    told["tune"]["history"] *= 1000
    told["tune"]["weights"] = {f"f{n}": 1.0 / (n + 1) for n in range(5000)}
    told["tune"]["weights"] |= {f"rule:{n}": 1.0 for n in range(50_000)}
    told["report"]["examples"] = [
        {**example(n, float(n)), "svg": SVG + " " * 500_000, "source": "s " * 50_000}
        for n in range(100)
    ]
    told["report"]["unknown_words"] = [[f"{n}", 1] for n in range(10_000)]
    told["clean"]["removed"] = {
        f"reason {n}": {"count": n, "examples": ["x" * 9000] * 99} for n in range(500)
    }
    told["extract"]["settings"] = {f"s{n}": "x" * 9999 for n in range(5000)}
    html, page = read(told, notes=["n" * 9000] * 3 + [f"note {n}" for n in range(1000)])
    assert len(html) < 2_000_000
    assert "too large to be drawn" in page.said
    assert "sparse features not shown" in page.said
    assert "more characters" in page.said


def test_examples_go_from_the_best_to_the_worst():
    told = facts()
    told["report"]["examples"] = [example(n, float(n * 37 % 101)) for n in range(101)]
    _, page = read(told)
    scores = [float(each.split(" ")[0]) for each in page.said.split(" · chrF ")[1:]]
    assert len(scores) == 9
    assert scores == sorted(scores, reverse=True)
    assert (scores[0], scores[-1]) == (100.0, 0.0)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 10**7) | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(sorted(KNOWN)) | st.text(max_size=4), inner, max_size=4)
    ),
    max_leaves=12,
)


@pytest.mark.slow
@settings(max_examples=80, deadline=None)
@given(st.data())
def test_whatever_is_told_there_is_a_page(data):
    """Anything may stand where facts should."""
    told = copy.deepcopy(facts())
    for _ in range(data.draw(st.integers(1, 5))):
        place: Any = told[data.draw(st.sampled_from(list(told)))]
        while True:
            keys = list(place) if isinstance(place, dict) else list(range(len(place)))
            if not keys:
                break
            key = data.draw(st.sampled_from(keys))
            if isinstance(place[key], dict | list) and place[key] and data.draw(st.booleans()):
                place = place[key]
                continue
            place[key] = data.draw(JSON)
            break
    Page(report_html(stages(told)))


def test_facts_that_are_none():
    told = Facts({"a": float("nan"), "b": True, "c": "x", "d": [1, None, "2"], "e": {"f": 1}})
    assert told.number("a") is None
    assert told.number("b") is None
    assert told.count("c") == 0
    assert told.texts("c") == ["x"]
    assert told.numbers("d") == [1.0, 0.0, 0.0]
    assert told.named_numbers("e") == {"f": 1.0}
    assert told.named("e") == {}
    assert not told.part("c")
    assert not Facts([1])


def test_figures():
    shares = (0, 0.01, 4, 40, 123, 999.9, 1000)
    assert [percent(n, 1000).replace("\u00a0", " ") for n in shares] == [
        "0 %", "< 0.01 %", "0.40 %", "4.0 %", "12 %", "> 99 %", "100 %",
    ]  # fmt: skip
    assert percent(1, 0) == "–"
    sizes = (0, 999, 1000, 12_345, 999_999, 5_430_000, 10**15)
    assert [byte_size(n).replace("\u00a0", " ") for n in sizes] == [
        "0 bytes", "999 bytes", "1.0 kB", "12.3 kB", "1.0 MB", "5.4 MB", "1,000.0 TB",
    ]  # fmt: skip
    assert [took(n) for n in (-1, 0.04, 9.94, 9.96, 125)] == ["0.0 s", "0.0 s", "9.9 s", "10 s",
                                                              "2 min 5 s"]  # fmt: skip


def test_pictures_of_nothing():
    for picture in (
        histogram({}, name="a"), histogram({"source": []}, name="a"),
        histogram({"source": [0.0, 0.0]}, name="a"), bar_row(0.0, 0.0), shares_row({}),
        shares_row({"a": 0.0}), move_row(None, 0.0, 0.0, 0.0),
    ):  # fmt: skip
        assert "nan" not in picture
        Page(picture)
    one = histogram({"source": [1.0, 2.0], "target": [0.0] * 100 + [3.0]}, name="a")
    assert "0 to 4 words: 3 sentences" in Page(one).said
    assert "100 to 104 words: 3 sentences" in Page(one).said
