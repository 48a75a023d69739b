"""Experiments of papers, run again on public data: one folder for each paper."""
