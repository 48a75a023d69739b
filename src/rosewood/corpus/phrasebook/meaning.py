"""What a sentence says, before it is said in any language.

Every part has a base: its words take their keys from there, so words of two languages that come
from the same part are linked.  Keys of the parts of a noun phrase and a clause are named below.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from rosewood.errors import RosewoodError

if TYPE_CHECKING:
    from rosewood.corpus.phrasebook.lexicon import Adjective, Noun, Phrase, Verb

T = TypeVar("T")

WEAK = 1  # added to a key: the link is possible only

# Keys of a noun phrase
DETERMINER, ADJECTIVE, NOUN, PREPOSITION, OWNER, RELATIVE, DEGREE = 0, 2, 4, 6, 8, 10, 12
# Keys of a clause
VERB, AUX, NEGATION, BE, ZU = 0, 2, 4, 6, 8

ME, YOU, HE, SHE, WE, THEY, IT = range(7)


def present(part: T | None) -> T:
    """A part that what is spoken of always has: a noun phrase of the kind noun has a noun."""
    if part is None:
        reason = "a part of a sentence is missing: the phrasebook is at fault"
        raise RosewoodError(reason, code="phrasebook.part")
    return part


@dataclass(slots=True)
class NounPhrase:
    """Somebody or something: a pronoun, a name, or a noun with what belongs to it."""

    base: int
    kind: str  # pronoun, name, noun, who, relative
    pronoun: int = HE
    noun: Noun | None = None
    determiner: str = ""  # the, a, this, every, many, number, my; nothing
    is_plural: bool = False
    adjective: Adjective | None = None
    degree: Phrase | None = None
    count: int = 0
    owner: NounPhrase | None = None
    relative: Clause | None = None
    name: str = ""
    title: str = ""
    is_bare_in_german: bool = False
    head: NounPhrase | None = None  # whom a relative pronoun stands for

    def relative_key(self) -> int:
        """The key of the pronoun that begins the relative clause."""
        clause = self.relative
        if clause is None:
            return self.base + RELATIVE
        pronoun = clause.relative or clause.subject
        return (self if pronoun is None else pronoun).base + RELATIVE


@dataclass(slots=True)
class Placed:
    """A noun phrase with a preposition."""

    phrase: NounPhrase
    english: str
    german: str
    case: str
    japanese: str


@dataclass(slots=True)
class Spoken:
    """A fixed phrase as part of a sentence."""

    base: int
    phrase: Phrase


Adverbial: TypeAlias = Placed | Spoken


@dataclass(slots=True)
class Clause:
    """Somebody does something, somewhere, some time."""

    base: int
    subject: NounPhrase | None
    verb: Verb | None = None  # without one: the subject is something
    predicate: Adjective | NounPhrase | Placed | Spoken | None = None
    predicate_base: int = 0
    degree: Phrase | None = None
    tense: str = "present"  # present, progressive, past, perfect, future
    modal: str = ""
    is_negative: bool = False
    object: NounPhrase | None = None
    recipient: NounPhrase | None = None
    prepositional: Placed | None = None
    direction: Adverbial | None = None
    companion: Placed | None = None
    place: Adverbial | None = None
    time: Spoken | None = None
    manner: Spoken | None = None
    frequency: Spoken | None = None
    relative: NounPhrase | None = None  # the relative pronoun that stands first, if it is an object

    @property
    def agent(self) -> NounPhrase | None:
        """The subject; of a relative clause, what the pronoun stands for."""
        subject = self.subject
        return subject.head if subject is not None and subject.kind == "relative" else subject


Part: TypeAlias = Clause | NounPhrase | Spoken
