"""Minimum redundancy, maximum relevance."""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral
from typing import Any

import numpy as np

from ensfs._utils.docs import with_docs
from ensfs._utils.sklearn import StrOptions
from ensfs.data.target import Target
from ensfs.search.criteria import Criterion
from ensfs.search.greedy import GreedyDetails
from ensfs.search.selection import Selection
from ensfs.selection._base import SELECTOR_DOCS
from ensfs.selection._given_relevance import GivenRelevance
from ensfs.selection._sized import SIZE_CONSTRAINTS, SIZE_DOCS, SizedSelector, count_tests
from ensfs.statistics import Resampling, Source, Sources
from ensfs.statistics.formulas import CORRECTIONS, MEASURES, Measure
from ensfs.statistics.outputs import tests_of_numbers
from ensfs.training.classes import Outputs
from ensfs.training.contract import ReadOptions, TrainingData
from ensfs.training.estimator import (
    CHOICE_CONSTRAINTS,
    GROUP_CONSTRAINTS,
    MISSING_CONSTRAINTS,
    TARGET_CONSTRAINTS,
)

#: Published names: relevance, redundancy and scheme in one word.
PUBLISHED = {
    "FCQ": ("f_test", "pearson", "quotient"),
    "FCD": ("f_test", "pearson", "difference"),
    "MIQ": ("mutual_information", "mutual_information", "quotient"),
    "MID": ("mutual_information", "mutual_information", "difference"),
    "RFCQ": ("forest", "pearson", "quotient"),
}


