"""
Select columns of a small study, once and with an ensemble
===========================================================

A study of 120 patients: the thirty measurements of the breast cancer data that comes with
scikit-learn, a noisy second reading of each of them (redundant), and 940 columns of noise. Which
columns should be kept, why, does the choice survive another sample of patients, and is a classifier
better with it? Runs in a few seconds: ``python examples/demo.py``.

The share of noise is what makes selection pay here: with 150 patients and 240 columns of noise the
same classifier is as accurate on all columns as on the selected ones.
"""

import tempfile
import textwrap
import time
from pathlib import Path

import numpy as np
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import RepeatedStratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import ensfs
from ensfs.evaluation import jaccard_stability, nogueira_stability

N_PATIENTS = 120
N_NOISE = 940
N_SELECTED = 8
N_RESAMPLES = 30


def main():
    start = time.perf_counter()
    X, y, names = small_study()
    plain = ensfs.MRMR(N_SELECTED)
    fast = ensfs.FastEnsemble(plain, n_parts=20, parts="halves")

    title(f"ensfs {ensfs.__version__}: {X.shape[0]} patients, {X.shape[1]} columns")
    say(
        f"30 measurements, a noisy second reading of each, and {N_NOISE} columns of noise. "
        f"Select {N_SELECTED} columns: with one run of MRMR (relevant to the diagnosis, not "
        "redundant with one another), and with FastEnsemble: 20 runs, each on a half of the "
        "patients, that vote."
    )
    selected(plain, fast, X, y, names)
    stability(plain, fast, X, y)
    accuracy(plain, fast, X, y)
    picture(fast, names)
    print(f"\nDone in {time.perf_counter() - start:.1f} s.")


def small_study(seed=3):
    """Draw the patients and make the redundant and the useless columns."""
    rng = np.random.default_rng(seed)
    data = load_breast_cancer()
    rows = rng.permutation(len(data.target))[:N_PATIENTS]
    measured = data.data[rows]
    again = measured + 0.5 * measured.std(axis=0) * rng.standard_normal(measured.shape)
    noise = rng.standard_normal((N_PATIENTS, N_NOISE))
    X = np.hstack([measured, again, noise])
    names = [str(name) for name in data.feature_names]
    names += [f"{name}, again" for name in names]
    names += [f"noise {j + 1}" for j in range(N_NOISE)]
    return X, data.target[rows], np.array(names)


def selected(plain, fast, X, y, names):
    """Show which columns each of the two takes, how often, and why."""
    seconds = {}
    for name, selector in (("MRMR", plain), ("FastEnsemble", fast)):
        begin = time.perf_counter()
        selector.fit(X, y)
        seconds[name] = time.perf_counter() - begin

    title("Which columns, how often, and why")
    share, parts = fast.selection_frequency_, len(fast.part_selections_)
    order = np.argsort(-share, kind="stable")
    either = plain.support_ | fast.support_
    shown = [j for j in order if either[j]]
    rows = []
    for j in shown:
        why = plain.explain(int(j))[0]
        rows.append(
            (
                names[j],
                f"{round(parts * share[j])}/{parts}",
                f"#{plain.ranking_[j]}" if plain.support_[j] else "-",
                f"#{fast.ranking_[j]}" if fast.support_[j] else "-",
                f"{why['relevance']:.1f}",
                number(why["redundancy"]),
                named(why["nearest"], names),
            )
        )
    table(
        (
            "column",
            "parts",
            "MRMR",
            "vote",
            "relevance",
            "redundancy",
            "nearest choice",
        ),
        rows,
    )
    print()
    n_rare = int(np.sum((share > 0) & ~either))
    say(
        f"parts: how many of the {parts} runs took the column ({n_rare} other columns were taken "
        "now and then). relevance: F statistic between the diagnoses. redundancy: mean |r| with "
        "the columns that one MRMR had chosen before. nearest: the choice that it repeats most."
    )
    alone = [j for j in plain.indices_ if not fast.support_[j]]
    if alone:
        why = plain.explain(int(alone[0]))[0]
        votes = round(parts * share[alone[0]])
        say(
            f"One MRMR took {names[alone[0]]} (relevance {why['relevance']:.1f}): by accident it "
            f"is hardly correlated with the choices before it, and the score is relevance "
            f"divided by redundancy. {f'Only {votes}' if votes else 'None'} of the {parts} parts "
            "took it, so the ensemble leaves it out."
        )
    left = next(row for row in plain.explain() if not row["selected"])
    say(
        f"Most relevant of the columns that MRMR left out: {named(left['feature'], names)} "
        f"({left['relevance']:.0f}); it repeats {named(left['nearest'], names)}."
    )
    say(
        f"The ensemble looked at {fast.n_pairs_needed_:,} pairs of columns, {parts} separate runs "
        f"would look at {parts * passes(X.shape[1], N_SELECTED):,}. Seconds: one MRMR "
        f"{seconds['MRMR']:.3f}, FastEnsemble {seconds['FastEnsemble']:.3f}."
    )


