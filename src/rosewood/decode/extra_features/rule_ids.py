"""How often the translation uses a rule, by the rule's id: `rule:ID`."""

from __future__ import annotations

import numpy as np

from rosewood.arrays import LongArray
from rosewood.decode.features import Sparse
from rosewood.decode.options import TranslationOptions
from rosewood.rules.table import RuleTable


class RuleIds:
    """Every rule is a feature, `rule:ID`: how often a translation uses it."""

    template = "rule"
    help = "how often the translation uses a rule"
    numbers_rules = True

    def __call__(self, options: TranslationOptions, chosen: LongArray) -> Sparse:
        """The ids of rules, which tables made from one another share; each 1."""
        own = chosen[options.rule[chosen] >= 0]
        return own, options.rule_id[own], np.ones(len(own))

    def describe(self, number: int, table: RuleTable) -> str:
        """The two sides of the rule."""
        rule = table.by_id(number)
        source, target = (" ".join(map(str, side)) for side in (rule.source, rule.target))
        return f"{source} → {target or '–'}"


PLUGIN = RuleIds
