"""Table 2, Figures 2 and 3 of Schowe and Morik (2010), and their comparison with bagging.

Run ``python bench/papers/fast_ensembles_accuracy.py``; ``--parts`` restricts the run to ``table2``,
``figure2`` or ``figure3``, ``--sets`` to some sets; ``--repeats`` and ``--shuffles`` are 10 in the
paper, ``--sizes`` 1 to 50. Data: see ``tables.py``.

* Table 2: for each set, learner and number of columns k, which of fast ensemble, inner ensemble and
  plain mRMR gives the most accurate classifier (ten folds, selection inside the folds). A win needs
  more than both others. Below it the wins, ties and losses of the pairs over all experiments.
* Learners: naive Bayes (on codes that of categories), five nearest neighbours, a forest of 50
  trees, and on continuous tables of two classes a linear support vector machine and logistic
  regression. The paper names no settings; columns are standardized for the last three.
* A selection of k columns is the first k of the largest: mRMR adds column after column. The parts
  of an ensemble vote for each k anew, as in ``FastEnsemble``.
* Figure 2: mean Jaccard index of ten selections, each without a tenth of the rows, of plain mRMR,
  the inner ensemble, the fast ensemble (which is the full one; a test holds that) and the same vote
  of 20 bootstrap samples. Figure 3: the fast ensemble with 5 to 50 parts.
* The digits: 1,000 of 3,823 rows, unless ``--rows`` says otherwise.
"""

import argparse
import time
import warnings

import numpy as np
from fast_ensembles import TABLE_1, subsets
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import CategoricalNB, GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from tables import load, progress

from ensfs import MRMR, FastEnsemble, InnerEnsemble
from ensfs.evaluation import jaccard_stability

METHODS = ("fast", "inner", "plain")
#: Fast / inner / plain as printed, by learner: times ahead of both others, k = 1 to 50.
TABLE_2 = {
    "sonar": {
        "5NN": (18, 13, 19), "NB": (14, 22, 13), "RF": (23, 15, 11),
        "SVM": (18, 19, 12), "LR": (15, 22, 12),
    },
    "ionosphere": {
        "5NN": (18, 4, 11), "NB": (17, 7, 10), "RF": (19, 4, 10),
        "SVM": (20, 11, 2), "LR": (18, 9, 6),
    },
    "musk1": {
        "5NN": (4, 17, 29), "NB": (2, 27, 21), "RF": (14, 6, 7),
        "SVM": (21, 13, 16), "LR": (18, 9, 20),
    },
    "lung_s3": {"5NN": (23, 11, 15), "NB": (21, 16, 12), "RF": (16, 15, 19)},
    "optdigits_train": {"5NN": (37, 7, 6), "NB": (27, 8, 14), "RF": (17, 19, 14)},
    "colon_s3": {"5NN": (23, 14, 13), "NB": (16, 20, 12), "RF": (8, 22, 18)},
    "leukemia_s3": {"5NN": (17, 21, 11), "NB": (20, 11, 19), "RF": (21, 19, 7)},
    "lymphoma_s3": {"5NN": (32, 6, 11), "NB": (43, 5, 2), "RF": (44, 2, 2)},
    "nci9_s3": {"5NN": (20, 17, 10), "NB": (31, 8, 9), "RF": (17, 22, 9)},
}  # fmt: skip
#: Wins, ties and losses over all experiments, as printed.
PAIRS = {
    ("fast", "plain"): "884/52/634",
    ("inner", "plain"): "785/55/730",
    ("fast", "inner"): "849/50/671",
}


def selector(k, p, nominal):
    return MRMR(k, scheme="quotient", correction=None, discrete_features=np.full(p, nominal))


def vote(parts, k, p):
    """The k columns that most parts have among their first k; ties by mean place, then column."""
    counts, places = np.zeros(p), np.full(p, len(parts) * (p + k + 1) / 2)
    for part in parts:
        first = np.asarray(part[:k], dtype=int)
        counts[first] += 1
        places[first] += np.arange(1, len(first) + 1) - (p + k + 1) / 2
    order = np.lexsort((np.arange(p), places, -counts))
    return order[:k]


def bootstraps(one, X, y, n_parts, rng):
    """Selections on bootstrap samples."""
    rows = rng.integers(0, len(y), (n_parts, len(y)))
    return [one.fit(X[r], y[r]).indices_ for r in rows]


def selections(X, y, nominal, sizes, methods, rng):
    """Selected columns of each method for each size, from one fit with the largest."""
    p, largest = X.shape[1], min(max(sizes), X.shape[1])
    one = selector(largest, p, nominal)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # fewer columns than asked are worth having
        made = {}
        for method in methods:
            if method in ("plain", "inner"):
                order = (one if method == "plain" else InnerEnsemble(one)).fit(X, y).indices_
                made[method] = [order[:k] for k in sizes]
                continue
            if method == "bagging":
                parts = bootstraps(one, X, y, 20, rng)
            else:
                n_parts = 20 if method == "fast" else int(method)
                parts = FastEnsemble(one, n_parts=n_parts).fit(X, y).part_selections_
            made[method] = [vote(parts, k, p) for k in sizes]
    return made


# ---------------------------------------------------------------------------------------------
# Table 2


def learners(nominal, n_classes, n_levels):
    """The five of the paper, where they apply."""
    made = {
        "5NN": KNeighborsClassifier(5),
        "NB": CategoricalNB(min_categories=n_levels) if nominal else GaussianNB(),
        "RF": RandomForestClassifier(50, random_state=0),
    }
    if not nominal and n_classes == 2:
        made["SVM"] = make_pipeline(StandardScaler(), SVC(kernel="linear"))
        made["LR"] = make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000))
    return made


