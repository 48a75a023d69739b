"""Metrics, one file each: its name is the metric's, its first line the help."""
