"""Searches that know statistics, not estimators."""
