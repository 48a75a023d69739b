"""Japanese predicates: what stands at the end of a clause.

Forms: `masu` ends a sentence; `plain` stands before `to omoimasu`; `attr` before a noun; `tara` is
a condition; `te` goes on; `dict` is the plain present without a subject; `request` asks for
something, `let` proposes it; `mae` stands before `mae ni`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rosewood.corpus.phrasebook.chance import Draw
from rosewood.corpus.phrasebook.japanese_forms import JapaneseAdjective, JapaneseVerb
from rosewood.corpus.phrasebook.meaning import AUX, BE, ME, NEGATION, VERB, WE, WEAK, YOU, Clause
from rosewood.corpus.phrasebook.tokens import Token, Tokens

FORMS = frozenset(("masu", "plain", "attr", "tara", "te", "dict", "request", "let", "mae"))
IRU = JapaneseVerb.parse("iru=")
ARU = JapaneseVerb.parse("aru")
_PARTICLES = frozenset(("o", "ni", "ga", "de", "no", "na", "to"))
_PAST = ("past", "perfect")


class _Inflection(NamedTuple):
    """What the end of a predicate depends on; `negative` are the keys of a negation."""

    form: str
    is_past: bool
    negative: tuple[int, ...] = ()

    @property
    def is_polite(self) -> bool:
        return self.form == "masu"

    @classmethod
    def of(cls, clause: Clause, form: str) -> _Inflection:
        negative = (clause.base + NEGATION,) if clause.is_negative else ()
        return cls(form, clause.tense in _PAST, negative)

    def positive(self) -> _Inflection:
        return self._replace(negative=())


def said(clause: Clause, verb: JapaneseVerb, form: str, draw: Draw) -> Tokens:
    """A verb in the form that its clause requires."""
    base = clause.base
    return with_particles(verb.before, base + VERB) + _verb(clause, verb, form, draw)


def with_particles(words: Sequence[str], key: int) -> Tokens:
    """Words that share a key; particles among them have the weaker claim."""
    return [(word, key | WEAK if word in _PARTICLES else key) for word in words]


def _verb(clause: Clause, verb: JapaneseVerb, form: str, draw: Draw) -> Tokens:
    base, how = clause.base, _Inflection.of(clause, form)
    key, negative = base + VERB, how.negative
    if form == "dict":
        if negative:
            return [(_nai(verb), *(key, *negative))]
        return [(verb.plain, key)]
    if form == "let":
        return [(verb.masu + "mashō", key)]
    if form == "mae":
        return [(verb.plain, key)]
    if form == "te":
        return [(verb.te, key)]
    if form == "request":
        if negative:
            return [(verb.nai + "naide", *(key, *negative))]
        return [(verb.te, key)]
    if clause.modal:
        return _modal(clause, verb, how, draw)
    if verb.copula:
        return [(verb.plain, key), *_copula_tail((key + WEAK,), how, verb.copula)]
    if clause.tense == "progressive" or (verb.is_state and not (negative and verb.is_shiru)):
        # What has come to be, or goes on: te with the forms of iru.
        be = key + WEAK if verb.is_state else base + BE
        return [(verb.te, key), *_ending(IRU, (be, *negative), how)]
    # Nothing else says `will` or `has`.
    helper = (base + AUX + WEAK,) if clause.tense in ("future", "perfect") else ()
    return _ending(verb, (key, *helper, *negative), how)


def _ending(verb: JapaneseVerb, keys: tuple[int, ...], how: _Inflection) -> Tokens:
    """The verb alone, in the politeness and tense that the form asks for."""
    if how.is_polite:
        if how.negative:
            last: Tokens = [("deshita", *[key | WEAK for key in keys])] if how.is_past else []
            return [(verb.masu + "masen", *keys), *last]
        return [(verb.masu + ("mashita" if how.is_past else "masu"), *keys)]
    if how.form == "tara":
        word = _nai(verb)[:-1] + "kattara" if how.negative else verb.past + "ra"
    elif how.negative:
        word = _nai(verb)[:-1] + "katta" if how.is_past else _nai(verb)
    else:
        word = verb.past if how.is_past else verb.plain
    return [(word, *keys)]


def _nai(verb: JapaneseVerb) -> str:
    return "nai" if verb is ARU else verb.nai + "nai"


def _modal(clause: Clause, verb: JapaneseVerb, how: _Inflection, draw: Draw) -> Tokens:
    base, modal = clause.base, clause.modal
    key, aux, negative = base + VERB, base + AUX, how.negative
    if modal == "can":
        if draw() < 0.5:
            potential = JapaneseVerb.parse(verb.potential + "ru=")
            return _ending(potential, (key, aux, *negative), how)
        able = JapaneseVerb.parse("dekiru=")
        return [
            (verb.plain, key), ("koto", aux + WEAK), ("ga", aux + WEAK),
            *_ending(able, (aux, *negative), how),
        ]  # fmt: skip
    if modal == "must":
        if negative:
            tail = _adjective("ii", (aux, *negative), how.positive())
            return [(verb.nai + "nakute", key, aux | WEAK), ("mo", aux | WEAK), *tail]
        become = JapaneseVerb.parse("naru")
        # It does not do without: the negation belongs to the necessity.
        tail = _ending(become, (aux,), how._replace(negative=(aux,)))
        return [(verb.nai + "nakereba", key, aux), *tail]
    if modal in ("want", "would like"):
        subject = clause.subject
        if subject is not None and subject.kind == "pronoun" and subject.pronoun in (ME, YOU, WE):
            return _adjective(verb.masu + "tai", (key, aux), how)
        tail = _ending(IRU, (aux | WEAK, *negative), how)
        return [(verb.masu + "tagatte", key, aux), *tail]
    if modal == "should":
        head: Token = (_nai(verb), *(key, *negative)) if negative else (verb.past, key)
        tail = _adjective("ii", (aux,), how.positive())
        return [head, ("hō", aux), ("ga", aux | WEAK), *tail]
    # somebody likes doing it
    tail = [("suki", aux), *_copula_tail((aux | WEAK,), how, "na")]
    return [(verb.plain, key), ("no", aux | WEAK), ("ga", aux | WEAK), *tail]


def said_of_adjective(clause: Clause, adjective: JapaneseAdjective, key: int, form: str) -> Tokens:
    """Somebody or something is like that."""
    be, how = (clause.base + VERB,), _Inflection.of(clause, form)
    if adjective.verb is not None:
        verb = adjective.verb
        before = with_particles(verb.before, key)
        tail = _ending(IRU, (*be, *how.negative), how)
        return [*before, (verb.te, key), *tail]
    first = with_particles(adjective.words[:-1], key)
    word = adjective.words[-1]
    if adjective.joins:
        return [*first, (word, key), *_copula_tail(be, how, adjective.joins)]
    return first + _adjective(word, (key,), how, be)


def said_to_be(clause: Clause, form: str) -> Tokens:
    """Behind a noun: desu and its forms."""
    return _copula_tail((clause.base + VERB,), _Inflection.of(clause, form), "no")


def _adjective(
    word: str, keys: tuple[int, ...], how: _Inflection, be: tuple[int, ...] = ()
) -> Tokens:
    """An adjective in i; `be` are the keys of the desu that follows."""
    stem = "yo" if word == "ii" else word[:-1]
    if how.form == "tara":
        word = stem + ("kunakattara" if how.negative else "kattara")
    elif how.negative:
        word = stem + ("kunakatta" if how.is_past else "kunai")
    elif how.is_past:
        word = stem + "katta"
    polite = how.is_polite
    desu: Tokens = [("desu", *(be or [key | WEAK for key in keys]))] if polite else []
    own = keys if polite or not be else (*keys, *[key | WEAK for key in be])
    return [(word, *(own + how.negative)), *desu]


def _copula_tail(be: tuple[int, ...], how: _Inflection, joins: str) -> Tokens:
    weak = [key | WEAK for key in be]
    if how.is_polite:
        if how.negative:
            last: Tokens = [("deshita", *weak)] if how.is_past else []
            return [("dewa", *weak), ("arimasen", *(be + how.negative)), *last]
        return [("deshita" if how.is_past else "desu", *be)]
    if how.negative:
        word = "nakattara" if how.form == "tara" else "nakatta" if how.is_past else "nai"
        return [("dewa", *weak), (word, *(be + how.negative))]
    if how.form == "tara":
        return [("dattara", *be)]
    if how.is_past:
        return [("datta", *be)]
    return [(joins if how.form == "attr" else "da", *be)]
