"""Columns that decide about clusters, without a target: random cluster ensembles."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any

import numpy as np
from scipy.cluster.hierarchy import linkage
from sklearn.base import clone
from sklearn.cluster import KMeans
from threadpoolctl import ThreadpoolController

from ensfs._utils.docs import COMMON_DOCS, with_docs
from ensfs._utils.sklearn import HasMethods, Interval, StrOptions, fit_context
from ensfs._utils.threads import effective_n_threads
from ensfs._utils.ties import TIE_TOLERANCE, by_decreasing, first_largest
from ensfs._utils.warn import warn_user
from ensfs.clusters.clusterings import (
    Round,
    Tasks,
    average_nmi,
    cluster_once,
    cut_labels,
    davies_bouldin,
    n_distinct_rows,
    numbered_by_first_row,
    row_distances,
    scaled,
    seed_sequence,
)
from ensfs.data.parameters import resolve_share
from ensfs.selection._base import BaseSelector
from ensfs.training.contract import refuse_blocks
from ensfs.training.estimator import CHOICE_CONSTRAINTS

_MANY_ROWS = 5000

#: Squares of larger values leave the range of float64 as soon as some are added.
_LARGEST = 1e150
#: Squares of smaller differences vanish.
_SMALLEST = 1e-150


@with_docs(COMMON_DOCS)
class RandomClusterEnsemble(BaseSelector):
    r"""Columns on which clusters hang, found without a target by an ensemble of clusterings.

    Each clustering sees a bootstrap sample of the rows and a random subset of the columns. Rows
    that often share a cluster are near to each other; average linkage of these nearnesses gives the
    consensus clusters. A column matters to a row if the row changes its cluster when the values of
    the column are permuted among the rows that were not drawn. The importance of column :math:`v`
    in the consensus cluster :math:`c` is

    .. math:: \frac{1}{r} \sum_{i \in c} \sum_{t = 1}^{r} [\, a_t'(i, v) \ne a_t(i) \,] ,

    where :math:`a_t(i)` is the cluster of row :math:`i` in clustering :math:`t`, and
    :math:`a_t'(i, v)` the one after the permutation. Of each consensus cluster the columns before
    the elbow of the sorted importances are kept, and all of these are selected.

    Parameters
    ----------
    clusterer : clusterer, optional
        Any clusterer that has `predict`, or else `cluster_centers_` once it is fitted. None is
        k-means, with the number of clusters that has the least Davies-Bouldin index on the whole
        table, from 2 to `max_clusters`.
    n_features_to_select : int or float, optional
        The columns with the largest importance, all clusters together: a number or a share. None
        takes what the elbows keep.
    n_estimators : int, default=200
        Number of clusterings.
    max_features : "sqrt", int or float, default="sqrt"
        Columns of each clustering: the square root of their number, rounded up, a number, or a
        share.
    n_clusters : "auto" or int, default="auto"
        Number of consensus clusters. "auto": the one that shares most information with the
        clusterings, from 2 to `max_clusters`.
    max_clusters : int, optional
        The most clusters to try; None is the square root of the number of rows, rounded down, but
        at most 10.
    min_cluster_size : int, default=5
        Consensus clusters with fewer rows have no say in the selection: what changes a row or two
        is chance. 1 lets all of them, as published, and so it is if all are smaller.
    standardize : bool or "range", default=False
        True brings columns to mean 0 and standard deviation 1 first, "range" to values from 0 to 1.
        Otherwise columns with large values decide.
    normalise : {"pairs"}, optional
        "pairs": the nearness of two rows is the share of clusterings in which they share a cluster
        among those that drew both. None: among all clusterings, as published.
    normalise_importance : bool, default=False
        Whether the importance of a column to a row is a share of the clusterings which had the
        column and not the row, instead of all clusterings.
    {include, exclude}
    random_state : int, RandomState instance or None, default=0
        Seed of the samples, the subsets of columns, the clusterer and the permutations.
    {n_jobs, verbose}

    Attributes
    ----------
    indices_ : ndarray
        Selected columns by decreasing importance, all clusters together.
    {support_, ranking_}
    scores_ : ndarray of shape (`n_features_in_`,)
        Importance, all clusters together; NaN for columns that were in no clustering.
    feature_importances_ : ndarray of shape (`n_clusters_`, `n_features_in_`)
        Importance of every column in every consensus cluster.
    cluster_support_ : ndarray of shape (`n_clusters_`, `n_features_in_`)
        Mask of the columns before the elbow of each consensus cluster; False for clusters with
        fewer than `min_cluster_size` rows.
    labels_ : ndarray of shape (n_samples,)
        Consensus cluster of every row, numbered by their first rows.
    n_clusters_ : int
        Number of consensus clusters.
    anmi_ : ndarray
        Average normalised mutual information of the cut with the clusterings, for 2 clusters, for
        3, and so on; of the only cut if `n_clusters` is a number.
    linkage_ : ndarray of shape (n_samples - 1, 4)
        The tree of average linkage, as SciPy has it.
    clusterer_ : clusterer
        The clusterer that was cloned.
    estimators_ : list of clusterers
        The fitted clusterings.
    estimators_features_ : list of ndarray
        Their columns.
    {n_features_in_, feature_names_in_}

    Notes
    -----
    Columns must be numeric. The nearness of all pairs of rows takes about :math:`9 n^2` bytes for
    :math:`n` rows while it is clustered; there is a warning above 5000 rows. A constant column has
    importance 0, and columns with importance 0 are never selected.

    References
    ----------
    H. Elghazel and A. Aussem (2010), Feature selection for unsupervised learning using random
    cluster ensembles, SUEMA.

    A. Strehl and J. Ghosh (2002), Cluster ensembles: a knowledge reuse framework for combining
    multiple partitions, Journal of Machine Learning Research 3, 583-617.

    Examples
    --------
    Three clusters in two of six columns:

    >>> import numpy as np
    >>> from ensfs import RandomClusterEnsemble
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((90, 6))
    >>> X[:, [1, 4]] += 6 * np.repeat([[0, 0], [1, 0], [0, 1]], 30, axis=0)
    >>> selector = RandomClusterEnsemble(random_state=0).fit(X)
    >>> np.sort(selector.indices_), selector.n_clusters_
    (array([1, 4]), 3)
    """

    _parameter_constraints: dict = {
        "clusterer": [HasMethods(["fit"]), None],
        "n_features_to_select": [
            Interval(Integral, 1, None, closed="left"),
            Interval(Real, 0, 1, closed="right"),
            None,
        ],
        "n_estimators": [Interval(Integral, 1, 65535, closed="both")],
        "max_features": [
            StrOptions({"sqrt"}),
            Interval(Integral, 1, None, closed="left"),
            Interval(Real, 0, 1, closed="right"),
        ],
        "n_clusters": [StrOptions({"auto"}), Interval(Integral, 1, None, closed="left")],
        "max_clusters": [Interval(Integral, 2, None, closed="left"), None],
        "min_cluster_size": [Interval(Integral, 1, None, closed="left")],
        "standardize": ["boolean", StrOptions({"range"})],
        "normalise": [StrOptions({"pairs"}), None],
        "normalise_importance": ["boolean"],
        **CHOICE_CONSTRAINTS,
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        clusterer=None,
        *,
        n_features_to_select=None,
        n_estimators=200,
        max_features="sqrt",
        n_clusters="auto",
        max_clusters=None,
        min_cluster_size=5,
        standardize=False,
        normalise=None,
        normalise_importance=False,
        include=None,
        exclude=None,
        random_state=0,
        n_jobs=None,
        verbose=0,
    ):
        self.clusterer = clusterer
        self.n_features_to_select = n_features_to_select
        self.n_estimators = n_estimators
        self.max_features = max_features
        self.n_clusters = n_clusters
        self.max_clusters = max_clusters
        self.min_cluster_size = min_cluster_size
        self.standardize = standardize
        self.normalise = normalise
        self.normalise_importance = normalise_importance
        self.include = include
        self.exclude = exclude
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y=None):
        """Cluster the rows many times and select the columns that matter.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Numeric columns.
        y : None
            Ignored; it is there for pipelines.

        Returns
        -------
        self : RandomClusterEnsemble
            The fitted selector.
        """
        n_threads = effective_n_threads(self.n_jobs)
        values = self._numbers(X, n_threads)
        n, p = values.shape
        k = None if self.n_features_to_select is None else self.size_for(self._variables)
        most = self._most_clusters(n)
        seeds = seed_sequence(self.random_state).spawn(1 + self.n_estimators)
        # A number of threads inside of the clusterer would change the last bits of its sums
        controller = ThreadpoolController()
        with controller.limit(limits=1, user_api="blas"):
            tasks = Tasks(controller, n_threads)
            self.clusterer_ = self._base_clusterer(values, most, seeds[0], tasks)
            limited = self.clusterer is None
            rounds = tasks.map(
                lambda seed: cluster_once(
                    values, self._subspace(p), self.clusterer_, limited, np.random.default_rng(seed)
                ),
                seeds[1:],
            )
        self.estimators_ = [each.estimator for each in rounds]
        self.estimators_features_ = [self._variables.columns(each.columns) for each in rounds]
        self._keep_consensus(rounds, most, n_threads)
        self._keep_importances(rounds, p)
        self._keep_columns(k)
        return self

    # ------------------------------------------------------------------ what goes in

    def _numbers(self, X: Any, n_threads: int) -> np.ndarray:
        """The table as finite numbers whose squares can be added."""
        refuse_blocks(self, X)
        table = self._read_table(X, n_threads)
        if table.n_rows < 2:
            raise ValueError(
                f"{type(self).__name__} needs at least 2 rows; got n_samples = {table.n_rows}."
            )
        values = table.continuous(instead="Encode it")
        table.check_finite()
        if float(np.abs(values).max()) > _LARGEST:
            raise ValueError(
                "The squares of some values are too large for float64. Scale the columns first."
            )
        widest = float(np.ptp(values, axis=0).max())
        if not self.standardize and 0 < widest < _SMALLEST:
            raise ValueError(
                "The values differ by so little that their squares vanish in float64. Scale the "
                "columns first."
            )
        if table.n_rows > _MANY_ROWS:
            warn_user(
                f"All pairs of {table.n_rows} rows take about {9e-9 * table.n_rows**2:.1f} GB. A "
                "sample of the rows would do with less.",
            )
        return scaled(values, self.standardize) if self.standardize else values

    def _most_clusters(self, n: int) -> int:
        """The largest number of clusters to try."""
        if self.n_clusters != "auto" and self.n_clusters > n:
            raise ValueError(f"n_clusters={self.n_clusters} is above the {n} rows.")
        wanted = self.max_clusters or min(10, math.isqrt(n))
        return min(max(2, wanted), n)

    def _subspace(self, p: int) -> int:
        """How many columns a clustering has."""
        if self.max_features == "sqrt":
            return math.isqrt(p - 1) + 1
        if isinstance(self.max_features, Integral):
            return min(int(self.max_features), p)
        return resolve_share(self.max_features, p)

    def _base_clusterer(
        self, values: np.ndarray, most: int, seed: np.random.SeedSequence, tasks: Tasks
    ) -> Any:
        if self.clusterer is not None:
            return clone(self.clusterer)
        values = np.ascontiguousarray(values, dtype=np.float64)
        # The index needs a row more than there are clusters
        most = min(most, n_distinct_rows(values, most), len(values) - 1)
        state = int(np.random.default_rng(seed).integers(1 << 31))

        def index(k: int) -> float:
            means = KMeans(k, n_init=10, random_state=state).fit(values)
            return davies_bouldin(values, means.labels_)

        numbers = range(2, most + 1)
        indices = tasks.map(index, numbers)
        return KMeans(numbers[first_largest(-np.array(indices))] if indices else 1)

    # ------------------------------------------------------------------ what comes out

    def _keep_consensus(self, rounds: list[Round], most: int, n_threads: int) -> None:
        """Clusters of rows that often share a cluster."""
        partitions = np.array([each.labels for each in rounds])
        drawn = np.array([each.drawn for each in rounds])
        distances = row_distances(partitions, drawn, self.normalise == "pairs", n_threads)
        self.linkage_ = linkage(distances, "average")
        auto = self.n_clusters == "auto"
        numbers = range(2, most + 1) if auto else [self.n_clusters]
        cuts = cut_labels(self.linkage_, numbers)
        self.anmi_ = average_nmi(partitions.T, cuts)
        best = first_largest(self.anmi_)
        self.labels_ = numbered_by_first_row(cuts[:, best])
        self.n_clusters_ = int(numbers[best])

    def _keep_importances(self, rounds: list[Round], p: int) -> None:
        """Importance of every column in every consensus cluster, and the elbows."""
        n = self.labels_.size
        changes = np.zeros((n, p), dtype=np.int32)
        tried = np.zeros((n, p), dtype=np.int32)
        for each in rounds:
            cells = np.ix_(~each.drawn, each.columns)
            changes[cells] += each.changed
            tried[cells] += 1
        members = [np.nonzero(self.labels_ == c)[0] for c in range(self.n_clusters_)]
        if self.normalise_importance:
            share = changes / np.maximum(tried, 1)
            self.feature_importances_ = np.array([share[rows].sum(axis=0) for rows in members])
        else:
            counts = np.array([changes[rows].sum(axis=0) for rows in members])
            self.feature_importances_ = counts / self.n_estimators
        self._tried: np.ndarray = np.asarray(tried.any(axis=0))
        sizes = np.array([rows.size for rows in members])
        large = sizes >= min(self.min_cluster_size, sizes.max())
        self.cluster_support_ = np.zeros(self.feature_importances_.shape, dtype=bool)
        for c in np.nonzero(large)[0]:
            importance = self.feature_importances_[c]
            order = by_decreasing(importance, np.ones(p, dtype=bool))
            self.cluster_support_[c, order[: scree_test(importance[order])]] = True
        self.cluster_support_ &= self.feature_importances_ > TIE_TOLERANCE

    def _keep_columns(self, k: int | None) -> None:
        """The columns before the elbows, or the `k` most important ones."""
        self._limited = k is not None
        scores: np.ndarray = self.feature_importances_.sum(axis=0)
        chosen = self.cluster_support_.any(axis=0) if k is None else scores > TIE_TOLERANCE
        variables = self._variables
        order = variables.included_first(scores, np.asarray(chosen))[:k]
        if not order.size:
            warn_user(
                "No column changes the cluster of a row when it is permuted: nothing is selected.",
            )
        elif k is not None and order.size < k:
            warn_user(
                f"Only {order.size} of the {k} columns to select have an importance above 0; no "
                "others are selected.",
            )
        if not self._tried.all():
            warn_user(
                f"{(~self._tried).sum()} column(s) were in no clustering and have no score; raise "
                "n_estimators or max_features.",
            )
        self._set_selected(order, np.where(self._tried, scores, np.nan))
        self._tried = variables.by_column(self._tried, fill=False)
        self.feature_importances_ = variables.by_column(self.feature_importances_)
        self.cluster_support_ = variables.by_column(self.cluster_support_, fill=False)

    def explain_row(self, j: int) -> dict[str, Any]:
        """The row of `explain` for column ``j``, by heading."""
        kept_in = np.nonzero(self.cluster_support_[:, j])[0]
        if not self._tried[j]:
            reason = "in no clustering"
        elif not self.scores_[j] > TIE_TOLERANCE:
            reason = "no importance"
        elif self._limited:
            inside = bool(self.support_[j])
            reason = "among the most important" if inside else "beyond n_features_to_select"
        else:
            reason = "before an elbow" if kept_in.size else "after the elbows"
        return {
            "feature": self._name(j),
            "selected": bool(self.support_[j]),
            "rank": int(self.ranking_[j]) if self.support_[j] else None,
            "importance": float(self.scores_[j]),
            "reason": reason,
            "kept in clusters": ", ".join(map(str, kept_in)) or None,
        }

    def _explain_order(self) -> np.ndarray:
        return np.nan_to_num(self.scores_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = False
        tags.input_tags.string = False
        tags.input_tags.categorical = False
        return tags


def scree_test(values: np.ndarray) -> int:
    """How many of decreasing values come before the elbow.

    The elbow is where the curve slows down most: where the second difference
    ``v[j-1] - 2 v[j] + v[j+1]`` is largest, the first such place. Values that are all equal, and
    fewer than three, have no elbow.

    Parameters
    ----------
    values : ndarray
        Numbers in decreasing order.

    Returns
    -------
    int
        Number of values before the elbow; all of them if there is none.

    Examples
    --------
    >>> import numpy as np
    >>> from ensfs.clusters.random_clusters import scree_test
    >>> scree_test(np.array([10, 9, 3, 2.5, 2, 1.9]))
    2
    """
    if len(values) < 3 or values[0] - values[-1] <= TIE_TOLERANCE:
        return len(values)
    second = values[:-2] - 2 * values[1:-1] + values[2:]
    return first_largest(second) + 1
