"""Feature selection with ensembles, fast."""

from importlib.metadata import version

from ensfs import datasets, evaluation, measures, plotting
from ensfs._config import show_config, show_versions
from ensfs._graph import CausalGraph
from ensfs._report import report
from ensfs.decomposition.input_decimation import InputDecimation
from ensfs.decomposition.itd import ITDecomposition
from ensfs.decomposition.iterated_fcbf import IteratedFCBFDecomposition
from ensfs.decomposition.pca import PCASubspace
from ensfs.decomposition.random import RandomPartitionDecomposition, RandomSubspaceDecomposition
from ensfs.discretise import EqualFrequencyDiscretiser, MDLDiscretiser, SigmaDiscretiser
from ensfs.ensemble.decomposition import DecompositionClassifier, InputDecimationClassifier
from ensfs.independence import OracleTest
from ensfs.scale import RowBlocks
from ensfs.selection.ace import ACE
from ensfs.selection.cfs import CFS
from ensfs.selection.ensembles import FastEnsemble, InnerEnsemble
from ensfs.selection.fcbf import FCBF
from ensfs.selection.graphs import PCSelector, TPDASelector
from ensfs.selection.hybrid import HybridCausalSelector
from ensfs.selection.information import CMIM, DISR, JMI, JMIM, MIM
from ensfs.selection.markov_blanket import IAMB, GrowShrink, InterIAMB
from ensfs.selection.max_min import MMPC
from ensfs.selection.mrmr import MRMR
from ensfs.selection.random_clusters import RandomClusterEnsemble

__version__ = version("ensfs")

__all__ = [
    "ACE",
    "CFS",
    "CMIM",
    "DISR",
    "FCBF",
    "IAMB",
    "JMI",
    "JMIM",
    "MIM",
    "MMPC",
    "MRMR",
    "CausalGraph",
    "DecompositionClassifier",
    "EqualFrequencyDiscretiser",
    "FastEnsemble",
    "GrowShrink",
    "HybridCausalSelector",
    "ITDecomposition",
    "InnerEnsemble",
    "InputDecimation",
    "InputDecimationClassifier",
    "InterIAMB",
    "IteratedFCBFDecomposition",
    "MDLDiscretiser",
    "OracleTest",
    "PCASubspace",
    "PCSelector",
    "RandomClusterEnsemble",
    "RandomPartitionDecomposition",
    "RandomSubspaceDecomposition",
    "RowBlocks",
    "SigmaDiscretiser",
    "TPDASelector",
    "datasets",
    "evaluation",
    "measures",
    "plotting",
    "report",
    "show_config",
    "show_versions",
]
