"""What all cases share: fits in several ways, comparisons, and a digest of all results."""

import hashlib
from collections import Counter
from functools import partial
from itertools import pairwise

import exact_twins as exact
import numpy as np
from sklearn.base import clone

from ensfs import FastEnsemble, InnerEnsemble, RowBlocks, statistics
from ensfs._utils import threads
from ensfs.scale import block_tables
from fuzzing.tables import shape

#: Names of what selectors and decompositions learn.
LEARNED = (
    "indices_", "scores_", "relevance_", "redundancy_", "removed_by_", "part_selections_",
    "added_", "tolerance_", "separating_sets_", "cut_points_", "subsets_", "subset_scores_",
)  # fmt: skip


class Case:
    """A random table, everything that is compared on it, and a digest of all results.

    Parameters
    ----------
    rng : Generator
        What all random numbers follow from.
    compare : bool
        Whether to compare with the definitions, which takes most of the time.
    """

    #: Whether the selectors take the table in blocks of rows.
    in_blocks = True

    def __init__(self, rng, compare=True):
        self.rng, self.compare = rng, compare
        self.counts, self.digest = Counter(), hashlib.sha256()
        self.n, self.p = shape(rng)
        most = 20 if rng.random() < 0.1 and self.p <= 6 else 6
        self.fold = np.r_[0, 1, rng.integers(0, rng.integers(2, most), self.n - 2)]
        self.fold = np.unique(self.fold, return_inverse=True)[1]
        self.k = int(rng.integers(1, min(self.p, 6) + 1))
        self.labels = rng.permutation(np.arange(self.n) % rng.integers(2, 6))

    def rows(self):
        """The rows of each part that leaves out a fold."""
        return [self.fold != t for t in range(self.fold.max() + 1)]

    def make_part(self, rows):
        """Exact measures of some rows."""
        raise NotImplementedError

    # ------------------------------------ results, kept and compared

    def keep(self, *values):
        for value in values:
            for each in listed(value):
                self.digest.update(np.ascontiguousarray(each).tobytes())

    def require(self, name, problem):
        if problem:
            raise AssertionError(f"{name}: {problem}")

    def equal(self, name, found, expected):
        found = found.tolist() if isinstance(found, np.ndarray) else found
        self.require(name, "" if found == expected else f"{found}, not {expected}")

    def close(self, name, found, expected, absolute=0.0):
        """Whether a measure is what it is by definition; `expected` is called if need be."""
        self.counts[name] += 1
        self.keep(found)
        if self.compare:
            np.testing.assert_allclose(
                found, expected(), rtol=1e-9, atol=absolute, err_msg=f"{name}\n"
            )

    # ------------------------------------ fits

    def fit(self, name, estimator, X, y, blocks=True):
        """A fit with one thread, compared with four, and with blocks of rows."""
        self.counts[name] += 1
        one = clone(estimator).fit(X, y)
        learned = {each: getattr(one, each) for each in LEARNED if hasattr(one, each)}
        self.keep(*learned.values())
        with small_limits(self.rng):
            four = clone(estimator).set_params(n_jobs=4).fit(X, y)
            self.same(f"{name}, 4 threads", learned, four)
            if blocks and self.in_blocks:
                self.counts["row blocks"] += 1
                self.same(f"{name}, blocks", learned, clone(estimator).fit(self.blocks(X, y)))
        return one

    def same(self, name, learned, other):
        for attribute, value in learned.items():
            both = listed(value), listed(getattr(other, attribute))
            for a, b in zip(*both, strict=True):
                np.testing.assert_array_equal(a, b, err_msg=f"{name}: {attribute}\n")

    def blocks(self, X, y):
        cuts = np.sort(self.rng.integers(1, self.n, self.rng.integers(0, 4)))
        edges = np.unique([0, *cuts, self.n])
        return RowBlocks([(X[a:b], y[a:b]) for a, b in pairwise(edges)])

    # ------------------------------------ selections of all rows and of parts

    def check_selections(self, name, selector, X, y, wrong, inner=True):
        """A selector, alone and in both ensembles; `wrong` finds what is wrong with columns."""
        one = self.fit(name, selector, X, y)
        fast = self.fit(f"FastEnsemble {name}", FastEnsemble(selector, folds=self.fold), X, y)
        self.require(name, self.wrong_vote(fast))
        if inner:
            averaged = InnerEnsemble(selector, folds=self.fold)
            averaged = self.fit(f"InnerEnsemble {name}", averaged, X, y)
        if not self.compare:
            return
        self.require(name, wrong(self.whole, one.indices_.tolist()))
        for t, (part, found) in enumerate(zip(self.parts, fast.part_selections_, strict=True)):
            self.require(f"{name}, part {t}", wrong(part, found.tolist()))
        if inner:
            found = averaged.indices_.tolist()
            self.require(f"{name}, averaged", wrong(exact.MeanPart(self.parts), found))

    def check_halves(self, name, selector, X, y, wrong):
        """Complementary halves, each against the definition on its rows."""
        if self.n < 16:
            return
        seed, n_folds = int(self.rng.integers(1000)), int(self.rng.choice([8, 10]))
        n_folds = min(n_folds, self.n // 4 * 2)
        fast = FastEnsemble(selector, parts="halves", n_parts=4, n_folds=n_folds, random_state=seed)
        fast = self.fit(f"halves of {name}", fast, X, y)
        self.require(name, self.wrong_vote(fast))
        draw, fold = np.random.default_rng(seed), np.arange(self.n) % n_folds
        for b in (0, 2) if self.compare else ():
            first = np.isin(fold, draw.permutation(n_folds)[: n_folds // 2])
            for t, rows in ((b, first), (b + 1, ~first)):
                found = fast.part_selections_[t].tolist()
                self.require(f"{name}, half {t}", wrong(self.make_part(rows), found))
                self.check_half(f"{name}, half {t}", clone(selector), X[rows], y[rows], found)

    def check_half(self, name, selector, X, y, found):
        """Compare with a fit on the rows of a half, where that has no rounding of its own."""

    def wrong_vote(self, ensemble):
        """What is wrong with the vote of parts. Fillers, two or more at the end, have none."""
        parts = [part.tolist() for part in ensemble._voted(self.p)]
        for voted, part in zip(parts, map(list, ensemble.part_selections_), strict=True):
            if voted != part[: len(voted)] or len(part) - len(voted) == 1:
                return f"{part} cannot vote for {voted}"
        votes = Counter(f for part in parts for f in part)
        places = [
            sum(2 * part.index(f) + 2 if f in part else self.p + len(part) + 1 for part in parts)
            for f in range(self.p)
        ]
        order = sorted(votes, key=lambda f: (-votes[f], places[f], f))
        found = ensemble.indices_.tolist()
        return "" if found == order[: len(found)] else f"the vote of {parts} is not {found}"

    def greedy(self, scores, quotient=False, **options):
        """What finds whether columns cannot be those of a greedy search by scores of a part."""

        def wrong(part, found):
            of_part = partial(scores, part)
            return exact.what_is_wrong(part, found, self.k, of_part, quotient, **options)

        return wrong


def listed(value):
    """The arrays of a learned attribute, in a fixed order."""
    if isinstance(value, dict):
        return [np.asarray(each) for key in sorted(value) for each in (key, value[key])]
    return value if isinstance(value, list) else [value]


class small_limits:  # noqa: N801
    """Threads share the least work, and calls and caches may be small; results stay the same."""

    def __init__(self, rng):
        self.values = {
            (threads, "_MIN_SHARED_CELLS"): 0,
            (threads, "CALL_CELLS"): int(rng.choice([64, 1 << 25])),
            (statistics.source, "CACHE_BYTES"): int(rng.choice([1, 1 << 24])),
            (block_tables, "SUMS_BYTES"): int(rng.choice([1, 1 << 28])),
        }

    def __enter__(self):
        self.before = {key: getattr(*key) for key in self.values}
        for key, value in self.values.items():
            setattr(*key, value)

    def __exit__(self, *_):
        for key, value in self.before.items():
            setattr(*key, value)
