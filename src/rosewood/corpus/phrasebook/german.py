"""German: clauses. Verb second or last, the middle field, separable verbs, negation."""

from __future__ import annotations

from rosewood.corpus.phrasebook.german_forms import GermanVerb
from rosewood.corpus.phrasebook.german_nouns import GermanNouns
from rosewood.corpus.phrasebook.lexicon import Adjective
from rosewood.corpus.phrasebook.meaning import (
    ADJECTIVE,
    AUX,
    DEGREE,
    NEGATION,
    VERB,
    WEAK,
    YOU,
    ZU,
    Clause,
    NounPhrase,
    Placed,
)
from rosewood.corpus.phrasebook.realiser import Slots
from rosewood.corpus.phrasebook.tokens import Token, Tokens, rebased

_LAST = {"sub", "relative"}  # orders in which the finite verb comes last
_INFINITE = {"zu", "inf"}
_ICH, _DU, _ER, _WIR, _IHR, _SIE = range(6)


class German(GermanNouns):
    """Says sentences in German."""

    def clause(self, clause: Clause, form: str, words: tuple[Token, ...]) -> Tokens:
        slots: Slots = {}
        subject = clause.subject
        if subject is not None and form not in _INFINITE:
            slots["S"] = self.noun_phrase(subject, "nom")
        if clause.relative is not None:
            slots["C"] = self.noun_phrase(clause.relative, "acc")
        form = "sub" if form == "relative" else form
        verb = None if clause.verb is None else clause.verb.german.pick(self.draw)
        person = self._person(clause)
        if form == "imperative":
            self._imperative(clause, verb, slots)
        elif form in _INFINITE:
            self._infinitive(clause, verb, form, slots)
        else:
            self._finite(clause, verb, person, form, slots)
        self._complements(clause, verb, person, slots)
        if words:
            slots["W"] = list(words)
        return self.arranged(form, slots)

    def _person(self, clause: Clause) -> int:
        subject = clause.agent
        if subject is None:
            return _ER
        if subject.kind == "pronoun":
            return (
                self.address
                if subject.pronoun == YOU
                else (_ICH, 0, 2, 2, 3, 5, 2)[subject.pronoun]
            )
        return _SIE if subject.is_plural else _ER

    # What stands around the verb

    def _complements(
        self, clause: Clause, verb: GermanVerb | None, person: int, slots: Slots
    ) -> None:
        source, thing, base = clause.verb, clause.object, clause.base
        has_kein = False
        pronouns: Tokens = []
        if thing is not None and source is not None:
            is_definite = thing.kind != "noun" or thing.determiner in ("the", "this", "owner")
            has_kein = (
                clause.is_negative
                and clause.modal != "like"
                and thing.kind == "noun"
                and thing.determiner in ("a", "")
                and source.object_case != "gen"
            )
            phrase = self.noun_phrase(
                thing, source.object_case, kein=base + NEGATION if has_kein else -1
            )
            if thing.kind == "pronoun":
                pronouns += phrase
            else:
                is_bare = thing.is_bare_in_german
                slots["B" if is_bare else "D" if is_definite else "O"] = phrase
        if verb is not None and verb.reflexive:
            reflexive = self.grammar["reflexive"][verb.reflexive][person]
            pronouns.append((reflexive, base + VERB + WEAK))
        if clause.recipient is not None:
            phrase = self.noun_phrase(clause.recipient, "dat")
            if clause.recipient.kind == "pronoun":
                pronouns += phrase
            else:
                slots["I"] = phrase
        if pronouns:
            slots["R"] = pronouns
        has_kein = self._predicate(clause, slots) or has_kein
        if clause.modal == "like":
            slots["W"] = [("gern", base + AUX)]
        if clause.is_negative and not has_kein:
            slots["N"] = [("nicht", base + NEGATION)]
            if clause.modal == "like":
                slots["W"] = slots.pop("N") + slots["W"]
        self.adverbials(clause, slots)
        if clause.prepositional is not None and not clause.prepositional.english:
            first = slots["P"][0]  # the preposition belongs to the verb: `sich erinnern an`
            slots["P"][0] = (first[0], *(*first[1:], base + VERB + WEAK))

    def _predicate(self, clause: Clause, slots: Slots) -> bool:
        """What the subject is; whether the negation is in it."""
        predicate = clause.predicate
        if isinstance(predicate, Adjective):
            key = clause.predicate_base
            slots["A"] = [(predicate.german.pick(self.draw).plain, key + ADJECTIVE)]
            if clause.degree is not None:
                degree = rebased(clause.degree.german.pick(self.draw), key + DEGREE)
                slots["A"] = degree + slots["A"]
        elif isinstance(predicate, NounPhrase):
            # One is a teacher without an article in German, but one is no teacher.
            key = clause.base + NEGATION if clause.is_negative else -1
            phrase = self.noun_phrase(predicate, "nom", kein=key, is_role=key < 0)
            slots["A"] = phrase
            return clause.is_negative
        elif isinstance(predicate, Placed):
            slots["A"] = self.placed(predicate)
        elif predicate is not None:
            slots["A"] = self.adverbial(predicate)
        return False

    # The verb

    def _finite(
        self, clause: Clause, verb: GermanVerb | None, person: int, form: str, slots: Slots
    ) -> None:
        base, tense, modal = clause.base, clause.tense, clause.modal
        is_last = form in _LAST
        aux: dict[str, list[str]] = self.grammar["auxiliaries"]
        if verb is None:
            word = aux["war" if tense == "past" else "sein"][person]
            slots["F"] = [(word, base + VERB)]
        elif modal and modal != "like":
            name = modal + (" past" if tense == "past" else "")
            slots["F"] = [(self.grammar["modals"][name][person], base + AUX)]
            slots["V"] = [(verb.prefix + verb.infinitive, base + VERB)]
        elif tense in ("past", "perfect") and self._has_perfect(clause, verb, person):
            word = aux["sein" if verb.has_sein else "haben"][person]
            key = base + AUX if tense == "perfect" else base + VERB + WEAK
            slots["F"] = [(word, key)]
            slots["V"] = [(verb.participle, base + VERB)]
        elif tense == "future" and (clause.time is None or self.draw() < 0.4):
            slots["F"] = [(aux["werden"][person], base + AUX)]
            slots["V"] = [(verb.prefix + verb.infinitive, base + VERB)]
        else:
            forms = verb.preterite if tense == "past" else verb.present
            keys = [base + VERB, base + AUX + WEAK] if tense == "future" else [base + VERB]
            if is_last:
                slots["F"] = [(verb.prefix + forms[person], *keys)]
            else:
                slots["F"] = [(forms[person], *keys)]
                if verb.prefix:
                    slots["V"] = [(verb.prefix, base + VERB)]

    def _has_perfect(self, clause: Clause, verb: GermanVerb, person: int) -> bool:
        """Most people say what was in the perfect, but for some verbs."""
        if clause.tense == "perfect":
            return True
        if person in (_DU, _IHR):
            return not verb.is_preterite_usual
        return self.draw() > (0.9 if verb.is_preterite_usual else 0.12)

    def _infinitive(self, clause: Clause, verb: GermanVerb | None, form: str, slots: Slots) -> None:
        base = clause.base
        if form == "inf":
            word = "sein" if verb is None else verb.prefix + verb.infinitive
            slots["V"] = [(word, base + VERB)]
            return
        words = ("zu", "sein") if verb is None else verb.with_zu()
        if len(words) == 1:
            slots["V"] = [(words[0], base + VERB, base + ZU)]
        else:
            slots["V"] = [(words[0], base + ZU), (words[1], base + VERB)]

    def _imperative(self, clause: Clause, verb: GermanVerb | None, slots: Slots) -> None:
        """To one, to several, or to somebody one does not know well."""
        base, subject = clause.base, slots.pop("S")
        if verb is None:
            word = ("", "sei", "", "", "seid", "seien")[self.address]
        elif self.address == _DU:
            word = verb.imperative
        else:
            word = verb.present[self.address]
        slots["F"] = [(word, base + VERB)]
        if self.address == _SIE:
            slots["S"] = [(subject[0][0], base + VERB + WEAK)]
        if verb is not None and verb.prefix:
            slots["V"] = [(verb.prefix, base + VERB)]
