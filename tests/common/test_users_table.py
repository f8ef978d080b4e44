"""A table as users have it, from three libraries and from files: the same selection everywhere."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier

import ensfs
from ensfs import (
    ACE,
    FCBF,
    IAMB,
    JMI,
    MRMR,
    DecompositionClassifier,
    FastEnsemble,
    ITDecomposition,
)
from ensfs.reporting.cli import main

COLOURS = ["red", "green", "blue"]
GROUPS = {"colour": COLOURS}
N = 240

LIBRARIES = {
    "pandas": lambda frame: frame,
    "polars": pl.from_pandas,
    "pyarrow": lambda frame: pa.Table.from_pandas(frame, preserve_index=False),
}
SELECTORS = {
    "MRMR": MRMR(4, include=["age"], feature_groups=GROUPS, relevance="mutual_information"),
    "FastEnsemble": FastEnsemble(MRMR("auto", include=["age"], feature_groups=GROUPS), n_parts=4),
    "FCBF": FCBF(include=["age"], feature_groups=GROUPS),
    "JMI": JMI(4, include=["age"], feature_groups=GROUPS),
    "IAMB": IAMB(0.1, test="g2", include=["age"], feature_groups=GROUPS),
    "ACE": ACE(n_estimators=10, n_replicates=4, include=["age"], random_state=0),
}


@pytest.fixture(scope="module")
def users():
    """Columns of every type with gaps, one-hot columns, a target in words, and weights."""
    rng = np.random.default_rng(1)
    sick = rng.integers(0, 2, N)
    colour = rng.integers(0, 3, N)

    def gaps(values, dtype):
        column = pd.Series(values, dtype=dtype)
        column[rng.random(N) < 0.12] = None
        return column

    levels = pd.CategoricalDtype(["never", "once", "often", "always"])  # two of them are not used
    frame = {
        "ward": gaps(np.where(rng.random(N) < 0.5, "w", np.where(sick, "n", "s")), object),
        "smokes": gaps(np.where(rng.random(N) < 0.3, sick, 1 - sick) * 2, "Int64")
        .map({0: "never", 2: "often"})
        .astype(levels),
        "fever": gaps((sick == 1) ^ (rng.random(N) < 0.3), "boolean"),
        "visits": gaps(rng.poisson(2 + sick), "Int64"),
        "dose": gaps(sick + rng.normal(size=N), float),
        "noise": gaps(rng.normal(size=N), float),
        **{name: (colour == k).astype(int) for k, name in enumerate(COLOURS)},
        "age": gaps(rng.integers(20, 80, N), "Int64"),
    }
    return pd.DataFrame(frame), np.where(sick, "sick", "well"), rng.integers(0, 4, N)


@pytest.mark.parametrize("name", SELECTORS)
def test_libraries(name, users, tmp_path):
    frame, y, weight = users
    found = {}
    for library, make in LIBRARIES.items():
        table = make(frame)
        selector = clone(SELECTORS[name]).fit(table, y, sample_weight=weight)
        assert selector.indices_[0] == frame.columns.get_loc("age")
        assert selector.n_missing_.tolist() == frame[weight > 0].isna().sum().tolist()
        found[library] = selector.indices_.tolist(), selector.relevance_.tolist()
        if name == "FastEnsemble" and library == "polars":
            ensfs.report(selector, table, y, tmp_path / "page.html")
            assert "smokes" in (tmp_path / "page.html").read_text(encoding="utf-8")
    assert found["polars"] == found["pandas"]
    assert found["pyarrow"] == found["pandas"]


def test_subsets_and_their_members(users):
    frame, y, weight = users
    frame = frame.drop(columns=["ward", "smokes"])  # trees take numbers
    found = []
    for make in LIBRARIES.values():
        model = DecompositionClassifier(
            DecisionTreeClassifier(random_state=0), ITDecomposition(2, include=["age"]),
            random_state=0,
        )  # fmt: skip
        table = make(frame)
        model.fit(table, y, sample_weight=weight)
        subsets = [each.tolist() for each in model.estimators_features_]
        assert all(frame.columns.get_loc("age") in each for each in subsets)
        found.append((subsets, model.predict(table).tolist()))
    assert found[1] == found[0]
    assert found[2] == found[0]


@pytest.mark.parametrize("name", ["MRMR", "JMI", "FCBF", "IAMB"])
def test_files(name, users, tmp_path, capsys):
    frame, y, weight = users
    frame = frame.assign(ill=y, weight=weight)
    frame.to_csv(tmp_path / "pandas.csv", index=False)
    pl.from_pandas(frame).write_parquet(tmp_path / "polars.parquet")
    pq.write_table(pa.Table.from_pandas(frame), tmp_path / "pyarrow.parquet")
    selector = clone(SELECTORS[name])
    columns, found = frame.columns.drop(["ill", "weight"]), {}
    for path in sorted(tmp_path.iterdir()):
        arguments = ["select", path, "--target", "ill", "--weights", "weight", "--include", "age"]
        method = {
            "MRMR": "mrmr:relevance=mutual_information",
            "IAMB": "iamb:alpha=0.1,test=g2",
        }.get(name, name.lower())
        arguments += ["--method", method, "--group", f"colour={','.join(COLOURS)}", "-q"]
        if name in ("MRMR", "JMI"):
            arguments += ["-k", "4"]
        assert main([str(each) for each in arguments]) == 0
        lines = capsys.readouterr().out.splitlines()[1:]
        found[path.name] = [line.split("\t")[1] for line in lines if "\t" in line]
    selector.fit(frame[columns], y, sample_weight=weight)
    expected = columns[selector.indices_].tolist()
    assert list(found.values()) == [expected] * 3
