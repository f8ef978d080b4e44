"""Data sets of the papers: made by their rules, or loaded by name."""

from ensfs.datasets.real import dataset_names, fetch_dataset
from ensfs.datasets.synthetic import make_input_decimation

__all__ = ["dataset_names", "fetch_dataset", "make_input_decimation"]
