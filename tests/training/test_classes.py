"""Numbers as classes, for everything that counts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_diabetes

from ensfs import (
    CMIM,
    DISR,
    FCBF,
    IAMB,
    JMI,
    JMIM,
    MIM,
    MRMR,
    FastEnsemble,
    ITDecomposition,
    IteratedFCBFDecomposition,
    RowBlocks,
)
from ensfs.data.target import Target, make_target
from ensfs.discretize.targets import cut_into_classes
from ensfs.independence import G2Test
from ensfs.training.classes import read_target_as

Z = [3.1, 2.0, 4.5, 1.2, 5.0, 2.2, 7.5, 6.1, 8.8, 9.4, 5.9, 7.0]
THIRDS = [0, 0, 1, 0, 1, 0, 2, 1, 2, 2, 1, 2]

SELECTORS = [
    CMIM(4),
    DISR(4),
    FCBF(),
    JMI(4),
    JMIM(4),
    MIM(4),
    MRMR(4, relevance="mutual_information"),
    IAMB(test=G2Test()),
]


def test_numbers_are_cut_at_their_thirds():
    target = read_target_as(Z, len(Z), "counted")
    assert target.kind == "classes"
    assert target.codes.tolist() == THIRDS
    assert target.classes.tolist() == [0, 1, 2]


def test_classes_stay_as_they_are():
    y = np.array(list("abcab"))
    target = read_target_as(y, 5, "counted")
    assert target.classes.tolist() == ["a", "b", "c"]
    few_whole_numbers = read_target_as([7, 3, 7, 5], 4, "counted")
    assert few_whole_numbers.codes.tolist() == [2, 0, 2, 1]


@pytest.mark.filterwarnings("ignore:Equal values leave")
@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=40), st.integers(2, 5))
def test_classes_keep_the_order_of_the_numbers(values, n_bins):
    values = np.array(values)
    target = Target("numeric", bool(np.ptp(values) == 0), values=values)
    cut = cut_into_classes(target, n_bins)
    order = np.argsort(values, kind="stable")
    assert (np.diff(cut.codes[order]) >= 0).all()
    assert (cut.codes[values == values.max()] == cut.codes.max()).all()
    assert cut.constant == target.constant == (len(cut.classes) == 1)
    assert np.unique(cut.codes).tolist() == list(range(len(cut.classes)))
    assert len(cut.classes) <= n_bins


def test_a_largest_value_that_is_every_quantile_is_a_class():
    target = make_target(np.r_[0.5, np.ones(9)], 10)
    with pytest.warns(UserWarning, match="Equal values leave 2 of target_bins=3"):
        cut = cut_into_classes(target)
    assert cut.codes.tolist() == [0] + 9 * [1]
    assert cut.cut_points.tolist() == [0.75]


@pytest.mark.parametrize("selector", SELECTORS, ids=lambda each: type(each).__name__)
@pytest.mark.parametrize("scale", [1, 0.5])
def test_many_whole_numbers_are_read_as_numbers(selector, scale):
    """On the diabetes data they were 214 classes, which no column says anything about."""
    X, y = load_diabetes(return_X_y=True)
    thirds = read_target_as(y, y.size, "counted").codes
    found = selector.fit(X, y * scale).indices_
    np.testing.assert_array_equal(found, selector.fit(X, thirds).indices_)
    assert {2, 8} <= set(found.tolist())  # body mass index and serum triglycerides
    assert (selector.relevance_[found] > 0).all()


@pytest.mark.parametrize("decomposition", [ITDecomposition(2), IteratedFCBFDecomposition(2)])
def test_decompositions_take_numbers(decomposition):
    X, y = load_diabetes(return_X_y=True)
    thirds = read_target_as(y, y.size, "counted").codes
    found = [each.tolist() for each in decomposition.fit(X, y).subsets_]
    assert found == [each.tolist() for each in decomposition.fit(X, thirds).subsets_]


def test_parts_and_blocks_use_the_classes_of_all_rows():
    X, y = load_diabetes(return_X_y=True)
    X = np.digitize(X, [-0.02, 0.02])
    ensemble = FastEnsemble(JMI(4), n_parts=5)
    in_memory = ensemble.fit(X, y).part_selections_
    blocks = RowBlocks([(X[:100], y[:100]), (X[100:], y[100:])])
    for a, b in zip(in_memory, ensemble.fit(blocks).part_selections_, strict=True):
        np.testing.assert_array_equal(a, b)
