"""Lines of rule tables for tests, good ones and those with something wrong in them."""

from __future__ import annotations

from hypothesis import strategies as st

PREFIXES = {"moses_phrases": "score_", "moses_grammar": "score_", "cdec": "PhraseModel_",
            "joshua": "tm_pt_"}  # fmt: skip
WORDS = ["a", "b", "haus", "häuser", "x,y", "=", "[", "[]", "0-0", "1", "東", "|", "<s>"]
TOKENS = [
    *WORDS, "[X]", "[X][X]", "[X][Y]", "[Y][Y]", "[X,1]", "[X,2]", "[Y,1]", "[1]", "[2]", "[X,0]",
    "[,1]", "[X,]", "|||", "a|||", "||||", "0.5", "1e-3", "-1", "nan", "inf", "1e999", "1e-999",
    "F=1", "G=-2.5", "=1", "F=", "F=1;G=2", "0-1", "1-0", "1-1", "2-0", "9-9", "0-", "-",
]  # fmt: skip

probabilities = st.one_of(
    st.sampled_from(["0", "1", "0.5", "2.718", "1e-07", "3e-60", "0.333333"]),
    st.floats(1e-30, 1).map("{:.6g}".format),
)
values = st.one_of(st.sampled_from(["0", "1", "-2"]), st.floats(-50, 50).map("{:.5g}".format))


@st.composite
def good_lines(draw, format: str) -> str:
    """A line that is good in the format, but for the number of its scores."""
    source = draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=4))
    target = draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=4))
    links = {
        (draw(st.integers(0, len(source) - 1)), draw(st.integers(0, len(target) - 1)))
        for _ in range(draw(st.integers(0, 3)))
    }
    gaps = 0 if format == "moses_phrases" else draw(st.integers(0, 2))
    labels = draw(st.lists(st.sampled_from("XYZ"), min_size=gaps, max_size=gaps))
    where = [draw(st.permutations(range(len(side) + gaps)))[:gaps] for side in (source, target)]
    source, target, links, pairs = _with_gaps(source, target, links, labels, where, format)
    told = " ".join(f"{i}-{j}" for i, j in sorted(links | pairs))
    if format.startswith("moses"):
        left = draw(st.sampled_from(["[X]", "[Y]"]))
        if format == "moses_grammar":
            source, target = [*source, left], [*target, left]
        scores = " ".join(draw(st.lists(probabilities, min_size=4, max_size=4)))
        counts = " ".join(draw(st.lists(st.sampled_from(["1", "2.5", "30"]), max_size=3)))
        fields = [" ".join(source), " ".join(target), scores, told, counts, "", ""]
        return " ||| ".join(fields[: draw(st.integers(4, 7))])
    names = draw(st.lists(st.sampled_from(["", "F=", "G=", "long_name="]), max_size=4))
    kept = [n for i, n in enumerate(names) if not n or n not in names[:i]]
    features = " ".join(name + draw(values) for name in kept)
    fields = [f"[{draw(st.sampled_from('XYS'))}]", " ".join(source), " ".join(target), features]
    return " ||| ".join([*fields, told] if draw(st.booleans()) or told else fields)


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
