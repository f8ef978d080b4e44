"""
Good members that differ
========================

An ensemble of classifiers is better than its members if they err on different rows. Each point is a
pair of members: how far they agree beyond chance, and how often they are wrong on average. Members
should lie low, and to the left.
"""

from sklearn.datasets import load_digits
from sklearn.ensemble import BaggingClassifier
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier

from ensfs.plotting import DiversityErrorDisplay

X, X_test, y, y_test = train_test_split(*load_digits(return_X_y=True), random_state=0)

axes = None
for name, options in (
    ("bagging", {}),
    ("random subspaces", {"bootstrap": False, "max_features": 0.25}),
):
    ensemble = BaggingClassifier(
        DecisionTreeClassifier(), n_estimators=25, random_state=0, **options
    ).fit(X, y)
    display = DiversityErrorDisplay.from_estimator(ensemble, X_test, y_test, name=name, ax=axes)
    axes = display.ax_

# %%
# The trees that see a quarter of the pixels are worse than those that see all of them, and agree
# less. Their vote is better all the same.
