"""Learners: forests in, weights out."""
