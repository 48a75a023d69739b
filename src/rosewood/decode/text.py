"""Raw text to raw text: everything between a line that people write and the one they read.

    translator = TextTranslator(decoder, german, english, glossary=Glossary.read(…))
    for each in translator.translate(["Klicken Sie <b>hier</b>, {name}!"]): print(each.text)

Tags are lifted out before the search and put back around the words that became theirs, by the links
of the phrases.  Values ({name}, %s, <br/>) are one symbol in the search, and take its place again
behind it: rules have as many on both sides, so each comes out as often as it went in.  In models
without symbols nothing but itself may translate a value.  Without processors a text is words
between spaces.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from rosewood.arguments import check_choice, check_flag, check_text, check_type
from rosewood.corpus import Encoded, TextProcessor
from rosewood.corpus.lines import split
from rosewood.corpus.text.casing import CASINGS, Caser
from rosewood.corpus.text.tokeniser import JOINER, Cut, unescaped
from rosewood.corpus.text.truecase import lowered, sentence_starts
from rosewood.corpus.text.value_symbols import VALUE, is_value_symbol, matched
from rosewood.decode.changed_values import changed_values
from rosewood.decode.decoder import Decoder
from rosewood.decode.explanation import Explanation
from rosewood.decode.fuzzy_constraints import MemoryAligner
from rosewood.decode.glossary import Glossary
from rosewood.decode.inline import lift_spans, parse_spans
from rosewood.decode.memory_lookup import MemoryLookup
from rosewood.decode.number_options import NumberOption, NumberOptions, has_digit
from rosewood.decode.readings import best_readings
from rosewood.decode.results import SearchResult
from rosewood.decode.source import Forced, Source
from rosewood.decode.stream import stream
from rosewood.decode.translation import Translation
from rosewood.errors import DecodingError
from rosewood.memory import MemoryMatch


@dataclass(frozen=True)
class PreparedText:
    """A text prepared for the decoder, and what is needed to restore its translation."""

    text: str
    source: Source
    encoded: Encoded | None = None  # of raw text
    numbers: tuple[NumberOption, ...] = ()  # options in the notation of the target
    others: tuple[PreparedText, ...] = ()  # less likely readings of the same text
    match: MemoryMatch | None = None  # what a translation memory has for it

    @property
    def is_answered(self) -> bool:
        """Whether the memory has the translation, so that no search is needed."""
        return self.match is not None and self.match.is_exact

    @property
    def words(self) -> tuple[str, ...]:
        """The words of the source, values as they are written."""
        return self.source.words if self.encoded is None else self.encoded.written

    def words_of(self, translation: Translation) -> tuple[str, ...]:
        """The words of a translation, with the values of the source for their symbols."""
        encoded = self.encoded
        if encoded is None or not encoded.kept:
            return translation.words
        uses = ((use.source_places, use.target_places) for use in translation.rules)
        return encoded.filled(translation.words, matched(encoded.words, translation.words, uses))

    def shown(self, why: Explanation, translation: Translation) -> Explanation:
        """The explanation of a translation with values instead of symbols."""
        if self.encoded is None or not self.encoded.kept:
            return why
        return why.with_words(self.words, self.words_of(translation))


@dataclass(frozen=True)
class TranslatedText:
    """A translation as text.  `lost` are values of the source that it lacks (a glossary may do
    that), `added` those that rules have put there."""

    text: str
    prepared: PreparedText
    translation: Translation
    lost: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    is_remembered: bool = False  # it is from the memory: see `prepared.match`
    words: tuple[str, ...] = ()  # of what is from the memory


class TextTranslator:
    """A decoder with the processors of both languages."""

    def __init__(
        self,
        decoder: Decoder,
        source: TextProcessor | None = None,
        target: TextProcessor | None = None,
        *,
        glossary: Glossary | None = None,
        inline: bool = False,
        casing: str = "auto",
        localise_numbers: bool = True,
        memory: MemoryLookup | None = None,
    ) -> None:
        """`glossary` is one whose phrases were read with the same processors.  With `inline`, tags
        that have a translation say what the words between them become.  With `casing="auto"`,
        the case of text in lower case, all caps or title case is restored before the search, if
        the processor of the source has a truecaser.  `localise_numbers` offers numbers and dates
        as the target language writes them, if both languages are known."""
        if (source is None) != (target is None):
            reason = "raw text needs a processor for the source and one for the target"
            raise DecodingError(
                reason, code="argument.missing", argument="target" if target is None else "source"
            )
        check_type("glossary", glossary, Glossary | None, "a Glossary", error=DecodingError)
        if inline and source is not None and not source.protect_tags:
            reason = (
                "spans within the text are tags, and the processor of the source does not look for "
                "tags"
            )
            raise DecodingError(reason, code="argument.conflict", argument="inline")
        self.decoder = decoder
        self.source_text = source
        self.target_text = target
        self.glossary = glossary
        self.inline = inline
        self.localise_numbers = check_flag(
            "localise_numbers", localise_numbers, error=DecodingError
        )
        self.casing = check_choice("casing", casing, CASINGS, error=DecodingError)
        self._caser: Caser | None = None
        self.memory = check_type("memory", memory, MemoryLookup | None, "a MemoryLookup",
                                 error=DecodingError)  # fmt: skip
        self._memory_aligner = MemoryAligner(decoder)
        self._as_written: TextProcessor | None = None  # where the words of the model are not
        if source is not None and source.truecaser is not None:
            self._as_written = replace(source, truecaser=None)
            if casing == "auto":
                self._caser = Caser(source.truecaser, self._is_source)
        if source is not None and target is not None:
            # What is a value in the source must not get a capital in the target.
            self.target_text = replace(
                target,
                protect_tags=target.protect_tags or source.protect_tags,
                protect_urls=target.protect_urls or source.protect_urls,
                patterns=tuple(dict.fromkeys([*source.patterns, *target.patterns])),
            )
        self._numbers = NumberOptions.of(source, target, decoder) if localise_numbers else None

    def prepare(
        self, text: str, reference: str | None = None, *, reading: Encoded | None = None
    ) -> PreparedText:
        """A text as the decoder takes it; with a reference, only its derivations are searched.

        Without `reading`, its case may be restored, in several ways.
        """
        check_text("text", text, error=DecodingError)
        encoded: Encoded | None = None
        others: list[Encoded] = []
        spans: tuple[Forced, ...] = ()
        if self.source_text is not None and self.target_text is not None:
            encoded = reading
            if encoded is None:
                encoded, *others = self.source_text.readings(text, self._caser)
            if self.inline:
                encoded, spans = lift_spans(encoded, self.target_text)
            words = encoded.words
        elif self.inline:
            words, spans = parse_spans(text)
        else:
            words = tuple(split(text))
        match, constrains = None, False
        if self.memory is not None and reference is None and not spans:
            match, constrains = self.memory.find(text, words)
            others = [] if match is not None and match.is_exact else others
        taken = {place for span in spans for place in range(span.begin, span.end)}
        forced = list(spans)
        if encoded is not None:
            values = [place for place in encoded.values if place not in taken]
            forced += [
                Forced(at, at + 1, ((self._kept(words[at]),),), not is_value_symbol(words[at]))
                for at in values
                if not self._has_rule(words[at])
            ]
            taken |= set(values)
        if self.glossary is not None:
            written, *also = self._forms(text, words)
            forced += self.glossary.apply(written, also=also, taken=taken)
        if match is not None and constrains:
            pair = self._source_words(match.source), self._reference(match.translation)
            cuts = frozenset() if encoded is None else {tag.place for tag in encoded.tags}
            forced = self._memory_aligner.guided(words, *pair, forced, cuts)
        numbers: list[NumberOption] = []
        if self._numbers is not None and encoded is not None and has_digit(text):
            taken |= {place for each in forced for place in range(each.begin, each.end)}
            numbers = self._numbers.forced(
                encoded, text, taken=taken, keeps_copies=reference is not None
            )
            forced += [each.option for each in numbers]
        said = None if reference is None else self._reference(reference)
        return PreparedText(
            text,
            Source(words, tuple(forced), said),
            encoded,
            tuple(numbers),
            tuple(self.prepare(text, reference, reading=other) for other in others),
            match,
        )

    def text_of(self, translation: Translation, prepared: PreparedText) -> TranslatedText:
        """The text of a translation: of the best one, or of any other of its search."""
        encoded, target = prepared.encoded, self.target_text
        if encoded is None or target is None:
            changed = changed_values(prepared.text, translation)
            return TranslatedText(translation.text, prepared, translation, *changed)
        if not translation.report.reachable:
            return TranslatedText("", prepared, translation)
        words = prepared.words_of(translation)
        text = target.decode(words, encoded, translation.links)
        said = Counter(_bare(word) for word in words)
        wanted = Counter(_bare(encoded.written[place]) for place in encoded.values)
        own = {
            _bare(word)
            for use in translation.rules
            if not use.is_forced
            for word in map(words.__getitem__, use.target_places)
        }
        added = {
            word: count for word, count in (said - wanted).items()
            if word in own and target.is_value(word)
        }  # fmt: skip
        lost = wanted - said
        return TranslatedText(
            text, prepared, translation, tuple(lost.elements()), tuple(Counter(added).elements())
        )

    def answer_of(self, translation: Translation, prepared: PreparedText) -> TranslatedText:
        """The translation of a text that is given out: an exact match of the memory, or what the
        search has found."""
        match = prepared.match
        if match is None or not match.is_exact:
            return self.text_of(translation, prepared)
        changed = self.value_changes(prepared.text, match.translation)
        return TranslatedText(
            match.translation, prepared, translation, *changed, True,
            self._target_words(match.translation),
        )  # fmt: skip

    def value_changes(
        self, source: str, translation: str
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The values that a raw text has and its translation lacks, and the other way round."""
        wanted, said = self._values(source), self._values(translation)
        return tuple((wanted - said).elements()), tuple((said - wanted).elements())

    stream = stream

    def search(self, text: str) -> tuple[PreparedText, SearchResult]:
        """The best reading of a text, and all that was found of it."""
        (found,) = best_readings(self.decoder, [self.prepare(text)], forests=True)
        assert found.search is not None
        return found.prepared, found.search

    def translate(self, texts: Iterable[str], *, threads: int = 1) -> Iterator[TranslatedText]:
        """The best translation of each text, in their order."""
        return (line.translated() for line in self.stream(texts, threads=threads))

    def _forms(self, text: str, words: tuple[str, ...]) -> list[Sequence[str]]:
        """The words of a text in the forms that a glossary may have them in.

        Truecased text is also taken as it is written, and with small letters where sentences begin,
        whether or not the truecaser knows the word: terms are rare.
        """
        if self._as_written is None:
            return [words]
        written = self._as_written.encode(text).words
        small = list(written)
        bare = [_bare(word) for word in written]
        for place in sentence_starts(bare):
            if len(bare[place]) == 1 or bare[place][1:].islower():
                small[place] = lowered(written[place], self._as_written.tokeniser.language)
        return [written, words, small]

    def _values(self, text: str) -> Counter[str]:
        """The values of a raw text."""
        processor = self.source_text
        found = () if processor is None else processor.protected(text)
        return Counter(text[each.start : each.end] for each in found if each.kind == "value")

    def _target_words(self, text: str) -> tuple[str, ...]:
        """The words of a translation, values as they are written."""
        if self.target_text is None:
            return tuple(split(text))
        return self.target_text.encode(text).written

    def _source_words(self, text: str) -> tuple[str, ...]:
        processor = self.source_text
        return tuple(split(text)) if processor is None else processor.encode(text).words

    def _is_source(self, word: str) -> bool:
        """Whether the table has translations of this word."""
        table = getattr(self.decoder, "table", None)
        return table is not None and (word,) in table

    def _has_rule(self, word: str) -> bool:
        """Whether this is a symbol that the table has: all its rules make one of it."""
        return is_value_symbol(word) and self._is_source(word)

    def _kept(self, word: str) -> str:
        """A value, as a word of the target."""
        source, target = self.source_text, self.target_text
        if (
            source is None
            or target is None
            or (source.tokeniser.is_exact and target.tokeniser.is_exact)
        ):
            return word
        if is_value_symbol(word):
            return VALUE
        return target.tokeniser.mark(Cut([_bare(word)], [True, True]))[0]

    def _reference(self, text: str) -> tuple[str, ...]:
        if self.target_text is None:
            return tuple(split(text))
        return self.target_text.encode(text).words


def _bare(word: str) -> str:
    """A word without the marks of its tokeniser."""
    return unescaped(word.strip(JOINER))
