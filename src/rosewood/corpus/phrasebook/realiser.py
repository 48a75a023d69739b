"""What all languages share: from a template and its parts to tokens."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import ClassVar

from rosewood.corpus.phrasebook.chance import Draw, Weighted
from rosewood.corpus.phrasebook.lexicon import Phrase
from rosewood.corpus.phrasebook.meaning import Adverbial, Clause, NounPhrase, Part, Placed, Spoken
from rosewood.corpus.phrasebook.templates import Order, Side, Slot, Template, grammar, orders
from rosewood.corpus.phrasebook.tokens import Token, Tokens, rebased

Slots = dict[str, Tokens]

_STOPS = frozenset(".?!;,")


class Realiser(ABC):
    """Realises a sentence in one language; one of several wordings is drawn."""

    language: ClassVar[str]

    def __init__(self, draw: Draw) -> None:
        self.draw = draw
        self.grammar = grammar(self.language)
        self._orders: dict[str, Weighted[Order]] = orders(self.language)
        self.omit: tuple[str, ...] = ()  # noise leaves out the first of these slots that is there
        self.was_omitted = False

    def sentence(self, template: Template, parts: Mapping[str, Part]) -> Tokens:
        """The sentence's tokens."""
        side: Side = template.sides[self.language].pick(self.draw)
        found: Tokens = []
        for item in side:
            if isinstance(item, Slot):
                part = parts[item.letter]
                if isinstance(part, Clause):
                    found += self.clause(part, item.form, item.words)
                elif isinstance(part, NounPhrase):
                    found += self.noun_phrase(part, item.form)
                else:
                    found += rebased(self.variant(part.phrase), part.base)
            else:
                found.append(item)
        return _tidy(found)

    def arranged(self, form: str, slots: Slots) -> Tokens:
        """The slots in an order of this form; a fronted slot must be there."""
        for name in self.omit:
            if name in slots and len(slots) > 3:
                del slots[name]
                self.omit, self.was_omitted = (), True
                break
        choice = self._orders[form]
        order = choice.pick(self.draw)
        if order[0] not in slots:
            order = choice.items[0]
        found: Tokens = []
        for name in order:
            if name in slots:
                found += slots[name]
            elif name == ",":
                found.append((",",))
        return found

    def adverbials(self, clause: Clause, slots: Slots) -> None:
        """Everything around the verb that is no object, each in its slot."""
        for name, part in (
            ("P", clause.prepositional), ("G", clause.direction), ("K", clause.companion),
            ("L", clause.place), ("T", clause.time), ("M", clause.manner), ("Q", clause.frequency),
        ):  # fmt: skip
            if part is not None:
                slots[name] = self.adverbial(part)

    def adverbial(self, part: Adverbial) -> Tokens:
        """A fixed phrase, or a prepositional phrase."""
        if isinstance(part, Spoken):
            return rebased(self.variant(part.phrase), part.base)
        return self.placed(part)

    @abstractmethod
    def variant(self, phrase: Phrase) -> tuple[Token, ...]:
        """One of the translations of a fixed phrase."""

    @abstractmethod
    def clause(self, clause: Clause, form: str, words: tuple[Token, ...]) -> Tokens:
        """A clause in an order of this language."""

    @abstractmethod
    def noun_phrase(self, phrase: NounPhrase, case: str) -> Tokens:
        """A noun phrase in a case of this language."""

    @abstractmethod
    def placed(self, part: Placed) -> Tokens:
        """A noun phrase with its preposition or particle."""


def _tidy(tokens: Tokens) -> Tokens:
    """No comma at the beginning, before another stop, or twice."""
    found: Tokens = []
    for token in tokens:
        if found and found[-1][0] == "," and token[0] in _STOPS:
            found.pop()
        if found or token[0] != ",":
            found.append(token)
    return found
