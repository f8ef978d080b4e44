"""What every test may use: the real data, hypothesis profiles."""

import os
from functools import partial
from pathlib import Path

# Tests run in one process for each core. The tables are small: threads of BLAS would only wait for
# each other, here and in the programs that tests start.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pytest
from hypothesis import HealthCheck, settings

from ensfs.datasets import fetch_dataset

ROOT = Path(__file__).resolve().parents[1]
DATA = Path(os.environ.get("ENSFS_DATA") or ROOT.parent / "shared" / "data").resolve()

# Deadlines measure the load of the machine, not the code. In continuous integration the
# examples are the same in every run, so that a red run means a changed program.
settings.register_profile("default", deadline=None)
settings.register_profile(
    "ci",
    deadline=None,
    derandomize=True,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
# The installed wheel is the same program once more: a few examples show that it works.
settings.register_profile("few", settings.get_profile("ci"), max_examples=10)
settings.register_profile("thorough", deadline=None, max_examples=2000)
settings.load_profile(
    os.environ.get("HYPOTHESIS_PROFILE", "ci" if os.environ.get("CI") else "default")
)


def pytest_report_header():
    return f"real data: {'found' if DATA.is_dir() else 'absent, its tests are skipped'}"


def pytest_runtest_setup(item):
    """``@pytest.mark.requires_data("colon.csv.gz")``: skip when a file is not there."""
    for mark in item.iter_markers("requires_data"):
        missing = [name for name in mark.args or ("",) if not (DATA / name).exists()]
        if missing:
            pytest.skip("real data absent " + ", ".join(missing))


@pytest.fixture(scope="session")
def data_dir():
    """Directory of the real data sets; the test is skipped when there is none.

    ``ENSFS_DATA`` names it; otherwise it is looked for beside the checkout.
    """
    if not DATA.is_dir():
        pytest.skip("real data absent: set ENSFS_DATA to its directory")
    return DATA


@pytest.fixture(scope="session")
def load_real(data_dir):
    """``load_real(name)`` gives the table and the target of a real set."""
    return partial(fetch_dataset, data_home=data_dir, download_if_missing=False, return_X_y=True)
