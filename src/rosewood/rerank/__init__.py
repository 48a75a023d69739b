"""Candidates in, weights out, candidates out."""

from rosewood.rerank.candidates import CandidateList, format_candidates, write_candidates
from rosewood.rerank.forests import candidate_texts, write_forest_set
from rosewood.rerank.readers import Dropped, read_candidates

__all__ = [
    "CandidateList",
    "Dropped",
    "candidate_texts",
    "format_candidates",
    "read_candidates",
    "write_candidates",
    "write_forest_set",
]
