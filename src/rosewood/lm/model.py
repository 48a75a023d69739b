"""A language model in a mapped file: scores, states, distributions, samples.

    model = Model.open("lm.rlm")
    model.score("the cat sat")                       log10 of its probability
    for word in model.words("the cat sat"): ...      each word's, and how long its n-gram was
    scores = model.score_batch(lines, threads=2)
    state = model.start; score, state = model.advance(state, "the")
    p = model.distribution("the cat")                of every word, by number

A state is a tuple of word numbers, the latest last: no more of them than can still matter.  Equal
states have equal futures.  Specification: tests/reference/lm.py; native: core/lm/query.hpp.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, pairwise
from math import isfinite
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from rosewood import _core
from rosewood.arguments import check_list
from rosewood.arrays import as_count
from rosewood.errors import DamagedFileError, LanguageModelError
from rosewood.lm.files import Layout, ModelFile, open_file
from rosewood.lm.scores import BatchScores, Scorer, Sentence, Sentences, WordScore
from rosewood.lm.vocabulary import BEGIN, END, ModelVocabulary, as_bytes, text_of, words_of
from rosewood.resources import check_threads
from rosewood.shared_types import PathName

State = tuple[int, ...]

SENTENCES_AT_ONCE = 1 << 14  # sentences handed to native code in one text


class Model(Scorer):
    """An immutable language model, which any number of threads and processes can share.

    Sentences are strings, with spaces and tabs between words, or sequences of words.  They do not
    contain `<s>` and `</s>`, which `begin` and `end` put around them.
    """

    def __init__(self, file: ModelFile, *, is_temporary: bool = False) -> None:
        self.is_temporary = is_temporary  # the file goes with this object
        self._native = file.native
        self._contents = file.contents
        self.path = file.path
        self.size = file.size
        self.vocabulary = ModelVocabulary(file.path, file.words, file.native)
        self.start: State = tuple(self._native.state([1]))
        self.no_context: State = ()

    @classmethod
    def open(cls, path: PathName) -> Model:
        """Map a model; this takes no longer for a large one."""
        return cls(open_file(path))

    @property
    def native(self) -> _core.LanguageModel:
        """For other native code."""
        return self._native

    @property
    def order(self) -> int:
        """How long its longest n-grams are."""
        return len(self.counts)

    @property
    def counts(self) -> tuple[int, ...]:
        """How many n-grams there are of each order."""
        return tuple(self._contents["counts"])

    @property
    def layout(self) -> Layout:
        """`fast` or `small`."""
        return cast(Layout, self._contents["layout"])

    @property
    def quantised(self) -> int | None:
        """Bits of its probabilities, or None where they are exact."""
        return cast(int | None, self._contents["quantised"])

    @property
    def facts(self) -> dict[str, Any]:
        """How the model was made."""
        return dict(self._contents["facts"])

    def to_dict(self) -> dict[str, Any]:
        """What it is, in numbers."""
        return {
            "order": self.order,
            "ngrams": list(self.counts),
            "words": len(self.vocabulary),
            "layout": self.layout,
            "quantised": self.quantised,
            "bytes": self.size,
        }

    # -- sentences ---------------------------------------------------------------------------------

    def score(self, sentence: Sentence, *, begin: bool = True, end: bool = True) -> float:
        """log10 of the probability of a sentence."""
        score = self._native.score_one(_one_line(sentence), begin, end)
        if not isfinite(score):
            raise self._damage()
        return score

    def words(self, sentence: Sentence, *, begin: bool = True, end: bool = True) -> list[WordScore]:
        """Each word of a sentence with its score; `</s>` is the last of them."""
        said = words_of(sentence)
        text = _one_line(sentence if isinstance(sentence, str) else said)
        said += [END] * end
        scores, lengths, numbers = self._native.score_words_of_one(text, begin, end)
        if not isfinite(sum(scores)):
            raise self._damage()
        return [
            WordScore(word, score, length, number != 0)
            for word, score, length, number in zip(said, scores, lengths, numbers, strict=True)
        ]

    def _totals(
        self, sentences: Sentences, *, begin: bool = True, end: bool = True, threads: int = 1
    ) -> Iterator[NDArray[np.float64]]:
        threads = check_threads(threads, LanguageModelError)
        for first, count, text in _texts(sentences):
            out = np.empty(count)
            self._native.score(text, count, begin, end, first, threads, out)
            yield self._checked(out)

    def _word_scores(
        self,
        sentences: Sentences,
        *,
        begin: bool = True,
        end: bool = True,
        threads: int = 1,
        first: int = 1,
    ) -> Iterator[BatchScores]:
        """`first` is the number of the first sentence, for errors."""
        threads = check_threads(threads, LanguageModelError)
        for number, count, text in _texts(sentences, first):
            found = self._native.score_words(text, count, begin, end, number, threads)
            self._checked(found[1])
            yield BatchScores(*found)

    # -- contexts ----------------------------------------------------------------------------------

    def advance(self, state: State, word: str | int) -> tuple[float, State]:
        """log10 of the probability of a word after a state, and the state after the word."""
        number = self.vocabulary.id(word) if isinstance(word, str) else word
        try:
            score, _, after = self._native.advance(state, number)
        except TypeError:
            _numbers((*state, number))
            raise
        if number == 1:
            reason = f"{BEGIN} is no word that follows others"
            raise LanguageModelError(reason, code="lm.sentence-mark", value=BEGIN)
        if not isfinite(score):
            raise self._damage()
        return score, tuple(after)

    def state(self, context: State | Sentence) -> State:
        """What can matter of a context: of words, the first of which may be `<s>`, or a state."""
        return tuple(self._native.state(self._context(context)))

    def distribution(self, context: State | Sentence | None = None) -> NDArray[np.float64]:
        """The probability of every word after a context, by number; at first after `<s>`.

        That of `<s>` is 0: no sentence begins within another.
        """
        out = np.empty(len(self.vocabulary))
        self._native.score_all(self._context(context), out)
        with np.errstate(over="ignore"):
            np.power(10.0, out, out=out)
        out[1] = 0.0
        return self._checked(out)

    def _sample(
        self, count: int, seed: int, max_words: int, context: Any, threads: int
    ) -> list[str]:
        start, word = self._native.sample(count, seed, max_words, self._context(context), threads)
        words = self.vocabulary.words(word.tolist())
        return [" ".join(words[begin:end]) for begin, end in pairwise(start.tolist())]

    def _checked(self, found: NDArray[np.float64]) -> NDArray[np.float64]:
        if not np.isfinite(found).all():
            raise self._damage()
        return found

    def _damage(self) -> DamagedFileError:
        """The error for scores that are not numbers: only a damaged file gives them."""
        reason = "it has probabilities that are no numbers"
        return DamagedFileError(reason, code="file.damaged", file=self.path)

    def _context(self, context: State | Sentence | None) -> list[int]:
        if context is None:
            return [*self.start]
        if isinstance(context, str) or any(isinstance(word, str) for word in context):
            words = words_of(cast(Sentence, context))
            if END in words or BEGIN in words[1:]:
                raise LanguageModelError(
                    f"a context is what stands before a word in its sentence: {context!r} has "
                    f"{END} in it, or {BEGIN} within",
                    code="argument.value", argument="context", value=context,
                )  # fmt: skip
            return [self.vocabulary.id(word) for word in words]
        return _numbers(cast(State, context))

    def __repr__(self) -> str:
        quantised = "" if self.quantised is None else f", {self.quantised} bits"
        return f"Model({str(self.path)!r}, order {self.order}, {self.layout}{quantised})"

    def check_lasting(self) -> None:
        """Refuse a model in a temporary file, which others cannot open."""
        if self.is_temporary:
            raise LanguageModelError(
                f"{self.path.name} is a temporary file, which is removed with this process: "
                "convert it to a model first",
                code="lm.temporary", value=self.path.name,
            )  # fmt: skip

    def __reduce__(self) -> tuple[object, ...]:
        self.check_lasting()
        return (Model.open, (self.path,))


def _numbers(state: Sequence[int]) -> list[int]:
    return [
        as_count("a word's number", word, 0, 2**32 - 1, error=LanguageModelError) for word in state
    ]


def _one_line(sentence: Sentence) -> str:
    text = text_of(sentence)
    _check_one_line(text)
    if not text.isascii():
        as_bytes(text, "the sentence")
    return text


def _texts(sentences: Sentences, first: int = 1) -> Iterator[tuple[int, int, NDArray[np.uint8]]]:
    """Number of the first sentence, number of sentences and their text, piece by piece."""
    check_list("sentences", sentences, "a list of sentences", error=LanguageModelError)
    rest = iter(sentences)
    while part := list(islice(rest, SENTENCES_AT_ONCE)):
        try:
            text = "\n".join(cast(list[str], part))
        except TypeError:  # some are sequences of words
            text = "\n".join(map(text_of, part))
        try:
            encoded = as_bytes(text)
        except LanguageModelError:
            _check_lines(part, first)
            raise
        if text.count("\n") >= len(part):
            _check_lines(part, first)
        yield first, len(part), encoded
        first += len(part)


def _check_lines(part: Sequence[Sentence], first: int) -> None:
    """Tells which sentence is none, if there is one."""
    for number, sentence in enumerate(part, first):
        text = text_of(sentence)
        _check_one_line(text, f"sentence {number}: ")
        as_bytes(text, f"sentence {number}")


def _check_one_line(text: str, place: str = "") -> None:
    if "\n" in text:
        reason = f"{place}a sentence is one line, this has more: {text[:60]!r}"
        raise LanguageModelError(reason, code="corpus.line-break", value=text)
