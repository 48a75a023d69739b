"""Phrase tables and lexicalized reordering tables of Moses.

Scores      probabilities, which become natural logarithms: phrase_fe, lexical_fe, phrase_ef,
            lexical_ef, then score_5 and so on; a fifth one that is always 2.718 is rule_penalty.
            As in Moses, 0 is e^-100, and so is everything below; it is written as 0 again
Counts      of the target, the source, and both, as far as they are there
Orientations  features orientation_backward_monotone and so on, the logarithms of probabilities
Left out    sparse features and properties; how many lines have them is told
Order       rules of a source are in the order of phrase_ef, the likeliest first
Native      core/rules/text_reader.hpp, text_writer.hpp; specification: tests/reference/rule_text.py
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from os import PathLike, fspath
from pathlib import Path
from typing import Any, BinaryIO

from rosewood import _core
from rosewood.arguments import check_list
from rosewood.errors import FormatError, RuleError
from rosewood.resources import MAX_MEMORY, check_resources
from rosewood.rules.formats.orientations import Orientations
from rosewood.rules.formats.reading import (
    MAX_LINE,
    Imported,
    Show,
    Source,
    fed,
    quietly,
    read_rules,
    skips,
    with_lines,
    written,
)
from rosewood.rules.formats.writing import Exported, check_outputs, write_text
from rosewood.rules.table import RuleTable
from rosewood.shared_types import PathName, StopOrSkip

SCORES = ("phrase_fe", "lexical_fe", "phrase_ef", "lexical_ef")
PENALTY = "rule_penalty"
_LOG_PENALTY = 0.99989629  # log 2.718, as a float
SCORE = "score_"  # and its number: a score that has no other name


def import_moses(
    phrase_table: Source,
    folder: PathName,
    *,
    reordering: Source | None = None,
    orientations: str | None = None,
    scores: Sequence[str] | None = None,
    on_bad_line: StopOrSkip = "stop",
    file: str | None = None,
    show: Show = quietly,
) -> Imported:
    """Make a rule table of a phrase table and, if there is one, a reordering table.

    `orientations`, such as msd-bidirectional, says what the numbers of the reordering table are,
    where neither its name nor their number does.  `scores` are names for the scores.
    """
    format = _core.RuleFormat.moses_phrases
    reader, name, imported = read_rules(
        phrase_table, format, SCORE, on_bad_line, file=file, show=show
    )
    rules = reader.rules
    if reader.labelled == len(rules):
        reason = "all its sides end with a label, such as [X]: it is a grammar"
        raise FormatError(reason, file=name, code="file.kind")
    facts: dict[str, Any] = {"made_from": {"moses": Path(name).name}}
    columns: tuple[str, ...] = ()
    if reordering is not None:
        found, imported = _reordered(
            rules, reordering, orientations, imported, on_bad_line=on_bad_line, show=show
        )
        columns = found.columns
        facts["reordering"] = {"classes": found.classes, "directions": list(found.directions)}
        if found.kind is not None:
            facts["reordering"]["kind"] = found.kind
    elif orientations is not None:
        reason = "orientations are for a reordering table, and there is none"
        raise RuleError(reason, code="argument.conflict", argument="orientations")
    names = named_scores(rules, scores, name)
    facts |= {"scores": names, **imported.facts()}
    rules.finish(names.index("phrase_ef") if "phrase_ef" in names else -1)
    groups = [*count_groups(names), *([columns] if columns else [])]
    written(rules, folder, [*names, *columns], groups, facts, show=show)
    return imported


def named_scores(rules: _core.TextRules, names: Sequence[str] | None, file: str) -> list[str]:
    """What the scores of a file are called; a rule penalty, which Moses writes as 2.718, is 1."""
    count = len(rules.features)
    if names is None:
        given = [*SCORES, *(f"{SCORE}{n}" for n in range(5, count + 1))]
        found = given[:count] if count >= len(SCORES) else list(rules.features)
        if count >= 5 and rules.is_constant(4, _LOG_PENALTY):
            found[4] = PENALTY
    else:
        found = list(check_list("scores", names, error=RuleError))
        if count != len(found):
            raise RuleError(
                f"{file}: there are {len(found)} names for {count} scores",
                code="argument.shape",
                argument="scores",
                value=len(found),
                expected=count,
                file=file,
            )
        if len(set(found)) != count:
            reason = f"{file}: two scores have the same name"
            raise RuleError(reason, code="argument.duplicate", argument="scores", file=file)
    if PENALTY in found and rules.is_constant(place := found.index(PENALTY), _LOG_PENALTY):
        rules.set_constant(place, 1.0)
    return found


def count_groups(names: Sequence[str]) -> list[list[str]]:
    """Columns that are often the same together: probabilities come from counts."""
    probabilities = [name for name in ("phrase_ef", "phrase_fe") if name in names]
    return [["count", "source_count", "target_count", *probabilities]]


def _reordered(
    rules: _core.TextRules,
    source: Source,
    named: str | None,
    imported: Imported,
    *,
    on_bad_line: StopOrSkip,
    show: Show,
) -> tuple[Orientations, Imported]:
    """Columns for the rules, from a reordering table."""
    skip = skips(on_bad_line)
    found: list[Orientations] = [] if named is None else [Orientations.parse(named)]

    def make(block: bytes) -> _core.ReorderingReader:
        if not found:
            line = next((line for line in block.split(b"\n") if line.strip()), b"")
            numbers = len(line.rpartition(b"|||")[2].split())
            path = fspath(source) if isinstance(source, str | PathLike) else None
            found.append(Orientations.guess(path, numbers))
        kept = found[0]
        return _core.ReorderingReader(rules, len(kept.directions), len(kept.names), MAX_LINE, skip)

    reader, name = fed(source, make, file=None, show=show)
    more = {"unmatched": reader.unmatched, "missing": reader.missing}
    return found[0], with_lines(imported, reader, name, **more)


def export_moses(
    table: RuleTable,
    phrase_table: PathName | BinaryIO | None,
    *,
    reordering: PathName | BinaryIO | None = None,
    scores: Sequence[str] | None = None,
    skip_unwritable: bool = False,
    threads: int = 1,
    show: Show = quietly,
) -> Exported:
    """Write a table of phrases as a phrase table, a reordering table, or both.

    The scores are these features; without them, those that a table from Moses had, and otherwise
    all but orientations and the rule penalty, which Moses has on its own, its four in front.
    Rules with gaps, or with words that would be read as something else, are refused, or left out.
    """
    check_outputs(table, phrase_table, reordering)
    threads, _ = check_resources(threads, MAX_MEMORY, RuleError)
    named = exported_scores(table) if scores is None else scores
    chosen = tuple(check_list("scores", named, error=RuleError))
    orientations = Orientations.of_features(table.features)
    if reordering is not None and orientations is None:
        reason = f"{table.folder}: it has no orientations to make a reordering table of"
        raise RuleError(reason, code="rules.no-orientations", file=table.folder)
    write = partial(write_text, table, skip_unwritable=skip_unwritable, threads=threads, show=show)
    skipped = 0  # the same rules, whichever is written
    if phrase_table is not None:
        skipped = write(phrase_table, _core.RuleFormat.moses_phrases, chosen)
    if reordering is not None and orientations is not None:
        format = _core.RuleFormat.moses_reordering
        skipped = max(skipped, write(reordering, format, orientations.columns))
    return Exported(chosen, skipped)


def exported_scores(table: RuleTable) -> tuple[str, ...]:
    """The features that are scores, in the order in which Moses has them."""
    known = table.facts.get("scores")
    if isinstance(known, list) and all(name in table.features for name in known):
        return tuple(known)
    rest = [
        name
        for name in table.features
        if name not in (*SCORES, PENALTY) and not name.startswith("orientation_")
    ]
    return (*(name for name in SCORES if name in table.features), *rest)
