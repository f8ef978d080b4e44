"""Did a change of structure change a result? Dump every result of two commits, then compare.

    python bench/snapshot.py dump before.json       with the one package installed
    python bench/snapshot.py dump after.json        with the other
    python bench/snapshot.py compare before.json after.json

A dump fits every selector and decomposition, and calls every measure, on 60 random tables and on 20
real sets (through ``ENSFS_DATA``; the first 300 rows and 120 columns of the large ones). Floats are
kept as hexadecimal numbers, so that "equal" means equal to the last bit. Attributes that were
renamed between commits are compared under their new names.
"""

import argparse
import json
import os
import warnings
from pathlib import Path

import numpy as np

import ensfs
from ensfs.datasets import fetch_dataset

RENAMED = {
    "p_values_": "pvalues_",
    "importances_": "feature_importances_",
    "parts_": "part_selections_",
    "n_passes_": "n_pairs_needed_",
    "n_evaluated_": "n_pairs_read_",
}
KEPT = (
    "indices_", "scores_", "ranking_", "relevance_", "redundancy_", "pvalues_", "removed_by_",
    "selection_frequency_", "part_selections_", "n_pairs_needed_", "n_tests_",
    "feature_importances_", "masked_by_", "subsets_", "redundancies_", "seeds_",
)  # fmt: skip
REAL = (
    "colon", "wdbc", "sonar", "ionosphere", "wine", "glass", "heart-statlog", "zoo", "votes",
    "lymphography", "audiology", "kr-vs-kp", "musk1", "lung_s3", "srbct", "new-thyroid",
    "reg-housing", "reg-cpu-act", "reg-bodyfat", "reg-pollution",
)  # fmt: skip
N_RANDOM = 60


def random_table(seed):
    """Return a table and a target: codes or numbers, with ties, copies and constants."""
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(30, 250)), int(rng.integers(4, 60))
    y = rng.integers(0, rng.integers(2, 5), n)
    weights = rng.normal(size=p) * (rng.random(p) < 0.4)
    X = rng.normal(size=(n, p)) + np.outer(y, weights)
    kind = seed % 3
    if kind == 0:
        levels = rng.integers(2, 12, p)
        X = np.floor((X - X.min(axis=0)) / (np.ptp(X, axis=0) + 1e-9) * levels).astype(int)
    elif kind == 1:
        X = np.round(X, int(rng.integers(0, 6)))
    X[:, rng.integers(p)] = 1
    X[:, rng.integers(p)] = X[:, rng.integers(p)]
    numeric = kind and seed % 4 == 1
    return X, (X @ weights + rng.normal(size=n)) if numeric else y, bool(numeric)


def selectors(numeric):
    """Return the estimators to fit, by name."""
    E = ensfs
    found = {
        "MRMR": E.MRMR(8), "FastEnsemble(MRMR)": E.FastEnsemble(E.MRMR(8), n_parts=5),
        "InnerEnsemble(MRMR)": E.InnerEnsemble(E.MRMR(8), n_parts=5), "MRMR(difference)":
        E.MRMR(8, scheme="difference"), "IAMB": E.IAMB(),
        # without a bound, searches on some real sets take many minutes
        "MMPC": E.MMPC(max_conditioning=2), "PC": E.PCSelector(max_conditioning=2),
        "ACE": E.ACE(n_replicates=3, n_estimators=10, max_iter=1, random_state=0),
    }  # fmt: skip
    if not numeric:
        greedy = {name: getattr(E, name)(8) for name in ("CMIM", "DISR", "JMI", "JMIM", "MIM")}
        found |= greedy
        found |= {f"FastEnsemble({n})": E.FastEnsemble(s, n_parts=5) for n, s in greedy.items()}
        found |= {
            "MRMR(MIQ)": E.MRMR(8, scheme="MIQ"), "MRMR(MID)": E.MRMR(8, scheme="MID"),
            "FCBF": E.FCBF(), "CFS": E.CFS(), "CFS(forward)": E.CFS(search="forward"),
            "GrowShrink": E.GrowShrink(), "InterIAMB": E.InterIAMB(), "TPDA": E.TPDASelector(),
            "Hybrid": E.HybridCausalSelector(), "FastEnsemble(FCBF)": E.FastEnsemble(E.FCBF(),
            n_parts=5), "FastEnsemble(IAMB)": E.FastEnsemble(E.IAMB(), n_parts=3),
            "ITD": E.ITDecomposition(4), "IFCBF": E.IteratedFCBFDecomposition(3),
        }  # fmt: skip
    return found


def as_text(value):
    """Return a value as JSON that compares to the last bit."""
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return [as_text(each) for each in value.tolist()]
    if isinstance(value, float):
        return value.hex()
    if isinstance(value, np.ndarray | np.generic):
        return as_text(value.tolist())
    if isinstance(value, list | tuple):
        return [as_text(each) for each in value]
    if isinstance(value, dict):
        return {str(key): as_text(each) for key, each in value.items()}
    return value


def results(X, y, numeric):
    """Yield (name, what was learned) for every estimator and measure."""
    for name, estimator in selectors(numeric).items():
        try:
            fitted = estimator.fit(X, y)
        except ValueError as error:
            yield name, {"error": type(error).__name__}
            continue
        learned = {RENAMED.get(key, key): value for key, value in vars(fitted).items()}
        yield name, {key: as_text(learned[key]) for key in KEPT if key in learned}
    measures = ensfs.measures
    yield "f_test", as_text(measures.f_test(X, y, folds=5))
    if numeric:
        yield "pearson", as_text(measures.pearson(X, y, folds=5))
    elif X.dtype.kind == "i":
        yield "mutual_information", as_text(measures.mutual_information(X, y))
        yield "symmetrical_uncertainty", as_text(measures.symmetrical_uncertainty(X, y))


def dump(path):
    """Write the results on all tables."""
    home = os.environ.get("ENSFS_DATA", Path(__file__).resolve().parents[2] / "shared" / "data")
    found = {}
    for seed in range(N_RANDOM):
        X, y, numeric = random_table(seed)
        found |= {f"random {seed} {name}": value for name, value in results(X, y, numeric)}
    for name in REAL:
        X, y = fetch_dataset(name, data_home=home, download_if_missing=False, return_X_y=True)
        X, y = np.nan_to_num(X[:300, :120]), y[:300]
        numeric = name.startswith("reg-")
        found |= {f"{name} {method}": value for method, value in results(X, y, numeric)}
    Path(path).write_text(json.dumps(found))
    print(f"{len(found)} results of {N_RANDOM} random tables and {len(REAL)} real sets")


def compare(before, after):
    """Print what differs."""
    one, other = (json.loads(Path(path).read_text()) for path in (before, after))
    n_different = 0
    for key in sorted(one.keys() | other.keys()):
        left, right = one.get(key), other.get(key)
        if left == right:
            continue
        n_different += 1
        names = sorted(left.keys() | right.keys()) if isinstance(left, dict) and right else []
        print(key, *(name for name in names if left.get(name) != right.get(name)))
    print(f"{n_different} of {len(one.keys() | other.keys())} results differ")


def main():
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("dump")
    one.add_argument("path")
    one.set_defaults(run=lambda options: dump(options.path))
    two = commands.add_parser("compare")
    two.add_argument("before")
    two.add_argument("after")
    two.set_defaults(run=lambda options: compare(options.before, options.after))
    options = parser.parse_args()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        options.run(options)


if __name__ == "__main__":
    main()
