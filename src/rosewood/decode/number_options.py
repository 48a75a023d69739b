"""Translation options for numbers, amounts, dates and times, in the notation of the target.

    options = NumberOptions.of(german, english, decoder)
    options.forced(encoded, taken={0})       # [(Forced(2, 4, (("119.20", "euros"),)), "money"), …]

An expression with a word that is not in the rule table cannot be translated whole by any rule: the
option is then exclusive, so the number is neither lost nor mixed with others.  Elsewhere it is one
option among those of the rules, and the model chooses.  A whole number that training saw once or
twice, and never with its digits on the other side, is copied: its rules are often wrong.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

from rosewood.corpus import Encoded, TextProcessor
from rosewood.corpus.text.number_formats import with_ascii_digits
from rosewood.corpus.text.number_localiser import NumberLocaliser
from rosewood.corpus.text.number_patterns import Kind
from rosewood.corpus.text.tokeniser import JOINER, Cut, unescaped
from rosewood.decode.decoder import Decoder
from rosewood.decode.glossary import target_words
from rosewood.decode.source import Forced, Words
from rosewood.rules.rule import Rule
from rosewood.rules.table import RuleTable

has_digit = re.compile(r"\d").search
_is_one_word = re.compile("[\u00a0\u202f，]").search
WIDE_COMMA = "，"
_NOT_DIGITS = re.compile(r"\D+")
_REMEMBERED = 1 << 12  # whole numbers of which it is known
_RARE = 2  # times that training has seen a number whose rules are not trusted


class NumberOption(NamedTuple):
    """What words of a text become, and which kind of expression they are."""

    option: Forced
    kind: Kind


class NumberOptions:
    """Options from the languages of two processors of text."""

    def __init__(
        self, localiser: NumberLocaliser, target: TextProcessor, table: RuleTable | None
    ) -> None:
        self._localiser = localiser
        self._target = replace(target, truecaser=None, lowercase=False, symbols=False)
        self._table = table
        self._doubtful = lru_cache(maxsize=_REMEMBERED)(self._has_doubtful_rules)

    @classmethod
    def of(
        cls, source: TextProcessor | None, target: TextProcessor | None, decoder: Decoder
    ) -> NumberOptions | None:
        """None where the languages are not known, or words are characters."""
        if source is None or target is None:
            return None
        tokenisers = source.tokeniser, target.tokeniser
        if any(each.name == "char" for each in tokenisers):
            return None
        localiser = NumberLocaliser.between(*(each.language for each in tokenisers))
        if localiser is None:
            return None
        return cls(localiser, target, getattr(decoder, "table", None))

    def forced(
        self,
        encoded: Encoded,
        text: str = "",
        *,
        taken: Collection[int] = frozenset(),
        keeps_copies: bool = False,
    ) -> list[NumberOption]:
        """The options of a text; none touches the words in `taken`, or has a tag within.

        With `keeps_copies` they exclude nothing that would be possible without them.
        """
        words = encoded.words
        spans = self._localiser.spans(
            [unescaped(word.strip(JOINER)) for word in words],
            encoded.spaced,
            barriers=taken,
            breaks={tag.place for tag in encoded.tags},
            text=text,
        )
        found: list[NumberOption] = []
        for begin, end, target, kind in spans:
            can_be_ruled = self._are_known(words[begin:end])
            if target.isdecimal():
                if not can_be_ruled and words[begin] == target:
                    continue  # it is copied as all unknown words are
                if can_be_ruled and not self._doubtful(words[begin], target):
                    continue  # rules know what it is called
                can_be_ruled = False
            elif words[begin:end] == (target,) and not can_be_ruled:
                continue  # so is this
            elif WIDE_COMMA in words[begin:end]:
                can_be_ruled = False  # rules know the parts of a number, and may drop some
            targets = [self._words(target)]
            if keeps_copies and end == begin + 1:
                targets.append((words[begin],))
            is_exclusive = not can_be_ruled and not keeps_copies
            found.append(NumberOption(Forced(begin, end, tuple(targets), is_exclusive), kind))
        return found

    def _are_known(self, words: Words) -> bool:
        table = self._table
        return table is None or all(word in table.source_words for word in words)

    def _has_doubtful_rules(self, word: str, digits: str) -> bool:
        """Whether the rules of a whole number are few and have other things than its digits."""
        if self._table is None or len(digits) < 2:
            return False
        rules = self._table.lookup(word)
        return all(each.source_count <= _RARE and digits not in _digits(each) for each in rules)

    def _words(self, target: str) -> Words:
        """The words of a target; a number with spaces or a wide comma in it is one."""
        words: list[str] = []
        for with_spaces, parts in groupby(target.split(" "), lambda part: bool(_is_one_word(part))):
            if with_spaces:
                words += (self._target.tokeniser.mark(Cut([n], [True, True]))[0] for n in parts)
            else:
                words += target_words(" ".join(parts), self._target)
        return tuple(words)


def _digits(rule: Rule) -> str:
    return _NOT_DIGITS.sub("", with_ascii_digits("".join(map(str, rule.target))))
