"""
Which columns hold a cluster together?
======================================

Two hundred rows form four groups. Each group stands out in one of the first four columns; the other
26 columns are noise. There are no classes: `RandomClusterEnsemble` finds the groups by many
clusterings of other rows in other columns, and says for each of them which columns it hangs on.
"""

import matplotlib.pyplot as plt
import numpy as np

from ensfs import RandomClusterEnsemble

rng = np.random.default_rng(0)
X = rng.standard_normal((200, 30))
groups = np.repeat(np.arange(4), 50)
X[groups == 0, 0] += 7
X[groups == 1, 1] += 7
X[groups == 2, 2] += 7
X[groups == 3, 3] += 7

selector = RandomClusterEnsemble(random_state=0, n_clusters=4).fit(X)
print(selector.explain()[:6])

# %%
# The importances of every cluster, and the columns before its elbow.

figure, axes = plt.subplots(2, 2, figsize=(9, 5.5), sharex=True, sharey=True, layout="constrained")
columns = np.arange(X.shape[1])
for c, axis in enumerate(axes.flat):
    rows = selector.labels_ == c
    kept = selector.cluster_support_[c]
    axis.bar(columns, selector.feature_importances_[c], color=np.where(kept, "C1", "0.75"))
    group = np.bincount(groups[rows], minlength=4).argmax()
    axis.set_title(f"cluster {c}: {rows.sum()} rows, most of them from group {group}", fontsize=10)
for axis in axes[1]:
    axis.set_xlabel("column")
for axis in axes[:, 0]:
    axis.set_ylabel("importance")
figure.suptitle("Columns kept in each cluster (orange)")
plt.show()
