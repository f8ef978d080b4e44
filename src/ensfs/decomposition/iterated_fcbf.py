"""FCBF, again and again on what it left."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np

from ensfs._utils.docs import with_docs
from ensfs._utils.progress import task
from ensfs._utils.sklearn import Interval
from ensfs._utils.ties import TIE_TOLERANCE, by_decreasing
from ensfs.decomposition._base import DECOMPOSITION_DOCS, CodedDecomposition
from ensfs.search.elimination import IRRELEVANT, predominant, remover
from ensfs.selection._coded import CODING_CONSTRAINTS, without_groups


@with_docs(DECOMPOSITION_DOCS)
class IteratedFCBFDecomposition(CodedDecomposition):
    """Disjoint subsets: what `FCBF` selects, then what it selects from the rest, and so on.

    Parameters
    ----------
    n_subsets : int, default=10
        The most subsets; there are fewer when no relevant column is left (none: with a warning).
    threshold : float, default=0.0
        Columns with a symmetrical uncertainty of at most this are irrelevant.
    {discretizer, discrete_features, target_bins, multi_output, missing, include, exclude, n_jobs}
    {verbose}

    Attributes
    ----------
    subsets_ : list of ndarray
        Columns of each subset by decreasing relevance.
    {n_subsets_, relevance_}
    discarded_ : dict of int to str
        The columns in no subset, with the reason: "not relevant" or "redundant in every run".
    {cut_points_, target_cut_points_, output_relevance_, n_missing_, n_features_in_}
    {feature_names_in_}

    See Also
    --------
    FCBF : One run.

    Examples
    --------
    >>> import numpy as np
    >>> from ensfs import IteratedFCBFDecomposition
    >>> y = list("000000111111")
    >>> columns = ["000001111110", "000011111100", "000001111101", "010101010101"]
    >>> X = np.array([list(column) for column in columns]).T
    >>> IteratedFCBFDecomposition(3).fit(X, y).subsets_
    [array([0]), array([2]), array([1])]
    """

    _parameter_constraints: dict = {
        "n_subsets": [Interval(Integral, 1, None, closed="left")],
        "threshold": [Interval(Real, 0, 1, closed="left")],
        **without_groups(CODING_CONSTRAINTS),
    }

    def __init__(
        self,
        n_subsets=10,
        threshold=0.0,
        *,
        discretizer="mdl",
        discrete_features="auto",
        target_bins=3,
        multi_output="mean",
        missing="auto",
        include=None,
        exclude=None,
        n_jobs=None,
        verbose=0,
    ):
        self.n_subsets = n_subsets
        self.threshold = threshold
        self.discretizer = discretizer
        self.discrete_features = discrete_features
        self.target_bins = target_bins
        self.multi_output = multi_output
        self.missing = missing
        self.include = include
        self.exclude = exclude
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _decompose(self, X: Any, y: Any, sample_weight: Any) -> None:
        source = self._source(X, y, sample_weight)
        relevance = source.relevance[0]
        left = by_decreasing(relevance, relevance > self.threshold + TIE_TOLERANCE)
        irrelevant = np.setdiff1d(np.arange(relevance.size), left)
        removed_by = np.full(relevance.size, IRRELEVANT)
        remove = remover(source, 0)
        subsets: list[np.ndarray] = []
        with task("making subsets", self.n_subsets) as advance:
            while left.size and len(subsets) < self.n_subsets:
                subsets.append(predominant(left, relevance, remove, removed_by)[0])
                left = left[removed_by[left] >= 0]
                advance()
        self._keep_subsets(subsets)
        discarded = dict.fromkeys(irrelevant.tolist(), "not relevant")
        discarded |= dict.fromkeys(np.sort(left).tolist(), "redundant in every run")
        self.discarded_ = self._variables.keyed_by_column(discarded)
        if not subsets:
            self._warn_fewer("no column is relevant")

    def _explain_row(self, j: int, subsets: list[int]) -> dict[str, Any]:
        return {
            "feature": self._name(j),
            "subset": subsets[0] if subsets else None,
            "relevance": float(self.relevance_[j]),
            "reason": self.discarded_.get(j, "predominant"),
        }
