import math
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.cluster.hierarchy import cut_tree, linkage
from scipy.spatial.distance import squareform
from sklearn.cluster import AgglomerativeClustering, Birch, KMeans, MiniBatchKMeans
from sklearn.datasets import load_iris
from sklearn.metrics import (
    adjusted_rand_score,
    davies_bouldin_score,
    normalized_mutual_info_score,
    rand_score,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler, minmax_scale, scale

from ensfs import RandomClusterEnsemble, RowBlocks
from ensfs.clusters import clusterings, random_clusters
from ensfs.clusters.clusterings import cut_labels, davies_bouldin
from ensfs.clusters.random_clusters import scree_test
from ensfs.datasets import make_waveform


def three_gaussians(seed, n=150, columns=(2, 7), p=10):
    """Return three clusters in two columns, noise in the others."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    centres = 6 * np.array([[0, 0], [1, 0], [0.5, 0.87]])
    y = np.repeat(np.arange(3), n // 3)
    X[:, columns] += centres[y]
    return X, y


def slow_ensemble(model, X):
    """Recompute everything from the fitted clusterings, row by row."""
    n, p = X.shape
    r = len(model.estimators_)
    together, both = np.zeros((n, n)), np.zeros((n, n))
    # what was drawn follows from the seeds, as documented in `fit`
    state = np.random.RandomState(model.random_state)
    root = np.random.SeedSequence(state.randint(1 << 32, size=4, dtype=np.uint32).tolist())
    changes, tried, partitions = np.zeros((n, p)), np.zeros((n, p)), []
    for seed, estimator, columns in zip(
        root.spawn(1 + r)[1:], model.estimators_, model.estimators_features_, strict=True
    ):
        rng = np.random.default_rng(seed)
        drawn = set(rng.integers(n, size=n).tolist())
        np.testing.assert_array_equal(np.sort(rng.choice(p, columns.size, replace=False)), columns)
        rng.integers(1 << 31)  # the clusterer's seed
        labels = estimator.predict(X[:, columns])
        partitions.append(labels)
        for i in drawn:
            for j in drawn:
                both[i, j] += 1
                together[i, j] += labels[i] == labels[j]
        out = [i for i in range(n) if i not in drawn]
        for v in columns:
            order = rng.permutation(len(out))
            permuted = X[out].copy()
            permuted[:, v] = permuted[order, v]
            now = estimator.predict(permuted[:, columns])
            for place, i in enumerate(out):
                changes[i, v] += now[place] != labels[i]
                tried[i, v] += 1
    return together, both, changes, tried, partitions


@pytest.mark.parametrize("pairs", [None, "pairs"])
@pytest.mark.parametrize("share", [False, True])
def test_it_is_the_definition(pairs, share):
    X, _ = three_gaussians(1, n=30, p=5, columns=(0, 3))
    r = 12
    model = RandomClusterEnsemble(
        n_estimators=r, random_state=5, normalise=pairs, normalise_importance=share
    ).fit(X)
    together, both, changes, tried, partitions = slow_ensemble(model, X)
    D = 1 - together / (np.maximum(both, 1) if pairs else r)
    np.fill_diagonal(D, 0)
    tree = linkage(squareform(D), "average")
    np.testing.assert_allclose(model.linkage_, tree, atol=1e-12)
    cuts = cut_tree(tree, n_clusters=range(2, 6))
    nmi = [
        np.mean(
            [normalized_mutual_info_score(c, q, average_method="geometric") for q in partitions]
        )
        for c in cuts.T
    ]
    np.testing.assert_allclose(model.anmi_, nmi, atol=1e-12)
    assert model.n_clusters_ == 2 + int(np.argmax(nmi))
    assert adjusted_rand_score(model.labels_, cuts[:, np.argmax(nmi)]) == 1.0
    local = changes / np.maximum(tried, 1) if share else changes / r
    for c in range(model.n_clusters_):
        expected = local[model.labels_ == c].sum(axis=0)
        np.testing.assert_allclose(model.feature_importances_[c], expected, atol=1e-12)
    np.testing.assert_allclose(model.scores_, local.sum(axis=0), atol=1e-12)


# ---------------------------------------------------------------- the elbow


@pytest.mark.parametrize(
    ("values", "kept"),
    [
        ([10, 9, 3, 2.5, 2, 1.9], 2),
        ([10, 2, 1, 0], 1),
        ([5, 5, 5], 3),
        ([3, 1], 2),
        ([1], 1),
        ([4, 3, 2, 1], 1),  # equal second differences: the first
        ([1 + 1e-13, 1, 1, 1], 4),  # equal up to rounding
    ],
)
def test_scree_test(values, kept):
    assert scree_test(np.array(values, dtype=float)) == kept


def test_of_each_cluster_the_columns_before_its_elbow():
    X, _ = three_gaussians(0)
    model = RandomClusterEnsemble(n_estimators=40, random_state=0, min_cluster_size=1).fit(X)
    for importance, kept in zip(model.feature_importances_, model.cluster_support_, strict=True):
        order = np.argsort(-importance, kind="stable")
        assert set(np.nonzero(kept)[0]) == set(order[: scree_test(importance[order])])
    np.testing.assert_array_equal(model.support_, model.cluster_support_.any(axis=0))
    assert (np.diff(model.scores_[model.indices_]) <= 0).all()


def test_small_clusters_have_no_say():
    X, _ = three_gaussians(0)
    X[:2] += 60.0  # a cluster of two rows
    options = {"n_estimators": 60, "random_state": 0, "n_clusters": 2}
    model = RandomClusterEnsemble(min_cluster_size=3, **options).fit(X)
    sizes = np.bincount(model.labels_)
    assert sizes.min() == 2
    assert not model.cluster_support_[sizes.argmin()].any()
    all_of_them = RandomClusterEnsemble(min_cluster_size=1000, **options).fit(X)
    assert all_of_them.cluster_support_[sizes.argmax()].any()


# ---------------------------------------------------------------- what it finds


@pytest.mark.parametrize("seed", range(3))
def test_three_gaussians(seed):
    X, y = three_gaussians(seed)
    model = RandomClusterEnsemble(random_state=seed).fit(X)
    assert {2, 7} <= set(model.indices_.tolist())
    assert model.indices_.size <= 4
    assert set(model.indices_[:2].tolist()) == {2, 7}
    fixed = RandomClusterEnsemble(random_state=seed, n_estimators=60, n_clusters=3).fit(X)
    assert fixed.n_clusters_ == 3
    assert fixed.anmi_.shape == (1,)
    assert adjusted_rand_score(y, fixed.labels_) > 0.8


def test_a_constant_column_has_importance_exactly_zero():
    # whole numbers: many rows are as near to one centre as to another
    X = np.random.default_rng(0).integers(0, 3, size=(60, 6)).astype(float)
    X[:, 4] = 0.1
    model = RandomClusterEnsemble(n_estimators=60, random_state=0).fit(X)
    assert (model.feature_importances_[:, 4] == 0.0).all()
    assert model.scores_[4] == 0.0
    assert not model.support_[4]
    assert model.explain(4)[0]["reason"] == "no importance"


def test_noise_beside_the_waves_is_ignored():
    X, _ = make_waveform(400, n_noise=209, random_state=0)
    model = RandomClusterEnsemble(random_state=0).fit(X)
    assert model.indices_.max() < 21
    assert model.indices_.size >= 5


def test_iris_clusters_better_on_the_selected_columns():
    X, y = load_iris(return_X_y=True)

    def rand(columns, seed):
        return rand_score(y, KMeans(3, random_state=seed).fit_predict(X[:, columns]))

    seeds = range(3)
    everything = [rand(slice(None), seed) for seed in seeds]
    selected = [
        rand(RandomClusterEnsemble(random_state=seed).fit(X).support_, seed) for seed in seeds
    ]
    assert np.mean(selected) > np.mean(everything) + 0.01


# ---------------------------------------------------------------- the same everywhere


def same(a, b):
    """Whether two fits are equal in every learned array."""
    names = ("feature_importances_", "labels_", "linkage_", "scores_", "indices_", "anmi_")
    return all(np.array_equal(getattr(a, x), getattr(b, x), equal_nan=True) for x in names)


def test_threads_order_and_type_do_not_matter():
    X, _ = three_gaussians(3, n=300)
    X = X.astype(np.float32)
    model = RandomClusterEnsemble(n_estimators=30, random_state=1).fit(X)
    for jobs in (2, 3, -1):
        assert same(
            model, RandomClusterEnsemble(n_estimators=30, random_state=1, n_jobs=jobs).fit(X)
        )
    again = RandomClusterEnsemble(n_estimators=30, random_state=1)
    assert same(model, again.fit(np.asfortranarray(X)))
    assert same(model, again.fit(X.astype(np.float64)))
    assert same(model, again.fit(pd.DataFrame(X), np.zeros(5)))  # y is ignored
    other = RandomClusterEnsemble(n_estimators=30, random_state=2).fit(X)
    assert (other.feature_importances_.sum() != model.feature_importances_.sum()).any()


def test_random_state_as_object():
    X, _ = three_gaussians(3, n=60)
    options = {"n_estimators": 5, "max_features": 9}
    one, two = (
        RandomClusterEnsemble(random_state=np.random.RandomState(7), **options).fit(X)
        for _ in range(2)
    )
    assert same(one, two)


def test_large_parts_are_cut_without_a_change(monkeypatch):
    X, _ = three_gaussians(4, n=90)
    options = {"n_estimators": 20, "random_state": 0, "max_features": 6}
    model = RandomClusterEnsemble(**options).fit(X)
    monkeypatch.setattr(clusterings, "_CELLS", 1)
    assert same(model, RandomClusterEnsemble(**options).fit(X))


# ---------------------------------------------------------------- clusterers


class Centres(KMeans):
    """K-means that knows its centres and does not predict."""

    predict = property()  # hasattr is False


@pytest.mark.parametrize(
    "clusterer",
    [MiniBatchKMeans(3, n_init=1), Birch(n_clusters=3), make_pipeline(StandardScaler(), KMeans(3))],
    ids=lambda c: type(c).__name__,
)
def test_other_clusterers(clusterer):
    X, _ = three_gaussians(0)
    model = RandomClusterEnsemble(clusterer, n_estimators=30, random_state=0).fit(X)
    assert set(model.indices_[:2].tolist()) == {2, 7}
    assert same(model, RandomClusterEnsemble(clusterer, n_estimators=30, random_state=0).fit(X))
    assert type(model.estimators_[0]) is type(clusterer)


def test_centres_do_without_predict():
    X, _ = three_gaussians(0)
    options = {"n_estimators": 20, "random_state": 0}
    by_centre = RandomClusterEnsemble(Centres(3), **options).fit(X)
    assert same(by_centre, RandomClusterEnsemble(KMeans(3), **options).fit(X))


def test_a_clusterer_that_cannot_assign():
    X, _ = three_gaussians(0)
    with pytest.raises(TypeError, match="neither predict nor cluster_centers_"):
        RandomClusterEnsemble(AgglomerativeClustering(3), n_estimators=2).fit(X)


def test_values_of_any_size():
    X, _ = three_gaussians(0, n=90)
    options = {"n_estimators": 20, "random_state": 0, "max_features": 6}
    for how in (True, "range"):
        model = RandomClusterEnsemble(**options, standardize=how).fit(X)
        for size in (2.0**-600, 2.0**-1000, 2.0**200):  # powers of two change no digits
            other = RandomClusterEnsemble(**options, standardize=how).fit(X * size)
            np.testing.assert_array_equal(other.feature_importances_, model.feature_importances_)
    with pytest.raises(ValueError, match="differ by so little"):
        RandomClusterEnsemble(**options).fit(X * 1e-170)


def test_reasons_are_those_of_the_fit():
    X, _ = three_gaussians(0)
    model = RandomClusterEnsemble(n_estimators=20, random_state=0, n_features_to_select=2).fit(X)
    before = str(model.explain())
    assert str(model.set_params(n_features_to_select=None).explain()) == before


def davies_bouldin_slow(values, labels):
    """By the definition; scikit-learn's distances of near points have seven digits at times."""
    groups = [values[labels == c] for c in np.unique(labels)]
    centres = [group.mean(axis=0) for group in groups]
    radii = [
        np.mean([math.dist(row, centre) for row in group])
        for group, centre in zip(groups, centres, strict=True)
    ]
    pairs = range(len(groups))
    worst = [
        max((radii[i] + radii[j]) / math.dist(centres[i], centres[j]) for j in pairs if j != i)
        for i in pairs
    ]
    return np.mean(worst)


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(3, 30), k=st.integers(2, 5))
@example(seed=10673, n=3, k=2)
@settings(max_examples=40)
def test_davies_bouldin(seed, n, k):
    rng = np.random.default_rng(seed)
    labels = rng.integers(k, size=n)
    values = rng.standard_normal((n, 2)) + 3 * labels[:, None]
    found = np.unique(labels).size
    if 2 <= found < n:
        expected = davies_bouldin_slow(values, labels)
        assert davies_bouldin(values, labels) == pytest.approx(expected, rel=1e-9)