@with_docs(SELECTOR_DOCS | SIZE_DOCS)
class MRMR(SizedSelector):
    r"""Minimum redundancy, maximum relevance: relevant columns that do not repeat each other.

    The first column is the most relevant one. Then, step by step, the column with the best trade of
    relevance against redundancy with the columns chosen before: its mean, as published,

    .. math::
        \frac{\mathrm{rel}(f)}{\frac1j\sum_{g}\mathrm{red}(f,g)}
        \quad\text{(quotient)}\qquad\text{or}\qquad
        \mathrm{rel}(f)-\frac1j\sum_{g}\mathrm{red}(f,g)\quad\text{(difference)}

    or that with the column that is most alike, which leaves
    :math:`\mathrm{rel}(f)\,(1-\max_g\mathrm{red}(f,g)^2)^2` of the relevance (discount).

    The search is exact but lazy: no redundancy is negative, so some of the terms bound the score,
    and rows are read only for columns that can still win.

    Parameters
    ----------
    {n_features_to_select}
    relevance : str, callable or array-like, default="auto"
        Measure between a column and the target: "f_test", "pearson", "mutual_information" or
        "forest", the importance in a forest beyond that of permuted copies, as in
        `ForestImportance`, at least 0. Or a function of (X, y) that gives a number >= 0 for each
        column, such as the score functions of scikit-learn, called for each part of an ensemble;
        or an array of such numbers. "auto": Pearson's correlation for a numeric target; for classes
        the F test if all columns are continuous, otherwise mutual information.
    redundancy : {"auto", "pearson", "mutual_information"}, default="auto"
        Measure between two columns. "auto": mutual information if the relevance is, otherwise the
        absolute value of Pearson's correlation.
    scheme : str, default="auto"
        How the two are traded: "quotient", "difference" or "discount"; or one of the published
        names "FCQ", "FCD", "MIQ", "MID" and "RFCQ", which set all three parameters. "discount"
        takes a `relevance` of "auto" as the F test, and needs Pearson's correlation as
        `redundancy`.
        "auto": where `relevance` is "auto" too, and stands for the F test of classes, the discount;
        where it stands for Pearson's correlation, the difference; otherwise the quotient. F
        statistics are in the hundreds where correlations are below 1, so their difference ("FCD")
        is hardly more than a ranking by F.
    correction : {"auto", "miller_madow", "akaike"} or None, default="auto"
        How mutual information is corrected for what chance gives, which is more the more levels
        the columns have. "miller_madow" subtracts df / (2 n ln 2) bits for df degrees of freedom
        from the relevance, and from a redundancy that is subtracted; a redundancy that divides is
        at least that. "akaike" takes twice that. None: as counted. "auto": None for the published
        names, else "miller_madow" for the quotient and "akaike" for the difference.
    {expected_false, min_features_to_select}
    discrete_features : "auto", bool, mask, indices or names, default="auto"
        Which columns hold discrete values. "auto": text, categories, booleans, and whole numbers
        (integer columns; with mutual information by name float columns too) with at most 5
        distinct values. True is all columns, False none but text and categories.
    {target_bins, multi_output, missing, include, exclude, feature_groups, n_jobs, verbose}

    Attributes
    ----------
    {indices_, support_, ranking_, scores_}
    relevance_ : ndarray of shape (`n_features_in_`,)
        Relevance of each column.
    redundancy_ : ndarray of shape (`n_features_in_`,)
        Mean redundancy (for the discount the largest) of each selected column with those before it;
        NaN for the others.
    measures_ : tuple of str
        Relevance, redundancy and scheme in use.
    cut_points_ : dict of int to ndarray
        Where continuous columns were cut for mutual information, by column.
    {target_cut_points_, output_relevance_, groups_, entry_pvalues_, stop_reason_, n_pairs_needed_}
    {n_pairs_read_, n_readings_, n_missing_, n_features_in_, feature_names_in_}

    See Also
    --------
    FastEnsemble : The same on every leave-one-fold-out part, with a vote.

    Notes
    -----
    A table with columns of both kinds is measured by mutual information, its continuous columns cut
    in three at mean ± half a standard deviation (the rule of Ding and Peng). Scores that differ by
    less than a relative 1e-12 are tied, and the lower column wins. Constant columns have relevance
    0 and are never chosen. Time is O(n p k) at worst, memory one copy of the table.

    References
    ----------
    C. Ding and H. Peng (2005), Minimum redundancy feature selection from microarray gene expression
    data, Journal of Bioinformatics and Computational Biology 3(2), 185-205.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from ensfs import MRMR
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> selector = MRMR(4).fit(X, y)
    >>> selector.get_feature_names_out().tolist()
    ['alcohol', 'flavanoids', 'color_intensity', 'proline']
    >>> print(selector.explain()[:2])
    feature     selected  rank  relevance  redundancy  score  nearest     reason
    flavanoids  yes       1     233.9      -           233.9  -           best score
    alcohol     yes       2     135.1      0.2368      120.4  flavanoids  best score
    """

    _parameter_constraints: dict = {
        **SIZE_CONSTRAINTS,
        "relevance": [
            StrOptions({"auto", "f_test", "pearson", "mutual_information", "forest"}),
            callable,
            "array-like",
        ],
        "redundancy": [StrOptions({"auto", "pearson", "mutual_information"})],
        "scheme": [StrOptions({"auto", "quotient", "difference", "discount", *PUBLISHED})],
        "correction": [StrOptions({"auto", *CORRECTIONS}), None],
        "discrete_features": ["array-like", "boolean", StrOptions({"auto"})],
        **TARGET_CONSTRAINTS,
        **MISSING_CONSTRAINTS,
        **CHOICE_CONSTRAINTS,
        **GROUP_CONSTRAINTS,
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        n_features_to_select=10,
        *,
        relevance="auto",
        redundancy="auto",
        scheme="auto",
        correction="auto",
        expected_false=1.0,
        min_features_to_select=1,
        discrete_features="auto",
        target_bins=3,
        multi_output="mean",
        missing="auto",
        include=None,
        exclude=None,
        feature_groups=None,
        n_jobs=None,
        verbose=0,
    ):
        self.n_features_to_select = n_features_to_select
        self.relevance = relevance
        self.redundancy = redundancy
        self.scheme = scheme
        self.correction = correction
        self.expected_false = expected_false
        self.min_features_to_select = min_features_to_select
        self.discrete_features = discrete_features
        self.target_bins = target_bins
        self.multi_output = multi_output
        self.missing = missing
        self.include = include
        self.exclude = exclude
        self.feature_groups = feature_groups
        self.n_jobs = n_jobs
        self.verbose = verbose

    # ---------------------------------------------- the contract of a PartSelector

    def read_options(self) -> ReadOptions:
        """How the table is to be read."""
        return {
            "discrete_features": self.discrete_features,
            "integral_is_discrete": "mutual_information" in self._named_measures(),
        }

    def sources(
        self, data: TrainingData, resampling: Resampling, n_threads: int, signed: bool = False
    ) -> Sources:
        """Sources of relevance and of redundancy, with tests if they decide the size."""
        relevance, redundancy, _ = self.measures_ = self._resolve_measures(data)
        target = _target(data, relevance)
        tested = self.decides_size and not signed

        def continuous(measure: str) -> Source:
            return data.continuous_source(
                target, resampling, relevance=measure, signed=signed or tested,
                n_threads=n_threads, missing=self.missing,
            )  # fmt: skip

        def coded(classes: Target | Outputs) -> Source:
            return data.coded_source(
                classes, resampling, measure=self._information, n_threads=n_threads,
                missing=self.missing,
            )  # fmt: skip

        if relevance in ("forest", "given"):
            pairs = continuous("f_test") if redundancy == "pearson" else coded(_no_classes(data))
            wanted = self.relevance if relevance == "given" else "forest"
            return Sources(GivenRelevance(wanted, data, resampling, pairs), pairs)
        if relevance == "mutual_information":
            source = coded(target)
            tests = count_tests(source, data, "sigma") if tested else None
            pairs = source if redundancy == relevance else continuous("f_test")
            return Sources(source, pairs, tests)
        source = continuous(relevance)
        tests = tests_of_numbers(source) if tested else None
        if redundancy == "pearson":
            return Sources(source, source, tests)
        pairs = coded(target if target.kind == "classes" else _no_classes(data))
        return Sources(source, pairs, tests)

    def select(self, sources: Sources, k: int, included: np.ndarray) -> Selection[GreedyDetails]:
        """Columns of every part."""
        return self._search(sources, k, self._criterion, included)

    @property
    def _information(self) -> Measure:
        """Mutual information, as `correction` asks for it."""
        measure, correction = MEASURES["mutual_information"], self.correction
        if correction == "auto":
            published = self.scheme in PUBLISHED  # those are as published
            usual = "akaike" if self.measures_[2] == "difference" else "miller_madow"
            correction = None if published else usual
        if correction is None:
            return measure
        chance = "least" if self.measures_[2] == "quotient" else "subtracted"
        return replace(measure, chance=chance, chance_times=CORRECTIONS[correction])

    @property
    def _criterion(self) -> Criterion:
        """How a column is scored; its terms are those of the source of redundancy."""
        if self.measures_[2] == "discount":
            return Criterion(combine="maximum", score="discount")
        return Criterion(combine="mean", score=self.measures_[2])

    def store(
        self, data: TrainingData, sources: Sources, selection: Selection[GreedyDetails]
    ) -> None:
        """Set the learned attributes."""
        super().store(data, sources, selection)
        self._store_entry(selection.details.entry)
        redundancy = np.full(data.n_features, np.nan)
        redundancy[selection.columns[0]] = selection.details.redundancy[0]
        self.redundancy_ = data.variables.by_column(redundancy)
        self.n_pairs_needed_ = selection.n_pairs_needed
        self.n_pairs_read_ = selection.n_pairs_read
        assert selection.details.nearest is not None  # there is one part
        variables = data.variables
        self._nearest = variables.by_column(variables.column(selection.details.nearest), fill=-1)

    def explain_row(self, j: int) -> dict[str, Any]:
        """The row of `explain` for column ``j``, by heading."""
        nearest = int(self._nearest[j])
        return {
            "feature": self._name(j),
            "selected": bool(self.support_[j]),
            "rank": int(self.ranking_[j]) if self.support_[j] else None,
            "relevance": float(self.relevance_[j]),
            "redundancy": float(self.redundancy_[j]),
            "score": float(self.scores_[j]),
            "nearest": self._name(nearest) if nearest >= 0 else None,
            **self._entry_row(j),
        }

    # ---------------------------------------------- measures

    def _named_measures(self) -> tuple[str, str]:
        if self.scheme in PUBLISHED:
            return PUBLISHED[self.scheme][:2]
        return self._named_parameters()

    def _named_parameters(self) -> tuple[str, str]:
        return self.relevance if isinstance(self.relevance, str) else "given", self.redundancy

    def _resolve_measures(self, data: TrainingData) -> tuple[str, str, str]:
        if self.scheme in PUBLISHED:
            measures = PUBLISHED[self.scheme]
            for name, given, meant in zip(
                ("relevance", "redundancy"), self._named_parameters(), measures[:2],
                strict=True,
            ):  # fmt: skip
                if given not in ("auto", meant):
                    raise ValueError(
                        f"scheme={self.scheme!r} means {name}={meant!r}, but {name}={given!r} is "
                        "given as well. Leave it at 'auto', or name the scheme 'quotient' or "
                        "'difference'."
                    )
            return measures
        relevance, redundancy = self._named_parameters()
        if self.scheme == "discount":
            if redundancy == "mutual_information":
                raise ValueError(
                    "scheme='discount' needs a redundancy between 0 and 1: leave redundancy at "
                    "'auto', or name 'pearson'; got 'mutual_information'."
                )
            return "f_test" if relevance == "auto" else relevance, "pearson", "discount"
        target, scheme = data.target("auto"), self.scheme
        alone = relevance == "auto" and redundancy != "mutual_information"
        if relevance == "auto":
            relevance = self._relevance_for(data, target)
        if redundancy == "auto":
            same = relevance == "mutual_information"
            redundancy = "mutual_information" if same else "pearson"
        if scheme == "auto":
            scheme = "quotient"
            if alone and relevance == "f_test":
                scheme = "discount"
            elif alone and relevance == "pearson" and not target.constant:
                scheme = "difference"  # of nothing but redundancy there is none
        return relevance, redundancy, scheme

    def _relevance_for(self, data: TrainingData, target: Target | Outputs) -> str:
        """The measure that `relevance="auto"` stands for."""
        if target.kind == "numeric":
            return "pearson"
        counted = target.kind == "mixed" or data.discrete.any()
        if self.redundancy == "mutual_information" or (counted and self.redundancy == "auto"):
            return "mutual_information"
        return "f_test"


