"""Reduced-error pruning, against a recursion on lists of rows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine
from sklearn.tree import DecisionTreeRegressor

from ensfs import (
    RandomOracleRegressor,
    ReducedErrorTreeClassifier,
    ReducedErrorTreeRegressor,
)
from ensfs.datasets import make_norms


def prune_slow(tree, node, rows, X, cost):
    """Error of the pruned subtree, and the nodes in it that become leaves."""
    own = sum(cost(node, i) for i in rows)
    if tree.children_left[node] < 0:
        return own, set()
    goes_left = [i for i in rows if X[i, tree.feature[node]] <= tree.threshold[node]]
    goes_right = [i for i in rows if i not in goes_left]
    left, first = prune_slow(tree, tree.children_left[node], goes_left, X, cost)
    right, second = prune_slow(tree, tree.children_right[node], goes_right, X, cost)
    if own <= left + right + 1e-9:
        return own, first | second | {node}
    return left + right, first | second


def leaves_slow(tree, node, collapsed):
    if tree.children_left[node] < 0 or node in collapsed:
        return 1
    children = tree.children_left[node], tree.children_right[node]
    return sum(leaves_slow(tree, child, collapsed) for child in children)


def grown_by(model, X, y):
    """Rows that grew the tree, found by the seed: the ones that the grower was fitted on."""
    from ensfs._utils.members import child_seeds

    rng = np.random.default_rng(child_seeds(model.random_state, 2)[0])
    return ~model._pruning_rows(X, y, rng)


@settings(max_examples=30)
@given(st.integers(0, 2**32 - 1), st.integers(4, 40), st.booleans())
def test_regression(seed, n, backfit):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 9, size=(n, 3)).astype(np.float32).astype(float)
    y = X[:, 0] + rng.integers(0, 5, size=n)
    model = ReducedErrorTreeRegressor(backfit=backfit, random_state=0).fit(X, y)
    grows = grown_by(model, X, y)
    tree = model.tree_
    _, collapsed = prune_slow(
        tree, 0, np.nonzero(~grows)[0].tolist(), X, lambda v, i: (y[i] - tree.value[v, 0, 0]) ** 2
    )
    assert set(np.nonzero(model.collapsed_)[0].tolist()) == collapsed
    ends = {}
    for i in range(n):
        node = 0
        while tree.children_left[node] >= 0 and node not in collapsed:
            left = X[i, tree.feature[node]] <= tree.threshold[node]
            node = tree.children_left[node] if left else tree.children_right[node]
        ends.setdefault(node, []).append(i)
    predicted = model.predict(X)
    assert model.n_leaves_ == leaves_slow(tree, 0, collapsed)
    for rows in ends.values():
        used = [i for i in rows if backfit or grows[i]]
        np.testing.assert_allclose(predicted[rows], np.mean(y[used]))


@settings(max_examples=30)
@given(st.integers(0, 2**32 - 1), st.integers(4, 40))
def test_classes(seed, n):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 9, size=(n, 3)).astype(float)
    y = (X[:, 0] + rng.integers(0, 6, size=n)).astype(int) // 4
    model = ReducedErrorTreeClassifier(random_state=0).fit(X, y)
    codes = np.searchsorted(model.classes_, y).astype(float)
    grows = grown_by(model, X, codes)
    tree, seen = model.tree_, np.unique(codes[grows])
    usual = seen[tree.value[:, 0, :].argmax(axis=1)]
    _, collapsed = prune_slow(
        tree, 0, np.nonzero(~grows)[0].tolist(), X, lambda v, i: int(codes[i] != usual[v])
    )
    assert set(np.nonzero(model.collapsed_)[0].tolist()) == collapsed
    assert model.n_leaves_ == leaves_slow(tree, 0, collapsed)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)


def test_pruned_trees_are_smaller_and_better_on_noise():
    X, y = make_norms(300, random_state=0)
    lots = np.random.default_rng(0).permutation(y)
    pruned = ReducedErrorTreeClassifier(random_state=0).fit(X, lots)
    assert pruned.n_leaves_ < 0.8 * pruned.tree_.n_leaves
    X, y = load_diabetes(return_X_y=True)
    pruned = ReducedErrorTreeRegressor(random_state=0).fit(X[::2], y[::2])
    full = DecisionTreeRegressor(random_state=0).fit(X[::2], y[::2])
    assert pruned.score(X[1::2], y[1::2]) > full.score(X[1::2], y[1::2]) + 0.2


def test_weights_are_repeated_rows():
    X, y = load_wine(return_X_y=True)
    weights = np.random.default_rng(0).integers(0, 3, size=len(y))
    rows = np.repeat(np.arange(len(y)), weights)
    model = ReducedErrorTreeClassifier(random_state=0)
    expected = model.fit(X[rows], y[rows]).predict_proba(X)
    np.testing.assert_allclose(model.fit(X, y, sample_weight=weights).predict_proba(X), expected)


def test_missing_values():
    X, y = load_breast_cancer(return_X_y=True)
    X[::5, ::3] = np.nan
    model = ReducedErrorTreeClassifier(random_state=0).fit(X[::2], y[::2])
    assert model.score(X[1::2], y[1::2]) > 0.85


def test_depth_and_leaves():
    X, y = load_diabetes(return_X_y=True)
    model = ReducedErrorTreeRegressor(max_depth=2, random_state=0).fit(X, y)
    assert model.tree_.max_depth == 2
    model = ReducedErrorTreeRegressor(min_samples_leaf=50, random_state=0).fit(X, y)
    assert model.tree_.n_node_samples.min() >= 50
    with pytest.raises(ValueError, match="prune_size"):
        ReducedErrorTreeRegressor(prune_size=1.0).fit(X, y)


def test_one_row():
    """Oracles make parts of one row."""
    assert ReducedErrorTreeRegressor().fit([[1.0, 2.0]], [3.0]).predict([[5.0, 6.0]]) == [3.0]
    X, y = load_diabetes(return_X_y=True)
    oracle = RandomOracleRegressor(ReducedErrorTreeRegressor(), n_prototypes=30, random_state=0)
    fitted = oracle.fit(X[:40], y[:40])
    assert fitted.n_rows_.min() == 1
    assert np.isfinite(fitted.predict(X)).all()
