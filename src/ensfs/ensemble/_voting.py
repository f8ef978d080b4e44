"""What ensembles share whose members vote: opinions by votes, shares as probabilities, stages."""

from __future__ import annotations

from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from ensfs._utils.combine import prefix_means, vote_shares
from ensfs._utils.docs import COMMON_DOCS, with_docs
from ensfs.ensemble._reading import TableEnsemble


@with_docs(COMMON_DOCS)
class VotingEnsemble(ClassifierMixin, TableEnsemble):
    """Members that vote.

    Subclasses set `estimators_`, `estimators_features_` (None is all columns), `_member_classes`
    (the number of the class that each number a member predicts stands for; None: it predicts
    numbers of classes) and, if members do not all weigh alike, `estimator_weights_`.
    """

    def _member_votes(self, values: np.ndarray) -> np.ndarray:
        """Number of the class that each member names for each row."""
        votes = Parallel(n_jobs=self.n_jobs, prefer="threads")(
            delayed(vote_of)(member, columns, classes, values)
            for member, columns, classes in zip(
                self.estimators_, self.estimators_features_, self._member_classes, strict=True
            )
        )
        return np.array(votes)

    def _votes(self, X: Any) -> np.ndarray:
        check_is_fitted(self, "estimators_")
        return self._member_votes(self._read(X, reset=False)[1])

    def _vote_weights(self) -> np.ndarray:
        return np.asarray(getattr(self, "estimator_weights_", np.ones(len(self.estimators_))))

    def predict_proba(self, X):
        """Share of the members that vote for each class.

        Parameters
        ----------
        {X}

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            In the order of `classes_`.
        """
        votes = self._votes(X)
        return vote_shares(votes, self.classes_.size, self._vote_weights())

    def predict(self, X):
        """The class with most votes; of equal ones the first in `classes_`.

        Parameters
        ----------
        {X}

        Returns
        -------
        ndarray of shape (n_samples,)
            Classes.
        """
        check_is_fitted(self, "estimators_")
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def staged_predict_proba(self, X):
        """Shares of the votes of the first member, of the first two, and so on.

        Parameters
        ----------
        {X}

        Yields
        ------
        ndarray of shape (n_samples, n_classes)
            The last is that of `predict_proba`.
        """
        votes = self._votes(X)
        one_hot = np.eye(self.classes_.size)
        yield from prefix_means((one_hot[each] for each in votes), self._vote_weights())

    def staged_predict(self, X):
        """Classes by the vote of the first member, of the first two, and so on.

        Parameters
        ----------
        {X}

        Yields
        ------
        ndarray of shape (n_samples,)
            The last is that of `predict`.
        """
        for shares in self.staged_predict_proba(X):
            yield self.classes_[shares.argmax(axis=1)]


def vote_of(member: Any, columns: Any, classes: np.ndarray | None, X: np.ndarray) -> np.ndarray:
    """Number of the class that a member names for each row."""
    predicted = member.predict(X if columns is None else X[:, columns]).astype(np.intp)
    return predicted if classes is None else classes[predicted]
