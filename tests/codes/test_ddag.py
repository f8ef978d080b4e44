"""Directed graphs of pairs against the list that they walk."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_digits, load_wine
from sklearn.naive_bayes import GaussianNB

from ensfs import DDAGClassifier, FisherSubspace, KernelTIPCACClassifier
from ensfs._utils.pairs import eliminate


def slow_list(beats, order):
    """First against last until one is left; gives the number of tests too."""
    left, tests = list(order), 0
    while len(left) > 1:
        loser = left[-1] if beats(left[0], left[-1]) else left[0]
        left.remove(loser)
        tests += 1
    return left[0], tests


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(2, 7))
def test_elimination(seed, n):
    rng = np.random.default_rng(seed)
    lower_wins = rng.random((9, n, n)) < 0.5
    order = rng.permutation(n)
    found, tests = eliminate(lambda a, b, rows: ~lower_wins[rows, a, b], order, 9)
    for row in range(9):

        def beats(a, b, row=row):
            return lower_wins[row, a, b] if a < b else not lower_wins[row, b, a]

        assert (found[row], tests[row]) == slow_list(beats, order)
        assert tests[row] == n - 1


def test_four_classes_take_three_tests():
    _, tests = eliminate(lambda a, b, rows: rows % 2 == 0, np.arange(4), 10)
    assert tests.tolist() == [3] * 10


@pytest.mark.parametrize("fisher", [True, False])
def test_pairs(fisher):
    X, y = load_wine(return_X_y=True)
    names = np.array(["b", "c", "a"])[y]
    model = DDAGClassifier(GaussianNB(), fisher=fisher).fit(X[::2], names[::2])
    assert model.classes_.tolist() == model.order_.tolist() == ["a", "b", "c"]
    Z = FisherSubspace().fit(X[::2], names[::2]).transform(X) if fisher else X
    members = {}
    for pair in ("ab", "ac", "bc"):
        rows = np.isin(names[::2], list(pair))
        members[pair] = GaussianNB().fit(Z[::2][rows], names[::2][rows])
    wins = {pair: member.predict(Z) for pair, member in members.items()}
    expected = []
    for i in range(len(X)):

        def beats(a, b, i=i):
            return wins[min(a, b) + max(a, b)][i] == a

        expected.append(slow_list(beats, "abc")[0])
    np.testing.assert_array_equal(model.predict(X), expected)
    assert (model._eliminated(X)[1] == model.n_tests_).all()
    assert model.score(X[1::2], names[1::2]) > 0.9


def test_default_and_order():
    X, y = load_digits(return_X_y=True)
    model = DDAGClassifier(order=[9, 8, 7, 6, 5, 4, 3, 2, 1, 0]).fit(X[::3], y[::3])
    assert isinstance(model.estimators_[0], KernelTIPCACClassifier)
    assert model.order_.tolist() == list(range(10))[::-1]
    assert model.score(X[1::3], y[1::3]) > 0.85
    assert (model._eliminated(X[:50])[1] == 9).all()


@pytest.mark.parametrize("order", [[0, 1], [0, 1, 1], [0, 1, 3]])
def test_bad_orders(order):
    with pytest.raises(ValueError, match="order must hold each of the classes"):
        DDAGClassifier(order=order).fit(*load_wine(return_X_y=True))
