"""The loader of real sets: a small folder, a stand-in for OpenML, and the real ones if at hand."""

import gzip
import hashlib
import io
import json
import sys

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import _openml as sklearn_openml

from ensfs import FCBF
from ensfs.datasets import _openml, dataset_names, fetch_dataset

MIXED = """\
size,colour,grade,target
1.5,red,2,yes
,blue,10,no
-3,,2,no
0.25,red,,yes
"""


def write_folder(folder, files, entries):
    folder.mkdir()
    (folder / "manifest.json").write_text(json.dumps({"datasets": entries}), encoding="utf-8")
    for name, text in files.items():
        with gzip.open(folder / f"{name}.csv.gz", "wt", encoding="utf-8") as file:
            file.write(text)
    return folder


def entry(name, **more):
    given = {"name": name, "file": f"{name}.csv.gz", "task": "classification"}
    return {**given, "feature_kind": "continuous", **more}


@pytest.fixture
def folder(tmp_path):
    files = {
        "mixed": MIXED,
        "numbers": "a,b,target\n1,2,9\n3,4,10\n5,6,9\n",
        "regress": "a,target\n1,2.5\n2,-1\n",
        "wordy": "a,target\nx,0\ny,1\n",
    }
    entries = [
        entry("mixed", feature_kind="mixed", nominal_features=["colour", "grade"], source="here"),
        entry("numbers"),
        entry("regress", task="regression"),
        entry("wordy"),
        entry("absent"),
        entry("iris"),
        entry("sparse", file="sparse.npz", feature_kind="nominal (binary, sparse)"),
        entry("dense", file="dense.npz", feature_kind="mixed", nominal_features=["q"]),
    ]
    made = write_folder(tmp_path / "data", files, entries)
    X = sparse.csr_matrix(np.array([[0, 1, 0], [1, 0, 1]], dtype=float))
    parts = {"indptr": X.indptr, "indices": X.indices, "shape": X.shape}
    np.savez(made / "sparse.npz", **parts, y=np.array([-1, 1]))
    np.savez(
        made / "dense.npz", X=[[0.5, 7], [1.5, 3]], y=np.array(["u", "v"]), feature_names=["p", "q"]
    )
    return made


# ---------------------------------------- a folder


def test_arrays(folder):
    bunch = fetch_dataset("mixed", data_home=folder)
    np.testing.assert_array_equal(
        bunch.data,
        [[1.5, 1, 2], [np.nan, 0, 10], [-3, np.nan, 2], [0.25, 1, np.nan]],
    )
    assert bunch.target.tolist() == [1, 0, 0, 1]
    assert bunch.target_names == ["no", "yes"]
    assert bunch.feature_names == ["size", "colour", "grade"]
    assert bunch.categories == {"colour": ["blue", "red"], "grade": [2, 10]}
    assert bunch.discrete_features.tolist() == [False, True, True]
    assert bunch.frame is None
    assert bunch.details["source"] == "here"
    assert "source: here" in bunch.DESCR


def test_frames(folder):
    bunch = fetch_dataset("mixed", data_home=folder, as_frame=True)
    assert bunch.frame.columns.tolist() == ["size", "colour", "grade", "target"]
    assert bunch.data["colour"].astype(object).tolist()[:2] == ["red", "blue"]
    assert bunch.data["grade"].cat.categories.tolist() == [2, 10]
    assert bunch.data.isna().sum().tolist() == [1, 1, 1]
    X, y = fetch_dataset("numbers", data_home=folder, as_frame=True, return_X_y=True)
    assert isinstance(X, pd.DataFrame)
    assert isinstance(y, pd.Series)


def test_classes_sort_as_numbers(folder):
    bunch = fetch_dataset("numbers", data_home=folder)
    assert bunch.target_names == [9, 10]
    assert bunch.target.tolist() == [0, 1, 0]
    assert bunch.data.dtype == np.float64


def test_regression(folder):
    X, y = fetch_dataset("regress", data_home=folder, return_X_y=True)
    assert X.tolist() == [[1], [2]]
    assert y.tolist() == [2.5, -1]
    assert fetch_dataset("regress", data_home=folder).target_names is None


def test_words_are_nominal_whatever_the_manifest_says(folder):
    bunch = fetch_dataset("wordy", data_home=folder)
    assert bunch.discrete_features.tolist() == [True]
    assert bunch.data.tolist() == [[0], [1]]


def test_sparse(folder):
    bunch = fetch_dataset("sparse", data_home=folder)
    assert sparse.issparse(bunch.data)
    assert bunch.data.format == "csr"
    assert bunch.data.toarray().tolist() == [[0, 1, 0], [1, 0, 1]]
    assert bunch.target.tolist() == [0, 1]
    assert bunch.target_names == [-1, 1]
    assert bunch.discrete_features.all()
    frame = fetch_dataset("sparse", data_home=folder, as_frame=True).data
    assert frame.to_numpy().tolist() == [[0, 1, 0], [1, 0, 1]]


