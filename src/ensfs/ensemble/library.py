"""Members of any fitted ensemble, and what each of them says in the classes of the ensemble."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from ensfs._utils.members import aligned_proba
from ensfs.data.frames import take
from ensfs.data.values import as_array


def members_of(ensemble: Any) -> tuple[list[Any], list[Any]]:
    """The members of a fitted ensemble, and the columns of each (None is all).

    Parameters
    ----------
    ensemble : estimator
        With `estimators_` and, if the members do not see all columns, `estimators_features_`.
    """
    check_is_fitted(ensemble)
    members: Any = getattr(ensemble, "estimators_", None)
    # np.ndim would look into members that are sequences themselves, as pipelines are
    listed = isinstance(members, list | tuple | np.ndarray)
    if not listed or not all(hasattr(member, "predict") for member in members):
        raise ValueError(
            f"{type(ensemble).__name__} has no list of members that predict (estimators_)."
        )
    if not len(members):
        raise ValueError(
            f"{type(ensemble).__name__} was fitted without members (estimators_ is empty), so "
            "there is nothing to show."
        )
    return list(members), list(getattr(ensemble, "estimators_features_", [None] * len(members)))


def member_predictions(ensemble: Any, X: Any) -> np.ndarray:
    """What each member of a fitted ensemble predicts, in the classes of the ensemble."""
    members, features = members_of(ensemble)
    predictions = np.array(
        [
            member.predict(_table_for(member, X, columns))
            for member, columns in zip(members, features, strict=True)
        ]
    )
    classes = getattr(ensemble, "classes_", None)
    if classes is None or not is_classifier(ensemble):
        return predictions
    _refuse_one_against_rest(ensemble, members, classes)
    return classes[predictions.astype(np.int64)] if are_numbered(members, classes) else predictions


def member_probabilities(ensemble: Any, X: Any) -> Iterator[np.ndarray]:
    """What each member of a fitted classifier says of every class, in the ensemble's order."""
    members, features = members_of(ensemble)
    classes = ensemble.classes_
    _refuse_one_against_rest(ensemble, members, classes)
    seen = np.arange(len(classes)) if are_numbered(members, classes) else classes
    for member, columns in zip(members, features, strict=True):
        yield aligned_proba(member, _table_for(member, X, columns), seen)


def are_numbered(members: list[Any], classes: np.ndarray) -> bool:
    """Whether members name the numbers of the classes, not the classes.

    scikit-learn's bagging, forests and voting fit their members on numbers of classes.
    """
    seen = np.unique(np.concatenate([np.asarray(member.classes_) for member in members]))
    return not np.array_equal(seen, classes) and bool(np.isin(seen, np.arange(len(classes))).all())


def _refuse_one_against_rest(ensemble: Any, members: list[Any], classes: np.ndarray) -> None:
    if len(members) == len(classes) > 2 and all(
        np.array_equal(getattr(member, "classes_", []), [0, 1]) for member in members
    ):
        raise ValueError(
            f"The members of {type(ensemble).__name__} tell one class from the others, so what "
            "they predict cannot be compared with the classes."
        )


def _table_for(member: Any, X: Any, columns: Any) -> Any:
    """The columns of a member; as an array if it knows no names."""
    table = X if columns is None else take(X, columns=np.asarray(columns))
    return table if hasattr(member, "feature_names_in_") else as_array(table)
