"""The filter first, then the causal selector, among what it left."""

import pickle

import causal_twins as twins
import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import BaggingClassifier
from sklearn.feature_selection import SelectKBest, chi2
from sklearn.naive_bayes import BernoulliNB
from sklearn.pipeline import make_pipeline

from ensfs import (
    CFS,
    FCBF,
    IAMB,
    MMPC,
    MRMR,
    FastEnsemble,
    GrowShrink,
    HybridCausalSelector,
    InnerEnsemble,
    PCSelector,
    TPDASelector,
)


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    table = twins.sample(twins.random_dag(rng, 10, 0.4), 800, rng)
    X = np.column_stack([table[:, 1:], table[:, 1:4]])  # and copies of three columns
    return X, table[:, 0]


CAUSAL = {
    "H-PC": PCSelector(keep="connected", sepset="first", test="mi", max_conditioning=2),
    "H-TPDA": TPDASelector(keep="connected", test="mi"),
    "H-GS": GrowShrink(),
    "H-IAMB": IAMB(),
}


@pytest.mark.parametrize("scheme", CAUSAL)
def test_the_two_steps_one_after_the_other(scheme, data):
    X, y = data
    left = np.sort(FCBF().fit(X, y).indices_)
    expected = left[CAUSAL[scheme].fit(X[:, left], y).indices_]
    hybrid = HybridCausalSelector(causal=scheme).fit(X, y)
    assert hybrid.indices_.tolist() == expected.tolist()
    assert set(hybrid.candidates_) == set(left)
    by_object = HybridCausalSelector(FCBF(), CAUSAL[scheme]).fit(X, y)
    np.testing.assert_array_equal(by_object.scores_, hybrid.scores_)
    assert hybrid.filter_.indices_.tolist() == hybrid.candidates_.tolist()


def test_names_are_those_of_the_paper():
    with pytest.raises(ValueError, match="causal"):
        HybridCausalSelector(causal="H-MMPC").fit([[0], [1]], [0, 1])


def test_default_is_fcbf_and_iamb(data):
    X, y = data
    default, named = (
        HybridCausalSelector().fit(X, y),
        HybridCausalSelector(causal="H-IAMB").fit(X, y),
    )
    np.testing.assert_array_equal(default.indices_, named.indices_)
    assert isinstance(default.filter_, FCBF)
    assert isinstance(default.causal_, IAMB)


@pytest.mark.parametrize("filter", [CFS(), MRMR(5), SelectKBest(chi2, k=5), FCBF(0.01)])
def test_any_filter(filter, data):
    X, y = data
    hybrid = HybridCausalSelector(filter, GrowShrink()).fit(X, y)
    left = filter.fit(X, y).get_support(indices=True)
    assert sorted(hybrid.candidates_) == left.tolist()
    assert set(hybrid.indices_) <= set(left)
    assert hybrid.indices_.tolist() == left[GrowShrink().fit(X[:, left], y).indices_].tolist()


def test_what_is_learned_goes_with_the_causal_selector(data):
    X, y = data
    hybrid = HybridCausalSelector(causal="H-PC").fit(X, y)
    assert hybrid.graph_.nodes[-1] == X.shape[1]
    assert set(hybrid.graph_.nodes[:-1]) == set(hybrid.candidates_)
    hybrid.set_params(causal=MMPC()).fit(X, y)
    assert hasattr(hybrid, "neighbours_")
    assert not hasattr(hybrid, "graph_")


def test_explanations(data):
    X, y = data
    hybrid = HybridCausalSelector().fit(pd.DataFrame(X).rename(columns="c{}".format), y)
    hybrid = pickle.loads(pickle.dumps(hybrid))
    explained = {row["feature"]: row for row in hybrid.explain()}
    for j in range(X.shape[1]):
        row = explained[f"c{j}"]
        assert row["selected"] == bool(hybrid.support_[j])
        assert row["filter"] == ("left" if j in hybrid.candidates_ else "removed")
        assert (row["reason"] == "not tested") == (j not in hybrid.candidates_)


