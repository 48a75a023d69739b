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

from rosewood.arguments import check_choice
from rosewood.corpus.standard_streams import name_of, source_of
from rosewood.errors import DecodingError
from rosewood.pipeline.line_settings import KnownText
from rosewood.reorder.plugins import REORDERING
from rosewood.rules.settings import KINDS
from rosewood.settings import Settings, setting, settings_of
from rosewood.shared_types import PathName

if TYPE_CHECKING:
    from rosewood.corpus import TextProcessor
    from rosewood.decode import Decoder, Glossary, TextTranslator
    from rosewood.lm import Mixture, Model

_NAME = re.compile(r"[\w.-]+")  # of a language model's feature
_SPARSE = {"rule": "rule_ids", "word": "target_words"}  # settings by template
_text = partial(setting, group="Raw text")
_LEXICALIZED = ("lexicalized",)


@dataclass(frozen=True, kw_only=True)
class DecoderParts(Settings):
    """The parts of a model, from files."""

    error = DecodingError
    group = "Model"

    rules: PathName | None = setting(
        None,
        "Rule table of phrases: a folder made by rosewood extract or rules import.",
        metavar="TABLE", types_none=False,
    )  # fmt: skip
    grammar: PathName | None = setting(
        None,
        "Rule table with gaps, for hierarchical search: a folder made by rosewood extract "
        "--hierarchical or rules import.",
        metavar="TABLE", types_none=False,
    )  # fmt: skip
    lm: tuple[str, ...] = setting(
        help="Language model (.rlm) or ARPA file; its feature is called NAME, or lm. Repeatable.",
        metavar="[NAME=]FILE",
    )
    weights: PathName | None = setting(
        None,
        'Weights as JSON, {"feature": weight, …}, from tune. Every dense feature needs one.',
        default_text="untuned ones",
    )
    reordering: tuple[str, ...] = setting(
        ("lexicalized",),
        "Reordering model: a name, or the folder of a trained one (rosewood reorder train). "
        "Repeatable: several are separate features.",
        metavar="NAME|FOLDER",
        known=REORDERING.names,
    )
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

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.rules is None) == (self.grammar is None):
            code = "argument.missing" if self.rules is None else "argument.conflict"
            reason = "either --rules (phrases) or --grammar (rules with gaps) is needed"
            raise DecodingError(reason, code=code, argument="--rules")
        is_reordered = self.reordering != _LEXICALIZED or self.reorder_kind not in (None, "none")
        if self.grammar is not None and is_reordered:
            reason = "reordering models are for phrases: rules of a --grammar move their gaps"
            raise DecodingError(reason, code="argument.conflict", argument="--grammar")

    @property
    def kind(self) -> str:
        """The decoder of these rules, by its name in `DECODERS`."""
        return "phrase" if self.grammar is None else "hiero"

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
        self, models: Mapping[str, Model | Mixture], limits: Mapping[str, Any] | None = None
    ) -> Decoder:
        """The decoder of these parts; `limits` are search settings other than its defaults."""
        from rosewood.corpus.lines import at
        from rosewood.decode import RuleIds, TargetWords, decoder_kind
        from rosewood.model import read_weights
        from rosewood.rules import RuleTable

        kind = decoder_kind(self.kind)
        settings = self._search(kind.settings_type, limits or {})
        table = RuleTable.open(self.rules or self.grammar or "")
        decoder = kind.make(
            {"rules": table, "lm": dict(models), "reorder": self._reordering(table)},
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

    def _search(self, settings_type: type, limits: Mapping[str, Any]) -> Any:
        """Search settings of the decoder; those of other decoders are refused."""
        own = {each.name for each in settings_of(settings_type)}
        for name in limits:
            if name not in own:
                option, given = (
                    f"--{name.replace('_', '-')}",
                    "grammar" if self.grammar else "rules",
                )
                reason = f"{option} has no meaning with --{given}: leave it out"
                raise DecodingError(
                    reason, code="argument.conflict", argument=option, value=limits[name]
                )
        return settings_type(**limits)

    def _reordering(self, table: Any) -> Any:
        from rosewood.reorder import Lexicalized

        if self.reorder_kind is None or self.grammar is not None:
            return None if self.reordering == _LEXICALIZED else tuple(map(_model, self.reordering))
        if self.reorder_kind == "none":
            return ()
        if self.reordering != _LEXICALIZED:
            reason = "--reorder-kind is for lexicalized models: trained ones have their own"
            raise DecodingError(
                reason, code="argument.conflict", argument="--reorder-kind", value=self.reorder_kind
            )
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
        limits: Mapping[str, Any] | None = None,
    ) -> TextTranslator:
        """The decoder, with processors of text and known translations."""
        from rosewood.corpus import TextProcessor
        from rosewood.decode import TextTranslator

        decoder = self.decoder(models, limits)
        if (self.text_source is None) != (self.text_target is None):
            missing = "--text-source" if self.text_source is None else "--text-target"
            reason = "raw text needs both --text-source and --text-target"
            raise DecodingError(reason, code="argument.missing", argument=missing)
        source = None if self.text_source is None else TextProcessor.load(self.text_source)
        target = None if self.text_target is None else TextProcessor.load(self.text_target)
        known = known or KnownText()
        terms = read_glossary(known.glossary, source, target)
        return TextTranslator(
            decoder, source, target, glossary=terms, inline=known.inline, casing=known.casing,
            localise_numbers=known.localise_numbers,
        )  # fmt: skip


def _model(name: str) -> Any:
    """A reordering model by name, or that of a folder."""
    from rosewood.reorder.linear import MANIFEST, LinearReordering

    if (Path(name) / MANIFEST).exists():
        return LinearReordering.open(name)
    check_choice(
        "reordering", name, (*REORDERING.names(), "a folder of a model"), error=DecodingError
    )
    return name


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
