"""Several language models as one: p(word | context) is the weighted mean of theirs.

    mixture = Mixture.tuned([Model.open("news.rlm"), Model.open("law.rlm")], heldout_lines)
    mixture.weights; mixture.score("the cat sat")
    mixture.save("mix.json")

Words       those of all models together.  What a model gives to `<unk>` it shares out equally among
            the words that it alone does not know and `<unk>` itself, so that the probabilities of
            all words add up to 1 in the mixture, too
States      one of each model
File        JSON: weights, and where the models are, with checksums of their heads
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import count, islice
from pathlib import Path
from typing import Any, Unpack, cast

import numpy as np
from numpy.typing import NDArray

from rosewood.arguments import check_length, check_type
from rosewood.arrays import as_count
from rosewood.errors import DamagedFileError, LanguageModelError
from rosewood.lm.model import Model, State
from rosewood.lm.scores import BatchScores, ScoreOptions, Scorer, Sentence, Sentences, WordScore
from rosewood.lm.union import UnionVocabulary
from rosewood.lm.vocabulary import END, words_of
from rosewood.output import whole_file
from rosewood.shared_types import PathName

MixtureState = tuple[State, ...]

_REMEMBERED = 1 << 22  # probabilities that sampling keeps, for states that come again

_FORMAT, _VERSION = "rosewood mixture of language models", 1
_AT_ONCE = 1 << 12  # sentences that are scored at a time
_HEAD = 64  # bytes of a model that tell which one it is


class Mixture(Scorer):
    """Immutable; any number of threads can share it."""

    def __init__(
        self,
        models: Sequence[Model],
        weights: Sequence[float],
        *,
        facts: dict[str, Any] | None = None,
    ) -> None:
        self.models = tuple(models)
        self.weights = _checked(self.models, weights)
        self.facts: dict[str, Any] = dict(facts or {})
        self.path: Path | None = None
        self.vocabulary = UnionVocabulary([model.vocabulary for model in self.models])
        self._log_weights = [math.log10(w) if w else -math.inf for w in self.weights]

    @property
    def order(self) -> int:
        """How long the longest n-grams of any model are."""
        return max(model.order for model in self.models)

    @property
    def start(self) -> MixtureState:
        """The state at the beginning of a sentence."""
        return tuple(model.start for model in self.models)

    @property
    def no_context(self) -> MixtureState:
        """The state where nothing is known of what came before."""
        return tuple(model.no_context for model in self.models)

    def to_dict(self) -> dict[str, Any]:
        """What it is, in numbers."""
        return {
            "order": self.order,
            "words": len(self.vocabulary),
            "models": [str(model.path) for model in self.models],
            "weights": list(self.weights),
        }

    # -- sentences ---------------------------------------------------------------------------------

    def score(self, sentence: Sentence, *, begin: bool = True, end: bool = True) -> float:
        """log10 of the probability of a sentence."""
        return sum(word.score for word in self.words(sentence, begin=begin, end=end))

    def words(self, sentence: Sentence, *, begin: bool = True, end: bool = True) -> list[WordScore]:
        """Each word with its score; the length is that of the longest n-gram of any model."""
        scores = self.words_batch([sentence], begin=begin, end=end)
        return scores.of_sentence(0, [*words_of(sentence), END])

    def _word_scores(
        self, sentences: Sentences, **how: Unpack[ScoreOptions]
    ) -> Iterator[BatchScores]:
        for scores in _scored(self.models, sentences, **how):
            unknown = np.stack([each.word == 0 for each in scores])
            yield BatchScores(
                scores[0].start,
                self._mixed(np.stack([each.score for each in scores]), unknown),
                np.max([each.length for each in scores], axis=0),
                self.vocabulary.merged([each.word for each in scores]),
            )

    def _mixed(
        self, scores: NDArray[np.float64], unknown: NDArray[np.bool_]
    ) -> NDArray[np.float64]:
        """log10 of the mean, from rows of log10 of each model."""
        return _log10_sum(
            _shared(scores, unknown, self.vocabulary.shares) + np.array(self._log_weights)[:, None]
        )

    # -- contexts ----------------------------------------------------------------------------------

    def advance(self, state: MixtureState, word: str | int) -> tuple[float, MixtureState]:
        """log10 of the probability of a word after a state, and the state after the word."""
        number = self.vocabulary.id(word) if isinstance(word, str) else word
        each = self.vocabulary.in_models(number)
        steps = [
            model.advance(part, known)
            for model, part, known in zip(self.models, state, each, strict=True)
        ]
        # As _mixed, without arrays of one number.
        rows = [
            score - (0 if known else math.log10(share)) + weight
            for (score, _), known, share, weight in zip(
                steps, each, self.vocabulary.shares, self._log_weights, strict=True
            )
        ]
        highest = max(rows)
        score = highest + math.log10(math.fsum(10.0 ** (row - highest) for row in rows))
        return score, tuple(after for _, after in steps)

    def state(self, context: MixtureState | Sentence) -> MixtureState:
        """What can matter of a context: of words, or a state."""
        if _is_state(context):
            parts = zip(self.models, cast(MixtureState, context), strict=True)
            return tuple(model.state(part) for model, part in parts)
        return tuple(model.state(cast(Sentence, context)) for model in self.models)

    def distribution(self, context: MixtureState | Sentence | None = None) -> NDArray[np.float64]:
        """The probability of every word after a context, by number; at first after `<s>`."""
        total = np.zeros(len(self.vocabulary))
        parts = self.start if context is None else self.state(context)
        for number, (model, part) in enumerate(zip(self.models, parts, strict=True)):
            spread = self.vocabulary.spread(number, model.distribution(part))
            total += self.weights[number] * spread
        return total

    def _sample(
        self, count: int, seed: int, max_words: int, context: Any, threads: int
    ) -> list[str]:
        """A word comes from a model that is drawn by weight.  It is done in one thread."""
        begin = self.start if context is None else self.state(context)

        @lru_cache(max(1, _REMEMBERED // len(self.vocabulary)))
        def sums_of(chosen: int, state: State) -> NDArray[np.float64]:
            """The probabilities of a model after a state, added up word by word."""
            p = self.models[chosen].distribution(state)
            sums: NDArray[np.float64] = np.cumsum(self.vocabulary.spread(chosen, p))
            return sums

        return [
            " ".join(self._drawn(np.random.default_rng([seed, k]), begin, max_words, sums_of))
            for k in range(count)
        ]

    def _drawn(
        self,
        chance: np.random.Generator,
        state: MixtureState,
        most: int,
        sums_of: Callable[[int, State], NDArray[np.float64]],
    ) -> Iterator[str]:
        for _ in range(most):
            chosen = int(chance.choice(len(self.models), p=self.weights))
            sums = sums_of(chosen, state[chosen])
            word = int(np.searchsorted(sums, chance.random() * sums[-1], side="right"))
            word = min(word, len(sums) - 1)
            if word == 2:
                return
            yield self.vocabulary.word(word)
            _, state = self.advance(state, word)

    # -- weights and files -------------------------------------------------------------------------

    @classmethod
    def tuned(
        cls,
        models: Sequence[Model],
        sentences: Sentences,
        *,
        iterations: int = 200,
        tolerance: float = 1e-7,
        threads: int = 1,
    ) -> Mixture:
        """The weights under which a held-out text is likeliest, found by EM from equal ones.

        It stops when the log10 of a word, in the mean, rises by less than `tolerance`.  `facts`
        then has perplexities: of the mixture, of equal weights, and of each model by itself.
        """
        as_count("iterations", iterations, 0, error=LanguageModelError)
        equal = cls(models, [1 / max(1, len(models))] * len(models))
        shares = equal.vocabulary.shares
        rows = [
            _shared(
                np.stack([each.score for each in scores]),
                np.stack([each.word == 0 for each in scores]),
                shares,
            )
            for scores in _scored(equal.models, sentences, begin=True, end=True, threads=threads)
        ]
        if not rows:
            reason = "weights of a mixture are tuned on a text: there is none"
            raise LanguageModelError(reason, code="argument.missing", argument="sentences")
        scores = np.concatenate(rows, axis=1)
        weights, trace = _climbed(scores, iterations, tolerance)
        facts = {
            "tuned": {
                "words": scores.shape[1],
                "iterations": len(trace) - 1,
                "log10": trace,
                "perplexity": float(10.0 ** -trace[-1]),
                "perplexity_of_equal_weights": float(10.0 ** -trace[0]),
                "perplexity_of_each": [float(10.0 ** -row.mean()) for row in scores],
            }
        }
        return cls(models, weights, facts=facts)

    def save(self, path: PathName) -> None:
        """Write weights, and paths of the models as they are seen from the file's folder."""
        for model in self.models:
            model.check_lasting()
        place = Path(path).resolve().parent
        table = {
            "format": _FORMAT,
            "version": _VERSION,
            "models": [
                {
                    "path": _relative(model.path, place),
                    "weight": weight,
                    "head": _sign_of(model.path),
                }
                for model, weight in zip(self.models, self.weights, strict=True)
            ],
            "facts": self.facts,
        }
        with whole_file(path) as stream:
            stream.write((json.dumps(table, ensure_ascii=False, indent=1) + "\n").encode())

    @classmethod
    def open(cls, path: PathName) -> Mixture:
        """Map the models of a mixture; each must be the one that it was made of."""
        place = Path(path)
        try:
            table = json.loads(place.read_bytes().decode())
            is_ours = (table["format"], table["version"]) == (_FORMAT, _VERSION)
            rows = [(str(m["path"]), float(m["weight"]), str(m["head"])) for m in table["models"]]
            facts = dict(table["facts"])
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            reason = "it is no mixture of language models"
            raise DamagedFileError(reason, code="file.damaged", file=path) from error
        if not is_ours:
            raise DamagedFileError(
                f"it is {table['format']!r}, version {table['version']!r}; this release reads "
                f"{_FORMAT!r}, version {_VERSION}",
                code="file.version", value=(table["format"], table["version"]),
                expected=(_FORMAT, _VERSION), file=path,
            )  # fmt: skip
        models = []
        for name, _, sign in rows:
            file = place.resolve().parent / name
            models.append(Model.open(file))
            if _sign_of(file) != sign:
                reason = f"{name} is not the model that the mixture was made of"
                raise DamagedFileError(reason, code="file.changed", value=name, file=path)
        try:
            found = cls(models, [weight for _, weight, _ in rows], facts=facts)
        except LanguageModelError as error:
            raise error.restated(str(error), DamagedFileError, file=path) from error
        found.path = place
        return found

    def __repr__(self) -> str:
        parts = (f"{w:.4g} {str(m.path)!r}" for w, m in zip(self.weights, self.models, strict=True))
        return f"Mixture({' + '.join(parts)})"

    def __reduce__(self) -> tuple[object, ...]:
        if self.path is not None:
            return (Mixture.open, (self.path,))
        return (Mixture, (self.models, self.weights))


