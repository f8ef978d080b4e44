"""Figures 3 to 9 and Table 2 of Tumer and Oza (2003): accuracy and correlation against inputs.

Run ``python bench/papers/input_decimation.py``; ``--sets A B`` restricts the run, ``--quick`` takes
three runs and four sizes, ``--n-jobs 2`` uses two cores. Tables come as markdown on the standard
output, pictures in the folder of ``--pictures``. Real data: see ``tables.py``.

* Members are the paper's networks: one hidden layer of logistic units trained by gradient descent
  with the printed numbers of units, learning rate and momentum; inputs standardized, mini-batches
  and a fixed number of epochs, which the paper does not give. Outputs are averaged.
* IDE takes the inputs with the largest absolute correlation with each class, IDEAC the paper's sum
  of this and of what they do not share with those chosen before; PCA the leading components (the
  same for all members, which differ by their seeds), RS random inputs. There are as many members as
  classes. On A and B the paper gives PCA and RS more hidden units than IDE, and so do we.
* The last size is all inputs: IDE there is the original ensemble, RS the same with the units of the
  rivals.
* A run draws new data (A, B), new initial weights and new random inputs. Differences are tested by
  a t-test over the runs, as in the paper; "single" is the mean accuracy of the members.
* The paper's figures are pictures without numbers; its statements are printed beside ours.
"""

import argparse
import warnings
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import joblib
import numpy as np
from scipy.stats import ttest_ind
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from tables import at_hand, load, progress
from threadpoolctl import threadpool_limits

from ensfs import InputDecimation, PCASubspace, RandomSubspaceDecomposition
from ensfs.datasets import make_input_decimation
from ensfs.evaluation import error_correlation

SYNTHETIC_SIZES = (10, 20, 30, 50, 70, 100)
METHODS = ("IDE", "IDEAC", "PCA", "RS")


@dataclass(frozen=True)
class Experiment:
    title: str
    figures: str
    sizes: tuple[int, ...]
    units: int
    units_of_rivals: int
    rate: float
    momentum: float
    batch: int
    epochs: int
    statements: tuple[str, ...]


EXPERIMENTS = {
    "A": Experiment(
        "Synthetic set A", "8", SYNTHETIC_SIZES, 15, 95, 0.2, 0.5, 32, 50,
        (
            "IDE with 10 inputs is the best of all",
            "IDE below 40 inputs beats PCA of the same size, is equal at 40 and 50, then worse",
            "IDE up to 70 inputs beats RS of the same size",
            "IDE of every size beats the original ensemble",
            "the correlation of IDE is low for few inputs, rises up to 30, then falls",
        ),
    ),
    "B": Experiment(
        "Synthetic set B", "9", SYNTHETIC_SIZES, 40, 95, 0.2, 0.5, 32, 50,
        (
            "IDE below 60 inputs beats PCA of the same size",
            "IDE below 80 inputs beats RS of the same size",
            "IDE below 90 inputs beats the original ensemble",
            "the correlation of IDE falls less for few inputs than on A",
        ),
    ),
    "gene": Experiment(
        "Gene", "3", (5, 10, 20, 30, 40, 60, 80, 120), 20, 20, 0.2, 0.8, 128, 40,
        (
            "IDE with 5 inputs is below the original ensemble, with 10 to 60 above, then equal",
            "IDE of every size beats PCA and RS of the same size",
        ),
    ),
    "dna180": Experiment(
        "Splice junctions (DNA)", "4", (10, 20, 30, 60, 90, 120, 180), 120, 120, 0.05, 0.1, 128, 40,
        (
            "IDE of every size beats the original ensemble and PCA",
            "RS with 40 and more of 60 inputs is competitive",
            "the best of all is IDE with 10 of 60 inputs",
        ),
    ),
    "satimage": Experiment(
        "Satellite image", "5 to 7", (5, 9, 18, 27, 36), 50, 50, 0.5, 0.5, 128, 40,
        (
            "IDE loses accuracy with every input removed; PCA and RS are better",
            "IDEAC is better than IDE for few inputs, and below PCA",
            "the inputs of IDE are more correlated with each other than those of RS and PCA",
            "the members of IDEAC are more correlated than those of IDE",
        ),
    ),
}  # fmt: skip

# inputs: total and common of IDE, of IDEAC
TABLE_2 = {5: (18, 0, 15, 0), 9: (28, 0, 18, 1), 18: (36, 0, 25, 13), 27: (36, 7, 30, 24)}

# Colours of Okabe and Ito, told apart by colour-blind eyes too; markers for print.
STYLE = {
    "IDE": ("#0072B2", "o"), "IDEAC": ("#56B4E9", "s"), "PCA": ("#D55E00", "^"),
    "RS": ("#009E73", "D"),
}  # fmt: skip


