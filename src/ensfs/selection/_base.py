"""What all selectors share, and the contract of those that ensembles can run on parts."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, Generic, TypeVar

import narwhals.stable.v1 as nw
import numpy as np
import scipy.sparse
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from ensfs._utils.docs import COMMON_DOCS, read_descriptions, with_docs
from ensfs._utils.explanation import Explanation
from ensfs._utils.html import selection_summary
from ensfs._utils.sklearn import (
    CallbackSupportMixin,
    NotebookSummaryMixin,
    fit_context,
    output_of,
    select_supported,
)
from ensfs._utils.threads import effective_n_threads
from ensfs._utils.ties import TIE_TOLERANCE
from ensfs._utils.warn import warn_user
from ensfs.data.frames import columns_to_array, frame_to_array, take, with_plain_text
from ensfs.data.parameters import resolve_n_features
from ensfs.data.variables import Variables
from ensfs.search.selection import Selection
from ensfs.selection._represented import Represented
from ensfs.statistics import PartStatistics, Resampling
from ensfs.training.contract import BlockedTable, ReadOptions, TrainingData, collection_maker
from ensfs.training.estimator import TableEstimator

#: Parameters and attributes of all selectors.
SELECTOR_DOCS = COMMON_DOCS | read_descriptions("""
X : array-like, sparse matrix, data frame or RowBlocks of shape (n_samples, n_features)
    The table.
sample_weight : array-like of shape (n_samples,), optional
    How often each row is there: numbers of at least 0, not necessarily whole. Row blocks bring
    their own.
indices_ : ndarray of shape (n_features_to_select,)
    Columns in order of selection.
scores_ : ndarray of shape (`n_features_in_`,)
    Score of each selected column when it was chosen; NaN for the others.
n_pairs_needed_ : int
    Pairs that the method needs by definition, p k - k (k - 1) / 2.
n_pairs_read_ : int
    Pairs whose rows were read.
