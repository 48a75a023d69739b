"""Japanese, romanised: the verb last, particles after nouns, clauses before nouns."""

from __future__ import annotations

from collections.abc import Mapping

from rosewood.corpus.phrasebook.chance import Draw
from rosewood.corpus.phrasebook.japanese_forms import JapaneseAdjective, JapaneseVerb
from rosewood.corpus.phrasebook.japanese_verbs import (
    ARU,
    IRU,
    said,
    said_of_adjective,
    said_to_be,
    with_particles,
)
from rosewood.corpus.phrasebook.lexicon import Adjective, Noun, Phrase, Verb
from rosewood.corpus.phrasebook.meaning import (
    ADJECTIVE,
    DEGREE,
    DETERMINER,
    IT,
    ME,
    NOUN,
    OWNER,
    PREPOSITION,
    VERB,
    WE,
    WEAK,
    YOU,
    Adverbial,
    Clause,
    NounPhrase,
    Part,
    Placed,
    Spoken,
    present,
)
from rosewood.corpus.phrasebook.names import number_words
from rosewood.corpus.phrasebook.realiser import Realiser, Slots
from rosewood.corpus.phrasebook.templates import Template
from rosewood.corpus.phrasebook.tokens import Token, Tokens, rebased

_ENDING = {"request", "tara", "let"}  # forms that take the template's words at their end


