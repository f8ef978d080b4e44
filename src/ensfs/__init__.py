"""Feature selection with ensembles, fast."""

from importlib.metadata import version

from ensfs import evaluation, measures, plotting
from ensfs._config import show_config, show_versions
from ensfs.discretise import EqualFrequencyDiscretiser, MDLDiscretiser, SigmaDiscretiser
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
    "EqualFrequencyDiscretiser",
    "FastEnsemble",
    "InnerEnsemble",
    "MDLDiscretiser",
    "RowBlocks",
    "SigmaDiscretiser",
    "evaluation",
    "measures",
    "plotting",
    "show_config",
    "show_versions",
]
