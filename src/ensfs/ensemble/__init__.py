"""Ensembles of classifiers on subsets of the columns."""
