"""A corpus format in one file: source ||| target, a pair per line."""

from __future__ import annotations

from rosewood.corpus.formats import CorpusFormat, Layout
from rosewood.corpus.inputs import strict_lines


def parse(source, settings, tally):
    gate = settings.gate(tally, source.name)
    for line in strict_lines(source, settings.checks.max_bytes):
        fields = line.text.split(" ||| ")
        if line.bad is not None:
            yield line.bad
        elif len(fields) != 2:
            yield gate.bad("number of fields", "expected source ||| target", line.number)
        else:
            yield gate.pair(*fields, line.number)


def write(languages, tags):
    return Layout(lambda pair: (f"{pair.source} ||| {pair.target}\n",))


BARS = CorpusFormat(parse, (".bars",), write)
