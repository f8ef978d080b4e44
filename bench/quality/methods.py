"""The methods: each gives columns in order, best first, from a table and a target.

A method is a function of (X, y, classes, k, seed) with X a data frame of numbers. It returns
positions of at most k columns. Methods in `DECIDE` choose their number themselves.
"""

import numpy as np

import ensfs


def fitted(selector, X, y):
    return np.asarray(selector.fit(X, y).indices_)


def ours(make):
    """An ensfs selector made for (k, seed) as a method."""
    return lambda X, y, classes, k, seed: fitted(make(min(k, X.shape[1]), seed), X, y)


def random(X, y, classes, k, seed):
    return np.random.default_rng(seed).permutation(X.shape[1])[:k]


def rank_ensemble(**options):
    """The default members, combined in another way."""
    return lambda k, seed: ensfs.RankEnsemble(None, k, random_state=seed, **options)


METHODS = {
    "random": random,
    "MRMR": ours(lambda k, seed: ensfs.MRMR(k)),
    "MRMR r/r": ours(lambda k, seed: ensfs.MRMR(k, relevance="pearson", scheme="quotient")),
    "MRMR FCQ": ours(lambda k, seed: ensfs.MRMR(k, scheme="FCQ")),
    "MRMR FCD": ours(lambda k, seed: ensfs.MRMR(k, scheme="FCD")),
    "MRMR MIQ": ours(lambda k, seed: ensfs.MRMR(k, scheme="MIQ")),
    "MRMR MID": ours(lambda k, seed: ensfs.MRMR(k, scheme="MID")),
    "MRMR discount": ours(lambda k, seed: ensfs.MRMR(k, scheme="discount")),
    "CMIM": ours(lambda k, seed: ensfs.CMIM(k)),
    "JMI": ours(lambda k, seed: ensfs.JMI(k)),
    "JMIM": ours(lambda k, seed: ensfs.JMIM(k)),
    "DISR": ours(lambda k, seed: ensfs.DISR(k)),
    "MIM": ours(lambda k, seed: ensfs.MIM(k)),
    "FCBF": ours(lambda k, seed: ensfs.FCBF()),
    "CFS": ours(lambda k, seed: ensfs.CFS()),
    "IAMB": ours(lambda k, seed: ensfs.IAMB()),
    "ACE": ours(lambda k, seed: ensfs.ACE(random_state=seed)),
    "MRMR auto": ours(lambda k, seed: ensfs.MRMR("auto")),
    "ForwardSelection auto": ours(lambda k, seed: ensfs.ForwardSelection("auto")),
    "FastEnsemble": ours(lambda k, seed: ensfs.FastEnsemble(ensfs.MRMR(k))),
    "FastEnsemble halves": ours(
        lambda k, seed: ensfs.FastEnsemble(ensfs.MRMR(k), parts="halves", random_state=seed)
    ),
    "FastEnsemble FCQ": ours(
        lambda k, seed: ensfs.FastEnsemble(
            ensfs.MRMR(k, scheme="FCQ"), parts="halves", random_state=seed
        )
    ),
    "ForwardSelection": ours(lambda k, seed: ensfs.ForwardSelection(k)),
    "FastEnsemble forward": ours(lambda k, seed: ensfs.FastEnsemble(ensfs.ForwardSelection(k))),
    "L1Path": ours(lambda k, seed: ensfs.L1Path(k)),
    "ForestImportance": ours(lambda k, seed: ensfs.ForestImportance(k, random_state=seed)),
    "MRMR RFCQ": ours(lambda k, seed: ensfs.MRMR(k, scheme="RFCQ")),
    "RankEnsemble": ours(lambda k, seed: ensfs.RankEnsemble(None, k, random_state=seed)),
    "RankEnsemble borda": ours(rank_ensemble(aggregation="borda")),
    "RankEnsemble interleaving": ours(rank_ensemble(aggregation="interleaving")),
    "RankEnsemble robust": ours(rank_ensemble(aggregation="robust_rank")),
    "RankEnsemble halves": ours(rank_ensemble(n_halves=10)),
}

#: Methods that choose their number themselves; for k below it the first k are taken.
DECIDE = {"FCBF", "CFS", "IAMB", "ACE", "boruta", "MRMR auto", "ForwardSelection auto"}

#: Methods that are run only when asked for by name: seconds to minutes on each half, or close to
#: another method of the table.
ON_REQUEST = {
    "ACE", "boruta", "featureranker", "mrmr-selection", "mutual information",
    "MRMR r/r", "MRMR discount", "MRMR FCD", "MRMR MIQ", "MRMR MID", "MRMR RFCQ",
    "CMIM", "DISR", "MIM", "JMIM", "CFS", "FastEnsemble forward",
    "RankEnsemble borda", "RankEnsemble robust", "RankEnsemble halves", "FastEnsemble FCQ",
}  # fmt: skip
