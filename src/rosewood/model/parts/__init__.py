"""The parts of model bundles, a module each; `rosewood.model.registry` imports them all."""
