"""Threads, progress, warnings, ties, seeds, text: what every room may use."""
