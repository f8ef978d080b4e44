"""What pruned ensembles share: the library that members come from, and what is kept."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

from ensfs._utils.docs import COMMON_DOCS, read_descriptions
from ensfs._utils.members import seeded_clone
from ensfs._utils.sklearn import HasMethods, Interval
from ensfs._utils.tags import input_tags
from ensfs.ensemble._fit import Task, fit_members
from ensfs.ensemble._voting import VotingEnsemble
from ensfs.ensemble.library import are_numbered, members_of

#: Parameters and attributes of both.
PRUNING_DOCS = COMMON_DOCS | read_descriptions("""
estimator : ensemble or list of classifiers, optional
    Where members come from: an ensemble that has `estimators_` when it is fitted, or classifiers.
    None is a random forest of `n_estimators` trees.
n_estimators : int, default=500
    Trees of the random forest; without a meaning for an ensemble that is given.
random_state : int, RandomState instance or Generator, optional
    Divides the rows, and seeds the members.
n_jobs : int, optional
    Members that are fitted at a time, and threads; None is one, -1 all cores. The result does not
    depend on it.
estimators_ : list of classifiers
    The members that were kept.
estimators_features_ : list of ndarray or None
    The columns of each member; None is all.
""")


class PrunedEnsemble(VotingEnsemble):
    """Members of a library that are worth having."""

    _parameter_constraints: dict = {
        "estimator": [HasMethods(["fit", "predict"]), list, None],
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state", np.random.Generator],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
    }

    def _read_all(self, X: Any, y: Any) -> tuple[np.ndarray, np.ndarray]:
        """Values for members, and numbers of classes."""
        _, values = self._read(X, reset=True)
        self.classes_, codes = np.unique(self._read_labels(y, len(values)), return_inverse=True)
        if self.classes_.size == 1:
            raise ValueError(
                f"{type(self).__name__} needs at least 2 classes; got 1 class, "
                f"{self.classes_[0]!r}."
            )
        return values, codes

    def _library(
        self, values: np.ndarray, codes: np.ndarray, rows: np.ndarray, seed: Any
    ) -> list[tuple[Any, Any, Any]]:
        """Members fitted on some rows: each with its columns and what its predictions stand for."""
        if isinstance(self.estimator, list):
            if not self.estimator:
                raise ValueError("estimator must hold at least one classifier; got an empty list.")
            seeds = seed.spawn(len(self.estimator))
            fitted = [
                fit_members(each, [Task(own, rows=rows)], values, codes)[0]
                for each, own in zip(self.estimator, seeds, strict=True)
            ]
            return [(member, None, None) for member in fitted]
        ensemble = self.estimator
        if ensemble is None:
            ensemble = RandomForestClassifier(self.n_estimators, n_jobs=self.n_jobs)
        ensemble = seeded_clone(ensemble, seed).fit(values[rows], codes[rows])
        members, features = members_of(ensemble)
        seen = np.asarray(ensemble.classes_)
        numbered = seen.astype(np.intp) if are_numbered(members, seen) else None
        return [(m, columns, numbered) for m, columns in zip(members, features, strict=True)]

    def _keep(self, kept: list[tuple[Any, Any, Any]]) -> None:
        self.estimators_ = [member for member, _, _ in kept]
        self.estimators_features_ = [columns for _, columns, _ in kept]
        self._member_classes = [classes for _, _, classes in kept]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        given = self.estimator if isinstance(self.estimator, list) else [self.estimator]
        members = [RandomForestClassifier() if each is None else each for each in given]
        inputs = [input_tags(each) for each in members]
        tags.input_tags.allow_nan = all(each.allow_nan for each in inputs)
        tags.input_tags.string = all(each.string for each in inputs)
        tags.input_tags.categorical = all(each.categorical for each in inputs)
        return tags


def divided_rows(codes: np.ndarray, share: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows to train on and a share of others, with the shares of the classes where possible."""
    counts = np.bincount(codes)
    n_test = max(1, min(codes.size - 1, round(share * codes.size)))
    possible = counts.min() >= 2 and min(n_test, codes.size - n_test) >= counts.size
    train, test = train_test_split(
        np.arange(codes.size), test_size=n_test, random_state=seed,
        stratify=codes if possible else None,
    )  # fmt: skip
    return np.sort(train), np.sort(test)
