"""German: noun phrases. Gender, case, articles, endings of adjectives, contracted prepositions."""

from __future__ import annotations

from collections.abc import Mapping

from rosewood.corpus.phrasebook.chance import Draw
from rosewood.corpus.phrasebook.german_forms import CASES, GermanNoun
from rosewood.corpus.phrasebook.lexicon import Noun, Phrase
from rosewood.corpus.phrasebook.meaning import (
    ADJECTIVE,
    DEGREE,
    DETERMINER,
    NOUN,
    OWNER,
    PREPOSITION,
    RELATIVE,
    SHE,
    WEAK,
    YOU,
    NounPhrase,
    Part,
    Placed,
    present,
)
from rosewood.corpus.phrasebook.names import number_words
from rosewood.corpus.phrasebook.realiser import Realiser
from rosewood.corpus.phrasebook.templates import Template
from rosewood.corpus.phrasebook.tokens import Token, Tokens, rebased

_DU, _IHR, _SIE = 1, 4, 5


class GermanNouns(Realiser):
    """Says noun phrases in German."""

    language = "de"

    def __init__(self, draw: Draw) -> None:
        super().__init__(draw)
        self.address = _DU  # how somebody is spoken to in this sentence
        self.loosen: Mapping[str, Noun] = {}  # noise: nouns of these classes become more general
        self.was_loosened = False
        self._chosen: dict[int, GermanNoun] = {}
        articles = self.grammar["articles"]
        self._articles = {
            name: {gender: forms.split() for gender, forms in table.items()}
            for name, table in articles.items()
        }
        self._endings = {
            name: {gender: forms.split() for gender, forms in table.items()}
            for name, table in self.grammar["endings"].items()
        }

    def sentence(self, template: Template, parts: Mapping[str, Part]) -> Tokens:
        chance = self.draw()
        self.address = _DU if chance < 0.72 else _SIE if chance < 0.94 else _IHR
        self._chosen.clear()
        return super().sentence(template, parts)

    def variant(self, phrase: Phrase) -> tuple[Token, ...]:
        return phrase.german.pick(self.draw)

    def german_noun(self, phrase: NounPhrase) -> GermanNoun:
        """The noun for this phrase: the same one whenever the sentence comes back to it."""
        found = self._chosen.get(phrase.base)
        if found is None:
            found = present(phrase.noun).german.pick(self.draw)
            self._chosen[phrase.base] = found
        return found

    def noun_phrase(
        self, phrase: NounPhrase, case: str, *, kein: int = -1, is_role: bool = False
    ) -> Tokens:
        """`kein` is the key of a negation that the article takes in; a role has no article."""
        base = phrase.base
        if phrase.kind == "pronoun":
            return [(self._pronoun(phrase.pronoun, case), base + NOUN)]
        if phrase.kind == "who":
            return [({"nom": "wer", "acc": "wen", "dat": "wem"}[case], base + NOUN)]
        if phrase.kind == "name":
            return self._name(phrase, case)
        if phrase.kind == "relative":
            return self._relative_pronoun(phrase, case)
        column = CASES.index(case)
        key = base + NOUN
        weak = 0
        noun = self._general(phrase) if self.loosen else None
        if noun is not None:
            weak = WEAK
        else:
            noun = self.german_noun(phrase)
        gender = "p" if phrase.is_plural else noun.gender
        forms = noun.plural if phrase.is_plural and noun.plural else noun.singular
        article, kind, owner_after = self._article(phrase, gender, column, kein, is_role=is_role)
        found: Tokens = []
        if phrase.adjective is not None:
            if phrase.degree is not None:
                found += rebased(phrase.degree.german.pick(self.draw), base + DEGREE)
            ending = self._endings[kind][gender][column]
            adjective = phrase.adjective.german.pick(self.draw)
            found.append((adjective.with_ending(ending), base + ADJECTIVE))
        found = [*article, *found, (forms[column], key + weak), *owner_after]
        if phrase.relative is not None:
            clause = self.clause(phrase.relative, "relative", ())
            found += [(",", phrase.relative_key() + WEAK), *clause, (",",)]
        return found

    def _general(self, phrase: NounPhrase) -> GermanNoun | None:
        """A more general noun, for a loose translation."""
        noun = present(phrase.noun)
        for name, general in self.loosen.items():
            if name in noun.classes and not noun.is_mass:
                self.loosen, self.was_loosened = {}, True
                found = general.german.pick(self.draw)
                self._chosen[phrase.base] = found
                return found
        return None

    def _pronoun(self, pronoun: int, case: str) -> str:
        table: dict[str, list[str]] = self.grammar["pronouns"]
        if pronoun == YOU:
            place = {_DU: 1, _IHR: 7, _SIE: 8}[self.address]
            return table[case][place]
        return table[case][pronoun]

    def _name(self, phrase: NounPhrase, case: str) -> Tokens:
        found: Tokens = []
        if phrase.title:
            word = "Frau" if phrase.pronoun == SHE else "Herr" if case == "nom" else "Herrn"
            found.append((word, phrase.base + ADJECTIVE))
        return [*found, (phrase.name, phrase.base + NOUN)]

    def _relative_pronoun(self, phrase: NounPhrase, case: str) -> Tokens:
        head = present(phrase.head)
        gender = "p" if head.is_plural else self.german_noun(head).gender
        word = self._articles["relative"][gender][CASES.index(case)]
        return [(word, phrase.base + RELATIVE)]

    def _article(
        self, phrase: NounPhrase, gender: str, column: int, kein: int, *, is_role: bool
    ) -> tuple[Tokens, str, Tokens]:
        """The determiner, the endings that it requires, and an owner after the noun."""
        base, kind = phrase.base, phrase.determiner
        key = base + DETERMINER
        if kein >= 0:
            word = "kein" + self._ein(gender, column)
            return [(word, kein, key)], "mixed", []
        if (is_role and phrase.adjective is None) or phrase.is_bare_in_german or kind == "":
            return [], "strong", []
        if kind == "a":
            return [("ein" + self._ein(gender, column), key)], "mixed", []
        if kind == "owner":
            return self._owned(phrase, gender, column)
        if kind == "number":
            known = number_words().get(phrase.count)
            word = known[1] if known is not None else f"{phrase.count}"
            return [(word, key)], "strong", []
        if kind == "many":
            return (
                [("viele" + ("n" if column == 2 else "r" if column == 3 else ""), key)],
                "strong",
                [],
            )
        table = self._articles[{"this": "dieser", "every": "jeder"}.get(kind, "der")]
        word = table[gender][column]
        return [(word, base + NOUN + WEAK if kind == "by" else key)], "weak", []

    def _ein(self, gender: str, column: int) -> str:
        ending = self._articles["ein"][gender][column]
        return "" if ending == "-" else ending

    def _owned(self, phrase: NounPhrase, gender: str, column: int) -> tuple[Tokens, str, Tokens]:
        base, owner = phrase.base, present(phrase.owner)
        if owner.kind == "pronoun":
            return (
                [(self._possessive(owner.pronoun, gender, column), base + DETERMINER)],
                "mixed",
                [],
            )
        if owner.kind == "name" and self.draw() < 0.75 and not owner.name.endswith(("s", "x", "z")):
            return [(owner.name + "s", owner.base + NOUN, base + OWNER)], "strong", []
        article: Tokens = [(self._articles["der"][gender][column], base + NOUN + WEAK)]
        if owner.kind == "name":
            return article, "weak", [("von", base + OWNER), (owner.name, owner.base + NOUN)]
        if self.draw() < 0.7:
            words = self.noun_phrase(owner, "gen")
            words[0] = (*words[0], base + OWNER)
            return article, "weak", words
        return article, "weak", self._joined("von", base + OWNER, self.noun_phrase(owner, "dat"))

    def _possessive(self, pronoun: int, gender: str, column: int) -> str:
        stems: list[str] = self.grammar["pronouns"]["possessive"]
        place = {_DU: 1, _IHR: 7, _SIE: 8}[self.address] if pronoun == YOU else pronoun
        ending = self._ein(gender, column)
        stem = stems[place]
        return ("eur" if stem == "euer" and ending else stem) + ending

    def placed(self, part: Placed) -> Tokens:
        phrase = self.noun_phrase(part.phrase, part.case)
        return self._joined(part.german, part.phrase.base + PREPOSITION, phrase)

    def _joined(self, preposition: str, key: int, phrase: Tokens) -> Tokens:
        """A preposition before a phrase: `in dem` is `im`."""
        contracted: dict[str, str] = self.grammar["contractions"]
        first = phrase[0]
        short = contracted.get(f"{preposition} {first[0]}")
        if short is None:
            return [(preposition, key), *phrase]
        return [(short, key, *first[1:]), *phrase[1:]]
