"""The blankets of all columns at once: those of one fit for each column."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ensfs
from ensfs import (
    HITONPC,
    IAMB,
    MMPC,
    MRMR,
    G2Test,
    GrowShrink,
    HybridCausalSelector,
    InterIAMB,
    PCSelector,
    PermutationTest,
    RowBlocks,
    TPDASelector,
    markov_blankets,
)

# tables are small, and what is compared holds with any warning
pytestmark = pytest.mark.filterwarnings(
    "ignore:.* tests had too few rows", "ignore:The causal selector kept nothing"
)
few = settings(max_examples=8)

LOCAL = [
    GrowShrink(),
    IAMB(),
    InterIAMB(test="mi"),
    MMPC(),
    MMPC(spouses=True, test=G2Test(df="adjusted")),
    HITONPC(spouses=True),
    MMPC(symmetric=False, max_conditioning=None),
]


def chain(seed, n=400, p=7, n_levels=3, copies=True):
    """Columns that follow earlier ones, with a copy and a constant so that there are ties."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, n_levels, (n, p))
    for j in range(1, p):
        rows = rng.random(n) < 0.6
        X[rows, j] = X[rows, rng.integers(j)]
    if copies:
        X[:, rng.integers(p)] = X[:, rng.integers(p)]
        X[:, rng.integers(p)] = rng.permutation(n_levels)[X[:, rng.integers(p)]]
    return X


def one_by_one(X, selector):
    """The definition: a fit for every column."""
    p = X.shape[1]
    found = []
    for j in range(p):
        fitted = selector.fit(np.delete(X, j, axis=1), X[:, j])
        found.append(np.delete(np.arange(p), j)[fitted.markov_blanket_].tolist())
    return found


@pytest.mark.parametrize("selector", LOCAL, ids=repr)
@few
@given(seed=st.integers(0, 2**16))
def test_as_one_fit_for_each_column(selector, seed):
    X = chain(seed)
    blankets = markov_blankets(X, selector)
    assert [each.tolist() for each in blankets] == one_by_one(X, selector)


@pytest.mark.parametrize("selector", [IAMB(), MMPC(), HITONPC()], ids=repr)
@few
@given(seed=st.integers(0, 2**16))
def test_numeric_columns(selector, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(150, 6))
    X[:, 1] += X[:, 0]
    X[:, 4] += X[:, 1] - X[:, 3]
    assert [each.tolist() for each in markov_blankets(X, selector)] == one_by_one(X, selector)


@pytest.mark.parametrize(
    "selector", [IAMB(), HybridCausalSelector(), IAMB(test=PermutationTest(50))], ids=repr
)
def test_one_by_one_where_columns_differ(selector):
    rng = np.random.default_rng(0)
    X = chain(0, 200, 5, copies=False).astype(float)
    X[:, 2] += rng.normal(size=200)  # numeric as a target, cut as a column
    X[:, 0] = np.arange(200) // 20  # classes as a target, cut as a column
    assert [each.tolist() for each in markov_blankets(X, selector)] == one_by_one(X, selector)


def test_frames_names_and_weights():
    X = chain(1)
    weight = np.random.default_rng(0).integers(0, 3, len(X))
    repeated = np.repeat(X, weight, axis=0)
    names = [f"c{j}" for j in range(X.shape[1])]
    text = pd.DataFrame(X, columns=names).astype(str)
    blankets = markov_blankets(text, MMPC(), sample_weight=weight)
    assert [each.tolist() for each in blankets] == [
        each.tolist() for each in markov_blankets(repeated, MMPC())
    ]
    assert blankets.names == names
    assert blankets["c3"].tolist() == blankets[3].tolist()
    with pytest.raises(KeyError, match="no column 'z'"):
        blankets["z"]


def test_named_discrete_columns():
    X = chain(2, n_levels=8)
    mask = np.ones(X.shape[1], dtype=bool)
    expected = one_by_one(X, MMPC(discrete_features=True))
    for named in (True, mask, np.arange(X.shape[1])):
        found = markov_blankets(X, MMPC(discrete_features=named))
        assert [each.tolist() for each in found] == expected
    mask[0] = False
    with_one_cut = MMPC(discrete_features=mask)
    first = markov_blankets(X, with_one_cut)[1]
    fitted = MMPC(discrete_features=np.delete(mask, 1)).fit(np.delete(X, 1, axis=1), X[:, 1])
    assert first.tolist() == np.delete(np.arange(X.shape[1]), 1)[fitted.markov_blanket_].tolist()


@pytest.mark.parametrize("selector", [PCSelector(), TPDASelector()], ids=repr)
def test_graphs_give_all_blankets(selector):
    X = chain(3, copies=False)
    blankets = markov_blankets(X, selector)
    graph = selector.fit(X[:, :-1], X[:, -1]).graph_
    for j, blanket in enumerate(blankets):
        assert blanket.tolist() == graph.markov_blanket(j).tolist()


def test_result():
    X = chain(4, copies=False)
    blankets = markov_blankets(X, IAMB())
    p = X.shape[1]
    assert len(blankets) == p
    for j, blanket in enumerate(blankets):
        assert np.nonzero(blankets.adjacency[j])[0].tolist() == blanket.tolist()
    fitted = IAMB().fit(X[:, 1:], X[:, 0])
    frame = blankets.to_frame()
    of_first = frame[frame["column"] == "x0"]
    assert (
        of_first["member"].tolist()
        == [f"x{j + 1}" for j in np.argsort(-fitted.scores_)][: fitted.indices_.size]
    )
    np.testing.assert_allclose(of_first["score"], np.sort(fitted.scores_[fitted.support_])[::-1])
    assert blankets.n_tests > p
    both, either = (blankets.graph(rule).adjacency for rule in ("both", "either"))
    assert (both <= either).all()
    assert (both == (blankets.adjacency & blankets.adjacency.T)).all()
    assert repr(blankets).startswith(f"MarkovBlankets({p} columns")
    with pytest.raises(ValueError, match="rule must be"):
        blankets.graph("and")


def test_no_blanket_is_a_frame_without_rows():
    X = np.random.default_rng(0).integers(0, 2, (100, 2))
    frame = markov_blankets(X).to_frame()
    assert list(frame.columns) == ["column", "member", "role", "score", "mutual"]
    assert not len(frame)


def test_the_selector_stays_as_it_is():
    selector = MMPC()
    markov_blankets(chain(0), selector)
    assert not hasattr(selector, "indices_")


def test_threads_change_nothing():
    X = chain(5, n=3000, p=12)
    one, two = (markov_blankets(X, MMPC(n_jobs=n)) for n in (1, 2))
    assert (one.adjacency == two.adjacency).all()
    assert one.n_tests == two.n_tests


def test_bad_input():
    X = chain(0)
    with pytest.raises(TypeError, match="selector of Markov blankets"):
        markov_blankets(X, MRMR())
    with pytest.raises(ValueError, match="exclude must be None"):
        markov_blankets(X, IAMB(exclude=[0]))
    with pytest.raises(ValueError, match="alpha"):
        markov_blankets(X, IAMB(alpha=2))
    gaps = X.astype(float)
    gaps[5, 2] = np.nan
    with pytest.raises(ValueError, match="column 2"):
        markov_blankets(gaps)
    with pytest.raises(ValueError, match="1 column"):
        markov_blankets(X[:, :1])
    with pytest.raises(TypeError, match="RowBlocks"):
        markov_blankets(RowBlocks([(X[:, 1:], X[:, 0])]))
    assert "markov_blankets" in ensfs.__all__
