"""
How many columns?
=================

The accuracy of a classifier against the number of columns it gets. The columns are selected inside
each fold of the cross-validation, from its training rows alone: a selection made before would have
seen the test rows and would look better than it is.
"""

import numpy as np
from sklearn.datasets import load_breast_cancer

from ensfs import JMI, MRMR
from ensfs.plotting import AccuracyDisplay

X, y = load_breast_cancer(return_X_y=True)
rng = np.random.default_rng(0)
patients = rng.permutation(len(y))[:120]
X = np.hstack([X, rng.normal(size=(len(y), 170))])[patients]
y = y[patients]

first = AccuracyDisplay.from_estimator(MRMR(30), X, y, name="MRMR")
AccuracyDisplay.from_estimator(JMI(30), X, y, name="JMI", baseline=False, ax=first.ax_)

# %%
# The model is a logistic regression on standardized columns unless another `estimator` is given.
# The bands are one standard deviation over the folds: differences within them say little.
