"""
Experts for parts of the rows
=============================

No line divides four clouds whose classes are opposite corners. Lines for parts of the rows do,
whichever way the parts are made, and mixtures of experts need no parts at all.
"""

import matplotlib.pyplot as plt
import numpy as np

from ensfs import (
    ClassClusterExpertsClassifier,
    ClusterExpertsClassifier,
    ExpertAverageClassifier,
    HierarchicalMixtureClassifier,
    IntervalExpertsClassifier,
    PrototypeMixtureClassifier,
)
from ensfs.datasets import make_xor_clusters

X, y = make_xor_clusters(2000, random_state=0)
train, test = slice(0, 1000), slice(1000, None)
shades = {"levels": np.linspace(0, 1, 21), "cmap": "coolwarm"}
x_grid, y_grid = np.linspace(-3, 7.5, 120), np.linspace(-3, 6, 120)
grid = np.column_stack([each.ravel() for each in np.meshgrid(x_grid, y_grid)])


def draw(axis, values, title, **options):
    """Values of the grid as colours, a few rows on top."""
    axis.contourf(x_grid, y_grid, values.reshape(120, 120), **options)
    for label, marker in ((0, "o"), (1, "^")):
        rows = np.flatnonzero(y[train] == label)[:60]
        axis.scatter(*X[rows].T, s=9, marker=marker, c="white", edgecolors="#404040", lw=0.6)
    axis.set_title(title, fontsize=10)
    axis.set(xticks=[], yticks=[], xlim=(-3, 7.5), ylim=(-3, 6))


# %%
# Three ways to divide the rows: clusters, the nearest clusters of both classes, intervals of one
# column. Colours are parts. The last picture is the probability that their mean gives.

ways = {
    "clusters": ClusterExpertsClassifier(random_state=0),
    "clusters of each class": ClassClusterExpertsClassifier(random_state=0),
    "intervals": IntervalExpertsClassifier(),
}
figure, axes = plt.subplots(2, 2, figsize=(7.4, 6.2), layout="constrained")
for axis, (name, expert) in zip(axes.flat, ways.items(), strict=False):
    error = 1 - expert.fit(X[train], y[train]).score(X[test], y[test])
    draw(
        axis,
        expert.route(grid),
        f"{name}, error {error:.1%}",
        levels=np.arange(-0.5, 4),
        cmap="Set3",
    )
mean = ExpertAverageClassifier(random_state=0).fit(X[train], y[train])
error = 1 - mean.score(X[test], y[test])
draw(axes[1, 1], mean.predict_proba(grid)[:, 1], f"mean of the three, error {error:.1%}", **shades)

# %%
# Mixtures of experts. Above, how much the first expert of a group counts: around its prototype
# (star) and away from the other (cross), and where a gate learned to ask it. Below, probabilities.

mixtures = {
    "static": PrototypeMixtureClassifier(weights="static", n_modules=1, random_state=3),
    "dynamic": PrototypeMixtureClassifier(n_modules=1, random_state=3),
    "learned": HierarchicalMixtureClassifier(n_modules=1, random_state=1),
}
figure, axes = plt.subplots(2, 3, figsize=(8.6, 5.6), layout="constrained")
low, width = X[train].min(axis=0), np.ptp(X[train], axis=0)
for (above, below), (name, mixture) in zip(axes.T, mixtures.items(), strict=True):
    error = 1 - mixture.fit(X[train], y[train]).score(X[test], y[test])
    first = mixture.expert_weights(grid)[:, 0, 0]
    draw(
        above, first, f"{name}: weight of one expert", levels=np.linspace(0, 1, 21), cmap="Purples"
    )
    if name != "learned":
        for marker, prototype in zip("*X", mixture.prototypes_[0], strict=True):
            above.plot(*(low + prototype * width), marker, ms=13, c="#D55E00", mec="white")
    draw(below, mixture.predict_proba(grid)[:, 1], f"probability, error {error:.1%}", **shades)
plt.show()
