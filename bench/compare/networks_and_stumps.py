"""Speed of stumps, margin weights and Bayesian networks beside what else there is, in one process.

Every line is CPU time, the least of several, the two sides in turns. pyAgrum is compared where it
is installed; the networks are those of ENSFS_DATA.
"""

import argparse
import os
import time
from pathlib import Path

import numpy as np
import scipy.sparse
from scipy.optimize import linprog
from sklearn.tree import DecisionTreeRegressor

from ensfs.datasets import make_field_and_nerve, read_bif
from ensfs.ensemble._margin_weights import Margins, least_slack
from ensfs.ensemble._stumps import best_stump
from ensfs.networks.scores import FamilyScores
from ensfs.networks.search import annealing_search, greedy_search

DATA = Path(os.environ.get("ENSFS_DATA") or Path(__file__).resolve().parents[3] / "shared" / "data")


def least_times(*functions, repeats=5):
    """Least CPU time of each function, in milliseconds; they take turns."""
    times = [[] for _ in functions]
    for _ in range(repeats):
        for function, taken in zip(functions, times, strict=True):
            start = time.process_time()
            function()
            taken.append(1e3 * (time.process_time() - start))
    return [min(taken) for taken in times]


def stumps():
    rng = np.random.default_rng(0)
    for n, p in [(1_000, 2), (700, 34), (5_000, 60), (20_000, 20)]:
        X, r = np.asfortranarray(rng.normal(size=(n, p))), rng.normal(size=n)
        tree = DecisionTreeRegressor(max_depth=1)
        ours, theirs = least_times(
            lambda X=X, r=r: best_stump(X, r), lambda t=tree, X=X, r=r: t.fit(X, r)
        )
        print(f"stump {n} x {p}: {ours:.2f} ms, tree {theirs:.2f} ms, {theirs / ours:.1f} times")


def weights(n):
    """21 programmes: the dual, and the primal with a slack for each row."""
    rng = np.random.default_rng(0)
    right = rng.beta(2, 1, size=n)
    votes = rng.binomial(37, np.clip(right + rng.normal(scale=0.15, size=(25, n)), 0, 1)) / 37
    margins = Margins(2 * votes - 1, np.arange(n), n)
    gammas = np.linspace(0, 1, 21)

    def stated():
        A = scipy.sparse.hstack([-margins.values.T, -scipy.sparse.eye_array(n)], format="csr")
        c = np.concatenate([np.zeros(25), np.ones(n)])
        ones = scipy.sparse.csr_array(1 - c[None])
        return [linprog(c, A_ub=A, b_ub=np.full(n, -g), A_eq=ones, b_eq=[1.0]).fun for g in gammas]

    def dual():
        return [least_slack(margins, g)[1] for g in gammas]

    ours, theirs = least_times(dual, stated, repeats=1)
    gap = np.abs(np.array(dual()) - stated()).max()
    print(f"21 programmes of {n} rows: dual {ours / 1e3:.2f} s, primal {theirs / 1e3:.2f} s, "
          f"{theirs / ours:.1f} times; largest difference {gap:.1e}")  # fmt: skip


def annealing():
    X, y = make_field_and_nerve(180, random_state=0)
    codes = np.column_stack([X, y]).astype(int)
    (taken,) = least_times(
        lambda: annealing_search(FamilyScores(codes, [3] * 12 + [2]), np.random.default_rng(0))
    )
    print(f"2100 operations on 13 columns, 180 rows, with the polish: {taken / 1e3:.2f} s")


def graphs(name):
    table = np.genfromtxt(DATA / f"{name}_s5000.csv.gz", delimiter=",", skip_header=1, dtype=int)
    codes = np.column_stack([np.unique(column, return_inverse=True)[1] for column in table.T])
    n_levels = codes.max(axis=0) + 1
    (taken,) = least_times(lambda: greedy_search(FamilyScores(codes, n_levels)), repeats=3)
    scores = FamilyScores(codes, n_levels)
    print(
        f"{name}: greedy with restarts, BIC {greedy_search(scores).score:.1f}, {taken / 1e3:.2f} s"
    )
    annealed = annealing_search(scores, np.random.default_rng(0))
    print(f"{name}: annealing with polish, BIC {annealed.score:.1f}")
    try:
        import pandas as pd
        import pyagrum
    except ImportError:
        return
    frame = pd.DataFrame(codes.astype(str), columns=[f"v{i}" for i in range(codes.shape[1])])
    learner = pyagrum.BNLearner(frame)
    learner.useScoreBIC()
    learner.setMaxIndegree(3)
    learner.setNumberOfThreads(1)
    learner.useGreedyHillClimbing()
    start = time.process_time()
    dag = learner.learnDAG()
    taken = time.process_time() - start
    parents = [tuple(sorted(dag.parents(i))) for i in range(codes.shape[1])]
    print(f"{name}: pyAgrum greedy, BIC {scores.total(parents):.1f}, {taken:.2f} s")


def posteriors():
    alarm = read_bif(DATA / "networks" / "alarm.bif.gz")
    codes = alarm.sample(10_000, random_state=0)
    (taken,) = least_times(lambda: alarm.posterior(alarm.names[0], codes), repeats=3)
    print(f"posteriors of 10,000 rows of alarm given all others: {taken / 1e3:.2f} s")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=4000, help="rows of the linear programmes")
    options = parser.parse_args()
    stumps()
    weights(options.rows)
    annealing()
    for network in ("alarm", "child"):
        graphs(network)
    posteriors()
