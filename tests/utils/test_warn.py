"""Warnings point to the line that called, whatever lies between."""

import inspect
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

from ensfs import (
    ACE,
    MRMR,
    DecompositionClassifier,
    FastEnsemble,
    InputDecimation,
    ITDecomposition,
    RandomPartitionDecomposition,
)
from ensfs._utils.warn import without_warnings

X, Y = load_iris(return_X_y=True)
TWO = Y > 0


@pytest.mark.parametrize(
    "call",
    [
        lambda: RandomPartitionDecomposition(9).fit(X, Y),
        lambda: ITDecomposition(9).fit(X, Y),
        lambda: InputDecimation(1, binary="allow").fit(X, TWO),
        lambda: DecompositionClassifier(decomposition=RandomPartitionDecomposition(9)).fit(X, Y),
        lambda: ACE(n_replicates=3, n_estimators=5, max_iter=1, random_state=0).fit(X[::9], Y[::9]),
        lambda: MRMR(9).fit(X, Y),
        lambda: MRMR(9).fit_transform(X, Y),
        lambda: MRMR(2).fit(X, Y[:, None]),
        lambda: MRMR(2).fit(X, np.zeros(len(X))),
        lambda: FastEnsemble(MRMR(2), n_parts=9).fit(X[::19], Y[::19]),
        lambda: make_pipeline(MRMR(9), GaussianNB()).fit(X, Y),
        lambda: cross_val_score(make_pipeline(MRMR(9), GaussianNB()), X, Y),
    ],
    ids=lambda call: inspect.getsource(call).strip().removeprefix("lambda: ").rstrip(","),
)
def test_the_line_of_the_caller(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    assert caught
    where = {(each.filename, each.lineno) for each in caught}
    assert where == {(__file__, call.__code__.co_firstlineno)}


def test_without_warnings_in_threads():
    """Each thread ignores its own, and the filters are as before when all are done."""

    def work(_):
        with without_warnings():
            warnings.warn("nobody sees it", stacklevel=1)

    before = list(warnings.filters)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(200)))
    assert warnings.filters == before
