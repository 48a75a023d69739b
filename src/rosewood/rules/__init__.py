"""Translation rules: phrase pairs and hierarchical rules, extracted, scored and kept in tables."""
