"""Lines of rule tables for tests, good ones and those with something wrong in them."""

from __future__ import annotations

from random import Random

from hypothesis import strategies as st

PREFIXES = {"moses_phrases": "score_", "moses_grammar": "score_", "cdec": "PhraseModel_",
            "joshua": "tm_pt_"}  # fmt: skip
WORDS = ["a", "b", "haus", "häuser", "x,y", "=", "[", "[]", "0-0", "1", "東", "|", "<s>"]
TOKENS = [
    *WORDS, "[X]", "[X][X]", "[X][Y]", "[Y][Y]", "[X,1]", "[X,2]", "[Y,1]", "[1]", "[2]", "[X,0]",
    "[,1]", "[X,]", "|||", "a|||", "||||", "0.5", "1e-3", "-1", "nan", "inf", "1e999", "1e-999",
    "F=1", "G=-2.5", "=1", "F=", "F=1;G=2", "0-1", "1-0", "1-1", "2-0", "9-9", "0-", "-",
]  # fmt: skip


def good_lines(format: str) -> st.SearchStrategy[str]:
    """A line that is good in the format, but for the number of its scores.

    By a generator of Python's, which is much faster than draws of Hypothesis.
    """
    return st.integers(0, 2**32 - 1).map(lambda seed: _good_line(Random(seed), format))


def _good_line(random: Random, format: str) -> str:
    source, target = (random.choices(WORDS, k=random.randint(1, 4)) for _ in range(2))
    links = {
        (random.randrange(len(source)), random.randrange(len(target)))
        for _ in range(random.randint(0, 3))
    }
    gaps = 0 if format == "moses_phrases" else random.randint(0, 2)
    labels = random.choices("XYZ", k=gaps)
    where = [random.sample(range(len(side) + gaps), gaps) for side in (source, target)]
    source, target, links, pairs = _with_gaps(source, target, links, labels, where, format)
    told = " ".join(f"{i}-{j}" for i, j in sorted(links | pairs))
    if format.startswith("moses"):
        left = random.choice(["[X]", "[Y]"])
        if format == "moses_grammar":
            source, target = [*source, left], [*target, left]
        scores = " ".join(_probability(random) for _ in range(4))
        counts = " ".join(random.choices(["1", "2.5", "30"], k=random.randint(0, 3)))
        fields = [" ".join(source), " ".join(target), scores, told, counts, "", ""]
        return " ||| ".join(fields[: random.randint(4, 7)])
    names = random.choices(["", "F=", "G=", "long_name="], k=random.randint(0, 4))
    kept = [n for i, n in enumerate(names) if not n or n not in names[:i]]
    features = " ".join(name + _value(random) for name in kept)
    fields = [f"[{random.choice('XYS')}]", " ".join(source), " ".join(target), features]
    return " ||| ".join([*fields, told] if told or random.random() < 0.5 else fields)


def _probability(random: Random) -> str:
    few = ["0", "1", "0.5", "2.718", "1e-07", "3e-60", "0.333333"]
    return random.choice(few) if random.random() < 0.5 else f"{10 ** random.uniform(-30, 0):.6g}"


def _value(random: Random) -> str:
    few = ["0", "1", "-2"]
    return random.choice(few) if random.random() < 0.5 else f"{random.uniform(-50, 50):.5g}"


def _with_gaps(source, target, links, labels, where, format):
    """Gaps put among the words; links move with them."""
    sides, moved = [], []
    for words, places in zip((source, target), where, strict=True):
        symbols: list = [None] * (len(words) + len(places))
        for k, place in enumerate(sorted(places) if words is source else places):
            symbols[place] = k
        free = [i for i, symbol in enumerate(symbols) if symbol is None]
        for i, word in zip(free, words, strict=True):
            symbols[i] = word
        sides.append(symbols)
        moved.append(free)
    pairs = {
        (sides[0].index(k), sides[1].index(k)) for k in range(len(labels))
    } if format == "moses_grammar" else set()  # fmt: skip
    links = {(moved[0][i], moved[1][j]) for i, j in links}
    for side, is_target in zip(sides, (False, True), strict=True):
        for i, symbol in enumerate(side):
            if not isinstance(symbol, int):
                continue
            label = labels[symbol]
            side[i] = {
                "moses_grammar": f"[{label}][{label}]",
                "cdec": f"[{symbol + 1}]" if is_target else f"[{label},{symbol + 1}]",
                "joshua": f"[{label},{symbol + 1}]",
            }[format]
    return *sides, links, pairs


@st.composite
def any_lines(draw, format: str) -> str:
    """A good line, or one in which something was changed, or nonsense."""
    line = draw(good_lines(format))
    kind = draw(st.integers(0, 5))
    if kind == 0:
        return draw(st.lists(st.sampled_from(TOKENS), max_size=14).map(" ".join))
    if kind <= 3:
        words = line.split(" ")
        place = draw(st.integers(0, len(words) - 1))
        words[place : place + draw(st.integers(0, 1))] = [draw(st.sampled_from(TOKENS))]
        line = draw(st.sampled_from([" ", "  ", "\t"])).join(words)
    return line + draw(st.sampled_from(["", "", "\r"]))
