"""Generated sets with known truth: which columns matter, and which tell nothing."""

import numpy as np
import pandas as pd
from tasks import Task

N, P = 400, 150


def _task(name, X, y, classes, causes, junk=None):
    """`causes`: for each cause the columns that carry it."""
    causes = [np.atleast_1d(c) for c in causes]
    told = np.concatenate(causes) if causes else np.empty(0, dtype=int)
    junk = np.setdiff1d(np.arange(X.shape[1]), told) if junk is None else junk
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])])
    return Task(name, frame, y, classes, truth=causes, junk=junk, generated=True)


def _labels(signal, rng):
    return (rng.random(len(signal)) < 1 / (1 + np.exp(-signal))).astype(int)


def _weights(n, rng, low=0.5, high=1.5):
    return rng.uniform(low, high, n) * rng.choice([-1, 1], n)


def sparse_linear(rng):
    X = rng.standard_normal((N, P))
    signal = X[:, :8] @ _weights(8, rng)
    return _task("sparse_linear", X, (signal + rng.standard_normal(N) > 0).astype(int), True,
                 range(8))  # fmt: skip


def weak_logistic(rng):
    X = rng.standard_normal((N, P))
    return _task("weak_logistic", X, _labels(X[:, :12] @ _weights(12, rng, 0.3, 0.5), rng), True,
                 range(12))  # fmt: skip


def interactions(rng):
    """Three products with weak effects of their own, and two plain effects."""
    X = rng.standard_normal((2 * N, P))
    products = X[:, 0] * X[:, 1] + X[:, 2] * X[:, 3] + X[:, 4] * X[:, 5]
    signal = 1.5 * products + 0.4 * X[:, :6].sum(1) + X[:, 6] - X[:, 7]
    return _task("interactions", X, _labels(signal, rng), True, range(8))


def correlated_blocks(rng):
    """Blocks of ten columns with r = 0.7; one column of each of the first six is a cause."""
    common = np.repeat(rng.standard_normal((N, P // 10)), 10, axis=1)
    X = np.sqrt(0.7) * common + np.sqrt(0.3) * rng.standard_normal((N, P))
    causes = np.arange(0, 60, 10)
    y = _labels(1.5 * X[:, causes] @ _weights(6, rng), rng)
    return _task("correlated_blocks", X, y, True, causes, junk=np.arange(60, P))


def twins(rng):
    """Each of eight causes has two nearly equal copies."""
    X = rng.standard_normal((N, P))
    for j in range(8):
        X[:, [8 + 2 * j, 9 + 2 * j]] = X[:, [j]] + 0.1 * rng.standard_normal((N, 2))
    y = _labels(1.5 * X[:, :8] @ _weights(8, rng), rng)
    return _task("twins", X, y, True, [[j, 8 + 2 * j, 9 + 2 * j] for j in range(8)])


def many_levels(rng):
    """Eight binary causes beside 52 columns of noise with 30 levels."""
    X = np.column_stack([rng.integers(0, 2, (N, 8)), rng.integers(0, 30, (N, 52))])
    y = _labels((2 * X[:, :8] - 1) @ np.full(8, 0.7), rng)
    return _task("many_levels", X, y, True, range(8))


def counts(rng):
    rate = rng.uniform(2, 12, P)
    X = rng.poisson(rate, (N, P))
    Z = (X[:, :8] - rate[:8]) / np.sqrt(rate[:8])
    return _task("counts", X, _labels(Z @ _weights(8, rng), rng), True, range(8))


def likert(rng):
    X = np.clip(np.rint(4 + 1.6 * rng.standard_normal((N, P))), 1, 7).astype(int)
    return _task("likert", X, _labels((X[:, :8] - 4) / 1.6 @ _weights(8, rng), rng), True, range(8))


def heavy_tails(rng):
    X = rng.standard_t(1.5, (N, P))
    signal = np.sign(X[:, :8]) * np.log1p(np.abs(X[:, :8])) @ _weights(8, rng, 1, 2)
    return _task("heavy_tails", X, _labels(signal, rng), True, range(8))


def imbalance(rng):
    """About one row in twelve is of the smaller class."""
    X = rng.standard_normal((2 * N, P))
    signal = X[:, :6] @ _weights(6, rng, 0.7, 1.0)
    y = _labels(signal - 3.2, rng)
    return _task("imbalance", X, y, True, range(6))


def ten_classes(rng):
    centres = rng.standard_normal((10, 10))
    y = rng.integers(0, 10, 2 * N)
    X = rng.standard_normal((2 * N, P))
    X[:, :10] += centres[y]
    return _task("ten_classes", X, y, True, range(10))


def _regression(name, snr, rng):
    X = rng.standard_normal((N // 2, P))
    signal = X[:, :10] @ _weights(10, rng)
    noise = rng.standard_normal(N // 2) * np.std(signal) / np.sqrt(snr)
    return _task(name, X, signal + noise, False, range(10))


def regression_weak(rng):
    return _regression("regression_weak", 0.5, rng)


def regression_middle(rng):
    return _regression("regression_middle", 1.0, rng)


def regression_strong(rng):
    return _regression("regression_strong", 2.0, rng)


def nonlinear_regression(rng):
    """Friedman's function beside noise."""
    X = rng.random((N, P))
    y = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2
    y = y + 10 * X[:, 3] + 5 * X[:, 4] + rng.standard_normal(N)
    return _task("nonlinear_regression", X, y, False, range(5))


def pure_noise(rng):
    X = rng.standard_normal((N // 2, P))
    return _task("pure_noise", X, rng.integers(0, 2, N // 2), True, [])


GENERATORS = {
    f.__name__: f
    for f in (
        sparse_linear, weak_logistic, interactions, correlated_blocks, twins, many_levels, counts,
        likert, heavy_tails, imbalance, ten_classes, regression_weak, regression_middle,
        regression_strong, nonlinear_regression, pure_noise,
    )
}  # fmt: skip

#: Seeds whose results choose, and seeds that confirm.
SEEDS = {"choose": (0, 1), "confirm": (2, 3)}


def names():
    return [f"{name}#{seed}" for name in GENERATORS for seeds in SEEDS.values() for seed in seeds]


def load(name):
    """A generated set by its name and seed, ``"twins#0"``."""
    generator, seed = name.split("#")
    task = GENERATORS[generator](np.random.default_rng([int(seed), len(generator)]))
    # which columns matter must not show in their places: ties go to the lower column
    order = np.random.default_rng([int(seed), 1]).permutation(task.X.shape[1])
    place = np.argsort(order)
    task.name, task.X = name, task.X.iloc[:, order]
    task.truth, task.junk = [place[c] for c in task.truth], place[task.junk]
    task.role = next(role for role, seeds in SEEDS.items() if int(seed) in seeds)
    return task
