"""Translation rules: phrase pairs and hierarchical rules, extracted, scored and kept in tables.

    found = extract(corpus, links, "rules")                  # an aligned corpus into a table
    table = RuleTable.open("rules"); table.lookup("ein haus"); table.options("ein haus am see")
"""

from rosewood.rules.extraction import Extracted, extract, extract_files
from rosewood.rules.settings import ExtractionSettings

__all__ = ["Extracted", "ExtractionSettings", "extract", "extract_files"]
