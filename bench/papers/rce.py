"""Tables 2 and 3 and figures 1 and 2 of the paper on random cluster ensembles.

Run ``python bench/papers/rce.py``; ``--quick`` takes 3 seeds and 500 waves, ``--parts`` restricts
the run to ``table2``, ``clusters``, ``table3`` or ``waves``, ``--n-jobs`` takes threads. Data: see
``tables.py``; leukemia is ``all-aml``; vehicle and ovarian are not at hand.

H. Elghazel and A. Aussem (2010), Feature selection for unsupervised learning using random cluster
ensembles, SUEMA.

* Table 2: k-means with as many clusters as there are classes, on all columns and on the selected
  ones; Rand index in per cent, mean and standard deviation over the seeds. Each seed gives one
  selection and one run of k-means, with one start (k-means++) and with the best of ten. "more" is
  the mean of selected less all columns and its standard error: below twice that it may be chance.
* The paper says neither how its k-means starts nor how columns are scaled, so "range" is shown too,
  selection and k-means on columns from 0 to 1, and "standardized", on columns with mean 0 and
  deviation 1. One start on columns from 0 to 1 comes nearest to what it prints for all columns of
  iris, spread and all.
* "published rule" lets the smallest consensus clusters vote too; "k of classes" clusters into as
  many clusters as there are classes, which a user without classes cannot. "k each time" takes the
  number of clusters with the least Davies-Bouldin index anew for every sample and subspace, instead
  of once for the table: the paper can be read both ways.
* "any columns" is the subset on which k-means does best, of all subsets (ecoli and iris), with
  fresh starts.
* Missing cells (lung) are set to the median of their column.
* Ecoli has 336 rows here and 325 in the paper, which does not say which. All rows differ, and no
  set of classes left out leaves 325. "ecoli, 5 classes" has the 327 rows of the classes with more
  than five rows.
* Clusters: k-means on ecoli with 2 to 8 clusters, best of ten starts, on all columns, on the
  selected ones, and on all but `alm2`, which no selection leaves out.
* Table 3: the share of rows that ten-fold cross-validation puts into the right class. A consensus
  cluster stands for the class that most of its training rows have; a test row belongs to the
  cluster of the nearest mean of a cluster, on the columns at hand. Columns are chosen from the
  training rows: the 1 % with the largest importance. The paper's base clusterer is a
  self-organising map of unknown size; here it is k-means.
* Waves: 21 columns of waves and 19 of noise, then 19 more columns of noise at a time up to 190,
  fresh ones or copies of the first 19 (the paper says "duplicated"). The columns 1 and 21 of the
  waves are noise as well and count as such.
"""

import argparse
import itertools
import math
import time
import warnings

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score, pairwise_distances_argmin, rand_score
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import minmax_scale, scale
from tables import load
from threadpoolctl import threadpool_limits

from ensfs import RandomClusterEnsemble
from ensfs.clusters.clusterings import davies_bouldin
from ensfs.datasets import make_waveform

PARTS = ("table2", "clusters", "table3", "waves")
ECOLI = ("80.54 ± 0.82", " 5.30 ± 0.65", "84.02 ± 0.89")
PRINTED = {  # Rand index of all columns, columns of RCE and Rand index of these
    "ecoli": ECOLI,
    "ecoli, 5 classes": ECOLI,
    "iris": ("86.32 ± 2.83", " 1.78 ± 0.57", "93.20 ± 1.87"),
    "lung-cancer": ("63.25 ± 2.87", "51.00 ± 2.03", "68.27 ± 1.98"),
}


class KMeansByIndex(ClusterMixin, BaseEstimator):
    """K-means with the number of clusters that has the least Davies-Bouldin index."""

    def __init__(self, most=10, random_state=None):
        self.most = most
        self.random_state = random_state

    def fit(self, X, y=None):
        # A sample has few distinct rows in a column such as `chg` of ecoli
        most = min(self.most, len(np.unique(X, axis=0)), len(X) - 1)
        found = [KMeans(k, random_state=self.random_state).fit(X) for k in range(2, most + 1)]
        best = min(found, key=lambda each: davies_bouldin(X, each.labels_), default=None)
        self.best_ = best or KMeans(1, random_state=self.random_state).fit(X)
        self.labels_ = self.best_.labels_
        return self

    def predict(self, X):
        return self.best_.predict(X)


VARIANTS = {
    "default": {},
    "published rule": {"min_cluster_size": 1},
    "k of classes": {"clusterer": KMeans},
    "k each time": {"clusterer": KMeansByIndex},
    "range": {"standardize": "range"},
    "range, k each time": {"standardize": "range", "clusterer": KMeansByIndex},
    "standardized": {"standardize": True},
}


def filled(X):
    return np.where(np.isnan(X), np.nanmedian(X, axis=0), X)


