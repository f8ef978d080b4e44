"""What ensembles say of a target that is noise: how many columns reach a high frequency.

    python bench/quality/noise.py

Means over 20 seeds of generated tables, 200 rows and 150 columns, 20 columns selected.
"""

import warnings

import generators
import numpy as np

import ensfs

SEEDS = range(20)
K = 20

ENSEMBLES = {
    "FastEnsemble(MRMR(20))": lambda seed: ensfs.FastEnsemble(ensfs.MRMR(K)),
    "FastEnsemble(MRMR(20), parts='halves')": lambda seed: ensfs.FastEnsemble(
        ensfs.MRMR(K), parts="halves"
    ),
    "RankEnsemble(n_features_to_select=20, n_halves=10)": lambda seed: ensfs.RankEnsemble(
        n_features_to_select=K, n_halves=10, random_state=seed
    ),
}


def main():
    warnings.simplefilter("ignore")
    print("| ensemble | columns at .9 or more | most | largest frequency |")
    print("| --- | --- | --- | --- |")
    for name, make in ENSEMBLES.items():
        frequencies = []
        for seed in SEEDS:
            task = generators.pure_noise(np.random.default_rng([seed, 10]))
            frequencies.append(make(seed).fit(task.X, task.y).selection_frequency_)
        certain = (np.array(frequencies) >= 0.9).sum(axis=1)
        print(
            f"| `{name}` | {certain.mean():.1f} | {certain.max()} | {np.max(frequencies):.2f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
