"""Language models: estimated, queried and inspected in-process."""
