"""Settings of word classes."""

from __future__ import annotations

from dataclasses import dataclass

from rosewood.errors import CorpusError
from rosewood.settings import Settings, setting, setting_of
from rosewood.shared_settings import SharedSettings

MOST_CLASSES = 20_000  # counts of class bigrams are a matrix in memory


@dataclass(frozen=True, kw_only=True)
class ClusterSettings(Settings):
    """How words are put into classes."""

    error = CorpusError

    classes: int = setting(50, "Number of word classes.", low=1, high=MOST_CLASSES)
    rounds: int = setting(
        100, "Maximum number of rounds of exchange, which ends earlier once no word moves.", low=1
    )
    annealing: int = setting(
        40, "Rounds of simulated annealing that come first: better classes; 0: none.", low=0
    )
    seed: int = setting_of(SharedSettings, "seed")
    min_count: int = setting(
        1, "Minimum count of a word; rarer words have class 0, like unknown ones.", low=1
    )
