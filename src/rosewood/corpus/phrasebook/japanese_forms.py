"""Forms of Japanese words, in Hepburn's romanisation with macrons."""

from __future__ import annotations

from dataclasses import dataclass

from rosewood.errors import RosewoodError

# ending: before masu, before nai, te form, before ru of the potential
_GODAN = {
    "tsu": ("chi", "ta", "tte", "te"),
    "su": ("shi", "sa", "shite", "se"),
    "ku": ("ki", "ka", "ite", "ke"),
    "gu": ("gi", "ga", "ide", "ge"),
    "nu": ("ni", "na", "nde", "ne"),
    "bu": ("bi", "ba", "nde", "be"),
    "mu": ("mi", "ma", "nde", "me"),
    "ru": ("ri", "ra", "tte", "re"),
    "u": ("i", "wa", "tte", "e"),
}


@dataclass(frozen=True, slots=True, eq=False)
class JapaneseVerb:
    """Words before the verb proper (`shashin o`), and the forms of the last word."""

    before: tuple[str, ...]
    plain: str
    masu: str  # the stem before masu
    nai: str  # the stem before nai
    te: str
    potential: str  # the stem before masu
    is_state: bool  # `shitte imasu`: the present says what has come to be
    copula: str = ""  # `suki desu` is no verb at all: what joins it to a noun

    @staticmethod
    def parse(text: str) -> JapaneseVerb:
        """`yomu`, `taberu=` with one stem, `benkyō suru`; a `+` marks a state, `suki+na`."""
        if text.endswith(("+na", "+no")):
            word, _, copula = text.partition("+")
            return JapaneseVerb((), word, word, word, word, word, False, copula)
        is_state = text.endswith("+")
        *before, word = text.removesuffix("+").split()
        if word.endswith("="):
            plain = word[:-1]
            stem = plain.removesuffix("ru")
            forms = (stem, stem, stem + "te", stem + "rare")
        elif word == "suru":
            plain, forms = word, ("shi", "shi", "shite", "deki")
        elif word == "kuru":
            plain, forms = word, ("ki", "ko", "kite", "korare")
        else:
            plain, forms = word, _godan(word)
        return JapaneseVerb(tuple(before), plain, *forms, is_state)

    @property
    def past(self) -> str:
        return self.te[:-1] + "a"

    @property
    def is_shiru(self) -> bool:
        """To know is a state, not to know is none: `shitte imasu`, but `shirimasen`."""
        return self.plain == "shiru"


def _godan(word: str) -> tuple[str, str, str, str]:
    for ending, (masu, nai, te, potential) in _GODAN.items():
        if word.endswith(ending):
            stem = word.removesuffix(ending)
            te = "tte" if stem == "i" and ending == "ku" else te
            return stem + masu, stem + nai, stem + te, stem + potential
    reason = f"{word!r} is no verb in its plain form"
    raise RosewoodError(reason, code="line.value", argument="verb", value=word)


@dataclass(frozen=True, slots=True, eq=False)
class JapaneseAdjective:
    """`ōkii` has forms of its own, `shizuka+na` wants a copula, `tsukareru=+ta` is a verb."""

    words: tuple[str, ...]
    joins: str  # what stands before a noun: na, no, or nothing
    verb: JapaneseVerb | None = None

    @staticmethod
    def parse(text: str) -> JapaneseAdjective:
        stem, _, joins = text.partition("+")
        if joins not in ("", "na", "no", "ta") or (not joins and not stem.endswith("i")):
            reason = f"{text!r} is no adjective: expected one in i, +na, +no or +ta"
            raise RosewoodError(reason, code="line.value", argument="adjective", value=text)
        if joins == "ta":
            return JapaneseAdjective((), "", JapaneseVerb.parse(stem))
        return JapaneseAdjective(tuple(stem.split()), joins)
