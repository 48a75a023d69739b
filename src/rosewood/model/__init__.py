"""Models: named weights."""

from rosewood.model.weights import read_weights, shared_features, weights_vector, write_weights

__all__ = ["read_weights", "shared_features", "weights_vector", "write_weights"]
