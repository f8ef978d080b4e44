"""Decompositions: from one set of columns to several subsets."""
