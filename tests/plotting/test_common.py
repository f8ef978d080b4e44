"""What every display must do, and what it must do with difficult names."""

import inspect
import re
import subprocess
import sys

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import PowerNorm
from sklearn.datasets import load_wine
from sklearn.ensemble import BaggingClassifier
from sklearn.exceptions import NotFittedError

import ensfs
from ensfs import ACE, IAMB, MRMR, FastEnsemble, WeightedSubspaceBaggingClassifier, plotting
from ensfs.evaluation import bias_variance, compare_selectors

DISPLAYS = [getattr(plotting, name) for name in plotting.__all__]


@pytest.fixture(scope="module")
def wine():
    return load_wine(return_X_y=True, as_frame=True)


def _chain(names):
    """Each column causes the next, and the last one the target."""
    return ensfs.CausalGraph(np.eye(len(names) + 1, k=1), names=[*map(str, names), "target"])


def draw(display, X, y, **options):
    """Each display with something to show, from the table."""
    match display.__name__:
        case "SelectionPathDisplay":
            return display.from_estimator(MRMR(4).fit(X, y), **options)
        case "SelectionFrequencyDisplay":
            return display.from_estimator(FastEnsemble(MRMR(4), n_parts=5).fit(X, y), **options)
        case "MarkovBlanketDisplay":
            return display.from_estimator(IAMB().fit(X, y), **options)
        case "CausalGraphDisplay":
            return display.from_graph(_chain(X.columns), **options)
        case "RedundancyMapDisplay" | "ColumnGroupsDisplay":
            return display.from_estimator(MRMR(4).fit(X, y), X, **options)
        case "MemberPlacesDisplay":
            members = [("mrmr", MRMR()), ("jmi", ensfs.JMI())]
            return display.from_estimator(ensfs.RankEnsemble(members, 3).fit(X, y), **options)
        case "ACEHistoryDisplay" | "ACEMaskingDisplay":
            selector = ACE(n_replicates=5, n_estimators=10, max_iter=1, random_state=0).fit(X, y)
            return display.from_estimator(selector, **options)
        case "StabilityDisplay":
            return display.from_estimator(MRMR(3), X, y, n_resamples=3, random_state=0, **options)
        case "AccuracyDisplay":
            return display.from_estimator(MRMR(2), X, y, cv=2, baseline=False, **options)
        case "SelectorComparisonDisplay":
            found = compare_selectors([MRMR(3), MRMR(2)], X, y, cv=3)
            return display.from_comparison(found, **options)
        case "MarginsDisplay":
            model = WeightedSubspaceBaggingClassifier(
                n_estimators=3, n_subspaces=2, n_oob_estimators=8, random_state=0
            )
            return display.from_estimator(model.fit(X, y), **options)
        case "DiversityErrorDisplay" | "StagedErrorDisplay":
            bagging = BaggingClassifier(n_estimators=3, random_state=0).fit(X, y)
            return display.from_estimator(bagging, X, y, **options)
        case "ErrorReductionDisplay":
            draws = np.random.default_rng(0).integers(3, size=(4, len(y)))
            return display.from_predictions(draws, y, **options)
        case "GainDisplay":
            draws = np.random.default_rng(0).integers(3, size=(4, 3, len(y)))
            return display.from_predictions(draws, y, **options)
        case "BiasVarianceDisplay":
            draws = np.random.default_rng(0).integers(3, size=(2, 5, len(y)))
            results = [bias_variance(each, y) for each in draws]
            return display.from_results([1, 2], results, **options)


@pytest.mark.parametrize("display", DISPLAYS)
def test_makes_a_figure_that_can_be_saved(display, wine, tmp_path):
    shown = draw(display, *wine)
    assert isinstance(shown, display)
    assert shown.figure_ is shown.ax_.figure
    for kind in ("png", "svg", "pdf"):
        shown.figure_.savefig(tmp_path / f"x.{kind}")


@pytest.mark.parametrize("display", DISPLAYS)
def test_draws_on_the_axes_it_is_given(display, wine):
    figure, (left, right) = plt.subplots(1, 2)
    shown = draw(display, *wine, ax=left)
    assert shown.ax_ is left
    assert shown.plot(ax=right) is shown
    assert shown.ax_ is right
    assert shown.figure_ is figure
    assert plt.get_fignums() == [figure.number]


@pytest.mark.parametrize("display", DISPLAYS)
def test_stores_its_parameters_as_given(display, wine):
    shown = draw(display, *wine)
    names = list(inspect.signature(display.__init__).parameters)[1:]
    again = display(**{name: getattr(shown, name) for name in names})
    assert all(getattr(again, name) is getattr(shown, name) for name in names)
    again.plot()


@pytest.mark.parametrize("display", DISPLAYS)
def test_docstrings_name_every_parameter(display):
    methods = [getattr(display, name) for name in vars(display) if not name.startswith("_")]
    for documented in (display, *methods):
        section = re.search(r"Parameters\n\s*-+\n(.*?)\n\s*(\w+)\n\s*---", documented.__doc__, re.S)
        described = re.findall(r"^ *\**(\w+) :", section[1], re.M)
        parameters = [name for name in inspect.signature(documented).parameters if name != "self"]
        assert described == parameters
    assert ">>> " in display.__doc__


