"""Text grammars of Moses, cdec and Joshua: rules with gaps.

    moses     das [X][X] [X] ||| the [X][X] [X] ||| 0.5 0.4 0.3 0.2 ||| 0-0 1-1 ||| 2 3 1
    cdec      [X] ||| das [X,1] ||| the [1] ||| EgivenF=0.7 IsSingletonF=0 ||| 0-0
    joshua    [X] ||| das [X,1] ||| the [X,1] ||| 0.7 0 ||| 0-0

Moses       scores and counts as in phrase tables; gaps are matched by the alignment.  Where source
            and target have different labels, the label is both, `X][NP`
cdec        features are as they stand, and 0 where they do not; without a name, PhraseModel_0, …
Joshua      the same, but features without a name are negated, as Joshua does when it reads them:
            tm_pt_0, …, so that its weights fit
Order       rules of a source are as they stand, those of Moses by phrase_ef
Tables have every feature in every rule, so there may be some thousands of them, but not millions.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO, get_args

from rosewood import _core
from rosewood.arguments import check_choice, check_list
from rosewood.corpus.lines import read_lines
from rosewood.errors import FormatError, RuleError
from rosewood.resources import MAX_MEMORY, check_resources
from rosewood.rules.formats.moses import SCORE, count_groups, exported_scores, named_scores
from rosewood.rules.formats.reading import (
    Imported,
    Show,
    Source,
    check_source,
    quietly,
    read_rules,
    written,
)
from rosewood.rules.formats.writing import Exported, check_outputs, write_text
from rosewood.rules.settings import GrammarFormat
from rosewood.rules.table import RuleTable
from rosewood.shared_types import PathName, StopOrSkip

_NATIVE = {
    "moses": _core.RuleFormat.moses_grammar,
    "cdec": _core.RuleFormat.cdec,
    "joshua": _core.RuleFormat.joshua,
}
_PREFIXES = {"cdec": "PhraseModel_", "joshua": "tm_pt_", "moses": SCORE}  # without a name
_HIERO = re.compile(r"[ \t]*\[[^\s\]]+\][ \t]+\|\|\|")


def import_grammar(
    path: Source,
    folder: PathName,
    *,
    format: GrammarFormat | None = None,
    scores: Sequence[str] | None = None,
    on_bad_line: StopOrSkip = "stop",
    file: str | None = None,
    show: Show = quietly,
) -> Imported:
    """Make a rule table of a grammar; its format is told from the first line, if that can be.

    `scores` are names for the scores of a grammar of Moses.
    """
    check_source(path)
    kind = format or _guess(path)
    _check_format(kind)
    reader, name, imported = read_rules(
        path, _NATIVE[kind], _PREFIXES[kind], on_bad_line, file=file, show=show
    )
    rules = reader.rules
    names, groups = rules.features, []
    facts: dict[str, Any] = {"made_from": {kind: Path(name).name}, **imported.facts()}
    if kind == "moses":
        names = named_scores(rules, scores, name)
        groups = count_groups(names)
        facts["scores"] = names
    elif scores is not None:
        reason = "scores have names in a grammar of Moses only"
        raise RuleError(reason, code="argument.conflict", argument="scores")
    rules.finish(names.index("phrase_ef") if kind == "moses" and "phrase_ef" in names else -1)
    written(rules, folder, names, groups, facts, show=show)
    return imported


def _guess(path: Source) -> GrammarFormat:
    """What the first line looks like."""
    if not isinstance(path, str | PathLike):
        reason = "the format of a stream must be named: moses, cdec or joshua"
        raise RuleError(reason, code="argument.missing", argument="format")
    for number, line in read_lines(path, str(path)):
        if line.strip():
            kind = kind_of_grammar(line)
            if kind is None:
                reason = (
                    "its features have no names, as in grammars of cdec and of Joshua, which mean "
                    "different things by that: name the format"
                )
                raise FormatError(reason, file=path, line=number, code="rules.format-unclear")
            return kind
    raise FormatError("there are no rules in it", file=path, code="file.empty")


def kind_of_grammar(line: str) -> GrammarFormat | None:
    """The format of a line; nothing where cdec and Joshua would read it differently."""
    if not _HIERO.match(line):
        return "moses"
    fields = [field.split() for field in line.split("|||")]
    features = fields[3] if len(fields) > 3 else []
    return "cdec" if all("=" in feature for feature in features) else None


def export_grammar(
    table: RuleTable,
    path: PathName | BinaryIO,
    *,
    format: GrammarFormat,
    features: Sequence[str] | None = None,
    skip_unwritable: bool = False,
    threads: int = 1,
    show: Show = quietly,
) -> Exported:
    """Write a table as a grammar, with these features; without them, all.

    Counts are written for Moses only, where features are the scores.  Rules with words that would
    be read as something else, such as `[sic]`, are refused, or left out.
    """
    check_outputs(table, path)
    _check_format(format)
    threads, _ = check_resources(threads, MAX_MEMORY, RuleError)
    if features is not None:
        chosen = tuple(check_list("features", features, error=RuleError))
    else:
        chosen = exported_scores(table) if format == "moses" else table.features
    skipped = write_text(
        table, path, _NATIVE[format], chosen, skip_unwritable=skip_unwritable, threads=threads,
        show=show, prefix=_PREFIXES[format],
    )  # fmt: skip
    return Exported(chosen, skipped)


def _check_format(format: str) -> None:
    check_choice("format", format, get_args(GrammarFormat), error=RuleError)
