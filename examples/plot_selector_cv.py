"""
How many columns does a model need?
===================================

`SelectorCV` cross-validates a model for several numbers of columns, which are selected inside the
folds, and takes the smallest number within one standard error of the best.
"""

from sklearn.datasets import load_breast_cancer

from ensfs import MRMR, SelectorCV
from ensfs.plotting import AccuracyDisplay

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
search = SelectorCV(MRMR()).fit(X, y)
AccuracyDisplay.from_search(search, score_name="accuracy")

# %%
# The selector was then fitted on all rows with that number.

print(search.explain()[: search.n_features_])
