"""Forms of German words: regular ones by rule, irregular ones from the data."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rosewood.errors import RosewoodError

CASES = ("nom", "acc", "dat", "gen")

_NEEDS_E = re.compile(r".*(?:[td]|chn|[^lrmnhaeiouäöü][mn])")
_UNSTRESSED = re.compile(r"(?:be|ver|er|ent|zer|ge|emp|über|unter|wieder)(?!t)(?=.{4})")
_VOWELS = re.compile(r"[aeiouäöüy]+")


@dataclass(frozen=True, slots=True, eq=False)
class GermanNoun:
    """A noun in all cases."""

    gender: str
    singular: tuple[str, str, str, str]
    plural: tuple[str, str, str, str] | None

    @staticmethod
    def parse(text: str) -> GermanNoun:
        """`Hund m Hunde`, `Junge m Jungen weak`, `Milch f -`."""
        parts = text.split()
        if len(parts) not in (3, 4) or parts[1] not in "mfn" or parts[3:] not in ([], ["weak"]):
            reason = f"{text!r}: expected noun, gender, plural"
            raise RosewoodError(reason, code="line.fields", value=text)
        word, gender, many = parts[:3]
        oblique = many if parts[3:] else word  # a weak noun looks the same wherever it is oblique
        genitive = oblique if parts[3:] or gender == "f" else _genitive(word)
        plural = None
        if many != "-":
            dative = many if many.endswith(("n", "s")) else many + "n"
            plural = (many, many, dative, many)
        return GermanNoun(gender, (word, oblique, oblique, genitive), plural)


def _genitive(word: str) -> str:
    if word.endswith("nis"):
        return word + "ses"
    if word.endswith(("s", "ß", "z", "x", "sch")):
        return word + "es"
    is_short = len(_VOWELS.findall(word.lower())) == 1 and word[-1] not in "aeiouäöü"
    return word + "es" if is_short else word + "s"


@dataclass(frozen=True, slots=True, eq=False)
class GermanAdjective:
    """The form after a verb, and the stem that takes endings (`teuer`, `teur`)."""

    plain: str
    stem: str

    @staticmethod
    def parse(text: str) -> GermanAdjective:
        """`alt`, or with another stem `teuer/teur`; an adjective that never changes ends in `!`."""
        if text.endswith("!"):
            return GermanAdjective(text[:-1], "")
        plain, _, stem = text.partition("/")
        return GermanAdjective(plain, stem or (plain[:-1] if plain.endswith("e") else plain))

    def with_ending(self, ending: str) -> str:
        return self.stem + ending if self.stem else self.plain


@dataclass(frozen=True, slots=True, eq=False)
class GermanVerb:
    """Forms by person: ich, du, er, wir, ihr, sie; a separable prefix is kept apart."""

    infinitive: str  # without the prefix
    prefix: str
    present: tuple[str, ...]
    preterite: tuple[str, ...]
    participle: str  # with the prefix
    imperative: str
    has_sein: bool
    reflexive: str  # the case of its pronoun, or nothing
    is_preterite_usual: bool

    @staticmethod
    def parse(text: str) -> GermanVerb:
        """`kaufen`, `lesen las gelesen liest`, `*gehen ging gegangen`, `sich freuen`,
        `an_rufen rief gerufen`, `mögen mochte! gemocht mag,magst,mag`; `!` after the past: people
        say it rather than the perfect."""
        parts = text.split()
        reflexive = ""
        if parts[0] in ("sich", "sich.dat"):
            reflexive = "dat" if parts.pop(0) == "sich.dat" else "acc"
        has_sein = parts[0].startswith("*")
        prefix, _, infinitive = parts[0].removeprefix("*").rpartition("_")
        if len(parts) not in (1, 3, 4) or not infinitive.endswith("n"):
            reason = f"{text!r}: expected infinitive, past, participle, third person"
            raise RosewoodError(reason, code="line.fields", value=text)
        stem = infinitive[:-2] if infinitive.endswith("en") else infinitive[:-1]
        e = "e" if _NEEDS_E.fullmatch(stem) else ""
        is_usual = len(parts) > 1 and parts[1].endswith("!")
        past = parts[1].removesuffix("!") if len(parts) > 1 else f"{stem}{e}te"
        participle = parts[2] if len(parts) > 1 else _participle(stem + e + "t", infinitive)
        first = stem[:-2] + "le" if infinitive.endswith("eln") else stem + "e"
        third = parts[3] if len(parts) > 3 else stem + e + "t"
        second = _second(stem, third, e, is_irregular=len(parts) > 3)
        if "," in third:
            first, second, third = third.split(",")
        present = (
            first,
            second,
            third,
            infinitive,
            stem + e + "t",
            infinitive,
        )
        many = past + "n" if past.endswith("e") else past + "en"
        preterite = (
            past,
            past + ("t" if past.endswith(("s", "ß")) else "st"),
            past,
            many,
            past + "t",
            many,
        )
        imperative = stem + ("e" if e or stem.endswith(("ig", "er")) else "")
        if infinitive.endswith("eln"):
            imperative = first
        has_i = "i" in third and not set(third) & set("äöü")
        if len(parts) > 3 and "," not in parts[3] and "e" in stem and has_i:
            imperative = third[:-1]
        return GermanVerb(
            infinitive, prefix, present, preterite, prefix + participle, imperative, has_sein,
            reflexive, is_usual,
        )  # fmt: skip

    def with_zu(self) -> tuple[str, ...]:
        """The infinitive with zu: one word where the verb is separable."""
        if self.prefix:
            return (f"{self.prefix}zu{self.infinitive}",)
        return ("zu", self.infinitive)


def _participle(weak: str, infinitive: str) -> str:
    if infinitive.endswith("ieren") or _UNSTRESSED.match(infinitive):
        return weak
    return "ge" + weak


def _second(stem: str, third: str, e: str, *, is_irregular: bool) -> str:
    if is_irregular:
        if third.endswith(("st", "ßt")):
            return third
        keeps = stem.endswith("t") and third.endswith("t") and len(third) == len(stem)
        return third + "st" if keeps else third[:-1] + "st"
    if stem.endswith(("s", "ß", "z", "x")):
        return stem + "t"
    return stem + e + "st"
