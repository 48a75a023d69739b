"""Settings of reading candidates, of tuning on them and of sweeps.

for candidates in CandidateSettings(format="moses").read("nbest.gz"): …
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from rosewood.corpus.standard_streams import name_of, source_of
from rosewood.errors import TuningError
from rosewood.learn.registry import learner_names
from rosewood.metrics.registry import metric_names
from rosewood.settings import Settings, setting, setting_of
from rosewood.shared_settings import SharedSettings
from rosewood.shared_types import PathName

if TYPE_CHECKING:
    from rosewood.rerank.candidates import CandidateList
    from rosewood.rerank.readers import Dropped

METHOD = "mert"  # the learner, unless another is chosen
FORMATS = ("jsonl", "moses", "lines", "tsv", "set")
_learning, _judging = partial(setting, group="Learning"), partial(setting, group="Judging")


@dataclass(frozen=True)
class CandidateSettings(Settings):
    """How candidates are read."""

    error = TuningError
    group = "Reading candidates"

    format: str | None = setting(
        None, "Format.", choices=FORMATS, types_none=False,
        default_text="from the name and the first line",
    )  # fmt: skip
    src: PathName | None = setting(None, "Source sentences, one line per list.")
    features: tuple[PathName, ...] = setting(
        (),
        "Features of candidates that are one per line, on the same line: numbers, named after the "
        "file, or name=value. Repeatable.",
    )
    per_source: PathName | int | None = setting(
        None,
        "Candidates are one per line: N per source, or as many as the lines of FILE say.",
        metavar="N|FILE",
        default_text="none",
    )
    on_bad_line: Literal["stop", "skip"] = setting_of(
        SharedSettings, "on_bad_line",
        help="At a malformed list: stop, or skip the whole list and count it.",
    )  # fmt: skip

    @property
    def references(self) -> tuple[PathName, ...]:
        """Files of references."""
        return ()

    def files(self) -> list[PathName]:
        """All files that are read beside the candidates."""
        given = [self.src, *self.references, *self.features]
        return [file for file in given if file is not None]

    def read(
        self, file: PathName, *, metric: str | None = None, report: Dropped | None = None
    ) -> Iterator[CandidateList]:
        """The lists of a file or of standard input; `report` counts those that were skipped.

        `metric` is what the lists are read for: it may need references.
        """
        from rosewood.metrics import parse_metric
        from rosewood.rerank.readers import read_candidates

        return read_candidates(
            source_of(file),
            format=self.format,
            references=self.references,
            source=self.src,
            features=self.features,
            per_source=self.per_source,
            on_bad_line=self.on_bad_line,
            report=report,
            file=name_of(file),
            needs_references=metric is not None and parse_metric(metric).needs_references,
        )


@dataclass(frozen=True)
class ReferenceSettings(CandidateSettings):
    """How candidates are read that have references."""

    ref: tuple[PathName, ...] = setting(
        (), "References, one line per list. Repeatable for several references."
    )

    @property
    def references(self) -> tuple[PathName, ...]:
        return self.ref

    def beside(self, option: str, references: Sequence[PathName]) -> ReferenceSettings:
        """For a second file of candidates, which `option` names, with references of its own."""
        if self.features or self.per_source is not None:
            reason = (
                f"{option} needs candidates with their features in one file: convert them with "
                "rosewood nbest convert"
            )
            raise TuningError(reason, code="argument.conflict", argument=option)
        return replace(self, ref=tuple(references), src=None)


@dataclass(frozen=True)
class LearningSettings(ReferenceSettings):
    """What is learnt, and for which metric."""

    method: str | None = _learning(
        None, "Learner.", choices=learner_names, default_text=METHOD, types_none=False
    )
    metric: str = _learning(
        "bleu",
        f"Metric: {metric_names()}; settings as in bleu:tokenize=none; column:NAME is a score in "
        "the candidates.",
        metavar="NAME",
    )
    start: PathName | None = _learning(
        None, "Weights to start from; their choices are the baseline."
    )
    dev: PathName | None = _learning(
        None,
        "Candidates to tune on; FILE then has training data, from which only some learners, such "
        "as oscar, learn: groups of features.",
    )
    dev_ref: tuple[PathName, ...] = _learning((), "References of --dev. Repeatable.")
    seed: int = setting_of(SharedSettings, "seed", 0, group="")

    def keywords(self) -> dict[str, Any]:
        """Keywords that `tune` and `sweep` share."""
        from rosewood.model import read_weights

        start = None if self.start is None else read_weights(self.start)
        method = self.method or METHOD
        return {"method": method, "metric": self.metric, "start": start, "seed": self.seed}


@dataclass(frozen=True)
class TuneSettings(LearningSettings):
    """What is tuned, and how it is judged."""

    set: dict[str, Any] = _learning({}, "Setting of the learner: see --list-settings. Repeatable.")
    normalize: Literal["l1", "l2", "none"] = _learning(
        "l1", "Norm to which the weights are scaled."
    )
    heldout: PathName | None = _judging(
        None, "Candidates to judge on, instead of cross-validation."
    )
    heldout_ref: tuple[PathName, ...] = _judging((), "References of --heldout. Repeatable.")
    folds: int = _judging(5, "Folds of the cross-validation.", low=2)
    replicates: int = _judging(3, "Fits with different seeds, of which the best is kept.", low=1)
    samples: int = _judging(1000, "Samples of the significance test.", low=1)

    def keywords(self) -> dict[str, Any]:
        """Keywords of `tune`."""
        own = {name: getattr(self, name) for name in ("folds", "replicates", "samples")}
        own |= {"normalization": self.normalize, "settings": self.set}
        return {**super().keywords(), **own}


@dataclass(frozen=True)
class SweepSettings(LearningSettings):
    """What is tried, and how trials are compared."""

    select: PathName | None = _judging(None, "Candidates on which trials are compared.")
    select_ref: tuple[PathName, ...] = _judging((), "References of --select. Repeatable.")
    split: float = _judging(
        0.2, "Without --select: share of the lists that is held out.", low=1e-6, high=1 - 1e-6
    )
    random: int | None = _learning(
        None, "Try N random settings instead of all.", low=1, metavar="N"
    )

    def keywords(self) -> dict[str, Any]:
        """Keywords of `sweep`."""
        return {**super().keywords(), "split": self.split, "trials": self.random}
