"""Networks against definitions: paths, equivalent graphs, frequencies."""

import pickle
from itertools import combinations, pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from ensfs import IAMB
from ensfs.datasets import BayesianNetwork


@st.composite
def networks(draw, max_variables=5, max_states=3):
    """Any graph, in any order of the columns; tables in which some cells are impossible."""
    n = draw(st.integers(1, max_variables))
    names = [f"v{i}" for i in range(n)]
    order = draw(st.permutations(names))
    parents = {
        name: draw(st.lists(st.sampled_from(order[:i]), unique=True, max_size=4)) if i else []
        for i, name in enumerate(order)
    }
    states = {name: [f"s{k}" for k in range(draw(st.integers(1, max_states)))] for name in names}
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    tables = {}
    for name in names:
        shape = [len(states[v]) for v in (*parents[name], name)]
        weights = rng.random(shape) * (rng.random(shape) < 0.8)
        weights[..., -1] += weights.sum(axis=-1) == 0
        tables[name] = weights / weights.sum(axis=-1, keepdims=True)
    return BayesianNetwork(states, parents, tables)


def chain(names="abc", **changes):
    """a -> b -> c, two states each."""
    arguments = {
        "states": {name: ["no", "yes"] for name in names},
        "parents": {child: [parent] for parent, child in pairwise(names)},
        "probabilities": {names[0]: [0.3, 0.7]}
        | {name: [[0.9, 0.1], [0.2, 0.8]] for name in names[1:]},
    }
    return BayesianNetwork(**(arguments | changes))


# -- the graph


def descendants(network, node):
    return {node}.union(*(descendants(network, child) for child in network.children(node)))


def paths(network, start, end, behind=()):
    """All paths without repetition, whichever way the edges point."""
    if start == end:
        yield (*behind, end)
        return
    for node in (*network.parents(start), *network.children(start)):
        if node not in behind:
            yield from paths(network, node, end, (*behind, start))


def active(network, path, known):
    for before, node, after in zip(path, path[1:], path[2:], strict=False):
        collider = before in network.parents(node) and after in network.parents(node)
        if collider and not descendants(network, node) & known:
            return False
        if not collider and node in known:
            return False
    return True


@given(networks(max_variables=6, max_states=1), st.data())
def test_d_separation_is_that_no_path_is_active(network, data):
    roles = data.draw(st.lists(st.sampled_from("xyz-"), min_size=6, max_size=6))
    sets = {
        role: {name for name, r in zip(network.names, roles, strict=False) if r == role}
        for role in "xyz"
    }
    joined = any(
        active(network, path, sets["z"])
        for x, y in product(sets["x"], sets["y"])
        for path in paths(network, x, y)
    )
    assert network.d_separated(sets["x"], sets["y"], sets["z"]) is not joined


@given(networks(max_variables=6, max_states=1), st.data())
def test_the_blanket_is_the_least_set_that_separates(network, data):
    target = data.draw(st.sampled_from(network.names))
    blanket = set(network.markov_blanket(target))
    rest = set(network.names) - blanket - {target}
    assert network.d_separated(target, rest, blanket)
    for member in blanket:
        assert not network.d_separated(target, member, blanket - {member})


@given(networks(max_variables=6, max_states=1), st.data())
def test_an_oracle_lets_a_selector_find_the_blanket(network, data):
    target = data.draw(st.sampled_from(network.names))
    columns = [name for name in network.names if name != target]
    if columns:
        selector = IAMB(test=network.oracle(target))
        found = selector.fit(np.zeros((4, len(columns))), [0, 1, 0, 1]).markov_blanket_
        assert tuple(columns[j] for j in found) == network.markov_blanket(target)


def colliders(edges):
    """Pairs that are not adjacent and have a child in common."""
    n = len(edges)
    return {
        (a, b, c)
        for c in range(n)
        for a, b in combinations(np.flatnonzero(edges[:, c]), 2)
        if not (edges[a, b] or edges[b, a])
    }


def acyclic(edges):
    return not np.linalg.matrix_power(edges.astype(int), len(edges)).any()


