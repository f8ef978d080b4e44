"""Markov blankets and graphs of known networks, beside other libraries: rows for ``run.py``.

Every variable of a network is the target in turn. What is found is compared with the graph: the
blanket for the selectors of blankets, the neighbours for those of neighbours, and for PC both, the
blanket being the neighbours and the other parents of the children. Precision, recall and F1 are
means over the targets; for a target with an empty blanket a found column has precision 0, none
found has F1 1.

PC gives all targets at once, and beside the others it gets several samples: the directions of a few
edges decide, and they change from sample to sample. Libraries that take minutes get as many targets
or samples as fit into the budget, at least one, in a fixed order, and ensfs is timed and scored on
the same ones. Beside PC and MMPC it takes its degrees of freedom from the occupied cells, as pgmpy
and causal-learn do; beside MMPC it checks no symmetry, as the other does not.
"""

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from cases import QUOTED_CAUSAL
from race import race
from rivals import quiet

import ensfs
from ensfs import G2Test
from ensfs.causal._neighbours import NeighbourSelector

ALPHA = 0.01
SAMPLES = 5  # tables of each network for PC beside others, by the seeds 0, 1, ...


# ---------------------------------------------------------------------------------------------
# The truth, and how near an answer is


@dataclass(frozen=True)
class Quality:
    """Means over the targets."""

    precision: float
    recall: float
    f1: float

    def __str__(self):
        return f"precision {self.precision:.3f}, recall {self.recall:.3f}, F1 {self.f1:.3f}"


def quality(found, true):
    """Compare the set found for each target with the true one."""
    scores = []
    for target, answer in found.items():
        hits = len(answer & true[target])
        precision = hits / len(answer) if answer else 1.0
        recall = hits / len(true[target]) if true[target] else 1.0
        f1 = 2 * precision * recall / (precision + recall) if hits or not true[target] else 0.0
        scores.append((precision, recall, f1))
    return Quality(*np.mean(scores, axis=0))


def mean_quality(each):
    """Means over samples."""
    return Quality(*np.mean([(one.precision, one.recall, one.f1) for one in each], axis=0))


def truth(network, scheme):
    """Numbers of the variables that belong to each variable."""
    number = {name: i for i, name in enumerate(network.names)}
    relatives = {
        "blankets": network.markov_blanket,
        "neighbours": lambda name: network.parents(name) + network.children(name),
    }[scheme]
    return {i: {number[name] for name in relatives(v)} for v, i in number.items()}


def relatives(graph, scheme):
    """Neighbours or blankets of all nodes of a graph: ``[a, b]`` from a to b, both: undirected."""
    directed = graph & ~graph.T
    found = {}
    for node in range(len(graph)):
        near = graph[node] | graph[:, node]
        if scheme == "blankets":
            near = near | directed[:, directed[node]].any(axis=1)
        found[node] = set(np.flatnonzero(near).tolist()) - {node}
    return found


# ---------------------------------------------------------------------------------------------
# The other libraries


@dataclass(frozen=True)
class Finder:
    """An adapter: ``prepare(table)`` returns a function.

    Of a selector of blankets it takes the target and returns a set of columns, of PC it takes
    nothing and returns a graph.
    """

    name: str
    package: str
    method: str
    prepare: Callable
    note: str = ""
    ours: dict = field(default_factory=dict)  # parameters that give our selector its definition
    one_sample: tuple = ()  # networks of which some samples take it more than ten minutes


def _py_causal_fs(module, function):
    def prepare(table):
        from importlib import import_module

        find = getattr(import_module(f"pyCausalFS.CBD.MBs.{module}"), function)
        data = np.asarray(table, dtype=int)
        return lambda target: set(map(int, find(data, target, ALPHA, True)[0]))

    return prepare


def _causal_learn(table):
    from causallearn.search.ConstraintBased.PC import pc

    data = np.asarray(table, dtype=int)

    def find():
        marks = pc(data, ALPHA, "gsq", stable=True, show_progress=False).G.graph
        # ends of an edge: -1 tail, 1 arrow; [i, j] is the end at i
        return (marks == -1) & (marks.T != 0) | (marks == 1) & (marks.T == 1)

    return find


def _pgmpy(table):
    import pandas as pd
    from pgmpy.causal_discovery import PC

    p = table.shape[1]
    frame = pd.DataFrame(table, columns=[f"x{j}" for j in range(p)]).astype("category")

    def find():
        with quiet():
            model = PC(
                variant="stable", ci_test="g_sq", significance_level=ALPHA, show_progress=False,
            ).fit(frame)  # fmt: skip
        graph = np.zeros((p, p), dtype=bool)
        for a, b in model.causal_graph_.edges():
            graph[int(a[1:]), int(b[1:])] = True
        return graph

    return find


#: Degrees of freedom of the occupied cells.
OCCUPIED = {"test": G2Test(df="adjusted")}
MAJORITY = {**OCCUPIED, "sepset": "majority"}

