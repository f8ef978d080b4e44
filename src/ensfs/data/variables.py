"""What a search chooses among: the columns of a table, but for those that are excluded.

Searches number what they choose among by 0, 1, 2, ...: the variables. A variable is a column of the
table as it was given. `Variables` knows which, so that what was learned of variables can be told of
columns.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse

from ensfs._utils.ties import by_decreasing
from ensfs.data.parameters import resolve_positions
from ensfs.data.values import column_label

#: Parameters that choose columns.
CHOICE = ("include", "exclude", "apart")


def _none() -> np.ndarray:
    return np.empty(0, dtype=np.int64)


@dataclass(frozen=True)
class Variables:
    """The variables of a table; use `make_variables` to make them.

    Attributes
    ----------
    n_columns : int
        Columns of the table as it was given.
    names : ndarray of object or None
        Their names, if they have any.
    kept : ndarray of int, or None
        The columns that are not excluded, in order; None if all are kept.
    included : ndarray of int
        Variables that are selected before a search begins, in order.
    apart : ndarray of int
        Columns that are no variables, and are added to what was found afterwards.
    """

    n_columns: int
    names: np.ndarray | None = None
    kept: np.ndarray | None = None
    included: np.ndarray = field(default_factory=_none)
    apart: np.ndarray = field(default_factory=_none)

    @property
    def n_variables(self) -> int:
        """How many variables there are."""
        return self.n_columns if self.kept is None else self.kept.size

    @property
    def is_plain(self) -> bool:
        """Whether each column of the table is a variable."""
        return self.kept is None

    @property
    def n_kept(self) -> int:
        """How many columns are not excluded."""
        return self.n_columns if self.kept is None else self.kept.size

    @property
    def chosen(self) -> dict[int, str]:
        """Why columns are in or out that no search decides on, by column."""
        kept = self.of_kept(np.arange(self.n_columns))
        reasons = dict.fromkeys(np.setdiff1d(np.arange(self.n_columns), kept).tolist(), "excluded")
        always = [*self.columns(self.included).tolist(), *self.apart.tolist()]
        return reasons | dict.fromkeys(always, "included")

    def of_kept(self, values: np.ndarray) -> np.ndarray:
        """Values of all columns (along the last axis) without those of excluded ones."""
        return values if self.kept is None else np.take(values, self.kept, axis=-1)

    def label_of_kept(self, j: int) -> str:
        """Name of the ``j``-th column that is kept, in messages."""
        return column_label(j if self.kept is None else int(self.kept[j]), self.names)

    def columns(self, variables: Any) -> np.ndarray:
        """The columns of some variables, in their order."""
        variables = np.asarray(variables, dtype=np.int64)
        return variables if self.kept is None else self.kept[variables]

    def variables(self, columns: Any) -> np.ndarray:
        """The variables of some columns, none of which is excluded, in their order."""
        columns = np.asarray(columns, dtype=np.int64)
        return columns if self.kept is None else np.searchsorted(self.kept, columns)

    def column(self, variables: np.ndarray) -> np.ndarray:
        """The column of each variable; what is negative stands for no variable, and stays."""
        if self.kept is None:
            return variables
        return np.where(variables >= 0, self.kept[np.maximum(variables, 0)], variables)

    def by_column(self, values: np.ndarray, fill: Any = np.nan) -> np.ndarray:
        """Values of the variables (along the last axis) as values of the columns.

        Parameters
        ----------
        values : ndarray of shape (..., n_variables)
            The values.
        fill : object, default=NaN
            The value of excluded columns.

        Returns
        -------
        ndarray of shape (..., n_columns)
            The array itself if each column is a variable.
        """
        if self.kept is None:
            return values
        of_columns = np.full((*values.shape[:-1], self.n_columns), fill, dtype=values.dtype)
        of_columns[..., self.kept] = values
        return of_columns

    def of_columns(self, values: np.ndarray) -> np.ndarray:
        """Values of the columns as values of the variables."""
        return values[self.columns(np.arange(self.n_variables))]

    def matrix_by_column(self, of_pairs: scipy.sparse.csr_array) -> scipy.sparse.csr_array:
        """A sparse matrix of pairs of variables as one of pairs of columns."""
        if self.kept is None:
            return of_pairs
        found = of_pairs.tocoo()
        places = (self.kept[found.row], self.kept[found.col])
        shape = (self.n_columns, self.n_columns)
        return scipy.sparse.csr_array(scipy.sparse.coo_array((found.data, places), shape=shape))

    def keyed_by_column(self, of_variables: dict[int, Any]) -> dict[int, Any]:
        """A dictionary by variable as one by column."""
        if self.kept is None:
            return of_variables
        return {int(self.kept[j]): value for j, value in of_variables.items()}

    def included_first(self, scores: np.ndarray, allowed: np.ndarray | None = None) -> np.ndarray:
        """The included variables, then the others by decreasing score, if they are allowed."""
        free = np.ones(scores.size, dtype=bool) if allowed is None else allowed.copy()
        free[self.included] = False
        return np.concatenate([self.included, by_decreasing(scores, free)])

    def check_size(self, k: int, parameter: str = "n_features_to_select") -> int:
        """`k`, or an error if more variables than that are included."""
        if k < self.included.size:
            raise ValueError(
                f"{parameter} counts the included columns: include names {self.included.size}, but "
                f"{k} are to be selected. Raise {parameter}, or include fewer."
            )
        return k


def make_variables(
    n_columns: int,
    names: np.ndarray | None,
    *,
    include: Any = None,
    exclude: Any = None,
    apart: Any = None,
) -> Variables:
    """The variables of a table with some columns that are always, or never, selected.

    Parameters
    ----------
    n_columns : int
        Columns of the table.
    names : ndarray of object or None
        Their names, if they have any.
    include, exclude : names, positions or mask, optional
        The columns that are selected before a search begins, and those that are not there.
    apart : names, positions or mask, optional
        What `include` is where no search begins with it: columns that are added afterwards.

    Returns
    -------
    Variables
    """
    if include is None and exclude is None and apart is None:
        return Variables(n_columns, names)
    always = resolve_positions(apart if include is None else include, n_columns, names, "include")
    never = resolve_positions(exclude, n_columns, names, "exclude")
    both = np.intersect1d(always, never)
    if both.size:
        raise ValueError(
            f"include and exclude both name {column_label(int(both[0]), names)}; a column can be "
            "in one of them."
        )
    out = never if apart is None else np.append(never, always)
    if out.size == n_columns:
        raise ValueError(
            f"exclude{'' if apart is None else ' and include'} name all {n_columns} column(s) of "
            "X; leave at least one."
        )
    kept = np.setdiff1d(np.arange(n_columns), out) if out.size else None
    if apart is not None:
        return Variables(n_columns, names, kept, apart=always)
    return Variables(
        n_columns, names, kept, always if kept is None else np.searchsorted(kept, always)
    )