def equivalent_graphs(edges):
    """Every way to point the edges that has no cycle and the same colliders."""
    pairs = np.argwhere(edges)
    for flips in product((False, True), repeat=len(pairs)):
        other = np.zeros_like(edges)
        for (a, b), flip in zip(pairs, flips, strict=True):
            other[(b, a) if flip else (a, b)] = True
        if acyclic(other) and colliders(other) == colliders(edges):
            yield other


@given(networks(max_variables=5, max_states=1))
def test_cpdag_is_the_union_of_all_equivalent_graphs(network):
    edges = network.adjacency()
    assert edges.sum() == len(network.edges)
    union = np.any(list(equivalent_graphs(edges)), axis=0)
    np.testing.assert_array_equal(network.cpdag(), union)


def test_cpdag_needs_the_third_rule():
    """a - b, a - c, a - d undirected, c -> b <- d: the edge of a and b must point to b."""
    graph = BayesianNetwork(
        dict.fromkeys("abcd", ("only",)),
        {"b": ["a", "c", "d"], "c": ["a"], "d": ["a"]},
        {"a": [1.0], "b": [[[[1.0]]]], "c": [[1.0]], "d": [[1.0]]},
    )
    expected = graph.adjacency()
    expected[[2, 3], 0] = True
    np.testing.assert_array_equal(graph.cpdag(), expected)


def test_relatives():
    network = chain("abcd")
    assert network.names == ("a", "b", "c", "d")
    assert network.edges == [("a", "b"), ("b", "c"), ("c", "d")]
    assert network.parents("b") == ("a",)
    assert network.children("b") == ("c",)
    assert network.markov_blanket("b") == ("a", "c")
    assert network.cpdag().sum() == 6
    assert repr(network) == "<BayesianNetwork of 4 variables and 3 edges>"


# -- samples


def joint(network):
    """Probability of every combination of states, by the definition."""
    sizes = [len(states) for states in network.states.values()]
    out = np.ones(sizes)
    for cell in np.ndindex(*sizes):
        state = dict(zip(network.names, cell, strict=True))
        for name in network.names:
            row = tuple(state[parent] for parent in network.parents(name))
            out[cell] *= network.probabilities[name][(*row, state[name])]
    return out


@given(networks(max_variables=4), st.integers(0, 2**32 - 1))
def test_rows_have_the_joint_distribution(network, seed):
    n = 2000
    table = network.sample(n, random_state=seed)
    assert table.shape == (n, len(network.names))
    expected = joint(network)
    counts = np.zeros_like(expected)
    np.add.at(counts, tuple(table.T), 1)
    assert not counts[expected == 0].any()
    possible = expected > 0
    if possible.sum() > 1:
        p = expected[possible] / expected[possible].sum()
        order = np.argsort(p)
        # rare combinations together, so that chi square is what it says
        rare = order[: np.searchsorted(np.cumsum(p[order]), 0.02) + 1]
        common = np.setdiff1d(order, rare)
        observed = np.append(counts[possible][common], counts[possible][rare].sum())
        if len(observed) > 1:
            theory = np.append(p[common], p[rare].sum())
            assert chisquare(observed, n * theory / theory.sum()).pvalue > 1e-8


def test_the_seed_decides():
    network = chain()
    table = network.sample(50, random_state=1)
    np.testing.assert_array_equal(table, network.sample(50, random_state=1))
    assert (table != network.sample(50, random_state=2)).any()
    generator = np.random.RandomState(1)
    np.testing.assert_array_equal(table, network.sample(50, random_state=generator))
    assert (table != network.sample(50, random_state=generator)).any()


def test_the_target_is_taken_out():
    network = chain()
    table = network.sample(20, random_state=0)
    X, y = network.sample(20, random_state=0, target="b")
    np.testing.assert_array_equal(X, table[:, [0, 2]])
    np.testing.assert_array_equal(y, table[:, 1])
    assert X.flags.c_contiguous
    assert table.dtype == np.int8


def test_codes_of_many_states_fit():
    states = [f"s{i}" for i in range(300)]
    network = BayesianNetwork({"a": states}, {}, {"a": np.eye(300)[299]})
    np.testing.assert_array_equal(network.sample(5), np.full((5, 1), 299))


