"""Sparse files on the command line: what the matrix in memory gives."""

import json

import numpy as np
import pytest
import scipy.sparse
from sklearn.datasets import dump_svmlight_file

from ensfs import FCBF, JMI, MRMR, FastEnsemble
from ensfs.reporting.cli import main


@pytest.fixture(scope="module")
def words():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 120)
    X = rng.poisson(0.3, (120, 20)) * rng.integers(1, 4, (120, 20))
    X[:, 3] += 2 * (y == 1)
    X[:, 7] *= y == 2
    return X.astype(float), y


@pytest.fixture(scope="module")
def folder(words, tmp_path_factory):
    X, y = words
    folder = tmp_path_factory.mktemp("sparse")
    scipy.sparse.save_npz(folder / "words.npz", scipy.sparse.csr_array(X))
    both = scipy.sparse.coo_array(np.column_stack([y + 1, X, np.arange(120) % 3]))
    scipy.sparse.save_npz(folder / "both.npz", both)
    dump_svmlight_file(X, y, str(folder / "words.svm"), zero_based=True)
    np.save(folder / "y.npy", y)
    (folder / "y.txt").write_text("\n".join(np.array(["a", "b", "c"])[y]))
    return folder


def run(capsys, *arguments):
    """Exit code, selected columns and errors of a command."""
    try:
        code = main([str(a) for a in arguments])
    except SystemExit as leaving:
        code = leaving.code
    out, err = capsys.readouterr()
    rows = [line.split("\t") for line in out.splitlines()[1:]]
    return code, [row[1] for row in rows if len(row) > 1], err


def names(selector, shift=0):
    return [f"x{j + shift}" for j in selector.indices_]


def test_tables_and_targets(folder, words, capsys):
    X, y = words
    wanted = names(MRMR(4).fit(X, y))
    for arguments in (
        ["words.svm"],
        ["words.svm", "--target", "target"],
        ["words.npz", "--target", folder / "y.npy"],
        ["words.npz", "--target", folder / "y.txt"],
    ):
        code, found, err = run(capsys, "select", folder / arguments[0], *arguments[1:], "-k", 4)
        assert (code, err, found) == (0, "", wanted)
    arguments = ["select", folder / "both.npz", "--target", "x0", "-k", 4]
    code, found, err = run(capsys, *arguments, "--weights", "x21")
    weighted = MRMR(4).fit(X, y, sample_weight=np.arange(120) % 3)
    assert (code, err, found) == (0, "", names(weighted, 1))
    assert found != [f"x{j + 1}" for j in MRMR(4).fit(X, y).indices_]


def test_columns_by_position(folder, words, capsys):
    X, y = words
    fitted = JMI(3, include=[5], exclude=[3, 2]).fit(X, y)
    code, found, err = run(
        capsys, "select", folder / "words.svm", "--method", "jmi", "-k", 3, "--include", "x5",
        "--exclude", "x3", "--drop", "x2",
    )  # fmt: skip
    assert (code, err, found) == (0, "", names(fitted))
    code, found, err = run(
        capsys, "select", folder / "words.svm", "-k", 2, "--group", "pair=x1,x7", "--parts", 3
    )
    grouped = FastEnsemble(MRMR(2, feature_groups={"pair": [1, 7]}), n_parts=3).fit(X, y)
    assert (code, err, found) == (0, "", names(grouped))


def test_compare(folder, words, capsys, tmp_path):
    X, y = words
    out = tmp_path / "out.json"
    code, _, err = run(
        capsys, "compare", folder / "words.svm", "--methods", "fcbf", "iamb", "--json", out
    )
    assert code == 0
    assert "no accuracy: the linear model needs a dense table" in err
    results = json.loads(out.read_text())["results"]
    assert [row["feature"] for row in results[0]["columns"]] == names(FCBF().fit(X, y))


def test_errors(folder, capsys, tmp_path):
    (tmp_path / "broken.npz").write_bytes(b"nothing")
    np.save(tmp_path / "short.npy", np.arange(5))
    for arguments, words in (
        (["words.npz"], "--target is required"),
        (["words.npz", "--target", "x99"], "x99"),
        (["words.npz", "--target", tmp_path / "short.npy"], "has 5 values"),
        (["words.npz", "--target", tmp_path / "none.npy"], "none.npy cannot be read"),
        (["words.svm", "--target", "x3"], "holds its own target"),
        (["words.svm", "--include", "y"], "'y'"),
        (["words.svm", "--missing", "rows"], "not for sparse files"),
        (["words.svm", "--report", "-"], "--report needs a dense table"),
        (["words.svm", "--method", "ace"], "toarray()"),
        (["both.npz", "--target", "x0", "--target", "x1"], "one --target"),
        ([tmp_path / "broken.npz", "--target", "x0"], "broken.npz cannot be read"),
    ):
        code, _, err = run(capsys, "select", folder / arguments[0], *arguments[1:])
        assert code == 2
        assert words in err
