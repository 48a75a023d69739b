"""The verbs of the command, one file each: see `rosewood.registry`."""
