"""
Boosted stumps on random projections
====================================

A stump cuts one column in two, so boosted stumps draw borders along the axes. On random projections
they draw borders in any direction.
"""

# %%
# Where each model says "inside", for three of the patterns of the paper; the line is the truth. A
# thousand points of the grid train.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import train_test_split

from ensfs import RpBoostClassifier
from ensfs.datasets import make_pattern

models = {
    "columns\n(LsBoost)": RpBoostClassifier(200, projection=None),
    "projections\n(RpBoost)": RpBoostClassifier(200, random_state=0),
}
figure, axes = plt.subplots(2, 3, figsize=(8, 5.6), layout="constrained", sharex=True, sharey=True)
for column, name in enumerate(["linear", "annulus", "checkerboard"]):
    X, y = make_pattern(name)
    train, _ = train_test_split(np.arange(len(y)), train_size=1000, stratify=y, random_state=0)
    for row, (title, model) in enumerate(models.items()):
        axis = axes[row, column]
        model.fit(X[train], y[train])
        inside = model.predict(X).reshape(81, 81)  # one row of the picture for each value of x
        axis.imshow(inside.T, origin="lower", extent=(0, 4, 0, 4), cmap="Blues", vmax=1.6)
        truth = y.reshape(81, 81).T
        grid = np.linspace(0, 4, 81)
        axis.contour(grid, grid, truth, [0.5], colors="#D55E00", linewidths=1)
        axis.set_title(f"{name}, {model.score(X, y):.1%} right", fontsize=10)
        if column == 0:
            axis.set_ylabel(title)

# %%
# The error by rounds. The penalty makes every step smaller by the same factor: it needs more
# rounds, and does not choose other stumps in a round.

X, y = make_pattern("annulus")
train, _ = train_test_split(np.arange(len(y)), train_size=1000, stratify=y, random_state=0)
figure, axis = plt.subplots(figsize=(6, 3.6), layout="constrained")
for alpha, style in zip((0, 1000, 10_000), ("-", "--", ":"), strict=True):
    model = RpBoostClassifier(200, alpha=alpha, random_state=0).fit(X[train], y[train])
    errors = [np.mean(stage != y) for stage in model.staged_predict(X)]
    axis.plot(np.arange(1, 201), errors, style, label=f"penalty {alpha:,}")
axis.set(xlabel="rounds", ylabel="error on all points", ylim=(0, None))
axis.legend()
plt.show()
