"""One method on one half of a set: what it selects, how long it takes, how well models do on it."""

import time
import warnings

import numpy as np
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import balanced_accuracy_score, r2_score
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.preprocessing import StandardScaler
from tasks import SIZES


def halves(task, n_repeats):
    """Pairs (training rows, test rows): each repeat is two independent halves that swap places."""
    for repeat in range(n_repeats):
        kind = StratifiedKFold if task.classes else KFold
        yield from kind(2, shuffle=True, random_state=repeat).split(task.X, task.y)


def models(classes):
    """A linear model, a local one and trees."""
    if classes:
        return (
            LogisticRegression(max_iter=200),
            KNeighborsClassifier(),
            RandomForestClassifier(20, random_state=0),
        )
    return Ridge(), KNeighborsRegressor(), RandomForestRegressor(20, random_state=0)


class Half:
    """Training and test rows of a task, and the scores of column sets that were seen before."""

    def __init__(self, task, train, test):
        self.task, self.train = task, train
        self.X, self.y = task.X.iloc[train].reset_index(drop=True), task.y[train]
        scaler = StandardScaler().fit(task.X.to_numpy(dtype=float)[train])
        Z = scaler.transform(task.X.to_numpy(dtype=float))
        self.Z, self.Z_test, self.y_test = Z[train], Z[test], task.y[test]
        self._scores = {}

    def select(self, method, seed):
        """Columns in order, and seconds."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            start = time.process_time()  # the machine may be busy
            order = method(self.X, self.y, self.task.classes, max(SIZES), seed)
            seconds = time.process_time() - start
        return np.asarray(order, dtype=int), seconds

    def scores(self, columns):
        """Balanced accuracy, or R2 from 0 up, of each model on these columns."""
        key = tuple(sorted(int(j) for j in columns))
        if key not in self._scores:
            self._scores[key] = [
                self._score(model, list(key)) for model in models(self.task.classes)
            ]
        return self._scores[key]

    def _score(self, model, columns):
        measure = balanced_accuracy_score if self.task.classes else r2_score
        if not columns:
            return 1.0 / len(np.unique(self.y)) if self.task.classes else 0.0
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            predicted = model.fit(self.Z[:, columns], self.y).predict(self.Z_test[:, columns])
        return round(max(0.0, float(measure(self.y_test, predicted))), 5)


def record(half, name, method, decides, fold):
    """What is kept of one method on one half; models are fitted on real sets only.

    Of generated sets the truth is known, which tells more than a model does.
    """
    order, seconds = half.select(method, fold)
    result = {
        "set": half.task.name, "method": name, "fold": fold, "seconds": round(seconds, 4),
        "order": order[: max(SIZES)].tolist(), "own": len(order) if decides else None,
    }  # fmt: skip
    if not half.task.generated:
        result["scores"] = {str(k): half.scores(order[:k]) for k in half.task.sizes}
        if decides:
            result["scores"]["own"] = half.scores(order)
    return result
