"""Translation rules: phrase pairs and hierarchical rules, extracted, scored and kept in tables.

table = RuleTable.open("rules/")
for rule in table.lookup("das haus"):
    print(rule, rule.features["phrase_ef"])
"""

from rosewood.rules.rule import Gap, Rule
from rosewood.rules.table import Matches, Options, RuleTable
from rosewood.rules.table_files import new_table

__all__ = ["Gap", "Matches", "Options", "Rule", "RuleTable", "new_table"]
