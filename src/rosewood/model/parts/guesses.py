"""Bundle part `guesses`: endings and word parts, for words that no rule translates."""

from typing import Any

from rosewood.model.registry import PartType, StoredPart


def _open(part: StoredPart) -> Any:
    from rosewood.decode.guessing import Guesses  # decoders import this room, too

    return Guesses.load(part.path)


PLUGIN = PartType(
    "guesses",
    "guesses",
    "Endings and parts of words, for words without rules.",
    open=_open,
    verify=_open,
)
