"""What every public estimator must pass."""

import inspect
import pickle
import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from families import ESTIMATORS, SELECTORS, TESTS, TRANSFORMERS, example, seeded
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import ensfs
from ensfs import (
    ACE,
    CFS,
    FCBF,
    IAMB,
    MRMR,
    BayesianNetworkClassifier,
    ExpertAverageClassifier,
    FastEnsemble,
    ForestImportance,
    G2Test,
    InnerEnsemble,
    ITDecomposition,
    L1Path,
    StabilitySelector,
)
from ensfs.causal._base import CausalSelector
from ensfs.selection._base import PartSelector

CLASSES = ESTIMATORS

#: Regressors are tried on classes too, whose few values make fewer bins than usual.
pytestmark = pytest.mark.filterwarnings("ignore:Equal values leave")


def small(estimator):
    """The checks of scikit-learn have few rows, columns and classes."""
    estimator = seeded(estimator)
    parameters = estimator.get_params(deep=False)
    if "n_features_to_select" in parameters:
        estimator.set_params(n_features_to_select=1)
    if "selector" in parameters:
        estimator.set_params(selector=MRMR(1))
    if "n_parts" in parameters:
        estimator.set_params(n_parts=2)
    if "n_pairs" in parameters:
        estimator.set_params(n_pairs=2, threshold=0.6, subsample="rows")
    if "sizes" in parameters:
        estimator.set_params(sizes=[1], cv=2)
    if isinstance(estimator, CausalSelector):  # copies of the target separate each other
        test = estimator._test_of_classes(samples_per_df=0)
        estimator.set_params(test=test, alpha=0.999, max_conditioning=0)
    if "causal" in parameters:
        estimator.set_params(causal=IAMB(0.999, test=G2Test(samples_per_df=0)))
    if "n_subsets" in parameters:
        estimator.set_params(n_subsets=1)
    if "decomposition" in parameters:
        estimator.set_params(decomposition=ITDecomposition(1))
    if "binary" in parameters:
        estimator.set_params(binary="allow")
    return estimator


def size_of(estimator):
    """The parameter that says how many columns are selected, and values for it."""
    nested = estimator.get_params()
    if "sizes" in nested:
        return "sizes", [[1], [3]]
    if "n_features_to_select" in nested:
        return "n_features_to_select", [1, 3, 0.5]
    if "selector__n_features_to_select" in nested:  # halves need not agree on a single column
        return "selector__n_features_to_select", [3, 0.5]
    return "alpha" if "alpha" in nested else "causal__alpha", [0.001, 0.1]


def outcome(fitted, X):
    """What a fitted estimator gives: a table, opinions, or subsets one after the other."""
    for method in ("transform", "predict_proba", "predict"):
        if hasattr(fitted, method):
            return getattr(fitted, method)(X)
    return np.concatenate([[columns.size, *columns] for columns in fitted.subsets_])


ids = {"ids": lambda c: c.__name__}


@pytest.fixture(scope="module")
def wine():
    return load_wine(return_X_y=True, as_frame=True)


def test_everything_public_is_there():
    assert MRMR in CLASSES
    assert {FastEnsemble, InnerEnsemble} <= set(SELECTORS)
    assert sorted(ensfs.__all__, key=lambda n: (n.islower(), n)) == sorted(
        set(ensfs.__all__), key=lambda n: (n.islower(), n)
    )


def weights_are_not_repeated_rows(estimator):
    """Repeated rows go to other folds, trees and bootstraps, and k-means begins with others.

    Others are lucky; see ``test_weights.py``.
    """
    drawn = InnerEnsemble | ForestImportance | ACE
    drawn |= BayesianNetworkClassifier | ExpertAverageClassifier
    if not isinstance(estimator, drawn):
        return {}
    check = "check_sample_weight_equivalence_on_{}_data"
    return {check.format(kind): "what is drawn differs" for kind in ("dense", "sparse")}


@pytest.mark.filterwarnings("ignore:ACE needs at least 30 rows", "ignore:No features were selected")
# Noise has no relevant column; two classes are one too few for input decimation, which says so.
@pytest.mark.filterwarnings("ignore:Only 0 of 1 subsets:UserWarning")
@pytest.mark.filterwarnings("ignore:y has two classes:UserWarning")
@pytest.mark.filterwarnings("ignore:y is constant:UserWarning")
@pytest.mark.filterwarnings("ignore:There are only .* subspaces of:UserWarning")
@pytest.mark.filterwarnings("ignore:No row was left out of a bootstrap:UserWarning")
@pytest.mark.filterwarnings("ignore:Class .* has one row:UserWarning")
@pytest.mark.filterwarnings("ignore:The least populated class in y:UserWarning")
@parametrize_with_checks(
    [small(c()) for c in CLASSES], expected_failed_checks=weights_are_not_repeated_rows
)
def test_scikit_learn(estimator, check):
    assert check(estimator) is None


