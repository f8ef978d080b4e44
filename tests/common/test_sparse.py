"""What every estimator does with sparse tables: the same as with dense ones, or a clear refusal."""

import numpy as np
import pytest
import scipy.sparse
from families import ESTIMATORS, SELECTORS
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.feature_selection import SelectKBest, chi2
from sklearn.preprocessing import KBinsDiscretizer
from sparse_twins import COUNTED, dense_table, make, tables, takes, text, untidy

from ensfs import (
    CFS,
    CMIM,
    FCBF,
    JMI,
    MRMR,
    FastEnsemble,
    ForwardSelection,
    InnerEnsemble,
    MDLDiscretizer,
    RankEnsemble,
    SelectorCV,
    StabilitySelector,
)
from ensfs.training.estimator import TableEstimator

TAKING = [c for c in SELECTORS if takes(c)]
ids = {"ids": lambda c: c.__name__}


def agree(dense, sparse, rtol=1e-12):
    """Compare what two estimators have learned."""
    for name, value in vars(dense).items():
        if not name.endswith("_") or name.startswith("_") or name == "n_pairs_read_":
            continue
        other = getattr(sparse, name)
        if name in COUNTED and not isinstance(value, dict):
            np.testing.assert_array_equal(value, other, err_msg=name)
        elif isinstance(value, np.ndarray | float | int):
            np.testing.assert_allclose(other, value, rtol=rtol, atol=1e-13, err_msg=name)


def test_who_takes_sparse_tables():
    names = {c.__name__ for c in TAKING}
    assert {"MRMR", "JMI", "CMIM", "FCBF", "CFS", "ForwardSelection"} <= names
    assert {"FastEnsemble", "InnerEnsemble", "StabilitySelector", "SelectorCV"} <= names
    assert not {"ACE", "ForestImportance", "RandomClusterEnsemble", "PCASubspace"} & names


@pytest.mark.filterwarnings("ignore:No threshold bounds", "ignore:Only .* columns were selected")
@pytest.mark.parametrize("form", ["csr_array", "csc_matrix", "coo_array"])
@pytest.mark.parametrize("c", TAKING, **ids)
def test_sparse_equals_dense(c, form):
    X, y = text()
    sparse = getattr(scipy.sparse, form)(X)
    dense = make(c).fit(X, y)
    fitted = make(c).fit(sparse, y)
    agree(dense, fitted)
    out = fitted.transform(sparse)
    assert scipy.sparse.issparse(out)
    assert out.dtype == sparse.dtype
    if form != "coo_array":
        assert out.format == sparse.format
    np.testing.assert_array_equal(out.toarray(), dense.transform(X))
    k = dense.indices_.size  # of the others, lazy searches look at fewer pairs
    assert str(fitted.explain()[:k]) == str(dense.explain()[:k])


@pytest.mark.filterwarnings("ignore:No threshold bounds", "ignore:Only .* columns were selected")
@pytest.mark.parametrize("c", TAKING, **ids)
def test_threads(c):
    X, y = text(seed=1)
    sparse = scipy.sparse.csr_array(X)
    one, four = make(c).fit(sparse, y), make(c).set_params(n_jobs=4).fit(sparse, y)
    agree(one, four, rtol=0)


@pytest.mark.parametrize("c", [c for c in ESTIMATORS if not takes(c)], **ids)
def test_refusals(c):
    X, y = load_wine(return_X_y=True)
    name = c.__name__ if issubclass(c, TableEstimator) else ""
    with pytest.raises(TypeError, match=rf"{name}.*sparse.*toarray\(\)"):
        make(c).fit(scipy.sparse.csr_array(X), y)


