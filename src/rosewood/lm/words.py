"""The words of a model as two arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Words"]


class Words(NamedTuple):
    """Word w is word_bytes[word_start[w]:word_start[w+1]]."""

    word_bytes: NDArray[np.uint8]
    word_start: NDArray[np.int64]
