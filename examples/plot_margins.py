"""
Margins in two subspaces
========================

Bagging in a subspace of the columns is sure of some rows and wrong about others; another subspace
is wrong about different ones. What the two disagree about is what a mixture can gain.
"""

import numpy as np
from sklearn.datasets import load_breast_cancer

from ensfs import WeightedSubspaceBaggingClassifier
from ensfs.plotting import MarginsDisplay

X, y = load_breast_cancer(return_X_y=True)
model = WeightedSubspaceBaggingClassifier(
    n_estimators=50, n_subspaces=6, max_features=6, n_oob_estimators=40, random_state=0
).fit(X[:, :12], y)

# %%
# The two subspaces with the largest weights: squares are rows that one of them gets right and the
# other wrong.
best = np.argsort(-model.weights_, kind="stable")[:2].tolist()
print("weights:", model.weights_.round(2))
print("expected error of the vote:", round(model.expected_error_, 3))
display = MarginsDisplay.from_estimator(model, subspaces=best)