def _checked(models: Sequence[Model], weights: Sequence[float]) -> tuple[float, ...]:
    """Weights that are a distribution over the models, scaled to add up to 1 exactly enough."""
    if not models:
        reason = "a mixture needs models"
        raise LanguageModelError(reason, code="argument.missing", argument="models")
    for model in models:
        check_type("models", model, Model, "a Model", error=LanguageModelError)
    check_length("weights", weights, len(models), "model", error=LanguageModelError)
    plain = [float(weight) for weight in weights]
    total = math.fsum(plain)
    if not all(0 <= weight <= 1 for weight in plain) or abs(total - 1) > 1e-6:
        told = ", ".join(f"{weight:g}" for weight in plain)
        reason = f"weights of a mixture are from 0 to 1 and add up to 1: {told}"
        raise LanguageModelError(reason, code="argument.range", argument="weights", value=plain)
    return tuple(weight / total for weight in plain)


def _scored(
    models: Sequence[Model], sentences: Sentences, **how: Unpack[ScoreOptions]
) -> Iterator[list[BatchScores]]:
    """Some sentences at a time, scored by each model."""
    rest = iter(sentences)
    for first in count(1, _AT_ONCE):
        if not (some := list(islice(rest, _AT_ONCE))):
            return
        yield [BatchScores.joined(model._word_scores(some, first=first, **how)) for model in models]


