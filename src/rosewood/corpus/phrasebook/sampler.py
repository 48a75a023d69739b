"""Draws what is said: verbs by their frequency, and what fits them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from rosewood.corpus.phrasebook.chance import Draw, Weighted, zipf
from rosewood.corpus.phrasebook.lexicon import Lexicon, Noun, Phrase, Verb, lexicon
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
    Part,
    Placed,
    Spoken,
)
from rosewood.corpus.phrasebook.names import Names, clock, date, names, number, price, year
from rosewood.corpus.phrasebook.tokens import STEP

__all__ = ["ClauseWanted", "Sampler"]

_PRONOUNS = Weighted(((ME, 34), (YOU, 16), (HE, 15), (SHE, 15), (WE, 12), (THEY, 8)))
_OBJECTS = Weighted(((ME, 22), (YOU, 16), (HE, 18), (SHE, 18), (WE, 8), (THEY, 12)))
_OWNERS = Weighted(((ME, 44), (YOU, 15), (HE, 15), (SHE, 15), (WE, 7), (THEY, 4)))
_TENSES = Weighted(
    (("present", 26), ("past", 40), ("progressive", 10), ("perfect", 7), ("future", 13))
)
_MODALS = Weighted((("can", 26), ("must", 20), ("want", 26), ("should", 12), ("would like", 10)))
_PAST_MODALS = Weighted((("can", 3), ("must", 5), ("want", 5)))
_TIMES = {"present": "habit", "progressive": "now", "perfect": "perfect"}
_DETERMINERS = Weighted(
    (("the", 44), ("a", 30), ("owner", 13), ("this", 5), ("number", 4), ("many", 2))
)
_SUBJECT_DETERMINERS = Weighted(
    (("the", 52), ("a", 5), ("owner", 30), ("this", 6), ("number", 3), ("many", 2), ("every", 2))
)
_NAMED = {"I": ME, "you": YOU, "we": WE}
_OPEN = {"price": price, "number": number, "date": date, "clock": clock}
_COUNTS = zipf((2, 3, 5, 4, 10, 6, 8, 7, 9), 2.0)


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
def _verbs_with(tag: str) -> Weighted[Verb]:
    """The verbs with a tag, as frequent as among all; `O` are those with an object."""
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
            and "state" not in verb.tags
            and not any(each.reflexive for each in verb.german.items)
        ]
    else:
        found = [verb for verb in verbs if tag in verb.tags]
    return zipf(found, 10.0)


class Sampler:
    """Draws the parts of one sentence after the other."""

    def __init__(self, draw: Draw) -> None:
        self._draw = draw
        self._lexicon: Lexicon = lexicon()
        self._names: Names = names()
        self._next = 0
        self._used: set[Noun] = set()

    def start(self) -> None:
        """A new sentence: keys begin again, every noun may come."""
        self._next = STEP  # the words of a template have the keys before it
        self._used.clear()

    def _base(self) -> int:
        self._next += STEP
        return self._next

    # Clauses

    def clause(self, wanted: ClauseWanted, subject: NounPhrase | None = None) -> Clause:
        """Somebody does something, or is something."""
        draw = self._draw
        if not wanted.tag and not wanted.gap and draw() < 0.16:
            return self._copula(wanted, subject)
        verbs = self._lexicon.verbs
        if wanted.tag or wanted.gap:
            verbs = _verbs_with(wanted.tag or wanted.gap)
        verb = verbs.pick(draw)
        while subject is not None and verb.subject != "person":
            verb = verbs.pick(draw)
        clause = Clause(self._base(), subject or self._subject(wanted, verb.subject), verb)
        self._time(clause, wanted, is_state="state" in verb.tags)
        if clause.tense == "progressive" and "still" in verb.tags:
            clause.tense = "present"
        self._complements(clause, wanted)
        self._adverbs(clause, wanted)
        return clause

    def _subject(self, wanted: ClauseWanted, noun_class: str) -> NounPhrase:
        if wanted.subject == "who":
            return NounPhrase(self._base(), "who")
        if wanted.subject in _NAMED:
            return NounPhrase(self._base(), "pronoun", _NAMED[wanted.subject])
        if noun_class != "person":
            return self.noun_phrase(noun_class, is_subject=True)
        return self.somebody(is_subject=True)

    def somebody(self, *, is_subject: bool = False, but: int = -1) -> NounPhrase:
        """A person: a pronoun, a name, or a noun."""
        chance = self._draw()
        if chance < (0.56 if is_subject else 0.45):
            pronoun = (_PRONOUNS if is_subject else _OBJECTS).pick(self._draw)
            if pronoun == but or {pronoun, but} == {ME, WE}:  # nobody meets himself
                pronoun = THEY if but != THEY else SHE
            return NounPhrase(self._base(), "pronoun", pronoun)
        if chance < 0.74:
            return self.name()
        return self.noun_phrase("person", is_subject=is_subject)

    def again(self, before: NounPhrase) -> NounPhrase | None:
        """The one the sentence began with, once more."""
        if before.kind not in ("pronoun", "name"):
            return None
        return NounPhrase(self._base(), "pronoun", before.pronoun)

    def asked(self, what: str) -> Part:
        """What a template asks for: `name`, `price`, `phrase:now`, `the:place`, `person`."""
        determiner, _, noun_class = what.rpartition(":")
        if determiner == "phrase":
            some = self._lexicon.adverbials[f"time {noun_class}"]
            return Spoken(self._base(), some.pick(self._draw))
        if what in _OPEN:
            return Spoken(self._base(), _OPEN[what](self._draw))
        if what == "town":
            return self._town()
        if what in ("name", "man"):
            found = self.name()
            while what == "man" and found.pronoun != HE:
                found = self.name()
            return found
        if not determiner:
            return self.noun_phrase(noun_class, is_subject=True, short=True, singular=True)
        found = NounPhrase(self._base(), "noun", noun=self._noun(noun_class))
        is_bare = determiner == "a" and found.noun is not None and found.noun.is_mass
        found.determiner = "" if is_bare else determiner
        return found

    def name(self) -> NounPhrase:
        """Anna, Mr Bergmann."""
        found = NounPhrase(self._base(), "name")
        if self._draw() < 0.55:
            found.name, found.pronoun = self._names.first(self._draw)
        else:
            found.title = "Mr" if self._draw() < 0.5 else "Mrs"
            found.pronoun = HE if found.title == "Mr" else SHE
            found.name = self._names.last(self._draw)
        return found

    def _time(self, clause: Clause, wanted: ClauseWanted, *, is_state: bool) -> None:
        """Tense, modal verb, negation."""
        draw = self._draw
        tense = _TENSES.pick(draw)
        while wanted.tenses and tense not in wanted.tenses:
            tense = _TENSES.pick(draw)
        if is_state and tense in ("progressive", "perfect", "future"):
            tense = "past" if not wanted.tenses or "past" in wanted.tenses else "present"
        if not is_state and "O" not in wanted.without and tense in ("present", "past"):
            if tense == "present" and draw() < 0.42:
                clause.modal = _MODALS.pick(draw)
            elif tense == "past" and draw() < 0.12:
                clause.modal = _PAST_MODALS.pick(draw)
        clause.tense = tense
        clause.is_negative = "N" not in wanted.without and draw() < 0.13

    def _complements(self, clause: Clause, wanted: ClauseWanted) -> None:
        verb, subject, draw = clause.verb, clause.subject, self._draw
        assert verb is not None
        who = subject.pronoun if subject is not None and subject.kind == "pronoun" else -1
        if verb.object:
            if wanted.gap == "O":
                clause.gap = "O"
            elif verb.object == "person":
                clause.object = self.somebody(but=who)
            elif draw() < 0.04:
                clause.object = NounPhrase(self._base(), "pronoun", IT)
            else:
                clause.object = self.noun_phrase(verb.object, short=wanted.is_short)
                if "bare" in verb.tags:
                    clause.object.determiner = "" if clause.object.noun.is_mass else "the"  # type: ignore[union-attr]
                    clause.object.owner = clause.object.adjective = None
                    clause.object.is_plural = False
                    clause.object.is_bare_in_german = True
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
            clause.direction = self._direction()

    def _adverbs(self, clause: Clause, wanted: ClauseWanted) -> None:
        verb, draw, known = clause.verb, self._draw, self._lexicon.adverbials
        scale = 0.5 if wanted.is_short else 1.0
        without = wanted.without
        tags = verb.tags if verb is not None else frozenset({"state"})
        if "T" not in without and draw() < scale * 0.42:
            clause.time = self._when(clause)
        if "lives" in tags or (
            "L" not in without and not tags & {"D", "state", "-L"} and draw() < scale * 0.3
        ):
            clause.place = self._place()
        if "M" not in without and not tags & {"state", "-M"} and draw() < scale * 0.13:
            clause.manner = Spoken(self._base(), known["manner"].pick(draw))
        if (
            "Q" not in without
            and clause.tense == "present"
            and not clause.modal
            and not clause.is_negative
            and draw() < 0.28
        ):
            clause.frequency = Spoken(self._base(), known["frequency"].pick(draw))
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
                vehicle = self._lexicon.nouns["transport"].pick(draw)
                by = NounPhrase(self._base(), "noun", noun=vehicle, determiner="by")
                clause.companion = Placed(by, "by", "mit", "dat", "de")
            else:
                clause.companion = Placed(self.somebody(but=who), "with", "mit", "dat", "to")

    def _when(self, clause: Clause) -> Spoken:
        kind = _TIMES.get(clause.tense, clause.tense)
        if clause.modal and clause.tense == "present":
            kind = "future"
        chance = self._draw()
        found: Phrase
        if chance < 0.12 and kind in ("past", "future"):
            found = date(self._draw)
        elif chance < 0.22 and kind == "past":
            found = year(self._draw)
        elif chance < 0.26 and kind in ("past", "future", "habit"):
            found = clock(self._draw)
        else:
            found = self._lexicon.adverbials[f"time {kind}"].pick(self._draw)
        return Spoken(self._base(), found)

    def _copula(self, wanted: ClauseWanted, subject: NounPhrase | None) -> Clause:
        """Somebody or something is old, is a teacher, is in the garden."""
        draw = self._draw
        about = subject
        if about is None:
            is_thing = not wanted.subject and draw() < 0.45
            about = (
                self.noun_phrase("thing", is_subject=True)
                if is_thing
                else self._subject(wanted, "person")
            )
        clause = Clause(self._base(), about, predicate_base=self._base())
        self._time(clause, wanted, is_state=True)
        chance, noun = draw(), about.noun
        if chance < 0.2 and noun is None and (about.name or about.pronoun in (ME, HE, SHE)):
            base, job = clause.predicate_base, self._noun("job")
            clause.predicate = NounPhrase(base, "noun", noun=job, determiner="a")
            return clause
        if chance < 0.4:
            clause.predicate = self._place()
        else:
            kind = (
                "person"
                if noun is None
                else next(iter(sorted(noun.classes & {"person", "thing"})), "thing")
            )
            choices = self._lexicon.predicates[kind]
            if noun is not None:
                choices = self._lexicon.adjectives.get(noun, choices)
            clause.predicate = choices.pick(draw)
            if draw() < 0.3:
                clause.degree = self._lexicon.adverbials["degree"].pick(draw)
        if "T" not in wanted.without and draw() < 0.25:
            clause.time = self._when(clause)
        return clause

    # Noun phrases and places

    def _noun(self, name: str) -> Noun:
        choices = self._lexicon.nouns[name]
        noun = choices.pick(self._draw)
        for _ in range(8):
            if noun not in self._used:
                break
            noun = choices.pick(self._draw)
        self._used.add(noun)
        return noun

    def noun_phrase(
        self, name: str, *, is_subject: bool = False, short: bool = False, singular: bool = False
    ) -> NounPhrase:
        """A noun of a class, with what goes with it."""
        draw = self._draw
        noun = self._noun(name)
        found = NounPhrase(self._base(), "noun", noun=noun)
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
        if noun in self._lexicon.adjectives and draw() < (0.14 if is_subject or short else 0.3):
            found.adjective = self._lexicon.adjectives[noun].pick(draw)
            if draw() < 0.12:
                degree = self._lexicon.adverbials["degree"].pick(draw)
                found.degree = None if "predicate" in degree.tags else degree
        if not short and determiner in ("the", "a") and draw() < 0.06:
            found.relative = self._relative(found)
        return found

    def _owner(self, *, is_alone: bool) -> NounPhrase:
        chance = self._draw()
        if is_alone or chance < 0.72:
            return NounPhrase(self._base(), "pronoun", _OWNERS.pick(self._draw))
        if chance < 0.9:
            name, pronoun = self._names.first(self._draw)
            return NounPhrase(self._base(), "name", pronoun, name=name)
        noun = self._noun("person")
        return NounPhrase(self._base(), "noun", noun=noun, determiner="the")

    def _relative(self, head: NounPhrase) -> Clause | None:
        """A clause about the noun: it is the subject if it is a person, else the object."""
        draw, noun = self._draw, head.noun
        assert noun is not None
        relative = NounPhrase(self._base(), "relative", head=head)
        short = ClauseWanted(is_short=True, tenses=("present", "past", "progressive"), without="O")
        if "person" in noun.classes:
            verb = _verbs_with("doing").pick(draw)
            clause = Clause(self._base(), relative, verb)
            self._time(clause, short, is_state="state" in verb.tags)
            self._complements(clause, short)
        else:
            fitting = _verbs_for(noun)
            if fitting is None:
                return None
            verb = fitting.pick(draw)
            clause = Clause(self._base(), self.somebody(is_subject=True), verb, relative=relative)
            if clause.subject is not None:
                clause.subject.relative = None
            self._time(clause, short, is_state="state" in verb.tags)
            clause.gap = "O"
        clause.is_negative = False
        self._adverbs(clause, short)
        clause.companion = None
        return clause

    def _place(self) -> Adverbial:
        """Where: in the garden, in Berlin, at home."""
        draw = self._draw
        chance = draw()
        if chance < 0.2:
            return Spoken(self._base(), self._lexicon.adverbials["place"].pick(draw))
        if chance < 0.42:
            town = self._town()
            return Placed(town, "in", "in", "dat", "de")
        phrase = self._place_phrase()
        noun = phrase.noun
        assert noun is not None
        return Placed(phrase, noun.english_at, noun.german_at, "dat", "de")

    def _town(self) -> NounPhrase:
        return NounPhrase(self._base(), "name", IT, name=self._names.town(self._draw))

    def _direction(self) -> Adverbial:
        """Where to: to the station, to Berlin, home."""
        draw = self._draw
        chance = draw()
        if chance < 0.15:
            return Spoken(self._base(), self._lexicon.adverbials["direction"].pick(draw))
        if chance < 0.45:
            town = self._town()
            return Placed(town, "to", "nach", "dat", "ni")
        phrase = self._place_phrase()
        noun = phrase.noun
        assert noun is not None
        case = "acc" if noun.german_to in ("in", "an", "auf") else "dat"
        return Placed(phrase, "to", noun.german_to, case, "ni")

    def _place_phrase(self) -> NounPhrase:
        """A place; in everyday talk it is a known one."""
        phrase = NounPhrase(self._base(), "noun", noun=self._noun("place"), determiner="the")
        chance = self._draw()
        if chance < 0.06:
            phrase.determiner = "this"
        elif chance < 0.13:
            phrase.determiner = "a"
        if self._draw() < 0.1 and phrase.noun in self._lexicon.adjectives:
            phrase.adjective = self._lexicon.adjectives[phrase.noun].pick(self._draw)
        return phrase


@cache
def _verbs_for(noun: Noun) -> Weighted[Verb] | None:
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
