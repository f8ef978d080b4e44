"""Some random tables against brute force; tests/fuzz.py alone tries as many as one likes."""

import subprocess
import sys
from pathlib import Path

import families
from fuzzing import blankets, cases, counts, numbers

from ensfs import TPDASelector
from ensfs.selection._base import PartSelector

SCRIPT = Path(__file__).resolve().parents[1] / "fuzz.py"


def fuzz(*arguments):
    call = [sys.executable, str(SCRIPT), *arguments]
    return subprocess.run(call, capture_output=True, text=True, timeout=600, check=False)


def test_no_differences():
    done = fuzz("--cases", "6", "--seed", "1")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "6 cases, 0 with differences" in done.stdout


def test_a_difference_is_found(monkeypatch):
    monkeypatch.setattr(numbers.measures, "f_test", lambda X, y, **_: 0 * X[0].astype(float))
    problems = [cases.run_case(seed)["problem"] for seed in range(6)]
    assert any("f_test" in problem for problem in problems)


def test_every_selector_on_statistics_is_tried():
    """But for TPDA, of which there is no plain program."""
    for c in families.SELECTORS:
        if issubclass(c, PartSelector) and c is not TPDASelector:
            tried = any(hasattr(module, c.__name__) for module in (numbers, counts, blankets))
            assert tried or c in families.GREEDY, c
