"""The decoder contract: what the pipeline, tuners, consensus and the command ask of a decoder.

    decoder.search("das haus ist klein")             # a SearchResult: forest, best, report
    decoder.translate(lines, threads=2)              # best translations only, no forests
    decoder.with_weights(weights).theta()

A *kind* of decoder makes decoders from the opened parts of a model (`DecoderKind`); `DECODERS` has
them by name, and a bundle or a training run names the one it uses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any, Literal, Protocol, Self, runtime_checkable

from rosewood.arrays import FloatArray
from rosewood.decode.plugins import DECODERS
from rosewood.decode.results import SearchResult
from rosewood.decode.source import Sentence
from rosewood.decode.translation import Translation
from rosewood.forest import FeatureSpace, Forest

UnknownWords = Literal["copy", "drop"] | Callable[[str], "str | Sequence[str] | None"]


@runtime_checkable
class Decoder(Protocol):
    """Models and weights; sentences in, forests out.  Safe to use from several threads."""

    @property
    def features(self) -> FeatureSpace:
        """The features of its forests; θ follows their order."""
        ...

    @property
    def weights(self) -> Mapping[str, float]:
        """Weights by feature name."""
        ...

    @property
    def settings(self) -> Any:
        """Search settings: a frozen dataclass of the decoder's kind."""
        ...

    def search(self, sentence: Sentence) -> SearchResult:
        """Search one sentence: its forest, best translation and report."""
        ...

    def search_all(
        self, sentences: Iterable[Sentence], *, threads: int = 1
    ) -> Iterator[SearchResult]:
        """Search many sentences; results in their order, the same at any number of threads."""
        ...

    def decode(self, sentence: Sentence) -> Forest:
        """The forest of a sentence's translations."""
        ...

    def translate(
        self, sentences: Iterable[Sentence], *, threads: int = 1
    ) -> Iterator[Translation]:
        """The best translation of each sentence, without making forests."""
        ...

    def with_weights(self, weights: Mapping[str, float]) -> Self:
        """The same decoder with other weights; the feature space is shared."""
        ...

    def with_settings(self, settings: Any) -> Self:
        """The same decoder with other search settings."""
        ...

    def default_weights(self) -> dict[str, float]:
        """Weights from which tuning starts."""
        ...

    def theta(self) -> FloatArray:
        """The weights as a vector in the order of `features`, which may have grown."""
        ...


class DecoderKind(Protocol):
    """Makes decoders of one kind from the opened parts of a model.

    It may have `extraction`, settings of `rosewood.rules.extract` without which it has no use for
    rules; a training run extracts them so.  With `reorders = False` no reordering
    models are trained for it.
    """

    @property
    def settings_type(self) -> type:
        """The dataclass of its search settings."""
        ...

    def make(
        self,
        parts: Mapping[str, Any],
        *,
        settings: Any,
        weights: Mapping[str, float] | None = None,
        unknown: UnknownWords = "copy",
        features: Sequence[Any] = (),
    ) -> Decoder:
        """A decoder from opened parts: "rules" (a RuleTable), "lm" (language models by name), …"""
        ...


def decoder_kind(name: str) -> DecoderKind:
    """The kind of decoder of this name."""
    return DECODERS[name]


def extraction_of(kind: DecoderKind) -> dict[str, Any]:
    """Settings with which rules are extracted for decoders of this kind."""
    return dict(getattr(kind, "extraction", {}))


def reorders(kind: DecoderKind) -> bool:
    """Whether decoders of this kind may take reordering models."""
    return bool(getattr(kind, "reorders", True))


def search_settings(kind: DecoderKind, values: Mapping[str, Any]) -> Any:
    """Search settings of a kind from a table of values; names that it does not have are ignored.

    A training run has one table of search options for all kinds of decoders.
    """
    own = {each.name for each in fields(kind.settings_type)}
    return kind.settings_type(**{name: value for name, value in values.items() if name in own})