def test_dense_npz(folder):
    bunch = fetch_dataset("dense", data_home=folder)
    assert bunch.data.tolist() == [[0.5, 7], [1.5, 3]]
    assert bunch.feature_names == ["p", "q"]
    assert bunch.categories == {"q": [3, 7]}


def test_the_environment_names_the_folder(folder, monkeypatch):
    monkeypatch.setenv("ENSFS_DATA", str(folder))
    assert fetch_dataset("numbers").data.shape == (3, 2)
    assert {"mixed", "satimage"} <= set(dataset_names())
    monkeypatch.delenv("ENSFS_DATA")
    assert "mixed" not in dataset_names()
    with pytest.raises(ValueError, match="There is no data set 'mixed'"):
        fetch_dataset("mixed")


def test_a_selector_takes_it(folder):
    text = "a,b,target\n" + "\n".join(f"{i % 2},{i},{i % 2}" for i in range(12)) + "\n"
    with gzip.open(folder / "numbers.csv.gz", "wt") as file:
        file.write(text)
    bunch = fetch_dataset("numbers", data_home=folder)
    selector = FCBF(discrete_features=bunch.discrete_features).fit(bunch.data, bunch.target)
    assert selector.indices_.tolist() == [0]


# ---------------------------------------- what goes wrong


def test_unknown_names(folder):
    with pytest.raises(ValueError, match="'mixd'; did you mean 'mixed'"):
        fetch_dataset("mixd", data_home=folder)
    with pytest.raises(ValueError, match=r"There is no data set '\.\./numbers'"):
        fetch_dataset("../numbers", data_home=folder)
    with pytest.raises(ValueError, match="There is no data set 3"):
        fetch_dataset(3, data_home=folder)


def test_absent_files(folder):
    with pytest.raises(FileNotFoundError, match="OpenML does not have it"):
        fetch_dataset("absent", data_home=folder)
    with pytest.raises(FileNotFoundError, match="download_if_missing is False"):
        fetch_dataset("iris", data_home=folder, download_if_missing=False)


def test_bad_folders(tmp_path, monkeypatch):
    with pytest.raises(FileNotFoundError, match="data_home must name a folder with a manifest"):
        fetch_dataset("iris", data_home=tmp_path)
    monkeypatch.setenv("ENSFS_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(FileNotFoundError, match="ENSFS_DATA must name"):
        dataset_names()
    for text in ("[1, 2", '{"sets": []}', '{"datasets": [1]}', '{"datasets": [{"name": "a"}]}'):
        (tmp_path / "manifest.json").write_text(text)
        with pytest.raises(ValueError, match="must be JSON"):
            dataset_names(data_home=tmp_path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "header that ends in 'target'"),
        ("a,target\n", "and rows"),
        ("a,b\n1,2\n", "header that ends in 'target'"),
        ("a,target\n1,2\n1\n", "Row 2 of bad.csv.gz must have 2 cells .* got 1"),
        ("a,target\n1,2\n1,\n", "Row 2 of bad.csv.gz has no target"),
        ("a,a,target\n1,x,2\n", r"each column once; it repeats \['a'\]"),
    ],
)
def test_bad_files(tmp_path, text, message):
    made = write_folder(tmp_path / "data", {"bad": text}, [entry("bad")])
    with pytest.raises(ValueError, match=message):
        fetch_dataset("bad", data_home=made)


@pytest.mark.parametrize(("key", "what"), [("n", "3 rows"), ("p", "2 columns")])
def test_files_that_are_not_what_the_manifest_says(tmp_path, key, what):
    text = "a,b,target\n1,2,0\n3,4,1\n5,6,1\n"
    right = {"n": 3, "p": 2}
    for name, number in (("good", right[key]), ("bad", 9)):
        made = write_folder(tmp_path / name, {name: text}, [entry(name, **right | {key: number})])
        if name == "good":
            assert fetch_dataset(name, data_home=made).data.shape == (3, 2)
            continue
        with pytest.raises(
            ValueError, match=f"must have 9 {what.split()[1]} .* got {what.split()[0]}"
        ):
            fetch_dataset(name, data_home=made)


@pytest.mark.parametrize("cut", [True, False])
def test_damaged_files(tmp_path, cut):
    made = write_folder(tmp_path / "data", {"bad": "a,target\n" + 99 * "1,0\n"}, [entry("bad")])
    path = made / "bad.csv.gz"
    path.write_bytes(path.read_bytes()[:-12] if cut else b"a,target\n1,2\n")
    with pytest.raises(ValueError, match=r"bad\.csv\.gz cannot be read; it may be damaged"):
        fetch_dataset("bad", data_home=made)


