"""What selectors on coded columns share."""

from __future__ import annotations

from abc import abstractmethod
from numbers import Integral

from ensfs._utils.sklearn import HasMethods, StrOptions
from ensfs.discretize import DISCRETIZERS
from ensfs.selection._base import DetailsT, PartSelector
from ensfs.statistics import Resampling, Sources
from ensfs.statistics.formulas import Measure
from ensfs.training.contract import ReadOptions, TrainingData

CODING_CONSTRAINTS: dict = {
    "discretizer": [StrOptions(set(DISCRETIZERS)), HasMethods(["fit", "transform"])],
    "discrete_features": ["array-like", "boolean", StrOptions({"auto"})],
    "n_jobs": [Integral, None],
    "verbose": ["verbose"],
}


class CodedSelector(PartSelector[Sources, DetailsT]):
    """A selector on coded columns: one source of counts with the measure of the class."""

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
            discretizer=self.discretizer, n_threads=n_threads,
        )  # fmt: skip
        return Sources.of_one(source)
