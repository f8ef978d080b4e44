"""
How often is each column selected?
==================================

A selection made once says nothing of how sure it is. Here a table of 100 patients gets 170 columns
of noise, twenty leave-one-fold-out parts of it select ten columns each, and the bars show the share
of the parts that selected a column.
"""

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer

from ensfs import MRMR, FastEnsemble
from ensfs.plotting import SelectionFrequencyDisplay

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
rng = np.random.default_rng(0)
noise = pd.DataFrame(rng.normal(size=(len(y), 170))).add_prefix("noise ")
patients = rng.permutation(len(y))[:100]
X, y = pd.concat([X, noise], axis=1).iloc[patients], y.iloc[patients]

ensemble = FastEnsemble(MRMR(10), n_parts=20).fit(X, y)
SelectionFrequencyDisplay.from_estimator(ensemble)

# %%
# The columns that every part selects are those to rely on. Those that come and go compete for the
# last places; most of them are noise that fits some of the rows by accident, and three columns of
# noise are among the ten. Seven columns would do. `explain` gives the same as numbers.

print(ensemble.explain()[:12])
