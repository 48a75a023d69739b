"""Bundle part `rules`: the rule table."""

from rosewood.model.registry import PartType
from rosewood.rules import RuleTable

PLUGIN = PartType(
    "rules",
    "rule-table",
    "Translation rules with their scores.",
    open=lambda part: RuleTable.open(part.path),
    verify=lambda part: RuleTable.open(part.path).verify(),
    required=True,
)
