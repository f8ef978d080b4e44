"""
Why an ensemble? One selection, and twenty that vote
=====================================================

Sixty wines of three growers: 13 chemical measurements (the wine data that comes with scikit-learn)
beside 1,000 columns of noise. Which five columns tell the growers apart? One run of mRMR as it was
published takes noise; twenty runs on halves of the wines, which vote, do not. Neither does `MRMR`
by default, which trades relevance and redundancy in another way. Because we made the noise, we
know. Runs in a few seconds: ``python examples/demo.py``.
"""

import tempfile
import textwrap
import time
from pathlib import Path

import numpy as np
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import ensfs
from ensfs.evaluation import nogueira_stability, represented_columns

N_WINES = 60
N_NOISE = 1000
N_SELECTED = 5
N_STUDIES = 20
#: Absolute correlation from which on a column left out counts as another reading of a chosen one.
ALIKE = 0.8


def main():
    start = time.perf_counter()
    one, many = selectors()
    title(
        f"ensfs {ensfs.__version__}: {N_WINES} wines, 13 measurements, {N_NOISE:,} columns of noise"
    )
    X, y, names, _, _ = study(0)
    one.fit(X, y)
    many.fit(X, y)
    chosen(one, many, X, names)
    again(one, many)
    picture(one, many, X, names)
    print(f"\nDone in {time.perf_counter() - start:.1f} s.")


def selectors():
    """Return mRMR as published, and the same on twenty halves of the rows that vote."""
    one = ensfs.MRMR(N_SELECTED, scheme="FCQ")
    return one, vote(one)


def vote(selector):
    """Return a selector on twenty halves of the rows that vote."""
    return ensfs.FastEnsemble(selector, n_parts=20, parts="halves")


def study(seed):
    """Draw wines and noise: the table, its classes and names, and the wines left over."""
    rng = np.random.default_rng(seed)
    data = load_wine()
    order = rng.permutation(len(data.target))
    X = np.hstack([data.data, rng.standard_normal((len(data.target), N_NOISE))])
    names = [name.replace("od280/od315_of_diluted_wines", "od280/od315").replace("_", " ")
             for name in data.feature_names]  # fmt: skip
    names += [f"noise {j + 1}" for j in range(N_NOISE)]
    first, rest = order[:N_WINES], order[N_WINES:]
    return X[first], data.target[first], np.array(names), X[rest], data.target[rest]


def shown_columns(one, many):
    """Columns that either of the two takes, the most frequent first."""
    share = many.selection_frequency_
    order = np.lexsort((one.ranking_, many.ranking_, -share))
    return [int(j) for j in order if one.support_[j] or many.support_[j]]


def twins(many, X, names):
    """For each column of the vote, what it stands for: columns left out that go along with it."""
    groups = represented_columns(many, X, at_least=ALIKE)
    return {int(j): [str(names[i]) for i in group]
            for j, group in zip(many.indices_, groups, strict=True)}  # fmt: skip


def chosen(one, many, X, names):
    """Print which columns each of the two takes, and how often they come back."""
    n_parts = len(many.part_selections_)
    also = twins(many, X, names)
    rows = []
    for j in shown_columns(one, many):
        votes = round(n_parts * many.selection_frequency_[j])
        rows.append(
            (
                names[j],
                f"#{one.ranking_[j]}" if one.support_[j] else "-",
                f"{votes:2d} {'=' * votes}",
                f"#{many.ranking_[j]}" if many.support_[j] else "-",
                ", ".join(also.get(j, [])),
            )
        )
    header = ("column", "one run", f"in {n_parts} halves", "the vote", "stands for")
    table(header, rows, left=(0, 2, 4))
    print()
    noise = [j for j in one.indices_ if is_noise(j)]
    if noise:
        places = " and ".join(f"#{one.ranking_[j]}" for j in noise)
        votes = max(round(n_parts * many.selection_frequency_[j]) for j in noise)
        say(
            f"One run of mRMR took noise as {places}: among {N_NOISE:,} columns some look relevant "
            "by chance, and noise repeats no other column, which is what mRMR rewards. Chance "
            f"does not come back: {votes or 'none'} of the {n_parts} halves took it."
        )
    ours = n_pairs(X.shape[1], N_SELECTED) * n_parts
    say(
        f"Twenty separate runs compare {ours:,} pairs of columns; the ensemble needed "
        f"{many.n_pairs_needed_:,}."
    )


