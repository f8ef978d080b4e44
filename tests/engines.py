"""Tables to cut into partitions, an engine that tries what a cluster may do, and comparisons."""

import itertools
import pickle
import random

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from ensfs import (
    CFS,
    CMIM,
    DISR,
    FCBF,
    HITONPC,
    IAMB,
    JMI,
    JMIM,
    MMPC,
    MRMR,
    FastEnsemble,
    G2Test,
    InnerEnsemble,
    PCSelector,
    StabilitySelector,
)
from ensfs.scale.partitioned_data import PartitionedTrainingData
from ensfs.training.contract import BlockedTable

#: What a fit learns that must not depend on where the rows are.
LEARNED = (
    "indices_", "scores_", "relevance_", "redundancy_", "selection_frequency_", "n_pairs_needed_",
    "removed_by_", "merits_", "pvalues_", "n_tests_",
)  # fmt: skip

#: Selectors, by the kind of the table and of the target that they take.
NUMBERS = {
    "FCQ": MRMR(4, scheme="FCQ"),
    "FCD": MRMR(4, scheme="FCD"),
    "discount": MRMR(4, scheme="discount"),
    "fast": FastEnsemble(MRMR(4, scheme="FCQ"), n_parts=5),
    "inner": InnerEnsemble(MRMR(4, scheme="FCD"), n_parts=5),
}
OF_NUMBERS = {
    "quotient": MRMR(4, scheme="quotient"),
    "difference": MRMR(4, scheme="difference"),
    "fast": FastEnsemble(MRMR(4), n_parts=5),
    "IAMB": IAMB(test="fisherz"),
}
COUNTS = {
    "MIQ": MRMR(4, scheme="MIQ"),
    "MID": MRMR(4, scheme="MID"),
    "fast": FastEnsemble(JMI(4, discretizer="sigma"), n_parts=5),
    "inner": InnerEnsemble(MRMR(4, scheme="MID"), n_parts=5),
    "FCBF": FCBF(discretizer="sigma"),
    "CFS": CFS(discretizer="sigma"),
    **{c.__name__: c(4, discretizer="sigma") for c in (CMIM, JMI, JMIM, DISR)},
}
#: Tests that count, with few rows for each degree of freedom.
TESTS = {
    "IAMB": IAMB(test=G2Test(samples_per_df=1), discretizer="sigma"),
    "MMPC": MMPC(test=G2Test("slices", samples_per_df=0), discretizer="sigma"),
    "HITON-PC, fast": FastEnsemble(
        HITONPC(0.2, test=G2Test("adjusted", samples_per_df=1), discretizer="sigma"), n_parts=4
    ),
    "PC": PCSelector(0.2, test="mi", discretizer="sigma"),
    "IAMB, halves": StabilitySelector(
        IAMB(0.2, test=G2Test(samples_per_df=1), discretizer="sigma"), n_pairs=2, threshold=0.7
    ),
}
COUNTS = COUNTS | TESTS
MATRIX = {
    ("numbers", "classes"): NUMBERS,
    ("numbers", "values"): OF_NUMBERS,
    ("codes", "classes"): COUNTS,
    ("mixed", "classes"): COUNTS,
    ("codes", "values"): {name: COUNTS[name] for name in ("MIQ", "FCBF", "JMI", "fast", "IAMB")},
    ("mixed", "values"): {name: COUNTS[name] for name in ("MID", "CFS", "CMIM", "MMPC")},
    ("text", "classes"): {name: COUNTS[name] for name in ("MIQ", "FCBF", "fast", "IAMB")},
    ("text", "values"): {name: COUNTS[name] for name in ("inner", "DISR")},
}
CASES = [(*kinds, name) for kinds, selectors in MATRIX.items() for name in selectors]


def table_of(kind, target, seed, n, p=7):
    """A data frame and its target."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % 3)
    X = 50 + rng.normal(size=(n, p)) + y[:, None] * rng.uniform(0, 2, p)
    if kind != "numbers":
        codes = rng.integers(0, rng.integers(1, 9, p), (n, p))
        X = np.where(rng.random((n, p)) < 0.6, codes, y[:, None])
    frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(p)])
    if kind == "codes":
        frame = frame.astype(np.int64)
    if kind == "mixed":
        frame["number"] = rng.normal(size=n) + y
        frame["text"] = rng.choice(["fig", "kiwi", "plum"], n)
    if target == "values":
        values = pd.Series(frame.iloc[:, 0] + rng.normal(size=n), name="y")
        return frame.map("c{:g}".format) if kind == "text" else frame, values
    if kind == "text":
        frame = frame.map("c{:g}".format)
    return frame, pd.Series(np.array(["no", "perhaps", "yes"])[y], name="y")


@st.composite
def cuts(draw, n):
    """Where the partitions begin: any rows, 61 of them, sizes of 1 to 3, with empty ones."""
    kind = draw(st.sampled_from(["any", "any", "many", "tiny"]))
    if kind == "tiny":
        sizes = itertools.cycle(draw(st.permutations([1, 2, 3, 0])))
        at, found = 0, []
        while at < n:
            found.append(at)
            at += next(sizes)
        return found
    if kind == "many":
        return sorted(draw(st.lists(st.integers(0, n), min_size=60, max_size=60)))
    return sorted(draw(st.lists(st.integers(0, n), max_size=6)))


def cut(X, y, at):
    bounds = [0, *at, len(y)]
    return [(X[a:b], y[a:b]) for a, b in itertools.pairwise(bounds)]


def assert_same(one, other):
    for name in LEARNED:
        if hasattr(one, name):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)
    if hasattr(one, "part_selections_"):
        for a, b in zip(one.part_selections_, other.part_selections_, strict=True):
            np.testing.assert_array_equal(a, b)


class Shuffled(BlockedTable):
    """A table whose tasks are pickled, run twice and in any order, as on a cluster that fails."""

    unit = "partition"
    keeps_bytes = 2**20

    def __init__(self, partitions, seed=0):
        self.partitions = partitions
        self.random = random.Random(seed)

    def make_data(self, n_threads=1, **options):
        return PartitionedTrainingData(self, n_threads=n_threads, **options)

    def each(self, work, given=None, shown=None):
        found = {}
        for b in self.random.sample(range(len(self.partitions)), len(self.partitions)):
            if given is None or given[b] is not None:
                for _ in range(2):
                    found[b] = again(again(work)(b, self.partitions[b], given and again(given[b])))
        return iter([found.get(b) for b in range(len(self.partitions))])

    def keep(self, work, given, shown=None):
        return Shuffled(list(self.each(work, given)), self.random.randrange(99))

    def add_up(self, work, task, given, state, shown=None):
        prepared = [each for each in self.each(work, given) if each is not None]
        if task.ordered:
            for each in prepared:
                again(task).add(again(each), again(state))
                state = again(task).add(again(each), again(state))
            return state
        states = [again(task).add(each, again(state)) for each in prepared] or [state]
        self.random.shuffle(states)
        while len(states) > 1:
            a, b = (states.pop(self.random.randrange(len(states))) for _ in range(2))
            states.append(again(task).merge(again(a), again(b)))
        return states[0]


def again(value):
    """A copy, as another process has it."""
    return pickle.loads(pickle.dumps(value))
