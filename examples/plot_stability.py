"""
Does an ensemble make the selection more stable?
================================================

Twenty times half of the patients are drawn and columns are selected on them. The stability is 1 if
these selections are all equal and about 0 if they are random, whatever their size. The parts of an
ensemble vote, so what depends on single patients is outvoted.
"""

import numpy as np
from sklearn.datasets import load_breast_cancer

from ensfs import MIM, MRMR, FastEnsemble
from ensfs.plotting import StabilityDisplay

X, y = load_breast_cancer(return_X_y=True)
rng = np.random.default_rng(0)
patients = rng.permutation(len(y))[:200]
X = np.hstack([X, rng.normal(size=(len(y), 170))])[patients]
y = y[patients]

axes = None
for name, selector in (
    ("MRMR", MRMR(20)),
    ("FastEnsemble of MRMR", FastEnsemble(MRMR(20), n_parts=20)),
    ("MIM, a ranking by relevance", MIM(20)),
):
    display = StabilityDisplay.from_estimator(selector, X, y, random_state=0, name=name, ax=axes)
    axes = display.ax_

# %%
# The greedy selectors go on from a smaller selection to a larger one, so a single fit to each
# sample gives all points of a curve. A stable selection need not be a good one: always the first
# ten columns would be perfectly stable.
