import subprocess
import sys
from importlib.metadata import version

import pytest

import ensfs
from ensfs import _config


def test_version_comes_from_the_metadata():
    assert ensfs.__version__ == version("ensfs")


def test_show_versions_names_every_dependency(capsys):
    ensfs.show_versions()
    lines = capsys.readouterr().out.splitlines()
    names = [line.split("  ")[0] for line in lines]
    for name in ("ensfs", "python", "platform", *_config.REQUIRED):
        assert name in names
    assert f"{ensfs.__version__}" in lines[0]
    assert any(line.startswith("instruction set") for line in lines)


def test_show_config_prints_what_config_says(capsys):
    ensfs.show_config()
    lines = capsys.readouterr().out.splitlines()
    rows = _config.config()
    assert len(lines) == len(rows)
    for line, (name, value) in zip(lines, rows.items(), strict=True):
        assert line.startswith(name)
        assert line.endswith(value)


def test_instruction_set_is_one_of_the_levels():
    assert _config.config()["instruction set"] in ("generic", "avx2", "avx512")


def test_absent_optional_packages_are_left_out(monkeypatch):
    monkeypatch.setattr(_config, "OPTIONAL", ("no-such-package-for-sure",))
    assert "no-such-package-for-sure" not in _config.versions()


@pytest.mark.parametrize("gil", [True, False])
def test_free_threaded_interpreters_are_named(monkeypatch, gil):
    monkeypatch.setattr(_config.sysconfig, "get_config_var", lambda name: 1)
    monkeypatch.setattr(sys, "_is_gil_enabled", lambda: gil, raising=False)
    assert _config._interpreter() == f"free-threaded, lock {'on' if gil else 'off'}"


def test_nothing_optional_is_imported_before_it_is_used():
    # scikit-learn imports some of them by itself where they are installed
    code = (
        "import sys, scipy.stats, sklearn.feature_selection; before = set(sys.modules); "
        "import ensfs; print(*set(sys.modules) - before)"
    )
    run = subprocess.run(
        [sys.executable, "-P", "-c", code], check=True, capture_output=True, text=True
    )
    assert not set(_config.OPTIONAL) & set(run.stdout.split())
