"""A random table of a seed, and everything that is compared on it; see fuzz.py."""

import hashlib
import traceback
import warnings
from collections import Counter
from functools import partial
from itertools import pairwise

import causal_twins
import exact_twins as exact
import numpy as np
import twins
from greedy_twins import CRITERIA
from sklearn.base import clone

from ensfs import (
    CFS,
    FCBF,
    IAMB,
    MMPC,
    MRMR,
    FastEnsemble,
    G2Test,
    GrowShrink,
    InnerEnsemble,
    InterIAMB,
    ITDecomposition,
    RowBlocks,
    measures,
    statistics,
)
from ensfs._utils import threads
from ensfs.scale import block_tables

#: Names of what selectors learn.
LEARNED = ("indices_", "scores_", "relevance_", "redundancy_", "removed_by_", "part_selections_")

# ---------------------------------------- tables


def continuous(rng, n, p, fold):
    """A table of numbers and the kind of it."""
    X = rng.normal(size=(n, p))
    kind = rng.choice(["plain", "offsets", "folds apart", "ties", "float32", "scales", "outlier"])
    if kind == "offsets":
        X += 10.0 ** rng.uniform(0, 12, p) * rng.choice([-1, 1], p)
    elif kind == "folds apart":
        e = fold.max() + 1
        size = 10.0 ** rng.uniform(0, 12, (e, p) if rng.random() < 0.5 else 1)
        X += (rng.normal(size=(e, p)) * size * rng.integers(0, 2, (e, p)))[fold]
    elif kind == "ties":
        X = rng.integers(0, rng.integers(2, 5), (n, p)).astype(float)
    elif kind == "float32":
        X = (X + rng.choice([0, 100.0, 1e4], p)).astype(np.float32)
    elif kind == "scales":
        X *= 10.0 ** rng.integers(-9, 9, p)
    elif kind == "outlier":
        X[rng.integers(n)] = 10.0 ** rng.uniform(0, 9)
    return X, kind


def with_copies(X, rng):
    """Some columns are copies of others, moved in sign or scale, or constant."""
    for _ in range(rng.integers(0, 3)):
        X[:, rng.integers(X.shape[1])] = X[:, rng.integers(X.shape[1])] * rng.choice([1, -1, 4])
    if rng.random() < 0.4:
        X[:, rng.integers(X.shape[1])] = 0.1
    return np.asarray(X, order=rng.choice(["C", "F"]))


def discrete(rng, n, p, y):
    """A table of discrete values and the kind of it."""
    kind = str(rng.choice(["few levels", "many levels", "gaps", "binary", "text", "bytes"]))
    top = {"few levels": 9, "many levels": 300, "gaps": 12, "binary": 3}.get(kind, 14)
    X = rng.integers(0, rng.integers(1, top, p), (n, p))
    X = np.where(rng.random((n, p)) < rng.uniform(0.2, 1.2, p), X, y[:, None])
    X[:, rng.integers(p)] = X[:, rng.integers(p)]
    X[:, rng.integers(p)] = 20 - X[:, rng.integers(p)]
    if kind == "gaps":
        values = np.sort(rng.choice(2**40, 400, replace=False)) - 2**39
        X = values[X + 20]
    elif kind == "text":
        X = np.char.add("v", X.astype(str)).astype(object)
    elif kind == "bytes":
        X = (X + 20).astype(np.uint8)
    return np.asarray(X, order=rng.choice(["C", "F"])), kind


def shape(rng):
    """Rows and columns: few rows, more columns than a panel holds, or small both."""
    which = rng.random()
    if which < 0.2:
        return int(rng.integers(3, 8)), int(rng.integers(1, 6))
    if which < 0.35:
        return int(rng.integers(10, 80)), int(rng.integers(33, 70))
    if which < 0.45:
        return int(rng.integers(200, 700)), int(rng.integers(2, 6))
    return int(rng.integers(8, 70)), int(rng.integers(2, 12))


# ---------------------------------------- one case


