"""Draws people, things and places."""

from __future__ import annotations

from abc import ABC, abstractmethod

from rosewood.corpus.phrasebook.chance import Draw, Weighted, zipf
from rosewood.corpus.phrasebook.lexicon import Noun, PhrasebookLexicon, lexicon
from rosewood.corpus.phrasebook.meaning import (
    HE,
    IT,
    ME,
    SHE,
    THEY,
    WE,
    YOU,
    Adverbial,
    Clause,
    NounPhrase,
    Placed,
    Spoken,
    present,
)
from rosewood.corpus.phrasebook.names import Names, names
from rosewood.corpus.phrasebook.tokens import STEP

_PRONOUNS = Weighted(((ME, 34), (YOU, 16), (HE, 15), (SHE, 15), (WE, 12), (THEY, 8)))
_OBJECTS = Weighted(((ME, 22), (YOU, 16), (HE, 18), (SHE, 18), (WE, 8), (THEY, 12)))
_OWNERS = Weighted(((ME, 44), (YOU, 15), (HE, 15), (SHE, 15), (WE, 7), (THEY, 4)))
_DETERMINERS = Weighted(
    (("the", 44), ("a", 30), ("owner", 13), ("this", 5), ("number", 4), ("many", 2))
)
_SUBJECT_DETERMINERS = Weighted(
    (("the", 52), ("a", 5), ("owner", 30), ("this", 6), ("number", 3), ("many", 2), ("every", 2))
)
_COUNTS = zipf((2, 3, 5, 4, 10, 6, 8, 7, 9), 2.0)


class NounSampler(ABC):
    """Draws the noun phrases of one sentence after the other."""

    def __init__(self, draw: Draw) -> None:
        self.draw = draw
        self.lexicon: PhrasebookLexicon = lexicon()
        self.names: Names = names()
        self._next = 0
        self._used: set[Noun] = set()

    def start(self) -> None:
        """A new sentence: keys begin again, every noun may come."""
        self._next = STEP  # the words of a template have the keys before it
        self._used.clear()

    def base(self) -> int:
        self._next += STEP
        return self._next

    def somebody(self, *, is_subject: bool = False, but: int = -1) -> NounPhrase:
        """A person: a pronoun, a name, or a noun."""
        chance = self.draw()
        if chance < (0.56 if is_subject else 0.45):
            pronoun = (_PRONOUNS if is_subject else _OBJECTS).pick(self.draw)
            if pronoun == but or {pronoun, but} == {ME, WE}:  # nobody meets himself
                pronoun = THEY if but != THEY else SHE
            return NounPhrase(self.base(), "pronoun", pronoun)
        if chance < 0.74:
            return self.name()
        return self.noun_phrase("person", is_subject=is_subject)

    def again(self, before: NounPhrase) -> NounPhrase | None:
        """The one the sentence began with, once more."""
        if before.kind not in ("pronoun", "name"):
            return None
        return NounPhrase(self.base(), "pronoun", before.pronoun)

    def name(self) -> NounPhrase:
        """Anna, Mr Bergmann."""
        found = NounPhrase(self.base(), "name")
        if self.draw() < 0.55:
            found.name, found.pronoun = self.names.first(self.draw)
        else:
            found.title = "Mr" if self.draw() < 0.5 else "Mrs"
            found.pronoun = HE if found.title == "Mr" else SHE
            found.name = self.names.last(self.draw)
        return found

    def noun(self, name: str) -> Noun:
        choices = self.lexicon.nouns[name]
        noun = choices.pick(self.draw)
        for _ in range(8):
            if noun not in self._used:
                break
            noun = choices.pick(self.draw)
        self._used.add(noun)
        return noun

    def noun_phrase(
        self, name: str, *, is_subject: bool = False, short: bool = False, singular: bool = False
    ) -> NounPhrase:
        """A noun of a class, with what goes with it."""
        draw = self.draw
        noun = self.noun(name)
        found = NounPhrase(self.base(), "noun", noun=noun)
        determiner = (_SUBJECT_DETERMINERS if is_subject else _DETERMINERS).pick(draw)
        if determiner == "owner" and "job" in noun.classes:
            determiner = "the"
        if "one" in noun.classes:  # everybody has one of them
            singular = True
            determiner = "owner" if determiner != "the" else "the"
        if noun.is_mass:
            if determiner not in ("the", "owner"):
                determiner = ""
        elif determiner in ("number", "many") and singular:
            determiner = "a"
        elif determiner in ("number", "many"):
            found.is_plural = True
            if determiner == "number":
                found.count = _COUNTS.pick(draw) if draw() < 0.8 else 11 + int(draw() * 289)
        elif determiner != "every" and not singular and draw() < 0.2:
            found.is_plural = True
            if determiner == "a":
                determiner = ""
        if determiner == "owner":
            found.owner = self._owner(is_alone=short)
        found.determiner = determiner
        if noun in self.lexicon.adjectives and draw() < (0.14 if is_subject or short else 0.3):
            found.adjective = self.lexicon.adjectives[noun].pick(draw)
            if draw() < 0.12:
                degree = self.lexicon.adverbials["degree"].pick(draw)
                found.degree = None if "predicate" in degree.tags else degree
        if not short and determiner in ("the", "a") and draw() < 0.06:
            found.relative = self.relative(found)
        return found

    def _owner(self, *, is_alone: bool) -> NounPhrase:
        chance = self.draw()
        if is_alone or chance < 0.72:
            return NounPhrase(self.base(), "pronoun", _OWNERS.pick(self.draw))
        if chance < 0.9:
            name, pronoun = self.names.first(self.draw)
            return NounPhrase(self.base(), "name", pronoun, name=name)
        noun = self.noun("person")
        return NounPhrase(self.base(), "noun", noun=noun, determiner="the")

    def place(self) -> Adverbial:
        """Where: in the garden, in Berlin, at home."""
        return self._placed("place", 0.2, 0.42, ("in", "in", "dat", "de"))

    def direction(self) -> Adverbial:
        """Where to: to the station, to Berlin, home."""
        return self._placed("direction", 0.15, 0.45, ("to", "nach", "dat", "ni"))

    def _placed(
        self, kind: str, adverb: float, town: float, words: tuple[str, str, str, str]
    ) -> Adverbial:
        """An adverb below one probability, a town below another, else a place."""
        chance = self.draw()
        if chance < adverb:
            return Spoken(self.base(), self.lexicon.adverbials[kind].pick(self.draw))
        if chance < town:
            return Placed(self.town(), *words)
        phrase = self._place_phrase()
        noun = present(phrase.noun)
        if kind == "place":
            return Placed(phrase, noun.english_at, noun.german_at, "dat", "de")
        case = "acc" if noun.german_to in ("in", "an", "auf") else "dat"
        return Placed(phrase, "to", noun.german_to, case, "ni")

    def town(self) -> NounPhrase:
        return NounPhrase(self.base(), "name", IT, name=self.names.town(self.draw))

    def _place_phrase(self) -> NounPhrase:
        """A place; in everyday talk it is a known one."""
        phrase = NounPhrase(self.base(), "noun", noun=self.noun("place"), determiner="the")
        chance = self.draw()
        if chance < 0.06:
            phrase.determiner = "this"
        elif chance < 0.13:
            phrase.determiner = "a"
        if self.draw() < 0.1 and phrase.noun in self.lexicon.adjectives:
            phrase.adjective = self.lexicon.adjectives[phrase.noun].pick(self.draw)
        return phrase

    @abstractmethod
    def relative(self, head: NounPhrase) -> Clause | None:
        """A clause about the noun, if there is one that fits."""
