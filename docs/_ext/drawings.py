"""The drawings of the documentation, made anew by each build."""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch, Rectangle

import ensfs
from ensfs.plotting._style import COLOURS

#: Fillings, and text that stays behind: the pages put drawings on white paper.
LIGHT, QUIET = "#C9DDEA", "#595959"

FOLDS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7")
PAPER, INK = "white", "#222222"


def canvas(width, height):
    """Axes in tenths of an inch, without any frame."""
    figure = plt.figure(figsize=(width / 10, height / 10), facecolor=PAPER)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, width), ylim=(0, height))
    axes.set_axis_off()
    return figure, axes


def box(axes, x, y, width, height, text, *, face=PAPER, edge=INK, size=9, **style):
    axes.add_patch(
        FancyBboxPatch((x, y), width, height, boxstyle="round,pad=0,rounding_size=0.6",
                       facecolor=face, edgecolor=edge, linewidth=1)
    )  # fmt: skip
    words(axes, x + width / 2, y + height / 2, text, size=size, **style)


def words(axes, x, y, text, *, size=9, ha="center", va="center", color=INK, **style):
    axes.text(x, y, text, ha=ha, va=va, fontsize=size, color=color, linespacing=1.35, **style)


def arrow(axes, start, end, text=None, *, beside=(0.0, 0.8)):
    axes.add_patch(
        FancyArrowPatch(start, end, arrowstyle="-|>", mutation_scale=9, color=QUIET, linewidth=1,
                        shrinkA=0, shrinkB=0)
    )  # fmt: skip
    if text:
        middle = ((start[0] + end[0]) / 2 + beside[0], (start[1] + end[1]) / 2 + beside[1])
        words(axes, *middle, text, size=8, color=QUIET)


# ---------------------------------------------------------------------------------------------
# Which selector should I use?

#: A question, the names that answer it if they exist, and what to say of them.
LADDER = (
    ("There is no target, only columns?", ("RandomClusterEnsemble",), "what makes the clusters"),
    (
        "You ask what the target depends on directly,\nits Markov blanket?",
        ("IAMB", "InterIAMB", "MMPC", "PCSelector"),
        "tests of conditional independence",
    ),
    (
        "Interactions of several columns, and p-values?",
        ("ACE",),
        "forests against shuffled copies",
    ),
    ("Should the method say how many?", ("FCBF", "CFS"), "a short list; the best set"),
    (
        "Do columns say more together than each alone?",
        ("JMI", "JMIM"),
        "pairs with what is selected",
    ),
    ("Text, categories or curved relations?", ("CMIM", "JMI"), 'or MRMR(scheme="MIQ")'),
)


def choose(path):
    unknown = [name for _, names, _ in LADDER for name in names if not hasattr(ensfs, name)]
    if unknown:
        raise LookupError(f"The ladder of docs/choose.md names {unknown}, which do not exist.")
    step, height = 6.6, 4.6
    top = step * (len(LADDER) + 2)
    figure, axes = canvas(72, top + 1)
    for i, (question, names, remark) in enumerate(LADDER):
        y = top - step * (i + 1) + 1.5
        box(axes, 1, y, 34, height, question, face="#F4F4F4")
        arrow(axes, (35, y + height / 2), (42, y + height / 2), "yes")
        box(axes, 42, y, 29, height, "", face=LIGHT, edge=COLOURS[0])
        words(axes, 56.5, y + 3.1, ", ".join(names), size=9.5, weight="bold")
        words(axes, 56.5, y + 1.3, remark, size=8)
        arrow(axes, (18, y), (18, y - step + height), "no", beside=(1.4, 0))
    y = top - step * (len(LADDER) + 1) + 1.5
    box(axes, 1, y, 34, height, "", face=LIGHT, edge=COLOURS[0])
    words(axes, 18, y + 3.1, "MRMR", size=9.5, weight="bold")
    words(axes, 18, y + 1.3, "relevant columns that do not repeat each other", size=8)
    arrow(axes, (35, y + height / 2), (42, y + height / 2))
    box(
        axes,
        42,
        y,
        29,
        height,
        "whatever you took: few rows,\nor a choice to be trusted?",
        face="#F4F4F4",
    )
    arrow(axes, (56.5, y), (56.5, y - step + height), "yes", beside=(1.8, 0))
    y -= step
    box(axes, 42, y, 29, height, "", face="#FBE3D3", edge=COLOURS[1])
    words(axes, 56.5, y + 3.1, "FastEnsemble(selector)", size=9.5, weight="bold")
    words(axes, 56.5, y + 1.3, "how often is each column selected?", size=8)
    save(figure, path)