def scaled(X, how):
    """Columns as the selector has them."""
    if how == "range":
        return minmax_scale(X)
    return scale(X) if how else X


def rand_index(X, y, seed, n_init=1, n_clusters=None):
    k = n_clusters or int(y.max()) + 1
    found = KMeans(k, n_init=n_init, random_state=seed).fit_predict(X)
    return 100 * rand_score(y, found)


def spread(values):
    return f"{np.mean(values):5.2f} ± {np.std(values, ddof=1):4.2f}"


def best_of_all_subsets(X, y, seeds):
    """The subset on which k-means does best."""
    p = X.shape[1]
    subsets = [s for m in range(1, p + 1) for s in itertools.combinations(range(p), m)]
    with warnings.catch_warnings():  # some columns have fewer distinct values than clusters
        warnings.simplefilter("ignore", ConvergenceWarning)
        means = [np.mean([rand_index(X[:, s], y, seed) for seed in seeds]) for s in subsets]
    return subsets[int(np.argmax(means))]


def table_and_classes(name):
    """Return the columns as they are and the classes of one line of the table."""
    X, y = load(name.split(",")[0])
    if "," in name:
        large = np.bincount(y)[y] > 5
        X, y = X[large], np.unique(y[large], return_inverse=True)[1]
    return filled(X), y


def clusterer(kind, n_rows, y):
    if kind is KMeans:
        return KMeans(int(y.max()) + 1)
    return kind and kind(min(10, math.isqrt(n_rows)))


def table2(n_seeds, n_jobs, _):
    seeds = range(n_seeds)
    print(f"Table 2: number of columns and Rand index in per cent over {n_seeds} seeds")
    for name, (everything, columns, selected) in PRINTED.items():
        raw, y = table_and_classes(name)
        n, p = raw.shape
        print(f"{name}, {n} rows, {y.max() + 1} classes")
        print(f"  {'':20s} {'columns':>13s} {'one start':>13s} {'more':>12s} {'best of ten':>13s} "
              f"{'more':>12s}  how often")  # fmt: skip
        print(f"  {'paper, all':20s} {p:5d} {'':7s} {everything:>13s}")
        print(f"  {'paper, RCE':20s} {columns:>13s} {selected:>13s}")
        whole = {}
        for title, options in VARIANTS.items():
            how = options.get("standardize")
            X = scaled(raw, how)
            if how not in whole:
                whole[how] = np.array([[rand_index(X, y, s, i) for s in seeds] for i in (1, 10)])
                one, ten = map(spread, whole[how])
                print(f"  {'all, ' + title:20s} {p:5d} {'':7s} {one:>13s} {'':12s} {ten:>13s}")
            options = options | {"clusterer": clusterer(options.get("clusterer"), n, y)}
            chosen = [
                RandomClusterEnsemble(random_state=seed, n_jobs=n_jobs, **options).fit(raw).support_
                for seed in seeds
            ]
            found = np.array(
                [
                    [rand_index(X[:, c], y, s, i) for s, c in zip(seeds, chosen, strict=True)]
                    for i in (1, 10)
                ]
            )
            one, ten = map(spread, found)
            gain, gain_ten = map(difference, found - whole[how])
            print(
                f"  {title:20s} {spread([c.sum() for c in chosen]):>13s} {one:>13s} {gain:>12s} "
                f"{ten:>13s} {gain_ten:>12s}  {how_often(chosen) if p < 10 else ''}",
                flush=True,
            )
        if p < 10:
            subset = best_of_all_subsets(raw, y, seeds)
            fresh = range(n_seeds, 2 * n_seeds)
            one, ten = (
                spread([rand_index(raw[:, subset], y, s, i) for s in fresh]) for i in (1, 10)
            )
            print(f"  {'any columns':20s} {len(subset):5d} {'':7s} {one:>13s} {'':12s} {ten:>13s} "
                  f"{'':12s}  {subset}")  # fmt: skip


def clusters(n_seeds, n_jobs, _):
    seeds = range(n_seeds)
    raw, y = table_and_classes("ecoli")
    others = np.arange(raw.shape[1]) != 6
    print(f"Ecoli by the number of clusters: Rand index in per cent, best of ten, {n_seeds} seeds")
    for how in (False, "range", True):
        X = scaled(raw, how)
        chosen = [
            RandomClusterEnsemble(standardize=how, random_state=seed, n_jobs=n_jobs)
            .fit(raw)
            .support_
            for seed in seeds
        ]
        print(f"standardize={how!r}, selected: {how_often(chosen)}")
        print(f"  clusters {'all':>13s} {'selected':>13s} {'more':>12s} {'no alm2: more':>14s}")
        for k in range(2, 9):
            whole, found, without = (
                np.array([rand_index(X[:, c], y, seed, 10, k) for seed, c in enumerate(masks)])
                for masks in ([slice(None)] * n_seeds, chosen, [others] * n_seeds)
            )
            gains = difference(found - whole), difference(without - whole)
            cells = (spread(whole), spread(found), *gains)
            print(f"  {k:8d} {'{:>13s} {:>13s} {:>12s} {:>14s}'.format(*cells)}", flush=True)


