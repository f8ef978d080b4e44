"""What all decompositions share: reading the table, keeping subsets, explaining them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ensfs._utils.docs import COMMON_DOCS, read_descriptions, with_docs
from ensfs._utils.explanation import Explanation
from ensfs._utils.sklearn import fit_context
from ensfs._utils.threads import effective_n_threads
from ensfs._utils.warn import warn_user
from ensfs.statistics import CodedSource, Resampling
from ensfs.statistics.outputs import CombinedSource
from ensfs.training.estimator import TableEstimator

#: Attributes of all decompositions.
DECOMPOSITION_DOCS = COMMON_DOCS | read_descriptions("""
include : names, positions or mask, default=None
    Columns that are added to every subset when the subsets are made.
n_subsets_ : int
    Number of subsets.
relevance_ : ndarray of shape (`n_features_in_`,)
    Symmetrical uncertainty of each column with the target.
""")


class BaseDecomposition(TableEstimator):
    """A decomposition: `fit` learns `subsets_`, a list of arrays of column indices."""

    #: Whether the subsets depend on the rows, so that weights of rows matter.
    _counts_rows = True

    #: Why a column is in a subset, where `_explain_row` does not say.
    _inside = "drawn"

    def column_choice(self) -> dict[str, Any]:
        """Included columns are no seeds and no rivals: they are added to every subset."""
        choice = super().column_choice()
        return {"apart": choice.pop("include"), **choice} if "include" in choice else choice

    def _keep_subsets(self, subsets: Sequence[Any]) -> None:
        """Set the subsets, given by variables, with what is in every subset."""
        variables = self._variables
        self.subsets_ = [
            np.append(variables.columns(members), variables.apart) for members in subsets
        ]
        self.n_subsets_ = len(self.subsets_)

    def _warn_fewer(self, why: str) -> None:
        """Warn if there are fewer subsets than were asked for."""
        if self.n_subsets_ < self.n_subsets:
            warn_user(
                f"Only {self.n_subsets_} of {self.n_subsets} subsets could be made: {why}.",
            )

    def transformer(self, subset: int) -> Any:
        """What turns the columns of a subset into what its classifier sees.

        Parameters
        ----------
        subset : int
            Number of the subset.

        Returns
        -------
        transformer or None
            Fitted; None: the columns as they are.
        """
        return None

    def explain(self, feature: int | str | None = None) -> Explanation:
        """Say for one column, or for all, which subset it is in and why.

        Parameters
        ----------
        feature : int or str, optional
            Position or name of a column. By default all columns, subset after subset, then those
            in no subset.

        Returns
        -------
        Explanation
            A small table; ``print`` it, index it by row or heading, or call ``to_pandas``.
        """
        check_is_fitted(self, "subsets_")
        inside: dict[int, list[int]] = {}
        for i, columns in enumerate(self.subsets_):
            for j in columns.tolist():
                inside.setdefault(j, []).append(i)
        chosen = self._variables.chosen

        def row(j: int) -> dict[str, Any]:
            found = self._explain_row(j, inside.get(j, []))
            return found | {"reason": chosen.get(j, found.get("reason"))} if chosen else found

        if feature is not None:
            return Explanation([row(self._position(feature))])
        rest = [j for j in range(self.n_features_in_) if j not in inside]
        return Explanation([row(j) for j in (*inside, *rest)])

    def _explain_row(self, j: int, subsets: list[int]) -> dict[str, Any]:
        """What `explain` says of one column, which is in these subsets."""
        return {
            "feature": self._name(j),
            "subsets": ", ".join(map(str, subsets)) or None,
            "reason": self._inside if subsets else "not drawn",
        }


@with_docs(DECOMPOSITION_DOCS)
class CodedDecomposition(BaseDecomposition):
    """A decomposition by symmetrical uncertainty of coded columns."""

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None, sample_weight=None):
        """Learn the subsets.

        Parameters
        ----------
        {X}
        y : array-like of shape (n_samples,)
            Classes; a numeric target is cut into three.
        {sample_weight}

        Returns
        -------
        self : object
            The fitted decomposition.
        """
        self._decompose(X, y, sample_weight)
        return self

    @abstractmethod
    def _decompose(self, X: Any, y: Any, sample_weight: Any) -> None:
        """Set `subsets_` and the other learned attributes."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _source(self, X: Any, y: Any, sample_weight: Any) -> CodedSource | CombinedSource:
        """Counts of the columns; keeps the cut points and the relevance."""
        n_threads = effective_n_threads(self.n_jobs)
        data = self._read_rows(
            X, y, n_threads, sample_weight, discrete_features=self.discrete_features,
            integral_is_discrete=True,
        )  # fmt: skip
        source = data.coded_source(
            data.target("counted"),
            Resampling.all_rows(data.n_rows),
            measure="symmetrical_uncertainty",
            discretizer=self.discretizer,
            n_threads=n_threads,
            missing=self.missing,
        )
        self._set_missing(data)
        self.cut_points_ = data.cut_points
        self.relevance_ = data.variables.by_column(source.relevance[0])
        self._set_target(data, source)
        return source
