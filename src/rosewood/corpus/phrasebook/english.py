"""English: word order, agreement, do-support, contractions."""

from __future__ import annotations

from collections.abc import Mapping

from rosewood.corpus.phrasebook.chance import Draw
from rosewood.corpus.phrasebook.english_forms import EnglishVerb, with_article
from rosewood.corpus.phrasebook.lexicon import Adjective, Phrase, Verb
from rosewood.corpus.phrasebook.meaning import (
    ADJECTIVE,
    AUX,
    BE,
    DEGREE,
    DETERMINER,
    HE,
    IT,
    ME,
    NEGATION,
    NOUN,
    OWNER,
    PREPOSITION,
    RELATIVE,
    SHE,
    VERB,
    WEAK,
    ZU,
    Clause,
    NounPhrase,
    Part,
    Placed,
    present,
)
from rosewood.corpus.phrasebook.names import number_words
from rosewood.corpus.phrasebook.realiser import Realiser, Slots
from rosewood.corpus.phrasebook.templates import Template
from rosewood.corpus.phrasebook.tokens import Token, Tokens, rebased

_WANT = EnglishVerb.parse("want")
_HAVE = EnglishVerb.parse("have/had/had")
_LIKE = EnglishVerb.parse("like")
_NONFINITE = {"to", "bare", "ing", "imperative"}


