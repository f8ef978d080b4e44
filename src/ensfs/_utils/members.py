"""Members of an ensemble: seeds, clones, and opinions in the ensemble's order of classes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin, clone
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.validation import check_is_fitted

from ensfs._utils.docs import COMMON_DOCS, with_docs


@with_docs(COMMON_DOCS)
class MostProbableMixin(ClassifierMixin):
    """A classifier that predicts the most probable class."""

    classes_: np.ndarray
    predict_proba: Callable[..., np.ndarray]

    def predict(self, X):
        """The most probable class; of equal ones the first in `classes_`.

        Parameters
        ----------
        {X}

        Returns
        -------
        ndarray of shape (n_samples,)
            Classes.
        """
        check_is_fitted(self)
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


def child_seeds(random_state: Any, n: int) -> list[np.random.SeedSequence]:
    """One independent seed for each member, the same for any number of jobs.

    Parameters
    ----------
    random_state : None, int, RandomState or Generator
        An int always gives the same seeds; a generator gives new ones at every call.
    n : int
        How many.

    Returns
    -------
    list of SeedSequence
    """
    if isinstance(random_state, np.random.Generator):
        random_state = int(random_state.integers(2**32))
    elif isinstance(random_state, np.random.RandomState):
        random_state = int(random_state.randint(2**32, dtype=np.uint32))
    return np.random.SeedSequence(random_state).spawn(n)


def make_generator(random_state: Any) -> np.random.Generator:
    """The generator of a random state; an int always gives the same, as ``default_rng`` does."""
    if isinstance(random_state, np.random.RandomState):
        random_state = int(random_state.randint(2**32, dtype=np.uint32))
    return np.random.default_rng(random_state)


def seeded_clone(estimator: Any, seed: np.random.SeedSequence) -> Any:
    """A clone (of a decision tree for None) whose random states come from the seed."""
    member = DecisionTreeClassifier() if estimator is None else clone(estimator)
    states = [
        name
        for name in sorted(member.get_params(deep=True))
        if name == "random_state" or name.endswith("__random_state")
    ]
    numbers = seed.generate_state(len(states)) >> 1  # some take no more than 31 bits
    return member.set_params(
        **{name: int(number) for name, number in zip(states, numbers, strict=True)}
    )


def aligned_proba(member: Any, X: Any, classes: np.ndarray) -> np.ndarray:
    """Probabilities of a member for all classes of the ensemble; 0 for those it never saw.

    Parameters
    ----------
    member : classifier
        Fitted, with ``predict_proba``.
    X : array-like
        The columns of the member.
    classes : ndarray
        Sorted classes of the ensemble, which contain those of the member.

    Returns
    -------
    ndarray of shape (n_samples, n_classes)
    """
    proba = member.predict_proba(X)
    if len(member.classes_) == len(classes):
        return np.asarray(proba)
    out = np.zeros((len(proba), len(classes)))
    out[:, np.searchsorted(classes, member.classes_)] = proba
    return out


def predicted_codes(member: Any, X: Any, classes: np.ndarray) -> np.ndarray:
    """Number of the class that a member predicts for each row, among the sorted `classes`."""
    return np.searchsorted(classes, member.predict(X))


def one_hot_votes(member: Any, X: Any, classes: np.ndarray) -> np.ndarray:
    """1 for the class that a member predicts, 0 for the others."""
    return np.eye(len(classes))[predicted_codes(member, X, classes)]
