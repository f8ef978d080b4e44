"""
Which columns are above chance, and which are twins?
====================================================

`ACE` grows forests on the columns and on permuted copies of them, the contrasts. What no contrast
reaches is relevant; what a more important column could replace is masked by it.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer

from ensfs import ACE
from ensfs.plotting import ACEHistoryDisplay, ACEMaskingDisplay

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
selector = ACE(random_state=0).fit(X, y)
print(selector.explain()[:12])

# %%
# The importances of the first round, replicate by replicate. The blue band is what chance can do.

ACEHistoryDisplay.from_estimator(selector)
plt.show()

# %%
# Radius, perimeter and area of a tumour say nearly the same: one of them stands for the others.

ACEMaskingDisplay.from_estimator(selector, max_features=20)
plt.show()
