"""What the defaults were chosen by: a small table for each decision.

    python bench/quality/defaults.py                 all tables: some minutes
    python bench/quality/defaults.py correction      one of them

Every table has its figures twice: from seeds (or networks) that chose, and from others that
confirm. Generated tables are those of `generators` and the few below. Networks come from the folder
that ENSFS_DATA names.
"""

import argparse
import os
import warnings
from functools import partial
from pathlib import Path

import generators
import numpy as np
import pandas as pd
from generators import N, P, _labels, _task, _weights

import ensfs
from ensfs.datasets import read_bif

INFORMATION = "mutual_information"

#: Seeds of the generators.
SEEDS = {"choose": range(100, 106), "confirm": range(200, 206)}


# ---------------------------------------- tables


def many_levels_text(rng):
    """`many_levels` with its levels as text."""
    task = generators.many_levels(rng)
    task.X = task.X.astype(str)
    return task


def few_levels_text(rng):
    """Causes of two to six levels without order among noise of the same kind."""
    levels = rng.integers(2, 7, P)
    X = rng.integers(0, levels, (N, P))
    effects = [rng.standard_normal(k) for k in levels[:8]]
    signal = sum(effect[x] for effect, x in zip(effects, X.T, strict=False))
    return _task("few_levels", pd.DataFrame(X).astype(str).to_numpy(), _labels(1.5 * signal, rng),
                 True, range(8))  # fmt: skip


def answers(k):
    """Answers 1 to k, whose effect grows with the answer."""

    def make(rng):
        X = np.clip(np.rint((k + 1) / 2 + k / 4.5 * rng.standard_normal((N, P))), 1, k).astype(int)
        Z = (X[:, :8] - (k + 1) / 2) / (k / 4.5)
        return _task(f"answers_{k}", X, _labels(Z @ _weights(8, rng), rng), True, range(8))

    return make


def codes(k):
    """Whole numbers that stand for k things, each with an effect of its own."""

    def make(rng):
        X = rng.integers(0, k, (N, P))
        effects = rng.standard_normal((8, k))
        effects = (effects - effects.mean(1, keepdims=True)) / effects.std(1, keepdims=True)
        signal = sum(effect[x] for effect, x in zip(effects, X.T, strict=False))
        return _task(f"codes_{k}", X, _labels(signal, rng), True, range(8))

    return make


def numbers(make, noise=1.0):
    """The columns of a generated table with a numeric target that the causes add up to."""

    def regression(rng):
        task = make(rng)
        causes = [int(cause[0]) for cause in task.truth]
        signal = task.X.to_numpy()[:, causes] @ _weights(len(causes), rng)
        task.y = signal + noise * signal.std() * rng.standard_normal(len(signal))
        return task

    return regression


def shuffled(make, seed):
    """A task with its columns in random order: ties go to the lower column."""
    rng = np.random.default_rng(seed)
    task = make(rng)
    order = rng.permutation(task.X.shape[1])
    place = np.argsort(order)
    task.X = task.X.iloc[:, order]
    task.truth, task.junk = [place[c] for c in task.truth], place[task.junk]
    return task


# ---------------------------------------- figures


def selected(selector, task):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return selector.fit(task.X, task.y).indices_


def found(columns, task):
    return sum(bool(np.isin(cause, columns).any()) for cause in task.truth)


def junk(columns, task):
    return int(np.isin(columns, task.junk).sum())


def cell(make_selector, make_task, option=None):
    """Causes found and, in brackets, columns that tell nothing; choose / confirm."""
    cells = []
    for seeds in SEEDS.values():
        tasks = [shuffled(make_task, seed) for seed in seeds]
        chosen = [(selected(make_selector(task, option), task), task) for task in tasks]
        causes, noise = (np.mean([figure(*each) for each in chosen]) for figure in (found, junk))
        cells.append(f"{causes:.1f} ({noise:.1f})")
    return " / ".join(cells)


def show_cells(title, makers, tasks, options):
    """A table with a row for each maker of a selector and each option of it."""
    rows = (
        (f"{name}, {option}", [cell(make, task, option) for task in tasks.values()])
        for name, make in makers.items()
        for option in options
    )
    show(f"{title}: {cell.__doc__}", tasks, rows)


def show(title, headings, rows):
    print(f"\n{title}\n", flush=True)
    print("| | " + " | ".join(headings) + " |")
    print("| --- |" + " ---: |" * len(headings))
    for name, cells in rows:
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


# ---------------------------------------- the decisions


def correction():
    """Information as counted, and without what chance gives."""
    greedy = ("MIM", "CMIM", "JMI", "JMIM", "DISR", "NJMIM", "CIFE", "ICAP", "LCSI")
    makers = {
        **{name: partial(_corrected, getattr(ensfs, name), 8) for name in greedy},
        "MRMR quotient": partial(_corrected, partial(ensfs.MRMR, relevance=INFORMATION), 8),
        "MRMR difference": partial(
            _corrected, partial(ensfs.MRMR, relevance=INFORMATION, scheme="difference"), 8
        ),
        "FCBF": partial(_corrected, ensfs.FCBF, 0.0),
        "CFS": partial(_corrected, ensfs.CFS, "best_first"),
    }
    tasks = {
        "30 levels": many_levels_text,
        "2 to 6 levels": few_levels_text,
        "linear": generators.sparse_linear,
        "interactions": generators.interactions,
        "blocks": generators.correlated_blocks,
        "ten classes": generators.ten_classes,
    }
    show_cells("first 8 (FCBF, CFS: all)", makers, tasks, (None, "miller_madow", "akaike"))


def _corrected(cls, first, task, correction):
    return cls(first, correction=correction)


