"""Statistics of hypotheses that are rows of numbered words."""

from __future__ import annotations

import numpy as np
import pytest

from rosewood.corpus import Vocabulary
from rosewood.metrics import parse_metric


@pytest.mark.parametrize(
    "metric", ["bleu", "bleu:tokenize=none", "bleu-sbp", "bleu:lowercase=true"]
)
def test_numbered_words_are_counted_as_their_texts(metric):
    random = np.random.default_rng(4)
    words = Vocabulary(["a", "B,", "3.5", "don't", "x\u00a0y", "&amp;", "Σας", "-"])
    lists = [
        [
            " ".join(words.words(random.integers(0, 8, random.integers(0, 9)).tolist()))
            for _ in "123"
        ]
        for _ in range(5)
    ]
    judge, references = parse_metric(metric), [["a B, 3.5 x\u00a0y"], ["don't -", "a"]] * 3
    numbered = []
    for texts in lists:
        rows = [[words.get(word) for word in text.split(" ") if word] for text in texts]
        start = np.cumsum([0, *map(len, rows)])
        numbered.append((start, np.array([n for row in rows for n in row], np.int32)))
    found = judge.statistics_of_words(words, numbered, references[:5])
    assert np.array_equal(found, judge.statistics_many(lists, references[:5]))
    broken = Vocabulary(["a\nb"])
    assert (judge.statistics_of_words(broken, [(np.array([0, 1]), np.zeros(1, np.int32))], [["a"]])
            is None)  # fmt: skip
    assert parse_metric("chrf").statistics_of_words(words, numbered, references[:5]) is None
