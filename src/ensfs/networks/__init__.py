"""Discrete Bayesian networks: read, write, sample, score, learn, infer, classify."""
