"""Feature selection with ensembles, fast."""
