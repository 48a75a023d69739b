"""Candidates of one sentence with their features: what every reader makes.

Names       a feature whose name has a colon (`rule:…`, `bigram:…`) is sparse: it counts 0 for a
            candidate that does not have it.  Any other is dense: every candidate of every list has
            it, and the first list decides which there are.
Scores      numbers that somebody else gave the candidates (COMET, a reward): metrics may use them,
            models never see them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np

from rosewood.arguments import check_length, check_shape
from rosewood.arrays import FloatArray
from rosewood.corpus.compression import open_output
from rosewood.errors import TuningError
from rosewood.shared_types import PathName


def is_sparse(name: str) -> bool:
    """Whether a feature of this name may be left out, and then counts 0."""
    return ":" in name


@dataclass(frozen=True, slots=True, eq=False)
class CandidateList:
    """Candidates of one sentence, in their order, with features and scores."""

    id: str
    texts: tuple[str, ...]
    names: tuple[str, ...]  # of the dense features
    dense: FloatArray  # [candidates, dense features]
    source: str | None = None
    references: tuple[str, ...] = ()
    sparse: tuple[Mapping[str, float], ...] = ()  # one for each candidate, or none at all
    scores: Mapping[str, FloatArray] = field(default_factory=lambda: MappingProxyType({}))

    def __post_init__(self) -> None:
        count = len(self.texts)
        who = f"list {self.id!r}"
        if not count:
            reason = f"{who} has no candidates"
            raise TuningError(reason, code="tuning.no-candidates", value=self.id)
        width = len(self.names)
        check_shape(f"{who}: dense", self.dense, (count, width), error=TuningError)
        if self.sparse:
            check_length(f"{who}: sparse", self.sparse, count, "candidate", error=TuningError)
        for name, column in self.scores.items():
            check_shape(f"{who}: score {name!r}", column, (count,), error=TuningError)

    def __len__(self) -> int:
        return len(self.texts)

    def features(self, candidate: int) -> dict[str, float]:
        """The features of a candidate by name: all dense ones, and the sparse ones it has."""
        named = dict(zip(self.names, self.dense[candidate].tolist(), strict=True))
        if self.sparse:
            named.update(self.sparse[candidate])
        return named

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, CandidateList):
            return NotImplemented
        return (
            (self.id, self.texts, self.names, self.source, self.references, self.scores.keys())
            == (other.id, other.texts, other.names, other.source, other.references,
                other.scores.keys())
            and len(self.texts) == len(other.texts)
            and self._tables() == other._tables()
            and np.array_equal(self.dense, other.dense)
            and all(np.array_equal(self.scores[name], other.scores[name]) for name in self.scores)
        )  # fmt: skip

    __hash__ = None  # type: ignore[assignment]

    def _tables(self) -> list[dict[str, float]]:
        return [dict(table) for table in self.sparse] or [{}] * len(self.texts)


def format_candidates(candidates: CandidateList) -> str:
    """A list as a line of JSON, without its end; reading it gives the same numbers."""
    scores = {name: column.tolist() for name, column in candidates.scores.items()}
    hyps = []
    for row, text in enumerate(candidates.texts):
        hyp: dict[str, object] = {"text": text, "features": candidates.features(row)}
        if scores:
            hyp["scores"] = {name: column[row] for name, column in scores.items()}
        hyps.append(hyp)
    line: dict[str, object] = {"id": candidates.id}
    if candidates.source is not None:
        line["src"] = candidates.source
    line |= {"refs": list(candidates.references), "hyps": hyps}
    try:
        return json.dumps(line, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise TuningError(
            f"list {candidates.id!r} cannot be written: {error}",
            code="argument.value", argument="candidates", value=candidates.id,
        ) from error  # fmt: skip


def write_candidates(lists: Iterable[CandidateList], path: PathName) -> int:
    """Write lists as JSON lines, compressed as the ending says; how many there were.

    The file appears whole or not at all.
    """
    count = 0
    with open_output(path) as out:
        for candidates in lists:
            try:
                out.write(format_candidates(candidates).encode() + b"\n")
            except UnicodeEncodeError as error:
                reason = f"list {candidates.id!r} cannot be written: half of a surrogate pair"
                raise TuningError(reason, code="file.encoding", value=candidates.id) from error
            count += 1
    return count
