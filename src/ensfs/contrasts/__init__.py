"""Selection by tree ensembles and artificial contrasts."""
