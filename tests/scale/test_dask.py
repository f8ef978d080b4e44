"""Tables of Dask give what the whole table gives; failures name the partition."""

import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

dask = pytest.importorskip("dask")
pytest.importorskip("distributed")
da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")

from engines import CASES, MATRIX, assert_same, cut, cuts, table_of  # noqa: E402

from ensfs import ACE, IAMB, JMI, MRMR, FastEnsemble, RandomClusterEnsemble  # noqa: E402

pytestmark = [
    pytest.mark.filterwarnings("ignore:Only .* columns were selected:UserWarning"),
    pytest.mark.filterwarnings("ignore:.* tests had too few rows:UserWarning"),
]


@pytest.fixture(autouse=True)
def one_thread():
    with dask.config.set(scheduler="sync"):
        yield


def frame_of(X, y, at):
    """A data frame of Dask with such partitions, whose divisions are not known."""
    whole = X.assign(y=y)
    parts = [dask.delayed(part) for part, _ in cut(whole, y, at)]
    return dd.from_delayed(parts, meta=whole.iloc[:0], verify_meta=False)


def both(ddf):
    return ddf.drop(columns="y"), ddf["y"]


# ---------------------------------------- the same bits


@settings(max_examples=1)
@given(data=st.data())
@pytest.mark.parametrize(("kind", "target", "name"), CASES)
def test_frames(kind, target, name, data):
    X, y = table_of(kind, target, data.draw(st.integers(0, 2**32 - 1)), 70)
    selector = MATRIX[kind, target][name]
    whole = clone(selector).fit(X, y)
    found = clone(selector).fit(*both(frame_of(X, y, data.draw(cuts(70)))))
    assert_same(whole, found)
    assert found.feature_names_in_.tolist() == X.columns.tolist()


@pytest.mark.parametrize("chunks", [(100, 7), (1, 7), (33, 2), ((0, 40, 60), 7)])
def test_arrays(chunks):
    X, y = table_of("numbers", "classes", 0, 100)
    X, y = X.to_numpy(), (y == "yes").to_numpy().astype(int)
    whole = FastEnsemble(MRMR(4), n_parts=5).fit(X, y)
    table, target = da.from_array(X, chunks=chunks), da.from_array(y, chunks=13)
    found = FastEnsemble(MRMR(4), n_parts=5).fit(table, target)
    assert_same(whole, found)
    if table.numblocks[1] > 1:
        table = table.rechunk({1: -1})
    unknown = table[da.from_array(y, chunks=table.chunks[0]) >= 0]  # chunks of unknown sizes
    of_unknown = da.from_array(y, chunks=table.chunks[0])
    of_unknown = of_unknown[of_unknown >= 0]
    assert_same(whole, FastEnsemble(MRMR(4), n_parts=5).fit(unknown, of_unknown))


def test_files(tmp_path):
    X, y = table_of("mixed", "classes", 0, 120)
    whole = X.assign(y=y)
    for i, a in enumerate(range(0, 120, 40)):
        whole[a : a + 40].to_parquet(tmp_path / f"{i}.parquet")
    ddf = dd.read_parquet(tmp_path / "*.parquet")
    selector = FastEnsemble(MRMR(4, scheme="MIQ"), n_parts=4)
    assert_same(clone(selector).fit(X, y), selector.fit(*both(ddf)))


def test_weights_several_targets_and_categories():
    X, y = table_of("codes", "classes", 0, 80)
    X["kind"] = pd.Categorical(np.where(X["c0"] > 1, "large", "small"))
    X["w"], X["z"] = np.arange(80) % 3, (y == "yes").to_numpy().astype(int)
    names = [c for c in X if c not in "wz"]
    ddf = frame_of(X, y, [5, 30])
    ddf["kind"] = ddf["kind"].cat.as_unknown()
    selector = MRMR(4, scheme="MIQ", discrete_features=True)
    whole = clone(selector).fit(X[names], y, sample_weight=X["w"])
    assert_same(whole, clone(selector).fit(ddf[names], ddf["y"], sample_weight=ddf["w"]))
    two = clone(selector).fit(X[names], X.assign(y=y)[["y", "z"]])
    assert_same(two, clone(selector).fit(ddf[names], ddf[["y", "z"]]))


def test_a_cluster_of_threads():
    from distributed import Client

    X, y = table_of("numbers", "classes", 0, 300)
    ddf = frame_of(X, y, list(range(0, 300, 9)))
    with Client(
        processes=False, n_workers=2, threads_per_worker=1, dashboard_address=":0"
    ) as client:
        for selector in (MRMR(4), FastEnsemble(MRMR(4, scheme="MIQ"), n_parts=5)):
            assert_same(clone(selector).fit(X, y), selector.fit(*both(ddf)))
        names = client.run_on_scheduler(lambda dask_scheduler: set(dask_scheduler.task_prefixes))
    expected = {"ensfs-read-prepare", "ensfs-relevance", "ensfs-products", "ensfs-counts"}
    assert expected <= names


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signal")
def test_a_worker_is_killed_in_a_pass():
    script = Path(__file__).resolve().parents[1] / "killed_worker.py"
    run = subprocess.run(
        [sys.executable, "-P", script], capture_output=True, text=True, timeout=500, check=False
    )
    same, _, error = run.stdout.partition("\n")
    assert same == "the same", run.stderr
    assert error.startswith("Workers died in the pass 'read', probably for lack of memory")