class Japanese(Realiser):
    """Says sentences in Japanese."""

    language = "ja"

    def __init__(self, draw: Draw) -> None:
        super().__init__(draw)
        self.loosen: Mapping[str, Noun] = {}  # noise: nouns of these classes become more general
        self.was_loosened = False
        self._drops = False
        self._is_plain = False

    def sentence(self, template: Template, parts: Mapping[str, Part]) -> Tokens:
        self._drops = self.draw() < 0.6  # who speaks and who is spoken to goes without saying
        # Friends speak plainly; questions and requests stay polite.
        self._is_plain = self.draw() < 0.22 and template.is_statement
        return super().sentence(template, parts)

    def variant(self, phrase: Phrase) -> tuple[Token, ...]:
        return phrase.japanese.pick(self.draw)

    # Noun phrases

    def noun_phrase(self, phrase: NounPhrase, case: str) -> Tokens:
        """With the particle `case`; without one where it is empty."""
        base = phrase.base
        found = self._bare(phrase)
        if phrase.determiner == "every" and phrase.kind == "noun":
            return [*found, ("mo", base + DETERMINER)]
        if case:
            found.append((case, base + NOUN + WEAK))
        return found

    def _bare(self, phrase: NounPhrase) -> Tokens:
        base = phrase.base
        if phrase.kind == "pronoun":
            return [(self.grammar["pronouns"][phrase.pronoun], base + NOUN)]
        if phrase.kind == "who":
            return [("dare", base + NOUN)]
        if phrase.kind == "name":
            if phrase.pronoun == IT:
                return [(phrase.name, base + NOUN)]
            key = base + ADJECTIVE if phrase.title else base + NOUN + WEAK
            return [(phrase.name, base + NOUN), ("san", key)]
        noun = present(phrase.noun)
        found: Tokens = []
        if phrase.relative is not None:
            found += self.clause(phrase.relative, "attr", ())
        found += self._determiner(phrase)
        if phrase.adjective is not None:
            found += self._attribute(phrase)
        weak = 0
        words = self._noun(phrase, noun)
        for name, general in self.loosen.items():
            if name in noun.classes and not noun.is_mass:
                words, weak = general.japanese.pick(self.draw), WEAK
                self.loosen, self.was_loosened = {}, True
                break
        return found + with_particles(words, base + NOUN + weak)

    def _noun(self, phrase: NounPhrase, noun: Noun) -> tuple[str, ...]:
        """One speaks of one's own family in other words than of that of others."""
        if "kin" not in noun.classes:
            return noun.japanese.pick(self.draw)
        owner = phrase.owner
        is_own = owner is not None and owner.kind == "pronoun" and owner.pronoun in (ME, WE)
        return noun.japanese.items[1 if is_own else 0]

    def _determiner(self, phrase: NounPhrase) -> Tokens:
        base, kind = phrase.base, phrase.determiner
        key = base + DETERMINER
        if kind == "this":
            return [("kono", key)]
        if kind == "every":
            return [("dono", key)]
        if kind == "many":
            return [("takusan", key), ("no", key + WEAK)]
        if kind == "number":
            return [*self._counted(phrase), ("no", key + WEAK)]
        if kind == "owner" and phrase.owner is not None:
            owner = phrase.owner
            if owner.kind == "pronoun":
                if owner.pronoun == ME and self._drops:
                    return []
                return [(self.grammar["pronouns"][owner.pronoun], key), ("no", key + WEAK)]
            return [*self._bare(owner), ("no", base + OWNER)]
        return []

    def _counted(self, phrase: NounPhrase) -> Tokens:
        """A number with the counter that the noun asks for."""
        counters: dict[str, list[str]] = self.grammar["counters"]
        counter = next((n for n in counters if n in present(phrase.noun).classes), "other")
        forms, count = counters[counter], phrase.count
        key = phrase.base + DETERMINER
        if count < len(forms):
            return [(forms[count], key)]
        known = number_words().get(count)
        word = known[2] if known is not None else f"{count}"
        return [(word, key), (forms[0], key + WEAK)]

    def _attribute(self, phrase: NounPhrase) -> Tokens:
        base = phrase.base
        adjective = present(phrase.adjective).japanese.pick(self.draw)
        key = base + ADJECTIVE
        found: Tokens = []
        if phrase.degree is not None:
            found += rebased(phrase.degree.japanese.pick(self.draw), base + DEGREE)
        if adjective.verb is not None:
            before = with_particles(adjective.verb.before, key)
            return [*found, *before, (adjective.verb.past, key)]
        found += with_particles(adjective.words, key)
        if adjective.joins:
            found.append((adjective.joins, key + WEAK))
        return found

    def placed(self, part: Placed) -> Tokens:
        return self._with_particle(part, part.japanese)

    def _direction(self, part: Adverbial) -> Tokens:
        """Where to: with ni, or with e."""
        words = self.adverbial(part)
        if words[-1][0] == "ni" and self.draw() < 0.35:
            words[-1] = ("e", *words[-1][1:])
        return words

    def _with_particle(self, part: Placed, particle: str) -> Tokens:
        base = part.phrase.base
        words = particle.split()
        weak = WEAK if len(words) > 1 else 0  # in `no koto o`, `koto` is what counts
        particles: Tokens = [
            (word, base + PREPOSITION + (weak if len(word) < 3 else 0), base + NOUN + WEAK)
            for word in words
        ]
        return [*self._bare(part.phrase), *particles]

    # Clauses

    def clause(self, clause: Clause, form: str, words: tuple[Token, ...]) -> Tokens:
        slots: Slots = {}
        self._subject(clause, form, slots)
        if form == "masu" and self._is_plain:
            form = "plain"
        verb = clause.verb
        thing = clause.object
        if thing is not None and verb is not None:
            particle = verb.object_particle.removesuffix("-")
            slots["O"] = self.noun_phrase(thing, particle)
        if clause.recipient is not None:
            base = clause.recipient.base
            slots["I"] = [
                *self._bare(clause.recipient), ("ni", base + PREPOSITION, base + NOUN + WEAK)
            ]  # fmt: skip
        self.adverbials(clause, slots)
        if clause.place is not None and verb is not None and "lives" in verb.tags:
            slots["L"] = self._where(clause.place)
        if clause.direction is not None:
            slots["G"] = self._direction(clause.direction)
        if words and form not in _ENDING:
            slots["W"] = list(words)
        if verb is not None:
            slots["V"] = said(clause, self._verb(clause, verb), form, self.draw)
        else:
            self._predicate(clause, form, slots)
        if words and form == "request":
            key = clause.base + VERB + WEAK
            slots["V"] += [(word[0], *(*word[1:], key)) for word in words]
        elif words and form in _ENDING:  # the ending says `if` or `let us`: no word of its own
            last = slots["V"][-1]
            slots["V"][-1] = (last[0], *(last[1:] + words[0][1:]))
        return self.arranged("attr" if form == "attr" else "clause", slots)

    def _verb(self, clause: Clause, verb: Verb) -> JapaneseVerb:
        """The verb; what is given to the speaker has a word of its own."""
        recipient = clause.recipient
        is_own = recipient is not None and recipient.pronoun in (ME, WE)
        if recipient is not None and recipient.kind != "pronoun":
            is_own = False
        if verb.japanese_to_me is not None and is_own:
            return verb.japanese_to_me
        return verb.japanese.pick(self.draw)

    def _subject(self, clause: Clause, form: str, slots: Slots) -> None:
        subject = clause.subject
        if (
            subject is None
            or subject.kind == "relative"
            or form in ("dict", "te", "request", "let")
        ):
            return
        if subject.kind == "pronoun" and subject.pronoun in (ME, YOU) and self._drops:
            return
        topic = form == "masu" and subject.kind != "who"
        slots["S"] = self.noun_phrase(subject, "wa" if topic else "ga")

    def _predicate(self, clause: Clause, form: str, slots: Slots) -> None:
        predicate, key = clause.predicate, clause.predicate_base
        if isinstance(predicate, Adjective):
            adjective: JapaneseAdjective = predicate.japanese.pick(self.draw)
            slots["V"] = said_of_adjective(clause, adjective, key + ADJECTIVE, form)
            if clause.degree is not None:
                slots["A"] = rebased(clause.degree.japanese.pick(self.draw), key + DEGREE)
        elif isinstance(predicate, NounPhrase):
            slots["V"] = [*self._bare(predicate), *said_to_be(clause, form)]
        elif predicate is not None:
            slots["A"] = self._where(predicate)
            subject = clause.subject
            noun = subject.noun if subject is not None else None
            lives = noun is None or noun.classes & {"person", "animal"}
            slots["V"] = said(clause, IRU if lives else ARU, form, self.draw)

    def _where(self, place: Placed | Spoken) -> Tokens:
        """Where somebody or something is: with ni, not with de."""
        if isinstance(place, Placed):
            return self._with_particle(place, "ni")
        words = self.adverbial(place)
        return [("ni", *token[1:]) if token[0] == "de" else token for token in words]
