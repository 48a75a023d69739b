"""`rosewood rules show`, `info` and `verify`: looking into a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from rosewood.cli.common import Json, named_rows, print_row, print_table, warn
from rosewood.cli.corpora import Languages, read_every_line
from rosewood.cli.options import Config
from rosewood.cli.rules_moving import TableFolder
from rosewood.errors import RosewoodError, RuleError

if TYPE_CHECKING:
    from rosewood.rules import Rule, RuleTable

__all__ = ["info", "show", "verify"]

_MAX_SPAN = 10  # words, unless the table says how many
_Origins = dict[int, tuple[str, str]]  # sentence pairs of the training corpus, by their numbers


class _Found(NamedTuple):
    """A rule, and where in a sentence it can be used."""

    rule: Rule
    begin: int | None = None
    end: int | None = None
    gaps: tuple[tuple[int, int], ...] = ()


def show(
    table: TableFolder,
    source: Annotated[
        str,
        typer.Argument(
            metavar="SOURCE", help='Words, and gaps as in "das [X,1] von [X,2]"; or a sentence.'
        ),
    ],
    sentence: Annotated[
        bool,
        typer.Option(
            "--sentence",
            "-s",
            help="All rules for the spans of a sentence, which SOURCE is; spans have as many words "
            "as those that rules were extracted from, or 10, at most.",
        ),
    ] = False,
    limit: Annotated[
        int | None,
        typer.Option("--limit", "-n", min=1, metavar="N", help="The first N of each source."),
    ] = None,
    origin: Annotated[
        list[str] | None,
        typer.Option(
            "--origin",
            metavar="CORPUS",
            help="Show the training sentence that each rule came from: the corpus that rules were "
            "extracted from; two text files are --origin twice.",
        ),
    ] = None,
    languages: Languages = None,
    every: Annotated[
        bool, typer.Option("--all", "-a", help="Features of orientations, too.")
    ] = False,
    json: Json = False,
    config: Config = None,
) -> None:
    """The rules of a source, the best first, with features, counts and alignment.

    Counts are those of the rule, of its source and of its target.

    rosewood rules show rules/ "ein haus" --limit 5
    """
    from rosewood.rules import RuleTable

    opened = RuleTable.open(table)
    if not source.strip():
        raise RuleError("show: SOURCE is empty")
    if sentence:
        found = [*_matching(opened, source, limit)]
    else:
        found = [_Found(rule) for rule in opened.lookup(source)[:limit]]
    origins = _origins(found, origin, languages) if origin else {}
    if not found:
        warn(f"{table}: no rule for {source!r}")
    elif json:
        for each in found:
            print_row(_row(each, origins), as_json=True)
    else:
        features = [n for n in opened.features if every or not n.startswith("orientation_")]
        _print(found, origins, features, is_sentence=sentence)


def _matching(table: RuleTable, sentence: str, limit: int | None) -> Iterator[_Found]:
    """All rules that match, by their spans, which are no longer than those rules came from."""
    settings = table.facts.get("settings", {})
    longest = max(settings.get("max_span", _MAX_SPAN), settings.get("max_phrase", 1))
    found = table.matches(sentence, max_span=longest)
    spans = zip(
        found.begin.tolist(), found.end.tolist(), found.first.tolist(), found.last.tolist(),
        strict=True,
    )  # fmt: skip
    for n, (begin, end, first, last) in enumerate(spans):
        here = slice(int(found.gap_start[n]), int(found.gap_start[n + 1]))
        gaps = tuple(zip(found.gap_begin[here].tolist(), found.gap_end[here].tolist(), strict=True))
        for number in range(first, last if limit is None else min(last, first + limit)):
            yield _Found(table[number], begin, end, gaps)


def _origins(found: Sequence[_Found], sources: Sequence[str], languages: str | None) -> _Origins:
    """The sentence pairs of a corpus, an indexed one or its files, that rules were seen in."""
    from rosewood.corpus import Checks, IndexedCorpus

    wanted = {each.rule.sentence for each in found} - {None}
    if not wanted and found:
        warn("the table does not say where rules came from")
    origins: _Origins = {}
    if len(sources) == 1 and Path(sources[0]).is_dir():
        corpus = IndexedCorpus.open(sources[0])
        for number in wanted:
            if number is not None and number < len(corpus):
                sides = corpus.source.words(number), corpus.target.words(number)
                origins[number] = " ".join(sides[0]), " ".join(sides[1])
    elif wanted:
        pairs = read_every_line(sources, languages, None, "skip", checks=Checks(), quiet=True)
        for number, pair in enumerate(pairs):
            if number in wanted:
                origins[number] = pair.source, pair.target
                if len(origins) == len(wanted):
                    break
    if missing := len(wanted - origins.keys()):
        warn(f"{', '.join(sources)}: it ends before {missing} of the sentences rules came from")
    return origins


def _row(found: _Found, origins: _Origins) -> dict[str, Any]:
    """A rule as JSON."""
    rule = found.rule
    row: dict[str, Any] = {"id": rule.id}
    if found.begin is not None:
        row |= {"begin": found.begin, "end": found.end, "gaps": [list(gap) for gap in found.gaps]}
    row |= {
        "left": rule.left,
        "source": [str(symbol) for symbol in rule.source],
        "target": [str(symbol) for symbol in rule.target],
        "links": [list(link) for link in rule.links],
        "counts": {
            "rule": rule.count, "source": rule.source_count, "target": rule.target_count,
        },
        "features": dict(rule.features),
        "sentence": rule.sentence,
    }  # fmt: skip
    if rule.sentence in origins:
        row["origin"] = dict(zip(("source", "target"), origins[rule.sentence], strict=True))
    return row


def _print(
    found: Sequence[_Found], origins: _Origins, features: Sequence[str], *, is_sentence: bool
) -> None:
    """A table for people; where a rule came from is written below it."""
    names = ["id", "target", "links", "counts", *features]
    rows = [["span", "source", *names] if is_sentence else names]
    has_labels = any(each.rule.left != "X" for each in found)
    for each in found:
        rule = each.rule
        left = [f"[{rule.left}] → " if has_labels else ""]
        row = [
            str(rule.id),
            "".join([*left, " ".join(map(str, rule.target))]),
            " ".join(f"{i}-{j}" for i, j in rule.links),
            f"{rule.count:.6g}/{rule.source_count:.6g}/{rule.target_count:.6g}",
            *(f"{rule.features[name]:.4g}" for name in features),
        ]
        if is_sentence:
            spans = [f"{each.begin}:{each.end}", *(f"[{b}:{e}]" for b, e in each.gaps)]
            row = [" ".join(spans), " ".join(map(str, rule.source)), *row]
        rows.append(row)
    numbers = len(rows[0]) - len(features)
    print_table(rows, right=range(numbers - 1, len(rows[0])))
    for number in dict.fromkeys(each.rule.sentence for each in found):
        if number in origins:
            print(f"\nsentence {number + 1}\n  {origins[number][0]}\n  {origins[number][1]}")


def info(table: TableFolder, json: Json = False) -> None:
    """What is in a table, and how it was made."""
    from rosewood.rules import RuleTable

    found = RuleTable.open(table)
    row = {
        "table": str(table),
        "rules": len(found),
        "ids": found.num_ids,
        "source_words": len(found.source_words),
        "target_words": len(found.target_words),
        "labels": list(found.labels),
        "features": list(found.features),
        "bytes": found.size,
        "bytes_per_rule": found.size / len(found) if len(found) else None,
        "facts": found.facts,
    }
    if json:
        print_row(row, as_json=True)
    else:
        print_table([*named_rows(row)])


def verify(
    tables: Annotated[
        list[Path], typer.Argument(metavar="TABLE…", help="Folders of tables of rules.")
    ],
) -> None:
    """Read all of a table: every checksum, and everything that its parts must be."""
    from rosewood.rules import RuleTable

    is_good = True
    for table in tables:
        try:
            RuleTable.open(table).verify()
        except (RosewoodError, OSError) as error:  # the others are looked at all the same
            warn(
                str(error)
                if isinstance(error, RosewoodError)
                else f"{error.filename or table}: {error.strerror}"
            )
            is_good = False
        else:
            print(f"{table}: good")
    if not is_good:
        raise typer.Exit(1)
