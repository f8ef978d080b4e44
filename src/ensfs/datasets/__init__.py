"""Data whose answer is known: Bayesian networks, their samples, and their graphs."""

from ensfs.datasets.bif import read_bif, write_bif
from ensfs.datasets.lucas import load_lucas_network
from ensfs.datasets.networks import BayesianNetwork

__all__ = [
    "BayesianNetwork",
    "load_lucas_network",
    "read_bif",
    "write_bif",
]
