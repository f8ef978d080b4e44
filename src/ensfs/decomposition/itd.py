"""Information theoretic decomposition."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ensfs._utils.docs import with_docs
from ensfs._utils.members import child_seeds
from ensfs._utils.sklearn import Interval, StrOptions
from ensfs._utils.ties import TIE_TOLERANCE, by_decreasing
from ensfs.data.missing import COUNTS, resolve_missing
from ensfs.decomposition._base import DECOMPOSITION_DOCS, CodedDecomposition
from ensfs.search.allocation import allocate
from ensfs.search.criteria import Criterion
from ensfs.search.greedy import greedy_search
from ensfs.selection._coded import CODING_CONSTRAINTS, without_groups
from ensfs.statistics import CodedSource
from ensfs.statistics.formulas import MEASURES
from ensfs.statistics.outputs import CombinedSource

#: What a seed adds to another one.
CONDITIONAL = MEASURES["conditional"]
IRRELEVANT, REDUNDANT = "not relevant", "redundant to every subset"


@with_docs(DECOMPOSITION_DOCS)
class ITDecomposition(CodedDecomposition):
    r"""Information theoretic decomposition: disjoint subsets, each relevant and not redundant.

    Columns that say nothing about the target are left out. The first seed is the most relevant
    column; each further one maximises what it adds to every seed before it,
    :math:`\min_s I(f; y \mid s)`. The other columns follow by decreasing relevance, each into the
    subset that it is least redundant to, if that is below the threshold:

    .. math:: R_i(f) = \max_{z \in D_i} SU(f, z) - SU(f, y)

    Parameters
    ----------
    n_subsets : int, default=10
        Number of subsets; fewer (with a warning) if there are not so many relevant columns.
    threshold : float, default=0.1
        What the redundancy of a column to its subset must stay below, from -1 (the seeds alone) to
        1 (every relevant column finds a subset).
    stop_at_zero : bool, default=False
        Whether to stop making subsets when the next seed would add nothing to some seed.
    overlap : int, default=1
        The most subsets that a column may be in: it joins those that it is least redundant to, as
        far as each is below the threshold. Seeds stay in one. By default subsets are disjoint.
    order : {"relevance", "index", "random"}, default="relevance"
        In which order the columns look for a subset; those before them are members already.
    discretizer : {"mdl", "equal_frequency", "sigma"} or transformer, default="mdl"
        How continuous columns are cut: by name, or any transformer to codes, fitted or not. By
        "mdl" columns without an accepted cut are not relevant.
    {discrete_features}
    {target_bins, multi_output, missing, include, exclude}
    random_state : int, RandomState instance or Generator, optional
        For the random order.
    {n_jobs, verbose}

    Attributes
    ----------
    subsets_ : list of ndarray
        Columns of each subset: the seed, then the others in the order in which they came.
    {n_subsets_}
    seeds_ : ndarray of shape (`n_subsets_`,)
        First column of each subset.
    seed_scores_ : ndarray of shape (`n_subsets_`,)
        What each seed adds to the seeds before it, in bits; NaN for the first.
    {relevance_}
    redundancy_ : ndarray of shape (`n_features_in_`,)
        Redundancy of each column to its subset when it was put there, the least of several. Of a
        column that found none, a lower bound that is not below the threshold; NaN for seeds and
        irrelevant columns.
    nearest_ : ndarray of shape (`n_features_in_`,)
        The member that this redundancy is with; -1 if there is none.
    discarded_ : dict of int to str
        The columns in no subset, with the reason: "not relevant" or "redundant to every subset".
    {cut_points_, target_cut_points_, output_relevance_}
    n_pairs_read_ : int
        Pairs of columns whose rows were compared to find the subsets of the others.
    {n_missing_, n_features_in_, feature_names_in_}

    Notes
    -----
    Ties go to the more relevant seed, to the lower column, and to the lower subset. The comparison
    with the members of a subset ends when another subset is known to be less redundant, which
    changes no result.

    References
    ----------
    Information theoretic decomposition of the feature set; see the user guide.

    Examples
    --------
    >>> import numpy as np
    >>> from ensfs import ITDecomposition
    >>> y = list("000000111111")
    >>> columns = ["000001111110", "000011111100", "000001111101", "010101010101"]
    >>> X = np.array([list(column) for column in columns]).T
    >>> decomposition = ITDecomposition(2, threshold=0.3).fit(X, y)
    >>> decomposition.subsets_
    [array([0, 1]), array([2])]
    >>> decomposition.discarded_
    {3: 'not relevant'}
    """

    _parameter_constraints: dict = {
        "n_subsets": [Interval(Integral, 1, None, closed="left")],
        "threshold": [Interval(Real, -1, 1, closed="both")],
        "stop_at_zero": ["boolean"],
        "overlap": [Interval(Integral, 1, None, closed="left")],
        "order": [StrOptions({"relevance", "index", "random"})],
        **without_groups(CODING_CONSTRAINTS),
        "random_state": ["random_state", np.random.Generator],
    }

    def __init__(
        self,
        n_subsets=10,
        threshold=0.1,
        *,
        stop_at_zero=False,
        overlap=1,
        order="relevance",
        discretizer="mdl",
        discrete_features="auto",
        target_bins=3,
        multi_output="mean",
        missing="auto",
        include=None,
        exclude=None,
        random_state=None,
        n_jobs=None,
        verbose=0,
    ):
        self.n_subsets = n_subsets
        self.threshold = threshold
        self.stop_at_zero = stop_at_zero
        self.overlap = overlap
        self.order = order
        self.discretizer = discretizer
        self.discrete_features = discrete_features
        self.target_bins = target_bins
        self.multi_output = multi_output
        self.missing = missing
        self.include = include
        self.exclude = exclude
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _decompose(self, X: Any, y: Any, sample_weight: Any) -> None:
        columns, source = self._relevant(X, y, sample_weight)
        self.n_pairs_read_ = 0
        self.seeds_, self.seed_scores_ = np.empty(0, dtype=np.int64), np.empty(0)
        subsets: list[np.ndarray] = []
        if columns.size == 0:
            self._begin_redundancy()
        else:
            seeds, self.seed_scores_ = self._choose_seeds(source)
            self.seeds_ = self._variables.columns(columns[seeds])
            subsets = [columns[members] for members in self._allocate(source, columns, seeds)]
        del source
        self._keep_subsets(subsets)
        why = f"{columns.size} column(s) are relevant"
        if self.n_subsets_ < columns.size:
            why = "no further column adds to every seed"
        self._warn_fewer(why)

    def _relevant(
        self, X: Any, y: Any, sample_weight: Any
    ) -> tuple[np.ndarray, CodedSource | CombinedSource]:
        """Relevant columns, the most relevant first, and a source that has them in this order.

        The order makes ties of seeds go to the more relevant column. The codes of the table are
        gone when this returns: the source holds the planes of the relevant columns alone.
        """
        resolve_missing(self.missing, COUNTS)
        source = self._source(X, y, sample_weight)
        relevance = source.relevance[0]
        columns = by_decreasing(relevance, relevance > TIE_TOLERANCE)
        if isinstance(source, CombinedSource):
            return columns, source.take_measured(columns, CONDITIONAL)
        return columns, source.take(columns, CONDITIONAL)

    def _choose_seeds(self, source: CodedSource | CombinedSource) -> tuple[np.ndarray, np.ndarray]:
        """Positions of the seeds, and what they add to those before them."""
        k = min(int(self.n_subsets), source.n_features)
        selection = greedy_search(source, k, Criterion(CONDITIONAL, "minimum"))
        seeds, scores = selection.columns[0], selection.scores[0].copy()
        scores[0] = np.nan
        if self.stop_at_zero and (scores <= TIE_TOLERANCE).any():
            k = int(np.argmax(scores <= TIE_TOLERANCE))
        return seeds[:k], scores[:k]

    def _allocate(
        self, source: CodedSource | CombinedSource, columns: np.ndarray, seeds: np.ndarray
    ) -> list[np.ndarray]:
        """Positions of the members of each subset, in the order in which they came."""
        left = np.ones(columns.size, dtype=bool)
        left[seeds] = False
        order = np.nonzero(left)[0]
        if self.order == "index":
            order = order[np.argsort(columns[order])]
        elif self.order == "random":
            seed = child_seeds(self.random_state, 1)[0]
            order = np.random.default_rng(seed).permutation(order)
        pairs = source.of_columns_alone() if isinstance(source, CombinedSource) else source
        found = allocate(pairs, seeds, order, self.threshold, int(self.overlap))
        self.n_pairs_read_ = found.n_read
        self._begin_redundancy()
        given = self._variables.columns(columns)
        self.redundancy_[given[order]] = found.redundancy[order]
        near = found.nearest[order]
        self.nearest_[given[order]] = np.where(near >= 0, given[near], -1)
        return found.subsets(seeds, order)

    def _begin_redundancy(self) -> None:
        self.redundancy_ = np.full(self.n_features_in_, np.nan)
        self.nearest_ = np.full(self.n_features_in_, -1)

    @property
    def discarded_(self) -> dict[int, str]:
        """The columns in no subset, with the reason; made when asked for, as it may be large."""
        check_is_fitted(self, "subsets_")
        out = self._variables.by_column(np.ones(self._variables.n_variables, bool), fill=False)
        for columns in self.subsets_:
            out[columns] = False
        return {j: self._reason(j) for j in np.nonzero(out)[0].tolist()}

    def _reason(self, j: int) -> str:
        """Why column ``j`` is in no subset."""
        return REDUNDANT if self.relevance_[j] > TIE_TOLERANCE else IRRELEVANT

    def _explain_row(self, j: int, subsets: list[int]) -> dict[str, Any]:
        nearest = int(self.nearest_[j])
        reason = "least redundant" if subsets else self._reason(j)
        return {
            "feature": self._name(j),
            **self._where(subsets),
            "relevance": float(self.relevance_[j]),
            "redundancy": float(self.redundancy_[j]),
            "reason": "seed" if j in self.seeds_ else reason,
            "nearest": self._name(nearest) if nearest >= 0 else None,
        }

    def _where(self, subsets: list[int]) -> dict[str, Any]:
        """The subset of a column, or all of them where there may be several."""
        if self.overlap > 1:
            return {"subsets": ", ".join(map(str, subsets)) or None}
        return {"subset": subsets[0] if subsets else None}
