"""Pictures of selections and ensembles, as Display objects; matplotlib draws them."""

from ensfs.plotting.ace import ACEHistoryDisplay, ACEMaskingDisplay
from ensfs.plotting.blanket import MarkovBlanketDisplay
from ensfs.plotting.comparison import SelectorComparisonDisplay
from ensfs.plotting.curves import AccuracyDisplay, StabilityDisplay
from ensfs.plotting.diversity import DiversityErrorDisplay
from ensfs.plotting.ensembles import BiasVarianceDisplay, GainDisplay, StagedErrorDisplay
from ensfs.plotting.frequency import SelectionFrequencyDisplay
from ensfs.plotting.graph import CausalGraphDisplay
from ensfs.plotting.groups import ColumnGroupsDisplay
from ensfs.plotting.margins import MarginsDisplay
from ensfs.plotting.path import SelectionPathDisplay
from ensfs.plotting.places import MemberPlacesDisplay
from ensfs.plotting.reduction import ErrorReductionDisplay
from ensfs.plotting.redundancy import RedundancyMapDisplay

__all__ = [
    "ACEHistoryDisplay",
    "ACEMaskingDisplay",
    "AccuracyDisplay",
    "BiasVarianceDisplay",
    "CausalGraphDisplay",
    "ColumnGroupsDisplay",
    "DiversityErrorDisplay",
    "ErrorReductionDisplay",
    "GainDisplay",
    "MarginsDisplay",
    "MarkovBlanketDisplay",
    "MemberPlacesDisplay",
    "RedundancyMapDisplay",
    "SelectionFrequencyDisplay",
    "SelectionPathDisplay",
    "SelectorComparisonDisplay",
    "StabilityDisplay",
    "StagedErrorDisplay",
]
