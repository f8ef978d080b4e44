"""Some interrupts of every kind of work; tests/interrupts.py alone sends as many as one likes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[1] / "interrupts.py"


@pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")
def test_interrupts_leave_no_trace():
    call = [sys.executable, "-P", str(SCRIPT), "--times", "2", "--seconds", "120"]
    done = subprocess.run(call, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("interrupted") == 8
