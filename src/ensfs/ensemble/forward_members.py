"""Members of a library added one by one."""

from __future__ import annotations

from numbers import Integral, Real

import numpy as np

from ensfs._utils.docs import with_docs
from ensfs._utils.members import child_seeds
from ensfs._utils.progress import counted
from ensfs._utils.sklearn import Interval, fit_context
from ensfs.ensemble._pruned import PRUNING_DOCS, PrunedEnsemble, divided_rows
from ensfs.ensemble._voting import vote_of


@with_docs(PRUNING_DOCS)
class ForwardSelectionClassifier(PrunedEnsemble):
    """Members of a library added one by one, each the one that helps the vote most.

    A member may be added again, which gives it more votes. Three guards keep it from fitting the
    validation rows: it starts from the best members, it can be done in several random halves of the
    library whose votes are added, and the shortest best ensemble on the way is taken.

    Parameters
    ----------
    {estimator, n_estimators}
    max_steps : int, default=100
        Members that are added at most, in each bag.
    n_init : int, default=1
        How many of the best members it starts from.
    n_bags : int, default=1
        1 searches the whole library; more search a random half of it each.
    validation : float, default=0.33
        Share of the rows that members are not fitted on, and that the vote is measured by.
    {random_state, n_jobs, verbose}

    Attributes
    ----------
    {estimators_, estimators_features_}
    estimator_weights_ : ndarray of int, shape (n_members,)
        How often each member was added, in all bags.
    accuracy_path_ : list of ndarray
        For each bag the accuracy on the validation rows, with the members to start from and after
        each step.
    n_steps_ : ndarray of int, shape (n_bags,)
        Members in the shortest best ensemble of each bag, with repetitions.
    {classes_, n_features_in_, feature_names_in_}

    See Also
    --------
    FitSelectClassifier : Orders the members once, by accuracy and diversity.

    Notes
    -----
    Sample weights are not taken: the validation rows are drawn.

    References
    ----------
    R. Caruana, A. Niculescu-Mizil, G. Crew and A. Ksikes (2004), Ensemble selection from libraries
    of models, International Conference on Machine Learning.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from ensfs import ForwardSelectionClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = ForwardSelectionClassifier(n_estimators=100, random_state=0).fit(X[::2], y[::2])
    >>> len(model.estimators_) < 100, model.score(X[1::2], y[1::2]) > 0.9
    (True, True)
    """

    _parameter_constraints: dict = {
        **PrunedEnsemble._parameter_constraints,
        "max_steps": [Interval(Integral, 0, None, closed="left")],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "n_bags": [Interval(Integral, 1, None, closed="left")],
        "validation": [Interval(Real, 0, 1, closed="neither")],
    }

    def __init__(
        self,
        estimator=None,
        n_estimators=500,
        *,
        max_steps=100,
        n_init=1,
        n_bags=1,
        validation=0.33,
        random_state=None,
        n_jobs=None,
        verbose=0,
    ):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.max_steps = max_steps
        self.n_init = n_init
        self.n_bags = n_bags
        self.validation = validation
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y=None):
        """Fit the library and add members.

        Parameters
        ----------
        {X}
        y : array-like of shape (n_samples,)
            Classes.

        Returns
        -------
        self : ForwardSelectionClassifier
            The fitted ensemble.
        """
        values, codes = self._read_all(X, y)
        of_rows, of_members, of_bags = child_seeds(self.random_state, 3)
        seed = int(of_rows.generate_state(1)[0] >> 1)
        train, test = divided_rows(codes, self.validation, seed)
        library = self._library(values, codes, train, of_members)
        votes = np.array([vote_of(*member, values[test]) for member in library])
        rng = np.random.default_rng(of_bags)
        added = np.zeros(len(library), dtype=np.int64)
        self.accuracy_path_, steps = [], []
        for _ in counted("searching bags", self.n_bags, range(self.n_bags)):
            bag = np.arange(len(library))
            if self.n_bags > 1:
                bag = np.sort(rng.permutation(len(library))[: -(-len(library) // 2)])
            members, right = add_members(
                votes[bag], codes[test], self.classes_.size, self.n_init, self.max_steps
            )
            n = int(np.argmax(right)) + 1  # of equally good ensembles the first
            n_members = len(members) - len(right) + n
            added += np.bincount(bag[members[:n_members]], minlength=len(library))
            self.accuracy_path_.append(right / test.size)
            steps.append(n_members)
        kept = np.nonzero(added)[0]
        self.estimator_weights_ = added[kept]
        self.n_steps_ = np.array(steps)
        self._keep([library[m] for m in kept])
        return self


def add_members(
    votes: np.ndarray, truth: np.ndarray, n_classes: int, n_init: int, max_steps: int
) -> tuple[np.ndarray, np.ndarray]:
    """Members in the order in which they are added, and rows that are right after each step.

    Parameters
    ----------
    votes : ndarray of int, shape (n_members, n_rows)
        Number of the class that each member names.
    truth : ndarray of int, shape (n_rows,)
        Number of the true class.
    n_classes : int
        Number of classes.
    n_init, max_steps : int
        How many of the best members to start from, and how many to add.

    Returns
    -------
    members : ndarray of shape (n_init + max_steps,)
        Ties go to the lower member.
    right : ndarray of shape (1 + max_steps,)
        With the members to start from, and after each that was added.
    """
    members = np.argsort(-(votes == truth).sum(axis=1), kind="stable")[:n_init].tolist()
    rows = np.arange(truth.size)
    counts = np.zeros((truth.size, n_classes), dtype=np.int64)
    for member in members:
        counts[rows, votes[member]] += 1
    right = [int((counts.argmax(axis=1) == truth).sum())]
    for _ in range(max_steps):
        right_if = np.stack(
            [(_plus_one(counts, c).argmax(axis=1) == truth) for c in range(n_classes)], axis=1
        )
        n_right = right_if[rows, votes].sum(axis=1)
        best = int(n_right.argmax())
        members.append(best)
        right.append(int(n_right[best]))
        counts[rows, votes[best]] += 1
    return np.array(members), np.array(right)


def _plus_one(counts: np.ndarray, c: int) -> np.ndarray:
    """Counts with one more vote for a class in every row."""
    more = counts.copy()
    more[:, c] += 1
    return more
