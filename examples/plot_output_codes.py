"""
Output codes: few columns or many
=================================

A code gives each class a word; a support vector machine learns each column. With the fewest
columns, which classes stand on which side matters most. More columns correct errors.
"""

# %%
# The best of the shortest codes for six digits, and a dense one with fifteen columns. In each
# column a machine tells the red classes from the blue ones.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.svm import SVC

from ensfs import ECOCClassifier, MinimalECOCClassifier

X, y = load_digits(n_class=6, return_X_y=True)
X = X + np.random.default_rng(0).normal(scale=6, size=X.shape)  # noise, so that there are errors
train, test = slice(None, None, 2), slice(1, None, 2)


def accuracy(model):
    """Share of the other half of the rows that are right."""
    return model.fit(X[train], y[train]).score(X[test], y[test])


models = {
    "the best of the shortest": MinimalECOCClassifier(SVC(), random_state=0),
    "dense": ECOCClassifier(SVC(), n_columns=15, random_state=0),
}
figure, axes = plt.subplots(
    1, 2, figsize=(8, 3.6), gridspec_kw={"width_ratios": [7, 15]}, layout="constrained"
)
for axis, (name, model) in zip(axes, models.items(), strict=True):
    right = accuracy(model)
    axis.imshow(model.code_book_, cmap="coolwarm", vmin=-1.6, vmax=1.6, aspect="equal")
    axis.set(
        title=f"{name}\n{right:.1%} right, words differ\nin at least {model.min_row_distance_:g}",
        xlabel="column",
        xticks=[],
        ylabel="digit",
    )

# %%
# More columns that are drawn are mostly better. The shortest code that was chosen for the data, and
# one column for each digit or pair of digits, for comparison.

sizes = [3, 5, 8, 12, 20, 31]
drawn = [
    [accuracy(ECOCClassifier(SVC(), n_columns=n, random_state=s)) for s in range(3)] for n in sizes
]
fixed = {
    "shortest, chosen": (3, accuracy(models["the best of the shortest"])),
    "one against all": (6, accuracy(ECOCClassifier(SVC(), "one_vs_all", decoding="euclidean"))),
    "pairs": (15, accuracy(ECOCClassifier(SVC(), "one_vs_one"))),
}
figure, axis = plt.subplots(figsize=(6, 3.8), layout="constrained")
axis.plot(sizes, np.mean(drawn, axis=1), "o-", label="dense, mean of three")
axis.fill_between(sizes, np.min(drawn, axis=1), np.max(drawn, axis=1), alpha=0.2)
for name, (n_columns, right) in fixed.items():
    axis.plot(n_columns, right, "s", label=name)
axis.set(xlabel="columns", ylabel="accuracy")
axis.legend()
plt.show()
