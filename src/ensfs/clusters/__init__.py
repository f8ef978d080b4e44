"""Selection without a target by random cluster ensembles."""