def difference(values):
    """Mean and its standard error."""
    return f"{np.mean(values):+5.2f} ± {np.std(values, ddof=1) / len(values) ** 0.5:4.2f}"


def how_often(masks):
    """The distinct selections, the most frequent first."""
    sets, counts = np.unique(np.array(masks), axis=0, return_counts=True)
    order = np.argsort(-counts, kind="stable")
    return ", ".join(f"{counts[i]} x {np.nonzero(sets[i])[0].tolist()}" for i in order[:3])


def consensus_accuracy(X, y, train, test, columns, seed, n_jobs):
    """Predict the class of the nearest consensus cluster."""
    Z = X[:, columns]
    model = RandomClusterEnsemble(random_state=seed, n_jobs=n_jobs, n_clusters=int(y.max()) + 1)
    labels = model.fit(Z[train]).labels_
    centres = np.array([Z[train][labels == c].mean(axis=0) for c in range(model.n_clusters_)])
    classes = [np.bincount(y[train][labels == c]).argmax() for c in range(model.n_clusters_)]
    return (np.array(classes)[pairwise_distances_argmin(Z[test], centres)] == y[test]).sum(), model


def table3(n_seeds, n_jobs, _):
    X, y = load("all-aml")
    X = filled(X)
    everything = np.arange(X.shape[1])
    results = []
    for seed in range(min(n_seeds, 5)):
        hits = np.zeros(2)
        folds = StratifiedKFold(10, shuffle=True, random_state=seed).split(X, y)
        for train, test in folds:
            with warnings.catch_warnings():  # a few of the many columns are in no clustering
                warnings.simplefilter("ignore", UserWarning)
                right, model = consensus_accuracy(X, y, train, test, everything, seed, n_jobs)
                hits[0] += right
                best = np.argsort(-np.nan_to_num(model.scores_), kind="stable")
                best = best[: X.shape[1] // 100]
                hits[1] += consensus_accuracy(X, y, train, test, best, seed, n_jobs)[0]
        results.append(100 * hits / len(y))
    whole, selected = np.array(results).T
    print(f"Table 3: leukemia, {len(results)} seeds; accuracy of the consensus in per cent")
    print(f"  all columns: paper 76.60, here {spread(whole)}")
    print(f"  best 1 %:    paper 83.75, here {spread(selected)}")


def waves(n_seeds, n_jobs, n_rows):
    print(f"Waves: {n_rows} rows, {n_seeds} seeds; columns kept, adjusted Rand index of 3-means")
    print(f"{'noise':5s}  {'fresh: waves':>12s} {'noise':>6s} {'all':>6s} {'kept':>6s}  "
          f"{'copies: waves':>13s} {'noise':>6s} {'all':>6s} {'kept':>6s}")  # fmt: skip
    for extra in (0, 19, 38, 76, 133, 190):
        row = []
        for kind in ("fresh", "copies"):
            counts = []
            for seed in range(n_seeds):
                fresh = extra if kind == "fresh" else 0
                X, y = make_waveform(n_rows, n_noise=19 + fresh, random_state=seed)
                X = np.hstack([X] + [X[:, 21:40]] * ((extra - fresh) // 19))
                kept = RandomClusterEnsemble(random_state=seed, n_jobs=n_jobs).fit(X).support_
                score = [
                    adjusted_rand_score(y, KMeans(3, random_state=seed).fit_predict(Z))
                    for Z in (X, X[:, kept])
                ]
                noise = kept[21:].sum() + kept[0] + kept[20]
                counts.append([kept[1:20].sum(), noise, *score])
            row += np.mean(counts, axis=0).tolist()
        print(f"{19 + extra:5d}  {row[0]:12.1f} {row[1]:6.1f} {row[2]:6.3f} {row[3]:6.3f}  "
              f"{row[4]:13.1f} {row[5]:6.1f} {row[6]:6.3f} {row[7]:6.3f}", flush=True)  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="3 seeds, 500 waves")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--n-jobs", type=int)
    parser.add_argument("--rows", type=int, default=5000, help="number of waves")
    options = parser.parse_args()
    start = time.perf_counter()
    # Small tables: the threads inside of k-means would cost more than they save
    with threadpool_limits(1):
        for part in options.parts:
            n_seeds = 3 if options.quick else 20 if part != "waves" else 5
            globals()[part](n_seeds, options.n_jobs, 500 if options.quick else options.rows)
            print()
    print(f"{time.perf_counter() - start:.0f} seconds")


if __name__ == "__main__":
    main()
