"""
Columns for each class: input decimated ensembles
=================================================

Three classes, each with ten columns of its own among a hundred: rows of a class have values near
40 there, and everything else is noise. A member of the ensemble sees only the columns that are
correlated with its class. How many should it see, and what is gained over members that see
random columns, principal components, or everything?
"""

# %%
# The data
# --------
import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB

from ensfs import (
    DecompositionClassifier,
    InputDecimation,
    InputDecimationClassifier,
    PCASubspace,
    RandomPartitionDecomposition,
    RandomSubspaceDecomposition,
)

rng = np.random.default_rng(0)
y = np.repeat([0, 1, 2], 100)
X = rng.uniform(-100, 100, size=(300, 100))
for c in range(3):
    X[np.ix_(y == c, np.arange(10 * c, 10 * c + 10))] = rng.normal(40, 5, size=(100, 10))

# %%
# The columns of each class
# -------------------------
# The coefficient of a column for a class is its absolute correlation with the class.
decimation = InputDecimation(n_features_per_class=10).fit(X, y)
for label, columns in zip(decimation.classes_, decimation.subsets_, strict=True):
    print(f"class {label}: {np.sort(columns)}")

# %%
# Accuracy against the number of inputs
# -------------------------------------
folds = StratifiedKFold(5, shuffle=True, random_state=0)
sizes = [2, 5, 10, 20, 30, 40, 60, 80, 100]


def accuracy(model):
    return cross_val_score(model, X, y, cv=folds).mean()


curves = {
    "input decimation": lambda k: InputDecimationClassifier(GaussianNB(), k),
    "random subspaces": lambda k: DecompositionClassifier(
        GaussianNB(), RandomSubspaceDecomposition(3, k), random_state=0
    ),
    "principal components": lambda k: DecompositionClassifier(GaussianNB(), PCASubspace(k)),
}
everything = accuracy(
    DecompositionClassifier(GaussianNB(), RandomPartitionDecomposition(1), random_state=0)
)

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
left.imshow(decimation.relevance_[:40].T, aspect="auto", cmap="viridis")
left.set(xlabel="column (the first 40)", ylabel="class", yticks=[0, 1, 2], title="coefficients")
for name, model in curves.items():
    right.plot(sizes, [accuracy(model(k)) for k in sizes], marker="o", label=name)
right.axhline(everything, color="grey", linestyle="--", label="all columns")
right.set(xlabel="inputs of each member", ylabel="accuracy", title="cross-validated accuracy")
right.legend()
plt.show()
