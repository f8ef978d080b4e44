"""
Filters side by side
====================

Which columns do the filters take, and in which order? Two of them, `FCBF` and `CFS`, decide by
themselves how many.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer

from ensfs import CFS, CMIM, DISR, FCBF, JMI, JMIM, MIM, MRMR

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
selectors = (MRMR(8), MIM(8), CMIM(8), JMI(8), JMIM(8), DISR(8), FCBF(), CFS())
places = np.zeros((X.shape[1], len(selectors)), dtype=int)
for i, selector in enumerate(selectors):
    selected = selector.fit(X, y).indices_
    places[selected, i] = np.arange(1, selected.size + 1)

taken = np.flatnonzero(places.any(axis=1))
taken = taken[np.argsort(-(places[taken] > 0).sum(axis=1), kind="stable")]

figure, ax = plt.subplots(figsize=(7.5, 7), layout="constrained")
ax.imshow(places[taken] > 0, cmap="Blues", vmin=0, vmax=1.6, aspect="auto")
for row, column in np.argwhere(places[taken] > 0):
    ax.text(column, row, places[taken[row], column], ha="center", va="center", color="white")
ax.set_yticks(range(taken.size), X.columns[taken])
ax.set_xticks(range(len(selectors)), [type(selector).__name__ for selector in selectors])
ax.tick_params(length=0, labeltop=True, labelbottom=False)
ax.set_title("place in the order of selection", pad=12)
plt.show()

# %%
# All take the worst concave points, the shape of the outline, and a size: the worst perimeter, or,
# `MRMR`, the mean radius, which repeats the shape less. They part where the trade between relevance
# and repetition decides: `MIM` ignores repetition, `FCBF` forbids it.
