"""One sentence after the other: a template, its parts, both languages, and a little noise."""

from __future__ import annotations

from rosewood.corpus.phrasebook.chance import Draw, Weighted
from rosewood.corpus.phrasebook.english import English
from rosewood.corpus.phrasebook.german import German
from rosewood.corpus.phrasebook.japanese import Japanese
from rosewood.corpus.phrasebook.lexicon import Noun, lexicon
from rosewood.corpus.phrasebook.meaning import NounPhrase, Part
from rosewood.corpus.phrasebook.pair import PhrasebookPair
from rosewood.corpus.phrasebook.sampler import Sampler
from rosewood.corpus.phrasebook.templates import Template, templates
from rosewood.corpus.phrasebook.tokens import Tokens, links_of
from rosewood.corpus.phrasebook.typos import misspelt

LANGUAGES = ("en-de", "en-ja")

SHORTEST, LONGEST = 3, 25  # words of a sentence, stops among them

_NOISE = Weighted((("paraphrase", 4), ("omission", 4), ("typo", 3)))
_OMITTED = ("TLMKQ", "LTQKM", "MKTLQ", "QLMTK")


class Composer:
    """Makes pairs from chance; they may repeat."""

    def __init__(self, languages: str, draw: Draw, noise: float) -> None:
        self._draw = draw
        self._noise = noise
        self._sampler = Sampler(draw)
        self._english = English(draw)
        self._other: German | Japanese = German(draw) if languages == "en-de" else Japanese(draw)
        self._templates: Weighted[Template] = templates()
        self._general = _general_nouns()
        self._openings = lexicon().adverbials["opening"]

    def pair(self) -> PhrasebookPair:
        """A pair, noisy now and then."""
        noise = _NOISE.pick(self._draw) if self._draw() < self._noise else ""
        while True:  # not every sentence is of a fitting length, or has something to leave out
            template, parts = self._meaning()
            found = self._said(template, parts, noise)
            if found is not None:
                return found

    def variants(self, each: int) -> tuple[PhrasebookPair, ...]:
        """One English sentence with several translations."""
        while True:
            template, parts = self._meaning()
            source = self._english.sentence(template, parts)
            found = [
                self._pair(source, self._other.sentence(template, parts), template, "")
                for _ in range(each)
            ]
            kept = tuple(pair for pair in found if pair is not None)
            if len(kept) == each:
                return kept

    def _meaning(self) -> tuple[Template, dict[str, Part]]:
        template = self._templates.pick(self._draw)
        sampler = self._sampler
        sampler.start()
        parts: dict[str, Part] = {}
        before: NounPhrase | None = None
        for letter, wanted in template.clauses.items():
            again = None
            if before is not None and not wanted.subject and self._draw() < 0.4:
                again = sampler.again(before)
            clause = sampler.clause(wanted, again)
            before = clause.subject
            parts[letter] = clause
        for letter, what in template.nouns.items():
            parts[letter] = sampler.asked(what)
        return template, parts

    def _said(
        self, template: Template, parts: dict[str, Part], noise: str
    ) -> PhrasebookPair | None:
        english, other = self._english, self._other
        if noise == "omission":
            side = other if self._draw() < 0.7 else english
            side.omit = tuple(_OMITTED[int(self._draw() * len(_OMITTED))])
            side.was_omitted = False
            source, target = english.sentence(template, parts), other.sentence(template, parts)
            side.omit = ()
            if not side.was_omitted:
                return None
        elif noise == "paraphrase":
            other.loosen, other.was_loosened = self._general, False
            source, target = english.sentence(template, parts), other.sentence(template, parts)
            other.loosen = {}
            if not other.was_loosened:
                target = [*other.variant(self._openings.pick(self._draw)), *target]
        else:
            source, target = english.sentence(template, parts), other.sentence(template, parts)
        if noise == "typo":
            if self._draw() < 0.5:
                source = misspelt(source, self._draw)
            else:
                target = misspelt(target, self._draw)
        return self._pair(source, target, template, noise)

    def _pair(
        self, source: Tokens, target: Tokens, template: Template, noise: str
    ) -> PhrasebookPair | None:
        if not (SHORTEST <= len(source) <= LONGEST and SHORTEST <= len(target) <= LONGEST):
            return None
        sure, possible = links_of(source, target)
        return PhrasebookPair(
            tuple(token[0] for token in source),
            tuple(token[0] for token in target),
            sure,
            possible,
            noise or ("idiom" if template.is_idiom else "plain"),
        )


def _general_nouns() -> dict[str, Noun]:
    """Nouns that can stand for all nouns of a class, the narrowest class first."""
    return {
        name.removeprefix("general:"): nouns.items[0]
        for name, nouns in lexicon().nouns.items()
        if name.startswith("general:")
    }
