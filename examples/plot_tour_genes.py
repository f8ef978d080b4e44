"""
Tour: few patients, thousands of genes
======================================

With 80 rows and 3,000 columns a single selection is mostly luck. Which of its columns would another
study find again?
"""

# %%
# Two groups of five genes differ between the classes; the genes of a group go together.
import numpy as np
import pandas as pd

rng = np.random.default_rng(1)
n, p = 80, 3000
ill = np.arange(n) % 2
values = rng.normal(size=(n, p))
for first in (0, 5):
    activity = 2.5 * ill + rng.normal(size=n)
    values[:, first : first + 5] = activity[:, None] + 0.3 * rng.normal(size=(n, 5))
X = pd.DataFrame(values, columns=[f"gene {j}" for j in range(p)])

# %%
# A single selection fills its ten places: what is left after the two groups is noise that looks
# good in these rows.
from ensfs import MRMR, FastEnsemble, StabilitySelector

single = MRMR(10).fit(X, ill)
print(list(single.get_feature_names_out()))

# %%
# Fifty pairs of halves tell which of them come back.
stable = StabilitySelector(MRMR(10)).fit(X, ill)
print(list(stable.get_feature_names_out()))

# %%
# The frequencies of the best columns: genes of one group share the votes of their group.
from ensfs.plotting import SelectionFrequencyDisplay

ensemble = FastEnsemble(MRMR(10), n_parts=40, parts="halves").fit(X, ill)
SelectionFrequencyDisplay.from_estimator(ensemble)

# %%
# Genes that go together can be selected as one. Then the groups come first in nearly every half.
groups = {"first pathway": list(range(5)), "second pathway": list(range(5, 10))}
together = FastEnsemble(MRMR(5, feature_groups=groups), n_parts=40, parts="halves").fit(X, ill)
shown = together.explain().to_pandas()[["feature", "group", "frequency"]]
print(shown.drop_duplicates("group").head(3))