class Case:
    """A random table, everything that is compared on it, and a digest of all results.

    Parameters
    ----------
    seed : int
        What all random numbers follow from.
    compare : bool
        Whether to compare with the definitions, which takes most of the time.
    """

    def __init__(self, seed, compare=True):
        self.rng = rng = np.random.default_rng(seed)
        self.compare = compare
        self.counts, self.digest = Counter(), hashlib.sha256()
        self.n, self.p = shape(rng)
        most = 20 if rng.random() < 0.1 and self.p <= 6 else 6
        self.fold = np.r_[0, 1, rng.integers(0, rng.integers(2, most), self.n - 2)]
        self.fold = np.unique(self.fold, return_inverse=True)[1]
        self.k = int(rng.integers(1, min(self.p, 6) + 1))
        self.labels = rng.permutation(np.arange(self.n) % rng.integers(2, 6))

    def run(self):
        if self.rng.random() < 0.5:
            self.run_numbers()
        else:
            self.run_counts()

    # ------------------------------------ results, kept and compared

    def keep(self, *values):
        for value in values:
            for each in value if isinstance(value, list) else [value]:
                self.digest.update(np.ascontiguousarray(each).tobytes())

    def require(self, name, problem):
        if problem:
            raise AssertionError(f"{name}: {problem}")

    def close_f(self, name, found, expected, n):
        """As `close`; an F of numbers that is large must fit what its column leaves of y."""
        self.counts[name] += 1
        self.keep(found)
        if self.compare:
            expected = np.array(expected())
            left, right = (1 / (1 + f / np.maximum(n - 2, 1)) for f in (found, expected))
            with np.errstate(invalid="ignore"):
                good = np.abs(found - expected) <= 1e-9 * expected + 1e-12
            good |= (found == expected) | (np.abs(left - right) < 5e-14 + 2e-15 * n)
            self.require(name, "" if good.all() else f"{found}, not {expected}")

    def close(self, name, found, expected, absolute=0.0):
        """Whether a measure is what it is by definition; `expected` is called if need be."""
        self.counts[name] += 1
        self.keep(found)
        if self.compare:
            np.testing.assert_allclose(
                found, expected(), rtol=1e-9, atol=absolute, err_msg=f"{name}\n"
            )

    def fit(self, name, selector, X, y, blocks=True):
        """A fit with one thread, compared with four, and with blocks of rows."""
        self.counts[name] += 1
        one = clone(selector).fit(X, y)
        learned = {each: getattr(one, each) for each in LEARNED if hasattr(one, each)}
        self.keep(*learned.values())
        with small_limits(self.rng):
            self.same(f"{name}, 4 threads", learned, clone(selector).set_params(n_jobs=4).fit(X, y))
            if blocks:
                self.counts["row blocks"] += 1
                self.same(f"{name}, blocks", learned, clone(selector).fit(self.blocks(X, y)))
        return one

    def same(self, name, learned, other):
        for attribute, value in learned.items():
            both = [v if isinstance(v, list) else [v] for v in (value, getattr(other, attribute))]
            for a, b in zip(*both, strict=True):
                np.testing.assert_array_equal(a, b, err_msg=f"{name}: {attribute}\n")

    def blocks(self, X, y):
        cuts = np.sort(self.rng.integers(1, self.n, self.rng.integers(0, 4)))
        edges = np.unique([0, *cuts, self.n])
        return RowBlocks([(X[a:b], y[a:b]) for a, b in pairwise(edges)])

    def rows(self):
        return [self.fold != t for t in range(self.fold.max() + 1)]

    # ------------------------------------ numbers

    def run_numbers(self):
        rng = self.rng
        X, kind = continuous(rng, self.n, self.p, self.fold)
        X = with_copies(X, rng)
        y = X[:, 0].astype(float) * rng.uniform(0, 2) + rng.normal(size=self.n)
        self.kind = f"numbers: {kind}"
        self.counts[self.kind] += 1
        numeric = rng.random() < 0.5
        y = y if numeric else self.labels
        part = partial(exact.NumbersPart, classes=not numeric)
        parts = [part(X[rows], y[rows]) for rows in self.rows()] if self.compare else []
        whole = part(X, y) if self.compare else None
        self.measure_numbers(X, y, numeric, whole, parts)
        for relevance in ("pearson",) if numeric else ("f_test",):
            for scheme in ("quotient", "difference"):
                self.select_numbers(X, y, relevance, scheme, whole, parts)

    def measure_numbers(self, X, y, numeric, whole, parts):
        columns = range(self.p)
        if numeric:
            self.close(
                "pearson",
                measures.pearson(X, y),
                lambda: [whole.pearson(f) for f in columns],
                1e-12,
            )
            self.close(
                "pearson of parts", measures.pearson(X, y, folds=self.fold, n_jobs=4),
                lambda: [[part.pearson(f) for part in parts] for f in columns], 1e-12,
            )  # fmt: skip
        close = partial(self.close_f, n=self.n) if numeric else partial(self.close, absolute=1e-12)
        close("f_test", measures.f_test(X, y), lambda: [whole.f_test(f) for f in columns])
        if numeric:
            close = partial(self.close_f, n=np.array([rows.sum() for rows in self.rows()]))
        found = measures.f_test(X, y, folds=self.fold)
        close("f_test of parts", found, lambda: [[t.f_test(f) for t in parts] for f in columns])
        self.close(
            "pairwise pearson", measures.pairwise(X),
            lambda: [[whole.pair(f, g) for f in columns] for g in columns], 1e-12,
        )  # fmt: skip

    def select_numbers(self, X, y, relevance, scheme, whole, parts):
        selector = MRMR(
            self.k, relevance=relevance, redundancy="pearson", scheme=scheme,
            discrete_features=False,
        )  # fmt: skip
        quotient = scheme == "quotient"

        def wrong(part, found):
            scores = partial(exact.mrmr_scores, part, relevance, quotient)
            return exact.what_is_wrong(part, found, self.k, scores, quotient)

        self.check_selections(f"MRMR {relevance} {scheme}", selector, X, y, whole, parts, wrong)

    def check_selections(self, name, selector, X, y, whole, parts, wrong):
        """A selector, alone and in both ensembles."""
        one = self.fit(name, selector, X, y)
        fast = self.fit(f"FastEnsemble {name}", FastEnsemble(selector, folds=self.fold), X, y)
        inner = self.fit(f"InnerEnsemble {name}", InnerEnsemble(selector, folds=self.fold), X, y)
        self.require(name, self.wrong_vote(fast))
        if not self.compare:
            return
        self.require(name, wrong(whole, one.indices_.tolist()))
        for t, (part, found) in enumerate(zip(parts, fast.part_selections_, strict=True)):
            self.require(f"{name}, part {t}", wrong(part, found.tolist()))
        self.require(f"{name}, averaged", wrong(exact.MeanPart(parts), inner.indices_.tolist()))

    def wrong_vote(self, ensemble):
        parts = [part.tolist() for part in ensemble.part_selections_]
        votes = Counter(f for part in parts for f in part)
        places = [
            sum(2 * part.index(f) + 2 if f in part else self.p + len(part) + 1 for part in parts)
            for f in range(self.p)
        ]
        order = sorted(votes, key=lambda f: (-votes[f], places[f], f))
        found = ensemble.indices_.tolist()
        return "" if found == order[: len(found)] else f"the vote of {parts} is not {found}"

    # ------------------------------------ counts

    def run_counts(self):
        rng = self.rng
        self.k = min(self.k, 3) if self.p > 20 else self.k
        X, kind = discrete(rng, self.n, self.p, self.labels)
        y = self.labels * rng.choice([1, 7]) if rng.random() < 0.7 else self.labels.astype(str)
        self.kind = f"counts: {kind}"
        self.counts[self.kind] += 1
        parts = [exact.CountsPart(X[rows], y[rows]) for rows in self.rows()]
        whole = exact.CountsPart(X, y)
        self.measure_counts(X, y, whole, parts)
        for scheme in ("MIQ", "MID"):
            self.select_counts(scheme, partial(MRMR, scheme=scheme), X, y, whole, parts)
        for name in rng.choice(list(CRITERIA), 5, replace=False).tolist():
            self.select_counts(name, CRITERIA[name], X, y, whole, parts)
        self.select_by_uncertainty(X, y, whole, parts)
        if self.p <= 8:
            self.find_blankets(X, y)

    def measure_counts(self, X, y, whole, parts):
        columns, tiny = range(self.p), 1e-13
        for name, slow in (
            ("mutual_information", "information"),
            ("symmetrical_uncertainty", "uncertainty"),
        ):
            measure = getattr(measures, name)
            self.close(
                name, measure(X, y), lambda slow=slow: [whole.measure(slow, f) for f in columns],
                tiny,
            )  # fmt: skip
            self.close(
                f"{name} of parts", measure(X, y, folds=self.fold, n_jobs=4),
                lambda slow=slow: [[t.measure(slow, f) for t in parts] for f in columns], tiny,
            )  # fmt: skip
            self.close(
                f"pairwise {name}", measures.pairwise(X[:, :12], name),
                lambda slow=slow: [
                    [whole.measure(slow, f, g) for f in columns[:12]] for g in columns[:12]
                ], tiny,
            )  # fmt: skip
        self.close(
            "entropy", measures.entropy(X), lambda: [twins.entropy(x) for x in whole.columns], tiny
        )
        self.measure_given(X, y, whole, tiny)

    def measure_given(self, X, y, whole, tiny):
        given = X[:, : self.rng.integers(1, 3)]
        z = list(map(tuple, given.tolist()))
        self.close(
            "conditional_mutual_information",
            measures.conditional_mutual_information(X, y, given),
            lambda: [twins.conditional(x, whole.y, z) for x in whole.columns], tiny,
        )  # fmt: skip
        df = str(self.rng.choice(["full", "slices", "adjusted"]))
        found = measures.g_square(X, y, given, df=df)
        self.close(
            f"g_square {df}", np.array([found.statistic, found.df, found.pvalue]).T,
            lambda: [twins.g_square(x, whole.y, z, df) for x in whole.columns], 1e-9,
        )  # fmt: skip

    def select_counts(self, name, make, X, y, whole, parts):
        quotient = name == "MIQ"

        def wrong(part, found):
            scores = partial(exact.information_scores, part, name)
            if name not in CRITERIA:
                scores = partial(exact.mrmr_scores, part, "mutual_information", quotient)
            return exact.what_is_wrong(part, found, self.k, scores, quotient)

        selector = make(self.k, discrete_features=True)
        self.check_selections(name, selector, X, y, whole, parts, wrong)

    def select_by_uncertainty(self, X, y, whole, parts):
        searches = ["forward", "best_first", "floating"] if self.p <= 12 else ["forward"]
        for name, selector, slow in (
            ("FCBF", FCBF(discrete_features=True), exact.fcbf),
            *(
                (f"CFS {search}", CFS(search, discrete_features=True),
                 lambda part, search=search: getattr(exact.SlowCFS(part), search)(self.p))
                for search in searches
            ),
        ):  # fmt: skip
            one = self.fit(name, selector, X, y)
            fast = self.fit(f"FastEnsemble {name}", FastEnsemble(selector, folds=self.fold), X, y)
            if self.compare:
                self.equal(name, one.indices_, slow(whole))
                for part, found in zip(parts, fast.part_selections_, strict=True):
                    self.equal(f"{name} of a part", found, slow(part))
        n_subsets, threshold = int(self.rng.integers(1, 5)), float(self.rng.choice([0.0, 0.1, 0.5]))
        self.counts["ITDecomposition"] += 1
        for n_jobs in (1, 4):
            found = ITDecomposition(n_subsets, threshold, discrete_features=True, n_jobs=n_jobs)
            found = [subset.tolist() for subset in found.fit(X, y).subsets_]
            self.keep(*map(np.array, found))
            if self.compare:
                expected = exact.itd(whole, n_subsets, threshold)
                self.require(
                    "ITDecomposition", "" if found == expected else f"{found}, not {expected}"
                )

    def equal(self, name, found, expected):
        self.require(name, "" if found.tolist() == expected else f"{found}, not {expected}")

    def find_blankets(self, X, y):
        alpha, h = float(self.rng.choice([0.01, 0.2])), int(self.rng.choice([0, 5]))
        parameters = {"alpha": alpha, "test": G2Test(samples_per_df=h), "discrete_features": True}
        p, last = self.p, np.unique(y, return_inverse=True)[1]
        codes = np.column_stack([np.unique(x, return_inverse=True)[1] for x in X.T])
        tests = causal_twins.SlowTests(np.column_stack([codes, last]), alpha, h)
        for name, selector, slow in (
            ("GrowShrink", GrowShrink(order="index", **parameters),
             lambda: causal_twins.grow_shrink_slow(tests, p, range(p))),
            ("IAMB", IAMB(**parameters), lambda: causal_twins.iamb_slow(tests, p)),
            ("InterIAMB", InterIAMB(**parameters), lambda: causal_twins.inter_iamb_slow(tests, p)),
            ("MMPC", MMPC(symmetric=False, max_conditioning=2, **parameters),
             lambda: causal_twins.mmpc_slow(tests, p, n=p + 1, most=2)),
        ):  # fmt: skip
            one = self.fit(name, selector, X, y, blocks=False)
            self.fit(f"FastEnsemble {name}", FastEnsemble(selector, folds=self.fold), X, y, False)
            if self.compare:
                self.equal(name, one.indices_, slow())


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


def run_case(seed, compare=True):
    """What there is to say of a case: its counts, its digest, and what is wrong."""
    case, problem = Case(seed, compare), ""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", UserWarning)  # constant targets, selections that end early
        try:
            case.run()
        except Exception:
            problem = f"{getattr(case, 'kind', 'no table')}\n{traceback.format_exc()}"
    return {"counts": case.counts, "digest": case.digest.hexdigest(), "problem": problem}
