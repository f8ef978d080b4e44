"""Ensembles of models: oracles, hosts, trees."""

from sklearn.datasets import make_friedman1
from sklearn.ensemble import BaggingRegressor

from ensfs import (
    IteratedBaggingRegressor,
    RandomOracleRegressor,
    ReducedErrorTreeRegressor,
    ReweightedAdaBoostRegressor,
)


class Regression:
    """Members on parts of the rows, on residuals, on weights."""

    params = (["oracle", "bagged oracle", "iterated bagging", "boosting", "pruned tree"],)
    param_names = ("method",)

    def setup(self, method):
        self.X, self.y = make_friedman1(1_000, n_features=20, random_state=0)
        self.estimator = {
            "oracle": RandomOracleRegressor(random_state=0),
            "bagged oracle": BaggingRegressor(RandomOracleRegressor(), 20, random_state=0),
            "iterated bagging": IteratedBaggingRegressor(
                n_stages=3, n_estimators=20, random_state=0
            ),
            "boosting": ReweightedAdaBoostRegressor(n_estimators=20, random_state=0),
            "pruned tree": ReducedErrorTreeRegressor(random_state=0),
        }[method]

    def time_fit(self, method):
        self.estimator.fit(self.X, self.y)