def test_frames_need_pandas(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert fetch_dataset("mixed", data_home=folder).data.shape == (4, 3)
    with pytest.raises(ImportError, match="needs pandas"):
        fetch_dataset("mixed", data_home=folder, as_frame=True)


# ---------------------------------------- OpenML, without a network

ARFF = """\
@RELATION tiny
@ATTRIBUTE size REAL
@ATTRIBUTE colour {red, blue}
@ATTRIBUTE grade {'10', '2'}
@ATTRIBUTE class {b, a}
@DATA
1.5,red,2,a
?,blue,10,b
-3,?,2,b
"""


@pytest.fixture
def stand_in(monkeypatch, tmp_path):
    """Answer what scikit-learn asks OpenML for set 61, and count the questions."""
    features = [
        {"index": "0", "name": "size", "data_type": "numeric"},
        {"index": "1", "name": "colour", "data_type": "nominal"},
        {"index": "2", "name": "grade", "data_type": "nominal"},
        {"index": "3", "name": "class", "data_type": "nominal"},
    ]
    for i, feature in enumerate(features):
        target = str(i == 3).lower()
        feature.update(is_target=target, is_ignore="false", is_row_identifier="false")
        feature.update(number_of_missing_values=str(int(i in (0, 1))))
    description = {
        "id": "61", "name": "tiny", "version": "1", "format": "ARFF", "file_id": "1",
        "status": "active", "description": "a stand-in", "processing_date": "2020-01-01",
        "url": "https://www.openml.org/data/v1/download/1/tiny.arff",
        "md5_checksum": hashlib.md5(ARFF.encode()).hexdigest(),
    }  # fmt: skip
    answers = {
        "/api/v1/json/data/61": json.dumps({"data_set_description": description}),
        "/api/v1/json/data/features/61": json.dumps({"data_features": {"feature": features}}),
        "/api/v1/json/data/qualities/61": json.dumps({"data_qualities": {"quality": []}}),
    }
    asked = []

    class Answer(io.BytesIO):
        def info(self):
            return {}

    def urlopen(request, *args, **kwargs):
        address = request.full_url.split("openml.org", 1)[1]
        asked.append(address)
        return Answer(answers.get(address, ARFF).encode())

    monkeypatch.setattr(sklearn_openml, "urlopen", urlopen)
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path / "cache"))
    monkeypatch.delenv("ENSFS_DATA", raising=False)
    return asked


def test_openml(stand_in, monkeypatch):
    monkeypatch.setitem(_openml.OPENML, "tiny", _openml.OpenMLSet(61, 3, 3))
    bunch = fetch_dataset("tiny")
    assert any("download" in address for address in stand_in)
    np.testing.assert_array_equal(bunch.data, [[1.5, 1, 2], [np.nan, 0, 10], [-3, np.nan, 2]])
    assert bunch.categories == {"colour": ["blue", "red"], "grade": [2, 10]}
    assert bunch.discrete_features.tolist() == [False, True, True]
    assert bunch.target.tolist() == [0, 1, 1]
    assert bunch.target_names == ["a", "b"]
    assert bunch.details["source"].endswith("/d/61")

    before = len(stand_in)
    frame = fetch_dataset("tiny", as_frame=True).frame
    assert len(stand_in) == before  # scikit-learn keeps a copy
    assert frame["colour"].astype(object).tolist()[:2] == ["red", "blue"]


def test_the_folder_comes_first(stand_in, folder):
    assert fetch_dataset("numbers", data_home=folder).data.shape == (3, 2)
    assert stand_in == []


def test_openml_has_changed(stand_in):
    with pytest.raises(ValueError, match=r"shape \(150, 4\) to be 'iris'; got \(3, 3\)"):
        fetch_dataset("iris")


def test_the_list_of_openml():
    ids = [found.data_id for found in _openml.OPENML.values()]
    assert len(set(ids)) == len(ids)


# ---------------------------------------- the real ones


def test_real_sets_are_what_the_manifest_says(data_dir):
    manifest = json.loads((data_dir / "manifest.json").read_text())
    small = [e for e in manifest["datasets"] if e["n"] * e["p"] < 100_000]
    assert len(small) > 20
    for each in small:
        bunch = fetch_dataset(each["name"], data_home=data_dir, download_if_missing=False)
        assert bunch.data.shape == (each["n"], each["p"]), each["name"]
        assert np.isnan(bunch.data).sum() == each["missing_values"], each["name"]
        if each["task"] == "classification":
            counts = np.bincount(bunch.target)
            by_name = {
                str(name): int(c) for name, c in zip(bunch.target_names, counts, strict=True)
            }
            assert by_name == each["class_counts"], each["name"]


def test_real_sets_have_the_shape_of_openml(data_dir):
    manifest = json.loads((data_dir / "manifest.json").read_text())
    shapes = {e["name"]: (e["n"], e["p"]) for e in manifest["datasets"]}
    for name, (_, *shape) in _openml.OPENML.items():
        if name != "satimage":
            assert shapes[name] == tuple(shape), name
