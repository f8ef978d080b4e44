"""Graphs: what is read off them, how they are written, and directions of edges."""

from itertools import permutations

import numpy as np
import pytest

from ensfs import CausalGraph
from ensfs.causal.graph import SeparatingSets, orient


@pytest.fixture
def graph():
    """a -> target <- b, target -> c <- d, d - e, and f alone; columns 2 to 7 of a table."""
    adjacency = np.zeros((7, 7), dtype=bool)
    for i, j in [(0, 6), (1, 6), (6, 2), (3, 2), (3, 4), (4, 3)]:
        adjacency[i, j] = True
    return CausalGraph(adjacency, np.array([2, 3, 4, 5, 6, 7, 9]), [*"abcdef", "target"])


def test_relations(graph):
    assert graph.parents().tolist() == [2, 3]
    assert graph.children().tolist() == [4]
    assert graph.neighbours().tolist() == [2, 3, 4]
    assert graph.spouses().tolist() == [5]
    assert graph.markov_blanket().tolist() == [2, 3, 4, 5]
    assert graph.connected().tolist() == [2, 3, 4, 5, 6]
    assert graph.roles() == {
        2: "parent", 3: "parent", 4: "child", 5: "spouse", 6: "connected",
    }  # fmt: skip
    assert graph.neighbours(5).tolist() == [4, 6]
    assert graph.markov_blanket(2).tolist() == [3, 9]
    assert graph.markov_blanket(7).tolist() == []
    assert graph.roles(6) == {
        2: "connected",
        3: "connected",
        4: "connected",
        5: "neighbour",
        9: "connected",
    }
    with pytest.raises(ValueError, match="no node 8"):
        graph.neighbours(8)


def test_edges(graph):
    assert graph.directed.tolist() == [[2, 9], [3, 9], [5, 4], [9, 4]]
    assert graph.undirected.tolist() == [[5, 6]]
    assert repr(graph) == "CausalGraph(7 nodes, 4 directed and 1 undirected edges)"


def test_dot(graph):
    graph.names[0] = 'say "a"'
    assert graph.to_dot().splitlines() == [
        "digraph {", r'  "say \"a\"" -> "target";', '  "b" -> "target";', '  "d" -> "c";',
        '  "d" -> "e" [dir=none];', '  "target" -> "c";', '  "f";', "}",
    ]  # fmt: skip


def test_networkx(graph):
    pytest.importorskip("networkx")
    drawn = graph.to_networkx()
    assert list(drawn.nodes) == [*"abcdef", "target"]
    assert drawn.edges["a", "target"]["directed"]
    assert not drawn.edges["d", "e"]["directed"]
    assert not drawn.edges["e", "d"]["directed"]
    assert drawn.number_of_edges() == 6


@pytest.mark.parametrize("adjacency", [[[0, 1]], [], [0, 1]])
def test_bad_matrices(adjacency):
    with pytest.raises(ValueError, match="square"):
        CausalGraph(np.array(adjacency))


def edges(n, *pairs):
    out = np.zeros((n, n), dtype=bool)
    for a, b in pairs:
        out[a, b] = out[b, a] = True
    return out


def test_collider_and_chain():
    """A middle that was not needed to separate two nodes is an effect of both."""
    line = edges(3, (0, 2), (1, 2))
    adjacency, n_conflicts = orient(line, lambda *_: [()])
    assert np.argwhere(adjacency).tolist() == [[0, 2], [1, 2]]
    assert n_conflicts == 0
    adjacency, _ = orient(line, lambda *_: [(2,)])
    np.testing.assert_array_equal(adjacency, line)


def test_conflicting_colliders_stay_open():
    line = edges(4, (0, 1), (1, 2), (2, 3))
    adjacency, n_conflicts = orient(line, lambda *_: [()])
    assert n_conflicts == 1
    assert np.argwhere(adjacency).tolist() == [[0, 1], [1, 2], [2, 1], [3, 2]]


def test_of_conflicting_colliders_the_clearer_one_is_given():
    """0 -> 1 <- 2 by all sets, 1 -> 2 <- 3 by two of three: 2 -> 1, whatever the numbers."""
    sets = {(0, 2): [(), (3,), (0,)], (1, 3): [(), (0,), (2,)]}
    line = edges(4, (0, 1), (1, 2), (2, 3))
    for order in permutations(range(4)):
        number = np.array(order)
        back = np.argsort(number)

        def separating(a, b, number=number, back=back):
            pair = tuple(sorted((int(back[a]), int(back[b]))))
            return [tuple(number[list(given)]) for given in sets.get(pair, [(1,)])]

        skeleton = np.empty_like(line)
        skeleton[np.ix_(number, number)] = line
        adjacency, n_conflicts = orient(skeleton, separating)
        assert n_conflicts == 1
        adjacency = adjacency[np.ix_(number, number)]
        assert adjacency[2, 1]
        assert not adjacency[1, 2]
        assert adjacency[0, 1]
        assert not adjacency[1, 0]


def test_votes_of_separating_sets():
    """An effect of both is in fewer than half of the sets; half of them decide nothing."""
    line = edges(4, (0, 2), (1, 2), (0, 3))
    for sets, directed in (
        ([(), (3,), (2,)], True),
        ([(), (2,)], False),
        ([(2,), (2, 3), ()], False),
    ):
        adjacency, _ = orient(line, lambda a, b, sets=sets: sets if (a, b) == (0, 1) else [(0,)])
        assert (adjacency[1, 2] and not adjacency[2, 1]) == directed


def test_third_rule():
    """0 - 3 becomes 0 -> 3: the other way would need another collider or a cycle."""
    skeleton = edges(4, (0, 1), (0, 2), (0, 3), (1, 3), (2, 3))
    adjacency, _ = orient(skeleton, lambda *_: [(0,)])
    arrows = np.argwhere(adjacency & ~adjacency.T).tolist()
    assert arrows == [[0, 3], [1, 3], [2, 3]]


def test_separating_sets():
    sets = SeparatingSets(np.array([2, 5, 7, 9]))
    sets.put(0, np.array([1, 3]))
    sets.put(1, 2, (0, 3))
    assert {pair: given.tolist() for pair, given in sets.items()} == {
        (2, 5): [], (2, 9): [], (5, 7): [2, 9],
    }  # fmt: skip
    assert len(sets) == 3
    assert sets[7, 5].tolist() == [2, 9]
    assert (5, 2) in sets
    for missing in [(2, 7), (2, 3), (9, 11), (0, 2)]:
        assert missing not in sets
    assert repr(sets) == "SeparatingSets(3 pairs)"
