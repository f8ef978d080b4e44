"""Markov blankets and causal graphs."""
