"""Random trees of classes and the probabilities of their classes."""

from collections import Counter

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.naive_bayes import GaussianNB
from sklearn.utils.estimator_checks import check_sample_weight_equivalence_on_dense_data

from ensfs import NestedDichotomiesClassifier
from ensfs.codes.nested import random_tree, tree_probabilities
from ensfs.codes.strength import check_code


def sides_of(code):
    """The tree as a set of its splits."""
    return frozenset(
        frozenset([frozenset(np.nonzero(c == 1)[0]), frozenset(np.nonzero(c == -1)[0])])
        for c in code.T
    )


@pytest.mark.parametrize(("n", "count"), [(2, 1), (3, 3), (4, 15), (5, 105)])
def test_all_trees_are_equally_likely(n, count):
    rng = np.random.default_rng(0)
    draws = 60 * count
    found = Counter(sides_of(check_code(random_tree(n, rng), n)) for _ in range(draws))
    assert len(found) == count
    expected = draws / count
    chi2 = sum((k - expected) ** 2 / expected for k in found.values())
    assert chi2 < count + 5 * np.sqrt(2 * count)


def test_columns_are_nodes():
    code = random_tree(7, np.random.default_rng(1))
    assert code.shape == (7, 6)
    assert (code[:, 0] != 0).all()
    for column in code.T:
        assert column[np.nonzero(column)[0][0]] == 1


def test_worked_probabilities():
    code = np.array([[1, 1], [1, -1], [-1, 0]])  # ((0, 1), 2)
    p = tree_probabilities(np.array([[0.6, 0.25]]), code)
    np.testing.assert_allclose(p, [[0.15, 0.45, 0.4]])


def test_probabilities_are_means_over_trees():
    X, y = load_wine(return_X_y=True)
    model = NestedDichotomiesClassifier(GaussianNB(), 5, random_state=0).fit(X[::2], y[::2])
    expected = []
    for code in model.code_books_:
        p = np.ones((len(X), 3))
        for c in range(3):
            for j in np.nonzero(code[c])[0]:
                rows = code[y[::2], j] != 0
                node = GaussianNB().fit(X[::2][rows], code[y[::2], j][rows])
                p[:, c] *= node.predict_proba(X)[:, (code[c, j] + 1) // 2]
        expected.append(p)
    np.testing.assert_allclose(model.predict_proba(X), np.mean(expected, axis=0), atol=1e-12)
    np.testing.assert_array_equal(
        model.predict(X), model.classes_[model.predict_proba(X).argmax(axis=1)]
    )
    assert model.score(X[1::2], y[1::2]) > 0.9


def test_weights_and_jobs():
    estimator = NestedDichotomiesClassifier(GaussianNB(), 3, random_state=0)
    check_sample_weight_equivalence_on_dense_data("NestedDichotomiesClassifier", estimator)
    X, y = load_wine(return_X_y=True)
    one, two = (
        NestedDichotomiesClassifier(n_trees=4, random_state=1, n_jobs=n).fit(X, y) for n in (1, 2)
    )
    np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))


def test_members_need_probabilities():
    from sklearn.svm import LinearSVC

    with pytest.raises(ValueError, match="predict_proba"):
        NestedDichotomiesClassifier(LinearSVC()).fit(*load_wine(return_X_y=True))