@cache
def real(name):
    return load(name)


def split(name, seed):
    """Training and test rows; the real sets have one split, for which the seed is not used."""
    if name in "AB":
        X, y = make_input_decimation(overlap=name == "B", random_state=seed)
        return X[:300], X[300:], y[:300], y[300:]
    X, y = real(name)
    if name == "gene":  # training, validation and test part of Proben1: the validation part rests
        return X[:1588], X[2382:], y[:1588], y[2382:]
    if name == "satimage":
        return X[:4435], X[4435:], y[:4435], y[4435:]
    return train_test_split(X, y, train_size=2000, stratify=y, random_state=0)


def decomposition(method, n_inputs, n_classes, seed):
    if method == "IDE":
        return InputDecimation(n_inputs)
    if method == "IDEAC":
        return InputDecimation(n_inputs, redundancy="sum")
    if method == "PCA":
        return PCASubspace(n_inputs, random_state=seed)
    return RandomSubspaceDecomposition(n_classes, n_inputs, random_state=seed)


def network(setting, method, seed):
    units = setting.units if method.startswith("IDE") else setting.units_of_rivals
    return make_pipeline(
        StandardScaler(),
        MLPClassifier(
            (units,), activation="logistic", solver="sgd", learning_rate_init=setting.rate,
            momentum=setting.momentum, nesterovs_momentum=False, alpha=0.0,
            batch_size=setting.batch, max_iter=setting.epochs, tol=0.0,
            n_iter_no_change=setting.epochs, random_state=seed,
        ),
    )  # fmt: skip


@threadpool_limits.wrap(limits=1)  # the matrices are small: threads would wait for each other
def one_run(name, method, n_inputs, seed):
    """Accuracy of the ensemble and of its members, correlation of errors and of inputs."""
    setting = EXPERIMENTS[name]
    X, X_test, y, y_test = split(name, seed)
    n_classes = len(np.unique(y))
    parts = decomposition(method, n_inputs, n_classes, seed).fit(X, y)
    outputs, among_inputs = [], []
    for m in range(n_classes):
        subset = m % parts.n_subsets_  # components are one subset for all members
        columns, components = parts.subsets_[subset], parts.transformer(subset)
        seen, seen_test = X[:, columns], X_test[:, columns]
        if components is not None:
            seen, seen_test = components.transform(seen), components.transform(seen_test)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # the number of epochs is given
            member = network(setting, method, 1000 * seed + m).fit(seen, y)
        outputs.append(member.predict_proba(seen_test))
        among_inputs.append(mean_correlation(seen))
    outputs = np.stack(outputs)
    ensemble = (outputs.mean(axis=0).argmax(axis=1) == y_test).mean()
    single = (outputs.argmax(axis=2) == y_test).mean()
    return ensemble, single, error_correlation(outputs, y_test), np.mean(among_inputs)


def mean_correlation(X):
    """Mean absolute correlation of different columns."""
    with np.errstate(divide="ignore", invalid="ignore"):
        r = np.abs(np.corrcoef(X, rowvar=False))
    return float(np.nanmean(r[np.triu_indices(len(r), k=1)]))


def run(name, sizes, n_runs, n_jobs):
    """Figures of each method and size: an array of runs by (ensemble, single, delta, inputs)."""
    jobs = [(method, size, seed) for seed in range(n_runs) for size in sizes for method in METHODS]
    work = joblib.Parallel(n_jobs=n_jobs, return_as="generator")(
        joblib.delayed(one_run)(name, *job) for job in jobs
    )
    found = {}
    for done, ((method, size, _), figures) in enumerate(zip(jobs, work, strict=True), 1):
        found.setdefault((method, size), []).append(figures)
        progress(f"{name}: {done} of {len(jobs)} ensembles")
    progress("")
    return {key: np.array(rows) for key, rows in found.items()}


# ---------------------------------------- what is printed