def test_the_number_of_base_clusters_is_that_of_the_index():
    X, _ = three_gaussians(0)
    model = RandomClusterEnsemble(n_estimators=2, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # two clusterings do not reach all columns
        model.fit(X)
    index = {
        k: davies_bouldin_score(X, KMeans(k, n_init=10, random_state=0).fit_predict(X))
        for k in range(2, 11)
    }
    assert model.clusterer_.n_clusters == min(index, key=index.get) == 3


# ---------------------------------------------------------------- sizes and bad input


def test_number_of_columns():
    X, _ = three_gaussians(0)
    model = RandomClusterEnsemble(n_features_to_select=3, n_estimators=40, random_state=0).fit(X)
    np.testing.assert_array_equal(model.indices_, np.argsort(-model.scores_, kind="stable")[:3])
    assert model.ranking_[model.indices_].tolist() == [1, 2, 3]
    assert model.explain()[0]["reason"] == "among the most important"
    assert model.explain()[-1]["reason"] == "beyond n_features_to_select"
    share = RandomClusterEnsemble(n_features_to_select=0.5, n_estimators=40, random_state=0).fit(X)
    assert share.indices_.size == 5
    X[:, 5:] = 1.0
    few = RandomClusterEnsemble(n_features_to_select=8, n_estimators=40, random_state=0)
    with pytest.warns(UserWarning, match=r"Only 5 of the 8"):
        assert few.fit(X).indices_.size == 5


@pytest.mark.parametrize(
    ("max_features", "p", "m"),
    [("sqrt", 4, 2), ("sqrt", 2, 2), ("sqrt", 1, 1), ("sqrt", 10, 4), (3, 10, 3), (30, 10, 10),
     (0.5, 10, 5), (1.0, 10, 10), (0.01, 10, 1)],
)  # fmt: skip
def test_size_of_the_subspaces(max_features, p, m):
    assert RandomClusterEnsemble(max_features=max_features)._subspace(p) == m


def test_nothing_to_find():
    with pytest.warns(UserWarning, match="nothing is selected"):
        model = RandomClusterEnsemble(n_estimators=20, random_state=0).fit(np.ones((20, 3)))
    assert model.indices_.size == 0
    assert (model.feature_importances_ == 0).all()
    assert model.explain()["selected"] == [False] * 3


@pytest.mark.parametrize("n", [2, 3, 4])
def test_few_rows(n):
    X = np.arange(2.0 * n).reshape(n, 2) ** 2
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        model = RandomClusterEnsemble(n_estimators=20, random_state=0).fit(X)
    assert model.labels_.shape == (n,)
    assert model.n_clusters_ == np.unique(model.labels_).size
    assert np.isfinite(model.feature_importances_).all()


def test_columns_in_no_clustering():
    X, _ = three_gaussians(0)
    model = RandomClusterEnsemble(n_estimators=1, max_features=2, random_state=0)
    with pytest.warns(UserWarning, match="8 column"):
        model.fit(X)
    assert np.isnan(model.scores_).sum() == 8
    assert model.explain()[-1]["reason"] == "in no clustering"


def test_many_rows_are_announced(monkeypatch):
    monkeypatch.setattr(random_clusters, "_MANY_ROWS", 50)
    X, _ = three_gaussians(0, n=60)
    with pytest.warns(UserWarning, match="All pairs of 60 rows"):
        RandomClusterEnsemble(n_estimators=30, random_state=0).fit(X)


def test_bad_tables():
    X, _ = three_gaussians(0, n=30)
    model = RandomClusterEnsemble(n_estimators=2)
    with pytest.raises(ValueError, match=r"'b' holds text or categories.*Encode it as numbers"):
        model.fit(pd.DataFrame({"a": X[:, 0], "b": ["x"] * 30}))
    for value, message in ((np.nan, "missing"), (np.inf, "infinite")):
        bad = X.copy()
        bad[3, 4] = value
        with pytest.raises(ValueError, match=f"column 4 has 1 {message}"):
            model.fit(bad)
    with pytest.raises(ValueError, match="too large"):
        model.fit(X * 1e200)
    with pytest.raises(TypeError, match="does not support RowBlocks"):
        model.fit(RowBlocks([(X, np.zeros(30))]))
    with pytest.raises(ValueError, match="n_clusters=31"):
        RandomClusterEnsemble(n_clusters=31).fit(X)
    with pytest.raises(ValueError, match="n_estimators"):
        RandomClusterEnsemble(n_estimators=0).fit(X)


def test_large_offsets_and_integers():
    X, _ = three_gaussians(0)
    whole = np.rint(10 * X).astype(np.int64)
    options = {"n_estimators": 40, "random_state": 0}
    model = RandomClusterEnsemble(**options).fit(whole)
    assert same(model, RandomClusterEnsemble(**options).fit(whole.astype(float)))
    scaled = RandomClusterEnsemble(standardize=True, **options).fit(X)
    far = RandomClusterEnsemble(standardize=True, **options).fit(1e3 * X + 1e6)
    np.testing.assert_allclose(scaled.feature_importances_, far.feature_importances_, atol=0.2)


@pytest.mark.parametrize(("how", "scaled"), [(True, scale), ("range", minmax_scale)])
def test_scales(how, scaled):
    """Scaling inside is scaling before; a constant column stays out."""
    X, _ = three_gaussians(0)
    X = X * np.arange(1, X.shape[1] + 1)
    X[:, 0] = 7.0
    options = {"n_estimators": 20, "random_state": 0}
    inside = RandomClusterEnsemble(standardize=how, **options).fit(X)
    before = RandomClusterEnsemble(**options).fit(scaled(X))
    np.testing.assert_allclose(inside.feature_importances_, before.feature_importances_, atol=1e-12)
    np.testing.assert_array_equal(inside.indices_, before.indices_)
    assert inside.scores_[0] == 0


def test_every_row_may_be_a_cluster():
    """Beside other numbers of clusters as well as alone."""
    tree = linkage(np.array([[0.0], [1.0], [3.0], [7.0]]), "average")
    assert [np.unique(cut).size for cut in cut_labels(tree, range(2, 5)).T] == [2, 3, 4]
    assert np.unique(cut_labels(tree, [4])).size == 4
