"""What users would take instead: scikit-learn's own tools and packages from the index.

A package that is not installed is left out, and the run names it. pyensemblefs 0.4.1 is not here:
its ``compute_scores`` instantiates an abstract class for all aggregators but voting, and its votes
give the same score to nearly all columns.
"""

import importlib.util

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.feature_selection import (
    RFE,
    f_classif,
    f_regression,
    mutual_info_classif,
    mutual_info_regression,
)
from sklearn.linear_model import Lasso, LogisticRegression, Ridge
from sklearn.preprocessing import StandardScaler


def by_decreasing(scores, k):
    return np.argsort(-np.nan_to_num(np.asarray(scores, dtype=float)), kind="stable")[:k]


def f_test(X, y, classes, k, seed):
    return by_decreasing((f_classif if classes else f_regression)(X, y)[0], k)


def mutual_info(X, y, classes, k, seed):
    measure = mutual_info_classif if classes else mutual_info_regression
    return by_decreasing(measure(X, y, random_state=seed), k)


def forest(X, y, classes, k, seed):
    kind = RandomForestClassifier if classes else RandomForestRegressor
    model = kind(200, max_features="sqrt", random_state=seed)
    return by_decreasing(model.fit(X.to_numpy(), y).feature_importances_, k)


def rfe(X, y, classes, k, seed):
    """A tenth of the columns goes at a time down to 100, then one by one: each has its place."""
    model = LogisticRegression(max_iter=200) if classes else Ridge()
    Z = StandardScaler().fit_transform(X)
    left = np.arange(Z.shape[1])
    while left.size > 100:
        smaller = RFE(model, n_features_to_select=max(100, left.size * 9 // 10), step=left.size)
        left = left[smaller.fit(Z[:, left], y).support_]
    ranking = RFE(model, n_features_to_select=1, step=1).fit(Z[:, left], y).ranking_
    return left[np.argsort(ranking, kind="stable")][:k]


def l1_stability(X, y, classes, k, seed):
    """Stability selection: how often an L1 model on half of the rows uses a column.

    Columns that are used equally often are ordered by their mean coefficient.
    """
    Z, rng = StandardScaler().fit_transform(X), np.random.default_rng(seed)
    sizes = np.zeros((20, Z.shape[1]))
    for size in sizes:
        rows = rng.permutation(len(y))[: len(y) // 2]
        size[:] = _coefficients(Z[rows], y[rows], classes, k)
    return np.lexsort((-sizes.mean(0), -(sizes > 0).sum(0)))[:k]


def _coefficients(Z, y, classes, k):
    """Coefficients of an L1 model; the weakest penalty on a grid with at most 2k columns."""
    sizes = np.zeros(Z.shape[1])
    for strength in np.logspace(0, -2, 8):
        if not classes:
            coefficients = Lasso(strength * np.std(y), max_iter=500, tol=1e-2).fit(Z, y).coef_
        elif len(np.unique(y)) < 2:
            return sizes
        else:
            model = LogisticRegression(
                l1_ratio=1,
                C=1 / (strength * len(y) + 1e-12),
                solver="saga",
                max_iter=50,
                tol=1e-2,
                random_state=0,
            )
            coefficients = model.fit(Z, y).coef_
        now = np.abs(np.atleast_2d(coefficients)).max(0)
        if (now > 0).sum() > 2 * k:
            return sizes if sizes.any() else now
        sizes = now
    return sizes


def lightgbm_gain(X, y, classes, k, seed):
    import lightgbm

    kind = lightgbm.LGBMClassifier if classes else lightgbm.LGBMRegressor
    model = kind(
        n_estimators=100, importance_type="gain", min_child_samples=max(2, min(20, len(y) // 10)),
        verbosity=-1, n_jobs=1, random_state=seed,
    )  # fmt: skip
    return by_decreasing(model.fit(X.to_numpy(dtype=float), y).feature_importances_, k)


def boruta(X, y, classes, k, seed):
    from boruta import BorutaPy

    kind = RandomForestClassifier if classes else RandomForestRegressor
    selector = BorutaPy(kind(max_depth=5), n_estimators=100, max_iter=30, random_state=seed)
    selector.fit(X.to_numpy(dtype=float), y)
    chosen = np.nonzero(selector.support_)[0]
    return chosen[np.argsort(-selector.importance_history_[1:].mean(0)[chosen], kind="stable")]


def mrmr_selection(X, y, classes, k, seed):
    from mrmr import mrmr_classif, mrmr_regression

    frame = X.astype(float).set_axis(range(X.shape[1]), axis=1)
    choose = mrmr_classif if classes else mrmr_regression
    return np.array(choose(frame, pd.Series(y, index=frame.index), K=k, show_progress=False))


def fastcan(X, y, classes, k, seed):
    from fastcan import FastCan

    targets = np.eye(int(y.max()) + 1)[y][:, 1:] if classes else y
    for wanted in (k, 20, 10, 5):  # it selects all that are asked for, or none
        try:
            selector = FastCan(min(wanted, X.shape[1], len(y) - 2), verbose=0)
            return selector.fit(X.to_numpy(dtype=float), targets).indices_
        except RuntimeError:
            continue
    return np.empty(0, dtype=int)


def featureranker(X, y, classes, k, seed):
    from featureranker import feature_ranking, voting

    frame = X.astype(float).set_axis([f"f{j}" for j in range(X.shape[1])], axis=1)
    result = feature_ranking(
        frame, pd.Series(y, index=frame.index), "classification" if classes else "regression",
        n_jobs=1, random_state=seed, probe=False,
    )  # fmt: skip
    names = voting(result)["feature"]
    return np.array([int(name[1:]) for name in names])[:k]


PEERS = {
    "F": (f_test, None),
    "mutual information": (mutual_info, None),
    "forest": (forest, None),
    "RFE": (rfe, None),
    "L1 stability": (l1_stability, None),
    "LightGBM gain": (lightgbm_gain, "lightgbm"),
    "boruta": (boruta, "boruta"),
    "mrmr-selection": (mrmr_selection, "mrmr"),
    "fastcan": (fastcan, "fastcan"),
    "featureranker": (featureranker, "featureranker"),
}


def installed():
    """Peers that can run here, and the names of those that cannot."""
    found = {name: importlib.util.find_spec(p) is not None for name, (_, p) in PEERS.items() if p}
    missing = [name for name, there in found.items() if not there]
    return {name: f for name, (f, _) in PEERS.items() if name not in missing}, missing