def test_nothing_found_keeps_the_filter():
    rng = np.random.default_rng(1)
    X, y = rng.integers(0, 2, (100, 4)), rng.integers(0, 2, 100)
    with pytest.warns(UserWarning, match="the columns of the filter are selected"):
        hybrid = HybridCausalSelector(causal=IAMB(1e-6)).fit(X, y)
    assert hybrid.indices_.tolist() == FCBF().fit(X, y).indices_.tolist()
    assert hybrid.markov_blanket_.size == 0


@pytest.mark.parametrize("scheme", CAUSAL)
def test_parts_of_an_ensemble(scheme, data):
    X, y = data
    ensemble = FastEnsemble(HybridCausalSelector(causal=scheme), n_parts=4).fit(X, y)
    for t, columns in enumerate(ensemble.part_selections_):
        rows = np.arange(len(y)) % 4 != t
        alone = HybridCausalSelector(causal=scheme).fit(X[rows], y[rows])
        assert columns.tolist() == alone.indices_.tolist()


def test_what_ensembles_cannot_do(data):
    X, y = data
    with pytest.raises(ValueError, match="SelectKBest cannot filter each part"):
        FastEnsemble(HybridCausalSelector(SelectKBest(chi2)), n_parts=3).fit(X, y)
    with pytest.raises(ValueError, match="averaged over parts"):
        InnerEnsemble(HybridCausalSelector(), n_parts=3).fit(X, y)


def test_bad_steps(data):
    X, y = data
    with pytest.raises(ValueError, match="alpha"):
        HybridCausalSelector(causal=IAMB(2)).fit(X, y)
    with pytest.raises(ValueError, match="threshold"):
        HybridCausalSelector(FCBF(-1)).fit(X, y)
    with pytest.raises(ValueError, match="filter"):
        HybridCausalSelector("fcbf").fit(X, y)
    with pytest.raises(ValueError, match=r"'causal' parameter.* such as IAMB"):
        HybridCausalSelector(causal=FCBF()).fit(X, y)


def test_bagging(data):
    X, y = data
    for scheme in CAUSAL:
        pipeline = make_pipeline(HybridCausalSelector(causal=scheme), BernoulliNB())
        bagging = BaggingClassifier(pipeline, n_estimators=3, random_state=0).fit(X, y)
        assert bagging.score(X, y) > 0.6


def test_threads_change_nothing(data):
    X, y = data
    one = HybridCausalSelector(causal="H-PC").fit(X, y)
    two = HybridCausalSelector(causal="H-PC", n_jobs=2).fit(np.asfortranarray(X), y)
    np.testing.assert_array_equal(one.graph_.adjacency, two.graph_.adjacency)


def test_masks_of_many_columns_are_not_mixed_up():
    """The filter keeps its own mask, also where NumPy abbreviates it in print."""
    rng = np.random.default_rng(0)
    y = np.arange(120) % 2
    X = rng.normal(size=(120, 1201))
    X[:, 600] = np.where(rng.random(120) < 0.8, y, 5) + 10 * rng.integers(0, 40, 120)
    nothing_coded = np.zeros(1201, dtype=bool)
    nothing_coded[:3] = nothing_coded[-3:] = True
    mask = nothing_coded.copy()
    mask[600] = True
    assert repr(mask) == repr(nothing_coded)
    own = FCBF(discrete_features=mask).fit(X, y)
    hybrid = HybridCausalSelector(
        FCBF(discrete_features=mask), IAMB(discrete_features=nothing_coded)
    ).fit(X, y)
    np.testing.assert_array_equal(hybrid.filter_.relevance_, own.relevance_)
    np.testing.assert_array_equal(hybrid.candidates_, own.indices_)
    with pytest.raises(ValueError, match="with the same discrete_features"):
        FastEnsemble(hybrid, n_parts=3).fit(X, y)


def test_masks_in_another_form_are_the_same(data):
    X, y = data
    mask = np.zeros(X.shape[1], dtype=bool)
    mask[:5] = True
    other = HybridCausalSelector(
        FCBF(discrete_features=mask), IAMB(discrete_features=list(range(5)))
    )
    same = HybridCausalSelector(FCBF(discrete_features=mask), IAMB(discrete_features=mask))
    for make in (lambda each: each, lambda each: FastEnsemble(each, n_parts=3)):
        np.testing.assert_array_equal(make(other).fit(X, y).indices_, make(same).fit(X, y).indices_)
