"""Learners, one file each: see `rosewood.learn.registry`."""
