"""Translation rules: phrase pairs and hierarchical rules, extracted, scored and kept in tables.

extract(corpus, links, "rules")     # an aligned corpus into a table
table = RuleTable.open("rules"); table.lookup("das haus")[0].features["phrase_ef"]
"""

from typing import TYPE_CHECKING

from rosewood.lazy_names import lazy_names

if TYPE_CHECKING:
    from rosewood.rules.events import EventBlock, orientation_events
    from rosewood.rules.extraction import Extracted, extract, extract_files
    from rosewood.rules.leave_one_out import LeaveOneOut, LeftOut
    from rosewood.rules.rule import Gap, Rule
    from rosewood.rules.settings import ExtractionSettings
    from rosewood.rules.table import Matches, Options, RuleTable
    from rosewood.rules.table_files import new_table

__all__ = [
    "EventBlock",
    "Extracted",
    "ExtractionSettings",
    "Gap",
    "LeaveOneOut",
    "LeftOut",
    "Matches",
    "Options",
    "Rule",
    "RuleTable",
    "extract",
    "extract_files",
    "new_table",
    "orientation_events",
]

__getattr__, __dir__ = lazy_names(__name__)
