"""
Tour: from a raw table to a stable, explained selection and a model
===================================================================

A table as it comes: text, gaps, twins and columns of noise. In twelve steps we look at it, select
columns, ask how far the selection can be trusted and what it stands for, and use it in a model.
"""

# %%
# 1. The table. A made-up study of 300 patients: two measurements matter, one of them was also taken
# in another unit, a text column matters, and sixty columns do not.
import numpy as np
import pandas as pd

rng = np.random.default_rng(0)
n = 300
pressure, sugar = rng.normal(120, 15, n), rng.lognormal(1.7, 0.25, n)
smoker = rng.choice(["never", "former", "current"], n, p=[0.5, 0.3, 0.2])
X = pd.DataFrame({"pressure": pressure, "sugar mmol/l": sugar, "sugar mg/dl": (18 * sugar).round()})
X["smoker"] = smoker
X = X.assign(**{f"lab {i:02d}": rng.normal(size=n) for i in range(60)})
risk = (pressure - 120) / 15 + 1.5 * (sugar - 5.6) / 1.4 + 1.5 * (smoker == "current")
y = pd.Series(np.where(risk + rng.normal(size=n) > 0.5, "ill", "well"), name="outcome")

# %%
# 2. Gaps: every tenth cell of the measurements is missing.
for name in ("pressure", "sugar mmol/l", "lab 00"):
    X.loc[rng.random(n) < 0.1, name] = np.nan
print(X.iloc[:4, :6])

# %%
# 3. A selector takes it as it is: text is discrete, gaps are handled as the guide says.
from ensfs import MRMR, FastEnsemble

single = MRMR(6).fit(X, y)
print(list(single.get_feature_names_out()))

# %%
# 4. The same on forty halves of the rows, which vote.
selector = FastEnsemble(MRMR(6), n_parts=40, parts="halves").fit(X, y)
print(selector.explain()[:8])

# %%
# 5. The picture: columns that matter come back, noise takes turns.
from ensfs.plotting import ColumnGroupsDisplay, SelectionFrequencyDisplay

SelectionFrequencyDisplay.from_estimator(selector)

# %%
# 6. How many are enough? Stability selection keeps what comes back, with a bound on mistakes.
from ensfs import StabilitySelector

stable = StabilitySelector(MRMR(6)).fit(X, y)
print(list(stable.get_feature_names_out()), f"expected mistakes <= {stable.error_bound_:.2f}")

# %%
# 7. What does each selected column stand for?
print(stable.explain(X=X).to_pandas()[["feature", "reason", "also", "represented by"]].head(8))

# %%
# 8. The same as a tree.
ColumnGroupsDisplay.from_estimator(stable, X)

# %%
# 9. Why was a column left out?
print(stable.explain("lab 07"))

# %%
# 10. A model on the selected columns: gaps filled, text encoded.
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

numbers = make_pipeline(SimpleImputer(), StandardScaler())
words = OneHotEncoder(handle_unknown="ignore")
columns = make_column_transformer(
    (numbers, make_column_selector(dtype_include="number")), remainder=words
)
model = make_pipeline(
    StabilitySelector(MRMR(6)).set_output(transform="pandas"), columns, LogisticRegression()
)

# %%
# 11. Its accuracy, with the selection inside of the folds, beside that of all columns.
from sklearn.model_selection import cross_val_score

everything = make_pipeline(columns, LogisticRegression())
print(f"selected: {cross_val_score(model, X, y, cv=5).mean():.3f}")
print(f"all:      {cross_val_score(everything, X, y, cv=5).mean():.3f}")

# %%
# 12. A page for colleagues: one file with the reasons, the stability and the accuracy.
import ensfs

page = ensfs.report(selector, X, y)
print(f"{len(page) // 1000} kB of HTML")
