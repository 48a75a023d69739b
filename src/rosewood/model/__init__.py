"""Models: named weights, and the bundle of all that a translation needs."""

from typing import TYPE_CHECKING

from rosewood.lazy_names import lazy_names

if TYPE_CHECKING:
    from rosewood.model.bundle import Bundle
    from rosewood.model.weights import read_weights, shared_features, weights_vector, write_weights

__all__ = ["Bundle", "read_weights", "shared_features", "weights_vector", "write_weights"]

__getattr__, __dir__ = lazy_names(__name__)
