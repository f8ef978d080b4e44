"""
Tour: a table on a cluster
==========================

A selector takes a Dask array or frame as it takes one in memory: sums and counts are added up where
the partitions are, and the selection is the same to the last bit. The cluster of this tour is the
machine it runs on; ``Client("tcp://host:8786")`` in its place is all that changes.
"""

# %%
# A table of 20,000 rows and 60 columns in ten partitions; eight columns matter. No cell is made
# before it is needed. Your own would come from ``dask.dataframe.read_parquet``.
import dask.array as da
import numpy as np
from distributed import Client, LocalCluster

rng = da.random.default_rng(0)
table = rng.normal(size=(20_000, 60), chunks=(2000, 60))
signal = table[:, :8].sum(axis=1) + rng.normal(scale=3, size=20_000, chunks=2000)
target = (signal > 0).astype(int)
print(table)

# %%
# Start two workers and select. The client that is active is the one that computes.
from ensfs import MRMR, FastEnsemble, StabilitySelector

cluster = LocalCluster(n_workers=2, processes=False, dashboard_address=":0")
client = Client(cluster)
selector = FastEnsemble(MRMR(8), parts="halves").fit(table, target)
print(selector.explain()[:10])

# %%
# Twenty selections, but the table was read only a few times: all of them share the sums.
print(f"readings of the table: {selector.n_readings_}")

# %%
# The same as in memory, to the last bit.
X, y = table.compute(), target.compute()
inside = FastEnsemble(MRMR(8), parts="halves").fit(X, y)
print(np.array_equal(inside.selection_frequency_, selector.selection_frequency_))
print(np.array_equal(inside.relevance_, selector.relevance_))

# %%
# The picture is that of any other ensemble.
from ensfs.plotting import SelectionFrequencyDisplay

SelectionFrequencyDisplay.from_estimator(selector)

# %%
# Which columns would other rows give again? Fifty pairs of halves, with a bound on mistakes.
stable = StabilitySelector(MRMR(8)).fit(table, target)
print(stable.indices_, f"expected mistakes <= {stable.error_bound_:.2f}")

# %%
# The selected columns are a Dask array again, not computed yet.
few = stable.transform(table)
print(few.shape, few.chunks[0][:3])

# %%
# They fit into memory now, and so does the model.
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score

small = few.compute()
accuracy = cross_val_score(LogisticRegression(), small, y).mean()
print(f"accuracy on {small.shape[1]} of 60 columns: {accuracy:.3f}")

# %%
# Done.
client.close()
cluster.close()
