"""From an aligned corpus to a rule table.

    found = extract(corpus, links, "rules", max_phrase=7)          # IndexedCorpus, Links
    found = extract_files("train.de.gz", "train.en.gz", "train.pharaoh", "rules", hierarchical=True)
    found.table.lookup("ein haus"); found.facts["rules"]

Phrases have exact numbers (core/rules/ranks.hpp); places where rules are seen are sorted by them,
in memory or on disk, and counted as they come by.  Every step writes files that the next one reads,
so stopped work goes on from the last one, memory is bounded, and bytes do not depend on threads.
Native      core/rules/; specification: tests/reference/rules.py, tests/reference/rule_scores.py
"""

from __future__ import annotations

import zlib
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rosewood import _core
from rosewood.corpus.indexed import IndexedCorpus, IndexedText
from rosewood.corpus.text.value_symbols import is_value_symbol
from rosewood.errors import RuleError
from rosewood.folders import mapped
from rosewood.output import check_apart, check_folder
from rosewood.resources import MAX_MEMORY, check_resources
from rosewood.rules.pair_checks import check_pairs
from rosewood.rules.settings import CLASSES, KINDS, SMOOTHINGS, ExtractionSettings, smoothed
from rosewood.rules.table import RuleTable
from rosewood.rules.table_files import MANIFEST, new_table
from rosewood.shared_types import PathName, ProgressCallback
from rosewood.work_folder import Workplace

if TYPE_CHECKING:
    from rosewood.align.alignment import Links

_SENTENCES = 8192  # collected at a time
_INSTANCES = 1 << 20  # counted at a time


@dataclass(frozen=True, eq=False)
class Extracted:
    """The table of an extraction, and its facts."""

    table: RuleTable
    facts: dict[str, Any]
    went_on: bool  # steps had been done before


def extract(
    corpus: IndexedCorpus,
    links: Links,
    folder: PathName,
    *,
    max_memory: int = MAX_MEMORY,
    work: PathName | None = None,
    temporary: PathName | None = None,
    threads: int = 1,
    told: ProgressCallback | None = None,
    **settings: Any,
) -> Extracted:
    """Extract the rules of an aligned corpus, score them, and write their table into a folder.

    Settings are those of `ExtractionSettings`.  What is sorted takes up to `max_memory` bytes, or
    is on disk: in the folder `work`, from which the same call goes on if it is stopped, or in one
    in `temporary` that is gone with the process.
    """
    chosen = ExtractionSettings(**settings)
    threads, max_memory = check_resources(threads, max_memory, RuleError)
    check_folder(folder, marker=MANIFEST)
    if work is not None:
        check_apart(work, [folder])
        check_apart(folder, [work])
    check_pairs(corpus, links)
    facts = [asdict(chosen), _state(corpus.source), _state(corpus.target), _crc(links.start),
             _crc(links.source), _crc(links.target)]  # fmt: skip
    place = Workplace(work, temporary, facts, task="rules", error=RuleError)
    try:
        made = _Extraction(corpus, links, chosen, place, max_memory, threads, told).go(Path(folder))
    except RuleError:  # it would end in the same way again
        place.remove()
        raise
    except BaseException:
        place.abandon()
        raise
    place.remove()
    return made


def extract_files(
    source: PathName,
    target: PathName,
    alignment: PathName,
    folder: PathName,
    **options: Any,
) -> Extracted:
    """The same from two files of words and one of links `i-j`, compressed or not."""
    from rosewood.align.pharaoh import read_pharaoh

    corpus = IndexedCorpus.from_files(source, target)
    lengths = corpus.source.lengths, corpus.target.lengths
    return extract(corpus, read_pharaoh(alignment, lengths=lengths), folder, **options)


def _state(text: IndexedText) -> list[int]:
    return [_crc(each) for each in (text.ids, text.start, text.word_bytes, text.word_start)]


def _crc(array: NDArray[Any]) -> int:
    return zlib.crc32(np.ascontiguousarray(array).data.cast("B")) if len(array) else 0


@dataclass(frozen=True)
class _Totals:
    """What was counted of all rules, as it is kept in the journal."""

    instances: int
    rules: int
    sources: int
    bytes: int  # of the file of rules
    count: float
    of_count: list[int]
    orientation: list[int]

    def native(self) -> _core.RuleTotals:
        return _core.RuleTotals(
            self.rules, self.sources, self.bytes, self.count, self.of_count, self.orientation
        )