@pytest.mark.parametrize("c", [*CLASSES, *TESTS], **ids)
def test_parameters_are_described(c):
    """The docstring names the parameters of ``__init__``, in their order."""
    parameters = [name for name in inspect.signature(c).parameters]
    if not parameters:
        assert "Parameters" not in c.__doc__
        return
    section = re.search(r"Parameters\n\s*-+\n(.*?)\n\s*\n\s*([\w ]+)\n\s*--", c.__doc__, re.S)
    indent = re.match(r" *", section[1])[0]
    described = re.findall(rf"^{indent}(\w+) :", section[1], re.M)
    assert described == parameters


@pytest.mark.parametrize("c", [*CLASSES, *TESTS], **ids)
def test_defaults_are_described(c):
    for name, parameter in inspect.signature(c).parameters.items():
        line = re.search(rf"^ *{name} : (.*)$", c.__doc__, re.M)[1]
        if "default=" in line:
            assert line.split("default=")[1].strip("`") in (
                repr(parameter.default),
                repr(parameter.default).replace("'", '"'),
            )
        else:
            required = parameter.default is inspect.Parameter.empty
            assert required != ("optional" in line)
            assert required or parameter.default is None


@pytest.mark.parametrize("c", CLASSES, **ids)
def test_learned_attributes_are_described(c, wine):
    fitted = example(c).fit(*wine)
    learned = [name for name in vars(fitted) if name.endswith("_") and not name.startswith("_")]
    documented = c.__doc__ + "".join(base.__doc__ or "" for base in c.__mro__[1:3])
    assert learned
    assert [name for name in learned if name not in documented] == []


@pytest.mark.parametrize("c", SELECTORS, **ids)
def test_pipeline_and_grid_search(c, wine):
    X, y = wine
    selector = example(c)
    pipeline = make_pipeline(StandardScaler(), selector, LogisticRegression())
    assert cross_val_score(pipeline, X, y, cv=3).mean() > 0.8
    key, values = size_of(selector)
    key = f"{c.__name__.lower()}__{key}"
    search = GridSearchCV(pipeline, {key: values}, cv=3).fit(X, y)
    assert search.best_score_ > 0.8
    best = search.best_estimator_[1]
    value = search.best_params_[key]
    wanted = {1: 1, 3: 3, 0.5: 7}.get(value[0] if isinstance(value, list) else value, X.shape[1])
    # those that decide by themselves may need fewer columns than they are allowed
    decides = c in (ACE, CFS, FCBF, L1Path, StabilitySelector) or "alpha" in key
    assert best.indices_.size == wanted or (decides and 0 < best.indices_.size < wanted)
    assert search.best_estimator_[:-1].get_feature_names_out().size == best.indices_.size


@pytest.mark.parametrize("c", CLASSES, **ids)
def test_clone_and_pickle(c, wine):
    X, y = wine
    estimator = example(c)
    again = clone(estimator)
    assert repr(again) == repr(estimator)
    fitted = estimator.fit(X, y)
    copy = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(outcome(copy, X), outcome(fitted, X))
    np.testing.assert_array_equal(outcome(again.fit(X, y), X), outcome(fitted, X))
    if c in TRANSFORMERS:
        assert copy.get_feature_names_out().tolist() == fitted.get_feature_names_out().tolist()
    if hasattr(c, "explain"):
        assert repr(copy.explain()) == repr(fitted.explain())


@pytest.mark.parametrize("c", TRANSFORMERS, **ids)
@pytest.mark.parametrize("output", ["pandas", "polars"])
def test_set_output(c, output, wine):
    X, y = wine
    fitted = example(c).set_output(transform=output).fit(X, y)
    out = fitted.transform(X)
    assert isinstance(out, pd.DataFrame if output == "pandas" else pl.DataFrame)
    assert list(out.columns) == fitted.get_feature_names_out().tolist()
    plain = clone(fitted).set_output(transform="default").fit(X, y).transform(X)
    np.testing.assert_array_equal(out.to_numpy(), plain)


FRAMES = {
    "pandas": lambda X: X,
    "polars": pl.DataFrame,
    "pyarrow": lambda X: pa.Table.from_pandas(X, preserve_index=False),
}