# ---------------------------------------------------------------------------------------------
# How it works inside


def additive(path):
    """Rows in folds, sums of each fold, parts as sums of folds."""
    figure, axes = canvas(76, 30)
    words(axes, 8, 28.2, "rows", weight="bold")
    for i, colour in enumerate(FOLDS):
        y = 21.2 - 6.2 * i
        for row in range(4):
            axes.add_patch(Rectangle((2, y + 1.2 * row), 12, 1.0, facecolor=colour, alpha=0.55))
        words(axes, 1.2, y + 2.3, str(i + 1), size=8)
        arrow(axes, (14.8, y + 2.3), (21, y + 2.3))
        sums = r"$n,\ \Sigma x,\ \Sigma y$" + "\n" + r"$\Sigma x^2,\ \Sigma y^2,\ \Sigma xy$"
        box(axes, 21, y, 17, 4.6, sums, face=PAPER, edge=colour)
    words(axes, 29.5, 28.2, "sums of each fold", weight="bold")
    words(axes, 17.6, 28.2, "read once", size=8, color=QUIET)
    arrow(axes, (39, 13.5), (45, 13.5), "add", beside=(0, 1))
    words(axes, 54, 28.2, "parts: all folds but one", weight="bold")
    for t in range(4):
        y = 21.2 - 6.2 * t
        for i, colour in enumerate(FOLDS):
            left_out = i == t
            axes.add_patch(
                Rectangle((46 + 4 * i, y + 0.8), 3, 3, facecolor="none" if left_out else colour,
                          alpha=1 if left_out else 0.55, edgecolor=QUIET if left_out else "none",
                          linestyle="--")
            )  # fmt: skip
            if i < 3:
                words(axes, 49.5 + 4 * i, y + 2.3, "+", size=8, color=QUIET)
        arrow(axes, (62.2, y + 2.3), (66, y + 2.3))
        words(axes, 66.6, y + 2.3, f"selection {t + 1}", size=8.5, ha="left")
    save(figure, path)


def one_operation(path):
    """Three wishes that are one addition."""
    figure, axes = canvas(76, 22)
    rows = (
        ("an ensemble", "folds of the rows", "leave one out:\nadd the others"),
        ("more rows than memory", "blocks of a file", "add the next one"),
        ("a cluster", "what each worker has", "add them all"),
    )
    for i, (wish, pieces, operation) in enumerate(rows):
        y = 15.4 - 6.6 * i
        words(axes, 1, y + 2.3, wish, ha="left", weight="bold")
        for j, colour in enumerate(FOLDS):
            axes.add_patch(Rectangle((22 + 3.4 * j, y + 1.3), 3, 3, facecolor=colour, alpha=0.55))
        words(axes, 28.6, y + 0.3, pieces, size=8, color=QUIET)
        words(axes, 41.5, y + 2.7, operation, size=8.5)
        arrow(axes, (48, y + 2.7), (53, 12.8 - 1.4 * i))
    box(axes, 53, 8.6, 22, 5.6, "statistics, then measures,\nthen the same selection", face=LIGHT,
        edge=COLOURS[0])  # fmt: skip
    save(figure, path)


def bit_planes(path):
    """Codes of two columns as bits, and a count as common bits."""
    a, b = "0212012221", "1111011011"
    figure, axes = canvas(76, 20)

    def strip_of(y, bits, colour, name):
        words(axes, 15.4, y + 1, name, size=9, ha="right")
        for i, bit in enumerate(bits):
            on = bit == "1"
            axes.add_patch(
                Rectangle((16.5 + 3 * i, y), 2.6, 2.2, facecolor=colour if on else PAPER,
                          edgecolor=QUIET, linewidth=0.6, alpha=0.75 if on else 1)
            )  # fmt: skip
            words(axes, 17.8 + 3 * i, y + 1.05, bit, size=8, color="white" if on else QUIET)

    words(axes, 15.4, 17.6, "column $a$", ha="right")
    words(axes, 15.4, 14.8, "column $b$", ha="right")
    for i, (first, second) in enumerate(zip(a, b, strict=True)):
        words(axes, 17.8 + 3 * i, 17.6, first, weight="bold")
        words(axes, 17.8 + 3 * i, 14.8, second, weight="bold")
    plane_a = "".join("1" if value == "2" else "0" for value in a)
    plane_part = "1110111011"
    both = "".join("1" if x == y == "1" else "0" for x, y in zip(plane_a, b, strict=True))
    strip_of(10.6, plane_a, COLOURS[0], "plane $a = 2$")
    strip_of(7.8, b, COLOURS[2], "plane $b = 1$")
    strip_of(5.0, plane_part, COLOURS[3], "rows of the part")
    every = "".join("1" if x == y == "1" else "0" for x, y in zip(both, plane_part, strict=True))
    strip_of(1.2, every, COLOURS[1], "all three")
    words(
        axes, 48.5, 12.9, "64 rows or more with each instruction:", ha="left", size=8.5, color=QUIET
    )
    words(axes, 48.5, 8.2, "AND", ha="left", weight="bold")
    words(
        axes,
        48.5,
        2.2,
        f"count the bits: $n_{{21}} = {every.count('1')}$",
        ha="left",
        weight="bold",
    )
    arrow(axes, (45.2, 4.8), (45.2, 3.6))
    save(figure, path)


