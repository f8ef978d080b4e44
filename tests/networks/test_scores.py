"""Scores of families, and the graphs that searches find with them."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ensfs.networks import _graphs
from ensfs.networks.averaging import _weights, average_bootstraps, graph_of_arcs
from ensfs.networks.scores import FamilyScores
from ensfs.networks.search import annealing_search, greedy_search

TWO_COLUMNS = np.repeat([[0, 0], [0, 1], [1, 0], [1, 1]], [30, 10, 5, 55], axis=0)


def slow_bic(codes, n_levels, node, parents):
    """The definition, cell by cell, over the rows that have all cells of the family."""
    family = (*parents, node)
    rows = [tuple(row[v] for v in family) for row in codes.tolist()]
    rows = [row for row in rows if min(row) >= 0]
    total = 0.0
    for cell in set(rows):
        n_u = sum(row[:-1] == cell[:-1] for row in rows)
        total += rows.count(cell) * math.log(rows.count(cell) / n_u)
    total *= len(codes) / len(rows) if rows else 0
    n_parameters = math.prod(n_levels[v] for v in parents) * (n_levels[node] - 1)
    return total - math.log(len(codes)) / 2 * n_parameters


def tables(missing=0.0):
    def make(seed):
        rng = np.random.default_rng(seed)
        n, p = int(rng.integers(2, 60)), int(rng.integers(1, 5))
        n_levels = rng.integers(1, 5, size=p)
        codes = rng.integers(n_levels, size=(n, p))
        codes[:, -1] = np.where(rng.random(n) < 0.7, codes[:, 0] % n_levels[-1], codes[:, -1])
        return np.where(rng.random((n, p)) < missing, -1, codes), n_levels

    return st.integers(0, 10**6).map(make)


def test_bic_of_two_columns():
    scores = FamilyScores(TWO_COLUMNS, [2, 2])
    assert scores.total([(), (0,)]) == pytest.approx(-113.912486748030, abs=1e-9)
    assert scores.total([(), ()]) == pytest.approx(-136.651000790377, abs=1e-9)
    assert scores.total([(1,), ()]) == pytest.approx(-113.912486748030, abs=1e-9)
    assert scores.n_counted == 4


@given(tables() | tables(missing=0.2))
def test_bic_is_its_definition(table):
    codes, n_levels = table
    scores = FamilyScores(codes, n_levels)
    p = codes.shape[1]
    for node, chosen in product(range(p), product([False, True], repeat=p)):
        parents = tuple(v for v in range(p) if chosen[v] and v != node)
        expected = slow_bic(codes, n_levels, node, parents)
        assert scores.score(node, parents) == pytest.approx(expected, abs=1e-9)


def all_graphs(p):
    pairs = [(a, b) for a in range(p) for b in range(p) if a != b]
    for chosen in product([False, True], repeat=len(pairs)):
        parents = [
            tuple(a for (a, b), c in zip(pairs, chosen, strict=True) if c and b == v)
            for v in range(p)
        ]
        if not _graphs.find_cycle(parents):
            yield parents


def neighbours(parents, max_parents):
    """All graphs one addition, removal or reversal away."""
    for a, b in product(range(len(parents)), repeat=2):
        if a == b:
            continue
        others = tuple(v for v in parents[b] if v != a)
        graphs = []
        if a in parents[b]:
            graphs += [{b: others}, {b: others, a: (*parents[a], b)}]
        else:
            graphs.append({b: (*parents[b], a)})
        for changed in graphs:
            graph = [changed.get(v, above) for v, above in enumerate(parents)]
            if max(map(len, graph)) <= max_parents and not _graphs.find_cycle(graph):
                yield graph


@pytest.mark.parametrize("search", ["greedy", "annealing"])
@given(table=tables() | tables(missing=0.1), seed=st.integers(0, 100))
@settings(max_examples=30)
def test_no_single_step_improves_what_is_found(search, table, seed):
    codes, n_levels = table
    scores, rng = FamilyScores(codes, n_levels), np.random.default_rng(seed)
    if search == "greedy":
        found = greedy_search(scores, rng, max_parents=2)
    else:
        found = annealing_search(scores, rng, n_operations=100, max_parents=2)
    assert not _graphs.find_cycle(found.parents)
    assert max(map(len, found.parents)) <= 2
    assert found.score == pytest.approx(scores.total(found.parents), abs=1e-9)
    for graph in neighbours(found.parents, 2):
        assert scores.total(graph) <= found.score + 1e-8


@given(table=tables())
@settings(max_examples=15)
def test_greedy_search_finds_the_best_of_all_small_graphs_mostly(table):
    """Restarts reach the optimum of at most three nodes always."""
    codes, n_levels = table[0][:, :3], table[1][:3]
    scores = FamilyScores(codes, n_levels)
    best = max(map(scores.total, all_graphs(codes.shape[1])))
    assert greedy_search(scores).score == pytest.approx(best, abs=1e-8)


def test_annealing_without_a_polish_depends_on_its_seed_alone():
    rng = np.random.default_rng(0)
    codes = rng.integers(3, size=(80, 6))
    codes[:, 1] = (codes[:, 0] + (rng.random(80) < 0.2)) % 3
    scores = FamilyScores(codes, [3] * 6)
    one, two = (
        annealing_search(scores, np.random.default_rng(7), n_operations=300, polish=False)
        for _ in range(2)
    )
    assert one == two
    assert one.score >= scores.total([()] * 6)
    polished = annealing_search(scores, np.random.default_rng(7), n_operations=300)
    assert polished.score >= one.score


@pytest.mark.requires_data("alarm_s5000.csv.gz", "child_s5000.csv.gz")
@pytest.mark.parametrize(("name", "greedy"), [("alarm", -48_745.6), ("child", -61_560.5)])
def test_searches_on_published_networks(name, greedy, data_dir):
    """Scores that pyAgrum's greedy search reached on the same rows with at most three parents."""
    table = np.genfromtxt(data_dir / f"{name}_s5000.csv.gz", delimiter=",", names=True)
    codes = np.column_stack([table[column].astype(int) for column in table.dtype.names])
    codes = np.column_stack([np.unique(column, return_inverse=True)[1] for column in codes.T])
    scores = FamilyScores(codes, codes.max(axis=0) + 1)
    assert greedy_search(scores).score >= greedy


