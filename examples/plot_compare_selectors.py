"""
Which selector is best on this table?
=====================================

`compare_selectors` selects inside the folds, and tells how well a model predicts from the columns
and how stable they are. A score alone is often a tie; the picture shows both.
"""

from sklearn.datasets import load_breast_cancer
from sklearn.feature_selection import SelectKBest

from ensfs import JMI, MRMR, FastEnsemble, StabilitySelector
from ensfs.evaluation import compare_selectors
from ensfs.plotting import SelectorComparisonDisplay

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
selectors = {
    "MRMR": MRMR(5),
    "FastEnsemble, halves": FastEnsemble(MRMR(5), parts="halves"),
    "StabilitySelector": StabilitySelector(MRMR(5), n_pairs=25),
    "JMI": JMI(5),
    "SelectKBest": SelectKBest(k=5),
}
result = compare_selectors(selectors, X, y)
SelectorComparisonDisplay.from_comparison(result)

# %%
# The same as a table.

print(result)