def slow(frame):
    time.sleep(2)
    return frame


def test_a_cluster_that_stands_still(monkeypatch):
    from distributed import Client

    whole = pd.concat(table_of("numbers", "classes", 0, 60), axis=1)
    parts = [dask.delayed(whole), dask.delayed(slow)(whole)]
    ddf = dd.from_delayed(parts, meta=whole.iloc[:0], verify_meta=False)
    monkeypatch.setattr("ensfs.scale.dask_client.STALLED", 0.3)
    with (
        Client(processes=False, n_workers=1, threads_per_worker=1, dashboard_address=":0"),
        pytest.raises(TimeoutError, match="In the pass 'read' no task ended for"),
    ):
        MRMR(2).fit(*both(ddf))


# ---------------------------------------- transform


def test_transform_is_lazy():
    X, y = table_of("mixed", "classes", 0, 60)
    ddf = frame_of(X, y, [20])
    table = ddf.drop(columns="y")
    selector = MRMR(3).fit(table, ddf["y"])
    found = selector.transform(table)
    assert type(found) is type(table)
    assert found.columns.tolist() == X.columns[selector.support_].tolist()
    pd.testing.assert_frame_equal(
        found.compute().reset_index(drop=True), X.loc[:, selector.support_], check_dtype=False
    )
    with pytest.raises(ValueError, match="feature names should match"):
        selector.transform(table.rename(columns={"c0": "other"}))
    numbers = X.filter(like="c").to_numpy()
    of_array = MRMR(3).fit(numbers, y)
    array = da.from_array(numbers, chunks=(20, 7))
    np.testing.assert_array_equal(of_array.transform(array).compute(), of_array.transform(numbers))
    with pytest.raises(ValueError, match="X has 2 features, but MRMR is expecting 7"):
        of_array.transform(array[:, :2])


# ---------------------------------------- what bad input gets


@pytest.fixture
def table():
    return table_of("numbers", "classes", 0, 60)


def test_x_and_y_of_one_collection(table):
    X, y = table
    ddf = frame_of(X, y, [20, 40])
    features = ddf.drop(columns="y")
    for target in (y, y.to_numpy(), y.tolist()):
        with pytest.raises(ValueError, match="X and y must come from one collection"):
            MRMR(2).fit(features, target)
    with pytest.raises(ValueError, match="X and sample_weight must come from one collection"):
        MRMR(2).fit(features, ddf["y"], sample_weight=np.ones(60))
    with pytest.raises(ValueError, match="X and y must come from one collection"):
        MRMR(2).fit(features, frame_of(X, y, [10])["y"])
    with pytest.raises(ValueError, match="y is None"):
        MRMR(2).fit(features)
    array = da.from_array(X.to_numpy(), chunks=(20, 7))
    with pytest.raises(ValueError, match=r"inconsistent numbers of samples: \[60, 10\]"):
        MRMR(2).fit(array, da.arange(10))
    with pytest.raises(ValueError, match="X and y must come from one collection"):
        MRMR(2).fit(array, ddf["y"])


def test_chunks_of_some_columns(table, monkeypatch):
    from ensfs.scale import dask as engine

    monkeypatch.setattr(engine, "LARGEST_CHUNK", 1000)
    array = da.from_array(table[0].to_numpy(), chunks=(30, 3))
    with pytest.raises(ValueError, match=r"Rechunk so that each chunk holds whole rows"):
        MRMR(2).fit(array, da.arange(60) % 2)


@pytest.mark.parametrize("selector", [ACE(), RandomClusterEnsemble()], ids=repr)
def test_what_needs_the_table_in_memory(selector, table):
    ddf = frame_of(*table, [20])
    array = da.from_array(table[0].to_numpy(), chunks=(20, 7))
    with pytest.raises(TypeError, match=r"Take a sample, X\.sample\(frac=0\.01\)\.compute\(\)"):
        selector.fit(ddf.drop(columns="y"), table[1])
    with pytest.raises(TypeError, match=r"Take a sample, X\[:10_000\]\.compute\(\)"):
        selector.fit(array, table[1])


