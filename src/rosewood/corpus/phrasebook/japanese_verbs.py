"""Japanese predicates: what stands at the end of a clause.

Forms: `masu` ends a sentence; `plain` stands before `to omoimasu`; `attr` before a noun; `tara` is
a condition; `te` goes on; `dict` is the plain present without a subject; `request` asks for
something, `let` proposes it; `mae` stands before `mae ni`.
"""

from __future__ import annotations

from collections.abc import Sequence

from rosewood.corpus.phrasebook.chance import Draw
from rosewood.corpus.phrasebook.japanese_forms import JapaneseAdjective, JapaneseVerb
from rosewood.corpus.phrasebook.meaning import AUX, BE, ME, NEGATION, VERB, WE, WEAK, YOU, Clause
from rosewood.corpus.phrasebook.tokens import Token, Tokens

FORMS = frozenset(("masu", "plain", "attr", "tara", "te", "dict", "request", "let", "mae"))
IRU = JapaneseVerb.parse("iru=")
ARU = JapaneseVerb.parse("aru")
_PARTICLES = frozenset(("o", "ni", "ga", "de", "no", "na", "to"))
_POLITE = ("masu",)
_PAST = ("past", "perfect")


def said(clause: Clause, verb: JapaneseVerb, form: str, draw: Draw) -> Tokens:
    """A verb in the form that its clause requires."""
    base = clause.base
    return with_particles(verb.before, base + VERB) + _verb(clause, verb, form, draw)


def with_particles(words: Sequence[str], key: int) -> Tokens:
    """Words that share a key; particles among them have the weaker claim."""
    return [(word, key | WEAK if word in _PARTICLES else key) for word in words]


def _verb(clause: Clause, verb: JapaneseVerb, form: str, draw: Draw) -> Tokens:
    base = clause.base
    key, negation = base + VERB, base + NEGATION
    negative: tuple[int, ...] = (negation,) if clause.is_negative else ()
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
        return _modal(clause, verb, form, draw)
    is_past = clause.tense in _PAST
    if verb.copula:
        tail = _copula_tail((key + WEAK,), is_past, negative, form, verb.copula)
        return [(verb.plain, key), *tail]
    if clause.tense == "progressive" or (verb.is_state and not (negative and verb.is_shiru)):
        # What has come to be, or goes on: te with the forms of iru.
        be = key + WEAK if verb.is_state else base + BE
        return [(verb.te, key), *_ending(IRU, (be, *negative), is_past, negative, form)]
    # Nothing else says `will` or `has`.
    helper = (base + AUX + WEAK,) if clause.tense in ("future", "perfect") else ()
    return _ending(verb, (key, *helper, *negative), is_past, negative, form)


def _ending(
    verb: JapaneseVerb,
    keys: tuple[int, ...],
    is_past: bool,
    negative: tuple[int, ...],
    form: str,
) -> Tokens:
    """The verb alone, in the politeness and tense that the form asks for."""
    if form in _POLITE:
        if negative:
            last: Tokens = [("deshita", *[key | WEAK for key in keys])] if is_past else []
            return [(verb.masu + "masen", *keys), *last]
        return [(verb.masu + ("mashita" if is_past else "masu"), *keys)]
    if form == "tara":
        word = _nai(verb)[:-1] + "kattara" if negative else verb.past + "ra"
    elif negative:
        word = _nai(verb)[:-1] + "katta" if is_past else _nai(verb)
    else:
        word = verb.past if is_past else verb.plain
    return [(word, *keys)]


def _nai(verb: JapaneseVerb) -> str:
    return "nai" if verb is ARU else verb.nai + "nai"


