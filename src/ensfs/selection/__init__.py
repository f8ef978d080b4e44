"""Selectors, one family per file."""
