"""Readers of candidate files: each format becomes drafts of lists, which one place checks."""
