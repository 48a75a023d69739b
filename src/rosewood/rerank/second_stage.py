"""A second stage for forests of any decoder: weights of n-grams, beside given weights of features.

    made = train_second_stage("train.rwf", "weights.json", references=["train.en"],
                              output="second.json")
    print(made.summary())

The scores of the given weights are the first stage.  Minimum risk on the training forests finds
weights of n-grams; every fifth of them, held out, or other forests choose how much they count (see
`rosewood.learn.second_stage`).  Training forests with n-grams as features are in a file beside the
output while the work lasts, so that a run that was killed goes on where it was.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rosewood import __version__
from rosewood.arrays import FloatArray
from rosewood.errors import DamagedFileError, FormatError, RosewoodError, TuningError
from rosewood.forest import Forest, ForestSet, NgramFeatures, SecondStage
from rosewood.forest.second_stage import SECOND_STAGE
from rosewood.journal import fingerprint
from rosewood.learn import TuningSet
from rosewood.learn.losses import check_linear
from rosewood.learn.second_stage import (
    HELD_OUT,
    ChosenFactor,
    LearntStage,
    ScoredForest,
    SecondStageSettings,
    choose_factor,
    hold_out,
    learn_second_stage,
    next_forest,
    write_second_forests,
)
from rosewood.locking import FileLock
from rosewood.metrics import Metric, parse_metric
from rosewood.output import whole_file
from rosewood.rerank.packed_forests import FirstStage, Forests, PackedForests, References
from rosewood.rerank.summary_text import places
from rosewood.resources import MAX_MEMORY, check_resources
from rosewood.shared_types import PathName, ProgressCallback
from rosewood.svg_text import plural

_HINTS = {SECOND_STAGE: "the second stage is learnt here: leave it out"}
_SHOWN = 20  # n-grams in a summary
_MAKING, _CHOOSING = "forests with n-grams", "development forests"
_LEARNING = "weights of n-grams"


@dataclass(frozen=True)
class TrainedSecondStage:
    """A second stage, and how it was found."""

    second: SecondStage | None  # None: n-grams do not make held-out forests better
    factor: float  # of n-gram weights, chosen on held-out forests
    heldout: dict[float, float]  # the metric on them for each factor
    metric: str
    signature: str
    ngrams: int
    forests: int  # with derivations, of which it was learnt
    heldout_forests: int
    settings: dict[str, Any]
    history: list[dict[str, Any]]
    notes: tuple[str, ...]

    def summary(self) -> str:
        """What a person wants to know, in a few lines."""
        digits = places(*self.heldout.values())
        lines = [
            f"{plural(self.ngrams, 'n-gram')}, weights learnt on "
            f"{plural(self.forests, 'forest')}; {self.metric} on "
            f"{plural(self.heldout_forests, 'held-out forest')} ({self.signature})"
        ]
        for factor, score in self.heldout.items():
            chosen = "  <- chosen" if factor == self.factor else ""
            lines.append(f"  {score:.{digits}f} with n-grams times {factor:g}{chosen}")
        lines += [f"  note: {note}" for note in self.notes]
        if self.second is not None:
            lines.append("the strongest n-grams:")
            lines += [f"  {value:+.4f}  {ngram}" for ngram, value in self.second.strongest(_SHOWN)]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """All of it but the weights as JSON values; the strongest n-grams with theirs."""
        strongest = [] if self.second is None else self.second.strongest(_SHOWN)
        return {
            "factor": self.factor,
            "heldout": [[factor, score] for factor, score in self.heldout.items()],
            "metric": self.metric,
            "signature": self.signature,
            "ngrams": self.ngrams,
            "forests": self.forests,
            "heldout_forests": self.heldout_forests,
            "strongest": [list(each) for each in strongest],
            "settings": self.settings,
            "history": self.history,
            "notes": list(self.notes),
            "version": __version__,
        }


def train_second_stage(
    training: Forests,
    weights: Mapping[str, float] | PathName,
    *,
    dev: Forests | None = None,
    references: PathName | Sequence[PathName] = (),
    dev_references: PathName | Sequence[PathName] = (),
    metric: Metric | str = "bleu",
    settings: SecondStageSettings | Mapping[str, Any] | None = None,
    output: PathName | None = None,
    format: str | None = None,
    threads: int = 1,
    max_memory: int = MAX_MEMORY,
    told: ProgressCallback | None = None,
) -> TrainedSecondStage:
    """Learn a second stage, and write it to `output`, unless n-grams do not help.

    Forests are files (`format` is one of those of `read_any`), sets or lists of named forests.
    References are files with a line for each forest; without them, `refs` of the forests.  Every
    dense feature needs a weight, and every weight that is not of a sparse feature a feature.
    `dev` chooses how much n-grams count; it must not be what the weights were tuned on, where any
    change makes things worse.  The same call resumes if the process was killed.
    """
    threads, max_memory = check_resources(threads, max_memory, TuningError)
    chosen = (
        settings
        if isinstance(settings, SecondStageSettings)
        else SecondStageSettings.from_values(settings or {})
    )
    judging = metric if isinstance(metric, Metric) else parse_metric(metric)
    check_linear(judging)
    first = FirstStage(weights, hints=_HINTS, adds_second=True)
    train = PackedForests(training, format=format, what="the training forests")
    held_out = None
    if dev is not None:
        held_out = PackedForests(dev, format=format, what="the development forests")
        _check_apart(train, held_out)
    elif dev_references:
        reason = "references of development forests are given, but no such forests"
        raise TuningError(reason, code="argument.missing", argument="dev")
    first.check(train, *([] if held_out is None else [held_out]))
    run = _Run(
        first, train, held_out, chosen, judging, _files(references), _files(dev_references),
        threads, max_memory, told or (lambda what, done, total: None),
    )  # fmt: skip
    return run.trained(None if output is None else Path(output))


def _files(given: PathName | Sequence[PathName]) -> tuple[PathName, ...]:
    return (given,) if isinstance(given, str | PathLike) else tuple(given)


def kept_forests(output: PathName) -> Path:
    """Where training forests are while a second stage is learnt."""
    return Path(f"{output}.forests.rwf")


def _check_apart(train: PackedForests, held_out: PackedForests) -> None:
    files = [each.file and each.file.resolve() for each in (train, held_out)]
    if files[0] is not None and files[0] == files[1]:
        reason = f"{held_out.what} are those that are learnt from: expected other forests"
        raise TuningError(reason, code="argument.conflict", argument="dev")


@dataclass(frozen=True)
class _Run:
    """All that the work needs."""

    first: FirstStage
    train: PackedForests
    held_out: PackedForests | None
    settings: SecondStageSettings
    metric: Metric
    references: tuple[PathName, ...]
    dev_references: tuple[PathName, ...]
    threads: int
    max_memory: int
    told: ProgressCallback

    def trained(self, output: Path | None) -> TrainedSecondStage:
        dev = self.held_out
        dev_references: References = []
        if dev is not None:
            dev_references = self._references(dev, self.dev_references, "--dev-ref")
        references = self._references(self.train, self.references, "--ref")
        self.first.finish(self.train)
        features = self._features(references)
        key = None if output is None else self._key(references)
        with _forests_of(output, key) as (path, begin):
            found = self._scored(references, begin)
            write_second_forests(path, found, features, self.settings, threads=self.threads)
            learnt, chosen = self._learnt(path, features, dev_references)
            count = len(dev_references) or learnt.second.facts["forests"] // HELD_OUT
            made = self._told(learnt, features, chosen, count)
            if made.second is not None and output is not None:
                made.second.save(output)
        return made

    def _references(
        self, packed: PackedForests, files: Sequence[PathName], option: str
    ) -> References:
        """Those of all forests; forests that are not in a set are read through for it, so that
        what does not fit is found out before hours of work."""
        if packed.count == 0:
            raise packed.empty()
        found = packed.references(files, option)
        count = packed.count or 0
        if packed.features is None:
            for count, item in enumerate(packed.read(), 1):
                self.told(f"reading {packed.what}", count, None)
                self.first.theta(item)
        if not count:
            raise packed.empty()
        packed.check_count(count, len(found), files)
        return found

    def _features(self, references: References) -> NgramFeatures:
        chosen = self.settings
        texts = (text for each in references for text in each)
        features = NgramFeatures.count(
            texts, order=chosen.order, min_count=chosen.min_count, most=chosen.most
        )
        if not len(features):
            reason = f"no n-gram is in the references {chosen.min_count} times or more"
            raise TuningError(reason, code="tuning.no-features", argument="min_count")
        return features

    def _key(self, references: References) -> str | None:
        """A hash of all that decides the training forests; None where it cannot be known."""
        identity = self.train.identity()
        if identity is None:
            return None
        digest = hashlib.sha256()
        for row in references:
            digest.update(repr(row).encode(errors="surrogatepass"))
        settings = dict(vars(self.settings))
        return fingerprint(__version__, settings, self.first.weights, identity, digest.hexdigest())

    def _scored(self, references: References, begin: int) -> Iterator[ScoredForest]:
        """The training forests from number `begin` on, with their scores."""
        count = len(references)
        for number, item in enumerate(self.train.read(begin), begin):
            self.told(_MAKING, number, count)
            if not item.forest.is_empty:
                score = self.first.score(item, self.first.theta(item))
                info = {"id": str(number), "refs": list(references[number])}
                yield ScoredForest(item.forest, score, info)
        self.told(_MAKING, count, count)

    def _learnt(
        self, path: Path, features: NgramFeatures, dev_references: References
    ) -> tuple[LearntStage, ChosenFactor]:
        done = 0

        def report(row: dict[str, Any]) -> None:
            nonlocal done
            done += 1
            self.told(_LEARNING, done, None)

        self.told(_LEARNING, 0, None)
        with closing(ForestSet(path)) as forests:
            if not len(forests):
                reason = f"{self.train.what} have no derivations"
                raise TuningError(reason, code="forest.empty", argument="training")
            tuning = TuningSet(
                forests, self.metric, threads=self.threads, max_memory=self.max_memory
            )
            chosen = None
            if self.held_out is None:
                chosen = hold_out(tuning, features, self.settings, report=report)
            learnt = learn_second_stage(tuning, features, self.settings, report=report)
        if chosen is None:
            chosen = choose_factor(
                learnt.second, self._held_out(len(dev_references)), self.metric, dev_references,
                threads=self.threads,
            )  # fmt: skip
        return learnt, chosen

    def _held_out(self, count: int) -> Iterator[tuple[Forest, FloatArray]]:
        assert self.held_out is not None
        for number, item in enumerate(self.held_out.read()):
            self.told(_CHOOSING, number, count)
            yield item.forest, self.first.score(item, self.first.theta(item))
        self.told(_CHOOSING, count, count)

    def _told(
        self, learnt: LearntStage, features: NgramFeatures, chosen: ChosenFactor, heldout: int
    ) -> TrainedSecondStage:
        second: SecondStage | None = None
        factor, scores = chosen
        if factor:
            facts = {
                **learnt.second.facts,
                "metric": self.metric.signature,
                "heldout": [[each, score] for each, score in scores.items()],
                "factor": factor,
            }
            second = replace(learnt.second.scaled(factor), facts=facts)
        return TrainedSecondStage(
            second, factor, scores, self.metric.title, self.metric.signature, len(features),
            learnt.second.facts["forests"], heldout, dict(vars(self.settings)),
            learnt.history, learnt.notes,
        )  # fmt: skip


@contextmanager
def _forests_of(output: Path | None, key: str | None) -> Iterator[tuple[Path, int]]:
    """The file of training forests, and the number of the first that is yet to be made.

    It is gone after the block, unless the work was stopped.  A second file has the key.
    """
    if output is None:
        with TemporaryDirectory(prefix="rosewood-second-stage-") as folder:
            yield Path(folder) / "forests.rwf", 0
        return
    path = kept_forests(output)
    lock = FileLock(
        path.with_suffix(".lock"), TuningError, f"{output}: another process is making it",
        "wait until it ends", is_temporary=True,
    )  # fmt: skip
    try:
        begin = _begun(path, key)
        try:
            yield path, begin
        except RosewoodError as error:
            if isinstance(error, DamagedFileError) and error.file == str(path):
                raise _damaged(error) from error
            if not begin:  # it would end in the same way again
                _remove(path)
            raise
        _remove(path)
    finally:
        if not path.exists():
            _remove(path)
        lock.release()


def _begun(path: Path, key: str | None) -> int:
    """How far an earlier run came; forests of other work are deleted."""
    key_file = _key_file(path)
    if path.exists() and not key_file.exists():
        reason = f"refusing to overwrite it: not created by Rosewood (no {key_file.name})"
        raise FormatError(reason, code="file.exists", file=path, expected=key_file.name)
    if key is not None and _key_in(key_file) == key:
        try:
            return next_forest(path)
        except DamagedFileError as error:
            raise _damaged(error) from error
    _remove(path)
    with whole_file(key_file) as stream:
        stream.write(json.dumps({"key": key}).encode() + b"\n")
    return 0


def _damaged(error: DamagedFileError) -> RosewoodError:
    return error.restated(f"{error.reason}: delete it, and the same command starts afresh")


def _key_file(path: Path) -> Path:
    return path.with_suffix(".json")


def _key_in(path: Path) -> str | None:
    try:
        found: str | None = json.loads(path.read_bytes())["key"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    return found


def _remove(path: Path) -> None:
    """Forests first: a key without forests does no harm."""
    path.unlink(missing_ok=True)
    _key_file(path).unlink(missing_ok=True)
