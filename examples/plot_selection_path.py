"""
The path of a selection
=======================

Minimum redundancy, maximum relevance takes one column after the other. The three panels show for
each of them the score that won the step, what the column says about the target, and what it repeats
of the column before it that is most alike.
"""

from sklearn.datasets import load_wine

from ensfs import MRMR
from ensfs.plotting import SelectionPathDisplay

X, y = load_wine(return_X_y=True, as_frame=True)
selector = MRMR(8).fit(X, y)
SelectionPathDisplay.from_estimator(selector)

# %%
# The score is what the discount leaves of the relevance beside the column that is most alike, so a
# column that is hardly correlated with the earlier ones, such as color_intensity, wins its step in
# spite of a smaller relevance. The difference weighs otherwise: F is so much larger than a
# correlation that redundancy hardly counts.

SelectionPathDisplay.from_estimator(MRMR(8, scheme="FCD").fit(X, y))
