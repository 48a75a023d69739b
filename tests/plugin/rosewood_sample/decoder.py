"""A decoder in one file: phrases in the order of the source."""

from __future__ import annotations

from dataclasses import replace

from rosewood.decode import PhraseDecoder, SearchSettings


class InOrder:
    """Makes decoders that translate from left to right, from the parts of a model."""

    settings_type = SearchSettings

    def make(self, parts, *, settings, weights=None, unknown="copy", features=()):
        return PhraseDecoder(
            parts["rules"],
            parts["lm"],
            features=features,
            weights=weights,
            settings=replace(settings, distortion_limit=0),
            unknown=unknown,
        )


IN_ORDER = InOrder()
