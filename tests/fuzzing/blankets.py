"""Blankets and graphs by tests of independence on the table of a case."""

from functools import partial

import causal_twins as slow
import numpy as np
import uncertainty_twins as uncertainty

from ensfs import (
    FCBF,
    HITONPC,
    IAMB,
    MMPC,
    FastEnsemble,
    G2Test,
    GrowShrink,
    HybridCausalSelector,
    InterIAMB,
    PCSelector,
)


def find(case):
    """Every selector with a plain program beside it."""
    alpha, h = float(case.rng.choice([0.01, 0.2])), int(case.rng.choice([0, 5]))
    symmetric = bool(case.rng.random() < 0.5)
    given = {"alpha": alpha, "test": G2Test(samples_per_df=h), **case.coding}
    of_neighbours = {**given, "symmetric": symmetric, "max_conditioning": 2}
    p, last = case.p, np.unique(case.y, return_inverse=True)[1]
    codes = [np.unique(x, return_inverse=True)[1] for x in case.codes.T]
    table = np.column_stack([*codes, last])
    tests = slow.SlowTests(table, alpha, h)

    def neighbours(program):
        one_sided = partial(program, tests, n=p + 1, most=2)
        return slow.mutual_slow(one_sided, p) if symmetric else one_sided(p)

    def hybrid():
        among = sorted(uncertainty.fcbf(case.whole))
        found = slow.iamb_slow(slow.SlowTests(table[:, [*among, p]], alpha, h), len(among))
        return [among[j] for j in found] or uncertainty.fcbf(case.whole)

    for selector, program in (
        (GrowShrink(order="index", **given), lambda: slow.grow_shrink_slow(tests, p, range(p))),
        (IAMB(**given), lambda: slow.iamb_slow(tests, p)),
        (InterIAMB(**given), lambda: slow.inter_iamb_slow(tests, p)),
        (MMPC(**of_neighbours), lambda: neighbours(slow.mmpc_slow)),
        (HITONPC(**of_neighbours), lambda: neighbours(slow.hiton_slow)),
        (HybridCausalSelector(FCBF(**case.coding), IAMB(**given)), hybrid),
    ):
        name = type(selector).__name__
        one = case.fit(name, selector, case.X, case.y, blocks=False)
        fast = FastEnsemble(selector, folds=case.fold)
        case.fit(f"FastEnsemble {name}", fast, case.X, case.y, blocks=False)
        if case.compare:
            case.equal(name, one.indices_, program())
    if p <= 5:
        find_graph(case, PCSelector(**given), tests)


def find_graph(case, selector, tests):
    """The edges of a graph and what separates the nodes without one."""
    nodes = range(case.p + 1)
    found = case.fit("PCSelector", selector, case.X, case.y, blocks=False)
    if case.compare:
        adjacent, separating = slow.skeleton_slow(tests, len(nodes))
        edges = found.graph_.adjacency | found.graph_.adjacency.T
        edges = {x: set(np.nonzero(edges[x])[0].tolist()) for x in nodes}
        case.equal("edges of PCSelector", edges, adjacent)
        sets = {pair: set(given.tolist()) for pair, given in found.separating_sets_.items()}
        case.equal("sets of PCSelector", sets, separating)