@dataclass
class _Extraction:
    """Steps one after the other, those that were done before left out."""

    corpus: IndexedCorpus
    links: Links
    settings: ExtractionSettings
    work: Workplace
    max_memory: int
    threads: int
    told: ProgressCallback | None

    def go(self, folder: Path) -> Extracted:
        went_on = self.work.result("words") is not None
        source, target = self.corpus.source, self.corpus.target
        native = _core.AlignedCorpus(
            source.ids, source.start, target.ids, target.start,
            self.links.start, self.links.source, self.links.target,
            source.num_types, target.num_types,
        )  # fmt: skip
        key, count = self._word_pairs(native)
        totals = self._pairs(native)
        if totals.rules == 0:
            reason = "no rule is consistent with the links within the limits of length"
            raise RuleError(reason, code="rules.none")
        found = smoothed(self.settings.smoothing, totals.of_count)
        is_kneser_ney = self.settings.smoothing == "kneser-ney"
        self._marginals(totals, list(found.kneser_ney) if is_kneser_ney else None)
        prior = _prior(totals.orientation, self.settings)
        threshold = self.settings.threshold(len(self.corpus))
        settings = self.settings
        scores = _core.ScoreSettings(
            smoothing=SMOOTHINGS.index(settings.smoothing),
            good_turing=list(found.good_turing),
            kneser_ney=list(found.kneser_ney),
            min_count=float(settings.min_count),
            min_gapped=settings.min_gapped,
            limit=settings.limit or 0,
            min_significance=threshold or 0.0,
            has_gaps=settings.hierarchical,
            has_orientation=settings.kind is not None,
            splits_discontinuous=settings.classes == "mslr",
            orientation_prior=prior,
        )
        lexicon = _core.LexicalWeights(key, count, source.num_types, target.num_types)
        with new_table(
            folder,
            ["X", "S"] if settings.hierarchical else ["X"],
            settings.features,
            settings.groups,
        ) as table:
            table.native.set_text(target.ids, target.start)
            scorer = _core.RuleScorer(
                native, lexicon, scores, totals.native(), self._path("pairs"),
                self._path("marginals"), table.native, self.threads,
            )  # fmt: skip
            if threshold is not None:
                scorer.set_index(self._index("source"), self._index("target"))
            done = 0
            while some := scorer.step():
                done += some
                self._tell("scoring rules", done, totals.rules)
            facts = {
                "sentences": len(self.corpus),
                "instances": totals.instances,
                "extracted": totals.rules,
                "rules": scorer.kept,
                "rare": scorer.rare,
                "insignificant": scorer.insignificant,
                "over_limit": scorer.over_limit,
                "fallback": found.fallback,
                "orientation": _orientation_facts(settings, totals),
                "settings": settings.told(),
            }
            del scorer
            for name in ("pairs", "marginals"):  # room for the table
                (self.work.folder / name).unlink()
            words = [(side.word_bytes, side.word_start) for side in (source, target)]
            table.finish(words[0], words[1], facts)
        return Extracted(RuleTable.open(folder), facts, went_on)

    def _tell(self, part: str, done: int, total: int) -> None:
        if self.told is not None:
            self.told(part, done, total)

    def _done(self, step: str, file: str) -> Any:
        """The result of a step, if its file still exists: unneeded files are removed."""
        return self.work.result(step) if (self.work.folder / file).exists() else None

    def _path(self, name: str) -> str:
        return str(self.work.folder / name)

    def _part(self, name: str) -> str:
        """Where a file is until it is complete: a step that is done again, because its file was
        removed, is in the journal already, so the name of an incomplete file would mislead."""
        return self._path(f"{name}.unfinished")

    def _finish(self, *names: str) -> None:
        for name in names:
            Path(self._part(name)).replace(self._path(name))

    def _mapped(self, name: str, kind: str) -> NDArray[Any]:
        path = self.work.folder / name
        return mapped(path, kind, path.stat().st_size)

    def _room(self) -> tuple[str, int, int]:
        return str(self.work.folder), self.max_memory, self.threads

    def _word_pairs(self, native: _core.AlignedCorpus) -> tuple[NDArray[Any], NDArray[Any]]:
        """Linked words, and how often they are."""
        if self.work.result("words") is None:
            self._tell("counting linked words", 0, len(self.corpus))
            for name, array in zip(
                ("word_pairs", "word_counts"), native.word_pairs(*self._room()), strict=True
            ):
                (self.work.folder / name).write_bytes(array.data)
            self._tell("counting linked words", len(self.corpus), len(self.corpus))
            self.work.note("words", True)
        return self._mapped("word_pairs", "<u8"), self._mapped("word_counts", "<u8")

    def _ranks(self, native: _core.AlignedCorpus, side: str) -> NDArray[Any]:
        """The numbers of the phrases of a side."""
        if self._done(f"{side} ranks", f"{side}.ranks") is None:
            needs_places = self.settings.significance is not None
            native.rank_phrases(
                side == "target", self.settings.longest, *self._room(), self._part(f"{side}.ranks"),
                self._path(f"{side}.places") if needs_places else "",
                self._path(f"{side}.shared") if needs_places else "",
            )  # fmt: skip
            self._finish(f"{side}.ranks")
            self.work.note(f"{side} ranks", True)
        return self._mapped(f"{side}.ranks", "<u4")

    def _index(self, side: str) -> _core.PhraseIndex:
        return _core.PhraseIndex(
            self._mapped(f"{side}.ranks", "<u4"), self._mapped(f"{side}.places", "<u4"),
            self._mapped(f"{side}.shared", "|u1"), self.settings.longest,
        )  # fmt: skip

    def _pairs(self, native: _core.AlignedCorpus) -> _Totals:
        """The distinct rules with their counts."""
        done = self._done("pairs", "pairs")
        if done is not None:
            return _Totals(**done)
        ranks = []
        for number, side in enumerate(("source", "target")):
            self._tell("numbering phrases", number, 2)
            ranks.append(self._ranks(native, side))
        self._tell("numbering phrases", 2, 2)
        settings = self.settings
        collector = _core.InstanceCollector(
            native, ranks[0], ranks[1], settings.max_phrase, gap_settings(settings),
            -1 if settings.kind is None else KINDS.index(settings.kind),
            _values(self.corpus.source), _values(self.corpus.target), *self._room(),
        )  # fmt: skip
        for begin in range(0, len(self.corpus), _SENTENCES):
            end = min(begin + _SENTENCES, len(self.corpus))
            collector.add(begin, end)
            self._tell("extracting from pairs", end, len(self.corpus))
        del ranks
        self._tell("sorting", 0, 1)
        collector.sort(self._part("pairs"), self._part("targets"))
        self._tell("sorting", 1, 1)
        counted = 0
        while some := collector.write(_INSTANCES):
            counted += some
            self._tell("counting", counted, len(collector))
        totals = collector.totals
        made = _Totals(len(collector), totals.rules, totals.sources, totals.bytes, totals.count,
                       totals.of_count, totals.orientation)  # fmt: skip
        self._finish("targets", "pairs")
        self.work.note("pairs", asdict(made))
        if settings.significance is None:
            del collector
            for side in ("source", "target"):
                (self.work.folder / f"{side}.ranks").unlink()
        return made

    def _marginals(self, totals: _Totals, discounts: list[float] | None) -> None:
        """What was counted of each rule's target, with any source."""
        if self._done("marginals", "marginals") is not None:
            return
        self._tell("counting targets", 0, 1)
        _core.InstanceCollector.write_marginals(
            self._path("targets"), totals.rules, self.settings.hierarchical, discounts,
            *self._room(), self._part("marginals"),
        )  # fmt: skip
        self._finish("marginals")
        self._tell("counting targets", 1, 1)
        self.work.note("marginals", True)
        (self.work.folder / "targets").unlink()