#: Aliases of keywords that have a default, and what they set.
ALIASES = {
    "ACEHistoryDisplay": {"lw": 3, "c": "k", "ls": ":"},
    "ACEMaskingDisplay": {"cmap": "Reds"},
    "AccuracyDisplay": {"lw": 3, "c": "k", "ms": 9},
    "BiasVarianceDisplay": {"lw": 3, "c": "k", "ms": 9},
    "CausalGraphDisplay": {"c": "k", "ha": "left"},
    "ColumnGroupsDisplay": {"lw": 3, "c": "k"},
    "DiversityErrorDisplay": {"lw": 3, "c": "k", "ms": 9, "mew": 1},
    "ErrorReductionDisplay": {"lw": 3, "c": "k", "ms": 9},
    "GainDisplay": {"lw": 3, "c": "k", "ms": 9},
    "StagedErrorDisplay": {"lw": 3, "c": "k", "ms": 9},
    "MarginsDisplay": {"c": "k", "ms": 9, "mew": 1},
    "MarkovBlanketDisplay": {"c": "k", "ha": "left"},
    "MemberPlacesDisplay": {"cmap": "Reds"},
    "RedundancyMapDisplay": {"cmap": "Reds"},
    "SelectionFrequencyDisplay": {"lw": 3, "ec": "k"},
    "SelectionPathDisplay": {"lw": 3, "ec": "k"},
    "SelectorComparisonDisplay": {"lw": 3, "c": "k", "ms": 9},
    "StabilityDisplay": {"lw": 3, "c": "k", "ms": 9},
}


@pytest.mark.parametrize("display", DISPLAYS)
def test_keywords_may_be_aliases(display, wine):
    given = ALIASES[display.__name__]
    shown = draw(display, *wine, **given)
    parts = [getattr(shown, name, None) for name in ("line_", "points_", "image_")]
    parts += [*getattr(shown, "lines_", []), *getattr(shown, "bars_", [])]
    parts += getattr(shown, "texts_", {}).values()
    parts += [bar for panel in getattr(shown, "axes_", []) for bar in panel.patches]
    drawn = [part for part in parts if part is not None]
    assert drawn
    for part in drawn:
        if "lw" in given:
            assert part.get_linewidth() == 3
        if "c" in given:
            assert part.get_color() == "k"


@pytest.mark.parametrize("display", [plotting.ACEMaskingDisplay, plotting.RedundancyMapDisplay])
def test_a_norm_has_its_own_limits(display, wine):
    norm = PowerNorm(0.5)
    assert draw(display, *wine, norm=norm).image_.norm is norm
    assert draw(display, *wine, norm=None).image_.norm.vmin == 0.0


@pytest.mark.parametrize("bad", [1, -2, "a"])
def test_only_rounds_that_were_made_are_shown(bad, wine):
    with pytest.raises(ValueError, match="index must be that of one of the 1 rounds; got"):
        draw(plotting.ACEHistoryDisplay, *wine, index=bad)


@pytest.mark.parametrize("bad", [0, -1, 2.5, True, "a"])
@pytest.mark.parametrize(
    "display",
    [
        each
        for each in DISPLAYS
        if hasattr(each, "from_estimator")
        and "max_features" in inspect.signature(each.from_estimator).parameters
    ],
)
def test_at_least_one_column_is_shown(display, bad, wine):
    with pytest.raises(ValueError, match="max_features must be an integer of at least 1; got"):
        draw(display, *wine, max_features=bad)


AWKWARD = [
    "$",
    "$a$ $b",
    "<script>alert(1)</script>",
    "_hidden",
    "two\nlines",
    "x" * 300,
    " ",
    "%s",
]


@pytest.mark.parametrize("display", DISPLAYS)
def test_names_are_only_text(display, wine, tmp_path):
    X, y = wine
    table = X.set_axis([*AWKWARD, *X.columns[len(AWKWARD) :]], axis=1)
    path = tmp_path / "x.svg"
    draw(display, table, y).figure_.savefig(path)
    assert "<script" not in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["polars", "pyarrow", "numpy"])
@pytest.mark.parametrize(
    "display",
    [plotting.AccuracyDisplay, plotting.RedundancyMapDisplay, plotting.StabilityDisplay],
)
def test_any_table_gives_the_same_picture(display, name, wine):
    X, y = wine
    if name == "numpy":
        table = X.to_numpy()
    elif name == "polars":
        table = pytest.importorskip("polars").DataFrame(X.to_dict("list"))
    else:
        table = pytest.importorskip("pyarrow").table(X.to_dict("list"))
    expected, shown = draw(display, X, y), draw(display, table, y)
    for attribute in ("scores", "redundancy"):
        if hasattr(expected, attribute):
            np.testing.assert_allclose(
                getattr(shown, attribute), getattr(expected, attribute), rtol=1e-12
            )


def test_a_selector_must_be_fitted():
    with pytest.raises(NotFittedError):
        plotting.SelectionPathDisplay.from_estimator(MRMR())
    with pytest.raises(NotFittedError):
        plotting.SelectionFrequencyDisplay.from_estimator(FastEnsemble())
    with pytest.raises(NotFittedError):
        plotting.RedundancyMapDisplay.from_estimator(MRMR(), pd.DataFrame({"a": [1.0]}))


def test_names_can_be_given(wine):
    X, y = wine
    selector = MRMR(2).fit(X.to_numpy(), y)
    shown = plotting.SelectionPathDisplay.from_estimator(selector, feature_names=X.columns)
    assert list(shown.feature_names) == [X.columns[j] for j in selector.indices_]
    with pytest.raises(ValueError, match="each of 13 columns; got 2"):
        plotting.SelectionPathDisplay.from_estimator(selector, feature_names=["a", "b"])


def test_nothing_draws_before_it_is_asked():
    program = "import sys, ensfs.plotting; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-P", "-c", program], check=False).returncode == 0
    assert "plotting" in ensfs.__all__


def test_without_matplotlib_the_error_says_what_to_install(wine, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r"ensfs\[plot\]"):
        draw(plotting.SelectionPathDisplay, *wine)
