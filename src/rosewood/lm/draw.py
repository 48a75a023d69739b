"""A page that shows a text as a model sees it: the darker a word, the less it was expected.

The page has no script and needs no other file; words are escaped.  Resting on a word tells its
surprisal in bits, the log10 of its probability and the length of the n-gram that it comes from.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from html import escape

from rosewood.lm.scores import WordScore
from rosewood.output import whole_file
from rosewood.shared_types import PathName

_SHADES = 10
_MOST = 20.0  # bits at which a word is as dark as it gets
_BITS = math.log2(10)

_STYLE = """
:root { color-scheme: light dark; --paper: #fbf8f4; --ink: #2b2523; --faint: #6f645d; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #191615; --ink: #efe7e0; --faint: #a99d94; }
}
body {
  margin: 0 auto; max-width: 56rem; padding: 1.5rem 1rem 4rem; background: var(--paper);
  color: var(--ink); font: 17px/2 system-ui, "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif;
}
h1 { font-size: 1.6rem; line-height: 1.2; margin: .3rem 0; }
p { margin: .35rem 0; } header, .total { color: var(--faint); line-height: 1.5; }
.total { font-size: .8rem; font-variant-numeric: tabular-nums; margin-left: .5rem; }
b { font-weight: 400; padding: .15em .28em; border-radius: .3em; }
u { text-decoration: underline wavy #b3261e; text-underline-offset: .25em; }
"""


def surprisal_page(
    sentences: Iterable[Sequence[WordScore]], *, title: str = "Surprisal"
) -> Iterator[str]:
    """The lines of the page, one for each sentence, as they come."""
    yield "<!DOCTYPE html>"
    yield '<html lang="en"><head><meta charset="utf-8">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>{escape(title)}</title><style>{_STYLE}{_shades()}</style></head><body>"
    key = " ".join(
        f'<b class="s{shade}">{shade * _MOST / _SHADES:g}</b>' for shade in range(_SHADES)
    )
    yield f"<header><h1>{escape(title)}</h1><p>Surprisal in bits: {key} and more. Words that the "
    yield "model does not know are <u>underlined</u>. ⏎ is the end of a sentence.</p></header>"
    for sentence in sentences:
        total = -sum(word.score for word in sentence) * _BITS
        words = " ".join(map(_word, sentence))
        yield f'<p>{words}<span class="total">{total:.1f} bits</span></p>'
    yield "</body></html>"


def write_surprisal_page(
    sentences: Iterable[Sequence[WordScore]], path: PathName, *, title: str = "Surprisal"
) -> None:
    """Writes the page, which appears whole or not at all."""
    with whole_file(path) as stream:
        for line in surprisal_page(sentences, title=title):
            stream.write(line.encode() + b"\n")


def _word(word: WordScore) -> str:
    bits = max(0.0, -word.score * _BITS)
    shade = min(_SHADES - 1, int(bits / _MOST * _SHADES))
    text = "⏎" if word.word == "</s>" else escape(word.word)
    said = text if word.is_known else f"<u>{text}</u>"
    kind = f"{word.length}-gram" if word.is_known else f"unknown, {word.length}-gram"
    return f'<b class="s{shade}" title="{bits:.1f} bits, log10 {word.score:.3f}, {kind}">{said}</b>'


def _shades() -> str:
    """Rosewood, from nothing to nearly solid; letters turn white where it is dark."""
    return "\n".join(
        f".s{shade} {{ background: rgb(140 47 75 / {shade / _SHADES:.2f}); "
        + ("color: #fff; }" if shade > _SHADES // 2 else "}")
        for shade in range(_SHADES)
    )
