"""What ensembles gain in stability and accuracy, at equal size: the table of the guide.

Every set is halved ten times; each half selects, a model is trained on it and scored on the other.
``ENSFS_DATA=... python bench/quality/stability.py``
"""

import sys
import warnings

import numpy as np
from scipy.stats import rankdata
from sets import numbers_only
from sklearn.feature_selection import RFE, SelectKBest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import RepeatedStratifiedKFold, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from ensfs import MRMR, FastEnsemble, StabilitySelector
from ensfs.datasets import fetch_dataset
from ensfs.evaluation import compare_selectors

SETS = (
    "wdbc", "wine", "sonar", "ionosphere", "heart-statlog", "pima", "glass", "colon", "srbct",
    "musk1", "reged0", "optdigits_train",
)  # fmt: skip
MAX_ROWS = 400


class MostFrequent(StabilitySelector):
    """As many columns as a half selects: those that most halves select."""

    def fit(self, X, y=None):
        """Select columns."""
        super().fit(X, y)
        order = np.argsort(-self.selection_frequency_, kind="stable")
        self._set_selected(order[: round(self.mean_size_)], self.selection_frequency_)
        return self


def load(name):
    """Numbers, standardized, and classes of a set; at most `MAX_ROWS` rows, drawn once."""
    bunch = fetch_dataset(name, as_frame=True)
    X, y = numbers_only(bunch.data).to_numpy(dtype=float), np.asarray(bunch.target)
    if len(y) > MAX_ROWS:
        X, _, y, _ = train_test_split(X, y, train_size=MAX_ROWS, stratify=y, random_state=0)
    X = X[:, np.ptp(X, axis=0) > 0]
    return StandardScaler().fit_transform(X), y


def methods(k):
    """The rivals, `k` columns each, but for the last."""
    rank = MRMR(k, discrete_features=False)
    return {
        "`MRMR`": rank,
        "`FastEnsemble`, leave-one-out": FastEnsemble(rank),
        "`FastEnsemble`, 20 halves": FastEnsemble(rank, parts="halves"),
        "`StabilitySelector`, most frequent": MostFrequent(rank, threshold=0.9),
        "`SelectKBest`": SelectKBest(k=k),
        "`RFE`, logistic regression": RFE(
            LogisticRegression(max_iter=200), n_features_to_select=k, step=0.3
        ),
        "`StabilitySelector`, its own number": StabilitySelector(rank, threshold=0.75),
    }


def compare(name):
    """The comparison on one set."""
    X, y = load(name)
    k = min(10, X.shape[1] // 2)
    halves = RepeatedStratifiedKFold(n_splits=2, n_repeats=10, random_state=0)
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    return compare_selectors(methods(k), X, y, estimator=model, cv=halves, baseline=False)


def run(sets, comparison):
    """Compare on every set, and print the means over the sets as a table in Markdown."""
    found = []
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")  # models that do not converge, halves that agree on nothing
        for name in sets:
            found.append(comparison(name))
            print(name, str(found[-1]), sep="\n", file=sys.stderr, flush=True)
    scores = np.array([each.scores.mean(axis=1) for each in found])
    stability = np.array(
        [[np.nan if s is None else s.stability for s in each.stability] for each in found]
    )
    ranks = rankdata(-scores.round(12), axis=1).mean(axis=0)
    print("| selector | columns | accuracy | mean rank | stability | seconds |")
    print("| --- | --- | --- | --- | --- | --- |")
    for i, name in enumerate(found[0].names):
        columns = np.mean([each.sizes[i].mean() for each in found])
        seconds = np.mean([np.median(each.seconds[i]) for each in found])
        print(
            f"| {name} | {columns:.1f} | {scores[:, i].mean():.3f} | {ranks[i]:.2f} | "
            f"{np.nanmean(stability[:, i]):.3f} | {seconds:.3f} |"
        )


if __name__ == "__main__":
    run(SETS, compare)
