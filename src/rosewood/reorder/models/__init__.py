"""Reordering models, a file each: `PLUGIN.of` makes one from a rule table."""
