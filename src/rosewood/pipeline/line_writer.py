"""Translations of lines in files: text, lists, JSON, alignments, forests, explanations."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rosewood.corpus.lines import at
from rosewood.corpus.standard_streams import lines_to
from rosewood.decode import (
    Explanation,
    TextTranslator,
    TranslatedText,
    Translation,
    alternatives,
    explain,
    moses_line,
    translation_of,
)
from rosewood.decode.consensus_methods import make_consensus
from rosewood.decode.explanation_page import page_section
from rosewood.decode.nbest import all_features
from rosewood.errors import DecodingError, FormatError, RosewoodError
from rosewood.forest import Forest, ForestSetWriter
from rosewood.pipeline.line_settings import LineSettings
from rosewood.pipeline.reply import reply_of, said_of

if TYPE_CHECKING:
    from rosewood.decode.glossary_use import GlossaryUse
    from rosewood.decode.stream import TranslatedLine
    from rosewood.model.confidence import Confidence

_ALTERNATIVES = 5  # unless --nbest says how many
_DONE = {"copy": "copied", "drop": "dropped", "guess": "guessed by others or copied"}
_SHOWN = 10  # numbers of lines in a warning
_PAGE = ["<!doctype html>", '<meta charset="utf-8">', "<title>Translations</title>"]


def reason_of(error: RosewoodError) -> str:
    """What is wrong, without file and line."""
    return error.reason if isinstance(error, FormatError) else str(error)


@dataclass(frozen=True)
class _Chosen:
    """A translation, and whatever else was asked for."""

    said: TranslatedText
    others: Sequence[Translation] = ()
    consensus: dict[str, Any] | None = None
    why: Explanation | None = None


class LineWriter:
    """Writes what the settings ask for, one translated line after the other."""

    def __init__(
        self,
        translator: TextTranslator,
        options: LineSettings,
        confidence: Confidence | None,
        stack: ExitStack,
    ) -> None:
        """With `confidence` rows of JSON say how sure a translation is."""
        self.translator = translator
        self.options, self.confidence = options, confidence
        self.consensus = make_consensus(options.consensus, options.set)
        self.dense = translator.decoder.features.dense
        self.line = stack.enter_context(lines_to(options.output))
        self.links = self.forests = self.draw = None
        if options.alignment is not None:
            self.links = stack.enter_context(lines_to(options.alignment))
        if options.forests is not None:
            forests = ForestSetWriter(
                options.forests,
                mode="append" if options.append_forests else "create",
                compress=options.compress_forests or None,
            )
            self.first_forest = len(forests)
            self.forests = stack.enter_context(forests)
        self.drawn = 0
        if options.picture is not None:
            self.draw = stack.enter_context(lines_to(options.picture))
            if not self._is_svg:
                self.draw("\n".join(_PAGE))

    @property
    def needs_forest(self) -> bool:
        """Whether the best translation alone would not do."""
        others = (self.options.nbest, self.consensus, self.options.forests, self.confidence)
        return self.options.explains or any(each is not None for each in others)

    def __call__(self, job: TranslatedLine) -> TranslatedText:
        """Write the translation of a line; returns what was chosen."""
        with at(f"line {job.number}", None):
            chosen = self._chosen(job)
        if self.options.json:
            self.line(self._row(job, chosen))
        elif self.options.nbest is None:
            self.line("" if job.error is not None else chosen.said.text)
        else:
            self._list(job, chosen.others)
        if self.links is not None:
            is_empty = job.error is not None or chosen.said.is_remembered
            links = () if is_empty else chosen.said.translation.links
            self.links(" ".join(f"{i}-{j}" for i, j in links))
        if self.forests is not None and job.search is not None:
            info = {"id": str(self.first_forest + job.number - 1), "src": job.prepared.source.text}
            forest = job.search.forest
            if job.error is not None:  # no derivations at all: it is no empty sentence
                info["error"] = reason_of(job.error)
                forest = Forest.empty(features=forest.features, vocabulary=forest.vocabulary)
            self.forests.append(forest, info)
        if chosen.why is not None:
            self._tell(job, chosen.said.text, chosen.why)
        return chosen.said

    def _chosen(self, job: TranslatedLine) -> _Chosen:
        answer_of, wanted = self.translator.answer_of, self.options
        best, found = job.best, job.search
        if found is None or job.error is not None or found.forest.is_empty:
            # A list is never empty: learners want one for each line of their references.
            blank = replace(best, words=(), score=0.0, features={}, rules=())
            return _Chosen(answer_of(best, job.prepared), () if wanted.nbest is None else (blank,))
        decoder = self.translator.decoder
        theta = decoder.theta()
        chosen, told, derivation = best, None, None
        others: list[Translation] = []
        if self.consensus is not None:
            derivation, told = self.consensus(found.forest, found.forest.score(theta))
            chosen = translation_of(found, derivation)
        if wanted.nbest is not None and self.confidence is None:
            others = alternatives(found, theta, wanted.nbest, distinct=wanted.distinct)
        why = explain(found, decoder.weights, derivation) if wanted.explains else None
        why = None if why is None else job.prepared.shown(why, chosen)
        return _Chosen(answer_of(chosen, job.prepared), others, told, why)

    def _list(self, job: TranslatedLine, others: Sequence[Translation]) -> None:
        for each in others:
            text = self.translator.text_of(each, job.prepared).text
            with at(f"line {job.number}, use --json", None):
                self.line(moses_line(job.number - 1, each, self.dense, text))

    def _row(self, job: TranslatedLine, chosen: _Chosen) -> str:
        row: dict[str, Any] = {"id": str(job.number - 1)}
        if job.error is not None:
            row |= {"src": job.prepared.text, "error": reason_of(job.error)}
            row |= self._hyps(job, chosen)
            return json.dumps(row, ensure_ascii=False)
        how = self.confidence
        found = job.search
        if how is None or found is None:
            row |= said_of(chosen.said, self.dense).to_dict()
        else:
            most = _ALTERNATIVES if self.options.nbest is None else self.options.nbest
            said = chosen.said
            reply = reply_of(self.translator, said.prepared, found, how, nbest=most, chosen=said)
            row |= reply.to_dict()
        if chosen.consensus is not None:
            row["consensus"] = chosen.consensus
        if chosen.why is not None and self.options.explain:
            row["explanation"] = chosen.why.to_dict()
        row |= self._hyps(job, chosen)
        return json.dumps(row, ensure_ascii=False, allow_nan=False)

    def _hyps(self, job: TranslatedLine, chosen: _Chosen) -> dict[str, Any]:
        """The list of a row, where one is wanted."""
        if self.options.nbest is None or self.confidence is not None:
            return {}
        hyps = [
            {
                "text": self.translator.text_of(each, job.prepared).text,
                "features": all_features(each, self.dense),
                "scores": {"model": each.score},
            }
            for each in chosen.others
        ]
        return {"hyps": hyps}

    @property
    def _is_svg(self) -> bool:
        return Path(self.options.picture or "").suffix.lower() == ".svg"

    def _tell(self, job: TranslatedLine, said: str, why: Explanation) -> None:
        """The explanation as a table beside the results, and as a picture."""
        if self.options.explain and not self.options.json:
            print(f"{job.number}\n{why.to_text()}", file=sys.stderr)
        if self.draw is None:
            return
        self.drawn += 1
        if not self._is_svg:
            self.draw(page_section(job.number, job.prepared.text, said, why))
        elif self.drawn == 1:
            self.draw(why.to_svg())
        else:
            reason = "--picture: an .svg file shows one sentence: use .html for several"
            raise DecodingError(reason, code="argument.value", argument="--picture")


@dataclass
class LineTally:
    """Counts of translated lines, for a summary at the end."""

    blanks: bool = True  # bad lines have an empty line in the output
    sentences: int = 0
    words: int = 0
    unknown: int = 0
    seconds: float = 0.0
    narrowed: list[int] = field(default_factory=list)  # numbers of lines
    timed_out: list[int] = field(default_factory=list)
    unreachable: list[int] = field(default_factory=list)  # references
    untranslated: list[int] = field(default_factory=list)
    bad: list[tuple[int, str]] = field(default_factory=list)
    lost: list[int] = field(default_factory=list)
    added: list[int] = field(default_factory=list)
    has_memory: bool = False  # a translation memory is asked
    remembered: int = 0  # exact matches of a translation memory
    similar: int = 0  # fuzzy ones
    empty: list[int] = field(default_factory=list)  # translations
    glossary: GlossaryUse | None = None

    def count(self, job: TranslatedLine, said: TranslatedText | None) -> None:
        """One more sentence, and what was chosen for it."""
        self.sentences += 1
        if job.error is not None:
            self.bad.append((job.number, reason_of(job.error)))
        if said is None or job.error is not None:
            return
        self.remembered += said.is_remembered
        self.similar += job.match is not None and not said.is_remembered
        if self.glossary is not None:
            self.glossary.count(job.prepared)
        report = said.translation.report
        is_forced = job.prepared.source.reference is not None
        self.words += len(job.prepared.source.words)
        self.unknown += sum(use.is_unknown for use in said.translation.rules)
        for numbers, is_so in (
            (self.narrowed, report.narrowed),
            (self.timed_out, report.timed_out),
            (self.unreachable, is_forced and not report.reachable),
            (self.untranslated, not is_forced and not report.reachable),
            (self.lost, said.lost),
            (self.added, said.added),
            (self.empty, not is_forced and report.reachable and _is_lost(said)),
        ):
            if is_so:
                numbers.append(job.number)

    def summary(self, unknown: str) -> Iterator[str]:
        """How much was translated, and how fast; `unknown` is what is done with unknown words."""
        rate = self.words / self.seconds if self.seconds else 0.0
        yield (
            f"{_count(self.sentences, 'sentence')}, {_count(self.words, 'word')} in "
            f"{self.seconds:.1f} s: {rate:,.0f} words a second"
        )
        if self.has_memory:
            yield (
                f"translation memory: {_count(self.remembered, 'exact match', 'es')}, "
                f"{_count(self.similar, 'fuzzy match', 'es')}"
            )
        if self.unknown:
            yield f"{_count(self.unknown, 'word')} that no rule translates, {_DONE[unknown]}"

    def warnings(self) -> Iterator[str]:
        """Lines whose translations are not what one expects, with their numbers."""
        for numbers, reason in (
            (self.narrowed, "searched less thoroughly, for --max-pops"),
            (self.timed_out, "ended by --time-limit, another run may find something else"),
            (self.unreachable, "references that cannot be reached, left blank"),
            (self.untranslated, "no translation found, left blank"),
            ([number for number, _ in self.bad],
             f"malformed lines, {'left blank' if self.blanks else 'skipped'}"),
            (self.lost, "lack placeholders that their source has"),
            (self.added, "have placeholders that their source has not"),
            (self.empty, "have an empty translation, but their source has words"),
        ):  # fmt: skip
            if numbers:
                more = " …" if len(numbers) > _SHOWN else ""
                listed = " ".join(f"{number}" for number in numbers[:_SHOWN])
                yield f"{reason}: {len(numbers):,} (lines {listed}{more})"
        told = self.glossary.warning() if self.glossary is not None and self.sentences else None
        if told is not None:
            yield told
        if self.bad:
            yield f"the first malformed line, {self.bad[0][0]}: {self.bad[0][1]}"


def _is_lost(said: TranslatedText) -> bool:
    """Whether nothing is left of a text."""
    return not said.text.strip() and bool(said.prepared.text.strip())


def _count(number: int, what: str, more: str = "s") -> str:
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}{more}"
