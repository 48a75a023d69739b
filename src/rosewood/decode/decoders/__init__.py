"""Kinds of decoders, a file each: `PLUGIN` makes decoders from the parts of a model."""