""")


class BaseSelector(NotebookSummaryMixin, CallbackSupportMixin, SelectorMixin, TableEstimator):
    """A selector that keeps `indices_`, `support_`, `ranking_` and `scores_`."""

    #: Whether the first columns of a selection are the selection of fewer columns.
    prefix_stable: ClassVar[bool] = False

    def resolve_size(self, n_features: int) -> int:
        """The most columns to select from a table with `n_features` columns."""
        if self.n_features_to_select in (None, "auto"):  # the method decides
            return n_features
        return resolve_n_features(self.n_features_to_select, n_features)

    def selection_of_size(self, k: int) -> np.ndarray | None:
        """The columns that a fit with `k` columns would select; None where that takes a new fit."""
        return self._variables.columns(self._selected[:k]) if self.prefix_stable else None

    def size_for(self, variables: Variables) -> int:
        """The most variables to select; an error if more are included."""
        return variables.check_size(self.resolve_size(variables.n_variables))

    def _set_selected(self, selected: np.ndarray, scores: np.ndarray) -> None:
        """Set the selected variables (in order of selection) and the scores of all variables.

        Those that are included have no score.
        """
        variables = self._variables
        if variables.included.size:
            scores = scores.copy()
            scores[variables.included] = np.nan
        self._selected = selected = np.asarray(selected, dtype=np.int64)
        if variables.members is not None:
            self.groups_ = [variables.members[v] for v in selected]
        elif hasattr(self, "groups_"):
            del self.groups_  # of an earlier fit
        self.indices_ = variables.columns(selected)
        self.scores_ = variables.by_column(scores)
        self.support_ = np.zeros(self.n_features_in_, dtype=bool)
        self.support_[self.indices_] = True
        ranking = np.full(variables.n_variables, selected.size + 1, dtype=np.int64)
        ranking[selected] = np.arange(1, selected.size + 1)
        self.ranking_ = variables.by_column(ranking, fill=selected.size + 1)

    def _get_support_mask(self) -> np.ndarray:
        check_is_fitted(self, "support_")
        return self.support_

    def transform(self, X: Any) -> Any:
        """Keep the selected columns.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            A table with the columns of `fit`.

        Returns
        -------
        array, sparse matrix or data frame of shape (n_samples, n_selected_features)
            An array; of a sparse matrix one of its format and type; with ``set_output`` a data
            frame, whose columns have the types they had in a data frame `X`.
        """
        columns, output = np.nonzero(self._get_support_mask())[0], output_of(self)
        if isinstance(X, BlockedTable):
            raise TypeError(
                f"transform() needs a table in memory; got {type(X).__name__}. Call it on each "
                "block."
            )
        if collection_maker(X) is not None:
            return self._transform_lazily(X, columns)
        if scipy.sparse.issparse(X):
            return self._transform_sparse(X)
        if not nw.dependencies.is_into_dataframe(X):
            return super().transform(with_plain_text(X))
        self._check_columns(X)
        if output != "default" and nw.dependencies.is_pandas_dataframe(X):
            return select_supported(self, X)
        if not columns.size:
            return select_supported(self, np.empty((X.shape[0], 0)))  # warns
        if output == "default":
            return columns_to_array(X, columns, self)
        selected = take(X, columns=columns)
        frame_to_array(selected, self)  # only to check it
        frame = nw.from_native(selected, eager_only=True)
        return frame.to_pandas() if output == "pandas" else frame.to_polars()

    def _transform_lazily(self, X: Any, columns: np.ndarray) -> Any:
        """The selected columns of a collection of Dask, which is not computed."""
        from ensfs.scale.dask import select_columns

        if hasattr(X, "columns"):
            names = getattr(self, "feature_names_in_", None)
            if names is not None and list(X.columns) != list(names):
                self._check_columns(X._meta)  # raises scikit-learn's error
        elif X.shape[1] != self.n_features_in_:
            raise ValueError(
                f"X has {X.shape[1]} features, but {type(self).__name__} is expecting "
                f"{self.n_features_in_} features as input."
            )
        return select_columns(X, columns)

    def _transform_sparse(self, X: Any) -> Any:
        """The selected columns of a sparse matrix, in its format where that has columns."""
        X = validate_data(
            self, X, dtype=None, accept_sparse=["csr", "csc"], reset=False,
            ensure_all_finite=not self.__sklearn_tags__().input_tags.allow_nan,
        )  # fmt: skip
        if not self.support_.any():
            select_supported(self, np.empty((1, self.support_.size)))  # warns
        return X[:, np.nonzero(self.support_)[0]]

    def explain(self, feature: int | str | None = None, *, X: Any = None) -> Explanation:
        """Say for one column, or for all, why it is in or out.

        Parameters
        ----------
        feature : int or str, optional
            Position or name of a column. By default all columns, the selected ones first in order
            of selection, then the others by relevance.
        X : array-like or data frame of shape (n_samples, n_features), optional
            The table of the fit. With it there are two more headings: "also" has the columns that
            a selected column stands for, "represented by" the one that stands for a column left
            out. See `ensfs.evaluation.represented_columns`.

        Returns
        -------
        Explanation
            A small table; ``print`` it, index it by row or heading, or call ``to_pandas``. The
            heading "reason" is there for every selector.

        Examples
        --------
        >>> from sklearn.datasets import load_wine
        >>> from ensfs import MRMR
        >>> X, y = load_wine(return_X_y=True, as_frame=True)
        >>> print(MRMR(4).fit(X, y).explain("hue"))
        feature  selected  rank  relevance  redundancy  score  nearest     reason
        hue      no        -     101.3      -           -      flavanoids  less relevant
        >>> print(MRMR(4).fit(X, y).explain("flavanoids", X=X).columns[-2:])
        ['also', 'represented by']
        """
        check_is_fitted(self, "support_")
        chosen, group_of = self._variables.chosen, self._variables.group_of
        missing = getattr(self, "_share_missing", np.zeros(self.n_features_in_))
        chosen = dict.fromkeys(np.nonzero(missing == 1.0)[0].tolist(), "all missing") | chosen

        twins = None if X is None else Represented.of(self, X)

        def row(j: int) -> dict[str, Any]:
            found = self.explain_row(j)
            found["reason"] = chosen.get(j) or found.get("reason") or self._reason(j)
            if group_of:
                found["group"] = group_of.get(j)
            if missing.any():
                found["missing"] = float(missing[j])
            return found if twins is None else found | twins.row(j)

        if feature is not None:
            return Explanation([row(self._position(feature))])
        rest = np.nonzero(~self.support_)[0]
        rest = rest[np.argsort(-self._explain_order()[rest], kind="stable")]
        return Explanation([row(int(j)) for j in (*self.indices_, *rest)])

    def why_nothing(self) -> str:
        """The likely reason if no column was selected, and what to do."""
        return "no column is related to the target. Check the target."

    def _notebook_summary(self) -> str:
        return selection_summary(self)

    @abstractmethod
    def explain_row(self, j: int) -> dict[str, Any]:
        """The row of `explain` for column ``j``, by heading."""

    def _reason(self, j: int) -> str:
        """Why column ``j`` is in or out, in a word or two, where `explain_row` does not say."""
        if self.support_[j]:
            return "best score"
        relevance = getattr(self, "relevance_", None)
        if relevance is None or not self.indices_.size:
            return "lower score"
        if not relevance[j] > TIE_TOLERANCE:
            return "not relevant"
        # alone it would be in: what it says is said by the selected columns
        return "redundant" if relevance[j] > relevance[self.indices_].min() else "less relevant"

    def _explain_order(self) -> np.ndarray:
        """What the columns that were not selected are ordered by, largest first."""
        return self.relevance_


def warn_of_size(selector: BaseSelector, k: int | None = None, n_fillers: int = 0) -> None:
    """Warn if there is no relevant column, or if fewer than `k` say something.

    So many of the last columns are fillers: nothing but their place in the table chose them.
    """
    name, n_selected = type(selector).__name__, selector._selected.size
    if not n_selected:
        warn_user(f"{name} selected no column: {selector.why_nothing()}")
    elif k is not None and not np.any(selector.relevance_ > TIE_TOLERANCE):
        warn_user(f"{name} selected columns of relevance 0: {selector.why_nothing()}")
    elif k is not None and n_selected < k:
        warn_user(
            f"Only {n_selected} of {k} columns were selected: the others add nothing (they are "
            "constant, perhaps after they were cut into intervals, or repeat the selected ones)."
        )
    elif k is not None and n_fillers:
        warn_user(
            f"Only {n_selected - n_fillers} of {k} columns were selected for what they say: no "
            "other column adds anything to them, and the rest follow in the order of the table."
        )


StatisticsT = TypeVar("StatisticsT", bound=PartStatistics)
DetailsT = TypeVar("DetailsT")


@with_docs(SELECTOR_DOCS)
class PartSelector(BaseSelector, Generic[StatisticsT, DetailsT]):
    """A selector that ensembles can run on parts of the rows.

    An ensemble reads the table once, as `read_options` asks for it, makes the statistics of all its
    parts at once by `sources`, and searches in every part by `select`; `fit` does the same with a
    single part of all rows. A subclass writes these methods, `store` and `explain_row`.
    """

    @property
    def decides_size(self) -> bool:
        """Whether the method decides how many columns are enough.

        Others select as many as they are asked for, unless the columns that are left add nothing.
        """
        return False

    def n_fillers(self, scores: np.ndarray) -> int:
        """How many of the last columns with these scores only fill the number that was asked for.

        Nothing but their place in the table chose them.
        """
        return 0

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None, sample_weight=None):
        """Select columns.

        Parameters
        ----------
        {X}
        y : array-like of shape (n_samples,)
            The target: classes, or numbers where the method takes them. None for row blocks, which
            bring their own.
        {sample_weight}

        Returns
        -------
        self : object
            The fitted selector.
        """
        n_threads = effective_n_threads(self.n_jobs)
        data = self._read(X, y, n_threads, sample_weight, **self.read_options())
        k = self.size_for(data.variables)
        sources = self.sources(data, Resampling.all_rows(data.n_rows), n_threads)
        selection = self.select(sources, k, data.variables.included)
        self.store(data, sources, selection)
        if not data.has_constant_target:  # which has its own warning
            fillers = self.n_fillers(selection.scores[0])
            warn_of_size(self, None if self.decides_size else k, fillers)
        return self

    @abstractmethod
    def read_options(self) -> ReadOptions:
        """How the columns are to be read; leaves the selector as it is."""

    @abstractmethod
    def sources(
        self, data: TrainingData, resampling: Resampling, n_threads: int, signed: bool = False
    ) -> StatisticsT:
        """Make the statistics of all parts.

        Parameters
        ----------
        data : TrainingData
            The table, read with `read_options`, and its target.
        resampling : Resampling
            The parts.
        n_threads : int
            Threads.
        signed : bool, default=False
            Whether correlations keep their sign, for means over the parts. Selectors whose
            statistics have no such means raise a ValueError.

        Returns
        -------
        object
            What `select` takes.
        """

    @abstractmethod
    def select(self, sources: StatisticsT, k: int, included: np.ndarray) -> Selection[DetailsT]:
        """Select columns in every part.

        Parameters
        ----------
        sources : object
            What `sources` gave.
        k : int
            Number of columns; if the selector `decides_size`, the most columns.
        included : ndarray of int
            Columns that are selected before the first step, in order.

        Returns
        -------
        Selection
        """

    def store(
        self, data: TrainingData, sources: StatisticsT, selection: Selection[DetailsT]
    ) -> None:
        """Set the learned attributes from a selection in a single part.

        Parameters
        ----------
        data : TrainingData
            The table.
        sources : object
            The statistics of that part.
        selection : Selection
            What was selected in it.
        """
        self._set_selected(selection.columns[0], selection.scores_by_column(0, data.n_features))
        self.relevance_ = data.variables.by_column(sources.relevance[0].copy())
        self.cut_points_ = data.cut_points
        self._set_missing(data)
        self._set_target(data, sources)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
