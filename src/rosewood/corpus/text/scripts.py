"""Classes of characters for regular expressions, from Python's own Unicode tables.

`re` knows words and white space, but not scripts, marks or emoji; the classes here are strings that
go between the brackets of a pattern.  They are worked out when they are first needed.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from itertools import groupby

HAN = "\u3005\u3007\u303b\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
HIRAGANA = "ぁ-ゟー"
KATAKANA = "゠-ヺー-ヿㇰ-ㇿｦ-ﾟ"
# What stands without spaces around it: the above, their punctuation, and full-width forms.
CJK = f"{HAN}ぁ-ヿㇰ-ㇿ\u3001-\u3004\u3006\u3008-\u3020\u3030-\u303f！-￠"

_PICTURE = "\U0001f000-\U0001f1e5\U0001f200-\U0001faff←-⇿⌀-⏿■-➿⤀-⥿⬀-⯿〰〽㊗㊙©®™‼⁉"
_CHANGE = "\ufe0e\ufe0f\u20e3\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f"
_FLAG = "[\U0001f1e6-\U0001f1ff]{2}"
# One picture as people see it: with its colour, or several joined to one, or a flag of two letters.
EMOJI = f"(?:{_FLAG}|[{_PICTURE}][{_CHANGE}]*(?:\u200d[{_PICTURE}][{_CHANGE}]*)*)"

# Addresses end before punctuation, and before scripts that put no space behind them.
_IN, _END = rf"[^\s<>\"“”«»{CJK}]", rf"[^\s<>\"“”«».,:;!?'’)\]}}…{CJK}]"
URL = rf"(?:(?:https?|ftps?|file)://|mailto:|www\.){_IN}*{_END}"
EMAIL = r"(?<![A-Za-z0-9_.+%-])[A-Za-z0-9_.+%-]*[A-Za-z0-9_]@[\w-]+(?:\.[\w-]+)*\.[a-zA-Z]+"


@cache
def marks() -> str:
    """Combining marks, which belong to the character before them."""
    return _ranges("Mn", "Mc", "Me")


@cache
def upper_case() -> str:
    """Capital letters."""
    return _ranges("Lu", "Lt")


@cache
def word_characters() -> str:
    """Letters, digits, marks and invisible characters in scripts that put spaces between words."""
    kinds = ("Lu", "Ll", "Lt", "Lm", "Lo", "Nd", "Nl", "No", "Mn", "Mc", "Me", "Pc", "Cf")
    return _ranges(*kinds, but=f"{HAN}{HIRAGANA}{KATAKANA}")


@cache
def _runs() -> list[tuple[str, int, int]]:
    """Categories of characters, with the first of a run and the first behind it.

    Ideographs (see HAN) are in no class here, and are half of all characters; beyond these none is
    assigned.
    """
    found = []
    for block in ((0, 0x3400), (0x4DC0, 0x4E00), (0xA000, 0x20000), (0xE0000, 0xE01F0)):
        at = block[0]
        for category, run in groupby(map(unicodedata.category, map(chr, range(*block)))):
            end = at + len(list(run))
            found.append((category, at, end))
            at = end
    return found


def _ranges(*categories: str, but: str = "") -> str:
    """The characters of some categories, but for those of another class, as ranges."""
    kept = "".join(
        "".join(map(chr, range(first, end))) for kind, first, end in _runs() if kind in categories
    )
    if but:
        kept = re.sub(f"[{but}]+", "", kept)
    found: list[list[int]] = []
    for code in map(ord, kept):
        if found and found[-1][1] == code - 1:
            found[-1][1] = code
        else:
            found.append([code, code])
    return "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in found)
