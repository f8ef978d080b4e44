"""
Networks of eyes, and two of them combined
==========================================

A network is learned from simulated eyes on many bootstraps; how often an arc comes back tells how
sure it is. Another has the arcs that anatomy gives. A table of what both say combines them.
"""

# %%
# Probabilities of arcs among the twelve sectors, from the healthy eyes alone. In the simulation a
# sector of the visual field hangs on its sector of the nerve and on no other.

import matplotlib.pyplot as plt
import numpy as np

from ensfs import BayesianNetworkClassifier, NetworkCombinerClassifier
from ensfs.datasets import make_field_and_nerve

X, y = make_field_and_nerve(5000, 0.8, random_state=0)
train, test = slice(0, 4000), slice(4000, None)
data = BayesianNetworkClassifier(structure="controls", n_bootstrap=15, random_state=0)
data.fit(X[train], y[train])
names = [f"nerve {i}" for i in range(6)] + [f"field {i}" for i in range(6)]
either = data.edge_probabilities_ + data.edge_probabilities_.T  # in one direction or the other
figure, axis = plt.subplots(figsize=(5.6, 4.6), layout="constrained")
image = axis.imshow(np.minimum(either, 1), cmap="Blues", vmin=0, vmax=1)
axis.set_xticks(range(12), names, rotation=90)
axis.set_yticks(range(12), names)
figure.colorbar(image, label="probability of an arc, in either direction")

# %%
# The share of ill eyes by what both networks say, as counted and after the mean with neighbouring
# cells. Most eyes lie in two corners; cells without any have the share of all rows.

anatomy = [("class", j) for j in range(12)] + [(i, i + 6) for i in range(6)]
combiner = NetworkCombinerClassifier(
    [("data", data), ("anatomy", BayesianNetworkClassifier(anatomy, structure="given"))],
    random_state=0,
).fit(X[train], y[train])
figure, axes = plt.subplots(1, 2, figsize=(8, 3.8), layout="constrained", sharey=True)
tables = {"as counted": combiner.raw_cpd_, "smoothed": combiner.cpd_}
for axis, (title, table) in zip(axes, tables.items(), strict=True):
    image = axis.imshow(
        table.T, origin="lower", cmap="coolwarm", vmin=0, vmax=1, extent=(0, 1, 0, 1)
    )
    axis.set(title=title, xlabel="probability by the data")
axes[0].set_ylabel("probability by anatomy")
figure.colorbar(image, ax=axes, label="share of ill eyes")

# %%
# Accuracy on eyes that nobody has seen.

for name, model in zip(("data", "anatomy"), combiner.estimators_, strict=True):
    print(f"{name}: {model.score(X[test], y[test]):.3f}")
for method in ("network", "vote", "both"):
    print(f"combined by {method}: {combiner.set_params(method=method).score(X[test], y[test]):.3f}")
plt.show()
