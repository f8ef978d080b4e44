import numpy as np

from ensfs import ACE
from ensfs.plotting import ACEMaskingDisplay


def test_confirmed_columns_beyond_the_limit_are_shown():
    """Who masks a column is seen, also if it is not selected."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 6))
    y = 2 * X[:, 0] + 1.2 * X[:, 1] + 0.2 * rng.normal(size=300)
    X[:, 5] = X[:, 1]
    options = {"n_replicates": 12, "n_estimators": 25, "random_state": 0}
    cut = ACE(n_features_to_select=1, **options).fit(X, y)
    display = ACEMaskingDisplay.from_estimator(cut)
    assert cut.indices_.tolist() == [0]
    assert display.decisions == ["confirmed", "confirmed", "masked"]
    assert display.masking[1, 2] > 0
