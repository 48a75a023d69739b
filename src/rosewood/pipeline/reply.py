"""All that is known of a translation in one answer: its words, how sure it is, what else there is.

reply = translator.reply("das haus ist klein", nbest=5)
reply.translation; reply.confidence; reply.alignment; reply.features
for other in reply.alternatives: print(other.posterior, other.translation)
json.dumps(reply.to_dict())                 # a line of `rosewood translate --json`
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
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
from rosewood.memory import MemoryMatch
from rosewood.model.confidence import Confidence
from rosewood.pipeline.confidence import Sureness, confidences

Links = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Said:
    """A translation as text, and the words, rules and features that it is made of.

    Where the search found no translation, such as a reference, the report says so; it is empty.
    A translation that is an exact match of a translation memory has words, but no links, score,
    features and rules.
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
    lost: tuple[str, ...]  # placeholders of the source that the translation lacks
    added: tuple[str, ...]  # placeholders that rules have put there
    match: MemoryMatch | None = field(default=None, kw_only=True)  # of a translation memory
    is_remembered: bool = field(default=False, kw_only=True)  # the translation is the memory's

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        is_there = self.report.reachable or self.is_remembered
        return {
            "src": self.source,
            "translation": self.translation if is_there else None,
            "match": None if self.match is None else self.match.to_dict(),
            **self._sureness(),
            "source_words": list(self.source_words),
            "words": list(self.words),
            "alignment": [list(link) for link in self.alignment],
            "score": self.score if is_there and not self.is_remembered else None,
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
            "placeholders": {"lost": list(self.lost), "added": list(self.added)},
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
    `confidence` their mean, where words of the source that are left out count as wrong ones.
    `alternatives` say different things, the most probable first; what was chosen is among them,
    and none has a higher confidence.
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
    said = text.answer_of(found.best, prepared) if chosen is None else chosen
    decoder = text.decoder
    theta = decoder.theta()
    others = alternatives(found, theta, nbest, distinct=True) if nbest else []
    own: Sureness | None = None
    theirs: list[Sureness] = []
    if others or not said.is_remembered:
        unknown = getattr(decoder, "unknown", None)
        own, *theirs = confidences(found, theta, how, [said.translation, *others], unknown)
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
    listed.sort(key=lambda each: -each.posterior)  # of equal ones the best score stays first
    if own is None or said.is_remembered:
        each_word = (1.0,) * len(_words(said))
        return Reply(
            **_common(said, ()), confidence=1.0, posterior=1.0, word_confidence=each_word,
            alternatives=tuple(listed),
        )  # fmt: skip
    return Reply(
        **_common(said, decoder.features.dense),
        confidence=own.mean,
        posterior=own.posterior,
        word_confidence=own.words,
        alternatives=tuple(listed),
    )


def _common(said: TranslatedText, dense: Sequence[str]) -> dict[str, Any]:
    chosen: Translation = said.translation
    common = {
        "source": said.prepared.text,
        "translation": said.text,
        "source_words": said.prepared.words,
        "words": _words(said),
        "report": chosen.report,
        "match": said.prepared.match,
        "is_remembered": said.is_remembered,
        "lost": said.lost,
        "added": said.added,
    }
    if said.is_remembered:
        return common | {"alignment": (), "score": 0.0, "features": {}, "rules": ()}
    return common | {
        "alignment": chosen.links,
        "score": chosen.score,
        "features": all_features(chosen, dense) if chosen.report.reachable else {},
        "rules": chosen.rules,
    }


def _words(said: TranslatedText) -> tuple[str, ...]:
    return said.words if said.is_remembered else said.prepared.words_of(said.translation)
