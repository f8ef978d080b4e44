"""
What do correlated errors leave?
================================

Averaging removes the part of an error that the members do not share. The lines say how much is left
for some correlations of their errors; the star is a forest of ten trees.
"""

import numpy as np
from sklearn.datasets import load_digits
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier
from sklearn.model_selection import train_test_split

from ensfs.evaluation import bayes_error_estimate, error_correlation
from ensfs.plotting import ErrorReductionDisplay

X, y = load_digits(return_X_y=True)
X, X_test, y, y_test = train_test_split(X, y, test_size=0.5, random_state=0)


def outputs_of(model):
    members = model.fit(X, y).estimators_
    return np.array([member.predict_proba(X_test) for member in members])


forest = outputs_of(RandomForestClassifier(10, random_state=0))
display = ErrorReductionDisplay.from_predictions(forest, y_test)

# %%
# The same for bagged trees, whose splits see all columns: their errors are more alike.

bagged = outputs_of(BaggingClassifier(n_estimators=10, random_state=0))
print(f"forest:  {error_correlation(forest, y_test):.2f}")
print(f"bagging: {error_correlation(bagged, y_test):.2f}")

# %%
# From what averaging gains follows what it cannot take away. The estimate is rough: the formula is
# about probabilities, not about the best of ten classes. Here the forest gains more than it allows,
# so the estimate is below 0, and nothing speaks for an error that cannot be avoided.

single = (forest.argmax(axis=2) != y_test).mean()
ensemble = (forest.mean(axis=0).argmax(axis=1) != y_test).mean()
delta = error_correlation(forest, y_test)
print(f"a tree {single:.3f}, the forest {ensemble:.3f}")
print(f"what is left: {bayes_error_estimate(single, ensemble, delta, len(forest)):.3f}")
