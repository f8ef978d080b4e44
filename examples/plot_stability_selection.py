"""
Which columns would come back?
==============================

`StabilitySelector` runs a selector on a hundred halves of the rows and keeps what enough of them
select. The threshold follows from the number of mistakes that is tolerated, here one. The table has
thirteen measurements of wines beside 200 columns of noise.
"""

import numpy as np
import pandas as pd
from sklearn.datasets import load_wine

from ensfs import MRMR, StabilitySelector
from ensfs.plotting import SelectionFrequencyDisplay

X, y = load_wine(return_X_y=True, as_frame=True)
rng = np.random.default_rng(0)
noise = pd.DataFrame(rng.normal(size=(len(y), 200))).add_prefix("noise ")
X = pd.concat([X, noise], axis=1)

selector = StabilitySelector(MRMR(10)).fit(X, y)
SelectionFrequencyDisplay.from_estimator(selector)

# %%
# Every half selects ten columns, so it must select some noise; but no column of noise comes back
# often. The bound is on the expected number of columns that are selected although a half is
# unlikely to select them.

print(f"threshold {selector.threshold_:.2f}, at most {selector.error_bound_:.2f} mistakes expected")
print(selector.explain()[:8])
