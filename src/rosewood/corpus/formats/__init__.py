"""Parsers of corpora: each yields pairs, or what is wrong with them, one after the other.

An error that a parser raises is of the whole file and always stops; a `Bad` one may be skipped.
"""