def _target(data: TrainingData, relevance: str) -> Target | Outputs:
    """The target as the measure of relevance needs it."""
    if relevance == "mutual_information":
        return data.target("counted")
    target = data.target("auto")
    if target.kind == "mixed" and relevance in ("f_test", "pearson"):
        raise ValueError(
            "The outputs of y are of different kinds, classes and numbers, which F and correlation "
            "cannot compare. Name relevance='mutual_information'."
        )
    if relevance != "pearson" or target.kind == "numeric":
        return target
    if isinstance(target, Outputs):
        return Outputs(tuple(_as_numbers(data, each) for each in target.outputs), target.combine)
    return _as_numbers(data, target)


def _as_numbers(data: TrainingData, target: Target) -> Target:
    """For Pearson's correlation: numbers as they are, two classes of text as 0 and 1."""
    if target.classes.dtype.kind in "fiub":
        values = target.classes.astype(np.float64)[target.codes]
        return Target("numeric", target.constant, values=values)
    if len(target.classes) > 2:
        return data.target("numeric")  # says that text cannot be used with this measure
    return target


def _no_classes(data: TrainingData) -> Target:
    """A target of one class, for counts of columns alone."""
    return Target("classes", True, np.zeros(data.n_rows, dtype=np.int32), np.array([0]))