def mixed_table():
    """Columns of four types that follow the classes, and one that says nothing."""
    y = np.tile([0, 1, 2], 30)
    noise = np.random.default_rng(0).normal(size=90)
    columns = {"dose": y + noise, "age": 10 * y + np.arange(90) // 30, "ward": list("ABC") * 30}
    return pd.DataFrame({**columns, "small": (y == 1).astype(np.int8), "idle": 0.0}), y


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
@pytest.mark.parametrize("selector", [MRMR(4), FastEnsemble(MRMR(4), n_parts=3)], ids=str)
def test_types_are_kept(selector, frame):
    table, y = mixed_table()
    fitted = clone(selector).fit(frame(table), y)
    assert fitted.support_.tolist() == [True] * 4 + [False]
    plain = fitted.transform(frame(table))
    assert plain.dtype == object
    np.testing.assert_array_equal(plain, table.to_numpy()[:, :4])
    polars = fitted.set_output(transform="polars").transform(frame(table))
    assert polars.schema == pl.from_pandas(table).select(pl.all().exclude("idle")).schema
    pandas = fitted.set_output(transform="pandas").transform(frame(table))
    pd.testing.assert_frame_equal(pandas, table.drop(columns="idle"))


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
@pytest.mark.parametrize("output", ["default", "pandas", "polars"])
@pytest.mark.parametrize("text", [True, False])
def test_dates_in_columns_that_are_not_selected(text, output, frame):
    table, y = mixed_table()
    table = table if text else table.drop(columns="ward")
    fitted = MRMR(table.shape[1] - 1).set_output(transform=output).fit(frame(table), y)
    dated = table.assign(idle=pd.date_range("2026-01-01", periods=90))
    np.testing.assert_array_equal(
        np.asarray(fitted.transform(frame(dated))), np.asarray(fitted.transform(frame(table)))
    )
    if frame is FRAMES["pandas"] and output != "default":
        return  # scikit-learn gives the columns as they are
    with pytest.raises(ValueError, match="column 'dose' holds dates"):
        fitted.transform(frame(dated.assign(dose=dated["idle"])))


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
@pytest.mark.parametrize(
    ("columns", "value", "what"),
    [
        (["dose", "age", "ward"], np.nan, "missing"),
        (["dose", "age"], np.nan, "missing"),
        (["dose", "age"], np.inf, "infinite"),
    ],
)
def test_transform_names_the_column_of_bad_values(columns, value, what, frame):
    table, y = mixed_table()
    fitted = MRMR(2, missing="error").fit(frame(table[columns]), y)
    bad = table[columns].assign(dose=[value] * 2 + [1.0] * 88)
    with pytest.raises(ValueError, match=rf"column 'dose' has 2 {what} value\(s\)"):
        fitted.transform(frame(bad))


def test_transform_of_text_categories_beside_other_kinds():
    y = np.arange(60) % 3
    text = np.where(y == 1, "u", "v")
    for beside in ("bool", "boolean", "Int64", "Float64"):
        frame = pd.DataFrame({"h": pd.Series(y > 0).astype("int64").astype(beside), "g": text})
        expected = FCBF().fit(frame, y).transform(frame)
        frame["g"] = frame["g"].astype("category")
        assert FCBF().fit(frame, y).transform(frame).tolist() == expected.tolist()


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
@pytest.mark.parametrize("output", ["default", "pandas", "polars"])
def test_transform_of_frames_checks_the_names(output, frame, wine):
    X, y = wine
    fitted = MRMR(3).set_output(transform=output).fit(frame(X), y)
    for wrong in (X[X.columns[::-1]], X.drop(columns="alcohol")):
        with pytest.raises(ValueError, match="feature names should match"):
            fitted.transform(frame(wrong))


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
@pytest.mark.parametrize("output", ["default", "pandas", "polars"])
def test_nothing_is_selected_from_a_frame(output, frame):
    X = pd.DataFrame({"a": [0, 1] * 20, "b": [0, 0, 1, 1] * 10})
    y = [0, 0, 0, 0, 1, 1, 1, 1] * 5
    fitted = FCBF(0.9).set_output(transform=output).fit(frame(X), y)
    with pytest.warns(UserWarning, match="No features were selected"):
        out = fitted.transform(frame(X))
    assert out.shape[1] == 0


@pytest.mark.parametrize("c", CLASSES, **ids)
@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
def test_names_are_kept(c, frame, wine):
    X, y = wine
    fitted = example(c).fit(frame(X), y)
    assert fitted.feature_names_in_.tolist() == X.columns.tolist()
    assert fitted.n_features_in_ == 13
    if c in TRANSFORMERS:
        names = fitted.get_feature_names_out()
        assert names.dtype == object
    else:
        plain = example(c).fit(X.to_numpy(), y)
        np.testing.assert_array_equal(outcome(plain, X.to_numpy()), outcome(fitted, frame(X)))
        assert not hasattr(plain, "feature_names_in_")
    if c in SELECTORS:
        expected = X.columns[np.sort(fitted.indices_)].tolist()
        assert names.tolist() == expected == X.columns[fitted.support_].tolist()
        plain = example(c).fit(X.to_numpy(), y)
        np.testing.assert_array_equal(plain.indices_, fitted.indices_)
        np.testing.assert_array_equal(plain.scores_, fitted.scores_)
        assert not hasattr(plain, "feature_names_in_")
        given = plain.get_feature_names_out(X.columns)
        assert given.tolist() == names.tolist()


@pytest.mark.parametrize("c", [c for c in CLASSES if c not in TRANSFORMERS], **ids)
def test_estimators_without_a_transform(c, wine):
    """Decompositions and classifiers: new names, any number of jobs, all data left alone."""
    X, y = wine
    before = X.copy()
    fitted = example(c).fit(X, y)
    expected = outcome(fitted, X)
    if "n_jobs" in fitted.get_params():
        several = example(c).set_params(n_jobs=2).fit(X, y)
        np.testing.assert_array_equal(outcome(several, X), expected)
    pd.testing.assert_frame_equal(X, before)
    fitted.fit(X.to_numpy()[:, 1:], y)
    assert fitted.n_features_in_ == 12
    assert not hasattr(fitted, "feature_names_in_")


@pytest.mark.parametrize("c", SELECTORS, **ids)
def test_refitting_forgets_the_names(c, wine):
    X, y = wine
    fitted = example(c).fit(X, y)
    fitted.fit(X.to_numpy()[:, :6], y)
    assert fitted.n_features_in_ == 6
    assert not hasattr(fitted, "feature_names_in_")
    assert fitted.get_feature_names_out()[0].startswith("x")


@pytest.mark.parametrize("c", SELECTORS, **ids)
def test_fit_changes_neither_parameters_nor_data(c, wine):
    X, y = wine[0].to_numpy(), wine[1].to_numpy()
    X_before, y_before = X.copy(), y.copy()
    X.setflags(write=False)
    y.setflags(write=False)
    estimator = example(c)
    before = repr(estimator)
    assert estimator.fit(X, y) is estimator
    assert repr(estimator) == before
    np.testing.assert_array_equal(X, X_before)
    np.testing.assert_array_equal(y, y_before)


@pytest.mark.parametrize("c", CLASSES, **ids)
def test_nothing_is_printed(c, wine, capfd):
    X, y = wine
    outcome(example(c).fit(X, y), X)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("which", [True, False])
@pytest.mark.parametrize("c", [c for c in CLASSES if hasattr(c(), "discrete_features")], **ids)
def test_all_columns_discrete_or_none(c, which, wine):
    """As in scikit-learn, one bool stands for a mask."""
    X, y = wine
    X = X.rank(pct=True).mul(3).round().astype(int)  # columns of either kind
    fits = [
        example(c).set_params(discrete_features=value).fit(X, y)
        for value in (which, np.full(X.shape[1], which))
    ]
    np.testing.assert_array_equal(outcome(fits[0], X), outcome(fits[1], X))


@pytest.mark.parametrize("c", SELECTORS, **ids)
def test_n_jobs_takes_all_cores(c, wine):
    X, y = wine
    one, all_cores = example(c).fit(X, y), example(c).set_params(n_jobs=-1).fit(X, y)
    np.testing.assert_array_equal(one.scores_, all_cores.scores_)
    with pytest.raises(ValueError, match="n_jobs"):
        example(c).set_params(n_jobs=0).fit(X, y)


@pytest.mark.parametrize("cls", CLASSES, ids=lambda c: c.__name__)
@pytest.mark.parametrize("method", ["fit", "fit_transform"])
def test_blocks_are_taken_or_refused_by_name(cls, method):
    """Row blocks bring their target, so that y is not passed."""
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3
    X = rng.normal(size=(60, 12)) + y[:, None]
    blocks = ensfs.RowBlocks([(X[:30], y[:30]), (X[30:], y[30:])])
    message = "nothing was wrong with RowBlocks"
    try:
        getattr(example(cls), method, lambda X: None)(blocks)
    except (TypeError, ValueError) as error:
        message = str(error)
    assert re.search("Row ?[Bb]locks", message)


@pytest.mark.parametrize("c", SELECTORS, **ids)
def test_reports_and_notebooks_show_every_selector(c, wine):
    X, y = wine
    selector = example(c).fit(X, y)
    page, view = ensfs.report(selector, X, y), selector._repr_html_()
    assert c.__name__ in page
    for name in X.columns[selector.indices_]:
        assert name in page
        assert name in view


@pytest.mark.parametrize("c", [c for c in SELECTORS if issubclass(c, PartSelector)], **ids)
def test_ensembles_run_every_selector_of_parts(c, wine):
    X, y = wine
    ensemble = FastEnsemble(example(c), n_parts=3).fit(X, y)
    votes = np.bincount(np.concatenate(ensemble.part_selections_), minlength=13)
    np.testing.assert_array_equal(ensemble.selection_frequency_, votes / 3)
    assert ensemble.indices_.size