def test_cuts_and_tests_that_need_the_table_in_memory(table):
    ddf = frame_of(*table, [20])
    with pytest.raises(ValueError, match="discretizer='mdl' needs the table in memory"):
        JMI(2).fit(*both(ddf))
    codes = frame_of(*table_of("codes", "classes", 0, 60), [20])
    with pytest.raises(ValueError, match="PermutationTest needs the table in memory"):
        IAMB(test="permutation", discrete_features=True).fit(*both(codes))
    with pytest.raises(ValueError, match="discretizer='mdl' needs the table in memory"):
        IAMB(test="g2").fit(*both(ddf))


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_value_that_is_no_number(table, value):
    X, y = table
    X.loc[45, "c3"] = value
    what = "missing" if np.isnan(value) else "infinite"
    message = rf"column 'c3' has 1 {what} value(.|\n)*in partition 2 \(rows 40 to 59\)"
    with pytest.raises(ValueError, match=message):
        MRMR(2, missing="error").fit(*both(frame_of(X, y, [20, 40])))


def test_a_missing_target(table):
    X, y = table
    y[25] = None
    with pytest.raises(ValueError, match=r"y contains NaN(.|\n)*This is in partition 1\."):
        MRMR(2).fit(*both(frame_of(X, y, [20, 40])))


def test_a_partition_with_other_columns(table):
    X, y = table
    whole = X.assign(y=y)
    for other in (whole[20:].drop(columns="c3"), whole[20:].rename(columns={"c3": "z"})):
        parts = [dask.delayed(part) for part in (whole[:20], other)]
        ddf = dd.from_delayed(parts, meta=whole.iloc[:0], verify_meta=False)
        with pytest.raises(ValueError, match=r"Partition 1 could not be read: .*c3"):
            MRMR(2).fit(ddf[X.columns.tolist()], ddf["y"])


def test_a_torn_file(table, tmp_path):
    X, y = table
    for i in range(3):
        X[20 * i : 20 * i + 20].assign(y=y).to_parquet(tmp_path / f"{i}.parquet")
    ddf = dd.read_parquet(tmp_path / "*.parquet")
    content = (tmp_path / "1.parquet").read_bytes()
    (tmp_path / "1.parquet").write_bytes(content[:200] + b"x" * (len(content) - 200))
    with pytest.raises((OSError, ValueError), match=r"Partition \d could not be read"):
        MRMR(2).fit(*both(ddf))


def test_a_partition_that_changes(table):
    X, y = table
    readings = []

    def changing(part, block_id):
        if block_id[0] == 1:
            readings.append(1)
            return part + (len(readings) > 1)
        return part

    array = da.from_array(X.to_numpy(), chunks=(20, 7))
    other = array.map_blocks(
        lambda part, block_id=None: changing(part, block_id), dtype=float, meta=array._meta
    )
    target = da.from_array((y == "yes").to_numpy().astype(int), chunks=20)
    with pytest.raises(
        ValueError, match=r"partitions changed between two readings\. Partition 1 is"
    ):
        MRMR(2).fit(other, target)


def test_empty_partitions(table):
    X, y = table
    whole = MRMR(3).fit(X, y)
    assert_same(whole, MRMR(3).fit(*both(frame_of(X, y, [0, 0, 20, 20, 60, 60]))))
    with pytest.raises(ValueError, match="no partitions with rows"):
        MRMR(3).fit(*both(frame_of(X[:0], y[:0], [0])))


def test_the_command_line(tmp_path, capsys, monkeypatch):
    from distributed import Client

    from ensfs.reporting.cli import run

    X, y = table_of("mixed", "classes", 0, 150)
    X["whole"] = X["c0"].astype(float)  # floats that hold whole numbers in some files only
    X.loc[120:, "whole"] += 0.5
    whole = X.assign(y=y)
    for i in range(3):
        part = whole[50 * i : 50 * i + 50]
        part = part[part.columns[::-1]] if i == 1 else part
        part.to_parquet(tmp_path / f"{i}.parquet", row_group_size=20)
    arguments = ["select", str(tmp_path / "*.parquet"), "--target", "y", "-k", "4", "-q"]

    def output(*more):
        found = run([*arguments, *more])
        assert found != 2, capsys.readouterr().err
        return repr(found.tables)  # NaN is not NaN

    with Client(processes=False, n_workers=1, dashboard_address=":0") as client:
        address = client.scheduler.address
        for more in (["--block-rows", "30"], ["--method", "mrmr:scheme=MIQ", "--parts", "4"]):
            assert output(*more, "--scheduler", address) == output(*more)
        assert run([*arguments, "--target", "c1", "--scheduler", address]) == 2
        assert "one --target" in capsys.readouterr().err
    monkeypatch.setattr("ensfs.scale.dask_client.CONNECT", "1s")
    whole.to_csv(tmp_path / "a.csv")
    assert (
        run(["select", str(tmp_path / "a.csv"), "--target", "y", "--scheduler", "tcp://[::1]:1"])
        == 2
    )
    assert "no answer from tcp" in capsys.readouterr().err


def test_dask_is_not_imported():
    code = "import sys, ensfs; assert not {'dask', 'distributed'} & set(sys.modules), 'imported'"
    subprocess.run([sys.executable, "-P", "-c", code], check=True)
