"""Sparse tables with missing cells, with any weights, and in blocks: the same as dense ones."""

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse
from families import SELECTORS
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sparse_twins import COUNTED, make, tables, takes, text

from ensfs import (
    ACE,
    CFS,
    FCBF,
    IAMB,
    JMI,
    MIM,
    MMPC,
    MRMR,
    FastEnsemble,
    G2Test,
    InputDecimation,
    ITDecomposition,
    IteratedFCBFDecomposition,
    RowBlocks,
    SelectorCV,
)
from ensfs.measures import (
    conditional_mutual_information,
    entropy,
    f_test,
    mutual_information,
    pearson,
    symmetrical_uncertainty,
)

TAKING = [c for c in SELECTORS if takes(c)]
quiet = pytest.mark.filterwarnings("ignore")
ids = {"ids": lambda c: c.__name__}


def stored(X):
    """A sparse table that stores whatever is not 0, NaN among it."""
    rows, columns = np.nonzero(X != 0)
    return scipy.sparse.csr_array((X[rows, columns], (rows, columns)), shape=X.shape)


def holed(X, rng, share=0.15):
    """Missing cells everywhere: in zeros, in columns of one value, in all rows."""
    X = X.astype(np.float64)
    X[rng.random(X.shape) < share] = np.nan
    return X


def same(sparse, dense, rtol=1e-9):
    """Compare what two estimators have learned."""
    for name, value in vars(dense).items():
        if not name.endswith("_") or name.startswith("_") or name == "n_pairs_read_":
            continue
        other = getattr(sparse, name)
        if name in COUNTED and not isinstance(value, dict):
            np.testing.assert_array_equal(other, value, err_msg=name)
        elif name == "subsets_":
            assert [each.tolist() for each in other] == [each.tolist() for each in value]
        elif isinstance(value, np.ndarray) and value.dtype.kind in "fi":
            np.testing.assert_allclose(other, value, rtol=rtol, atol=1e-12, err_msg=name)


@quiet
@pytest.mark.parametrize("c", TAKING, **ids)
def test_missing_cells_and_weights(c):
    """A stored NaN is a missing cell, a weight how often a row is there, as in a dense table."""
    X, y = text()
    rng = np.random.default_rng(2)
    X = holed(X, rng)
    X[:20, 23], X[20:, 23] = np.nan, 3.0
    X[:20, 24], X[20:, 24] = np.nan, 0.0
    selector = make(c)
    if c is SelectorCV:  # whose model gets missing cells
        selector.set_params(estimator=make_pipeline(SimpleImputer(), LogisticRegression()))
    dense = clone(selector).fit(X, y)
    fitted = clone(selector).fit(stored(X), y)
    same(fitted, dense)
    out = fitted.transform(stored(X))
    np.testing.assert_array_equal(out.toarray(), dense.transform(X))
    w = rng.random(len(y))
    weighted = clone(selector).fit(X, y, sample_weight=w)
    same(clone(selector).fit(stored(X), y, sample_weight=w), weighted)


WAYS = [
    *((MRMR(4), way) for way in ("mean", "corrected", "available")),
    *(
        (FastEnsemble(MRMR(4, relevance="pearson"), n_parts=3), way)
        for way in ("auto", "available")
    ),
    *((selector, way) for selector in (JMI(4), MIM(4)) for way in ("level", "available")),
    *((selector, way) for selector in (FCBF(), CFS()) for way in ("available", "distribute")),
    (FastEnsemble(JMI(3, discretizer="sigma"), n_parts=3), "available"),
    (JMI(4, feature_groups=[[0, 3], [7, 8, 9]]), "level"),
    (JMI(4, feature_groups=[[0, 3], [7, 8, 9]]), "available"),
    (MRMR(4, feature_groups=[[0, 3], [7, 8, 9]]), "available"),
    *((IAMB(test=G2Test(samples_per_df=1)), way) for way in ("available", "level")),
    (MMPC(test=G2Test(df="adjusted")), "available"),
    *((ITDecomposition(3), way) for way in ("level", "available")),
    (IteratedFCBFDecomposition(3), "distribute"),
    *((InputDecimation(4), way) for way in ("mean", "corrected", "available")),
    (InputDecimation(4, redundancy="mean"), "available"),
    *((InputDecimation(4, relevance="mutual_information"), w) for w in ("level", "available")),
]


@quiet
@pytest.mark.parametrize(
    ("selector", "way"), WAYS, ids=[f"{type(s).__name__} {way}" for s, way in WAYS]
)
@given(table=tables(rows=(25, 60), columns=(10, 12)), seed=st.integers(0, 1000))
@settings(max_examples=2)
def test_any_table(selector, way, table, seed):
    """What each way gives is that of the dense table, with weights and several threads too."""
    X, y = table
    rng = np.random.default_rng(seed)
    X, y = holed(X, rng, rng.choice([0.02, 0.2])), rng.integers(0, 3, len(y))
    parts = isinstance(selector, FastEnsemble)
    choice = {"selector__missing" if parts else "missing": way}
    for w, jobs in ((None, 1), (rng.integers(1, 4, len(y)), 4), (rng.random(len(y)) + 0.1, 1)):
        dense = clone(selector).set_params(**choice).fit(X, y, sample_weight=w)
        sparse = clone(selector).set_params(**choice, n_jobs=jobs)
        sparse.fit(stored(X), y, sample_weight=w)
        np.testing.assert_allclose(
            sparse.relevance_, dense.relevance_, rtol=1e-8, atol=1e-11
        )  # fmt: skip
        np.testing.assert_array_equal(sparse.n_missing_, dense.n_missing_)
        if way in ("level", "distribute"):  # counts: no order of additions
            same(sparse, dense)


