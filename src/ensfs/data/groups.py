"""Groups of coded columns as one column each: the combinations of their codes."""

from __future__ import annotations

import numpy as np

from ensfs.data.codes import MAX_LEVELS, TableCodes
from ensfs.data.sparse_table import CodedCells
from ensfs.data.variables import Variables


def join_groups(coded: TableCodes, variables: Variables, joins_missing: bool = False) -> TableCodes:
    """Codes of the variables from those of the columns; a group has a level for each combination.

    Parameters
    ----------
    coded : TableCodes
        The columns that are kept.
    variables : Variables
        Which of them go together.
    joins_missing : bool, default=False
        Whether a group is missing, which has the last code, if one of its columns is. Otherwise
        that is a combination like others.

    Returns
    -------
    TableCodes
        The levels of a group are tuples that can be sorted, in the order of their codes: for each
        member whether it is missing, and its level. Cut points stay those of the columns.
    """
    if variables.members is None:
        return coded
    places = variables.kept_members
    joint = {v: _join(coded, places[v], joins_missing) for v in variables.group_names}
    for v, (codes, _) in joint.items():
        _check_combinations(codes, variables.group_names[v])
    n_levels = np.array(
        [
            int(joint[v][0].max(initial=0)) + 1 if v in joint else coded.n_levels[each[0]]
            for v, each in enumerate(places)
        ],
        dtype=np.int32,
    )
    dtype = np.uint8 if n_levels.max() <= 256 else np.uint16
    codes = np.empty((len(coded.codes), n_levels.size), dtype=dtype, order="F")
    for v, each in enumerate(places):
        codes[:, v] = joint[v][0] if v in joint else coded.codes[:, each[0]]

    def level_of(v: int) -> np.ndarray:
        if v not in joint:
            return coded.level_of(int(places[v][0]))
        _, rows = joint[v]
        levels = np.empty(len(rows), dtype=object)
        of_members = [_sortable(coded, int(j)) for j in places[v]]
        for i, row in enumerate(rows):
            levels[i] = tuple(of[c] for of, c in zip(of_members, row, strict=True))
        return levels

    incomplete = np.array(
        [coded.incomplete[each].any() and (joins_missing or v not in joint)
         for v, each in enumerate(places)]
    )  # fmt: skip
    return TableCodes(codes, n_levels, level_of, coded.cut_points, incomplete)


def _sortable(coded: TableCodes, j: int) -> list[tuple]:
    """Levels of a column, of which that of missing cells is above all others and equals itself."""
    levels: list[tuple] = [(False, level) for level in coded.level_of(j)]
    return [*levels[:-1], (True,)] if coded.incomplete[j] else levels


def join_sparse_groups(
    coded: CodedCells, variables: Variables, joins_missing: bool = False
) -> CodedCells:
    """The same of sparse columns; the combination that is most frequent is not stored."""
    if variables.members is None:
        return coded
    places, joint, incomplete = variables.kept_members, [], []
    for v, name in variables.group_names.items():
        codes = coded.spread(int(places[v][0])).astype(np.int64)
        for j in places[v][1:].tolist():
            codes = codes * int(coded.n_levels[j]) + coded.spread(j)
            codes = np.unique(codes, return_inverse=True)[1]
        gaps = _missing_in_any(coded, places[v]) if joins_missing else np.zeros(codes.size, bool)
        codes = np.unique(np.where(gaps, codes.max() + 1, codes), return_inverse=True)[1]
        _check_combinations(codes, name)
        incomplete.append(bool(gaps.any()))
        counts = np.bincount(codes)
        if gaps.any() and counts.size > 1:
            counts[-1] = 0  # that of missing cells stays the last
        most = int(np.argmax(counts))
        joint.append(np.where(codes == most, 0, np.where(codes == 0, most, codes)))
    order = np.array([each[0] for each in places])
    order[list(variables.group_names)] = coded.n_levels.size + np.arange(len(joint))
    return coded.with_columns(joint, incomplete).take(order)


def _missing_in_any(coded: CodedCells, columns: np.ndarray) -> np.ndarray:
    """Rows in which one of some columns is missing."""
    missing = np.zeros(coded.cells.n_rows, dtype=bool)
    for j in columns[coded.incomplete[columns]].tolist():
        missing |= coded.spread(j) == coded.n_levels[j] - 1
    return missing


def _check_combinations(codes: np.ndarray, name: str) -> None:
    """Raise an error if there are too many to be counted."""
    if codes.max(initial=0) >= MAX_LEVELS:
        raise ValueError(
            f"feature_groups: {name} has {int(codes.max()) + 1} combinations of values; at most "
            f"{MAX_LEVELS} can be counted. Make smaller groups."
        )


def _join(
    coded: TableCodes, columns: np.ndarray, joins_missing: bool
) -> tuple[np.ndarray, np.ndarray]:
    """The number of the combination in each row, and the codes of each combination, sorted."""
    joint = coded.codes[:, columns[0]].astype(np.int64)
    for j in columns[1:]:  # renumbered each time, so that numbers stay small, and in order
        joint = joint * int(coded.n_levels[j]) + coded.codes[:, j]
        joint = np.unique(joint, return_inverse=True)[1]
    if joins_missing:
        last = coded.n_levels[columns] - 1
        missing = (coded.incomplete[columns] & (coded.codes[:, columns] == last)).any(axis=1)
        joint = np.where(missing, joint.max() + 1, joint)
    _, first, joint = np.unique(joint, return_index=True, return_inverse=True)
    return joint, coded.codes[first][:, columns]
