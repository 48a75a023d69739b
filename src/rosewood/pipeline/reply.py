"""All that is known of a translation in one answer: its words, how sure it is, what else there is.

reply = translator.reply("das haus ist klein", nbest=5)
reply.translation; reply.confidence; reply.alignment; reply.features
for other in reply.alternatives: print(other.posterior, other.translation)
json.dumps(reply.to_dict())                 # a line of `rosewood translate --json`
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rosewood.decode import (
    PreparedText,
    RuleUse,
    SearchReport,
    SearchResult,
    TextTranslator,
    TranslatedText,
    Translation,
    alternatives,
)
from rosewood.decode.derivation_tree import tree_facts
from rosewood.decode.nbest import all_features
from rosewood.model.confidence import Confidence
from rosewood.pipeline.confidence import confidences

Links = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Said:
    """A translation as text, and the words, rules and features that it is made of.

    Where the search found no translation, such as a reference, the report says so; it is empty.
    """

    source: str
    translation: str
    source_words: tuple[str, ...]
    words: tuple[str, ...]
    alignment: Links  # places of source words and of target words, from 0
    score: float
    features: Mapping[str, float]  # dense ones even where they are 0
    rules: tuple[RuleUse, ...]  # of the derivation, children first
    report: SearchReport

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        is_there = self.report.reachable
        return {
            "src": self.source,
            "translation": self.translation if is_there else None,
            **self._sureness(),
            "source_words": list(self.source_words),
            "words": list(self.words),
            "alignment": [list(link) for link in self.alignment],
            "score": self.score if is_there else None,
            "features": dict(self.features),
            "phrases": [
                {
                    "source": [use.begin, use.end],
                    "target": [use.target_begin, use.target_end],
                    "source_spans": [list(span) for span in use.source_spans],
                    "target_spans": [list(span) for span in use.target_spans],
                    "children": list(use.children),
                    "rule": use.rule,
                    "is_unknown": use.is_unknown,
                    "is_forced": use.is_forced,
                    **more,
                }
                for use, more in zip(self.rules, tree_facts(self.rules), strict=True)
            ],
            "report": asdict(self.report),
        }

    def _sureness(self) -> dict[str, Any]:
        return {}


@dataclass(frozen=True)
class Alternative:
    """An alternative translation."""

    translation: str
    confidence: float
    posterior: float
    words: tuple[str, ...]
    alignment: Links
    score: float
    features: Mapping[str, float]

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "translation": self.translation,
            "confidence": self.confidence,
            "posterior": self.posterior,
            "words": list(self.words),
            "alignment": [list(link) for link in self.alignment],
            "score": self.score,
            "features": dict(self.features),
        }


@dataclass(frozen=True)
class Reply(Said):
    """A translation with how sure it is, and the best of what else might be said.

    `posterior` is the probability of the whole string, all its derivations together;
    `word_confidence` how likely each word is right, by what was right on held-out text, and
    `confidence` their mean.
    `alternatives` say different things, the best first; what was chosen is among them.
    """

    confidence: float
    posterior: float
    word_confidence: tuple[float, ...]
    alternatives: tuple[Alternative, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {**super().to_dict(), "alternatives": [each.to_dict() for each in self.alternatives]}

    def _sureness(self) -> dict[str, Any]:
        return {
            "confidence": self.confidence,
            "posterior": self.posterior,
            "word_confidence": list(self.word_confidence),
        }


def said_of(said: TranslatedText, dense: Sequence[str]) -> Said:
    """A reply made without a forest; features named in `dense` are listed even where they are 0."""
    return Said(**_common(said, dense))


def reply_of(
    text: TextTranslator,
    prepared: PreparedText,
    found: SearchResult,
    how: Confidence,
    *,
    nbest: int = 0,
    chosen: TranslatedText | None = None,
) -> Reply:
    """The answer to a text that was searched: about the best translation, or another `chosen` one.

    `how` sure it is, the model knows; `nbest` alternatives come with it.
    """
    said = text.text_of(found.best, prepared) if chosen is None else chosen
    decoder = text.decoder
    theta = decoder.theta()
    others = alternatives(found, theta, nbest, distinct=True) if nbest else []
    own, *theirs = confidences(found, theta, how, [said.translation, *others])
    listed = []
    for other, sure in zip(others, theirs, strict=True):
        listed.append(
            Alternative(
                text.text_of(other, prepared).text,
                sure.mean,
                sure.posterior,
                prepared.words_of(other),
                other.links,
                other.score,
                all_features(other, decoder.features.dense),
            )
        )
    return Reply(
        **_common(said, decoder.features.dense),
        confidence=own.mean,
        posterior=own.posterior,
        word_confidence=own.words,
        alternatives=tuple(listed),
    )


def _common(said: TranslatedText, dense: Sequence[str]) -> dict[str, Any]:
    chosen: Translation = said.translation
    return {
        "source": said.prepared.text,
        "translation": said.text,
        "source_words": said.prepared.words,
        "words": said.prepared.words_of(chosen),
        "alignment": chosen.links,
        "score": chosen.score,
        "features": all_features(chosen, dense) if chosen.report.reachable else {},
        "rules": chosen.rules,
        "report": chosen.report,
    }
