"""Rules of other programs: phrase tables, reordering tables and grammars, read and written as text.

    import_moses("phrase-table.gz", "rules/", reordering="reordering-table.msd-bidirectional-fe.gz")
    import_grammar("grammar.gz", "rules/", format="cdec")
    export_moses(RuleTable.open("rules/"), "phrase-table.gz", reordering="reordering.gz")
    export_grammar(RuleTable.open("rules/"), "grammar.gz", format="joshua")

What is read, written and read again is the same, as far as the format goes: none says which ids
rules have, or where they came from; Moses's tables have no rule penalty, unless it is named among
the scores, and grammars of cdec and Joshua have no counts.
"""

from rosewood.rules.formats.grammar import export_grammar, import_grammar
from rosewood.rules.formats.moses import export_moses, import_moses
from rosewood.rules.formats.orientations import Orientations
from rosewood.rules.formats.reading import Imported
from rosewood.rules.formats.writing import Exported

__all__ = [
    "Exported",
    "Imported",
    "Orientations",
    "export_grammar",
    "export_moses",
    "import_grammar",
    "import_moses",
]
