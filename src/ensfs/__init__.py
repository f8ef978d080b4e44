"""Feature selection with ensembles, fast."""

from importlib.metadata import version

from ensfs import datasets, evaluation, measures
from ensfs._config import show_config, show_versions
from ensfs.decomposition.input_decimation import InputDecimation
from ensfs.decomposition.itd import ITDecomposition
from ensfs.decomposition.iterated_fcbf import IteratedFCBFDecomposition
from ensfs.decomposition.pca import PCASubspace
from ensfs.decomposition.random import RandomPartitionDecomposition, RandomSubspaceDecomposition
from ensfs.discretise import EqualFrequencyDiscretiser, MDLDiscretiser, SigmaDiscretiser
from ensfs.ensemble.decomposition import DecompositionClassifier, InputDecimationClassifier
from ensfs.scale import RowBlocks
from ensfs.selection.cfs import CFS
from ensfs.selection.ensembles import FastEnsemble, InnerEnsemble
from ensfs.selection.fcbf import FCBF
from ensfs.selection.information import CMIM, DISR, JMI, JMIM, MIM
from ensfs.selection.mrmr import MRMR

__version__ = version("ensfs")

__all__ = [
    "CFS",
    "CMIM",
    "DISR",
    "FCBF",
    "JMI",
    "JMIM",
    "MIM",
    "MRMR",
    "DecompositionClassifier",
    "EqualFrequencyDiscretiser",
    "FastEnsemble",
    "ITDecomposition",
    "InnerEnsemble",
    "InputDecimation",
    "InputDecimationClassifier",
    "IteratedFCBFDecomposition",
    "MDLDiscretiser",
    "PCASubspace",
    "RandomPartitionDecomposition",
    "RandomSubspaceDecomposition",
    "RowBlocks",
    "SigmaDiscretiser",
    "datasets",
    "evaluation",
    "measures",
    "show_config",
    "show_versions",
]