def again(one, many):
    """Print the same for other wines and other noise: errors, stability, accuracy."""
    title(f"Is that luck? {N_STUDIES} other studies")
    default = ensfs.MRMR(N_SELECTED)
    compared = {"one run": one, "the vote": many,
                "MRMR by default": default, "its vote": vote(default)}  # fmt: skip
    masks = {name: [] for name in compared}
    accuracy = {name: [] for name in ("all columns", *compared)}
    for seed in range(1, N_STUDIES + 1):
        X, y, _, others, classes = study(seed)
        model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
        accuracy["all columns"].append(model.fit(X, y).score(others, classes))
        for name, selector in compared.items():
            take = clone(selector).fit(X, y).support_
            masks[name].append(take)
            accuracy[name].append(model.fit(X[:, take], y).score(others[:, take], classes))
    rows = [("all columns", f"{N_NOISE:,}", "", percent(accuracy["all columns"]))]
    for name, chosen_ones in masks.items():
        n_noise = np.mean([mask[13:].sum() for mask in chosen_ones])
        stability = nogueira_stability(np.array(chosen_ones)).stability
        rows.append((name, f"{n_noise:.2f}", f"{stability:.2f}", percent(accuracy[name])))
    table(("columns", "of them noise", "stability", "accuracy"), rows)
    print()
    say(
        "Stability compares the selections of the studies: 1 is always the same columns, 0 is "
        "chance. Accuracy is that of logistic regression on the wines left over."
    )


def is_noise(j):
    return j >= 13


def n_pairs(p, k):
    """Pairs of columns that one run compares."""
    return p * k - k * (k - 1) // 2


def percent(scores):
    return f"{100 * np.mean(scores):.1f} %"


def picture(one, many, X, names):
    """Draw what the first table says; tell where."""
    title("Picture")
    try:
        import matplotlib
    except ImportError:
        say("matplotlib is not installed; pip install matplotlib draws one.")
        return
    matplotlib.use("Agg")
    path = place_for("ensfs_demo.png")
    draw(one, many, X, names).savefig(path, dpi=130)
    print(f"The first table as a picture: {path}")


def draw(one, many, X, names):
    """Draw how often halves of the rows took each column, and what one run took."""
    import matplotlib.pyplot as plt

    ours, theirs, quiet = "#0072B2", "#D55E00", "#C9DDEA"
    columns = shown_columns(one, many)
    share = many.selection_frequency_[columns]
    figure, (left, right) = plt.subplots(
        1, 2, figsize=(8.4, 3.3), width_ratios=(1, 5), sharey=True, layout="constrained"
    )
    for row, j in enumerate(columns):
        colour = theirs if is_noise(j) else ours
        if one.support_[j]:
            left.plot(0, row, "o", color=colour, markersize=17)
            left.text(0, row, f"{one.ranking_[j]}", color="white", ha="center", va="center")
        right.barh(row, share[row], color=ours if many.support_[j] else quiet, height=0.62)
    also = twins(many, X, names)
    left.set_yticks(range(len(columns)), [names[j] for j in columns])
    for label, j in zip(left.get_yticklabels(), columns, strict=True):
        label.set_color(theirs if is_noise(j) else "black")
    for row, j in enumerate(columns):
        if also.get(j):
            text = f"also {', '.join(also[j])}"
            right.text(0.015, row, text, color="white", va="center", fontsize="small")
    noise = [row for row, j in enumerate(columns) if is_noise(j)]
    if noise:
        text = "noise: what chance put first once does not come back"
        where = (0.02 + share[noise].max(), np.mean(noise))
        right.text(*where, text, color=theirs, va="center", fontsize="small")
    left.set(xlim=(-1, 1), ylim=(len(columns) - 0.4, -0.6))
    left.set_title("one run", fontsize="medium")
    left.set_xticks([])
    right.set(xlim=(0, 1), xlabel="share of the halves that selected the column")
    right.set_title(f"{len(many.part_selections_)} runs on halves of the rows vote",
                    fontsize="medium")  # fmt: skip
    for axes in (left, right):
        axes.tick_params(axis="y", length=0)
        axes.spines[["top", "right", "left"]].set_visible(False)
    left.spines["bottom"].set_visible(False)
    return figure


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


def table(header, rows, left=(0,)):
    """Print rows of strings in columns; those of `left` to the left, others to the right."""
    widths = [max(len(row[i]) for row in (header, *rows)) for i in range(len(header))]
    for row in (header, *rows):
        cells = [
            cell.ljust(width) if i in left else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        print("  ".join(cells).rstrip())


if __name__ == "__main__":
    main()
