"""
What makes an ensemble good
===========================

Nearest neighbours on masks of the columns: masks that were drawn at random disagree more, masks
that were searched are better one by one. Each point is an ensemble of 5 to 40 members; the more its
members disagree, the more their vote gains.
"""

from sklearn.datasets import load_diabetes
from sklearn.ensemble import BaggingClassifier, BaggingRegressor
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from ensfs import FeatureMaskClassifier, RandomOracleRegressor
from ensfs.datasets import make_norms
from ensfs.ensemble.library import member_predictions
from ensfs.evaluation import bias_variance
from ensfs.plotting import BiasVarianceDisplay, GainDisplay, StagedErrorDisplay

X, y = make_norms(600, kind="three", random_state=0)
X, X_test, y, y_test = train_test_split(X, y, random_state=0)

axes = None
for name in ("random", "hill_climbing"):
    model = FeatureMaskClassifier(n_estimators=40, search=name, random_state=0).fit(X, y)
    votes = member_predictions(model, X_test)
    blocks = [votes[i : i + size] for size in (5, 10, 20, 40) for i in range(0, 41 - size, size)]
    axes = GainDisplay.from_predictions(blocks, y_test, name=name, ax=axes).ax_

# %%
# How many members are enough? A random oracle, two models and a random hyperplane between them,
# makes the members of bagging differ more.

X, y = load_diabetes(return_X_y=True)
X, X_test, y, y_test = train_test_split(X, y, test_size=0.5, random_state=0)

axes = None
tree = DecisionTreeRegressor()
for name, member in (("trees", tree), ("trees with oracles", RandomOracleRegressor(tree))):
    bagging = BaggingRegressor(member, 60, random_state=0).fit(X, y)
    display = StagedErrorDisplay.from_estimator(bagging, X_test, y_test, name=name, ax=axes)
    axes = display.ax_

# %%
# What do more members change? Trees are bagged on twenty samples. What they all get wrong, the
# systematic effect, hardly moves; what differs from sample to sample, the variance effect, goes.

X, y = make_norms(2000, random_state=0)
samples = [make_norms(150, random_state=seed) for seed in range(1, 21)]
sizes = [1, 3, 5, 10, 20]
results = []
for size in sizes:
    bag = BaggingClassifier(DecisionTreeClassifier(), size, random_state=0)
    results.append(bias_variance([bag.fit(*sample).predict(X) for sample in samples], y))
BiasVarianceDisplay.from_results(sizes, results, value_name="trees in the bag")
