"""The command line, as a user types it."""

import json
import re
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_wine

import ensfs
from ensfs import IAMB, MIM, MRMR, FastEnsemble, G2Test, StabilitySelector
from ensfs.evaluation import compare_selectors
from ensfs.reporting.cli import main
from ensfs.reporting.methods import methods


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True, as_frame=True)
    return X.assign(kind=np.array(["barbera", "barolo", "grignolino"])[y])


@pytest.fixture(scope="module")
def folder(wine, tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    wine.to_csv(folder / "wine.csv", index=False)
    wine.to_parquet(folder / "wine.parquet")
    with open(folder / "wine.arff", "w", encoding="utf-8") as file:
        file.write("@relation wine\n")
        file.writelines(f"@attribute '{name}' real\n" for name in wine.columns[:-1])
        file.write("@attribute kind {barbera,barolo,grignolino}\n@data\n")
        file.writelines(",".join(map(str, row)) + "\n" for row in wine.itertuples(index=False))
    return folder


def table(text):
    return [line.split("\t") for line in text.splitlines()]


def run(capsys, *arguments):
    """Exit code, output and errors of a command."""
    try:
        code = main([str(a) for a in arguments])
    except SystemExit as leaving:
        code = leaving.code
    out, err = capsys.readouterr()
    return code, out, err


# ---------------------------------------- select


def test_select_prints_the_selected_columns(folder, wine, capsys):
    code, out, err = run(capsys, "select", folder / "wine.csv", "--target", "kind", "-k", 4)
    assert (code, err) == (0, "")
    rows = table(out)
    assert rows[0] == ["rank", "feature", "relevance", "redundancy", "score", "nearest", "reason"]
    selector = MRMR(4).fit(wine.drop(columns="kind"), wine["kind"])
    names = [selector.feature_names_in_[j] for j in selector.indices_]
    assert [row[:2] for row in rows[1:]] == [[str(i), name] for i, name in enumerate(names, 1)]
    assert float(rows[1][2]) == pytest.approx(selector.relevance_.max(), rel=1e-5)


def test_weights(folder, wine, capsys, tmp_path):
    weight = np.where(wine["alcohol"] > 13, 5, 1) * (np.arange(len(wine)) % 4)
    heavy = wine.assign(times=weight)
    heavy.to_csv(tmp_path / "heavy.csv", index=False)
    heavy.to_parquet(tmp_path / "heavy.parquet")
    X, y = wine.drop(columns="kind"), wine["kind"]
    fitted = MRMR(3).fit(X, y, sample_weight=weight)
    assert fitted.indices_.tolist() != MRMR(3).fit(X, y).indices_.tolist()
    more = ["--target", "kind", "-k", 3, "--weights", "times"]
    for arguments in (["heavy.csv"], ["heavy.parquet"], ["heavy.parquet", "--block-rows", 50]):
        code, out, err = run(capsys, "select", tmp_path / arguments[0], *arguments[1:], *more)
        assert (code, err) == (0, "")
        assert [row[1] for row in table(out)[1:]] == X.columns[fitted.indices_].tolist()
    for words, wrong in (
        ("which is the target or left out", ["--weights", "kind"]),
        ("nobody", ["--weights", "nobody"]),
        ("--report does not show weights", ["--weights", "times", "--report", "-"]),
        ("whose fit does not take it", ["--weights", "times", "--method", "randomclusterensemble"]),
    ):
        arguments = ["select", tmp_path / "heavy.csv", "--target", "kind", *wrong]
        code, _, err = run(capsys, *arguments)
        assert code == 2
        assert words in err
    arguments = ["compare", tmp_path / "heavy.csv", "--methods", "mrmr", "fcbf"]
    code, out, err = run(capsys, *arguments, "--target", "kind", "--weights", "times")
    assert code == 0
    assert "no accuracy: halves of the rows are not drawn by --weights" in err


def test_chosen_columns(folder, wine, capsys):
    arguments = ["select", folder / "wine.csv", "--target", "kind", "-k", 3]
    chosen = ["--include", "ash", "hue", "--exclude", "proline"]
    X, y = wine.drop(columns="kind"), wine["kind"]
    selector = MRMR(3, include=["ash", "hue"], exclude=["proline"])
    for more in ([], ["--parts", 3]):
        code, out, err = run(capsys, *arguments, *chosen, *more)
        assert (code, err) == (0, "")
        fitted = (FastEnsemble(selector, n_parts=3) if more else selector).fit(X, y)
        assert [row[1] for row in table(out)[1:]] == X.columns[fitted.indices_].tolist()
        last = "most votes" if more else "best score"
        assert [row[-1] for row in table(out)[1:]] == ["included", "included", last]
    code, _, err = run(capsys, *arguments, "--include", "nobody")
    assert code == 2
    assert "include names columns that X does not have: ['nobody']" in err


def test_groups_and_several_targets(folder, wine, capsys):
    arguments = ["select", folder / "wine.csv", "--target", "kind", "-k", 2]
    groups = {"two": ["ash", "hue"], "acids": ["malic_acid", "proline"]}
    given = [
        text for name, each in groups.items() for text in ("--group", f"{name}={','.join(each)}")
    ]
    code, out, err = run(capsys, *arguments, *given)
    assert (code, err) == (0, "")
    X, y = wine.drop(columns="kind"), wine["kind"]
    fitted = MRMR(2, feature_groups=groups).fit(X, y)
    assert [row[1] for row in table(out)[1:]] == X.columns[fitted.indices_].tolist()
    for wrong, message in (
        (["--group", "two"], "must be NAME=A,B,..."),
        (["--group", "a=ash", "--group", "a=hue"], "each group can be named once"),
        (["--group", "a=ash,hue", "--method", "ace"], "does not put columns together"),
        (["--target", "kind"], "each column can be named once"),
        (["--target", "nobody"], "has no column 'nobody'"),
        (["--target", "ash", "--method", "ace"], "takes one target"),
    ):
        code, _, err = run(capsys, *arguments, *wrong)
        assert code == 2
        assert message in err
    code, out, err = run(capsys, *arguments, "--target", "ash")
    assert (code, err) == (0, "")
    fitted = MRMR(2).fit(X.drop(columns="ash"), wine[["kind", "ash"]])
    names = X.columns.drop("ash")[fitted.indices_].tolist()
    assert [row[1] for row in table(out)[1:]] == names
    page = folder / "two_targets.html"
    code, _, err = run(capsys, *arguments, "--target", "ash", "--report", page)
    assert (code, err) == (0, "")
    assert "no single target" in page.read_text()


def test_as_many_columns_as_pass(folder, wine, capsys):
    arguments = ["select", folder / "wine.csv", "--target", "kind", "-k", "auto"]
    code, out, err = run(capsys, *arguments)
    assert (code, err) == (0, "")
    selector = MRMR("auto").fit(wine.drop(columns="kind"), wine["kind"])
    names = [selector.feature_names_in_[j] for j in selector.indices_]
    assert [row[1] for row in table(out)[1:]] == names
    code, _, err = run(capsys, *arguments, "--method", "fcbf")
    assert code == 2
    assert "n_features_to_select" in err


@pytest.mark.parametrize("options", [["-k", 5], ["--method", "fcbf"], ["--parts", 7, "-k", 0.3]])
def test_csv_arff_and_parquet_print_the_same(options, folder, capsys):
    outs = set()
    for name in ("wine.csv", "wine.arff", "wine.parquet"):
        code, out, err = run(capsys, "select", folder / name, "--target", "kind", *options)
        assert (code, err) == (0, "")
        outs.add(out)
    assert len(outs) == 1
    assert len(outs.pop().splitlines()) > 3


@pytest.mark.parametrize("method", sorted(methods()))
def test_every_method(method, folder, capsys):
    method += ":n_estimators=20" if method in ("ace", "randomclusterensemble") else ""  # quick
    arguments = ["select", folder / "wine.parquet", "--target", "kind", "--method", method]
    code, out, _ = run(capsys, *arguments)
    assert code == 0
    assert table(out)[0][:2] == ["rank", "feature"]
    assert len(out.splitlines()) > 1


def test_parts_and_parameters(folder, wine, capsys):
    arguments = ["select", folder / "wine.csv", "--target", "kind", "-k", 3, "--parts", 6]
    code, out, _ = run(capsys, *arguments, "--method", "mrmr:scheme=MIQ", "--n-jobs", 2)
    assert code == 0
    expected = FastEnsemble(MRMR(3, scheme="MIQ"), n_parts=6).fit(wine.iloc[:, :-1], wine["kind"])
    assert [row[1] for row in table(out)[1:]] == wine.columns[expected.indices_].tolist()
    assert table(out)[0][2:4] == ["frequency", "parts"]


def test_parameters_of_a_test_of_independence(folder, wine, capsys):
    arguments = ["select", folder / "wine.csv", "--target", "kind", "--method"]
    code, out, _ = run(capsys, *arguments, "iamb:test=g2,test__df=adjusted,test__samples_per_df=1")
    assert code == 0
    expected = IAMB(test=G2Test("adjusted", samples_per_df=1))
    expected.fit(wine.iloc[:, :-1], wine["kind"])
    assert [row[1] for row in table(out)[1:]] == wine.columns[expected.indices_].tolist()
    code, _, err = run(capsys, *arguments, "iamb:test=fisherz,test__df=adjusted")
    assert code == 2
    assert "no parameter 'test__df'" in err


def test_json(folder, tmp_path, capsys):
    arguments = ["select", folder / "wine.csv", "--target", "kind", "-k", 2]
    _, plain, _ = run(capsys, *arguments)
    code, out, _ = run(capsys, *arguments, "--json", tmp_path / "out.json")
    assert (code, out) == (0, plain)
    found = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert (found["n_rows"], found["n_columns"], found["target"]) == (178, 13, "kind")
    assert [c["feature"] for c in found["result"]["columns"]] == ["flavanoids", "alcohol"]
    assert found["result"]["columns"][0]["redundancy"] is None  # NaN is not JSON
    assert [path.name for path in tmp_path.iterdir()] == ["out.json"]
    code, out, _ = run(capsys, *arguments, "--json", "-", "--parts", 4)
    assert 0 < json.loads(out)["result"]["stability"] <= 1


def test_blocks(folder, capsys):
    arguments = ["select", folder / "wine.parquet", "--target", "kind", "-k", 4, "--parts", 5]
    whole = run(capsys, *arguments)
    assert run(capsys, *arguments, "--block-rows", 40) == whole
    assert whole[0] == 0


def test_several_files(wine, folder, tmp_path, capsys):
    """A pattern is one table; its files may have their columns in any order."""
    arguments = ["--target", "kind", "-k", 4, "--parts", 5]
    whole = run(capsys, "select", folder / "wine.parquet", *arguments)
    wine[:70].to_parquet(tmp_path / "a.parquet")
    wine.iloc[70:, ::-1].to_parquet(tmp_path / "b.parquet")
    assert run(capsys, "select", f"{tmp_path}/*.parquet", *arguments) == whole
    wine[:9].drop(columns="ash").to_parquet(tmp_path / "c.parquet")
    code, _, err = run(capsys, "select", f"{tmp_path}/*.parquet", *arguments)
    assert code
    assert "c.parquet has no column 'ash'" in err
    wine.to_csv(tmp_path / "d.csv")
    code, _, err = run(capsys, "select", f"{tmp_path}/*", *arguments)
    assert code
    assert "d.csv is not one" in err
    code, _, err = run(capsys, "select", f"{tmp_path}/*.pq", *arguments)
    assert code
    assert "there is no such file" in err


def test_missing_values_can_be_left_out(tmp_path, capsys):
    (tmp_path / "t.csv").write_text("a,b,y\n1,2,u\n2,,v\n3,1,v\n4,2,u\n")
    arguments = ["select", tmp_path / "t.csv", "--target", "y", "-k", 1]
    code, out, err = run(capsys, *arguments, "--missing", "error")
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert "column 'b' has 1 missing" in err
    assert run(capsys, *arguments, "--missing", "rows")[0] == 0
    code, out, _ = run(capsys, *arguments, "--missing", "columns")
    assert table(out)[1][1] == "a"


def test_missing_cells_as_in_python(tmp_path, capsys):
    (tmp_path / "t.csv").write_text("a,b,t,y\n1,2,p,u\n2,,q,v\n3,1,,v\n4,2,p,u\n,1,q,v\n5,2,p,u\n")
    X = pd.DataFrame(
        {
            "a": pd.array([1, 2, 3, 4, None, 5], dtype="Int64"),
            "b": pd.array([2, None, 1, 2, 1, 2], dtype="Int64"),
            "t": ["p", "q", None, "p", "q", "p"],
        }
    )
    arguments = ["select", tmp_path / "t.csv", "--target", "y", "--method", "mim", "-k", 3]
    for missing in ("auto", "level", "available"):
        code, out, _ = run(capsys, *arguments, "--missing", missing)
        expected = MIM(3, missing=missing).fit(X, list("uvvuvu"))
        assert code == 0
        assert [row[1] for row in table(out)[1:]] == [expected._name(j) for j in expected.indices_]
        assert "missing" in table(out)[0]
    code, _, err = run(capsys, *arguments, "--missing", "mean")
    assert code == 2
    assert "missing='mean' has no meaning" in err
    (tmp_path / "t.csv").write_text("a,y\n1,u\n2,\n3,v\n")
    code, _, err = run(capsys, "select", tmp_path / "t.csv", "--target", "y")
    assert code == 2
    assert "the target 'y' has 1 missing" in err


def test_pairs_of_halves(folder, wine, capsys):
    arguments = ["select", folder / "wine.csv", "--target", "kind", "-k", 3, "--pairs", 10]
    code, out, err = run(capsys, *arguments)
    assert (code, err) == (0, "")
    expected = StabilitySelector(MRMR(3), n_pairs=10).fit(wine.iloc[:, :-1], wine["kind"])
    assert [row[1] for row in table(out)[1:]] == [expected._name(j) for j in expected.indices_]
    assert table(out)[0][2:] == ["frequency", "pair frequency", "threshold", "bound", "reason"]
    code, _, err = run(capsys, *arguments, "--parts", 5)
    assert code == 2
    assert "not allowed with argument" in err


# ---------------------------------------- compare


def test_compare(folder, tmp_path, capsys):
    arguments = ["compare", folder / "wine.csv", "--target", "kind", "-k", 3]
    code, out, err = run(
        capsys, *arguments, "--methods", "mrmr", "mim", "mrmr:scheme=MIQ", "--parts", 5,
        "--json", tmp_path / "c.json",
    )  # fmt: skip
    assert (code, err) == (0, "")
    agreement, summary = (table(part) for part in out.split("\n\n"))
    assert agreement[0] == ["feature", "methods", "mrmr", "mim", "mrmr:scheme=MIQ"]
    votes = [int(row[1]) for row in agreement[1:]]
    assert votes == sorted(votes, reverse=True)
    for row in agreement[1:]:
        assert sum(cell != "-" for cell in row[2:]) == int(row[1])
    for place in (2, 3, 4):
        assert sorted(row[place] for row in agreement[1:] if row[place] != "-") == ["1", "2", "3"]
    assert [row[:2] for row in summary[1:]] == [
        ["mrmr", "3"], ["mim", "3"], ["mrmr:scheme=MIQ", "3"]
    ]  # fmt: skip
    assert summary[0] == ["method", "selected", "accuracy", "sd", "stability", "jaccard"]
    X, y = load_wine(return_X_y=True, as_frame=True)
    expected = compare_selectors([FastEnsemble(MRMR(3), n_parts=5)], X, y, baseline=False)
    assert float(summary[1][2]) == pytest.approx(expected.scores.mean(), rel=1e-5)
    assert all(0 < float(row[4]) <= 1 for row in summary[1:])
    found = json.loads((tmp_path / "c.json").read_text(encoding="utf-8"))
    assert [r["method"] for r in found["results"]] == ["mrmr", "mim", "mrmr:scheme=MIQ"]


def test_compare_without_parts_tells_the_stability_of_halves(folder, capsys):
    arguments = ["compare", folder / "wine.csv", "--target", "kind", "-k", 3, "--methods", "mrmr"]
    code, out, err = run(capsys, *arguments)
    assert (code, err) == (0, "")
    row = table(out.split("\n\n")[1])[1]
    X, y = load_wine(return_X_y=True, as_frame=True)
    expected = compare_selectors([MRMR(3)], X, y, baseline=False)
    assert float(row[4]) == pytest.approx(expected.stability[0].stability, rel=1e-5)
    code, out, err = run(capsys, *arguments, "--no-accuracy")
    assert table(out.split("\n\n")[1])[0] == ["method", "selected", "stability", "jaccard"]


def test_compare_says_why_there_is_no_accuracy(tmp_path, capsys):
    """One row of each class cannot be in two halves."""
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.5], "b": [2.0, 1.0, 0.5], "y": ["u", "v", "w"]})
    frame.to_csv(tmp_path / "t.csv", index=False)
    arguments = ["compare", tmp_path / "t.csv", "--target", "y", "-k", 1, "--methods", "mrmr"]
    code, out, err = run(capsys, *arguments)
    assert code == 0
    assert "ensfs: warning: no accuracy: " in err
    assert table(out.split("\n\n")[1])[0] == ["method", "selected", "stability", "jaccard"]


