"""Some random tables against brute force; tests/fuzz.py alone tries as many as one likes."""

import subprocess
import sys
from pathlib import Path

import families
import fuzz_cases

from ensfs import ForwardSelection, HybridCausalSelector
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
    monkeypatch.setattr(fuzz_cases.measures, "f_test", lambda X, y, **_: 0 * X[0].astype(float))
    problems = [fuzz_cases.run_case(seed)["problem"] for seed in range(6)]
    assert any("f_test" in problem for problem in problems)


def test_every_selector_on_statistics_is_tried():
    """Of those by tests of independence some are tried, which share the rest with the others."""
    others = (families.CausalSelector, HybridCausalSelector, ForwardSelection)
    for c in families.SELECTORS:
        if issubclass(c, PartSelector) and not issubclass(c, others):
            assert c in families.GREEDY or hasattr(fuzz_cases, c.__name__)
