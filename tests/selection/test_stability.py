"""Stability selection: worked numbers, and halves against separate runs on their rows."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.feature_selection import RFE, SelectKBest, VarianceThreshold
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold

from ensfs import CFS, FCBF, IAMB, JMI, MRMR, FastEnsemble, RowBlocks, StabilitySelector
from ensfs.evaluation import nogueira_stability, stability_bound

Y = np.repeat([0, 1], 6)
TABLE = np.array(
    [
        [1, 2, 9, 4, 2, 3, 6, 5, 5, 7, 0, 6],
        [2, 1, 3, 3, 5, 4, 4, 6, 8, 8, 7, 9],
        [0, 0, 1, 0, 1, 0, 2, 1, 2, 2, 1, 2],
        [3, 1, 2, 5, 2, 4, 3, 2, 6, 4, 1, 5],
    ]
).T.astype(float)
#: Pairs {0,1}|{2,3}, {0,2}|{1,3}, {0,3}|{1,2} of the folds i mod 4.
PAIRS = np.array([np.isin(np.arange(12) % 4, folds) for folds in ([0, 1], [0, 2], [0, 3])])


@pytest.fixture(scope="module")
def wine():
    return load_wine(return_X_y=True)


@pytest.fixture(scope="module")
def noisy(wine):
    """Thirteen measurements beside sixty columns of noise."""
    noise = np.random.default_rng(0).normal(size=(178, 60))
    return np.hstack([wine[0], noise]), wine[1]


def halves_slow(n, n_pairs, n_folds, seed):
    """Rows of the halves as the documentation describes them."""
    rng, fold = np.random.default_rng(seed), np.arange(n) % n_folds
    rows = []
    for _ in range(n_pairs):
        first = np.isin(fold, rng.permutation(n_folds)[: n_folds // 2])
        rows += [np.nonzero(first)[0], np.nonzero(~first)[0]]
    return rows


def test_worked_numbers():
    selector = StabilitySelector(MRMR(1, relevance="f_test"), subsample=PAIRS, threshold=2 / 3).fit(
        TABLE, Y
    )
    np.testing.assert_allclose(selector.selection_frequency_, [0, 1 / 3, 2 / 3, 0], atol=1e-15)
    np.testing.assert_allclose(selector.pair_frequency_, [0, 0, 1 / 3, 0], atol=1e-15)
    assert selector.indices_.tolist() == [2]
    assert selector.mean_size_ == 1
    assert selector.error_bound_ == pytest.approx(0.75, rel=1e-9)
    selector.set_params(bound="markov").fit(TABLE, Y)
    assert selector.error_bound_ == pytest.approx(0.75, rel=1e-9)


@pytest.mark.parametrize("selector", [MRMR(3), FCBF(), JMI(3, discretizer="sigma"), CFS(), IAMB()])
def test_halves_of_selectors_that_share_statistics(selector, wine):
    """The columns are codes, which a half would not cut anew."""
    X, y = wine
    X = np.array([np.digitize(x, np.quantile(x, [0.3, 0.6])) for x in X.T]).T
    fitted = StabilitySelector(selector, n_pairs=4, n_folds=10, threshold=0.6).fit(X, y)
    parts = halves_slow(178, 4, 10, 0)
    for columns, rows in zip(fitted.part_selections_, parts, strict=True):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            alone = selector.fit(X[rows], y[rows])
        assert columns.tolist() == alone.indices_.tolist()
    chosen = np.array([np.isin(np.arange(13), columns) for columns in fitted.part_selections_])
    np.testing.assert_allclose(fitted.selection_frequency_, chosen.mean(axis=0), rtol=1e-15)
    both = chosen[::2] & chosen[1::2]
    np.testing.assert_allclose(fitted.pair_frequency_, both.mean(axis=0), rtol=1e-15)
    assert fitted.mean_size_ == pytest.approx(chosen.sum(axis=1).mean())
    assert fitted.stability_ == nogueira_stability(chosen)
    assert fitted.error_bound_ == stability_bound(fitted.mean_size_, 13, 0.6, 4)


@pytest.mark.parametrize(
    "selector",
    [SelectKBest(k=3), RFE(LogisticRegression(), n_features_to_select=3), FastEnsemble(MRMR(3))],
    ids=str,
)
def test_any_selector(selector, wine):
    X, y = (wine[0] - wine[0].mean(axis=0)) / wine[0].std(axis=0), wine[1]
    fitted = StabilitySelector(selector, n_pairs=2, n_folds=8).fit(X, y)
    for columns, rows in zip(fitted.part_selections_, halves_slow(178, 2, 8, 0), strict=True):
        alone = selector.fit(X[rows], y[rows]).get_support()
        assert sorted(columns) == np.flatnonzero(alone).tolist()
    several = StabilitySelector(selector, n_pairs=2, n_folds=8, n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(several.scores_, fitted.scores_)


def test_selectors_without_a_target(wine):
    X = wine[0]
    fitted = StabilitySelector(VarianceThreshold(1.0), n_pairs=2, threshold=1.0).fit(X)
    assert fitted.indices_.tolist() == np.flatnonzero(fitted.selection_frequency_ == 1).tolist()
    assert 12 in fitted.indices_
    with pytest.raises(ValueError, match="requires y to be passed"):
        StabilitySelector(SelectKBest(k=3)).fit(X)


@pytest.mark.parametrize("n", [178, 177])
@pytest.mark.parametrize("selector", [MRMR(4), SelectKBest(k=4)], ids=str)
def test_halves_of_rows(selector, n, wine):
    X, y = wine[0][:n], wine[1][:n]
    fitted = StabilitySelector(selector, n_pairs=3, subsample="rows", random_state=5).fit(X, y)
    rng = np.random.default_rng(5)
    for b in range(3):
        order = rng.permutation(n)
        for t, rows in enumerate((order[: n // 2], order[n // 2 : 2 * (n // 2)])):
            alone = selector.fit(X[np.sort(rows)], y[np.sort(rows)]).get_support()
            found = fitted.part_selections_[2 * b + t]
            assert sorted(found) == np.flatnonzero(alone).tolist()


def test_halves_that_are_given(wine):
    X, y = wine
    first = np.random.default_rng(1).random((3, 178)) < 0.5
    fitted = StabilitySelector(MRMR(3), subsample=first, threshold=0.6).fit(X, y)
    assert len(fitted.part_selections_) == 6
    for b, mask in enumerate(first):
        for t, rows in enumerate((mask, ~mask)):
            alone = MRMR(3).fit(X[rows], y[rows])
            assert fitted.part_selections_[2 * b + t].tolist() == alone.indices_.tolist()


def test_the_threshold_follows_from_the_mistakes(noisy):
    few = StabilitySelector(MRMR(6), expected_false=0.2).fit(*noisy)
    many = StabilitySelector(MRMR(6), expected_false=2.0).fit(*noisy)
    assert many.threshold_ < few.threshold_
    for fitted, most in ((few, 0.2), (many, 2.0)):
        assert fitted.error_bound_ <= most + 1e-12
        frequent = fitted.selection_frequency_ >= fitted.threshold_ - 1e-9
        np.testing.assert_array_equal(fitted.support_, frequent)
        order = sorted(np.flatnonzero(frequent), key=lambda j: (-fitted.scores_[j], j))
        assert fitted.indices_.tolist() == order
    assert set(few.indices_) <= set(many.indices_) <= set(range(13))


def test_noise_stays_out():
    """Columns drawn by lot are kept less often than the bound allows."""
    kept = 0
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(100, 150)), rng.permutation(np.arange(100) % 2)
        kept += StabilitySelector(MRMR(10), n_pairs=25).fit(X, y).indices_.size
    assert kept <= 10


def test_no_threshold_is_good_enough(wine):
    with pytest.warns(UserWarning, match=r"No threshold bounds .* by 1: a half selects 8 of 13"):
        fitted = StabilitySelector(MRMR(8), n_pairs=10).fit(*wine)
    assert fitted.threshold_ == 1
    assert fitted.error_bound_ == np.inf
    with pytest.warns(UserWarning, match="No threshold"):
        fitted = StabilitySelector(MRMR(8), n_pairs=10, bound="markov").fit(*wine)
    assert fitted.error_bound_ == pytest.approx(64 / 13)


def test_folds_are_those_of_fast_ensembles(wine):
    X, y = wine
    for folds in ("interleaved", "blocks", np.arange(178) % 12, StratifiedKFold(10)):
        how = {"folds": folds, "random_state": 3, "n_folds": 20}
        fitted = StabilitySelector(MRMR(3), n_pairs=5, **how).fit(X, y)
        ensemble = FastEnsemble(MRMR(3), parts="halves", n_parts=10, **how).fit(X, y)
        np.testing.assert_array_equal(fitted.part_selections_, ensemble.part_selections_)


def test_blocks_of_rows(wine):
    X, y = wine
    blocks = RowBlocks([(X[:70], y[:70]), (X[70:], y[70:])])
    whole = StabilitySelector(MRMR(3), n_pairs=5).fit(X, y)
    in_blocks = StabilitySelector(MRMR(3), n_pairs=5).fit(blocks)
    np.testing.assert_array_equal(in_blocks.part_selections_, whole.part_selections_)
    with pytest.raises(TypeError, match="StabilitySelector does not support RowBlocks"):
        StabilitySelector(SelectKBest(k=3), n_pairs=5).fit(blocks)


def test_reasons(wine):
    fitted = StabilitySelector(MRMR(3), n_pairs=10).fit(*wine)
    row = fitted.explain(6)[0]
    assert list(row)[3:] == ["frequency", "pair frequency", "threshold", "bound", "reason"]
    assert row["frequency"] == fitted.selection_frequency_[6]
    assert row["threshold"] == fitted.threshold_
    assert row["bound"] == fitted.error_bound_
    frequencies = fitted.explain()["frequency"]
    assert frequencies == sorted(frequencies, reverse=True)
    assert "expected number of mistakes at most" in fitted._repr_html_()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_folds": 9}, "n_folds must be even for halves; got 9"),
        ({"n_folds": 6}, "'n_folds' parameter"),
        ({"threshold": 0.5}, "'threshold' parameter"),
        ({"threshold": 1.1}, "'threshold' parameter"),
        ({"expected_false": 0}, "'expected_false' parameter"),
        ({"n_pairs": 0}, "'n_pairs' parameter"),
        ({"selector": LogisticRegression()}, "'selector' parameter"),
        ({"subsample": np.ones((2, 178), dtype=int)}, "boolean array .* got the type int64"),
        ({"subsample": np.ones((2, 5), dtype=bool)}, r"each of the 178 rows .* shape \(2, 5\)"),
        ({"subsample": np.ones((2, 178), dtype=bool)}, "Pair 0 of subsample has an empty half"),
    ],
)
def test_bad_parameters(options, message, wine):
    with pytest.raises((ValueError, TypeError), match=message):
        StabilitySelector(**options).fit(*wine)


def test_too_few_rows():
    with pytest.raises(ValueError, match="at least 16 rows; got n_samples = 12"):
        StabilitySelector(MRMR(1)).fit(TABLE, Y)


def test_nothing_is_frequent():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 300)), rng.permutation(np.arange(60) % 2)
    with pytest.warns(UserWarning, match="StabilitySelector selected no column: no column is"):
        StabilitySelector(MRMR(2), threshold=0.99).fit(X, y)
