"""Tables 2 and 3 and figures 1 and 2 of the paper on random cluster ensembles.

Run ``python bench/papers/rce.py``; ``--quick`` takes 3 seeds and 500 waves, ``--parts`` restricts
the run to ``table2``, ``table3`` or ``waves``, ``--n-jobs`` takes threads. Data: see ``tables.py``;
leukemia is ``all-aml``; vehicle and ovarian are not at hand.

H. Elghazel and A. Aussem (2010), Feature selection for unsupervised learning using random cluster
ensembles, SUEMA.

* Table 2: k-means with as many clusters as there are classes, on all columns and on the selected
  ones; Rand index in per cent, mean and standard deviation over the seeds. Each seed gives one
  selection and one start of k-means (k-means++). The paper says neither how its k-means starts nor
  how columns are scaled, so "range" is shown too, selection and k-means on columns from 0 to 1
  (k-means in Weka, much used then, scales like that), and "standardised", on columns with mean
  0 and deviation 1. "published rule" lets the smallest consensus clusters vote too; "k of
  classes" clusters into as many clusters as there are classes, which a user without classes cannot.
* "any columns" is the best mean that k-means reaches on any subset of the columns, found by
  trying all of them (ecoli and iris): no selection can be above it.
* Missing cells (lung) are set to the median of their column. Ecoli has 336 rows here and 325 in the
  paper, which does not say which.
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
import time
import warnings

import numpy as np
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score, pairwise_distances_argmin, rand_score
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import minmax_scale, scale
from tables import load
from threadpoolctl import threadpool_limits

from ensfs import RandomClusterEnsemble
from ensfs.datasets import make_waveform

PARTS = ("table2", "table3", "waves")
PRINTED = {  # columns and Rand index of all columns and of RCE
    "ecoli": ("80.54 ± 0.82", " 5.30 ± 0.65", "84.02 ± 0.89"),
    "iris": ("86.32 ± 2.83", " 1.78 ± 0.57", "93.20 ± 1.87"),
    "lung-cancer": ("63.25 ± 2.87", "51.00 ± 2.03", "68.27 ± 1.98"),
}
VARIANTS = {
    "default": {},
    "published rule": {"min_cluster_size": 1},
    "k of classes": {"clusterer": KMeans},
    "range": {"standardise": "range"},
    "standardised": {"standardise": True},
}


def filled(X):
    return np.where(np.isnan(X), np.nanmedian(X, axis=0), X)


def scaled(X, how):
    """Columns as the selector has them."""
    if how == "range":
        return minmax_scale(X)
    return scale(X) if how else X


def rand_index(X, y, seed):
    found = KMeans(int(y.max()) + 1, random_state=seed).fit_predict(X)
    return 100 * rand_score(y, found)


def spread(values):
    return f"{np.mean(values):5.2f} ± {np.std(values, ddof=1):4.2f}"


def best_of_all_subsets(X, y, seeds):
    """The subset on which k-means does best, and how well it does."""
    p = X.shape[1]
    subsets = [s for m in range(1, p + 1) for s in itertools.combinations(range(p), m)]
    with warnings.catch_warnings():  # some columns have fewer distinct values than clusters
        warnings.simplefilter("ignore", ConvergenceWarning)
        means = [np.mean([rand_index(X[:, s], y, seed) for seed in seeds]) for s in subsets]
    return subsets[int(np.argmax(means))], max(means)


def table2(n_seeds, n_jobs, _):
    seeds = range(n_seeds)
    print(f"Table 2: number of columns and Rand index in per cent over {n_seeds} seeds")
    print(f"{'data set':12s} {'':16s} {'columns':>13s} {'Rand index':>13s}  how often")
    for name, (everything, columns, selected) in PRINTED.items():
        raw, y = load(name)
        raw = filled(raw)
        print(f"{name:12s} {'paper, all':16s} {raw.shape[1]:5d} {'':7s} {everything:>13s}")
        print(f"{'':12s} {'paper, RCE':16s} {columns:>13s} {selected:>13s}")
        for title, options in VARIANTS.items():
            X = scaled(raw, options.get("standardise"))
            options = dict(options)
            if "clusterer" in options:
                options["clusterer"] = KMeans(int(y.max()) + 1)
            if title in ("default", "range", "standardised"):
                whole = [rand_index(X, y, seed) for seed in seeds]
                print(
                    f"{'':12s} {'all, ' + title:16s} {X.shape[1]:5d} {'':7s} {spread(whole):>13s}"
                )
            chosen = [
                RandomClusterEnsemble(random_state=seed, n_jobs=n_jobs, **options).fit(raw).support_
                for seed in seeds
            ]
            found = [rand_index(X[:, s], y, seed) for seed, s in zip(seeds, chosen, strict=True)]
            sizes = [s.sum() for s in chosen]
            print(
                f"{'':12s} {title:16s} {spread(sizes):>13s} {spread(found):>13s}  "
                f"{how_often(chosen) if raw.shape[1] < 10 else ''}",
                flush=True,
            )
        if raw.shape[1] < 10:
            subset, best = best_of_all_subsets(raw, y, range(min(n_seeds, 5)))
            print(f"{'':12s} {'any columns':16s} {len(subset):5d} {'':7s} {best:5.2f}  {subset}")


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
