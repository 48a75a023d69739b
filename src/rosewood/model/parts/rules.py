"""Bundle part `rules`: the rule table."""

from rosewood.model.registry import PartType, register_part
from rosewood.rules import RuleTable

register_part(
    PartType(
        "rules",
        "rule-table",
        "Translation rules with their scores.",
        open=lambda part: RuleTable.open(part.path),
        verify=lambda part: RuleTable.open(part.path).verify(),
        required=True,
    )
)
