"""Pages of HTML that need nothing else, no network and no scripts: what all reports share.

Texts come from corpora and from users: `text` makes any of them harmless.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from difflib import SequenceMatcher
from html import escape
from pathlib import Path

from rosewood import __version__
from rosewood.svg_text import clean, columns

_COMPARED = 400  # words of a text in which differences are sought


def page(title: str, parts: Iterable[str]) -> str:
    """A whole page; `parts` are HTML, of which those that are empty are left out."""
    style = Path(__file__).with_name("page.css").read_text(encoding="utf-8")
    lines = [
        "<!DOCTYPE html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{text(title)}</title>",
        f"<style>\n{style}</style></head><body><main>",
        *parts,
        f"<footer><p>Made by Rosewood {__version__}.</p></footer>",
        "</main></body></html>",
    ]
    return "\n".join(line for line in lines if line) + "\n"


def text(value: object) -> str:
    """Any text as HTML: nothing in it is markup, or changes the direction of what follows."""
    return escape(clean(str(value)))


def signed(number: str) -> str:
    """With a minus that is as wide as a plus."""
    return number.replace("-", "−")


def sentence(note: str) -> str:
    """With a capital and a full stop."""
    ending = "" if note.endswith((".", "!", "?")) else "."
    return f"{note[:1].upper()}{note[1:]}{ending}"


def facts_list(facts: Iterable[tuple[str, object]]) -> str:
    """A definition list of names and values."""
    rows = "".join(f"<dt>{text(name)}</dt><dd>{text(value)}</dd>" for name, value in facts)
    return f"<dl>{rows}</dl>"


def table(
    heads: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    look: str = "",
    strong: Container[int] = (),
) -> str:
    """A table that scrolls where it is wide; cells are HTML, the first one names its row."""
    kind = f' class="{look}"' if look else ""
    lines = [f'<div class="scroll"><table{kind}><thead><tr>']
    lines += [f'<th scope="col">{head}</th>' for head in heads]
    lines.append("</tr></thead><tbody>")
    for number, (first, *others) in enumerate(rows):
        mark = ' class="strong"' if number in strong else ""
        cells = "".join(f"<td>{cell}</td>" for cell in others)
        lines.append(f'<tr{mark}><th scope="row">{first}</th>{cells}</tr>')
    return "\n".join([*lines, "</tbody></table></div>"])


def differences(own: str, other: str) -> tuple[str, str]:
    """Both texts as HTML, the words that one has and the other has not marked.

    Scripts that are written without spaces are compared by their characters.
    """
    space = "" if " " not in own + other and columns(own) > len(own) else " "
    a, b = (own.split(" "), other.split(" ")) if space else (list(own), list(other))
    if max(len(a), len(b)) > _COMPARED:
        return text(own), text(other)
    left: list[str] = []
    right: list[str] = []
    for kind, a1, a2, b1, b2 in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        left += _marked(a[a1:a2], "" if kind == "equal" else "ins", space)
        right += _marked(b[b1:b2], "" if kind == "equal" else "del", space)
    nothing = '<span class="faint">(no words)</span>'
    return space.join(left) if own else nothing, space.join(right) if other else nothing


def _marked(words: Sequence[str], mark: str, space: str) -> list[str]:
    if not words or not mark:
        return [text(word) for word in words]
    return [f"<{mark}>{text(space.join(words))}</{mark}>"]


def section(place: str, title: str, *parts: str, look: str = "") -> str:
    """A part of the page, to which links lead by its `place`; where nothing is in it, nothing."""
    said = [part for part in parts if part]
    if not said:
        return ""
    kind = f' class="{look}"' if look else ""
    return "\n".join([f'<section id="{place}"{kind}><h2>{title}</h2>', *said, "</section>"])


def details(summary: str, *parts: str, is_open: bool = False) -> str:
    """What is shown when somebody asks for it."""
    if not any(parts):
        return ""
    way = " open" if is_open else ""
    return f"<details{way}><summary>{summary}</summary>{''.join(parts)}</details>"