def test_frames_hold_the_names_of_states():
    network = chain()
    codes = network.sample(30, random_state=0)
    frame = network.sample(30, random_state=0, as_frame=True)
    assert list(frame.columns) == ["a", "b", "c"]
    assert list(frame["a"].cat.categories) == ["no", "yes"]
    np.testing.assert_array_equal(frame.apply(lambda column: column.cat.codes), codes)
    X, y = network.sample(30, random_state=0, as_frame=True, target="a")
    assert list(X.columns) == ["b", "c"]
    assert y.name == "a"


def test_pickle():
    network = chain()
    copy = pickle.loads(pickle.dumps(network))
    assert copy.edges == network.edges
    assert copy.states == network.states
    np.testing.assert_array_equal(copy.sample(9, 0), network.sample(9, 0))


# -- bad input


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"states": {"a": ["no", "no"], "b": ["x"], "c": ["x"]}}, "states of 'a' must differ"),
        ({"states": {"a": [], "b": ["x"], "c": ["x"]}}, "states of 'a' must be a list of names"),
        ({"states": {"a": "no", "b": ["x"], "c": ["x"]}}, "states of 'a' must be a list of names"),
        ({"states": {"a": [0, 1], "b": ["x"], "c": ["x"]}}, "states of 'a' must be a list"),
        ({"states": {1: ["x"]}}, "name of a variable must be text"),
        ({"states": {}}, "at least one variable"),
        ({"parents": {"b": ["d"]}}, "Parent of 'b': There is no variable 'd'"),
        ({"parents": {"d": ["a"]}}, "parents: There is no variable 'd'"),
        ({"parents": {"b": "a"}}, "parents of 'b' must be a list"),
        ({"parents": {"b": ["a", "a"]}}, "parents of 'b' must differ"),
        ({"parents": {"b": ["b"]}}, "cycle: b -> b"),
        ({"parents": {"a": ["c"], "b": ["a"], "c": ["b"]}}, "cycle: a -> b -> c -> a"),
        ({"probabilities": {"a": [0.5, 0.5]}}, "no probabilities for 'b'"),
        ({"probabilities": {"e": [0.5, 0.5]}}, "probabilities: There is no variable 'e'"),
    ],
)
def test_bad_networks(changes, message):
    with pytest.raises(ValueError, match=message):
        chain(**changes)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ([0.5, 0.5], r"shape \(2, 2\), .* got \(2,\)"),
        ([[0.5, 0.5], [0.5, 0.6]], "'b' given a=yes must sum to 1; got 1.1"),
        ([[0.5, 0.5], [1.5, -0.5]], "'b' must lie between 0 and 1"),
        ([[0.5, 0.5], [np.nan, 0.5]], "'b' must lie between 0 and 1"),
        ([[0.5, 0.5], [1.0]], "'b' must be an array of numbers"),
        ([["x", "y"], ["z", "w"]], "'b' must be an array of numbers"),
    ],
)
def test_bad_tables(table, message):
    good = chain().probabilities
    with pytest.raises(ValueError, match=message):
        chain(probabilities={**good, "b": table})


def test_rounded_rows_are_accepted_and_drawn_as_if_they_summed_to_one():
    network = BayesianNetwork({"a": list("xyz")}, {}, {"a": [0.333, 0.333, 0.333]})
    counts = np.bincount(network.sample(3000, random_state=0)[:, 0])
    assert chisquare(counts).pvalue > 1e-6


@pytest.mark.parametrize("method", ["parents", "children", "markov_blanket", "oracle"])
def test_unknown_variables(method):
    with pytest.raises(ValueError, match="no variable 'z' in the network; it has 'a', 'b', 'c'"):
        getattr(chain(), method)("z")
    with pytest.raises(ValueError, match="did you mean 'Smoking'"):
        getattr(chain(["Smoking", "Cough"]), method)("smoking")
    with pytest.raises(ValueError, match="no variable"):
        getattr(chain(), method)(["a"])


def test_bad_requests():
    network = chain()
    with pytest.raises(ValueError, match="no variable 'z'"):
        network.sample(3, target="z")
    for n in (0, -1, 2.5, True, "3"):
        with pytest.raises(ValueError, match="n_samples must be an integer of at least 1"):
            network.sample(n)
    with pytest.raises(ValueError, match=r"\['b'\] is in more than one"):
        network.d_separated("a", "b", {"b", "c"})
    with pytest.raises(ValueError, match="read-only"):
        network.probabilities["a"][0] = 1
