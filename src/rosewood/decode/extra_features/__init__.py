"""Features that `--feature NAME` adds to a decoder, a file each: `PLUGIN` is the class."""
