"""What a search chooses among: columns of a table, and groups of columns.

Searches number what they choose among by 0, 1, 2, ...: the variables. A variable is a column of the
table as it was given, or a group of columns that enters and leaves as one; excluded columns are in
none. `Variables` knows which, so that what was learned of variables can be told of columns.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import scipy.sparse

from ensfs._utils.ties import by_decreasing
from ensfs.data.parameters import resolve_positions
from ensfs.data.values import column_label

#: Parameters that choose columns.
CHOICE = ("include", "exclude", "apart", "feature_groups")


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
    members : tuple of ndarray of int, or None
        The columns of each variable, in the order of their lowest; None if there are no groups.
    group_names : dict of int to str
        The names of the groups among the variables.
    """

    n_columns: int
    names: np.ndarray | None = None
    kept: np.ndarray | None = None
    included: np.ndarray = field(default_factory=_none)
    apart: np.ndarray = field(default_factory=_none)
    members: tuple[np.ndarray, ...] | None = None
    group_names: Mapping[int, str] = field(default_factory=dict)

    # ------------------------------------------------------------------ what there is

    @property
    def n_variables(self) -> int:
        """How many variables there are."""
        return self.n_kept if self.members is None else len(self.members)

    @property
    def is_plain(self) -> bool:
        """Whether each column of the table is a variable."""
        return self.kept is None and self.members is None

    @property
    def chosen(self) -> dict[int, str]:
        """Why columns are in or out that no search decides on, by column."""
        kept = self.of_kept(np.arange(self.n_columns))
        reasons = dict.fromkeys(np.setdiff1d(np.arange(self.n_columns), kept).tolist(), "excluded")
        always = [*self.columns(self.included).tolist(), *self.apart.tolist()]
        return reasons | dict.fromkeys(always, "included")

    @property
    def group_of(self) -> dict[int, str]:
        """The name of the group of each column that is in one."""
        if self.members is None:
            return {}
        return {int(j): name for v, name in self.group_names.items() for j in self.members[v]}

    # ------------------------------------------------------------------ the columns that are kept

    @property
    def n_kept(self) -> int:
        """How many columns are not excluded."""
        return self.n_columns if self.kept is None else self.kept.size

    def of_kept(self, values: np.ndarray) -> np.ndarray:
        """Values of all columns (along the last axis) without those of excluded ones."""
        return values if self.kept is None else np.take(values, self.kept, axis=-1)

    def column_of_kept(self, j: int) -> int:
        """The ``j``-th column that is kept."""
        return j if self.kept is None else int(self.kept[j])

    def label_of_kept(self, j: int) -> str:
        """Its name in messages."""
        return column_label(self.column_of_kept(j), self.names)

    @property
    def kept_members(self) -> list[np.ndarray]:
        """The columns of each variable, by their places among those that are kept."""
        if self.members is None:
            return list(np.arange(self.n_kept)[:, None])
        if self.kept is None:
            return list(self.members)
        return [np.searchsorted(self.kept, each) for each in self.members]

    def mean_of_members(self, of_kept: np.ndarray) -> np.ndarray:
        """Values of the columns that are kept (along the last axis) as means over variables."""
        if self.members is None:
            return of_kept
        means = [of_kept[..., each].mean(axis=-1) for each in self.kept_members]
        return np.stack(means, axis=-1)

    # ------------------------------------------------------------------ variables and columns

    def columns(self, variables: Any) -> np.ndarray:
        """The columns of some variables, one after the other."""
        variables = np.asarray(variables, dtype=np.int64)
        if self.members is not None:
            return np.concatenate([_none(), *(self.members[v] for v in variables)])
        return variables if self.kept is None else self.kept[variables]

    def variables(self, columns: Any) -> np.ndarray:
        """The variables of some columns, none of which is excluded, each once in their order."""
        columns = np.asarray(columns, dtype=np.int64)
        if self.members is None:
            return columns if self.kept is None else np.searchsorted(self.kept, columns)
        of_column = np.full(self.n_columns, -1)
        for v, members in enumerate(self.members):
            of_column[members] = v
        return np.array(list(dict.fromkeys(of_column[columns].tolist())), dtype=np.int64)

    def column(self, variables: np.ndarray) -> np.ndarray:
        """The (lowest) column of each variable; what is negative is no variable, and stays."""
        if self.is_plain:
            return variables
        lowest = self.kept
        if self.members is not None:
            lowest = np.array([members.min() for members in self.members])
        assert lowest is not None
        return np.where(variables >= 0, lowest[np.maximum(variables, 0)], variables)

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
        if self.is_plain:
            return values
        of_columns = np.full((*values.shape[:-1], self.n_columns), fill, dtype=values.dtype)
        if self.members is None:
            of_columns[..., self.kept] = values
            return of_columns
        for v, members in enumerate(self.members):
            of_columns[..., members] = values[..., v, None]
        return of_columns

    def of_columns(self, values: np.ndarray) -> np.ndarray:
        """Values of the columns, the same for all members of a group, as those of the variables."""
        return values[self.column(np.arange(self.n_variables))]

    def keyed_by_column(self, of_variables: dict[int, Any]) -> dict[int, Any]:
        """A dictionary by variable as one by column."""
        if self.is_plain:
            return of_variables
        return {int(j): value for v, value in of_variables.items() for j in self.columns([v])}

    def matrix_by_column(self, of_pairs: scipy.sparse.csr_array) -> scipy.sparse.csr_array:
        """A sparse matrix of pairs of variables as one of pairs of columns; without groups."""
        if self.kept is None:
            return of_pairs
        found = of_pairs.tocoo()
        places = (self.kept[found.row], self.kept[found.col])
        shape = (self.n_columns, self.n_columns)
        return scipy.sparse.csr_array(scipy.sparse.coo_array((found.data, places), shape=shape))

    # ------------------------------------------------------------------ selections

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
    feature_groups: Any = None,
) -> Variables:
    """The variables of a table with some columns that are always, or never, selected.

    Parameters
    ----------
    n_columns : int
        Columns of the table.
    names : ndarray of object or None
        Their names, if they have any.
    include, exclude : names, positions or mask, optional
        The columns that are selected before a search begins, and those that are not there. A member
        of a group stands for the group.
    apart : names, positions or mask, optional
        What `include` is where no search begins with it: columns that are added afterwards.
    feature_groups : list of lists or dict of name to list, optional
        Columns that go together.

    Returns
    -------
    Variables
    """
    if include is None and exclude is None and apart is None and feature_groups is None:
        return Variables(n_columns, names)
    groups = _read_groups(feature_groups, n_columns, names)
    always = resolve_positions(apart if include is None else include, n_columns, names, "include")
    never = resolve_positions(exclude, n_columns, names, "exclude")
    for members in groups.values():
        if np.isin(members, never).any():
            never = np.union1d(never, members)
    _check_apart(always, never, names)
    out = never if apart is None else np.append(never, always)
    if out.size == n_columns:
        raise ValueError(
            f"exclude{'' if apart is None else ' and include'} name all {n_columns} column(s) of "
            "X; leave at least one."
        )
    kept = np.setdiff1d(np.arange(n_columns), out) if out.size else None
    if apart is not None:
        return Variables(n_columns, names, kept, apart=always)
    together, group_names = _members(n_columns, kept, groups)
    made = Variables(n_columns, names, kept, members=together, group_names=group_names)
    return replace(made, included=made.variables(always))


