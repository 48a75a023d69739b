"""Draws the meaning of a sentence: a verb by its frequency, and arguments that fit it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from rosewood.corpus.phrasebook.chance import Weighted, zipf
from rosewood.corpus.phrasebook.lexicon import Noun, Phrase, Verb, lexicon
from rosewood.corpus.phrasebook.meaning import (
    HE,
    IT,
    ME,
    SHE,
    WE,
    YOU,
    Clause,
    NounPhrase,
    Part,
    Placed,
    Spoken,
    present,
)
from rosewood.corpus.phrasebook.names import clock, date, number, price, year
from rosewood.corpus.phrasebook.nouns import NounSampler

_TENSES = Weighted(
    (("present", 26), ("past", 35), ("progressive", 10), ("perfect", 7), ("future", 13))
)
_MODALS = Weighted(
    (("can", 26), ("must", 20), ("want", 26), ("should", 12), ("would like", 10), ("like", 11))
)
_PAST_MODALS = Weighted((("can", 3), ("must", 5), ("want", 5)))
_TIMES = {"present": "habit", "progressive": "now", "perfect": "perfect"}
_NAMED = {"I": ME, "you": YOU, "we": WE}
_OPEN = {"price": price, "number": number, "date": date, "clock": clock}


@dataclass(frozen=True, slots=True)
class ClauseWanted:
    """What a template asks of a clause."""

    subject: str = ""  # a class of nouns, I, you, who, or the letter of another clause
    tenses: tuple[str, ...] = ()
    without: str = ""  # letters: T time, L place, M manner, Q frequency, N negation, O modal
    tag: str = ""  # of the verb
    gap: str = ""
    is_short: bool = False


@cache
def verbs_with(tag: str) -> Weighted[Verb]:
    """The verbs with a tag; `O` have an object one asks for with what, `doing` can be asked of
    somebody, `local` are done somewhere."""
    verbs = lexicon().verbs.items
    if tag == "O":
        found = [
            verb
            for verb in verbs
            if verb.subject == "person"
            and verb.object
            and (verb.object_case, verb.object_particle) == ("acc", "o")
            and "person" not in verb.object
            and "bare" not in verb.tags
        ]
    elif tag == "doing":
        found = [
            verb
            for verb in verbs
            if verb.subject == "person"
            and not verb.tags & {"state", "unwilled"}
            and not any(each.reflexive for each in verb.german.items)
        ]
    elif tag == "local":
        found = [
            verb
            for verb in verbs
            if verb.subject == "person" and not verb.tags & {"state", "D", "-L", "lives"}
        ]
    else:
        found = [verb for verb in verbs if tag in verb.tags]
    return zipf(found, 4.0)


class Sampler(NounSampler):
    """Draws the parts of one sentence after the other."""

    def clause(self, wanted: ClauseWanted, subject: NounPhrase | None = None) -> Clause:
        """Somebody does something, or is something."""
        draw = self.draw
        if not wanted.tag and not wanted.gap and draw() < 0.16:
            return self._copula(wanted, subject)
        verbs = self.lexicon.verbs
        if wanted.tag or wanted.gap:
            verbs = verbs_with(wanted.tag or wanted.gap)
        verb = verbs.pick(draw)
        while (subject is not None or wanted.subject) and verb.subject != "person":
            verb = verbs.pick(draw)
        clause = Clause(self.base(), subject or self._subject(wanted, verb.subject), verb)
        self._time(clause, wanted, is_state="state" in verb.tags)
        if clause.tense == "progressive" and "still" in verb.tags:
            clause.tense = "present"
        self._complements(clause, wanted)
        self._adverbs(clause, wanted)
        return clause

    def _subject(self, wanted: ClauseWanted, noun_class: str) -> NounPhrase:
        if wanted.subject == "who":
            return NounPhrase(self.base(), "who")
        if wanted.subject in _NAMED:
            return NounPhrase(self.base(), "pronoun", _NAMED[wanted.subject])
        if noun_class != "person":
            return self.noun_phrase(noun_class, is_subject=True)
        return self.somebody(is_subject=True)

    def asked(self, what: str) -> Part:
        """What a template asks for: `name`, `price`, `phrase:now`, `the:place`, `person`."""
        determiner, _, noun_class = what.rpartition(":")
        if determiner == "phrase":
            some = self.lexicon.adverbials[f"time {noun_class}"]
            return Spoken(self.base(), some.pick(self.draw))
        if what in _OPEN:
            return Spoken(self.base(), _OPEN[what](self.draw))
        if what == "town":
            return self.town()
        if what in ("name", "man"):
            found = self.name()
            while what == "man" and found.pronoun != HE:
                found = self.name()
            return found
        if not determiner:
            return self.noun_phrase(noun_class, is_subject=True, short=True, singular=True)
        found = NounPhrase(self.base(), "noun", noun=self.noun(noun_class))
        is_bare = determiner == "a" and found.noun is not None and found.noun.is_mass
        found.determiner = "" if is_bare else determiner
        return found

    def _time(self, clause: Clause, wanted: ClauseWanted, *, is_state: bool) -> None:
        """Tense, modal verb, negation."""
        draw = self.draw
        tense = _TENSES.pick(draw)
        while wanted.tenses and tense not in wanted.tenses:
            tense = _TENSES.pick(draw)
        if is_state and tense in ("progressive", "perfect", "future"):
            tense = "past" if not wanted.tenses or "past" in wanted.tenses else "present"
        is_able = clause.verb is not None and clause.verb.subject == "person" and not is_state
        if is_able and "O" not in wanted.without and tense in ("present", "past"):
            if tense == "present" and draw() < 0.42:
                clause.modal = _MODALS.pick(draw)
            elif tense == "past" and draw() < 0.12:
                clause.modal = _PAST_MODALS.pick(draw)
        clause.tense = tense
        clause.is_negative = "N" not in wanted.without and draw() < 0.13

    def _complements(self, clause: Clause, wanted: ClauseWanted) -> None:
        verb, subject, draw = present(clause.verb), clause.subject, self.draw
        who = subject.pronoun if subject is not None and subject.kind == "pronoun" else -1
        if verb.object and wanted.gap != "O":
            if verb.object == "person":
                clause.object = self.somebody(but=who)
            elif draw() < 0.04:
                clause.object = NounPhrase(self.base(), "pronoun", IT)
            else:
                clause.object = self._thing(verb, wanted)
        if verb.has_recipient:
            clause.recipient = self.somebody(but=who)
        if verb.prepositional:
            english, german, case, particle = verb.preposition
            is_person = verb.prepositional == "person"
            phrase = (
                self.somebody(but=who)
                if is_person
                else self.noun_phrase(verb.prepositional, short=wanted.is_short)
            )
            clause.prepositional = Placed(phrase, english, german, case, particle)
        if "D" in verb.tags:
            clause.direction = self.direction()

    def _thing(self, verb: Verb, wanted: ClauseWanted) -> NounPhrase:
        """An object; one plays the piano, but `man spielt Klavier`."""
        if "bare" not in verb.tags:
            return self.noun_phrase(verb.object, short=wanted.is_short)
        noun = self.noun(verb.object)
        found = NounPhrase(self.base(), "noun", noun=noun, is_bare_in_german=True)
        found.determiner = "" if noun.is_mass else "the"
        return found

    def _adverbs(self, clause: Clause, wanted: ClauseWanted) -> None:
        verb, draw, known = clause.verb, self.draw, self.lexicon.adverbials
        scale = 0.5 if wanted.is_short else 1.0
        without = wanted.without
        tags = verb.tags if verb is not None else frozenset({"state"})
        if "T" not in without and draw() < scale * 0.46:
            clause.time = self._when(clause)
            if clause.tense == "perfect":  # `already` and `just` stand where `often` does
                clause.frequency = None if clause.is_negative else clause.time
                clause.time = None
        if "lives" in tags or (
            "L" not in without and not tags & {"D", "state", "-L"} and draw() < scale * 0.36
        ):
            clause.place = self.place()
        if "M" not in without and not tags & {"state", "-M"} and draw() < scale * 0.13:
            clause.manner = Spoken(self.base(), known["manner"].pick(draw))
        if (
            "Q" not in without
            and clause.time is None
            and clause.tense == "present"
            and not clause.modal
            and not clause.is_negative
            and draw() < 0.35
        ):
            clause.frequency = Spoken(self.base(), known["frequency"].pick(draw))
        if (
            verb is not None
            and verb.subject == "person"
            and not verb.has_recipient
            and not tags & {"state", "-K"}
            and not verb.prepositional
            and (clause.object is None or clause.object.kind == "noun")
            and verb.object != "person"
            and draw() < scale * 0.12
        ):
            subject = clause.subject
            who = subject.pronoun if subject is not None and subject.kind == "pronoun" else -1
            if "D" in tags and draw() < 0.4:
                vehicle = self.lexicon.nouns["transport"].pick(draw)
                by = NounPhrase(self.base(), "noun", noun=vehicle, determiner="by")
                clause.companion = Placed(by, "by", "mit", "dat", "de")
            else:
                clause.companion = Placed(self.somebody(but=who), "with", "mit", "dat", "to")

    def _when(self, clause: Clause) -> Spoken:
        kind = _TIMES.get(clause.tense, clause.tense)
        if clause.modal and clause.modal != "like" and clause.tense == "present":
            kind = "future"
        is_state = clause.verb is None or "state" in clause.verb.tags
        chance = 1.0 if is_state else self.draw()
        found: Phrase
        if chance < 0.12 and kind in ("past", "future"):
            found = date(self.draw)
        elif chance < 0.22 and kind == "past":
            found = year(self.draw)
        elif chance < 0.26 and kind in ("past", "future", "habit"):
            found = clock(self.draw)
        else:
            found = self.lexicon.adverbials[f"time {kind}"].pick(self.draw)
        return Spoken(self.base(), found)

    def _copula(self, wanted: ClauseWanted, subject: NounPhrase | None) -> Clause:
        """Somebody or something is old, is a teacher, is in the garden."""
        draw = self.draw
        about = subject
        if about is None:
            is_thing = not wanted.subject and draw() < 0.45
            about = (
                self.noun_phrase("thing", is_subject=True)
                if is_thing
                else self._subject(wanted, "person")
            )
        clause = Clause(self.base(), about, predicate_base=self.base())
        self._time(clause, wanted, is_state=True)
        chance, noun = draw(), about.noun
        if chance < 0.2 and noun is None and (about.name or about.pronoun in (ME, HE, SHE)):
            base, job = clause.predicate_base, self.noun("job")
            clause.predicate = NounPhrase(base, "noun", noun=job, determiner="a")
            return clause
        if chance < 0.4:
            clause.predicate = self.place()
        else:
            kind = (
                "person"
                if noun is None
                else next(iter(sorted(noun.classes & {"person", "thing"})), "thing")
            )
            choices = self.lexicon.predicates[kind]
            if noun is not None:
                choices = self.lexicon.adjectives.get(noun, choices)
            clause.predicate = choices.pick(draw)
            if draw() < 0.3:
                clause.degree = self.lexicon.adverbials["degree"].pick(draw)
        if "T" not in wanted.without and draw() < 0.25:
            clause.time = self._when(clause)
        return clause

    def relative(self, head: NounPhrase) -> Clause | None:
        """A clause about the noun: it is the subject if it is a person, else the object."""
        draw, noun = self.draw, present(head.noun)
        relative = NounPhrase(self.base(), "relative", head=head)
        short = ClauseWanted(is_short=True, tenses=("present", "past", "progressive"), without="O")
        if "person" in noun.classes:
            verb = verbs_with("doing").pick(draw)
            clause = Clause(self.base(), relative, verb)
            self._time(clause, short, is_state="state" in verb.tags)
            self._complements(clause, short)
        else:
            fitting = verbs_for(noun)
            if fitting is None:
                return None
            verb = fitting.pick(draw)
            clause = Clause(self.base(), self.somebody(is_subject=True), verb, relative=relative)
            if clause.subject is not None:
                clause.subject.relative = None
            self._time(clause, short, is_state="state" in verb.tags)
        clause.is_negative = False
        self._adverbs(clause, short)
        clause.companion = None
        return clause


@cache
def verbs_for(noun: Noun) -> Weighted[Verb] | None:
    """Verbs whose object the noun can be."""
    found = [
        verb
        for verb in lexicon().verbs.items
        if verb.object
        and verb.subject == "person"
        and noun.classes & set(verb.object.split("+"))
        and verb.object_case == "acc"
        and not verb.has_recipient
        and not verb.prepositional
        and "bare" not in verb.tags
        and "D" not in verb.tags
    ]
    return zipf(found, 4.0) if found else None
