"""The parts of model bundles, a file each: `PLUGIN` is a PartType, or a tuple of them."""
