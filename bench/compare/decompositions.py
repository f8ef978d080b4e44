"""Information theoretic decomposition beside one selection on the same table, for ``run.py``."""

import warnings

import numpy as np
from race import race

N_SUBSETS, K = 30, 30


def decomposition(p, n_threads=1):
    from ensfs import ITDecomposition

    return ITDecomposition(N_SUBSETS, discrete_features=np.full(p, True), n_jobs=n_threads)


def time_decomposition(case, X, y, n_threads, options):
    """Thirty subsets beside one MRMR of thirty columns; a small table has fewer subsets."""
    from ensfs import MRMR

    p = X.shape[1]
    ours = decomposition(p, n_threads)
    one = MRMR(K, discrete_features=np.full(p, True), n_jobs=n_threads)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Only .* subsets could be made")
        times, _ = race(
            {"ours": lambda: ours.fit(X, y), "one": lambda: one.fit(X, y)},
            options.repeats,
            options.budget,
        )
    members = sum(map(len, ours.subsets_))
    note = (
        f"{times['ours'] / times['one']:.1f} times one MRMR; {members:,} columns in "
        f"{ours.n_subsets_} subsets, {ours.n_pairs_read_:,} pairs compared"
    )
    yield {
        "what": "ITD", "rival": "ONE ensfs MRMR", "scheme": "-", "k": N_SUBSETS,
        "ours_s": times["ours"], "theirs_s": times["one"], "agree": None, "same_definition": True,
        "note": note,
    }  # fmt: skip