def _shared(
    scores: NDArray[np.float64], unknown: NDArray[np.bool_], shares: Sequence[int]
) -> NDArray[np.float64]:
    """log10 of each model (a row) as the mixture takes it: unknown words share that of `<unk>`."""
    return scores - unknown * np.log10(np.array(shares, dtype=np.float64))[:, None]


def _log10_sum(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """log10 of the sum over rows, each a log10; one column at a time, in one order."""
    highest = rows.max(axis=0)
    total = np.zeros(rows.shape[1])
    for row in rows:
        total += np.power(10.0, row - highest)
    return cast(NDArray[np.float64], highest + np.log10(total))


def _climbed(
    scores: NDArray[np.float64], iterations: int, tolerance: float
) -> tuple[list[float], list[float]]:
    """Weights, and the mean log10 of a word before and after each iteration of EM."""
    weights = np.full(len(scores), 1 / len(scores))
    highest = scores.max(axis=0)
    p = np.power(10.0, scores - highest)
    mean = p.T @ weights
    trace = [float((highest + np.log10(mean)).mean())]
    for _ in range(iterations):
        weights = (p * weights[:, None] / mean).mean(axis=1)
        weights /= weights.sum()
        mean = p.T @ weights
        trace.append(float((highest + np.log10(mean)).mean()))
        if trace[-1] - trace[-2] < tolerance:
            break
    return weights.tolist(), trace


def _is_state(context: object) -> bool:
    is_tuple = isinstance(context, tuple) and len(context) > 0  # without any, it is no words
    return is_tuple and all(isinstance(part, tuple) for part in cast(tuple[object], context))


def _relative(path: Path, place: Path) -> str:
    try:
        return Path(os.path.relpath(path.resolve(), place)).as_posix()
    except ValueError:  # another drive
        return path.resolve().as_posix()


def _sign_of(path: Path) -> str:
    """Which model it is: its head has the checksum of its contents, which have those of the rest.

    It is no CRC: that of bytes which end with their own is always the same.
    """
    with path.open("rb") as stream:
        return hashlib.sha256(stream.read(_HEAD)).hexdigest()[:16]
