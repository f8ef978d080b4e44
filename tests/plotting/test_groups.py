"""Trees of selected columns, whole graphs, and pictures with many rows."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from ensfs import FCBF, MRMR, CausalGraph
from ensfs.evaluation import represented_columns
from ensfs.plotting import (
    CausalGraphDisplay,
    ColumnGroupsDisplay,
    RedundancyMapDisplay,
    SelectionFrequencyDisplay,
    SelectionPathDisplay,
)
from ensfs.plotting._style import group_labels, row_groups


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    a, b, c = rng.normal(size=(3, 300))
    X = pd.DataFrame({"a": a, "b": b, "c": c, "twin of a": 3 * a, "nearly b": b + c / 9})
    return X, (a + 0.9 * b + 0.8 * c > 0).astype(int)


def labels(display):
    return [tick.get_text() for tick in display.ax_.get_yticklabels()]


def test_each_selected_column_has_those_it_stands_for(table):
    X, y = table
    selector = MRMR(3).fit(X, y)
    shown = ColumnGroupsDisplay.from_estimator(selector, X)
    for name, others, group in zip(
        shown.feature_names, shown.represented, represented_columns(selector, X), strict=True
    ):
        assert others == X.columns[group].tolist()
        behind = ", also " + ", ".join(others) if others else ""
        assert f"{name}{behind}" in labels(shown)
    assert sum(map(len, shown.represented)) >= 1


@pytest.mark.parametrize("k", [1, 2, 3])
def test_trees_of_few_columns(table, k):
    X, y = table
    shown = ColumnGroupsDisplay.from_estimator(MRMR(3).fit(X, y), X, max_features=k)
    assert sorted(shown.order_) == list(range(k))
    assert len(labels(shown)) == k


def test_branches_meet_at_the_redundancy_of_two_columns(table):
    X, y = table
    shown = ColumnGroupsDisplay.from_estimator(MRMR(2).fit(X, y), X)
    assert shown.lines_[0].get_xdata()[1] == pytest.approx(shown.redundancy[0, 1])


def test_nothing_selected_has_no_tree(table):
    X, _ = table
    noise = np.random.default_rng(1).integers(0, 2, 300)
    with pytest.raises(ValueError, match="Nothing was selected"):
        ColumnGroupsDisplay.from_estimator(FCBF(threshold=0.5).fit(X, noise), X)


# ---------------------------------------- graphs


def test_a_whole_graph():
    #  0 -> 1 -> target - 2, and 3 apart
    adjacency = np.zeros((5, 5), dtype=bool)
    for a, b in ((0, 1), (1, 4), (4, 2), (2, 4)):
        adjacency[a, b] = True
    shown = CausalGraph(adjacency).plot()
    assert isinstance(shown, CausalGraphDisplay)
    assert shown.names == ["x0", "x1", "x2", "target"]  # x3 has no path to the target
    assert shown.distances == [2, 1, 1, 0]
    assert shown.roles == {0: "connected", 1: "parent", 2: "neighbour"}
    arrows = [each for each in shown.ax_.texts if getattr(each, "arrow_patch", None)]
    assert len(arrows) == 3
    radius = [np.hypot(*text.get_position()) for text in shown.texts_.values()]
    assert radius[3] == 0
    assert 0 < radius[1] < radius[0]


def test_large_graphs_show_what_is_near():
    shown = CausalGraph(np.eye(100, k=1)).plot(max_features=5)
    assert shown.names == ["x94", "x95", "x96", "x97", "x98", "target"]
    assert "94 more" in shown.ax_.get_title(loc="left")
    assert CausalGraph(np.eye(4, k=1)).plot(0).distances == [0, 1, 2, 3]
    with pytest.raises(TypeError, match="graph must be a CausalGraph"):
        CausalGraphDisplay.from_graph(np.eye(3))


# ---------------------------------------- many rows


@pytest.mark.parametrize("n", [1, 40, 41, 200])
def test_rows_of_a_picture(n):
    rows = row_groups(n)
    assert len(rows) <= 40
    assert np.concatenate(rows).tolist() == list(range(n))
    assert all(row.size == 1 for row in rows[:20])
    names = group_labels([f"g{i}" for i in range(n)], rows)
    assert len(set(names)) == len(rows)
    if n == 200:
        assert names[19:22] == ["g19", "21 to 29, mean", "30 to 38, mean"]


def test_many_columns_share_rows():
    frequency = np.linspace(1, 0.01, 100)
    shown = SelectionFrequencyDisplay(
        feature_names=[f"g{i}" for i in range(100)], frequency=frequency
    ).plot(max_features=100)
    lengths = [bar.get_width() for bar in shown.bars_]
    expected = [frequency[row].mean() for row in row_groups(100)]
    np.testing.assert_allclose(lengths, expected)
    scores = np.append(np.arange(99.0, 0, -1), np.inf)
    path = SelectionPathDisplay(
        feature_names=[f"g{i}" for i in range(100)], scores=scores, relevance=frequency
    ).plot()
    assert len(path.axes_[0].patches) == 40
    assert path.axes_[0].patches[-1].get_width() == pytest.approx(np.mean([1, 2, 3]))
    rng = np.random.default_rng(0)
    values = np.abs(np.corrcoef(rng.normal(size=(90, 50))))
    shown = RedundancyMapDisplay(feature_names=[f"g{i}" for i in range(90)], redundancy=values)
    assert len(labels(shown.plot())) == 30


def test_pictures_can_be_dark(table):
    X, y = table
    with plt.style.context("dark_background"):
        shown = ColumnGroupsDisplay.from_estimator(MRMR(3).fit(X, y), X)
        graph = CausalGraph(np.eye(3, k=1)).plot()
    assert shown.ax_.lines[0].get_color() == "#A6A6A6"
    assert graph.texts_[2].get_bbox_patch().get_facecolor()[:3] == (0, 0, 0)
