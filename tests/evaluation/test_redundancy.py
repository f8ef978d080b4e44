"""The columns that selected ones stand for."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_selection import SelectKBest
from sklearn.utils.validation import NotFittedError

from ensfs import FCBF, MRMR
from ensfs.evaluation import represented_columns
from ensfs.evaluation.redundancy import redundancy_of_pairs


def slow(selector, X, least):
    """Each column that was left out goes to the selected one it is most redundant with."""
    values, _ = redundancy_of_pairs(X)
    groups = [[] for _ in selector.indices_]
    for j in np.nonzero(~selector.support_)[0]:
        with_selected = values[j, selector.indices_]
        if with_selected.max() >= least:
            groups[int(with_selected.argmax())].append((-values[j, selector.indices_].max(), j))
    return [[j for _, j in sorted(group)] for group in groups]


@given(st.integers(0, 2**32 - 1), st.booleans())
def test_groups_are_those_of_all_pairs(seed, discrete):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, 60)
    X = rng.normal(size=(60, 4))[:, rng.integers(0, 4, 12)] + 0.3 * rng.normal(size=(60, 12))
    X[:, :4] += y[:, None]
    if discrete:
        X = (X > 0).astype(int)
    selector = MRMR(3).fit(X, y)
    found = represented_columns(selector, X, at_least=0.4)
    assert [group.tolist() for group in found] == slow(selector, X, 0.4)


def test_copies_and_names():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 80)
    X = pd.DataFrame({"a": rng.normal(size=80) + y, "b": rng.normal(size=80) + y})
    X["copy of a"], X["noise"] = 5 - 2 * X["a"], rng.normal(size=80)
    selector = MRMR(2).fit(X, y)
    found = dict(zip(selector.indices_.tolist(), represented_columns(selector, X), strict=True))
    assert found[0].tolist() == [2]
    assert not found[1].size
    X["text"] = np.where(X["b"] > 0.5, "high", "low")
    assert len(represented_columns(MRMR(2).fit(X, y), X)) == 2


def test_nothing_selected_and_bad_arguments():
    X, y = np.random.default_rng(0).normal(size=(30, 3)), np.tile([0, 1, 1], 10)
    assert represented_columns(FCBF().fit(X, y), X) == []
    with pytest.raises(ValueError, match="X has 2 columns, but MRMR was fitted on 3"):
        represented_columns(MRMR(2).fit(X, y), X[:, :2])
    with pytest.raises(ValueError, match="measure must be"):
        represented_columns(MRMR(2).fit(X, y), X, measure="spearman")
    with pytest.raises(NotFittedError):
        represented_columns(MRMR(2), X)
    with pytest.raises(NotFittedError):
        represented_columns(SelectKBest(k=2).fit(X, y), X)
