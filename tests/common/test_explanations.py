"""What all selectors call by the same name."""

import inspect
import re

import numpy as np
import pytest
from families import ESTIMATORS, SELECTORS, example
from sklearn.datasets import load_wine

import ensfs
from ensfs import MRMR, FastEnsemble, RandomClusterEnsemble
from ensfs.evaluation import represented_columns

by_name = {"ids": lambda c: c.__name__}


@pytest.fixture(scope="module")
def wine():
    return load_wine(return_X_y=True, as_frame=True)


@pytest.mark.parametrize("c", SELECTORS, **by_name)
def test_relevance_and_reasons_of_every_column(c, wine):
    X, y = wine
    selector = example(c).fit(X, y)
    if c is not RandomClusterEnsemble:  # there is nothing to be relevant for
        assert selector.relevance_.shape == (13,)
        assert np.isfinite(selector.relevance_).all()
    reasons = selector.explain()
    assert all(isinstance(reason, str) and reason for reason in reasons["reason"])
    assert not {"p", "p value", "decision", "test"} & set(reasons.columns)
    assert not [name for name in vars(selector) if "p_value" in name]


@pytest.mark.parametrize(
    "c", [c for c in ESTIMATORS if hasattr(c, "explain") and c not in SELECTORS], **by_name
)
def test_reasons_of_decompositions(c, wine):
    fitted = example(c).fit(*wine)
    assert all(isinstance(reason, str) and reason for reason in fitted.explain()["reason"])
    if "exclude" in fitted.get_params():
        fitted.set_params(exclude=["proline"]).fit(*wine)
        assert fitted.explain("proline")["reason"] == ["excluded"]


@pytest.mark.parametrize("c", SELECTORS, **by_name)
def test_a_selection_is_the_same_in_every_run_by_default(c):
    parameters = inspect.signature(c).parameters
    assert "random_state" not in parameters or parameters["random_state"].default == 0


def test_reasons_of_a_greedy_selector():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 400))
    X = np.column_stack([a, a + 0.1 * rng.normal(size=400), b, rng.normal(size=400)])
    selector = MRMR(2).fit(X, (a + 0.5 * b > 0).astype(int))
    assert selector.explain()["reason"] == [
        "best score",
        "best score",
        "redundant",
        "less relevant",
    ]


def test_what_a_selected_column_stands_for(wine):
    X, y = wine
    X = X.assign(twin=2 * X["proline"] + 1)
    selector = FastEnsemble(MRMR(3)).fit(X, y)
    reasons = selector.explain(X=X)
    (chosen,) = {"proline", "twin"} & set(selector.get_feature_names_out())
    (other,) = {"proline", "twin"} - {chosen}
    places = {row["feature"]: row for row in reasons}
    assert other in places[chosen]["also"]
    assert places[other]["represented by"] == chosen
    assert places[chosen]["represented by"] is places[other]["also"] is None
    assert selector.explain(other, X=X)[0] == places[other]
    groups = represented_columns(selector, X)
    owners = {j: i for i, group in enumerate(groups) for j in group.tolist()}
    names = selector.feature_names_in_
    for j, i in owners.items():
        assert places[names[j]]["represented by"] == names[selector.indices_[i]]


@pytest.mark.parametrize("name", ensfs.plotting.__all__)
def test_displays_show_equally_many_columns(name):
    makers = [getattr(getattr(ensfs.plotting, name), each, None) for each in
              ("from_estimator", "from_selections", "plot")]  # fmt: skip
    for maker in filter(None, makers):
        parameter = inspect.signature(maker).parameters.get("max_features")
        assert parameter is None or parameter.default == 20


def test_long_runs_estimate_the_time_left():
    from ensfs._utils.progress import _PlainTask

    task = _PlainTask("ACE: round 1 of at most 10: masking", 10, began=100.0, done=4)
    assert task.text(130.0) == "ACE: round 1 of at most 10: masking 4 of 10 (40%, about 45 s left)"
    assert re.search(r"about 30 min left", _PlainTask("x", 3, 0.0, 1).text(900.0))
    assert re.search(r"about 2\.0 h left", _PlainTask("x", 3, 0.0, 1).text(3600.0))
    assert _PlainTask("x", 3, 0.0, 3).text(9.0) == "x 3 of 3"
    assert _PlainTask("x", None, 0.0, 3).text(9.0) == "x 3"
