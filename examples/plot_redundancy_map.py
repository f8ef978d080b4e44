"""
What do the selected columns repeat of one another?
===================================================

A ranking by relevance alone takes columns that say the same. The map shows the correlation of every
pair of selected columns, similar ones side by side; the numbers are the places in the order of
selection.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer

from ensfs import CMIM, FCBF, MIM
from ensfs.plotting import ColumnGroupsDisplay, RedundancyMapDisplay

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
figure, axes = plt.subplots(2, 1, figsize=(7.5, 10.5), layout="constrained")
for selector, ax in zip((MIM(10), CMIM(10)), axes, strict=True):
    RedundancyMapDisplay.from_estimator(selector.fit(X, y), X, ax=ax)
    ax.set_title(type(selector).__name__, pad=40)

# %%
# `MIM` fills its list with sizes of the same tumours, which form one dark block. `CMIM` asks of
# each column what no selected one has said, and its map is lighter.
#
# What each selected column stands for
# ------------------------------------
# A column that was left out is not lost if a selected one says the same. The tree joins selected
# columns by their correlation, and names behind each what it stands for:

selector = FCBF().fit(X, y)
ColumnGroupsDisplay.from_estimator(selector, X)
