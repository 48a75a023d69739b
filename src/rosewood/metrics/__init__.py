"""Metrics: additive statistics, scores with signatures, significance."""