@quiet
@given(table=tables(rows=(10, 40), columns=(2, 5)), seed=st.integers(0, 1000))
@settings(max_examples=15)
def test_measures(table, seed):
    X, y = table
    rng = np.random.default_rng(seed)
    X = holed(X, rng)
    z = np.column_stack([X[:, 0], X[:, 1]])
    w = rng.random(len(y)) + 0.1
    for missing in ("auto", "mean", "available"):
        for measure in (f_test, pearson):
            options = {"missing": missing, "sample_weight": w, "folds": rng.integers(0, 3, len(y))}
            np.testing.assert_allclose(
                measure(stored(X), y, **options), measure(X, y, **options), rtol=1e-8, atol=1e-11
            )
    for missing in ("level", "available"):
        options = {"missing": missing, "sample_weight": w}
        for measure in (mutual_information, symmetrical_uncertainty):
            found, wanted = (measure(table, y, **options) for table in (stored(X), X))
            np.testing.assert_allclose(found, wanted, rtol=1e-10, atol=1e-13)
        np.testing.assert_allclose(
            entropy(stored(X), **options), entropy(X, **options), rtol=1e-10, atol=1e-13
        )
        given_z = conditional_mutual_information(X, y, z, **options)
        for table in (stored(X), scipy.sparse.csc_array(stored(X))):
            found = conditional_mutual_information(table, y, z, **options)
            np.testing.assert_allclose(found, given_z, rtol=1e-10, atol=1e-13)
    found = symmetrical_uncertainty(stored(X), y, missing="distribute")
    np.testing.assert_allclose(found, symmetrical_uncertainty(X, y, missing="distribute"))


def test_missing_conditions_are_levels():
    """Combinations of what is given are told apart also where one of them is missing."""
    nan = np.nan
    z = np.array([[0, nan], [nan, 0]] * 4, dtype=float)
    x, y = np.array([[0.0], [1.0]] * 4), np.array([0, 1] * 4)
    assert conditional_mutual_information(x, y, z, missing="level") == pytest.approx(0.0)
    assert mutual_information(x, y) == pytest.approx(1.0)


def test_refusals():
    X, y = text()
    X[3, 2] = np.nan
    with pytest.raises(ValueError, match="NaN: column 2 has 1 missing"):
        MRMR(3, missing="error").fit(stored(X), y)
    X[4, 2] = np.inf
    with pytest.raises(ValueError, match=r"infinity.*column 2 has 1 infinite"):
        MRMR(3).fit(stored(X), y)


def test_a_column_that_is_missing_in_all_rows():
    X, y = text()
    X[:, 5] = np.nan
    with pytest.warns(UserWarning, match="Missing in all rows: column 5"):
        selector = MRMR(3).fit(stored(X), y)
    assert selector.relevance_[5] == 0


BLOCKED = [MRMR(4), JMI(4), FCBF(), IAMB(), FastEnsemble(MRMR(3), n_parts=3), CFS()]


@quiet
@pytest.mark.parametrize("selector", BLOCKED, ids=lambda s: type(s).__name__)
@pytest.mark.parametrize("gaps", [False, True])
def test_blocks(selector, gaps):
    """Sparse blocks are the sparse table that they make, to the bit, with weights too."""
    X, y = text()
    rng = np.random.default_rng(4)
    sparse = stored(holed(X, rng) if gaps else X)
    cuts = [0, 17, 60, 119, 120]
    for w in (None, rng.integers(0, 3, 120), rng.random(120)):
        whole = clone(selector).fit(sparse, y, sample_weight=w)
        rows = [slice(*pair) for pair in pairwise(cuts)]
        for form in ("csr", "csc", "coo"):
            given_w = [() if w is None else (w[r],) for r in rows]
            blocks = [
                (sparse[r].asformat(form), y[r], *one) for r, one in zip(rows, given_w, strict=True)
            ]
            for given_blocks in (blocks, lambda blocks=blocks: iter(blocks)):
                fitted = clone(selector).fit(RowBlocks(given_blocks))
                same(fitted, whole, rtol=0)
                assert fitted.n_readings_ == 1


def test_blocks_of_text_targets_and_several():
    X, y = text()
    names = np.array(["a", "b", "c"])[y]
    halves = slice(0, 50), slice(50, 120)
    sparse = stored(X)
    blocks = RowBlocks([(sparse[r], names[r]) for r in halves])
    same(JMI(3).fit(blocks), JMI(3).fit(sparse, names))
    both = np.column_stack([y, X[:, 3] > 1]).astype(int)
    blocks = RowBlocks([(sparse[r], both[r]) for r in halves])
    same(JMI(3).fit(blocks), JMI(3).fit(sparse, both))


def test_bad_blocks():
    X, y = text()
    sparse = stored(X)
    first, second = (sparse[:60], y[:60]), (sparse[60:], y[60:])
    with pytest.raises(TypeError, match="Block 1 is no sparse matrix"):
        MRMR(3).fit(RowBlocks([first, (X[60:], y[60:])]))
    with pytest.raises(ValueError, match="Block 1 has 24 columns, block 0 has 25"):
        MRMR(3).fit(RowBlocks([first, (sparse[60:, :24], y[60:])]))
    with pytest.raises(ValueError, match=r"Block 1.*inconsistent numbers of samples"):
        MRMR(3).fit(RowBlocks([first, (sparse[60:], y[:50])]))
    with pytest.raises(ValueError, match="give them for all or none"):
        MRMR(3).fit(RowBlocks([first, (*second, np.full(60, 0.5))]))
    with pytest.raises(TypeError, match="ACE"):
        ACE().fit(RowBlocks([first, second]))
