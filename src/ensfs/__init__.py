"""Feature selection with ensembles, fast."""

from importlib.metadata import version

from ensfs import evaluation, measures
from ensfs._config import show_config, show_versions
from ensfs.discretise import EqualFrequencyDiscretiser, MDLDiscretiser, SigmaDiscretiser
from ensfs.scale import RowBlocks
from ensfs.selection.ensembles import FastEnsemble, InnerEnsemble
from ensfs.selection.mrmr import MRMR

__version__ = version("ensfs")

__all__ = [
    "MRMR",
    "EqualFrequencyDiscretiser",
    "FastEnsemble",
    "InnerEnsemble",
    "MDLDiscretiser",
    "RowBlocks",
    "SigmaDiscretiser",
    "evaluation",
    "measures",
    "show_config",
    "show_versions",
]
