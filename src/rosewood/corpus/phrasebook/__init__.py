"""The corpus this project carries: everyday sentences, translated, with gold word alignments."""

from rosewood.corpus.phrasebook.book import Phrasebook, PhrasebookSplit
from rosewood.corpus.phrasebook.pair import KINDS, PhrasebookPair

__all__ = ["KINDS", "Phrasebook", "PhrasebookPair", "PhrasebookSplit"]
