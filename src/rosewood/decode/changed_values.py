"""Placeholders that a translation of plain words has lost or added: nothing protects them there."""

from __future__ import annotations

import re
from collections import Counter

from rosewood.corpus.text.tags import Protection
from rosewood.decode.translation import Translation

_HINT = re.compile(r"[{%]")  # no placeholder is without one of these
_PROTECTION = Protection()


def changed_values(
    source: str, translation: Translation
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Placeholders such as %d and {name} that the source alone has, and the translation alone.

    What a glossary says is not counted as added.  Tags and entities are words like others here.
    """
    if not translation.report.reachable:
        return (), ()
    if not _HINT.search(source) and not _HINT.search(translation.text):
        return (), ()
    forced = [
        translation.words[place] for use in translation.rules if use.is_forced
        for place in use.target_places
    ]  # fmt: skip
    wanted, said = _values(source), _values(translation.text)
    added = said - wanted - _values(" ".join(forced))
    return tuple((wanted - said).elements()), tuple(added.elements())


def _values(text: str) -> Counter[str]:
    found = (text[each.start : each.end] for each in _PROTECTION.find(text) if each.kind == "value")
    return Counter(each for each in found if each[0] not in "&<")
