"""A model at work: text in, translations out, with everything that is known of them.

translator = Translator.load("model")
translator.translate("ein satz")
translator.reply("ein satz", nbest=5).confidence
translator.decode("ein satz")                          # a Forest
Translator.train("train.de", "train.en", dev=("dev.de", "dev.en"), output="model")
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, replace
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, overload

from rosewood.arguments import check_known, check_type, check_whole
from rosewood.decode import (
    Decoder,
    Explanation,
    Glossary,
    PreparedText,
    SearchResult,
    TextTranslator,
    decoder_kind,
    explain,
)
from rosewood.decode.guessing import unknown_words
from rosewood.decode.memory_lookup import open_lookup
from rosewood.decode.second_stage import SecondStageDecoder, split_weights
from rosewood.decode.stream import InputLine, TranslatedLine
from rosewood.errors import DamagedFileError, DecodingError
from rosewood.forest import BoostedTrees, Forest, SecondStage
from rosewood.model.bundle import Bundle
from rosewood.model.manifest import MANIFEST
from rosewood.pipeline.line_settings import MemorySettings
from rosewood.resources import MAX_MEMORY, check_threads
from rosewood.settings import settings_of
from rosewood.shared_types import PathName, ProgressCallback

if TYPE_CHECKING:
    from rosewood.learn.group_facts import GroupOfFeatures
    from rosewood.pipeline.document_translation import DocumentReport
    from rosewood.pipeline.findings import FindingCallback
    from rosewood.pipeline.inspection import Inspection
    from rosewood.pipeline.reply import Reply


class Translator:
    """A model that was opened.  Any number of threads may ask it."""

    def __init__(
        self,
        bundle: Bundle,
        *,
        glossary: Glossary | PathName | None = None,
        inline: bool = False,
        casing: str = "auto",
        localise_numbers: bool = True,
        threads: int = 1,
        memory: Literal["auto", "on", "off"] = "auto",
        memory_file: PathName | Sequence[PathName] = (),
        fuzzy: float | None = 0.7,
        fuzzy_constrain: Literal["auto", "on", "off"] = "auto",
        **search: Any,
    ) -> None:
        """`Translator.load` opens a folder.

        `inline` reads translations of spans from tags in the text; with `casing="keep"`, text in
        lower case, all caps or title case is searched as it is written; `localise_numbers` offers
        numbers and dates as the target language writes them.  `memory` and what follows are the
        fields of `MemorySettings`; `search` are limits that differ from the model's: see
        `SearchSettings` and `HieroSettings`.
        """
        expected = "a Bundle; Translator.load opens a folder"
        check_type("bundle", bundle, Bundle, expected, error=DecodingError)
        self.bundle = bundle
        self.threads = check_threads(threads, DecodingError)
        self.decoder = _decoder(bundle, search)
        source, target = bundle.source_text, bundle.target_text
        if glossary is not None and not isinstance(glossary, Glossary):
            glossary = Glossary.read(glossary, source_text=source, target_text=target)
        self.memory_settings = MemorySettings.from_values(
            {"memory": memory, "memory_file": memory_file, "fuzzy": fuzzy,
             "fuzzy_constrain": fuzzy_constrain}
        )  # fmt: skip
        self.memory = open_lookup(
            bundle, memory, self.memory_settings.memory_file, fuzzy, fuzzy_constrain
        )
        self.text = TextTranslator(
            self.decoder, source, target, glossary=glossary, inline=inline, casing=casing,
            localise_numbers=localise_numbers, memory=self.memory,
        )  # fmt: skip

    @classmethod
    def load(cls, folder: PathName, **options: Any) -> Translator:
        """The model of a folder: mapped, not read; options are those of `Translator`."""
        return cls(Bundle.open(folder), **options)

    @classmethod
    def train(
        cls,
        source: PathName | Sequence[PathName] = (),
        target: PathName | Sequence[PathName] = (),
        *,
        output: PathName,
        work: PathName | None = None,
        report: PathName | None = None,
        overwrite: bool = False,
        threads: int = 1,
        max_memory: int = MAX_MEMORY,
        told: ProgressCallback | None = None,
        strict: bool = False,
        on_finding: FindingCallback | None = None,
        **named: Any,
    ) -> Translator:
        """Train a model and open it: everything has the name that it has on the command line.

        Names are those of the fields of `TrainingFiles` and `TrainingSettings`; see `train` for
        the rest.
        """
        from rosewood.pipeline.file_settings import TrainingFiles
        from rosewood.pipeline.inputs import TrainingInputs
        from rosewood.pipeline.settings import TrainingSettings
        from rosewood.pipeline.training import train

        files = {each.name for each in settings_of(TrainingFiles)}
        others = {name: named.pop(name) for name in list(named) if name in files}
        inputs = TrainingInputs(source, target, **others)
        train(
            inputs, output, TrainingSettings.from_values(named), work=work, report=report,
            overwrite=overwrite, threads=threads, max_memory=max_memory, told=told,
            strict=strict, on_finding=on_finding,
        )  # fmt: skip
        return cls.load(output, threads=threads)

    @property
    def weights(self) -> dict[str, float]:
        """Weights by feature, as a new table; `decoder.weights` has them without copying."""
        return dict(self.decoder.weights)

    @overload
    def translate(  # type: ignore[overload-overlap]  # a text is no list of letters
        self, text: str, *, threads: int | None = None
    ) -> str: ...
    @overload
    def translate(self, text: Iterable[str], *, threads: int | None = None) -> list[str]: ...
    def translate(
        self, text: str | Iterable[str], *, threads: int | None = None
    ) -> str | list[str]:
        """The translation of a text, or of each of several."""
        several = [text] if isinstance(text, str) else text
        found = [each.text for each in self.stream(several, threads=threads)]
        return found[0] if isinstance(text, str) else found

    def stream(
        self,
        lines: Iterable[str | InputLine],
        *,
        threads: int | None = None,
        forests: bool = False,
        errors: Literal["raise", "keep"] = "raise",
        file: PathName | None = None,
        live: bool = False,
    ) -> Iterator[TranslatedLine]:
        """Lines translated as they come, in their order: see `rosewood.decode.stream`."""
        if threads is None:
            threads = self.threads
        return self.text.stream(
            lines, threads=threads, forests=forests, errors=errors, file=file, live=live
        )

    def translate_document(
        self, input: PathName, output: PathName, *, threads: int | None = None, **named: Any
    ) -> DocumentReport:
        """Translate a file and write it with its structure: PO, XLIFF, TMX, HTML, Markdown, SRT, …

        Names are those of the fields of `DocumentSettings`: `retranslate`, `marks`, `format`, ….
        """
        from rosewood.documents import DocumentSettings
        from rosewood.pipeline.document_translation import translate_document

        settings = DocumentSettings.from_values(named)
        if threads is None:
            threads = self.threads
        return translate_document(self, input, output, settings, threads=threads)

    def decode(self, sentence: str) -> Forest:
        """All translations that the search has met, packed."""
        return self.search(sentence)[1].forest

    def search(self, text: str) -> tuple[PreparedText, SearchResult]:
        """A text as the decoder takes it, and all that was found of it."""
        return self.text.search(text)

    def reply(self, text: str, *, nbest: int = 0) -> Reply:
        """A translation with its alignment, features and confidence, and `nbest` others."""
        return next(self.replies([text], nbest=nbest))

    def replies(
        self, texts: Iterable[str], *, nbest: int = 0, threads: int | None = None
    ) -> Iterator[Reply]:
        """The same of many texts, in their order."""
        from rosewood.pipeline.reply import reply_of

        nbest = check_whole("nbest", nbest, low=0, error=DecodingError)
        how = self.bundle.confidence
        threads = self.threads if threads is None else threads
        lines = self.text.stream(texts, threads=threads, forests=True, skip_known=nbest == 0)
        return (
            reply_of(self.text, line.prepared, line.search, how, nbest=nbest)
            for line in lines
            if line.search is not None
        )

    def explain(self, text: str) -> Explanation:
        """The contribution of each feature to each phrase of the translation."""
        prepared, found = self.search(text)
        return prepared.shown(explain(found, self.decoder.weights), found.best)

    def inspect(self, text: str, *, options: int = 5, nbest: int = 5) -> Inspection:
        """Everything that is known of a text and its translation: see `rosewood inspect`."""
        from rosewood.pipeline.inspection import inspect  # which draws: few want it

        for name, count in (("options", options), ("nbest", nbest)):
            check_whole(name, count, low=0, error=DecodingError)
        return inspect(self, text, options=options, nbest=nbest)

    def groups(self, most: int | None = 20, *, examples: int = 5) -> list[GroupOfFeatures]:
        """The largest groups of features that share a weight, which `tune="oscar"` learns."""
        if "groups" not in self.bundle.part_names:
            reason = "the model has no groups of features: train it with tune oscar"
            raise DecodingError(reason, code="model.no-groups", file=self.bundle.folder)
        from rosewood.learn.group_facts import largest_groups

        return largest_groups(
            self.bundle.part("groups"), self.bundle.weights, most=most, examples=examples,
            describe=getattr(self.decoder, "describe", str),
        )  # fmt: skip

    @property
    def trees(self) -> BoostedTrees:
        """The boosted trees that add to the scores of phrases, which `boost=True` learns."""
        if "trees" not in self.bundle.part_names:
            reason = "the model has no trees: train it with boost"
            raise DecodingError(reason, code="model.no-trees", file=self.bundle.folder)
        found: BoostedTrees = self.bundle.part("trees")
        return found

    @property
    def second_stage(self) -> SecondStage:
        """The weights of n-grams that `second_stage="ngrams"` learns."""
        if "second_stage" not in self.bundle.part_names:
            reason = "the model has no second stage: train it with second_stage ngrams"
            raise DecodingError(reason, code="model.no-second-stage", file=self.bundle.folder)
        found: SecondStage = self.bundle.part("second_stage")
        return found

    def __repr__(self) -> str:
        return f"Translator({self.bundle!r})"

    def __reduce__(self) -> tuple[object, ...]:
        search = asdict(self.decoder.settings)
        text = self.text
        options = {
            "glossary": text.glossary, "inline": text.inline, "casing": text.casing,
            "localise_numbers": text.localise_numbers, "threads": self.threads,
        }  # fmt: skip
        return _loaded, (self.bundle.folder, options | self.memory_settings.to_dict() | search)


def _loaded(folder: PathLike[str], options: dict[str, Any]) -> Translator:
    return Translator.load(folder, **options)


def _decoder(bundle: Bundle, search: dict[str, Any]) -> Decoder:
    """The decoder of the kind that the manifest names, from the parts of the bundle."""
    manifest = bundle.manifest
    path = bundle.folder / MANIFEST
    try:
        kind = decoder_kind(manifest["decoder"])
    except DecodingError as error:
        told = (
            f"{error} (written by Rosewood {manifest['rosewood']}): upgrade Rosewood, or install "
            "the package that has this decoder"
        )
        raise error.restated(told, DamagedFileError, file=path) from error
    try:
        settings = kind.settings_type(**manifest["search"])
    except (TypeError, DecodingError) as error:
        told = f"its search settings are damaged: {error}"
        raise DamagedFileError(told, file=path, code="file.damaged") from error
    check_known("search setting", search, asdict(settings), error=DecodingError)
    settings = replace(settings, **search)
    parts = bundle.parts()
    second = parts.get("second_stage")
    try:
        weights = bundle.weights if second is None else split_weights(bundle.weights)[0]
        decoder = kind.make(
            parts,
            settings=settings,
            weights=weights,
            unknown=unknown_words(manifest["unknown"], parts),
            features=bundle.features,
        )
        if second is not None:
            decoder = SecondStageDecoder(decoder, second).with_weights(bundle.weights)
    except DecodingError as error:
        raise error.restated(str(error), DamagedFileError, file=path) from error
    if list(decoder.features.dense) != list(manifest["features"]):
        told = "its features are not those of its rules and models"
        raise DamagedFileError(told, file=path, code="file.mismatch")
    return decoder
