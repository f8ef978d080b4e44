"""The picture of a Markov blanket: who stands where, and which arrows there are."""

import numpy as np
import pytest

from ensfs import IAMB, MRMR, CausalGraph, PCSelector
from ensfs.datasets import load_lucas_network
from ensfs.plotting import MarkovBlanketDisplay


@pytest.fixture(scope="module")
def lucas():
    return load_lucas_network().sample(2000, 0, target="Lung_cancer", as_frame=True)


def heights(display):
    return {name: text.get_position()[1] for name, text in display.texts_.items()}


def test_layers_and_arrows_of_a_graph():
    #  a -> target -> c <- s, and b - target without a direction; d is no part of the blanket
    adjacency = np.zeros((6, 6), dtype=bool)
    a, b, c, s, d, target = range(6)
    for start, end in ((a, target), (target, c), (s, c), (b, target), (target, b), (d, a)):
        adjacency[start, end] = True
    shown = MarkovBlanketDisplay.from_graph(CausalGraph(adjacency))
    assert shown.roles == {"x0": "parent", "x1": "neighbour", "x2": "child", "x3": "spouse"}
    at = heights(shown)
    assert at["x0"] > at["x1"] > at["target"] > at["x2"] > at["x3"]
    assert set(shown.edges) == {
        ("x0", "target"), ("x1", "target"), ("target", "x1"), ("target", "x2"), ("x3", "x2"),
    }  # fmt: skip
    drawn = [each for each in shown.ax_.texts if getattr(each, "arrow_patch", None)]
    assert len(drawn) == 4  # an edge without a direction is one line
    assert shown.ax_.get_legend() is not None


def test_another_node_in_the_middle():
    shown = MarkovBlanketDisplay.from_graph(CausalGraph(np.eye(3, k=1)), 1)
    assert (shown.target, shown.roles) == ("x1", {"x0": "parent", "target": "child"})


def test_selectors_with_and_without_a_graph(lucas):
    graph = PCSelector().fit(*lucas)
    shown = MarkovBlanketDisplay.from_estimator(graph, target_name="cancer")
    names = lucas[0].columns
    near = ("parent", "child", "neighbour", "spouse")
    expected = {names[j]: role for j, role in graph.roles_.items() if role in near}
    assert shown.roles == expected
    assert ("Smoking", "cancer") in shown.edges
    blanket = IAMB().fit(*lucas)
    shown = MarkovBlanketDisplay.from_estimator(blanket)
    assert set(shown.roles) <= set(names[blanket.indices_])
    assert all(edge[::-1] in shown.edges for edge in shown.edges)


def test_many_columns_stand_in_several_rows():
    names = [f"column {i}" for i in range(30)]
    edges = [(name, "target") for name in names]
    shown = MarkovBlanketDisplay(roles=dict.fromkeys(names, "parent"), edges=edges).plot()
    at = [text.get_position() for text in shown.texts_.values()]
    assert len(set(at)) == 31
    assert len({y for _, y in at}) == 9


def test_bad_arguments(lucas):
    with pytest.raises(TypeError, match="graph must be a CausalGraph; got list"):
        MarkovBlanketDisplay.from_graph([])
    with pytest.raises(ValueError, match="MRMR has no roles_"):
        MarkovBlanketDisplay.from_estimator(MRMR(2).fit(*lucas))
