"""What all selectors share: reading the data, keeping the result, explaining it."""

from __future__ import annotations

import operator
import warnings
from abc import abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

import narwhals.stable.v1 as nw
import numpy as np
import scipy.sparse
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from ensfs._columns import fit_for_arrays, take, with_plain_text
from ensfs._explain import Explanation
from ensfs._html import selection_summary
from ensfs._progress import CallbackSupportMixin
from ensfs._sklearn import output_of
from ensfs._table import Codes, Table, make_table, resolve_n_features
from ensfs._target import Target, make_target
from ensfs.discretise import EqualFrequencyDiscretiser, MDLDiscretiser, SigmaDiscretiser
from ensfs.statistics import CodedSource, ContinuousSource, Parts, Source


class TableData:
    """A table in memory with its target, and the sources on it."""

    def __init__(self, table: Table, y: Any):
        self.table = table
        self.y = y
        self.n_rows = table.n_rows
        self.n_features = table.n_features
        self.names = table.names
        self.cut_points: dict[int, np.ndarray] = {}
        self._targets: dict[str, Target] = {}

    def target(self, kind: str, **advice: Any) -> Target:
        """The target read as ``"auto"``, ``"classes"`` or ``"numeric"``, with its warnings once."""
        if kind not in self._targets:
            self._targets[kind] = make_target(self.y, self.n_rows, kind=kind, **advice)
        return self._targets[kind]

    @property
    def discrete(self) -> np.ndarray:
        """Which columns hold discrete values."""
        return self.table.discrete

    def continuous_source(
        self, target: Target, parts: Parts, *, relevance: str, signed: bool, n_threads: int
    ) -> Source:
        """Sums of the columns taken as numbers."""
        source = ContinuousSource(
            self.table.continuous(), target, parts, relevance=relevance, signed=signed,
            n_threads=n_threads,
        )  # fmt: skip
        if not source.finite:
            self.table.check_finite()
            raise ValueError(
                "The squares of some values are too large for float64. Scale the columns first."
            )
        self.table.check_constant(np.nonzero(source.sums.small)[0])
        return source

    def codes(self, target: Target, discretiser: Any = None) -> Codes:
        """The columns as codes; without a discretiser continuous ones are an error."""
        coded = self.table.codes(None if discretiser is None else coding_by(discretiser, target))
        self.cut_points = coded.cut_points
        return coded

    def coded_source(
        self,
        target: Target,
        parts: Parts,
        *,
        measure: str = "mutual_information",
        discretiser: Any = "sigma",
        n_threads: int = 1,
    ) -> CodedSource:
        """Counts of the columns taken as codes; continuous ones are cut by the discretiser."""
        coded = self.codes(target, discretiser)
        return CodedSource(
            coded.give, coded.n_levels, target, parts, measure=measure, n_threads=n_threads
        )


#: Discretisers by name. MDL with the better encoding is what Weka's evaluators use.
DISCRETISERS = {
    "mdl": MDLDiscretiser(better_encoding=True),
    "equal_frequency": EqualFrequencyDiscretiser(),
    "sigma": SigmaDiscretiser(),
}


def coding_by(discretiser: Any, target: Target) -> Callable[[np.ndarray], Any]:
    """What cuts the continuous columns of a table: a discretiser by name, fitted or not."""
    if isinstance(discretiser, str):
        discretiser = DISCRETISERS[discretiser]

    def code(values: np.ndarray) -> tuple[np.ndarray, list[np.ndarray]]:
        fitted = discretiser
        try:
            check_is_fitted(discretiser)
        except NotFittedError:
            y = target.codes if target.kind == "classes" else target.values
            fitted = clone(discretiser).fit(values, y)
        with warnings.catch_warnings():  # a discretiser fitted on a data frame misses the names
            warnings.filterwarnings("ignore", message="X does not have valid feature names")
            codes = _codes_of(discretiser, fitted.transform(values), values.shape)
        cuts = getattr(fitted, "cut_points_", None)
        return codes, [np.empty(0)] * values.shape[1] if cuts is None else list(cuts)

    return code