def test_weights_are_likelihoods_per_row():
    np.testing.assert_allclose(_weights(np.array([-20.0, -10.0]), 10), [math.exp(-1), 1])


@pytest.mark.parametrize("averaging", ["score", "uniform"])
def test_averages_are_shares_of_the_bootstraps(averaging):
    rng = np.random.default_rng(1)
    codes = rng.integers(2, size=(60, 4))
    codes[:, 2] = codes[:, 0] ^ (rng.random(60) < 0.15)
    seeds = np.random.SeedSequence(3).spawn(6)
    options = {"n_operations": 100, "averaging": averaging}
    averaged = average_bootstraps(codes, [2] * 4, seeds, **options)
    expected, weights = np.zeros((4, 4)), []
    for seed, score in zip(np.random.SeedSequence(3).spawn(6), averaged.scores, strict=True):
        draw = np.random.default_rng(seed)
        sample = codes[draw.integers(60, size=60)]
        found = annealing_search(FamilyScores(sample, [2] * 4), draw, n_operations=100)
        assert found.score == score
        weights.append(
            math.exp((score - averaged.scores.max()) / 60) if averaging == "score" else 1
        )
        expected += weights[-1] * _graphs.adjacency(found.parents)
    np.testing.assert_allclose(averaged.probabilities, expected / sum(weights), atol=1e-12)


def test_graph_of_arcs_takes_the_most_probable_first_and_no_cycle():
    probabilities = np.array([[0, 0.7, 0.2], [0.3, 0, 0.6], [0.8, 0.5, 0]])
    # 2 -> 0 (.8), 0 -> 1 (.7); 1 -> 2 (.6) would close a cycle; 2 -> 1 (.5) is just enough
    assert graph_of_arcs(probabilities) == [(2,), (0, 2), ()]
    assert graph_of_arcs(probabilities, 0.75) == [(2,), (), ()]
    even = np.array([[0, 0.5], [0.5, 0]])
    assert graph_of_arcs(even) == [(), (0,)]
