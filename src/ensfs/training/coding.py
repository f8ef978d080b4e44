"""How discretizers code the continuous columns of a table."""

from __future__ import annotations

import warnings
from fractions import Fraction
from typing import Any

import numpy as np
import scipy.sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from ensfs._utils.sklearn import check_parameters
from ensfs.data.codes import Discretize
from ensfs.data.table import Table
from ensfs.data.target import Target
from ensfs.discretize import DISCRETIZERS
from ensfs.discretize.cuts import code_by_cuts
from ensfs.training.classes import Outputs, outputs_of
from ensfs.training.weighted_fit import weights_for

#: Discretizers that take arrays that have been checked. Subclasses may have rules of their own.
_OWN = {type(discretizer) for discretizer in DISCRETIZERS.values()}


def coding_by(
    discretizer: Any, target: Target | Outputs | None, table: Table,
    weight: np.ndarray | None = None,
) -> Discretize:  # fmt: skip
    """A function that codes the continuous columns of a table.

    Parameters
    ----------
    discretizer : str or transformer
        A name in `DISCRETIZERS`, or a transformer that gives a whole number for each value. One
        that is fitted is used as it is, on the columns that it was fitted on: by their names where
        it and the table have names, else all columns of the table or the continuous ones.
    target : Target or None
        The target, for a discretizer that is not fitted.
    table : Table
        The table.
    weight : ndarray of shape (n_rows,), optional
        How often each row is there, for a discretizer that is not fitted.

    Returns
    -------
    callable
        As `Table.codes` takes it.
    """
    if isinstance(discretizer, str):
        discretizer = DISCRETIZERS[discretizer]
    elif isinstance(discretizer, FrozenEstimator):
        discretizer = discretizer.estimator

    def code(values: np.ndarray, columns: np.ndarray) -> tuple[np.ndarray, list[np.ndarray]]:
        if is_fitted(discretizer):
            return _code_by_fitted(discretizer, table, values, columns)
        assert target is not None
        if is_own(discretizer) and _can_use(discretizer, target):
            check_parameters(discretizer)
            return _fit_and_code(discretizer, table, values, columns, target, weight)
        each = [one.codes if one.kind == "classes" else one.values for one in outputs_of(target)]
        y = np.column_stack(each) if len(each) > 1 else each[0]
        fitted = clone(discretizer).fit(values, y, **weights_for(discretizer, weight))
        codes = _whole_numbers(discretizer, fitted.transform(values), values.shape)
        return codes, _cuts_of(fitted, np.arange(columns.size))

    return code


def _fit_and_code(
    discretizer: Any,
    table: Table,
    values: np.ndarray,
    columns: np.ndarray,
    target: Target | Outputs,
    weight: np.ndarray | None,
) -> tuple[np.ndarray, list[np.ndarray]]:
    """Codes and cut points by a discretizer of the package, with all digits of large integers."""
    if not table.integer_centres:
        return cut_by_outputs(discretizer, values, target, weight)
    codes, cuts = cut_by_outputs(discretizer, table.centre(values, columns), target, weight)
    for place, j in enumerate(columns.tolist()):
        if j in table.integer_centres:
            origin = table.integer_centres[j]
            cuts[place] = np.array([float(origin + Fraction(cut)) for cut in cuts[place]])
    return codes, cuts


def cut_by_outputs(
    discretizer: Any, values: np.ndarray, target: Target | Outputs, weight: np.ndarray | None
) -> tuple[np.ndarray, list[np.ndarray]]:
    """Codes and cut points; those of several outputs are united if the target makes them."""
    first, *others = outputs_of(target)
    codes, cuts = discretizer.fit_and_code(values, first, weight)
    if not others or not uses_classes(discretizer):
        return codes, cuts
    each = [cuts, *(discretizer.fit_and_code(values, output, weight)[1] for output in others)]
    united = [np.unique(np.concatenate(of_column)) for of_column in zip(*each, strict=True)]
    return code_by_cuts(values, united, n_jobs=discretizer.n_jobs), united


def is_own(discretizer: Any) -> bool:
    """Whether a discretizer is one of the package, which takes what has been checked."""
    return type(discretizer) in _OWN


