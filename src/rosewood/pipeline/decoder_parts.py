"""A decoder from files: rules, language models and weights that are not a model folder.

parts = DecoderParts(rules="rules", lm=("en.rlm",), weights="weights.json")
translator = parts.translator(parts.open_models())
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rosewood.corpus.standard_streams import name_of, source_of
from rosewood.errors import DecodingError
from rosewood.pipeline.line_settings import KnownText
from rosewood.reorder.plugins import REORDERING
from rosewood.rules.settings import KINDS
from rosewood.settings import Settings, setting
from rosewood.shared_types import PathName

if TYPE_CHECKING:
    from rosewood.corpus import TextProcessor
    from rosewood.decode import Decoder, Glossary, SearchSettings, TextTranslator
    from rosewood.lm import Mixture, Model

_NAME = re.compile(r"[\w.-]+")  # of a language model's feature
_SPARSE = {"rule": "rule_ids", "word": "target_words"}  # settings by template
_text = partial(setting, group="Raw text")


@dataclass(frozen=True)
class DecoderParts(Settings):
    """The parts of a model, from files."""

    error = DecodingError
    group = "Model"

    rules: PathName = setting(
        help="Rule table: a folder made by rosewood extract or rules import.", metavar="TABLE"
    )
    lm: tuple[str, ...] = setting(
        help="Language model (.rlm) or ARPA file; its feature is called NAME, or lm. Repeatable.",
        metavar="[NAME=]FILE",
    )
    weights: PathName | None = setting(
        None,
        'Weights as JSON, {"feature": weight, …}, from tune. Every dense feature needs one.',
        default_text="untuned ones",
    )
    reordering: str = setting("lexicalized", "Reordering model.", choices=REORDERING.names)
    reorder_kind: str | None = setting(
        None,
        "Orientations of the reordering model: word, phrase or hierarchy; none disables it.",
        choices=(*KINDS, "none"), default_text="as the table was made", metavar="KIND",
        types_none=False,
    )  # fmt: skip
    unknown: str = setting(
        "copy", "Words without a rule are copied or dropped.", choices=("copy", "drop")
    )
    rule_ids: bool = setting(False, "Add a sparse feature per rule: rule:ID.")
    target_words: bool = setting(False, "Add a sparse feature per target word: word:WORD.")
    text_source: PathName | None = _text(
        None,
        "The input is raw text: processor file saved by rosewood text. Tags are put back, "
        "placeholders kept.",
    )
    text_target: PathName | None = _text(
        None, "The output is raw text: processor file of the target language."
    )
    confidence: float | None = setting(
        None,
        "With --json: add confidence, where scores times SCALE are log probabilities, and "
        "alternatives with posteriors instead of hyps.",
        group="Output", metavar="SCALE",
    )  # fmt: skip

    @property
    def files(self) -> list[PathName | None]:
        """Files that are read, except those of rules and language models."""
        return [self.weights, self.text_source, self.text_target]

    def open_models(
        self, opened: Callable[[Path], Model | Mixture] | None = None
    ) -> dict[str, Model | Mixture]:
        """The language models of [NAME=]FILE; the decoder says which it can use."""
        from rosewood.lm import open_model

        named: dict[str, Path] = {}
        for text in self.lm:
            name, equals, file = text.partition("=")
            if not equals or Path(text).exists():
                name, file = "lm", text
            if not _NAME.fullmatch(name):
                raise DecodingError(
                    f"--lm {text}: the name {name!r} has characters other than letters, digits, "
                    ". _ -",
                    code="argument.value", argument="--lm", value=name,
                )  # fmt: skip
            if name in named:
                raise DecodingError(
                    f"--lm {text}: two language models are called {name!r}: give them names, as in "
                    "--lm news=news.rlm",
                    code="argument.duplicate", argument="--lm", value=name,
                )  # fmt: skip
            named[name] = Path(file)
        return {name: (opened or open_model)(file) for name, file in named.items()}

    def decoder(
        self, models: Mapping[str, Model | Mixture], settings: SearchSettings | None = None
    ) -> Decoder:
        """The decoder of these parts."""
        from rosewood.corpus.lines import at
        from rosewood.decode import PhraseDecoder, RuleIds, TargetWords
        from rosewood.model import read_weights
        from rosewood.rules import RuleTable

        table = RuleTable.open(self.rules)
        decoder = PhraseDecoder(
            table,
            dict(models),  # type: ignore[arg-type]  # a mixture is refused, with a reason
            reorder=self._reordering(table),
            features=[*([RuleIds()] * self.rule_ids), *([TargetWords()] * self.target_words)],
            settings=settings,
            unknown=self.unknown,  # type: ignore[arg-type]
        )
        if self.weights is None:
            return decoder
        named = read_weights(self.weights)
        with at(str(self.weights), None):
            self._check_sparse(named)
            return decoder.with_weights(named)

    def _reordering(self, table: Any) -> Any:
        from rosewood.reorder import Lexicalized

        if self.reorder_kind is None:
            return None if self.reordering == "lexicalized" else (self.reordering,)
        if self.reorder_kind == "none":
            return ()
        found = Lexicalized.of(table, kind=self.reorder_kind)  # type: ignore[arg-type]
        if found is None:
            raise DecodingError(
                f"--reorder-kind {self.reorder_kind}: {self.rules} has no orientations: make it "
                "with rosewood extract",
                code="file.mismatch", argument="--reorder-kind", value=self.reorder_kind,
                file=self.rules,
            )  # fmt: skip
        return found

    def _check_sparse(self, weights: Mapping[str, float]) -> None:
        """Refuses weights of features that the decoder does not have."""
        for name in weights:
            template, colon, _ = name.partition(":")
            setting = _SPARSE.get(template, "")
            if colon and not getattr(self, setting, False):
                hint = f" without --{setting.replace('_', '-')}" if setting else ""
                reason = f"there is a weight for {name!r}, but no such feature{hint}"
                raise DecodingError(reason, code="weights.unknown", argument="weights", value=name)

    def translator(
        self,
        models: Mapping[str, Model | Mixture],
        known: KnownText | None = None,
        settings: SearchSettings | None = None,
    ) -> TextTranslator:
        """The decoder, with processors of text and known translations."""
        from rosewood.corpus import TextProcessor
        from rosewood.decode import TextTranslator

        decoder = self.decoder(models, settings)
        if (self.text_source is None) != (self.text_target is None):
            missing = "--text-source" if self.text_source is None else "--text-target"
            reason = "raw text needs both --text-source and --text-target"
            raise DecodingError(reason, code="argument.missing", argument=missing)
        source = None if self.text_source is None else TextProcessor.load(self.text_source)
        target = None if self.text_target is None else TextProcessor.load(self.text_target)
        known = known or KnownText()
        terms = read_glossary(known.glossary, source, target)
        return TextTranslator(decoder, source, target, glossary=terms, inline=known.inline)


def read_glossary(
    file: PathName | None, source: TextProcessor | None, target: TextProcessor | None
) -> Glossary | None:
    """The glossary of a file or of standard input, if there is one."""
    from rosewood.decode import Glossary

    if file is None:
        return None
    return Glossary.read(
        source_of(file), source_text=source, target_text=target, file=name_of(file)
    )
