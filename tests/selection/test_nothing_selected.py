"""One warning where nothing is selected, with the likely reason."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer

from ensfs import (
    ACE,
    CFS,
    CMIM,
    FCBF,
    HITONPC,
    IAMB,
    JMI,
    MIM,
    MMPC,
    FastEnsemble,
    HybridCausalSelector,
    InnerEnsemble,
    L1Path,
    PCSelector,
    StabilitySelector,
    TPDASelector,
)

COUNTS = "no column says anything about the target"
TESTS = "no column depends on the target at alpha="

SELECTORS = [
    (FCBF(), COUNTS),
    (CFS(), COUNTS),
    (JMI(3), COUNTS),
    (MIM(3), COUNTS),
    (IAMB(), TESTS),
    (HITONPC(), TESTS),
    (PCSelector(), TESTS),
    (HybridCausalSelector(), TESTS),
    (ACE(random_state=0), "no column is more important than permuted copies"),
]


def warnings_of(selector, X, y):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        selector.fit(X, y)
    return [str(each.message) for each in caught]


@pytest.mark.parametrize(("selector", "reason"), SELECTORS, ids=lambda each: str(each)[:12])
def test_one_warning_with_the_reason(selector, reason):
    """Each column has every combination with the target equally often."""
    y = np.tile([0, 1], 48)
    X = np.column_stack([np.arange(96) // 2 % m for m in (2, 3, 4)])
    (message,) = warnings_of(selector, X, y)
    what = "columns of relevance 0" if selector.indices_.size else "no column"
    assert message.startswith(f"{type(selector).__name__} selected {what}: ")
    assert reason in message


@pytest.mark.parametrize(
    "selector",
    [MMPC(), PCSelector(), TPDASelector(), HybridCausalSelector()],
    ids=lambda each: type(each).__name__,
)
def test_columns_that_were_not_cut_are_the_reason(selector):
    """Continuous noise, in which the classes say nowhere where to cut."""
    X = np.random.default_rng(0).normal(size=(300, 4))
    y = np.tile([0, 1], 150)
    (message,) = warnings_of(selector, X, y)
    assert "discretizer='mdl' left each of the 4 continuous columns in one piece" in message
    if not isinstance(selector, HybridCausalSelector):
        (message,) = warnings_of(clone(selector).set_params(test="fisherz"), X, y)
        assert "depends on the target at alpha=0.01" in message


def test_the_level_of_the_test_is_named():
    y = np.tile([0, 1], 48)
    X = np.column_stack([np.arange(96) // 2 % m for m in (2, 3, 4)])
    (message,) = warnings_of(TPDASelector(), X, y)
    assert "depends on the target at min_bits=0.01" in message
    assert "lower min_bits of the InformationTest" in message


@pytest.mark.parametrize("selector", [HITONPC(), MMPC()], ids=lambda each: type(each).__name__)
def test_the_check_from_the_other_side_is_the_reason(selector):
    """Two columns are neighbours of the target, which is a neighbour of neither."""
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    (message,) = warnings_of(selector, X, y)
    assert message == (
        f"{type(selector).__name__} selected no column: nothing separates 2 column(s) from the "
        "target (such as worst perimeter, worst concave points), but none of them has the target "
        "among its own neighbours. Set symmetric=False to select them nevertheless."
    )
    assert selector.one_sided_neighbours_.tolist() == [22, 27]
    assert selector.explain("worst perimeter")["reason"] == ["not mutual"]
    (message,) = warnings_of(FastEnsemble(selector, n_parts=3), X, y)
    assert "symmetric=False also selects columns" in message
    selector.set_params(symmetric=False)
    assert warnings_of(selector, X, y) == []
    assert sorted(selector.indices_) == [22, 27]
    assert selector.one_sided_neighbours_.size == 0


@pytest.mark.parametrize("ensemble", [FastEnsemble, InnerEnsemble])
def test_ensembles_give_the_reason_of_their_selector(ensemble):
    (message,) = warnings_of(ensemble(JMI(2), n_parts=3), np.ones((60, 3)), np.tile([0, 1], 30))
    assert message.startswith(f"{ensemble.__name__} selected no column: {COUNTS}")


@pytest.mark.parametrize(
    "selector", [FCBF(), IAMB(), ACE(random_state=0), L1Path(2)], ids=lambda each: str(each)[:6]
)
def test_a_constant_target_is_the_reason(selector):
    X = np.random.default_rng(0).normal(size=(60, 3))
    (message,) = warnings_of(selector, X, np.zeros(60))
    assert "y is constant" in message


def cause_among_others():
    """Column 7 is the target; the others say nothing that it does not say."""
    X = np.random.default_rng(0).integers(0, 2, (100, 30))
    return X, X[:, 7]


@pytest.mark.parametrize("correction", [None, "miller_madow"])
@pytest.mark.parametrize("wrap", [lambda each: each, InnerEnsemble], ids=["alone", "inner"])
def test_columns_that_only_fill_the_number_give_one_warning(correction, wrap):
    selector = wrap(CMIM(4, correction=correction))
    (message,) = warnings_of(selector, *cause_among_others())
    assert message.startswith("Only 1 of 4 columns were selected for what they say")
    assert selector.indices_.tolist() == [7, 0, 1, 2]  # as published: in the order of the table


@pytest.mark.parametrize("parts", ["leave_one_out", "halves"])
@pytest.mark.parametrize("correction", [None, "miller_madow"])
def test_columns_that_only_fill_the_number_get_no_vote(correction, parts):
    ensemble = FastEnsemble(CMIM(4, correction=correction), parts=parts, n_parts=4)
    (message,) = warnings_of(ensemble, *cause_among_others())
    assert message.startswith("Only 1 of 4 columns were selected")
    assert ensemble.indices_.tolist() == [7]
    assert np.nonzero(ensemble.selection_frequency_)[0].tolist() == [7]
    assert ensemble.selection_of_size(3).tolist() == [7]
    assert ensemble.part_selections_[0].tolist() == [7, 0, 1, 2]


def test_columns_that_only_fill_the_number_get_no_vote_for_stability():
    X, y = cause_among_others()
    selector = StabilitySelector(CMIM(4), n_pairs=4, threshold=0.9).fit(X, y)
    assert selector.indices_.tolist() == [7]
    assert np.nonzero(selector.selection_frequency_)[0].tolist() == [7]
