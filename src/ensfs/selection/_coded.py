"""What selectors on coded columns share."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from numbers import Integral

from ensfs._utils.docs import read_descriptions
from ensfs._utils.sklearn import HasMethods, StrOptions
from ensfs.discretize import DISCRETIZERS
from ensfs.selection._base import DetailsT, PartSelector
from ensfs.statistics import Resampling, Sources
from ensfs.statistics.formulas import CORRECTIONS, MEASURES, Measure
from ensfs.training.contract import ReadOptions, TrainingData
from ensfs.training.estimator import (
    CHOICE_CONSTRAINTS,
    GROUP_CONSTRAINTS,
    MISSING_CONSTRAINTS,
    TARGET_CONSTRAINTS,
)

#: How information is corrected for what chance gives.
CORRECTION_CONSTRAINTS: dict = {"correction": [StrOptions(set(CORRECTIONS)), None]}
CORRECTION_DOCS = read_descriptions("""
correction : {"miller_madow", "akaike"} or None, default="miller_madow"
    How information is corrected for chance. From n rows the information of independent columns is
    about df / (2 n ln 2) bits, where df are its degrees of freedom, which grow with the levels.
    "miller_madow" subtracts that. "akaike" subtracts it twice, as prediction of new rows loses it
    once more; it holds columns of many levels back further. None: as counted, which is the
    published definition.
""")

#: Of selectors by symmetrical uncertainty, which is divided by entropies that grow with the levels.
UNCERTAINTY_DOCS = read_descriptions("""
correction : {"miller_madow", "akaike"} or None, default=None
    How the information in the uncertainties is corrected for chance, which is more the more levels
    the columns have: "miller_madow" subtracts df / (2 n ln 2) bits for df degrees of freedom,
    "akaike" twice that, and less than 0 is 0. None: as counted, which is the published definition.
""")

CODING_CONSTRAINTS: dict = {
    "discretizer": [StrOptions(set(DISCRETIZERS)), HasMethods(["fit", "transform"])],
    "discrete_features": ["array-like", "boolean", StrOptions({"auto"})],
    **TARGET_CONSTRAINTS,
    **MISSING_CONSTRAINTS,
    **CHOICE_CONSTRAINTS,
    **GROUP_CONSTRAINTS,
    "n_jobs": [Integral, None],
    "verbose": ["verbose"],
}


def without_groups(constraints: dict) -> dict:
    """Constraints for estimators that do not put columns together."""
    return {name: each for name, each in constraints.items() if name not in GROUP_CONSTRAINTS}


def symmetrical_uncertainty(correction: str | None) -> Measure:
    """The measure of selectors by symmetrical uncertainty: corrected for chance, or as counted."""
    measure = MEASURES["symmetrical_uncertainty"]
    if correction is None:
        return measure
    return replace(measure, chance="subtracted", chance_times=CORRECTIONS[correction])


class CodedSelector(PartSelector[Sources, DetailsT]):
    """A selector on coded columns: one source of counts with the measure of the class."""

    def __init__(
        self, *, correction, discretizer, discrete_features, target_bins, multi_output, missing,
        include, exclude, feature_groups, n_jobs, verbose,
    ):  # fmt: skip
        self.correction = correction
        self.discretizer = discretizer
        self.discrete_features = discrete_features
        self.target_bins = target_bins
        self.multi_output = multi_output
        self.missing = missing
        self.include = include
        self.exclude = exclude
        self.feature_groups = feature_groups
        self.n_jobs = n_jobs
        self.verbose = verbose

    @property
    @abstractmethod
    def _measure(self) -> str | Measure:
        """What a column is measured by against another one."""

    def why_nothing(self) -> str:
        """The likely reason if no column was selected, and what to do."""
        return (
            "no column says anything about the target once it is counted. discretizer='mdl' cuts "
            "a continuous column only where the classes differ clearly, which takes more rows the "
            "more classes there are. Check the target, or use discretizer='equal_frequency'."
        )

    def read_options(self) -> ReadOptions:
        """How the table is to be read."""
        return {"discrete_features": self.discrete_features, "integral_is_discrete": True}

    def sources(
        self, data: TrainingData, resampling: Resampling, n_threads: int, signed: bool = False
    ) -> Sources:
        """The source of relevance and terms; nothing here has a sign."""
        source = data.coded_source(
            data.target("counted"), resampling, measure=self._measure,
            discretizer=self.discretizer, n_threads=n_threads, missing=self.missing,
        )  # fmt: skip
        return Sources.of_one(source)