class English(Realiser):
    """Says sentences in English."""

    language = "en"

    def __init__(self, draw: Draw) -> None:
        super().__init__(draw)
        self._pronouns: dict[str, list[str]] = self.grammar["pronouns"]
        self._be: dict[str, list[str]] = self.grammar["be"]
        self._contractions: dict[str, str] = self.grammar["contractions"]
        self._negations: dict[str, str] = self.grammar["negations"]

    def sentence(self, template: Template, parts: Mapping[str, Part]) -> Tokens:
        found = super().sentence(template, parts)
        return self._contracted(found) if self.draw() < 0.45 else _with_cannot(found)

    def _contracted(self, tokens: Tokens) -> Tokens:
        """`do not` as `do n't`, `I am` as `I 'm`: the same number of words."""
        found = list(tokens)
        for place in range(1, len(found)):
            before, word = found[place - 1][0], found[place][0]
            if word == "not" and before in self._negations:
                found[place - 1] = (self._negations[before], *found[place - 1][1:])
                found[place] = ("n't", *found[place][1:])
            elif before in self._pronouns["subject"] and place + 1 < len(found) - 1:
                contracted = self._contractions.get(word)
                is_short = contracted is not None and found[place + 1][0] not in (",", "not")
                if is_short and found[place + 1][0] not in ("to", "a", "the", "no"):
                    found[place] = (str(contracted), *found[place][1:])
        return found

    def variant(self, phrase: Phrase) -> tuple[Token, ...]:
        return phrase.english

    # Noun phrases

    def noun_phrase(self, phrase: NounPhrase, case: str) -> Tokens:
        base = phrase.base
        if phrase.kind == "pronoun":
            forms = self._pronouns["subject" if case == "subject" else "object"]
            return [(forms[phrase.pronoun], base + NOUN)]
        if phrase.kind == "who":
            return [("who", base + NOUN)]
        if phrase.kind == "name":
            title: Tokens = [(phrase.title, base + ADJECTIVE)] if phrase.title else []
            return [*title, (phrase.name, base + NOUN)]
        if phrase.kind == "relative":
            return [(self._relative_word(phrase), base + RELATIVE)]
        noun = present(phrase.noun)
        found: Tokens = []
        if phrase.adjective is not None:
            if phrase.degree is not None:
                found += rebased(phrase.degree.english, base + DEGREE)
            found.append((phrase.adjective.english, base + ADJECTIVE))
        words = noun.plural if phrase.is_plural else noun.english
        found += [(word, base + NOUN) for word in words]
        found = self._determiner(phrase, found[0][0]) + found
        if phrase.relative is not None:
            found += self.clause(phrase.relative, "relative", ())
        return found

    def _relative_word(self, phrase: NounPhrase) -> str:
        noun = phrase.head.noun if phrase.head is not None else None
        is_person = noun is not None and "person" in noun.classes
        if is_person:
            return "who"
        return "that" if self.draw() < 0.6 else "which"

    def _determiner(self, phrase: NounPhrase, following: str) -> Tokens:
        base, kind = phrase.base, phrase.determiner
        if kind == "owner" and phrase.owner is not None:
            owner = phrase.owner
            if owner.kind == "pronoun":
                return [(self._pronouns["possessive"][owner.pronoun], base + DETERMINER)]
            return [*self.noun_phrase(owner, "object"), ("'s", base + OWNER)]
        if kind in ("", "by"):
            return []
        if kind == "a":
            word = with_article(following)
        elif kind == "number":
            known = number_words().get(phrase.count)
            word = known[0] if known is not None else f"{phrase.count}"
        elif kind == "this":
            word = "these" if phrase.is_plural else "this"
        else:
            word = kind
        return [(word, base + DETERMINER)]

    def placed(self, part: Placed) -> Tokens:
        key = part.phrase.base + PREPOSITION
        found: Tokens = [(word, key) for word in part.english.split()]
        return found + self.noun_phrase(part.phrase, "object")

    # Clauses

    def clause(self, clause: Clause, form: str, words: tuple[Token, ...]) -> Tokens:
        slots: Slots = {}
        form = form or "statement"
        subject = clause.subject
        if subject is not None and form not in _NONFINITE:
            slots["S"] = self.noun_phrase(subject, "subject")
        if clause.relative is not None:
            slots["C"] = self.noun_phrase(clause.relative, "object")
        self._verb_group(clause, form, slots)
        self._complements(clause, slots)
        if words:
            slots["W"] = list(words)
        return self.arranged(form, slots)

    def _complements(self, clause: Clause, slots: Slots) -> None:
        thing, recipient = clause.object, clause.recipient
        if thing is not None:
            name = "R" if thing.kind == "pronoun" else "O"
            slots[name] = self.noun_phrase(thing, "object")
        if recipient is not None:
            phrase = self.noun_phrase(recipient, "object")
            is_late = clause.verb is not None and "J" in clause.verb.tags
            if is_late or thing is None or thing.kind == "pronoun" or self.draw() < 0.25:
                slots["J"] = [("to", recipient.base + PREPOSITION), *phrase]
            else:
                slots["I"] = phrase
        predicate = clause.predicate
        if isinstance(predicate, Adjective):
            key = clause.predicate_base
            slots["A"] = [(predicate.english, key + ADJECTIVE)]
            if clause.degree is not None:
                slots["A"] = rebased(clause.degree.english, key + DEGREE) + slots["A"]
        elif isinstance(predicate, NounPhrase):
            slots["A"] = self.noun_phrase(predicate, "object")
        elif predicate is not None:
            slots["A"] = self.adverbial(predicate)
        self.adverbials(clause, slots)

    def _verb_group(self, clause: Clause, form: str, slots: Slots) -> None:
        base, verb = clause.base, clause.verb
        if clause.is_negative:
            slots["N"] = [("not", base + NEGATION)]
        if form in _NONFINITE:
            self._nonfinite(clause, form, slots)
            return
        asks = form == "question" and (clause.subject is None or clause.subject.kind != "who")
        helped = asks or clause.is_negative
        modal = clause.modal
        if modal and verb is not None:
            self._modal(clause, modal, verb, slots, helped=helped)
        elif verb is None:
            self._copula(clause, slots)
        else:
            self._tense(clause, verb, slots, helped=helped)
        if verb is not None:
            self._particles(verb, base + VERB, slots)

    def _nonfinite(self, clause: Clause, form: str, slots: Slots) -> None:
        base, verb = clause.base, clause.verb
        word = "be" if verb is None else verb.english.base
        if form == "ing":
            word = "being" if verb is None else verb.english.gerund
        slots["V"] = [(word, base + VERB)]
        if form == "to":
            slots["V"].insert(0, ("to", base + ZU))
        if form == "imperative" and clause.is_negative:
            slots["F"] = [("do", base + VERB + WEAK)]
        if verb is not None:
            self._particles(verb, base + VERB, slots)

    def _particles(self, verb: Verb, key: int, slots: Slots) -> None:
        slots["V"] += [(word, key) for word in verb.english.bound]
        if verb.english.particle:
            slots["X"] = [(word, key) for word in verb.english.particle]

    def _copula(self, clause: Clause, slots: Slots) -> None:
        base, person = clause.base, self._person(clause)
        if clause.tense == "past":
            slots["F"] = [(self._be["past"][person], base + VERB)]
        else:
            slots["F"] = [(self._be["present"][person], base + VERB)]

    def _tense(self, clause: Clause, verb: Verb, slots: Slots, *, helped: bool) -> None:
        base, person, forms = clause.base, self._person(clause), verb.english
        tense = clause.tense
        if tense == "progressive":
            slots["F"] = [(self._be["present"][person], base + VERB + WEAK, base + BE)]
            slots["V"] = [(forms.gerund, base + VERB)]
        elif tense == "perfect":
            slots["F"] = [("has" if person == 2 else "have", base + AUX)]
            slots["V"] = [(forms.participle, base + VERB)]
        elif tense == "future":
            slots["V"] = [(forms.base, base + VERB)]
            if self.draw() < 0.7:
                slots["F"] = [("will", base + AUX)]
            else:
                slots["F"] = [(self._be["present"][person], base + AUX + WEAK)]
                slots["V"] = [("going", base + AUX), ("to", base + AUX + WEAK), *slots["V"]]
        else:
            self._simple(forms, base + VERB, person, slots, is_past=tense == "past", helped=helped)

    def _simple(
        self,
        forms: EnglishVerb,
        key: int,
        person: int,
        slots: Slots,
        *,
        is_past: bool,
        helped: bool,
    ) -> None:
        """The present or the past, with `do` where the language wants it."""
        if helped:
            word = "did" if is_past else "does" if person == 2 else "do"
            slots["F"] = [(word, key + WEAK)]
            slots["V"] = [(forms.base, key)]
        elif is_past:
            slots["V"] = [(forms.past, key)]
        else:
            slots["V"] = [(forms.third if person == 2 else forms.base, key)]

    def _modal(self, clause: Clause, modal: str, verb: Verb, slots: Slots, *, helped: bool) -> None:
        base, person = clause.base, self._person(clause)
        is_past = clause.tense == "past"
        key = base + AUX
        then: Tokens = [(verb.english.base, base + VERB)]
        lexical = {"want": _WANT, "like": _LIKE}.get(modal)
        if modal == "must" and (is_past or clause.is_negative or helped or self.draw() < 0.4):
            lexical = _HAVE  # `must not` would forbid
        if lexical is not None:
            self._simple(lexical, key, person, slots, is_past=is_past, helped=helped)
            if modal == "like" and self.draw() < 0.6:
                slots["V"] += [(verb.english.gerund, base + VERB)]
            else:
                slots["V"] += [("to", key + WEAK), *then]
        elif modal == "would like":
            slots["F"] = [("would", key)]
            slots["V"] = [("like", key), ("to", key + WEAK), *then]
        else:
            word = {"can": "could" if is_past else "can"}.get(modal, modal)
            slots["F"], slots["V"] = [(word, key)], then

    def _person(self, clause: Clause) -> int:
        """0 for I, 1 for you, we and they, 2 for one other."""
        subject = clause.agent
        if subject is None:
            return 2
        if subject.kind == "pronoun":
            if subject.pronoun == ME:
                return 0
            return 2 if subject.pronoun in (HE, SHE, IT) else 1
        return 1 if subject.is_plural else 2


def _with_cannot(tokens: Tokens) -> Tokens:
    """`can not` is written as one word."""
    found: Tokens = []
    for token in tokens:
        if token[0] == "not" and found and found[-1][0] == "can":
            token = ("cannot", *(found.pop()[1:] + token[1:]))
        found.append(token)
    return found