FINDERS = (
    Finder("pyCausalFS", "pyCausalFS", "IAMB", _py_causal_fs("IAMB", "IAMB")),
    Finder("pyCausalFS", "pyCausalFS", "GrowShrink", _py_causal_fs("GSMB", "GSMB")),
    Finder("pyCausalFS", "pyCausalFS", "InterIAMB", _py_causal_fs("inter_IAMB", "inter_IAMB")),
    Finder("pyCausalFS", "pyCausalFS", "MMPC", _py_causal_fs("MMMB.MMPC", "MMPC"),
           "no symmetry check", {"symmetric": False, **OCCUPIED}),
    Finder("causal-learn", "causal-learn", "PCSelector", _causal_learn, ours=MAJORITY),
    Finder("pgmpy", "pgmpy", "PCSelector", _pgmpy, "at most five columns given", MAJORITY,
           one_sample=("win95pts",)),
)  # fmt: skip


# ---------------------------------------------------------------------------------------------
# Rows


class Splits:
    """The table without each column in turn, made before the clock starts."""

    def __init__(self, table):
        self.p = table.shape[1]
        self.parts = [
            (np.ascontiguousarray(np.delete(table, t, axis=1)), table[:, t].copy())
            for t in range(self.p)
        ]

    def find(self, method, targets, n_threads, **parameters):
        """Columns that ensfs finds for each target."""
        selector = ours(method, self.p, n_threads, **parameters)
        found = {}
        for target in targets:
            X, y = self.parts[target]
            columns = selector.fit(X, y).markov_blanket_
            found[target] = {int(c) + (c >= target) for c in columns}
        return found


def ours(method, p, n_threads, **parameters):
    """Our selector for a table of `p` variables, of which one is the target."""
    return getattr(ensfs, method)(
        alpha=ALPHA, discrete_features=np.full(p - 1, True), n_jobs=n_threads, **parameters
    )


def our_graph(table, n_threads, **parameters):
    """The graph of all variables: the last one is the target, so the order stays."""
    selector = ours("PCSelector", table.shape[1], n_threads, **parameters)
    X, y = np.ascontiguousarray(table[:, :-1]), table[:, -1].copy()
    return lambda: selector.fit(X, y).graph_.adjacency


def time_blankets(case, table, network, n_threads, options):
    """All selectors on one network."""
    targets = np.random.default_rng(0).permutation(table.shape[1]).tolist()
    if options.quick:
        targets = targets[:3]
    splits = Splits(table)
    for method in case.methods:
        if method == "PCSelector":
            yield from time_graphs(case, table, network, n_threads, options)
        else:
            yield from time_selector(case, method, splits, network, targets, n_threads, options)
            yield from race_selector(method, splits, table, network, targets, n_threads, options)


def row(method, scheme, rival, k, **more):
    return {"what": method, "scheme": scheme, "rival": rival, "k": k, "agree": None, "note": "",
            "same_definition": False, "theirs_s": None} | more  # fmt: skip


def described(score, parameters):
    """A score and the parameters that are not the defaults."""
    settings = ", ".join(f"{name}={value!r}" for name, value in parameters.items())
    return "; ".join(filter(None, (settings, str(score))))


def searched(method):
    """What a selector of blankets searches for."""
    c = getattr(ensfs, method)
    return "neighbours" if issubclass(c, NeighbourSelector) else "blankets"


def time_selector(case, method, splits, network, targets, n_threads, options):
    """One selector alone, for all targets."""
    scheme = searched(method)
    true = truth(network, scheme)
    for parameters in ({}, OCCUPIED):
        times, answers = race(
            {"ours": lambda p=parameters: splits.find(method, targets, n_threads, **p)},
            options.repeats,
            options.budget,
        )
        score = quality(answers["ours"], true)
        yield row(method, scheme, "-", len(targets), ours_s=times["ours"], f1=score.f1,
                  note=described(score, parameters))  # fmt: skip
        if not parameters:
            yield from quoted(case, method, scheme, len(targets), times["ours"], score, options)


def race_selector(method, splits, table, network, targets, n_threads, options):
    """One selector beside the libraries that have it, on the targets that they finish."""
    scheme = searched(method)
    true = truth(network, scheme)
    for finder in finders(method, n_threads):
        print(f"    {finder.name} {method} ...", file=sys.stderr, flush=True)
        try:
            found, theirs_s = in_budget(finder.prepare(table), targets, options.budget)
        except ImportError as error:
            yield row(method, scheme, finder.name, 0, skipped=f"not installed ({error.name})")
            continue
        times, answers = race(
            {"ours": lambda f=finder, t=found: splits.find(method, list(t), n_threads, **f.ours)},
            options.repeats,
            options.budget,
        )
        yield row(
            method, scheme, finder.name, len(found), ours_s=times["ours"], theirs_s=theirs_s,
            **beside(quality(answers["ours"], true), quality(found, true), finder),
        )  # fmt: skip