def _values(text: IndexedText) -> list[int]:
    """Words that stand for values: with and without marks of the tokeniser."""
    return [n for n, word in enumerate(text.types) if is_value_symbol(word)]


def gap_settings(settings: ExtractionSettings) -> _core.GapSettings | None:
    """Limits of rules with gaps; None if there are none."""
    if not settings.hierarchical:
        return None
    return _core.GapSettings(
        max_source=settings.max_span,
        max_target=settings.max_span,
        max_symbols=settings.max_symbols,
        max_gaps=settings.max_gaps,
        min_gap_source=settings.min_gap,
        min_gap_target=1,
        allow_adjacent=settings.adjacent_gaps,
        need_link=not settings.unlinked_rules,
        tight=not settings.loose,
        tight_gaps=settings.tight_gaps,
        whole_counts=settings.whole_counts,
    )


def _prior(counts: list[int], settings: ExtractionSettings) -> list[float]:
    """What is added to the orientations of each phrase pair, as Moses has it.

    The same for each class, or shares of all events, to which a tenth is added.  Four numbers a
    direction; with three classes the last is not used.
    """
    classes = len(CLASSES[settings.classes])
    made = []
    for direction in (counts[:4], counts[4:]):
        shares = [1.0] * classes
        if settings.orientation_prior == "counts":
            merged = [*direction[: classes - 1], sum(direction[classes - 1 :])]
            shares = [(each + 0.1) / max(1, sum(direction)) for each in merged]
        made += [settings.orientation_smoothing * share for share in shares]
        made += [0.0] * (4 - classes)
    return made


def _orientation_facts(settings: ExtractionSettings, totals: _Totals) -> dict[str, Any] | None:
    if settings.kind is None:
        return None
    return {"kind": settings.kind, "classes": settings.classes, "counts": totals.orientation}