def number(value):
    """Three decimals; a dash where a selector never had to compute the value."""
    return "-" if value is None or np.isnan(value) else f"{value:.3f}"


def named(label, names):
    """Our name of a column that a selector calls ``x12``; a dash for none."""
    return "-" if label is None else str(names[int(label.removeprefix("x"))])


def passes(p, k):
    """Pairs that one run evaluates."""
    return p * k - k * (k - 1) // 2


def stability(plain, fast, X, y, seed=0):
    """Select again on random halves of the patients and compare the selections."""
    title(f"How stable: {N_RESAMPLES} selections on random halves of the patients")
    rng = np.random.default_rng(seed)
    halves = [rng.permutation(len(y))[: len(y) // 2] for _ in range(N_RESAMPLES)]
    rows = []
    for name, selector in (("one MRMR", plain), ("FastEnsemble", fast)):
        masks = np.array([clone(selector).fit(X[half], y[half]).support_ for half in halves])
        result = nogueira_stability(masks)
        low, high = result.confidence_interval()
        rows.append(
            (
                name,
                f"{jaccard_stability(masks):.3f}",
                f"{result.stability:.3f}",
                f"{low:.3f} to {high:.3f}",
                str(masks.any(axis=0).sum()),
            )
        )
    table(
        ("selection", "Jaccard", "Nogueira", "95 % interval", "columns ever chosen"),
        rows,
    )
    print()
    say("1 is always the same columns; by the Nogueira measure, 0 is chance.")


def accuracy(plain, fast, X, y):
    """Cross-validate a classifier; the selection sees the training patients only."""
    title("How accurate: logistic regression, 10 x 5-fold cross-validation")
    folds = RepeatedStratifiedKFold(n_splits=5, n_repeats=10, random_state=0)
    rows = []
    for name, steps in (
        (f"all {X.shape[1]} columns", []),
        (f"{N_SELECTED} columns of one MRMR", [plain]),
        (f"{N_SELECTED} columns of FastEnsemble", [fast]),
    ):
        model = make_pipeline(*steps, StandardScaler(), LogisticRegression(max_iter=1000))
        score = cross_val_score(model, X, y, cv=folds)
        rows.append((name, f"{100 * score.mean():.1f} %", f"{100 * score.std():.1f} %"))
    table(("classifier on", "accuracy", "spread over folds"), rows)
    print()
    say("Selection is part of the pipeline: it never sees the patients it is judged on.")


def picture(fast, names):
    """Draw how often each column was selected; say where."""
    title("Picture")
    try:
        import matplotlib
    except ImportError:
        say("matplotlib is not installed; pip install matplotlib draws one.")
        return
    matplotlib.use("Agg")
    from ensfs.plotting import SelectionFrequencyDisplay

    display = SelectionFrequencyDisplay.from_estimator(fast, feature_names=names)
    path = place_for("ensfs_demo.png")
    display.figure_.savefig(path, dpi=130)
    print(f"Selection frequencies drawn in {path}")


def place_for(name):
    """Give a path in the current directory, or in a new temporary one if that is closed."""
    path = Path.cwd() / name
    try:
        path.touch()
    except OSError:
        path = Path(tempfile.mkdtemp(prefix="ensfs-")) / name
    return path


def title(text):
    print(f"\n{text}\n{'-' * len(text)}")


def say(text):
    print(textwrap.fill(text, width=92))


def table(header, rows):
    """Print rows of strings in columns, the first to the left, numbers to the right."""
    widths = [max(len(row[i]) for row in (header, *rows)) for i in range(len(header))]
    for row in (header, *rows):
        cells = []
        for i, (cell, width) in enumerate(zip(row, widths, strict=True)):
            left = i == 0 or header[i] == "nearest choice"
            cells.append(cell.ljust(width) if left else cell.rjust(width))
        print("  ".join(cells).rstrip())


if __name__ == "__main__":
    main()