def finders(method, n_threads):
    """The libraries that have a method; they use one thread."""
    return [each for each in FINDERS if each.method == method and n_threads == 1]


def time_graphs(case, table, network, n_threads, options):
    """PC once for all targets; neighbours and blankets from the same graph."""
    p = table.shape[1]
    schemes = {scheme: truth(network, scheme) for scheme in ("neighbours", "blankets")}

    def scores(graph):
        return {s: quality(relatives(graph, s), true) for s, true in schemes.items()}

    for parameters in ({}, MAJORITY):
        fit = our_graph(table, n_threads, **parameters)
        times, answers = race({"ours": fit}, options.repeats, options.budget)
        for scheme, score in scores(answers["ours"]).items():
            yield row("PCSelector", scheme, "-", p, ours_s=times["ours"], f1=score.f1,
                      note=described(score, parameters))  # fmt: skip
            if not parameters:
                yield from quoted(case, "PCSelector", scheme, p, times["ours"], score, options)
    tables = [
        network.sample(case.n, random_state=s) for s in range(1 if options.quick else SAMPLES)
    ]
    for finder in finders("PCSelector", n_threads):
        print(f"    {finder.name} PC ...", file=sys.stderr, flush=True)
        try:
            some = tables[:1] if case.name in finder.one_sample else tables
            rounds = race_graphs(some, finder, options.budget)
        except ImportError as error:
            yield row("PCSelector", "-", finder.name, p, skipped=f"not installed ({error.name})")
            continue
        seconds = {who: sum(times[who] for times, _ in rounds) for who in ("ours", "theirs")}
        scored = [{who: scores(graph) for who, graph in graphs.items()} for _, graphs in rounds]
        for scheme in schemes:
            ours_score, theirs = (
                mean_quality([each[who][scheme] for each in scored]) for who in ("ours", "theirs")
            )
            yield row(
                "PCSelector", scheme, finder.name, p, ours_s=seconds["ours"],
                theirs_s=seconds["theirs"], **beside(ours_score, theirs, finder, len(rounds)),
            )  # fmt: skip


def race_graphs(tables, finder, budget):
    """Seconds and graphs of both on each table, as many as fit into the budget of the other."""
    rounds, spent = [], 0.0
    for table in tables:
        if spent > budget:
            break
        ours_too = {"ours": our_graph(table, 1, **finder.ours), "theirs": finder.prepare(table)}
        rounds.append(race(ours_too, 1, 0.0))
        spent += rounds[-1][0]["theirs"]
    return rounds


def beside(score, theirs, finder, n_samples=1):
    samples = f"sums and means over {n_samples} samples" if n_samples > 1 else ""
    note = "; ".join(filter(None, (samples, finder.note, f"theirs: {theirs}")))
    return {
        "f1": score.f1, "theirs_f1": theirs.f1,
        "agree": f"F1 {score.f1:.3f}, theirs {theirs.f1:.3f}",
        "note": "; ".join((note, described("", finder.ours))) if finder.ours else note,
        "same_definition": True,
    }  # fmt: skip


def quoted(case, method, scheme, k, seconds, score, options):
    """What cannot be installed here; the figures are of another sample."""
    figures = QUOTED_CAUSAL.get((case.name, method, scheme))
    if figures is None or options.worker > 1 or options.quick:
        return
    theirs_s, theirs_f1 = figures
    note = "quoted, not measured" + (f"; its F1 {theirs_f1:.2f}" if theirs_f1 else "")
    yield row(
        method, scheme, "bnlearn in R (quoted)", k, ours_s=seconds, theirs_s=theirs_s, note=note,
        f1=score.f1, agree=f"F1 {score.f1:.3f} here",
    )  # fmt: skip


def in_budget(find, targets, budget):
    """Answers for as many targets as fit, at least one, and the seconds they took."""
    found, start = {}, time.perf_counter()
    for target in targets:
        if found and time.perf_counter() - start > budget:
            break
        with quiet():
            found[target] = find(target)
    return found, time.perf_counter() - start


def time_wide(case, X, y, n_threads, options):
    """Wide binary data: nobody else gets to the end, so only the time is shown."""
    for name in case.methods:
        selector = wide_selector(name, X.shape[1], n_threads)
        times, _ = race({"ours": lambda s=selector: s.fit(X, y)}, 2, options.budget)
        yield row(name, "-", "-", len(selector.indices_), ours_s=times["ours"],
                  note=f"{len(selector.indices_)} columns")  # fmt: skip


def wide_selector(name, p, n_threads=None):
    """IAMB, or PC after FCBF."""
    options = {"discrete_features": np.full(p, True), "n_jobs": n_threads}
    if name == "IAMB":
        return ensfs.IAMB(**options)
    return ensfs.HybridCausalSelector(filter=ensfs.FCBF(**options), causal="H-PC", n_jobs=n_threads)