def accuracies(name, options):
    """Accuracy by learner: an array of methods by sizes."""
    X, y, nominal = table(name, options)
    sizes = [k for k in options.sizes if k <= X.shape[1]]
    hits = {}
    for repeat in range(options.repeats):
        folds = StratifiedKFold(10, shuffle=True, random_state=repeat)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # classes of fewer rows than folds
            parts = list(folds.split(X, y))
        for i, (train, test) in enumerate(parts):
            progress(f"{name}: run {repeat + 1}, fold {i + 1}")
            rng = np.random.default_rng(repeat)
            chosen = selections(X[train], y[train], nominal, sizes, METHODS, rng)
            for title, model in learners(
                nominal, len(np.unique(y)), int(X.max()) + 1 if nominal else 0
            ).items():
                right = hits.setdefault(title, np.zeros((3, len(sizes))))
                for m, method in enumerate(METHODS):
                    for s, columns in enumerate(chosen[method]):
                        model.fit(X[np.ix_(train, columns)], y[train])
                        right[m, s] += (model.predict(X[np.ix_(test, columns)]) == y[test]).sum()
    progress("")
    return {title: right / (len(y) * options.repeats) for title, right in hits.items()}


def table_2(options):
    print(f"\nTable 2: times ahead of both others, fast / inner / plain, k in {options.sizes}")
    pairs = {pair: [0, 0, 0] for pair in PAIRS}
    total, best = np.zeros(3, dtype=int), 0
    for name in options.sets:
        start = time.perf_counter()
        for title, values in accuracies(name, options).items():
            ahead = [
                int(sum(all(v[m] > v[n] for n in range(3) if n != m) for v in values.T))
                for m in range(3)
            ]
            for (a, b), count in pairs.items():
                difference = values[METHODS.index(a)] - values[METHODS.index(b)]
                for place, sign in enumerate((1, 0, -1)):
                    count[place] += int((np.sign(difference) == sign).sum())
            total += ahead
            best += ahead[0] > max(ahead[1:])
            print(
                f"{name:16s} {title:4s} {shown(ahead):>10s}"
                f"  printed {shown(TABLE_2[name].get(title)):>10s}  mean accuracy "
                + " ".join(f"{100 * v:.1f}" for v in values.mean(axis=1)),
                flush=True,
            )
        print(f"{time.process_time():.0f} s of the processor, {time.perf_counter() - start:.0f} s")
    print(f"all: {shown(total)}; fast has the most wins in {best} rows")
    for (a, b), count in pairs.items():
        print(f"{a} against {b}: {shown(count)}, printed {PAIRS[a, b]}")


def shown(counts):
    return "-" if counts is None else "/".join(str(c) for c in counts)


# ---------------------------------------------------------------------------------------------
# Figures 2 and 3


def stability(name, methods, options):
    """Mean Jaccard index by method and size."""
    X, y, nominal = table(name, options)
    sizes = [k for k in options.sizes if k <= X.shape[1]]
    found = {method: np.zeros(len(sizes)) for method in methods}
    for shuffle in range(options.shuffles):
        progress(f"{name}: shuffle {shuffle + 1} of {options.shuffles}")
        rng = np.random.default_rng(shuffle)
        runs = [
            selections(X[rows], y[rows], nominal, sizes, methods, rng)
            for rows in subsets(len(y), shuffle)
        ]
        for method in methods:
            for s in range(len(sizes)):
                chosen = [run[method][s] for run in runs]
                found[method][s] += jaccard_stability(chosen) / options.shuffles
    progress("")
    return sizes, found


def figure(title, methods, options):
    print(f"\n{title}, {options.shuffles} shuffles")
    means = {}
    for name in options.sets:
        start = time.perf_counter()
        sizes, found = stability(name, methods, options)
        print(f"{name:16s} k      " + " ".join(f"{k:6d}" for k in sizes))
        for method in methods:
            means.setdefault(method, {})[name] = found[method].mean()
            shown_values = " ".join(f"{v:6.3f}" for v in found[method])
            print(f"{'':16s} {method:7s}{shown_values}", flush=True)
        print(f"{time.perf_counter() - start:.0f} seconds")
    for method, values in means.items():
        print(f"{method:8s} mean over sets and k {np.mean(list(values.values())):.3f}")
    return means


def table(name, options):
    X, y = load(name)
    if len(y) > options.rows:
        keep = np.random.default_rng(0).permutation(len(y))[: options.rows]
        X, y = X[keep], y[keep]
    nominal = TABLE_1[name][3]
    return X - X.min(axis=0) if nominal else X, y, nominal  # codes from 0, for naive Bayes


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parts = ("table2", "figure2", "figure3")
    parser.add_argument("--parts", nargs="+", choices=parts, default=list(parts))
    parser.add_argument("--sets", nargs="+", choices=list(TABLE_2), default=list(TABLE_2))
    parser.add_argument("--sizes", nargs="+", type=int, default=[1, 2, 3, 5, 7, 10, 15, 20, 30, 50])
    parser.add_argument("--repeats", type=int, default=1, help="of ten folds (paper: 10)")
    parser.add_argument("--shuffles", type=int, default=3, help="of the rows (paper: 10)")
    parser.add_argument("--rows", type=int, default=1000, help="of a set, at most")
    options = parser.parse_args()
    if "figure2" in options.parts:
        means = figure("Figure 2: stability", ("plain", "inner", "fast", "bagging"), options)
        less = sum(means["bagging"][name] < means["fast"][name] for name in options.sets)
        print(f"bagging is less stable than the fast ensemble on {less} of {len(options.sets)}")
    if "figure3" in options.parts:
        figure("Figure 3: stability by parts", ("5", "10", "20", "50"), options)
    if "table2" in options.parts:
        table_2(options)


if __name__ == "__main__":
    main()