def _check_apart(always: np.ndarray, never: np.ndarray, names: np.ndarray | None) -> None:
    """Raise an error for columns, or groups, that are both included and excluded."""
    both = np.intersect1d(always, never)
    if both.size:
        raise ValueError(
            f"include and exclude both name {column_label(int(both[0]), names)}; a column can be "
            "in one of them."
        )


def _read_groups(
    feature_groups: Any, n_columns: int, names: np.ndarray | None
) -> dict[str, np.ndarray]:
    """The members of each group by its name, in the order given."""
    if feature_groups is None:
        return {}
    if isinstance(feature_groups, Mapping):
        given = {str(name): members for name, members in feature_groups.items()}
    else:
        given = {f"group {i}": members for i, members in enumerate(feature_groups)}
    groups: dict[str, np.ndarray] = {}
    owner: dict[int, str] = {}
    for name, members in given.items():
        columns = resolve_positions(members, n_columns, names, f"feature_groups ({name})")
        if not columns.size:
            raise ValueError(f"feature_groups: {name} is empty.")
        for j in columns.tolist():
            if j in owner:
                raise ValueError(
                    f"feature_groups: {column_label(j, names)} is in {owner[j]} and in {name}; "
                    "groups must not overlap."
                )
            owner[j] = name
        groups[name] = columns
    return groups


def _members(
    n_columns: int, kept: np.ndarray | None, groups: dict[str, np.ndarray]
) -> tuple[tuple[np.ndarray, ...] | None, dict[int, str]]:
    """The columns of each variable, by the lowest of them, and the names of groups."""
    if not groups:
        return None, {}
    columns = np.arange(n_columns) if kept is None else kept
    inside = {name: each for name, each in groups.items() if np.isin(each, columns).all()}
    grouped = np.concatenate([_none(), *inside.values()])
    single = {int(j): (None, np.array([j])) for j in np.setdiff1d(columns, grouped)}
    by_lowest: dict[int, tuple[str | None, np.ndarray]] = {
        **single,
        **{int(each.min()): (name, each) for name, each in inside.items()},
    }
    ordered = [by_lowest[lowest] for lowest in sorted(by_lowest)]
    names = {v: name for v, (name, _) in enumerate(ordered) if name is not None}
    return tuple(members for _, members in ordered), names
