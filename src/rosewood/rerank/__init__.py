"""Candidates in, weights out, candidates out; packed forests, too, with weights from elsewhere."""

from typing import TYPE_CHECKING

from rosewood.lazy_names import lazy_names

if TYPE_CHECKING:
    from rosewood.rerank.arrays import forest_set, from_arrays, lists_from_arrays
    from rosewood.rerank.candidate_sweep import sweep
    from rosewood.rerank.candidates import CandidateList, format_candidates, write_candidates
    from rosewood.rerank.forest_reranking import RerankedForest, rerank_forests
    from rosewood.rerank.forests import candidate_forest, write_forest_set, write_lists
    from rosewood.rerank.heldout import Heldout
    from rosewood.rerank.readers import Dropped, read_candidates
    from rosewood.rerank.reranking import Reranked, rerank
    from rosewood.rerank.second_stage import TrainedSecondStage, train_second_stage
    from rosewood.rerank.settings import FORMATS
    from rosewood.rerank.summary import CandidateSummary, Spread, summarise
    from rosewood.rerank.toy import toy_lists
    from rosewood.rerank.tuning import Replicate, Tuned, tune

__all__ = [
    "FORMATS",
    "CandidateList",
    "CandidateSummary",
    "Dropped",
    "Heldout",
    "Replicate",
    "Reranked",
    "RerankedForest",
    "Spread",
    "TrainedSecondStage",
    "Tuned",
    "candidate_forest",
    "forest_set",
    "format_candidates",
    "from_arrays",
    "lists_from_arrays",
    "read_candidates",
    "rerank",
    "rerank_forests",
    "summarise",
    "sweep",
    "toy_lists",
    "train_second_stage",
    "tune",
    "write_candidates",
    "write_forest_set",
    "write_lists",
]

__getattr__, __dir__ = lazy_names(__name__)
