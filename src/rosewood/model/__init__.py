"""Models: named weights, and the bundle of all that a translation needs."""

from typing import TYPE_CHECKING, Any

from rosewood.model.weights import read_weights, shared_features, weights_vector, write_weights

if TYPE_CHECKING:
    from rosewood.model.bundle import Bundle

__all__ = ["Bundle", "read_weights", "shared_features", "weights_vector", "write_weights"]


def __getattr__(name: str) -> Any:
    if name != "Bundle":  # which has all rooms of a model behind it: rerankers want weights alone
        raise AttributeError(f"module 'rosewood.model' has no attribute {name!r}")
    from rosewood.model.bundle import Bundle

    return Bundle
