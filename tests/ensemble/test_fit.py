"""Tasks to members: what each member sees."""

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.base import BaseEstimator
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler

from ensfs._utils.members import child_seeds
from ensfs.ensemble._fit import Task, fit_members
from ensfs.ensemble._reading import read_weights


class Remembers(BaseEstimator):
    """Keeps what it was fitted on."""

    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None):
        self.seen_ = X, y, sample_weight
        return self


X = np.arange(20.0).reshape(5, 4)
Y = np.array([0, 1, 0, 1, 1])


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_members_see_their_tasks(n_jobs):
    one, two, three = child_seeds(0, 3)
    rows, columns, weight = np.array([4, 0, 0]), np.array([3, 1]), np.arange(5.0)
    tasks = [
        Task(one),
        Task(two, rows=rows, columns=columns),
        Task(three, rows=rows, target=-Y, weight=weight, transformer=StandardScaler().fit(X)),
    ]
    with parallel_config("threading"):  # other processes cannot import this file
        members = fit_members(Remembers(), tasks, X, Y, sample_weight=np.ones(5), n_jobs=n_jobs)
    expected = [
        (X, Y, np.ones(5)),
        (X[rows][:, columns], Y[rows], np.ones(3)),
        (tasks[2].transformer.transform(X[rows]), -Y[rows], weight[rows]),
    ]
    assert len({m.random_state for m in [*members[:2], members[2][-1]]}) == 3
    for member, seen in zip([*members[:2], members[2][-1]], expected, strict=True):
        for got, wanted in zip(member.seen_, seen, strict=True):
            np.testing.assert_array_equal(got, wanted)


def test_without_weights_members_get_none():
    (member,) = fit_members(Remembers(), [Task(child_seeds(0, 1)[0])], X, Y)
    assert member.seen_[2] is None


def test_members_that_take_no_weights_are_named():
    tasks = [Task(child_seeds(0, 1)[0], weight=np.ones(5))]
    for options in (
        {"tasks": tasks},
        {"tasks": [Task(tasks[0].seed)], "sample_weight": np.ones(5)},
    ):
        with pytest.raises(ValueError, match=r"sample_weight must be None .* KNeighborsClassifier"):
            fit_members(KNeighborsClassifier(), X=X, y=Y, **options)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, 2], "each of the 3 rows; got shape"),
        (np.ones((3, 1)), "each of the 3 rows; got shape"),
        ([1, -1, 1], "not negative"),
        ([1, np.nan, 1], "finite"),
        ([0, 0, 0], "not be zero for all rows"),
        (["a", "b", "c"], "hold numbers"),
    ],
)
def test_bad_weights(weights, message):
    with pytest.raises(ValueError, match=f"sample_weight must .*{message}"):
        read_weights(weights, 3)