def test_compare_leaves_out_what_does_not_fit_unless_named(tmp_path, capsys):
    """Counts do not mind how large numbers are; squares do."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(200, 3)), columns=[*"abc"])
    frame["y"] = frame["a"] + frame["b"]
    frame["a"] *= 1e200
    frame.to_csv(tmp_path / "t.csv", index=False)
    arguments = ["compare", tmp_path / "t.csv", "--target", "y", "-k", 2, "--no-accuracy"]
    code, out, err = run(capsys, *arguments)
    assert code == 0
    assert table(out)[0] == ["feature", "methods", "fcbf", "cfs", "cmim", "jmi"]
    assert err.splitlines()
    assert all(line.startswith("ensfs: warning: left out: ") for line in err.splitlines())
    code, out, err = run(capsys, *arguments, "--methods", "fcbf", "mrmr")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "mrmr with target 'y'" in err


# ---------------------------------------- bad arguments and data


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["select", "nothing.csv", "--target", "kind"], "nothing.csv: there is no such file"),
        (["select", "{wine}", "--target", "knid"], "did you mean 'kind'"),
        (["select", "{wine}"], "--target is required"),
        ([], "required: command"),
        (["choose"], "invalid choice"),
        (["select", "{wine}", "--target", "kind", "--method", "best"], "unknown method 'best'"),
        (["select", "{wine}", "--target", "kind", "--method", "mrmr:x=1"], "no parameter 'x'"),
        (["select", "{wine}", "--target", "kind", "--method", "mrmr:scheme"], "not PARAM=VALUE"),
        (["select", "{wine}", "--target", "kind", "--method", "mrmr:scheme=x"], "'scheme' param"),
        (["select", "{wine}", "--target", "kind", "-k", "0"], "a whole number of at least 1"),
        (["select", "{wine}", "--target", "kind", "-k", "1.5"], "a whole number of at least 1"),
        (["select", "{wine}", "--target", "kind", "-k", "many"], "a whole number of at least 1"),
        (["select", "{wine}", "--target", "kind", "--parts", "1"], "must be at least 2"),
        (["select", "{wine}", "--target", "kind", "--n-jobs", "0"], "n_jobs must not be 0"),
        (["select", "{wine}", "--target", "kind", "--block-rows", "9"], "Only Parquet"),
        (["select", "{wine}", "--target", "kind", "--json", "no/such/f.json"], "cannot be written"),
        (["select", "{wine}", "--target", "kind", "--drop", "x"], "no column 'x'"),
        (["select", "{wine}", "--target", "kind", "--method", "mrmr:relevance=pearson"],
         "text target cannot be used with a continuous measure"),
        (["compare", "{wine}", "--target", "kind", "--methods", "mim", "mim"], "named once"),
    ],
)  # fmt: skip
def test_one_line_and_exit_code_2(arguments, message, folder, capsys):
    given = [a.format(wine=folder / "wine.csv") for a in arguments]
    code, out, err = run(capsys, *given)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1, err
    assert err.endswith("\n")
    assert "error: " in err
    assert message in err


def test_k_above_the_columns_takes_all_with_a_warning(folder, capsys):
    code, out, err = run(capsys, "select", folder / "wine.csv", "--target", "kind", "-k", 99)
    assert code == 0
    assert len(out.splitlines()) == 14
    assert err == (
        "ensfs: warning: n_features_to_select=99 exceeds the 13 columns of X; all 13 are "
        "selected.\n"
    )


def test_k_for_a_method_that_decides_itself(monkeypatch, folder, capsys):
    class Decides(MRMR):
        def __init__(self, *, scheme="quotient"):
            self.scheme = scheme

    monkeypatch.setattr(ensfs, "Decides", Decides, raising=False)
    monkeypatch.setattr(ensfs, "__all__", [*ensfs.__all__, "Decides"])
    arguments = ["select", folder / "wine.csv", "--target", "kind", "--method", "decides", "-k", 2]
    code, _, err = run(capsys, *arguments)
    assert code == 2
    assert "decides by itself" in err


def test_names_cannot_break_the_table_or_the_terminal(tmp_path, capsys):
    frame = pd.DataFrame({"a\tb\nc": [1, 2, 3, 4], "\x1b[2J": [4, 1, 1, 4], "y": [0, 0, 1, 1]})
    frame.to_parquet(tmp_path / "t.parquet")
    code, out, _ = run(capsys, "select", tmp_path / "t.parquet", "--target", "y", "-k", 2)
    assert code == 0
    assert {row[1] for row in table(out)[1:]} == {r"a\tb\nc", r"\x1b[2J"}


def test_a_terminal_gets_columns(folder, capsys, monkeypatch):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    _, out, _ = run(capsys, "select", folder / "wine.csv", "--target", "kind", "-k", 2)
    assert "\t" not in out
    lines = out.splitlines()
    assert (
        len({line.index(w) for line, w in zip(lines, ("feature", "fla", "alc"), strict=True)}) == 1
    )


def test_a_method_without_a_target(folder, tmp_path, capsys):
    arguments = ["select", folder / "wine.csv", "--drop", "kind", "--method"]
    method = "randomclusterensemble:n_estimators=20,random_state=0"
    outputs = ["--json", tmp_path / "out.json", "--report", tmp_path / "page.html"]
    code, out, err = run(capsys, *arguments, method, *outputs)
    assert (code, err) == (0, "")
    arguments_with = ["select", folder / "wine.csv", "--target", "kind", "--method", method]
    assert run(capsys, *arguments_with) == (0, out, "")
    assert json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))["target"] is None
    assert "There is no target" in (tmp_path / "page.html").read_text(encoding="utf-8")
    code, _, err = run(capsys, *arguments[:2], "--method", method)
    assert code == 2
    assert err.startswith(f"ensfs: error: {method}: column 'kind'")
    for command in (["select"], ["compare"], ["compare", "--methods", method, "fcbf"]):
        code, out, err = run(capsys, command[0], folder / "wine.csv", *command[1:])
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert "--target is required: method" in err


def test_the_target_cannot_be_dropped(folder, capsys):
    code, _, err = run(
        capsys, "select", folder / "wine.csv", "--target", "kind", "--drop", "ash", "kind"
    )
    assert (code, err.count("\n")) == (2, 1)
    assert "--drop names the target 'kind'" in err


def test_report(folder, tmp_path, capsys):
    page = tmp_path / "page.html"
    arguments = ["select", folder / "wine.parquet", "--target", "kind", "-k", 2]
    plain = run(capsys, *arguments)
    assert run(capsys, *arguments, "--report", page) == plain
    text = page.read_text(encoding="utf-8")
    assert "flavanoids" in text
    assert "barolo" in text
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]
    page.unlink()
    code, _, err = run(capsys, *arguments, "--report", tmp_path / "no" / "page.html")
    assert (code, err.count("\n")) == (2, 1)
    code, _, _ = run(capsys, *arguments, "--report", page, "--block-rows", 50)
    assert code == 0
    assert "Not shown for a table in blocks" in page.read_text(encoding="utf-8")


GUIDE = Path(__file__).resolve().parents[2] / "docs" / "guide" / "command_line.md"


def test_the_guide_shows_what_is_printed(tmp_path, monkeypatch, capsys):
    text = GUIDE.read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    exec(re.search(r"```python\n(.*?)```", text, re.S)[1], {})
    examples = re.findall(r"```console\n\$ ensfs (.*?)\n(.*?)```", text, re.S)
    assert len(examples) == 4
    for command, shown in examples:
        code, out, err = run(capsys, *command.split())
        assert (code, err) == (0, "")
        assert re.sub(r" {2,}|\t", "|", out) == re.sub(r" {2,}", "|", shown)


# ---------------------------------------- the process


def test_the_module_and_the_entry_point(folder):
    call = [sys.executable, "-m", "ensfs", "--version"]
    out = subprocess.run(call, capture_output=True, text=True, check=True).stdout
    assert out == f"ensfs {ensfs.__version__}\n"
    (script,) = entry_points(group="console_scripts", name="ensfs")
    assert script.load() is main


def test_a_reader_that_goes_away(folder):
    """``ensfs select ... | head -1`` says nothing about the broken pipe."""
    call = [sys.executable, "-m", "ensfs", "select", folder / "wine.csv", "--target", "kind"]
    with subprocess.Popen(call, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 141
