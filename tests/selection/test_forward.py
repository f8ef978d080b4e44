"""Forward selection against its definition by orthogonal projections."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.feature_selection import f_classif

from ensfs import FastEnsemble, ForwardSelection, InnerEnsemble, RowBlocks


def share_explained(X, outputs):
    """Sum of the squared canonical correlations, by QR: the cosines between two spaces."""
    rank = np.linalg.matrix_rank(X) if X.size else 0
    if rank == 0:
        return 0.0
    Q = np.linalg.svd(X, full_matrices=False)[0][:, :rank]
    Y = np.linalg.svd(outputs, full_matrices=False)[0][:, : np.linalg.matrix_rank(outputs)]
    return float(np.sum((Q.T @ Y) ** 2))


def outputs_slow(y, classes):
    outputs = np.eye(y.max() + 1)[y] if classes else y[:, None].astype(float)
    return outputs - outputs.mean(0)


def forward_slow(X, y, classes, k, tolerance=0.01):
    """Every step tries every column and takes the one with the largest gain."""
    Z, outputs = X - X.mean(0), outputs_slow(y, classes)
    selected, gains = [], []
    while len(selected) < k:
        before = share_explained(Z[:, selected], outputs)
        best, gain = None, 1e-12
        for f in range(X.shape[1]):
            if f in selected or left_over(Z, selected, f) <= tolerance:
                continue
            added = share_explained(Z[:, [*selected, f]], outputs) - before
            if added > gain + 1e-10:
                best, gain = f, added
        if best is None:
            break
        selected.append(best)
        gains.append(gain)
    return selected, gains


def left_over(Z, selected, f):
    """Share of a column that a regression on the selected ones does not explain."""
    total = np.sum(Z[:, f] ** 2)
    if total == 0:
        return 0.0
    if not selected:
        return 1.0
    fit = Z[:, selected] @ np.linalg.lstsq(Z[:, selected], Z[:, f], rcond=None)[0]
    return np.sum((Z[:, f] - fit) ** 2) / total


def table(seed, n, p, classes):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) + 5 * rng.normal(size=p)
    X[:, -1] = X[:, 0] - 2 * X[:, 1]  # two columns explain it
    signal = X[:, 0] - X[:, 2] + rng.normal(size=n)
    if not classes:
        return X, signal
    return X, np.unique(np.digitize(signal, np.quantile(signal, [0.2, 0.6])), return_inverse=True)[
        1
    ]


@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(12, 40),
    p=st.integers(4, 9),
    classes=st.booleans(),
)
@settings(max_examples=40, deadline=None)
def test_definition(seed, n, p, classes):
    X, y = table(seed, n, p, classes)
    selector = ForwardSelection(p - 1).fit(X, y)
    expected, gains = forward_slow(X, y, classes, p - 1)
    assert selector.indices_.tolist() == expected
    np.testing.assert_allclose(selector.scores_[expected], gains, atol=1e-9)
    Z = X - X.mean(0)
    for j in range(p):
        # the last column that was asked for is taken off no other
        before = expected[: expected.index(j)] if j in expected else expected[: p - 2]
        assert selector.tolerance_[j] == pytest.approx(left_over(Z, before, j), abs=1e-9)


def test_first_column_has_the_largest_f():
    X, y = table(1, 60, 9, True)
    selector = ForwardSelection(1).fit(X, y)
    F = f_classif(X, y)[0]
    assert selector.indices_[0] == np.argmax(F)
    k = y.max() + 1
    np.testing.assert_allclose(
        selector.relevance_ / (1 - selector.relevance_) * (len(y) - k) / (k - 1), F
    )


@pytest.mark.parametrize("classes", [False, True])
def test_parts_are_separate_runs(classes):
    X, y = table(2, 90, 12, classes)
    ensemble = FastEnsemble(ForwardSelection(5), n_parts=6).fit(X, y)
    fold = np.arange(90) % 6
    for t, columns in enumerate(ensemble.part_selections_):
        alone = ForwardSelection(5).fit(X[fold != t], y[fold != t])
        assert columns.tolist() == alone.indices_.tolist()


@pytest.mark.parametrize("classes", [False, True])
def test_row_blocks(classes):
    X, y = table(3, 80, 10, classes)
    blocks = RowBlocks([(X[:30], y[:30]), (X[30:33], y[30:33]), (X[33:], y[33:])])
    whole, read = ForwardSelection(6).fit(X, y), ForwardSelection(6).fit(blocks)
    assert read.indices_.tolist() == whole.indices_.tolist()
    np.testing.assert_array_equal(read.scores_, whole.scores_)


def test_copies_and_combinations_do_not_enter():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(100, 4))
    X = np.column_stack([X, X[:, 0], X[:, 1] + X[:, 2], np.ones(100)])
    y = X[:, :4].sum(1) + 0.1 * rng.normal(size=100)
    with pytest.warns(UserWarning, match="Only 4 of 7 columns were selected"):
        selector = ForwardSelection(7).fit(X, y)
    assert selector.indices_.size == 4
    row = selector.explain(6)[0]
    assert (row["selected"], row["added"], row["tolerance"]) == (False, 0.0, 0.0)


@pytest.mark.filterwarnings("ignore:Only . of 6 columns")
@pytest.mark.parametrize("seed", range(20))
def test_copies_do_not_enter_by_rounding(seed):
    """Also with a tolerance of 0, after a column of which little was left."""
    rng = np.random.default_rng(seed)
    a, b, y = rng.normal(size=(3, 40))
    near = a + 1e-5 * b
    X = np.column_stack([a, near, rng.normal(size=40), 4 * near, -near, -a])
    selector = ForwardSelection(6, tolerance=0.0).fit(X, y)
    assert set(selector.indices_) <= {0, 1, 2}


def test_threads_do_not_matter():
    X, y = table(5, 70, 40, True)
    one, two = (ForwardSelection(8, n_jobs=j).fit(X, y) for j in (1, 2))
    np.testing.assert_array_equal(one.scores_, two.scores_)
    np.testing.assert_array_equal(one.added_, two.added_)


def test_text_is_an_error():
    with pytest.raises(ValueError, match="holds text or categories"):
        ForwardSelection(1).fit(np.array([["a", "b"], ["b", "a"], ["a", "a"]]), [0, 1, 0])


def test_averages_are_refused():
    X, y = table(6, 50, 5, False)
    with pytest.raises(ValueError, match="InnerEnsemble"):
        InnerEnsemble(ForwardSelection(2), n_parts=3).fit(X, y)


# ---------------------------------------------------------------- "auto"


def left_of(target, *columns):
    """Sum of squares that a regression leaves."""
    design = np.stack([np.ones(target.size), *columns], axis=1)
    fitted = design @ np.linalg.lstsq(design, target, rcond=None)[0]
    return float(((target - fitted) ** 2).sum())


def p_slow(x, y, given, classes):
    """p of a column given some others, by regressions with and without what is tested."""
    tested = [(y == c).astype(float) for c in np.unique(y)[1:]] if classes else [y]
    free, rest = len(tested), y.size - 1 - len(tested) - len(given)
    without, with_all = left_of(x, *given), left_of(x, *given, *tested)
    return float(stats.f.sf((without - with_all) / free / (with_all / rest), free, rest))


def automatic_slow(X, y, classes, limit):
    """Of the columns that pass given all selected ones, the one that adds most."""
    Z, outputs, selected = X - X.mean(0), outputs_slow(y, classes), []
    while True:
        others = [f for f in range(X.shape[1]) if left_over(Z, selected, f) > 0.01]
        p_values = {f: p_slow(X[:, f], y, list(X.T[selected]), classes) for f in others}
        passing = [f for f in others if f not in selected and p_values[f] <= limit]
        if not passing:
            return selected, p_values
        gains = [share_explained(Z[:, [*selected, f]], outputs) for f in passing]
        ties = [f for f, gain in zip(passing, gains, strict=True) if gain >= max(gains) - 1e-10]
        selected.append(ties[0])


@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(20, 60),
    p=st.integers(4, 8),
    classes=st.booleans(),
    expected_false=st.sampled_from([0.05, 1.0]),
)
@settings(max_examples=40, deadline=None)
def test_automatic_size(seed, n, p, classes, expected_false):
    X, y = table(seed, n, p, classes)
    selector = ForwardSelection("auto", expected_false=expected_false, min_features_to_select=0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("warnings.warn", lambda *_, **__: None)
        selector.fit(X, y)
    expected, p_values = automatic_slow(X, y, classes, expected_false / p)
    assert selector.indices_.tolist() == expected
    for f, value in p_values.items():
        if f not in expected:
            assert selector.entry_pvalues_[f] == pytest.approx(value, rel=1e-6, abs=1e-12)


@pytest.mark.parametrize("classes", [False, True])
def test_automatic_size_in_parts_and_blocks(classes):
    X, y = table(4, 120, 12, classes)
    ensemble = FastEnsemble(ForwardSelection("auto"), n_parts=5).fit(X, y)
    fold = np.arange(120) % 5
    for t, columns in enumerate(ensemble.part_selections_):
        alone = ForwardSelection("auto").fit(X[fold != t], y[fold != t])
        assert columns.tolist() == alone.indices_.tolist()
    blocks = RowBlocks([(X[:50], y[:50]), (X[50:], y[50:])])
    whole, read = ForwardSelection("auto").fit(X, y), ForwardSelection("auto").fit(blocks)
    assert read.indices_.tolist() == whole.indices_.tolist()
    np.testing.assert_array_equal(read.entry_pvalues_, whole.entry_pvalues_)


def test_noise_seldom_enters():
    """At most one column of noise is expected to pass."""
    sizes = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(60, 40)), rng.integers(0, 3, 60)
        selector = ForwardSelection("auto", min_features_to_select=0)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("warnings.warn", lambda *_, **__: None)
            sizes.append(selector.fit(X, y).indices_.size)
    assert np.mean(sizes) < 1.6


def test_fewer_pass_than_are_wanted():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 6))
    y = X[:, 3] + 0.3 * rng.normal(size=80)
    selector = ForwardSelection("auto", expected_false=1e-6, min_features_to_select=3)
    with pytest.warns(UserWarning, match=r"only 1 of 6 columns pass the test"):
        selector.fit(X, y)
    assert selector.indices_.size == 3
    assert selector.indices_.tolist() == ForwardSelection(3).fit(X, y).indices_.tolist()
    assert selector.stop_reason_.startswith("1 columns pass the test")
    assert "p-value" in selector.explain()[0]


def test_included_columns_are_not_tested():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 8))
    y = X[:, 3] + 0.5 * X[:, 5] + 0.3 * rng.normal(size=200)
    selector = ForwardSelection("auto", expected_false=0.01, include=[7]).fit(X, y)
    assert selector.indices_.tolist() == [7, 3, 5]
    assert np.isnan(selector.entry_pvalues_[7])
    expected = p_slow(X[:, 0], y, [X[:, 7], X[:, 3], X[:, 5]], False)
    assert selector.entry_pvalues_[0] == pytest.approx(expected)
    assert ForwardSelection("auto", exclude=[3]).fit(X, y).indices_[0] == 5


def test_more_steps_than_there_is_space_for_at_first():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 50))
    y = X @ rng.uniform(1, 2, 50) + 0.1 * rng.normal(size=400)
    assert ForwardSelection("auto").fit(X, y).indices_.size == 50


@pytest.mark.parametrize("classes", [False, True])
def test_the_choice_of_fastcan(classes):
    """It selects by the same sum of squared canonical correlations."""
    fastcan = pytest.importorskip("fastcan")
    X, y = table(5, 100, 15, classes)
    X = X[:, :-1]  # without the column that two others explain
    outputs = np.eye(y.max() + 1)[y][:, 1:] if classes else y
    theirs = fastcan.FastCan(8, verbose=0).fit(X, outputs).indices_
    assert ForwardSelection(8).fit(X, y).indices_.tolist() == theirs.tolist()
