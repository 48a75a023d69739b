"""Small back-off models for tests: random ones, as tables, as ARPA files, and in files of ours."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import strategies as st

from rosewood import _core
from rosewood.lm import Model, Words, write_model
from tests.reference.lm import BackoffModel, Ngram

SPECIAL = ["<unk>", "<s>", "</s>"]


def closed(ngrams: set[Ngram], words: int) -> set[Ngram]:
    """With all unigrams, and every n-gram that is a part of another."""
    parts = {n[a:b] for n in ngrams for a in range(len(n)) for b in range(a + 1, len(n) + 1)}
    return parts | {(word,) for word in range(words)}


@st.composite
def backoff_models(draw: st.DrawFn, max_order: int = 8, max_words: int = 8) -> BackoffModel:
    """Any numbers, normalised or not; the orders go up to the longest n-gram there is."""
    count = draw(st.integers(3, max_words))
    words = [*SPECIAL, *(f"w{i}" for i in range(3, count))]
    one = st.lists(st.integers(0, count - 1), min_size=1, max_size=max_order).map(tuple)
    ngrams = closed(draw(st.sets(one, max_size=12)), count)
    return numbered(words, ngrams, draw(st.integers(0, 2**32 - 1)))


def numbered(words: list[str], ngrams: set[Ngram], seed: int) -> BackoffModel:
    """Random probabilities and back-offs, of which some are 0 and some above."""
    random = np.random.default_rng(seed)
    order = max(map(len, ngrams))
    ordered = sorted(ngrams)
    probability = (-random.exponential(1.0, len(ordered))).astype(np.float32)
    backoff = random.normal(-0.3, 0.3, len(ordered)).astype(np.float32)
    backoff[random.random(len(ordered)) < 0.3] = 0.0
    return BackoffModel(
        words,
        order,
        dict(zip(ordered, probability.tolist(), strict=True)),
        {n: b for n, b in zip(ordered, backoff.tolist(), strict=True) if len(n) < order},
    )


def random_model(seed: int, *, words: int, order: int, ngrams: int) -> BackoffModel:
    """A larger one."""
    random = np.random.default_rng(seed)
    rows = np.minimum(random.geometric(3 / words, (ngrams, order)) - 1, words - 1)
    names = [*SPECIAL, *(f"wörd{i}" for i in range(3, words))]
    return numbered(names, closed(set(map(tuple, rows.tolist())), words), seed)


def table_of(model: BackoffModel) -> _core.NgramTable:
    """The n-grams in suffix order."""
    table = _core.NgramTable()
    orders: list[list[Ngram]] = [[] for _ in range(model.order)]
    for ngram in sorted(model.probability, key=lambda ngram: ngram[::-1]):
        orders[len(ngram) - 1].append(ngram)
    for n, ngrams in enumerate(orders, 1):
        children = dict.fromkeys(ngrams, 0)
        backoff = []
        if n < model.order:
            for longer in orders[n]:
                children[longer[1:]] += 1
            for ngram in ngrams:
                known = model.backoff.get(ngram, 0.0)
                backoff.append(known if known or ngram in model.contexts else -0.0)
        table.add_order(
            np.array([ngram[0] for ngram in ngrams], np.uint32),
            np.array([children[ngram] for ngram in ngrams] if n < model.order else [], np.uint32),
            np.array([model.probability[ngram] for ngram in ngrams], np.float32),
            np.array(backoff, np.float32),
        )
    return table


def written(model: BackoffModel, path: Path, **how: Any) -> Model:
    """The model in a file."""
    write_model(path, table_of(model), Words.of(model.words), **how)
    return Model.open(path)


def write_arpa_text(model: BackoffModel, path: Path) -> None:
    """For other programs."""
    lines = ["\\data\\"]
    by_order = [[n for n in model.probability if len(n) == k + 1] for k in range(model.order)]
    lines += [f"ngram {n}={len(ngrams)}" for n, ngrams in enumerate(by_order, 1)]
    for n, ngrams in enumerate(by_order, 1):
        lines += ["", f"\\{n}-grams:"]
        for ngram in ngrams:
            text = " ".join(model.words[word] for word in ngram)
            end = f"\t{model.backoff.get(ngram, 0.0):.9g}" if n < model.order else ""
            lines.append(f"{model.probability[ngram]:.9g}\t{text}{end}")
    path.write_text("\n".join([*lines, "", "\\end\\", ""]), encoding="utf-8")
