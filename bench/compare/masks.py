"""Times of what the ensembles of models compute in kernels, beside scikit-learn and plain loops.

Run ``python bench/compare/masks.py``. Both sides run in one process, in turns, on one thread; the
least CPU time of several turns counts. DESlib, which has the pairwise measures of diversity, is
timed if it is installed; otherwise the loop over pairs and rows that it consists of.
"""

import itertools
import time

import numpy as np
import sklearn
from machine import describe
from sklearn.neighbors import KNeighborsClassifier
from threadpoolctl import threadpool_limits

from ensfs import FeatureMaskClassifier
from ensfs.ensemble._mask_search import NeighbourScores, climb, random_mask
from ensfs.ensemble._orders import prefix_right
from ensfs.evaluation import agreement


def least(*functions, turns=7):
    """Least CPU seconds of each function, called in turns."""
    best = [np.inf] * len(functions)
    for _ in range(turns):
        for i, function in enumerate(functions):
            start = time.process_time()
            function()
            best[i] = min(best[i], time.process_time() - start)
    return best


def row(what, ours, theirs, who):
    """One line of the table, in milliseconds."""
    print(f"| {what} | {ours * 1e3:.3f} | {theirs * 1e3:.2f} | {who} | {theirs / ours:.0f} |")


def accuracy(truth, labels):
    """Share of right labels."""
    return float(np.count_nonzero(truth == labels) / truth.size)


def flips():
    """One flip of a mask: on the paper's split, and by leave-one-out on all of its rows."""
    rng = np.random.default_rng(0)
    for k in (1, 3):
        test, train = rng.normal(size=(250, 53)), rng.normal(size=(330, 53))
        y = rng.integers(2, size=330)
        mask = random_mask(53, rng)
        masked = NeighbourScores(
            rng.integers(2, size=250), accuracy, test, train, y, np.arange(53), np.ones(53), 2, k
        )
        masked.set_mask(mask)
        knn = KNeighborsClassifier(k, algorithm="brute")
        flipped = mask ^ (np.arange(53) == 7)

        def scikit_learn(knn=knn, train=train, test=test, y=y, flipped=flipped):
            knn.fit(train[:, flipped], y).predict(test[:, flipped])

        def ours(masked=masked):
            for _ in range(20):
                masked.score(flipped=7)

        mine, theirs = least(ours, scikit_learn)
        row(f"flip, 330 / 250 rows, 53 columns, k = {k}", mine / 20, theirs, "KNeighborsClassifier")
    X, y = rng.normal(size=(1355, 53)), rng.integers(2, size=1355)
    for k in (1, 3):
        masked = NeighbourScores(y, accuracy, X, X, y, np.arange(53), np.ones(53), 2, k, own=0)
        masked.set_mask(mask)
        for j, what in ((np.argmin(mask), "more"), (np.argmax(mask), "less")):
            flipped = X[:, mask ^ (np.arange(53) == j)]
            knn = KNeighborsClassifier(k, algorithm="brute").fit(flipped, y)

            def ours(masked=masked, j=j):
                for _ in range(5):  # one after the other, as in a climb
                    masked.score(flipped=j)

            def scikit_learn(knn=knn, k=k):
                for _ in range(5):
                    y[knn.kneighbors(None, k, return_distance=False)]

            mine, theirs = least(ours, scikit_learn)
            what = f"a column {what}, leave-one-out on 1,355 rows, k = {k}"
            row(what, mine / 5, theirs / 5, "kneighbors(None)")


def climbs():
    """A whole climb by leave-one-out, and the paper's 50 masks."""
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(1355, 53)), rng.integers(2, size=1355)
    start = random_mask(53, rng)

    class Neighbours:
        """What scikit-learn does for each mask."""

        def set_mask(self, mask):
            self.mask = mask.copy()

        def flip(self, j):
            self.mask[j] = not self.mask[j]

        def score(self, flipped=None):
            mask = self.mask if flipped is None else self.mask ^ (np.arange(53) == flipped)
            knn = KNeighborsClassifier(1, algorithm="brute").fit(X[:, mask], y)
            return accuracy(y, y[knn.kneighbors(None, 1, return_distance=False)[:, 0]])

    def ours():
        scores = NeighbourScores(y, accuracy, X, X, y, np.arange(53), np.ones(53), 2, 1, own=0)
        climb(scores, start, 2)

    mine, theirs = least(ours, lambda: climb(Neighbours(), start, 2), turns=2)
    row("two rounds of a climb by leave-one-out", mine, theirs, "kneighbors(None)")
    X, y = rng.normal(size=(580, 53)), rng.integers(2, size=580)
    model = FeatureMaskClassifier(n_estimators=50, random_state=0)
    (seconds,) = least(lambda: model.fit(X, y), turns=2)
    tried = int(model.search_rounds_.sum() * 53)
    print(f"the climb of 50 masks, 580 rows, 53 columns: {seconds:.2f} s, {tried} flips")


def votes():
    """Votes of the first trees in 33 orders, and agreement of pairs."""
    rng = np.random.default_rng(0)
    members, y = rng.integers(2, size=(500, 2000)), rng.integers(2, size=2000)
    orders = [rng.permutation(500) for _ in range(33)]

    def plain():
        """One order: count the votes of every prefix anew."""
        for size in range(1, 501):
            np.count_nonzero((members[orders[0][:size]].mean(axis=0) > 0.5) == y)

    mine, theirs = least(lambda: prefix_right(members, y, 2, orders), plain, turns=3)
    row("votes of prefixes, 500 trees, 2,000 rows, 33 orders", mine, 33 * theirs, "NumPy, anew")
    predictions = rng.integers(2, size=(100, 1000))
    truth = rng.integers(2, size=1000)
    (mine,) = least(lambda: agreement(predictions))
    try:
        from deslib.util.diversity import compute_pairwise_diversity, disagreement_measure
    except ImportError:
        who = "loop over pairs and rows"

        def theirs():
            lists = predictions[:10].tolist()
            for a, b in itertools.combinations(lists, 2):
                counts = [0, 0, 0, 0]
                for label, first, second in zip(truth.tolist(), a, b, strict=True):
                    counts[2 * (first == label) + (second == label)] += 1

        scale = 4950 / 45
    else:
        who = "DESlib"

        def theirs():
            compute_pairwise_diversity(truth, predictions.T, disagreement_measure)

        scale = 1
    (other,) = least(theirs, turns=2)
    row("agreement of 100 members, 1,000 rows", mine, other * scale, who)


def main():
    """Print the table."""
    machine = describe()
    print({key: machine[key] for key in ("date", "processor", "cores", "load", "python")})
    print(f"scikit-learn {sklearn.__version__}, one thread, least CPU time of several turns\n")
    print("| what | ours, ms | theirs, ms | theirs | times as fast |\n" + "| --- " * 5 + "|")
    with threadpool_limits(1):
        flips()
        votes()
        climbs()


if __name__ == "__main__":
    main()