def report(name, sizes, found, n_runs):
    setting = EXPERIMENTS[name]
    print(f"\n## {setting.title} (Figure {setting.figures}), {n_runs} runs\n")
    print("Accuracy of the ensemble in per cent ± standard error; single member; δ.\n")
    print("| inputs | " + " | ".join(METHODS) + " |")
    print("| ---: |" + " --- |" * len(METHODS))
    for size in sizes:
        cells = [cell(found[method, size]) for method in METHODS]
        print(f"| {size} | " + " | ".join(cells) + " |")
    print("\nAccuracy of IDE minus that of the others in points (* significant at 0.05):\n")
    print("| inputs | PCA, same size | RS, same size | original | original, rivals' units | δ |")
    print("| ---: | ---: | ---: | ---: | ---: | ---: |")
    full = sizes[-1]
    for size in sizes:
        mine = found["IDE", size]
        others = [("PCA", size), ("RS", size), ("IDE", full), ("RS", full)]
        cells = [difference(mine[:, 0], found[key][:, 0]) for key in others]
        cells.append(difference(mine[:, 2], found["IDE", full][:, 2], scale=1, digits=2))
        print(f"| {size} | " + " | ".join(cells) + " |")
    print("\nThe last column is δ of IDE minus δ of the original ensemble.\n\nThe paper says:\n")
    for statement in setting.statements:
        print(f"- {statement}")


def cell(figures):
    mean, error = figures.mean(axis=0), figures.std(axis=0, ddof=1) / len(figures) ** 0.5
    return f"{100 * mean[0]:.1f} ± {100 * error[0]:.1f}; {100 * mean[1]:.1f}; {mean[2]:.2f}"


def difference(ours, theirs, scale=100, digits=1):
    if np.array_equal(ours, theirs):
        return "–"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # all runs of one side may be equal
        star = "*" if ttest_ind(ours, theirs, equal_var=False).pvalue < 0.05 else ""
    return f"{scale * (ours.mean() - theirs.mean()):+.{digits}f}{star}"


def table_2(name="satimage"):
    X, _, y, _ = split(name, 0)
    print("\n## Table 2: inputs used by at least one and by all members, satellite image\n")
    print("| inputs | IDE total | common | printed | IDEAC total | common | printed |")
    print("| ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for size, printed in TABLE_2.items():
        ide = InputDecimation(size).fit(X, y)
        ac = InputDecimation(size, redundancy="sum").fit(X, y)
        print(
            f"| {size} | {ide.total_features_} | {ide.common_features_} | {printed[0]}, "
            f"{printed[1]} | {ac.total_features_} | {ac.common_features_} | {printed[2]}, "
            f"{printed[3]} |"
        )


def picture(name, sizes, found, folder):
    """Accuracy, correlation of errors and correlation of inputs against the number of inputs."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    setting = EXPERIMENTS[name]
    panels = [("accuracy (per cent)", 0, 100), ("correlation of errors δ", 2, 1)]
    if name == "satimage":
        panels.append(("mean |correlation| of inputs", 3, 1))
    figure, axes = plt.subplots(
        1, len(panels), figsize=(4.6 * len(panels), 3.9), layout="constrained"
    )
    for axis, (label, column, scale) in zip(axes, panels, strict=True):
        for method in METHODS:
            colour, marker = STYLE[method]
            rows = scale * np.stack([found[method, size][:, column] for size in sizes])
            error = rows.std(axis=1, ddof=1) / rows.shape[1] ** 0.5
            axis.errorbar(
                sizes, rows.mean(axis=1), error, color=colour, marker=marker, markersize=4.5,
                linewidth=1.3, capsize=2, label=method,
            )  # fmt: skip
            if column == 0:
                single = 100 * np.stack([found[method, size][:, 1] for size in sizes])
                axis.plot(sizes, single.mean(axis=1), color=colour, linewidth=0.9, linestyle=":")
        axis.set_xlabel("inputs of each member")
        axis.set_ylabel(label)
        axis.grid(alpha=0.25)
        axis.spines[["top", "right"]].set_visible(False)
    axes[0].plot([], [], color="0.4", linewidth=0.9, linestyle=":", label="single member")
    figure.legend(
        *axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=5, frameon=False,
        fontsize=8,
    )  # fmt: skip
    figure.suptitle(setting.title, fontsize=11)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"input_decimation_{name}.png"
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="three runs, four sizes")
    parser.add_argument("--sets", nargs="+", choices=EXPERIMENTS, default=list(EXPERIMENTS))
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--n-jobs", type=int, default=1)
    parser.add_argument("--pictures", type=Path, default=Path("pictures"))
    options = parser.parse_args()
    n_runs = 3 if options.quick else options.runs
    for name in options.sets:
        if name not in "AB" and not at_hand(name):
            print(f"\n## {EXPERIMENTS[name].title}: not at hand")
            continue
        sizes = EXPERIMENTS[name].sizes
        if options.quick:
            sizes = (*sizes[:: len(sizes) // 3][:3], sizes[-1])
        found = run(name, sizes, n_runs, options.n_jobs)
        report(name, sizes, found, n_runs)
        print(f"\nPicture: {picture(name, sizes, found, options.pictures)}", flush=True)
        if name == "satimage":
            table_2()


if __name__ == "__main__":
    main()
