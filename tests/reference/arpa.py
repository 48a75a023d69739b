r"""ARPA files as dictionaries: what the native reader and writer must do, in plain loops.

A model is a list of words, of which the first are <unk>, <s> and </s>, and for each order a
dictionary from tuples of word numbers to log10 probability and back-off, both float32.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field

import numpy as np

from tests.reference.lm import BackoffModel

SPECIAL = ("<unk>", "<s>", "</s>")
Ngrams = dict[tuple[int, ...], tuple[np.float32, np.float32]]
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?|[+-]?inf(inity)?", re.I)


@dataclass
class Model:
    words: list[str]
    orders: list[Ngrams]
    missing: list[str] = field(default_factory=list)
    infinite: int = 0
    positive: int = 0


class Bad(Exception):
    """A line and what is wrong with it; tests compare the line."""


def read(data: bytes, max_bytes: int = 1 << 20) -> Model:
    """The model as it stands in the file; Bad(line, reason) if it is none."""
    lines = data.split(b"\n")
    if lines[-1] == b"":
        lines.pop()
    for number, raw in enumerate(lines, start=1):
        if len(raw) > max_bytes:
            raise Bad(number, "too long")
        text = raw.strip(b" \t\r")
        if (text.removeprefix(b"\xef\xbb\xbf") if number == 1 else text) == b"\\data\\":
            break
    else:
        raise Bad(max(len(lines), 1), "no data")
    announced: list[int] = []
    model = Model(list(SPECIAL), [])
    place = number  # lines that were read
    section, heading, found, seen = 0, 0, 0, set()
    while place < len(lines):
        raw = lines[place]
        place += 1
        is_heading = raw.startswith(b"\\") or (section == 0 and raw.strip(b" \t\r")[:1] == b"\\")
        if len(raw) > max_bytes:
            raise Bad(place, "too long")
        if is_heading:
            if section and found != announced[section - 1]:
                raise Bad(heading, "count")
            if section > 1 and found != len(model.orders[section - 1]):
                raise Bad(heading, "twice")
            if not announced:
                raise Bad(place, "no counts")
            if section == 1:
                model.missing = [word for w, word in enumerate(SPECIAL) if w not in seen]
                for w, p in enumerate((-100, -99, -100)):
                    model.orders[0].setdefault((w,), (np.float32(p), np.float32(0)))
            text = raw.strip(b" \t\r")
            after = len(announced) + 1
            named = re.fullmatch(rb"\\([0-9]+)-grams:", text)
            if text != b"\\end\\" and not named:
                raise Bad(place, "heading")
            wanted = after if named is None else int(named.group(1))
            section += 1
            while 1 < section < wanted and section < after and announced[section - 1] == 0:
                model.orders.append({})
                section += 1
            if section != wanted or (section == after and named):
                raise Bad(place, "order of sections")
            if section == after:
                return model
            heading, found = place, 0
            model.orders.append({})
        elif section == 0:
            text = raw.strip(b" \t\r")
            if not text:
                continue
            counted = re.fullmatch(rb"ngram[ \t\r]*([0-9]+)[ \t\r]*=[ \t\r]*([0-9]+)", text)
            if not counted or int(counted.group(1)) != len(announced) + 1:
                raise Bad(place, "count")
            announced.append(int(counted.group(2)))
            if announced == [0]:
                raise Bad(place, "no words")
        else:
            fields = [f for f in re.split(rb"[ \t]", raw.removesuffix(b"\r")) if f]
            if not fields:
                continue
            _ngram(model, fields, section, section == len(announced), seen, place)
            found += 1
            if found > announced[section - 1]:
                raise Bad(heading, "too many")
    raise Bad(len(lines), "no end")


def _ngram(model, fields, n, is_highest, seen, line):
    if len(fields) not in (n + 1, n + 2):
        raise Bad(line, "fields")
    p = _number(fields[0])
    if p is None or p > 1e-4:
        raise Bad(line, "probability")
    b = _number(fields[n + 1]) if len(fields) > n + 1 else np.float32(0)
    if b is None or b == math.inf or (is_highest and b != 0):
        raise Bad(line, "back-off")
    model.infinite += int(np.isinf(p)) + int(np.isinf(b))
    model.positive += int(p > 0)
    p, b = (np.float32(-99) if np.isinf(x) else x for x in (p, b))
    words = [b"<unk>" if f == b"<UNK>" else f for f in fields[1 : n + 1]]
    try:
        words = [f.decode() for f in words]
    except UnicodeDecodeError as error:
        raise Bad(line, "UTF-8") from error
    if n == 1:
        if words[0] not in model.words:
            model.words.append(words[0])
        key = (model.words.index(words[0]),)
        if key[0] in seen:
            raise Bad(line, "twice")
        seen.add(key[0])
    else:
        if any(w not in model.words or model.words.index(w) not in seen for w in words):
            raise Bad(line, "unknown word")
        key = tuple(map(model.words.index, words))
    model.orders[n - 1][key] = (min(p, np.float32(0)), b)


def _number(text: bytes) -> np.float32 | None:
    decoded = text.decode("latin-1")
    if not _NUMBER.fullmatch(decoded):
        return None
    with np.errstate(over="ignore"):
        value = np.float32(decoded) + np.float32(0)  # never -0
    if np.isinf(value) and "inf" not in decoded.lower():
        return None
    return value


def close(orders: list[Ngrams]) -> tuple[list[Ngrams], list[int]]:
    """Prefixes and suffixes of n-grams become n-grams; how many were added of each order."""
    whole = [dict(order) for order in orders]
    for n in range(len(whole), 1, -1):
        for gram in list(whole[n - 1]):
            for part in (gram[1:], gram[:-1]):
                whole[n - 2].setdefault(part, (np.float32("nan"), np.float32(0)))
    for n in range(2, len(whole)):
        for gram, (p, b) in whole[n - 1].items():
            if np.isnan(p):
                backed = whole[n - 2][gram[:-1]][1] + whole[n - 2][gram[1:]][0]
                whole[n - 1][gram] = (min(backed, np.float32(0)), b)
    return whole, [len(a) - len(b) for a, b in zip(whole, orders, strict=True)]


def columns(orders: list[Ngrams]) -> list[tuple[list, list, list, list]]:
    """First words, children, probabilities and back-offs of each order, in suffix order."""
    made = []
    for n, order in enumerate(orders, start=1):
        grams = sorted(order, key=lambda gram: gram[::-1])
        is_highest = n == len(orders)
        longer = [] if is_highest else list(orders[n])
        contexts = {gram[:-1] for gram in longer}
        backoffs = []
        for gram in [] if is_highest else grams:
            b = float(order[gram][1])
            backoffs.append((0.0 if gram in contexts else -0.0) if b == 0 else b)
        children = [sum(g[1:] == gram for g in longer) for gram in grams]
        made.append(
            (
                [gram[0] for gram in grams],
                [] if is_highest else children,
                [float(order[gram][0]) for gram in grams],
                backoffs,
            )
        )
    return made


def write(words: list[str], orders: list[Ngrams]) -> str:
    """The text of a closed model."""
    lines = ["\\data\\", *(f"ngram {n}={len(o)}" for n, o in enumerate(orders, start=1)), ""]
    for n, order in enumerate(orders, start=1):
        lines.append(f"\\{n}-grams:")
        for gram in sorted(order, key=lambda gram: gram[::-1]):
            p, b = order[gram]
            fields = [_told(p), " ".join(words[w] for w in gram)]
            lines.append("\t".join(fields + ([_told(b)] if n < len(orders) else [])))
        lines.append("")
    return "\n".join([*lines, "\\end\\", ""])


def _told(value: np.float32) -> str:
    """The shortest digits that are read back as the same number; the exponent as C++ has it."""
    value = np.float32(value) + np.float32(0)
    fixed = np.format_float_positional(value, trim="-")
    scientific = np.format_float_scientific(value, trim="-", exp_digits=2)
    return fixed if len(fixed) <= len(scientific) else scientific


def defined(model: Model) -> BackoffModel:
    """What the numbers of the file mean."""
    grams = [(gram, *both) for order in model.orders for gram, both in order.items()]
    return BackoffModel(
        model.words,
        len(model.orders),
        {gram: float(p) for gram, p, _ in grams},
        {gram: float(b) for gram, _, b in grams},
    )
