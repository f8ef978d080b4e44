"""Data sets of the papers: made by their rules or loaded by name; and networks that are known."""

from ensfs.datasets._waveform import make_waveform
from ensfs.datasets.clusters import make_xor_clusters
from ensfs.datasets.field import make_field_and_nerve
from ensfs.datasets.lucas import load_lucas_network
from ensfs.datasets.norms import make_norms, norms_bayes_error
from ensfs.datasets.patterns import make_pattern
from ensfs.datasets.real import dataset_names, fetch_dataset
from ensfs.datasets.synthetic import make_input_decimation
from ensfs.networks.bif import read_bif, write_bif
from ensfs.networks.network import BayesianNetwork

__all__ = [
    "BayesianNetwork",
    "dataset_names",
    "fetch_dataset",
    "load_lucas_network",
    "make_field_and_nerve",
    "make_input_decimation",
    "make_norms",
    "make_pattern",
    "make_waveform",
    "make_xor_clusters",
    "norms_bayes_error",
    "read_bif",
    "write_bif",
]
