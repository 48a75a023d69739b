"""Forest sets of lists, as `write_forest_set` makes them: back to lists."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rosewood.corpus.json_lines import show
from rosewood.errors import FormatError
from rosewood.forest import Forest, ForestSet, nbest_texts
from rosewood.rerank.formats.draft import BadList, CandidateDraft, Drafts


def parse_set(path: Path) -> Drafts:
    """A draft of each forest that is a list."""
    found = ForestSet(path)
    for index, forest in enumerate(found):
        fault = _why_not(forest, info := found.info(index))
        if fault is not None:
            reason = f"forest {index}: {fault[1]}"
            error = FormatError(reason, code="file.format", argument=fault[0], file=path)
            yield BadList(index, error)
            continue
        columns = info.get("scores", {})
        edges = range(forest.num_edges)
        yield CandidateDraft(
            index,
            None,
            str(info.get("id", index)),
            nbest_texts(forest),
            [forest.edge_features(edge) for edge in edges],
            [{name: column[edge] for name, column in columns.items()} for edge in edges],
            source=info.get("src"),
            references=tuple(info.get("refs", ())),
        )


def _why_not(forest: Forest, info: dict[str, Any]) -> tuple[str, str] | None:
    """Why a forest is not a list of candidates, if it is none: the field, and the reason."""
    if forest.num_nodes != 1 or forest.vocabulary is None:
        return (
            "forest",
            "it is not a list of candidates (a root, and edges that have words but no tails); "
            "packed forests are reranked with rosewood rerank --forests",
        )
    if not isinstance(info.get("id", ""), str | int):
        return "id", f"its id is {show(info['id'])}, expected a string"
    if not isinstance(info.get("src", ""), str):
        return "src", f"its source is {show(info['src'])}, expected a string"
    references = info.get("refs", [])
    if not isinstance(references, list) or not all(isinstance(r, str) for r in references):
        return "refs", f"its references are {show(references)}, expected strings"
    scores = info.get("scores", {})
    if not isinstance(scores, dict) or not all(
        isinstance(column, list) and len(column) == forest.num_edges for column in scores.values()
    ):
        return "scores", "its scores are not a column of numbers for each name"
    return None
