"""Slips of the fingers."""

from __future__ import annotations

from rosewood.corpus.phrasebook.chance import Draw
from rosewood.corpus.phrasebook.tokens import Tokens


def misspelt(tokens: Tokens, draw: Draw) -> Tokens:
    """The same words with a slip in one of the longer ones; what is linked stays linked."""
    places = [place for place, token in enumerate(tokens) if len(token[0]) > 3]
    if not places:
        return tokens
    place = places[int(draw() * len(places))]
    word = tokens[place][0]
    at = 1 + int(draw() * (len(word) - 2))
    chance = draw()
    if chance < 0.4:  # two letters change places
        word = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    elif chance < 0.7:  # one is left out
        word = word[:at] + word[at + 1 :]
    else:  # or comes twice
        word = word[:at] + word[at] + word[at:]
    return [*tokens[:place], (word, *tokens[place][1:]), *tokens[place + 1 :]]