SELECTIONS = {
    "f": MRMR(4),
    "pearson": MRMR(4, relevance="pearson"),
    "difference": MRMR(4, scheme="difference"),
    "information": MRMR(4, relevance="mutual_information"),
    "mixed": MRMR(4, relevance="mutual_information", redundancy="pearson"),
    "JMI": JMI(4),
    "CMIM": CMIM(4, discretizer="equal_frequency"),
    "FCBF": FCBF(discretizer="sigma"),
    "CFS": CFS(discretizer="equal_frequency"),
    "forward": ForwardSelection(4),
    "auto f": MRMR("auto", expected_false=3.0),
    "auto JMI": JMI("auto", expected_false=3.0, discretizer="equal_frequency"),
    "leave one out": FastEnsemble(MRMR(3), n_parts=3),
    "halves": FastEnsemble(MRMR(3), parts="halves", n_parts=4, n_folds=8),
    "counted parts": FastEnsemble(CMIM(3, discretizer="sigma"), n_parts=3),
    "FCBF in parts": FastEnsemble(FCBF(discretizer="sigma"), n_parts=3),
    "inner": InnerEnsemble(MRMR(3), n_parts=3),
    "blocks": FastEnsemble(MRMR(3), n_parts=3, folds="blocks"),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", SELECTIONS)
@given(table=tables(rows=(20, 50)), numeric=st.booleans())
@settings(max_examples=12)
def test_any_table(name, table, numeric):
    """CSR, CSC and dense tables give the same, whatever the columns hold.

    Scores that are tied within rounding may be chosen in another order: then the columns of
    relevance and scores are compared, not the selection.
    """
    X, y = table
    y = y + np.random.default_rng(0).normal(size=y.size) if numeric else y
    dense = clone(SELECTIONS[name]).fit(X, y)
    for sparse in (scipy.sparse.csr_array(X), scipy.sparse.csc_array(X)):
        fitted = clone(SELECTIONS[name]).fit(sparse, y)
        np.testing.assert_allclose(
            fitted.relevance_, dense.relevance_, rtol=1e-10, atol=1e-12, err_msg=name
        )
        if not np.array_equal(fitted.indices_, dense.indices_):
            first = np.nonzero(fitted.indices_ != dense.indices_[: fitted.indices_.size])[0][0]
            scores = dense.scores_[dense.indices_[first]], fitted.scores_[fitted.indices_[first]]
            np.testing.assert_allclose(*scores, rtol=1e-9)


@pytest.mark.parametrize("name", ["information", "JMI", "CMIM", "FCBF", "CFS", "counted parts"])
@pytest.mark.filterwarnings("ignore")
@given(table=tables(rows=(20, 50)))
@settings(max_examples=12)
def test_counts_are_exact(name, table):
    """What is counted is equal to the bit."""
    X, y = table
    dense = clone(SELECTIONS[name]).fit(X, y)
    fitted = clone(SELECTIONS[name]).fit(scipy.sparse.csr_array(X), y)
    for attribute in ("relevance_", "indices_", "scores_"):
        np.testing.assert_array_equal(getattr(fitted, attribute), getattr(dense, attribute))
    assert {j: c.tolist() for j, c in fitted.cut_points_.items()} == {
        j: c.tolist() for j, c in dense.cut_points_.items()
    }


def test_worked_example():
    y = np.repeat([0, 1], 5)
    x = np.array([0, 0, 3, 0, 1, 0, 2, 0, 5, 4])
    v = np.array([1, 0, 0, 0, 0, 0, 0, 1, 1, 0])
    X = np.stack([x, v], axis=1)
    for table in (X, scipy.sparse.csr_array(X), scipy.sparse.csc_array(X)):
        relevance = MRMR(1, relevance="f_test").fit(table, y).relevance_
        np.testing.assert_allclose(relevance, [1.4202898551, 0.4], rtol=1e-9)
        selector = MRMR(2, relevance="f_test").fit(table, y)
        assert abs(selector.redundancy_[1]) == pytest.approx(0.0605227533, rel=1e-8)
        information = MRMR(1, relevance="mutual_information", correction=None).fit(table, y)
        assert information.relevance_[1] == pytest.approx(0.0348515546, rel=1e-8)


def test_untidy_matrices():
    X = np.rint(dense_table(np.random.default_rng(3), 60, 12))
    y = np.arange(60) % 3
    for selector in (MRMR(4), JMI(4)):
        dense = clone(selector).fit(X, y)
        for form in ("csr", "csc"):
            for index in (np.int32, np.int64):
                agree(dense, clone(selector).fit(untidy(X, form, index), y))


@pytest.mark.parametrize("levels", [1e3, 1e8])
@pytest.mark.parametrize("numeric", [False, True])
def test_folds_that_lie_apart(levels, numeric):
    """Columns with another level in each fold lose no digits."""
    rng = np.random.default_rng(5)
    n, fold = 120, np.repeat(np.arange(4), 30)
    y = rng.integers(0, 3, n)
    X = rng.normal(size=(n, 6)) + levels * fold[:, None]
    X[:, 2] = np.where(fold == 3, 0, X[:, 2])
    X[:, 3] = rng.poisson(0.5, n)
    X[:, 4] = np.where(fold < 2, 0, X[:, 4] + 1)
    X[:, 5] = np.where(rng.random(n) < 0.3, X[:, 5], 0)
    X[:, 1] += y
    target = y + 0.1 * rng.normal(size=n) if numeric else y
    for parts in ({"n_parts": 4, "folds": fold}, {"parts": "halves", "n_parts": 6, "n_folds": 8}):
        dense = FastEnsemble(MRMR(4), **parts).fit(X, target)
        sparse = FastEnsemble(MRMR(4), **parts).fit(scipy.sparse.csr_array(X), target)
        np.testing.assert_allclose(sparse.relevance_, dense.relevance_, rtol=1e-9)
        np.testing.assert_array_equal(sparse.part_selections_, dense.part_selections_)


def test_given_discretizers():
    X, y = text()
    sparse = scipy.sparse.csr_array(X)
    fitted = MDLDiscretizer().fit(X, y)
    kinds = {"discrete_features": False}
    dense = JMI(2, discretizer=fitted, **kinds).fit(X, y)
    agree(dense, JMI(2, discretizer=fitted, **kinds).fit(sparse, y))
    other = KBinsDiscretizer(3, encode="ordinal", quantile_method="averaged_inverted_cdf")
    with pytest.raises(TypeError, match=r"(?s)KBinsDiscretizer.*toarray"):
        JMI(2, discretizer=other, **kinds).fit(sparse, y)


def test_named_kinds():
    X, y = text()
    for kinds in (True, [3, 7], np.arange(25) < 9):
        dense = MRMR(4, discrete_features=kinds).fit(X, y)
        sparse = MRMR(4, discrete_features=kinds).fit(scipy.sparse.csr_array(X), y)
        agree(dense, sparse)


def test_inverse_transform():
    X, y = text()
    selector = MRMR(4).fit(scipy.sparse.csr_array(X), y)
    back = selector.inverse_transform(selector.transform(scipy.sparse.csr_array(X)))
    assert back.format == "csc"
    np.testing.assert_array_equal(back.toarray(), np.where(selector.support_, X, 0))


def test_errors():
    X, y = text()
    sparse = scipy.sparse.csr_array(X)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        MRMR(3).fit(sparse, y[:-1])
    with pytest.raises(ValueError, match="requires y"):
        MRMR(3).fit(sparse, None)
    with pytest.raises(ValueError, match="squares of some values are too large"):
        MRMR(3).fit(scipy.sparse.csr_array(X * 1e200), y)
    with pytest.raises(ValueError, match="differ by so little"):
        MRMR(3).fit(scipy.sparse.csr_array(X * 1e-170), y)
    with pytest.raises(ValueError, match="has 24 features"):
        MRMR(3).fit(sparse, y).transform(sparse[:, :24])
    with pytest.raises(TypeError, match=r"forest.*toarray"):
        MRMR(3, relevance="forest").fit(sparse, y)


def test_members():
    X, y = text()
    sparse = scipy.sparse.csr_array(X)
    halves = {"n_pairs": 3, "threshold": 0.6, "subsample": "rows"}
    for ensemble in (
        RankEnsemble([("a", MRMR(3)), ("b", JMI(3))], n_features_to_select=3, random_state=0),
        StabilitySelector(SelectKBest(k=3), **halves),
        StabilitySelector(FCBF(), **halves),
    ):
        agree(clone(ensemble).fit(X, y), clone(ensemble).fit(sparse, y))
    assert SelectorCV(MRMR(), sizes=[2, 5], cv=3).fit(sparse, y).indices_.size in (2, 5)


def test_given_relevance():
    """A function of the rows gets the sparse ones."""
    X, y = text()
    sparse = scipy.sparse.csr_array(X)
    for parts in (MRMR(4, relevance=chi2), FastEnsemble(MRMR(4, relevance=chi2), n_parts=3)):
        agree(clone(parts).fit(X, y), clone(parts).fit(sparse, y))
