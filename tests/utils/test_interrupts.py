"""Some interrupts of every kind of work; tests/interrupts.py alone sends as many as one likes."""

import os
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.datasets import load_wine

import ensfs
from ensfs.evaluation import compare_selectors

SCRIPT = Path(__file__).resolve().parents[1] / "interrupts.py"


@pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")
def test_interrupts_leave_no_trace():
    call = [sys.executable, "-P", str(SCRIPT), "--times", "2", "--seconds", "120"]
    done = subprocess.run(call, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("interrupted") == 8


def interrupt_inside():
    """Ctrl-C while somebody's context managers are about to restore what they changed."""
    warnings.catch_warnings().__enter__()
    warnings.simplefilter("ignore")
    np.seterr(all="raise")
    raise KeyboardInterrupt


class Shown(ensfs.MRMR):
    def __repr__(self):
        interrupt_inside()


class Fitted(BaseEstimator):
    def fit(self, X, y):
        interrupt_inside()

    def get_support(self):
        raise NotImplementedError


@pytest.mark.parametrize(
    "call",
    [
        lambda X, y: ensfs.report(Shown(2).fit(X, y), X, y),
        lambda X, y: compare_selectors([Fitted()], X, y),
    ],
    ids=["report", "compare_selectors"],
)
def test_what_computes_outside_of_fits_leaves_the_settings_as_they_were(call):
    before, errors = list(warnings.filters), np.geterr()
    with pytest.raises(KeyboardInterrupt):
        call(*load_wine(return_X_y=True))
    assert np.geterr() == errors
    assert list(warnings.filters) == before