def is_fitted(discretizer: Any) -> bool:
    """Whether a discretizer has learned its cut points."""
    try:
        check_is_fitted(discretizer)
    except NotFittedError:
        return False
    return True


def uses_classes(discretizer: Any) -> bool:
    """Whether a discretizer chooses its cuts by the target."""
    if isinstance(discretizer, str):
        discretizer = DISCRETIZERS[discretizer]
    return bool(get_tags(discretizer).target_tags.required)


def _can_use(discretizer: Any, target: Target | Outputs) -> bool:
    """Whether a discretizer has the classes that it needs; its `fit` raises the error otherwise."""
    return target.kind == "classes" or not get_tags(discretizer).target_tags.required


def _code_by_fitted(
    discretizer: Any, table: Table, values: np.ndarray, columns: np.ndarray
) -> tuple[np.ndarray, list[np.ndarray]]:
    """Codes and cut points of the continuous columns, by what a discretizer has learned before."""
    fitted_on = _columns_of_fit(discretizer, table, columns)
    position = {int(j): place for place, j in enumerate(fitted_on)}
    places = np.array([position[int(j)] for j in columns])
    if is_own(discretizer):
        return discretizer.code_columns(values, places), _cuts_of(discretizer, places)
    if not np.array_equal(fitted_on, columns):
        values = table.float_columns(
            fitted_on, "Fit the discretizer on the continuous columns alone, encode it"
        )
    with warnings.catch_warnings():  # one that was fitted on a data frame misses the names
        warnings.filterwarnings("ignore", message="X does not have valid feature names")
        transformed = discretizer.transform(values)
    codes = _whole_numbers(discretizer, transformed, values.shape)
    return codes[:, places], _cuts_of(discretizer, places)


def _columns_of_fit(discretizer: Any, table: Table, columns: np.ndarray) -> np.ndarray:
    """Positions in the table of the columns that a discretizer was fitted on."""
    names = getattr(discretizer, "feature_names_in_", None)
    if names is not None and table.names is not None:
        fitted_on = np.nonzero(np.isin(table.names, names))[0]
        absent = columns[~np.isin(columns, fitted_on)]
        if absent.size:
            raise ValueError(
                f"The discretizer was not fitted on {table.label(int(absent[0]))}, which is "
                "continuous. Fit it on all continuous columns of X."
            )
        place = {name: i for i, name in enumerate(names)}
        return fitted_on[np.argsort([place[name] for name in table.names[fitted_on]])]
    n_fitted = getattr(discretizer, "n_features_in_", columns.size)
    if n_fitted == columns.size:
        return columns
    if n_fitted == table.n_features:
        return np.arange(n_fitted)
    if n_fitted == table.variables.n_columns and type(discretizer) in _OWN:  # some are excluded
        fitted_on = np.full(n_fitted, -1)
        fitted_on[table.variables.kept] = np.arange(table.n_features)
        return fitted_on
    raise ValueError(
        f"The discretizer was fitted on {n_fitted} column(s), but X has {table.n_features}, of "
        f"which {columns.size} are continuous. Fit it on X or on its continuous columns."
    )


def _cuts_of(discretizer: Any, places: np.ndarray) -> list[np.ndarray]:
    """Cut points at some places; empty arrays for a transformer that does not tell its own."""
    cuts = getattr(discretizer, "cut_points_", None)
    return [np.empty(0) if cuts is None else cuts[j] for j in places]


def _whole_numbers(discretizer: Any, transformed: Any, shape: tuple[int, ...]) -> np.ndarray:
    """The output of a transformer as codes, or an error with the reason why it has none."""
    codes = None if scipy.sparse.issparse(transformed) else np.asarray(transformed)
    if codes is not None and codes.shape == shape and codes.dtype.kind in "biuf":
        if codes.dtype.kind != "f":
            return codes
        if (codes == np.rint(codes)).all():  # some transformers give whole numbers as floats
            return codes.astype(np.int64)
    raise ValueError(
        f"discretizer={discretizer!r} does not give one whole number for each value, so it cannot "
        "be used as a discretizer. Use one of ensfs.discretize, or for example "
        "KBinsDiscretizer(encode='ordinal')."
    )