def _modal(clause: Clause, verb: JapaneseVerb, form: str, draw: Draw) -> Tokens:
    base, modal = clause.base, clause.modal
    key, aux = base + VERB, base + AUX
    negative: tuple[int, ...] = (base + NEGATION,) if clause.is_negative else ()
    is_past = clause.tense in _PAST
    if modal == "can":
        if draw() < 0.5:
            potential = JapaneseVerb.parse(verb.potential + "ru=")
            return _ending(potential, (key, aux, *negative), is_past, negative, form)
        able = JapaneseVerb.parse("dekiru=")
        return [
            (verb.plain, key), ("koto", aux + WEAK), ("ga", aux + WEAK),
            *_ending(able, (aux, *negative), is_past, negative, form),
        ]  # fmt: skip
    if modal == "must":
        if negative:
            tail = _adjective("ii", (aux, *negative), is_past, (), form)
            return [(verb.nai + "nakute", key, aux | WEAK), ("mo", aux | WEAK), *tail]
        become = JapaneseVerb.parse("naru")
        # It does not do without: the negation belongs to the necessity.
        tail = _ending(become, (aux,), is_past, (aux,), form)
        return [(verb.nai + "nakereba", key, aux), *tail]
    if modal in ("want", "would like"):
        subject = clause.subject
        if subject is not None and subject.kind == "pronoun" and subject.pronoun in (ME, YOU, WE):
            return _adjective(verb.masu + "tai", (key, aux), is_past, negative, form)
        tail = _ending(IRU, (aux | WEAK, *negative), is_past, negative, form)
        return [(verb.masu + "tagatte", key, aux), *tail]
    if modal == "should":
        head: Token = (_nai(verb), *(key, *negative)) if negative else (verb.past, key)
        tail = _adjective("ii", (aux,), is_past, (), form)
        return [head, ("hō", aux), ("ga", aux | WEAK), *tail]
    # somebody likes doing it
    tail = _copula("suki", (aux,), is_past, negative, form)
    return [(verb.plain, key), ("no", aux | WEAK), ("ga", aux | WEAK), *tail]


def said_of_adjective(clause: Clause, adjective: JapaneseAdjective, key: int, form: str) -> Tokens:
    """Somebody or something is like that."""
    base = clause.base
    negative: tuple[int, ...] = (base + NEGATION,) if clause.is_negative else ()
    is_past = clause.tense in _PAST
    be = (base + VERB,)
    if adjective.verb is not None:
        verb = adjective.verb
        before = with_particles(verb.before, key)
        tail = _ending(IRU, (*be, *negative), is_past, negative, form)
        return [*before, (verb.te, key), *tail]
    first = with_particles(adjective.words[:-1], key)
    word = adjective.words[-1]
    if adjective.joins:
        joins = adjective.joins
        return [*first, (word, key), *_copula_tail(be, is_past, negative, form, joins)]
    return first + _adjective(word, (key,), is_past, negative, form, be)


def said_to_be(clause: Clause, form: str) -> Tokens:
    """Behind a noun: desu and its forms."""
    negative: tuple[int, ...] = (clause.base + NEGATION,) if clause.is_negative else ()
    is_past = clause.tense in _PAST
    return _copula_tail((clause.base + VERB,), is_past, negative, form, "no")


def _adjective(
    word: str,
    keys: tuple[int, ...],
    is_past: bool,
    negative: tuple[int, ...],
    form: str,
    be: tuple[int, ...] = (),
) -> Tokens:
    """An adjective in i; `be` are the keys of the desu that follows."""
    stem = "yo" if word == "ii" else word[:-1]
    if form == "tara":
        word = stem + ("kunakattara" if negative else "kattara")
    elif negative:
        word = stem + ("kunakatta" if is_past else "kunai")
    elif is_past:
        word = stem + "katta"
    polite = form in _POLITE
    desu: Tokens = [("desu", *(be or [key | WEAK for key in keys]))] if polite else []
    own = keys if polite or not be else (*keys, *[key | WEAK for key in be])
    return [(word, *(own + negative)), *desu]


def _copula(
    word: str, keys: tuple[int, ...], is_past: bool, negative: tuple[int, ...], form: str
) -> Tokens:
    be = tuple(key | WEAK for key in keys)
    return [(word, *keys), *_copula_tail(be, is_past, negative, form, "na")]


def _copula_tail(
    be: tuple[int, ...], is_past: bool, negative: tuple[int, ...], form: str, joins: str
) -> Tokens:
    if form in _POLITE:
        if negative:
            last: Tokens = [("deshita", *[key | WEAK for key in be])] if is_past else []
            dewa: Token = ("dewa", *[key | WEAK for key in be])
            return [dewa, ("arimasen", *(be + negative)), *last]
        return [("deshita" if is_past else "desu", *be)]
    if negative:
        word = {"tara": "nakattara"}.get(form, "nakatta" if is_past else "nai")
        return [("dewa", *[key | WEAK for key in be]), (word, *(be + negative))]
    if form == "tara":
        return [("dattara", *be)]
    if is_past:
        return [("datta", *be)]
    return [(joins if form == "attr" else "da", *be)]
