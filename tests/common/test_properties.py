"""What must hold for every selector and decomposition that takes a feature, on random tables.

Whole weights are repeated rows, and rows of weight 0 are not there; the order of rows and columns,
the format of a sparse table, the number of threads and blocks of rows make no difference; an
excluded column is not there; a missing cell that is a level is one like text. That a group of
indicators is the column they were made of is in ``test_groups.py``; that all instruction sets give
the same bits is tried by ``fuzzing/rough.py``.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rough_tables import (
    DRAWING,
    EVERY,
    assert_same,
    learned,
    numbers,
    parameters_of,
    sparse_table,
    stored,
    with_options,
)
from sklearn.utils import get_tags
from sklearn.utils.validation import has_fit_parameter

from ensfs import FastEnsemble, InnerEnsemble, RowBlocks, SelectorCV, StabilitySelector
from ensfs.decomposition._base import BaseDecomposition
from ensfs.selection._base import PartSelector


def names(has):
    """The estimators for which something is true."""
    return sorted(name for name, estimator in EVERY.items() if has(estimator))


def takes(*parameters):
    """What tells whether an estimator, or the selector that it runs, has some parameters."""
    return lambda estimator: set(parameters) <= set(parameters_of(estimator)[1])


def takes_gaps(estimator):
    return get_tags(estimator).input_tags.allow_nan


def make_case(estimator, seed, cut, gaps):
    """An estimator, a table, its classes, the folds of its rows, and a generator."""
    rng = np.random.default_rng(seed)
    X, y = numbers(rng, int(rng.integers(40, 60)), 6, gaps and takes_gaps(estimator))
    return with_options(estimator, discretizer=cut), X, y, np.arange(len(y)) % 8, rng


def on_random_tables(has):
    """Try a few cases with each of the estimators for which something is true."""

    def decorate(test):
        @settings(max_examples=3)
        @given(
            seed=st.integers(0, 2**32 - 1), gaps=st.booleans(),
            cut=st.sampled_from(["mdl", "equal_frequency", "sigma"]),
        )  # fmt: skip
        def run(name, seed, cut, gaps):
            test(*make_case(EVERY[name], seed, cut, gaps))

        run.__name__, run.__doc__ = test.__name__, test.__doc__
        return pytest.mark.parametrize("name", names(has))(run)

    return decorate


# ------------------------------------ rows


def weighted(estimator):
    return has_fit_parameter(estimator, "sample_weight")


def is_exact(estimator):
    return not isinstance(estimator, DRAWING)


@on_random_tables(lambda e: weighted(e) and is_exact(e))
def test_whole_weights_are_repeated_rows(estimator, X, y, fold, rng):
    weight = rng.integers(0, 4, len(y))
    rows = np.repeat(np.arange(len(y)), weight)
    found = learned(estimator, X, y, fold, sample_weight=weight)
    assert_same(found, learned(estimator, X[rows], y[rows], fold[rows]))


@on_random_tables(weighted)
def test_rows_of_weight_0_are_not_there(estimator, X, y, fold, rng):
    weight = rng.random(len(y)) + 0.2
    weight[::5], y[::5] = 0, 9
    rows = np.nonzero(weight)[0]
    found = learned(estimator, X, y, fold, sample_weight=weight)
    expected = learned(estimator, X[rows], y[rows], fold[rows], sample_weight=weight[rows])
    assert_same(found, expected, exact=True)


@on_random_tables(is_exact)
def test_order_of_rows(estimator, X, y, fold, rng):
    order = rng.permutation(len(y))
    found = learned(estimator, X[order], y[order], fold[order])
    assert_same(found, learned(estimator, X, y, fold))


# ------------------------------------ columns


@on_random_tables(lambda e: is_exact(e) and not isinstance(e, BaseDecomposition))
def test_order_of_columns(estimator, X, y, fold, rng):
    """Relevance is that of the column wherever it stands; ties go to the first column."""
    order = rng.permutation(X.shape[1])
    found, expected = learned(estimator, X[:, order], y, fold), learned(estimator, X, y, fold)
    np.testing.assert_allclose(found[1][0], expected[1][0][order], rtol=1e-7, atol=1e-9)


@on_random_tables(takes("exclude"))
def test_excluded_columns_are_not_there(estimator, X, y, fold, rng):
    out, kept = np.split(rng.permutation(X.shape[1]), [2])
    kept = np.sort(kept)
    found = learned(with_options(estimator, exclude=out), X, y, fold)
    expected = learned(estimator, X[:, kept], y, fold)
    there = [each[kept] for each in found[1]]  # numbers of columns, by class for input decimation
    names = [kept[each].tolist() for each in expected[0]]
    assert_same((found[0], there), (names, expected[1]), exact=True)


COUNTING = {"discrete_features": True, "missing": "level", "relevance": "mutual_information"}


def codes_text(estimator):
    """Whether it makes levels of text; the model in SelectorCV takes none."""
    return takes("missing", "target_bins")(estimator) and not isinstance(estimator, SelectorCV)


@on_random_tables(codes_text)
def test_a_missing_level_is_one_like_text(estimator, X, y, fold, rng):
    text = np.where(X > 0.5, "a", np.where(X > 0, "b", "c")).astype(object)
    text[rng.random(X.shape) < 0.2] = None
    estimator = with_options(estimator, **COUNTING)
    if "test" in parameters_of(estimator)[1]:
        estimator = with_options(estimator, test="g2")
    found = learned(estimator, text, y, fold)
    expected = learned(estimator, np.where(text == None, "none", text), y, fold)  # noqa: E711
    assert_same(found, expected, exact=True)


# ------------------------------------ formats, threads and blocks


def takes_sparse(estimator):
    by_z = parameters_of(estimator)[1].get("test") == "fisherz"
    return get_tags(estimator).input_tags.sparse and not by_z


@on_random_tables(takes_sparse)
def test_sparse_formats(estimator, X, y, fold, rng):
    X = sparse_table(rng, len(y), 6, np.isnan(X).any())
    expected = learned(estimator, X, y, fold)
    for kind in ("csr", "csc", "coo"):
        assert_same(learned(estimator, stored(X, kind), y, fold), expected)


@on_random_tables(lambda e: "n_jobs" in e.get_params(deep=False))
def test_threads(estimator, X, y, fold, rng):
    how = {"sample_weight": rng.random(len(y))} if weighted(estimator) else {}
    expected = learned(estimator, X, y, fold, **how)
    four = learned(estimator.set_params(n_jobs=4), X, y, fold, **how)
    assert_same(four, expected, exact=True)


def in_blocks(estimator):
    return isinstance(estimator, PartSelector | FastEnsemble | InnerEnsemble | StabilitySelector)


def counts(estimator):
    """Whether it counts levels, in tables of numbers too."""
    known = parameters_of(estimator)[1]
    by_name = known.get("relevance", "mutual_information") == "mutual_information"
    return by_name and "target_bins" in known and known.get("test") != "fisherz"


@on_random_tables(in_blocks)
def test_blocks(estimator, X, y, fold, rng):
    weight = [rng.random(len(y)) + 0.1] if rng.random() < 0.5 else []
    if counts(estimator):  # blocks are not cut by MDL, nor tested on the rows that are complete
        X = np.clip(np.round(X), -1, 2)
        estimator = with_options(estimator, discrete_features=True, missing="level")
        if "causal" in estimator.get_params(deep=False):
            estimator.set_params(causal__missing="level")
    elif "test" in parameters_of(estimator)[1]:
        estimator = with_options(estimator, missing="corrected")
    edges = np.unique([0, *rng.integers(1, len(y), 3), len(y)])
    rows = list(map(slice, edges[:-1], edges[1:]))
    blocks = RowBlocks([(X[r], y[r], *(w[r] for w in weight)) for r in rows])
    found = learned(estimator, blocks, None, fold)
    how = {"sample_weight": weight[0]} if weight else {}
    assert not isinstance(found, str), found
    assert_same(found, learned(estimator, X, y, fold, **how), exact=True)
