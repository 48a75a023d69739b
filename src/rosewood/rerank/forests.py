"""Lists of candidates as forests: a root with an edge for each candidate, in their order.

A text is split at single spaces and nothing else, so that its words joined by spaces are the text
again, whatever white space is in it; the empty text has no words.  The info of a forest has `id`,
`refs`, and where they are given `src` and `scores` (a column for each name).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rosewood.corpus import Vocabulary
from rosewood.corpus.compression import plain_name
from rosewood.errors import ForestError, TuningError
from rosewood.forest import FeatureSpace, Forest, ForestSet, ForestSetWriter
from rosewood.rerank.candidates import CandidateList, format_candidates, write_candidates
from rosewood.shared_types import CountCallback, PathName


def write_forest_set(
    lists: Iterable[CandidateList],
    path: PathName,
    *,
    progress: CountCallback | None = None,
) -> ForestSet:
    """Write a forest for each list, and open the set; `progress` is told of each list with 1.

    The file appears whole or not at all.  Memory holds one list and the words of all.
    """
    words = Vocabulary()
    space: FeatureSpace | None = None
    writer: ForestSetWriter | None = None
    try:
        for candidates in lists:
            if space is None or writer is None:
                space = FeatureSpace(candidates.names)
                writer = ForestSetWriter(path, features=space, vocabulary=words)
            writer.append(candidate_forest(candidates, space, words), _info(candidates))
            if progress is not None:
                progress(1)
    except BaseException:
        if writer is not None:
            writer.discard()
        raise
    if writer is None:
        raise TuningError(f"{path}: there are no lists to write", code="tuning.no-lists", file=path)
    with writer:
        pass
    return ForestSet(path)


def _info(candidates: CandidateList) -> dict[str, Any]:
    info: dict[str, Any] = {"id": candidates.id, "refs": list(candidates.references)}
    if candidates.source is not None:
        info["src"] = candidates.source
    if candidates.scores:
        info["scores"] = {name: column.tolist() for name, column in candidates.scores.items()}
    return info


def candidate_forest(
    candidates: CandidateList, features: FeatureSpace, vocabulary: Vocabulary
) -> Forest:
    """The forest of one list; new names are added to the tables."""
    if candidates.names != features.dense:
        told = f"its dense features are {list(candidates.names)}, expected {list(features.dense)}"
        reason = f"list {candidates.id!r}: {told}"
        raise TuningError(reason, code="file.mismatch", argument="features", value=candidates.id)
    count = len(candidates)
    filled = " ".join([text for text in candidates.texts if text])
    lengths = [text.count(" ") + 1 if text else 0 for text in candidates.texts]
    pairs = [
        sorted((features.sparse.add(name), value) for name, value in table.items())
        for table in candidates.sparse
    ]
    try:
        return Forest(
            [0, count],
            np.zeros(count + 1, dtype=np.int64),
            (),
            features=features,
            dense=candidates.dense,
            feat_start=_starts(list(map(len, pairs)) if pairs else [0] * count),
            feat_id=[number for row in pairs for number, _ in row],
            feat_value=[value for row in pairs for _, value in row],
            vocabulary=vocabulary,
            yield_start=_starts(lengths),
            yield_symbol=vocabulary.add_all(filled.split(" ")) if filled else (),
        )
    except ForestError as error:
        raise error.restated(f"list {candidates.id!r}: {error}", TuningError) from error


def _starts(lengths: Sequence[int]) -> Any:
    return np.cumsum([0, *lengths], dtype=np.int64)


def write_lists(lists: Iterable[CandidateList], output: Path) -> None:
    """JSON lines or a forest set, by the ending; nothing is left of a file that fails."""
    if output.suffix == ".rwf":
        write_forest_set(lists, output).close()
    elif str(output) == "-":
        for candidates in lists:
            print(format_candidates(candidates))
    elif plain_name(output).suffix in (".jsonl", ".ndjson") or (
        output.exists() and not output.is_file()
    ):
        write_candidates(lists, output)
    else:
        reason = f"{output}: expected a name that ends with .jsonl (.gz, .xz, .zst) or .rwf, or -"
        raise TuningError(reason, code="argument.value", argument="--output", value=str(output))
