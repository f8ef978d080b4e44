"""Files that the command writes: never over its input, and whole or not at all."""

import json
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from ensfs.reporting.cli import main

posix = pytest.mark.skipif(os.name != "posix", reason="modes, links and pipes as POSIX has them")


@pytest.fixture
def data(tmp_path):
    """A small file in a folder of its own."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 20)
    frame = pd.DataFrame({"a": rng.normal(size=40) + y, "b": rng.normal(size=40), "y": y})
    path = tmp_path / "data.csv"
    frame.to_csv(path, index=False)
    return path


def run(capsys, data, *arguments):
    """Exit code, output and errors of ``ensfs select``."""
    try:
        code = main(["select", str(data), "--target", "y", "-k", "1", *map(str, arguments)])
    except SystemExit as leaving:
        code = leaving.code
    return code, *capsys.readouterr()


def link_to(path, how, tmp_path):
    """Another name of a file."""
    other = tmp_path / "other"
    if how == "symlink":
        other.symlink_to(path)
    elif how == "hard link":
        other.hardlink_to(path)
    else:
        other = tmp_path / "." / path.name
    return other


# ---------------------------------------- what must not be overwritten


@posix
@pytest.mark.parametrize("option", ["--json", "--report"])
@pytest.mark.parametrize("how", ["same name", "symlink", "hard link"])
def test_the_input_is_never_overwritten(option, how, data, tmp_path, capsys):
    before = data.read_bytes()
    output = link_to(data, how, tmp_path)
    code, out, err = run(capsys, data, option, output)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert f"{option} would overwrite the input" in err
    assert data.read_bytes() == before
    code, _, err = run(capsys, output, option, data)
    assert (code, err.count("\n")) == (2, 1)
    assert data.read_bytes() == before


@posix
@pytest.mark.parametrize("how", ["same name", "symlink", "hard link", "new"])
def test_two_outputs_cannot_be_one_file(how, data, tmp_path, capsys):
    first = tmp_path / "out"
    if how != "new":
        first.write_text("before")
    second = first if how == "new" else link_to(first, how, tmp_path)
    code, out, err = run(capsys, data, "--json", first, "--report", second)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "--json and --report" in err
    assert not first.exists() or first.read_text() == "before"
    code, _, err = run(capsys, data, "--json", "-", "--report", "-")
    assert (code, err.count("\n")) == (2, 1)


@posix
def test_the_file_behind_the_standard_output_is_not_an_output(data, tmp_path):
    call = [sys.executable, "-m", "ensfs", "select", str(data), "--target", "y", "--json"]
    target = tmp_path / "out.txt"
    with open(target, "w") as out:
        done = subprocess.run(
            [*call, str(target)], stdout=out, stderr=subprocess.PIPE, text=True, check=False
        )
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "--json - writes to it" in done.stderr


@pytest.mark.parametrize("option", ["--json", "--report"])
def test_what_cannot_be_written_is_said_before_the_work(option, data, tmp_path, capsys):
    for path in (tmp_path, tmp_path / "no" / "file"):
        code, out, err = run(capsys, data, option, path)
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert "cannot be written" in err


# ---------------------------------------- what is written into


@posix
def test_modes_are_kept_and_new_files_follow_the_umask(data, tmp_path, capsys):
    page = tmp_path / "page.html"
    page.write_text("before")
    page.chmod(0o640)
    out = tmp_path / "out.json"
    before = os.umask(0o027)
    try:
        assert run(capsys, data, "--report", page, "--json", out)[0] == 0
    finally:
        os.umask(before)
    assert stat.S_IMODE(page.stat().st_mode) == 0o640
    assert stat.S_IMODE(out.stat().st_mode) == 0o640
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["data.csv", "out.json", "page.html"]


@posix
@pytest.mark.parametrize("exists", [True, False])
def test_links_are_followed(exists, data, tmp_path, capsys):
    (tmp_path / "elsewhere").mkdir()
    real, link = tmp_path / "elsewhere" / "real.json", tmp_path / "link.json"
    if exists:
        real.write_text("before")
    link.symlink_to(real)
    assert run(capsys, data, "--json", link)[0] == 0
    assert link.is_symlink()
    assert json.loads(real.read_text(encoding="utf-8"))["target"] == "y"
    assert [path.name for path in (tmp_path / "elsewhere").iterdir()] == ["real.json"]


@posix
@pytest.mark.parametrize("linked", [False, True])
def test_a_device_stays_a_device(linked, data, tmp_path, capsys):
    """A terminal, where nothing can be broken: to replace /dev/null would break the machine."""
    ours, theirs = os.openpty()
    try:
        device = Path(os.ttyname(theirs))
        if linked:
            (tmp_path / "terminal").symlink_to(device)
        code, _, err = run(capsys, data, "--json", tmp_path / "terminal" if linked else device)
        assert (code, err) == (0, "")
        assert stat.S_ISCHR(device.stat().st_mode)
        assert json.loads(os.read(ours, 4096))["target"] == "y"
    finally:
        os.close(ours)
        os.close(theirs)


@posix
@pytest.mark.parametrize("option", ["--json", "--report"])
def test_a_named_pipe_gets_the_text(option, data, tmp_path, capsys):
    pipe, found = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: found.append(pipe.read_text(encoding="utf-8")))
    reader.start()
    assert run(capsys, data, option, pipe)[0] == 0
    reader.join(60)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert found[0].startswith("{" if option == "--json" else "<!DOCTYPE html>")


@posix
def test_a_pipe_as_standard_output_can_be_named(data, tmp_path):
    link = tmp_path / "output"  # not /dev/stdout itself, which root could replace
    link.symlink_to("/dev/fd/1")
    call = [sys.executable, "-m", "ensfs", "select", str(data), "--target", "y", "-k", "1"]
    out = subprocess.run([*call, "--json", str(link)], capture_output=True, check=True).stdout
    found, end = json.JSONDecoder().raw_decode(out.decode())
    assert found["n_rows"] == 40
    assert out.decode()[end:].split()[:2] == ["rank", "feature"]
    assert link.is_symlink()


def test_a_page_on_standard_output_takes_the_place_of_the_table(data, tmp_path, capsys):
    page = tmp_path / "page.html"
    assert run(capsys, data, "--report", page)[0] == 0
    code, out, err = run(capsys, data, "--report", "-")
    assert (code, err) == (0, "")
    assert out == page.read_text(encoding="utf-8")
    code, out, _ = run(capsys, data, "--report", "-", "--json", tmp_path / "out.json")
    assert (code, out[:15]) == (0, "<!DOCTYPE html>")
    assert (tmp_path / "out.json").exists()


def test_a_file_that_cannot_be_finished_leaves_the_old_one(data, tmp_path, capsys, monkeypatch):
    page = tmp_path / "page.html"
    page.write_text("before")

    def full(*_):
        raise OSError(28, "No space left on device", str(page))

    monkeypatch.setattr("os.replace", full)
    code, _, err = run(capsys, data, "--report", page)
    assert (code, err.count("\n")) == (2, 1)
    assert "No space left" in err
    assert page.read_text() == "before"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data.csv", "page.html"]


# ---------------------------------------- text of any kind


def test_names_reach_the_terminal_as_text(tmp_path, capsys):
    frame = pd.DataFrame(
        {"\x1b[31mred\r\n": [0.0, 1, 2, 3], "b": [1.0, 0, 1, 2], "y": list("uvuv")}
    )
    frame.loc[0, "b"] = np.nan
    frame.to_parquet(tmp_path / "t.parquet")
    for arguments in (
        ["--drop", "\x1b[31mred"],
        ["--method", "\x1b[31mred"],
        ["--json", "\x1b[31mred/\n/x"],
        ["-k", "\x1b[31m"],
        ["--missing", "error"],
    ):
        code, out, err = run(capsys, tmp_path / "t.parquet", *arguments)
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert err[:-1].isprintable(), err


def test_names_that_spreadsheets_would_run(tmp_path, capsys):
    names = ["=HYPERLINK(1)", "+1", "@SUM(1)", "-2+3", "plain", "\uff1d1"]
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 20)
    frame = pd.DataFrame(rng.normal(size=(40, 6)) + y[:, None], columns=names).assign(y=y)
    frame.to_parquet(tmp_path / "t.parquet")
    arguments = [tmp_path / "t.parquet", "-k", 6]
    code, out, _ = run(capsys, *arguments)
    shown = [line.split("\t") for line in out.splitlines()]
    assert {row[1] for row in shown[1:]} == set(names)
    code, out, _ = run(capsys, *arguments, "--spreadsheet")
    assert code == 0
    quoted = [line.split("\t") for line in out.splitlines()]
    assert {row[1] for row in quoted[1:]} == {"plain", *(f"'{n}" for n in names if n != "plain")}
    for before, after in zip(shown, quoted, strict=True):
        assert before[2:5] == after[2:5]  # numbers, and what is missing, stay as they are


def test_any_encoding_of_the_output(data, tmp_path):
    frame = pd.read_csv(data).rename(columns={"a": "größe"})
    frame.to_csv(data, index=False)
    call = [sys.executable, "-m", "ensfs", "select", str(data), "--target", "y", "-k", "1"]
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(call, capture_output=True, env=environment, check=True)
    assert rb"gr\xf6\xdfe" in done.stdout
    done = subprocess.run([*call, "--json", "-"], capture_output=True, env=environment, check=True)
    assert json.loads(done.stdout)["result"]["columns"][0]["feature"] == "größe"


# ---------------------------------------- early errors


@pytest.mark.parametrize(
    "arguments",
    [
        ["choose"],
        ["select"],
        ["select", "nothing.csv", "--target", "y"],
        ["select", "{data}", "--target", "y", "-k", "0"],
        ["select", "{data}", "--target", "y", "--parts", "1"],
        ["select", "{data}", "--target", "y", "--method", "mrmr:scheme"],
        ["select", "{data}", "--target", "y", "--json", "no/such/folder"],
        ["select", "{data}", "--target", "y", "--json", "{data}"],
        ["select", "{data}", "--target", "y", "--drop", "y"],
        ["compare", "{data}", "--target", "y", "--methods", "mim", "mim"],
        ["--version"],
    ],
)
def test_usage_errors_come_before_the_library_is_imported(arguments, data):
    """The imports of scikit-learn, SciPy and pandas take seconds."""
    program = (
        "import sys\n"
        "from ensfs.reporting.cli import main\n"
        "try: code = main(sys.argv[1:])\n"
        "except SystemExit as leaving: code = leaving.code\n"
        "print(code, sorted({'numpy', 'scipy', 'sklearn', 'pandas'} & set(sys.modules)))"
    )
    given = [each.format(data=data) for each in arguments]
    out = subprocess.run(
        [sys.executable, "-c", program, *given], capture_output=True, text=True, check=True
    ).stdout
    assert out.splitlines()[-1] == f"{0 if arguments == ['--version'] else 2} []"