def lazy(path):
    """One step of a lazy search."""
    figure, axes = canvas(70, 26)
    figure.clf()
    axes = figure.add_axes((0.15, 0.16, 0.56, 0.8))
    names = ["column 7", "column 2", "column 9", "column 4", "column 1", "column 6"]
    bound = [9.1, 8.4, 6.6, 5.2, 3.9, 2.2]
    score = [7.4, 5.9, None, None, None, None]
    for i, (high, low) in enumerate(zip(bound, score, strict=True)):
        axes.barh(i, high, height=0.62, facecolor=LIGHT, edgecolor=COLOURS[0], linewidth=0.8)
        if low is not None:
            axes.barh(i, low, height=0.62, color=COLOURS[0])
    axes.axvline(7.4, color=COLOURS[1], linewidth=1.4, linestyle="--")
    axes.set_yticks(range(6), names)
    axes.invert_yaxis()
    axes.set_xticks([])
    axes.set_xlim(0, 9.6)
    axes.set_xlabel("score of the step")
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(length=0)
    notes = (
        "complete: the best score",
        "completed, and worse",
        "bound below the best:\nnever read",
    )
    for y, text in zip((0, 1, 3.5), notes, strict=True):
        axes.text(9.8, y, text, va="center", fontsize=8.5, color=QUIET)
    axes.plot([9.55, 9.55], [1.7, 5.3], color=QUIET, linewidth=1, clip_on=False)
    save(figure, path)


def way_of_the_data(path):
    """The rooms of the house, from the table to the selection."""
    rooms = (
        ("table", "what the user has: arrays, data frames, blocks of rows"),
        ("columns", "numbers fold after fold; codes as bit planes"),
        ("statistics", "sums of each fold, counts of each part"),
        ("measures", "correlation, F statistic, mutual information, uncertainty"),
        ("search", "which column next?"),
        ("selectors", "scikit-learn estimators, and ensembles of them"),
        ("evaluation, displays", "how stable, how accurate, drawn"),
    )
    said = {
        0: "kinds of columns, codes, names, folds: decided once",
        1: "compiled kernels: the only code that touches rows",
    }
    step = 5.2
    figure, axes = canvas(76, step * len(rooms) + 0.6)
    for i, (name, what) in enumerate(rooms):
        y = step * (len(rooms) - 1 - i) + 1
        box(axes, 1, y, 18, 3.2, name, face=LIGHT, edge=COLOURS[0], weight="bold")
        words(axes, 21, y + 1.6, what, ha="left")
        if i + 1 < len(rooms):
            arrow(axes, (10, y), (10, y - step + 3.2))
            words(axes, 12, y - 1, said.get(i, ""), size=8, color=QUIET, ha="left")
    save(figure, path)


# ---------------------------------------------------------------------------------------------


def save(figure, path):
    # no date, and ids from a fixed salt: the same drawing is the same file
    with plt.rc_context({"svg.hashsalt": "ensfs"}):
        figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


DRAWINGS = {
    "choose": choose,
    "additive": additive,
    "one_operation": one_operation,
    "bit_planes": bit_planes,
    "lazy": lazy,
    "way_of_the_data": way_of_the_data,
}


def draw_all(app):
    folder = Path(app.srcdir) / "generated" / "drawings"
    folder.mkdir(parents=True, exist_ok=True)
    for name, draw in DRAWINGS.items():
        draw(folder / f"{name}.svg")


def setup(app):
    app.connect("builder-inited", draw_all)
    return {"parallel_read_safe": True}