def whole_numbers():
    """Whole numbers with at most so many values are codes, and the others are cut as numbers."""
    makers = {
        "FCBF": partial(_coded, ensfs.FCBF),
        "JMI": partial(_coded, partial(ensfs.JMI, 8)),
        "IAMB": partial(_coded, ensfs.IAMB),
        "MRMR": partial(_coded, partial(ensfs.MRMR, 8)),
    }
    tasks = {
        "counts": generators.counts,
        "30 levels": generators.many_levels,
        **{f"answers 1-{k}": answers(k) for k in (3, 5, 7)},
        **{f"{k} codes": codes(k) for k in (3, 4, 5, 6)},
    }
    show_cells("first 8 (FCBF, IAMB: all)", makers, tasks, (2, 3, 4, 5, 6, 32))


def _coded(make, task, limit):
    return make(discrete_features=(task.X.nunique() <= limit).to_numpy())


def numeric_targets():
    """The relevance of MRMR for a numeric target; the scheme for both kinds of targets."""
    tasks = {
        "blocks, numbers": numbers(generators.correlated_blocks),
        "twins, numbers": numbers(generators.twins),
        "linear, numbers": generators.regression_strong,
        "weak, numbers": generators.regression_weak,
        "blocks": generators.correlated_blocks,
        "twins": generators.twins,
        "linear": generators.sparse_linear,
    }
    makers = {
        relevance: partial(_mrmr, relevance) for relevance in ("pearson", "f_test")
    }  # fmt: skip
    show_cells("first 20", makers, tasks, ("quotient", "difference"))


def _mrmr(relevance, task, scheme):
    return ensfs.MRMR(20, relevance=relevance, redundancy="pearson", scheme=scheme, correction=None)


def least_redundancy():
    """The quotient of F and correlation, as published or by a redundancy of at least chance."""
    names = (
        "sparse_linear", "weak_logistic", "interactions", "correlated_blocks", "twins",
        "heavy_tails", "imbalance", "ten_classes",
    )  # fmt: skip
    tasks = {name.replace("_", " "): generators.GENERATORS[name] for name in names}
    makers = {"MRMR": lambda task, option: ensfs.MRMR(len(task.truth), correction=option)}
    show_cells("first columns", makers, tasks, (None, "auto"))


# ---------------------------------------- networks

NETWORKS = {
    "choose": ("asia", "child", "insurance", "alarm"),
    "confirm": ("sachs", "water", "hepar2", "win95pts"),
}


def blankets(name, n, seed, n_targets=4):
    """Tables of a network with the positions of the Markov blanket of each of some targets."""
    network = read_bif(Path(os.environ["ENSFS_DATA"]) / "networks" / f"{name}.bif.gz")
    sizes = {v: len(network.markov_blanket(v)) for v in network.names}
    targets = [v for v in network.names if 2 <= sizes[v] <= 8]
    rng = np.random.default_rng(seed)
    for target in rng.permutation(targets)[:n_targets].tolist():
        X, y = network.sample(n, random_state=seed, target=target, as_frame=True)
        yield X, y, [X.columns.get_loc(v) for v in network.markov_blanket(target)]


def f1(columns, truth):
    hits = np.isin(columns, truth).sum()
    return 2 * hits / (len(columns) + len(truth)) if hits else 0.0


def blanket_scores(selectors, names, n, seeds):
    """Mean F1 of the blankets that selectors find in some networks, by name of the selector."""
    scores = {name: [] for name in selectors}
    for network in names:
        for seed in seeds:
            for X, y, truth in blankets(network, n, seed):
                for name, selector in selectors.items():
                    with warnings.catch_warnings():
                        warnings.simplefilter("ignore")
                        scores[name].append(f1(selector.fit(X, y).indices_, truth))
    return {name: float(np.mean(values)) for name, values in scores.items()}


def show_blankets(title, selectors, sizes, seeds):
    scores = {
        (role, n): blanket_scores(selectors, names, n, seeds)
        for role, names in NETWORKS.items() for n in sizes
    }  # fmt: skip
    headings = [f"{role}, {n} rows" for role, n in scores]
    show(title, headings, [(s, [f"{of[s]:.2f}" for of in scores.values()]) for s in selectors])


def pc():
    """How PC decides on common effects, and the degrees of freedom of its tests."""
    selectors = {
        f"{sepset}, {df}": ensfs.PCSelector(sepset=sepset, test=ensfs.G2Test(df=df))
        for sepset in ("first", "majority") for df in ("full", "adjusted")
    }  # fmt: skip
    show_blankets("mean F1 of the blanket", selectors, (500, 2000), (0, 1))


def iamb():
    """The level of the tests of IAMB."""
    selectors = {f"{alpha}": ensfs.IAMB(alpha) for alpha in (0.05, 0.01, 0.001, 0.0001)}
    show_blankets("mean F1 of the blanket", selectors, (200, 500, 2000), (0, 1, 2))


def symmetric():
    """Whether a neighbour must have the target among its own neighbours."""
    selectors = {
        f"{cls.__name__}, {symmetric}": cls(symmetric=symmetric, spouses=True)
        for cls in (ensfs.MMPC, ensfs.HITONPC) for symmetric in (True, False)
    }  # fmt: skip
    show_blankets("mean F1 of the blanket", selectors, (500, 2000), (0, 1))


TABLES = {
    f.__name__: f
    for f in (correction, whole_numbers, numeric_targets, least_redundancy, pc, iamb, symmetric)
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tables", nargs="*", choices=[*TABLES, []], help="which ones")
    for name in parser.parse_args().tables or TABLES:
        print(f"\n## {name}: {TABLES[name].__doc__}")
        TABLES[name]()


if __name__ == "__main__":
    main()
