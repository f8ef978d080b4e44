"""Posteriors, likelihoods and EM against sums over all states."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ensfs.datasets import load_lucas_network
from ensfs.networks import em
from ensfs.networks.em import fit_tables, smoothed
from ensfs.networks.inference import Graph, log_likelihood, posterior


def random_network(seed, zeros=False):
    """A small graph, its tables, and rows with missing cells."""
    rng = np.random.default_rng(seed)
    p = int(rng.integers(2, 6))
    n_levels = rng.integers(1, 4, size=p).tolist()
    order = rng.permutation(p)
    parents = [()] * p
    for i, node in enumerate(order):
        above = [int(v) for v in order[:i] if rng.random() < 0.5][:3]
        parents[node] = tuple(above)  # in any order: tables follow it
    graph = Graph(parents, n_levels)
    tables = [
        rng.dirichlet(np.ones(graph.shape(v)[-1]), size=graph.shape(v)[:-1]) for v in range(p)
    ]
    if zeros:
        for table in tables:
            table[rng.random(table.shape) < 0.3] = 0
            table[..., 0] += table.sum(axis=-1) == 0
            table /= table.sum(axis=-1, keepdims=True)
    codes = rng.integers(n_levels, size=(8, p))
    return graph, tables, np.where(rng.random((8, p)) < 0.4, -1, codes)


def joint(graph, tables):
    """Probability of every combination of states."""
    out = {}
    for states in product(*map(range, graph.n_levels)):
        out[states] = np.prod(
            [tables[v][tuple(states[w] for w in graph.family(v))] for v in range(len(states))]
        )
    return out


def agrees(states, row, but=None):
    return all(
        r < 0 or r == s or v == but for v, (s, r) in enumerate(zip(states, row, strict=True))
    )


@given(seed=st.integers(0, 10**6), zeros=st.booleans())
@settings(max_examples=60)
def test_posteriors_by_enumeration(seed, zeros):
    graph, tables, codes = random_network(seed, zeros)
    every = joint(graph, tables)
    for target in range(len(graph.n_levels)):
        found = posterior(graph, tables, codes, target)
        for row, shares in zip(codes, found, strict=True):
            expected = np.zeros(graph.n_levels[target])
            prior = np.zeros(graph.n_levels[target])
            for states, probability in every.items():
                prior[states[target]] += probability
                if agrees(states, row, but=target):
                    expected[states[target]] += probability
            if expected.sum() > 0:
                np.testing.assert_allclose(shares, expected / expected.sum(), atol=1e-12)
            else:
                np.testing.assert_allclose(shares, prior / prior.sum(), atol=1e-12)


@given(seed=st.integers(0, 10**6))
def test_likelihoods_by_enumeration(seed):
    graph, tables, codes = random_network(seed)
    every = joint(graph, tables)
    expected = [np.log(sum(q for s, q in every.items() if agrees(s, row))) for row in codes]
    np.testing.assert_allclose(log_likelihood(graph, tables, codes), expected, atol=1e-10)


def test_a_row_that_cannot_be_has_the_probabilities_without_cells():
    graph = Graph([(), (0,)], [2, 2])
    tables = [np.array([0.25, 0.75]), np.array([[1.0, 0.0], [1.0, 0.0]])]
    np.testing.assert_allclose(posterior(graph, tables, np.array([[-1, 1]]), 0), [[0.25, 0.75]])


@given(seed=st.integers(0, 10**6), smoothing=st.sampled_from([0.0, 0.5, 1.0]))
def test_tables_of_complete_rows_are_smoothed_shares(seed, smoothing):
    graph, _, codes = random_network(seed)
    codes = np.where(codes < 0, 0, codes)
    fitted = fit_tables(graph, codes, smoothing=smoothing)
    for v, table in enumerate(fitted.tables):
        levels = graph.n_levels[v]
        for states in product(*map(range, table.shape)):
            rows = [tuple(row[w] for w in graph.family(v)) for row in codes]
            n_xu = rows.count(states)
            n_u = sum(row[:-1] == states[:-1] for row in rows)
            expected = (
                (n_xu + smoothing / levels) / (n_u + smoothing) if n_u + smoothing else 1 / levels
            )
            assert table[states] == pytest.approx(expected, abs=1e-12)
    assert len(fitted.path) == 1


@given(
    seed=st.integers(0, 10**6), smoothing=st.sampled_from([0.0, 1.0]), hidden=st.booleans(),
    enumerate_states=st.booleans(),
)  # fmt: skip
@settings(max_examples=40)
def test_em_never_falls_and_ends_where_it_stays(seed, smoothing, hidden, enumerate_states):
    graph, _, codes = random_network(seed)
    if hidden:
        codes[:, 0] = -1
    with pytest.MonkeyPatch.context() as patch:
        if not enumerate_states:
            patch.setattr(em, "_ENUMERATE", 0)
        fitted = fit_tables(
            graph, codes, smoothing=smoothing, n_starts=2, rng=np.random.default_rng(seed)
        )
    path = np.array(fitted.path)
    rounding = 1e-9 * np.abs(path[:-1]) + len(codes) * np.finfo(float).eps  # of a sum over rows
    assert (np.diff(path) >= -rounding).all()
    for table in fitted.tables:
        np.testing.assert_allclose(table.sum(axis=-1), 1, atol=1e-12)
    expected = log_likelihood(graph, fitted.tables, codes).sum()
    if smoothing:
        expected += sum(smoothing / t.shape[-1] * np.log(t).sum() for t in fitted.tables)
    assert path[-1] == pytest.approx(expected, rel=1e-9, abs=1e-9)


@given(seed=st.integers(0, 10**6))
@settings(max_examples=20)
def test_one_step_of_em_by_enumeration(seed):
    """Expected counts are sums over the completions of every row."""
    graph, tables, codes = random_network(seed)
    weights = np.arange(1.0, len(codes) + 1)
    groups = list(em.group_rows(graph, codes, nodes=range(len(tables))))
    counts, value = em._expect(graph, groups, weights, tables)
    every = joint(graph, tables)
    for v in range(len(tables)):
        expected = np.zeros(graph.shape(v))
        for row, weight in zip(codes, weights, strict=True):
            fit = {s: q for s, q in every.items() if agrees(s, row)}
            for states, q in fit.items():
                expected[tuple(states[w] for w in graph.family(v))] += (
                    weight * q / sum(fit.values())
                )
        np.testing.assert_allclose(counts[v], expected, atol=1e-9)
    rows = log_likelihood(graph, tables, codes)
    assert value == pytest.approx((weights * rows).sum(), rel=1e-9, abs=1e-9)


def test_weights_are_rows_that_are_there_so_often():
    graph, _, codes = random_network(4)
    repeats = np.arange(len(codes)) % 3
    one = fit_tables(graph, codes, weights=repeats)
    two = fit_tables(graph, np.repeat(codes, repeats, axis=0))
    for a, b in zip(one.tables, two.tables, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-12)


def test_em_recovers_a_network_from_rows_with_gaps():
    lucas = load_lucas_network()
    codes = lucas.sample(4000, random_state=0).astype(int)
    codes[np.random.default_rng(0).random(codes.shape) < 0.1] = -1
    graph = Graph(
        [tuple(lucas.names.index(v) for v in lucas.parents(name)) for name in lucas.names], [2] * 12
    )
    fitted = fit_tables(graph, codes)
    for name, table in zip(lucas.names, fitted.tables, strict=True):
        assert np.abs(table - lucas.probabilities[name]).max() < 0.08


def test_shares_of_nothing_are_even():
    np.testing.assert_array_equal(smoothed([np.zeros((2, 4))], 0.0)[0], np.full((2, 4), 0.25))


def test_networks_that_are_too_dense_say_so():
    """Children that are seen tie all pairs of 26 parents together."""
    p = 26
    pairs = list(combinations(range(p), 2))
    graph = Graph([*(() for _ in range(p)), *pairs], [2] * (p + len(pairs)))
    tables = [np.full(2, 0.5)] * p + [np.full((2, 2, 2), 0.5)] * len(pairs)
    codes = np.array([[-1] * p + [0] * len(pairs)])
    with pytest.raises(ValueError, match="too dense for exact probabilities"):
        posterior(graph, tables, codes, 0)


def test_a_network_answers_by_name():
    lucas = load_lucas_network()
    codes = lucas.sample(20, random_state=0)
    shares = lucas.posterior("Lung_cancer", codes)
    assert shares.shape == (20, 2)
    target = lucas.names.index("Lung_cancer")
    full = np.repeat(codes[:1].astype(int), 2, axis=0)
    full[:, target] = [0, 1]
    joint_of_states = np.exp(lucas.log_likelihood(full))
    np.testing.assert_allclose(shares[0], joint_of_states / joint_of_states.sum(), atol=1e-12)
    nothing = np.full((1, 12), -1)
    np.testing.assert_allclose(lucas.log_likelihood(nothing), 0, atol=1e-12)
    with pytest.raises(ValueError, match="codes must have a column for each of the 12 variables"):
        lucas.posterior("Lung_cancer", codes[:, 1:])
    with pytest.raises(ValueError, match="codes must be whole numbers"):
        lucas.log_likelihood(codes + 1)