def _codes_of(discretiser: Any, transformed: Any, shape: tuple[int, ...]) -> np.ndarray:
    """What a transformer gave as codes, or an error that says why it is no discretiser."""
    codes = None if scipy.sparse.issparse(transformed) else np.asarray(transformed)
    if codes is not None and codes.shape == shape and codes.dtype.kind in "biuf":
        if codes.dtype.kind != "f":
            return codes
        if (codes == np.rint(codes)).all():  # some transformers give whole numbers as floats
            return codes.astype(np.int64)
    raise ValueError(
        f"discretiser={discretiser!r} does not give one whole number for each value, so it is no "
        "discretiser. Use one of ensfs.discretise, or for example "
        "KBinsDiscretizer(encode='ordinal')."
    )


class TableEstimator(BaseEstimator):
    """What reads a table and knows its columns by name."""

    def _read(self, X: Any, y: Any, n_threads: int, **options: Any) -> Any:
        """The data of one fit, with the names and the number of columns kept for later."""
        if hasattr(X, "make_data"):  # row blocks bring their own target
            if y is not None:
                raise ValueError("y must be None for row blocks: each block brings its own target.")
            data = X.make_data(n_threads=n_threads, **options)
            self.n_features_in_ = data.n_features
            if data.names is not None:
                self.feature_names_in_ = np.asarray(data.names, dtype=object)
            elif hasattr(self, "feature_names_in_"):
                del self.feature_names_in_  # of an earlier fit
            return data
        table = self._read_table(X, n_threads, **options)
        if y is None and self.__sklearn_tags__().target_tags.required:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None."
            )
        return TableData(table, y)

    def _read_table(self, X: Any, n_threads: int, **options: Any) -> Table:
        """The columns alone, with their names and their number kept for later."""
        table = make_table(X, n_threads=n_threads, **options)
        validate_data(self, X, skip_check_array=True)
        return table

    def _name(self, j: int) -> str:
        """Name of a column for people."""
        names = getattr(self, "feature_names_in_", None)
        return f"x{j}" if names is None else str(names[j])

    def _position(self, feature: int | str) -> int:
        if isinstance(feature, str):
            names = getattr(self, "feature_names_in_", None)
            names = [self._name(j) for j in range(self.n_features_in_)] if names is None else names
            found = np.nonzero(np.asarray(names, dtype=object) == feature)[0]
            if not found.size:
                raise ValueError(f"There is no column {feature!r}.")
            return int(found[0])
        try:
            j = None if isinstance(feature, bool) else operator.index(feature)
        except TypeError:
            j = None
        if j is None:
            raise ValueError(
                f"feature must be the position or the name of a column; got {feature!r}."
            )
        if not -self.n_features_in_ <= j < self.n_features_in_:
            raise ValueError(f"There are {self.n_features_in_} columns; got feature={feature}.")
        return j % self.n_features_in_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags


class BaseSelector(CallbackSupportMixin, SelectorMixin, TableEstimator):
    """A selector that keeps `indices_`, `support_`, `ranking_` and `scores_`."""

    def _n_features(self, n_features: int) -> int | None:
        """How many columns are to be selected in a table of so many; None: the method decides."""
        if self.n_features_to_select is None:
            return None
        return resolve_n_features(self.n_features_to_select, n_features)

    def _keep(self, indices: np.ndarray, scores: np.ndarray) -> None:
        """Keep the selected columns (in order of selection) and the scores of all columns."""
        self.indices_ = np.asarray(indices, dtype=np.int64)
        self.scores_ = scores
        self.support_ = np.zeros(self.n_features_in_, dtype=bool)
        self.support_[self.indices_] = True
        self.ranking_ = np.full(self.n_features_in_, self.indices_.size + 1, dtype=np.int64)
        self.ranking_[self.indices_] = np.arange(1, self.indices_.size + 1)

    #: Whether the first columns of a selection are the selection of fewer columns.
    _nested: ClassVar[bool] = False

    def _first(self, k: int) -> np.ndarray | None:
        """The columns that a fit with `k` columns would select; None where that takes a new fit."""
        return self.indices_[:k] if self._nested else None

    def _get_support_mask(self) -> np.ndarray:
        check_is_fitted(self, "support_")
        return self.support_

    def transform(self, X: Any) -> Any:
        """Keep the selected columns.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            A table with the columns of `fit`.

        Returns
        -------
        array or data frame of shape (n_samples, n_selected_features)
            An array; with ``set_output`` a data frame, whose columns have the types they had in a
            data frame `X`.
        """
        support, output = self._get_support_mask(), output_of(self)
        # scikit-learn itself keeps the types of pandas where a data frame is to come out
        by_pandas = nw.dependencies.is_pandas_dataframe(X) and output != "default"
        if by_pandas or not nw.dependencies.is_into_dataframe(X):
            return super().transform(X)
        validate_data(self, X, reset=False, skip_check_array=True)  # names and their number
        if not support.any():
            return self._transform(np.empty((X.shape[0], 0)))  # warns
        selected = take(X, columns=np.nonzero(support)[0])
        if not fit_for_arrays(selected).all():
            make_table(selected)  # says which column it is
        if output == "default":  # the type of the array is that of the whole table
            fit = fit_for_arrays(X)
            table = X if fit.all() else take(X, columns=np.nonzero(fit)[0])
            return self._to_array(table)[:, support[fit]]
        self._to_array(selected)  # only to check it
        frame = nw.from_native(selected, eager_only=True)
        return frame.to_pandas() if output == "pandas" else frame.to_polars()

    def _to_array(self, X: Any) -> np.ndarray:
        """A data frame as an array, or an error that names the column."""
        try:
            return check_array(with_plain_text(X), dtype=None, input_name="X", estimator=self)
        except (TypeError, ValueError):
            make_table(X).check_finite()
            raise

    def explain(self, feature: int | str | None = None) -> Explanation:
        """Say for one column, or for all, why it is in or out.

        Parameters
        ----------
        feature : int or str, optional
            Position or name of a column. By default all columns, the selected ones first in order
            of selection, then the others by relevance.

        Returns
        -------
        Explanation
            A small table; ``print`` it, index it by row or heading, or call ``to_pandas``.

        Examples
        --------
        >>> from sklearn.datasets import load_wine
        >>> from ensfs import MRMR
        >>> X, y = load_wine(return_X_y=True, as_frame=True)
        >>> print(MRMR(4).fit(X, y).explain("alcohol"))
        feature  selected  rank  relevance  redundancy  score  nearest
        alcohol  no        -     135.1      -           -      proline
        """
        check_is_fitted(self, "support_")
        if feature is not None:
            return Explanation([self._explain_row(self._position(feature))])
        rest = np.nonzero(~self.support_)[0]
        rest = rest[np.argsort(-self._explain_order()[rest], kind="stable")]
        return Explanation([self._explain_row(int(j)) for j in (*self.indices_, *rest)])

    def _repr_html_inner(self) -> str:
        """The diagram of scikit-learn and, after a fit, the selected columns."""
        return super()._repr_html_inner() + selection_summary(self)

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle = super()._repr_mimebundle_(**kwargs)
        if "text/html" in bundle:
            bundle["text/html"] += selection_summary(self)
        return bundle

    @abstractmethod
    def _explain_row(self, j: int) -> dict[str, Any]:
        """What `explain` says of one column."""

    def _explain_order(self) -> np.ndarray:
        """What the columns that were not selected are ordered by, largest first."""
        return self.relevance_
