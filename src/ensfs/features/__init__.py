"""Columns from images."""
