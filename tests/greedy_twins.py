"""Greedy criteria, slowly: the definition of each, and a search that evaluates every term."""

import math
from functools import partial

import numpy as np
import twins
from families import GREEDY

from ensfs import CMIM, LCSI

#: What makes the selectors to try: every class, and settings that score differently.
WAYS = {c.__name__: c for c in GREEDY} | {
    "CMIM without MI": partial(CMIM, include_mi=False),
    "MIFS": partial(LCSI, beta=0.7, gamma=0.0, average=False),
    "mRMR": partial(LCSI, gamma=0.0),
    "LCSI of sums": partial(LCSI, beta=0.3, gamma=1.7, average=False),
    "LCSI within classes": partial(LCSI, beta=0.0, gamma=0.6),
}
#: As published, and without what chance gives.
CRITERIA = {name: partial(make, correction=None) for name, make in WAYS.items()}
CORRECTED = {
    f"{name} corrected": partial(make, correction="miller_madow") for name, make in WAYS.items()
}


def definitions(of=lambda measure: measure):
    """The term of a column f with a selected column g, and the score of the relevance and terms.

    `of` gives the version of a measure to use. Without terms the score is the relevance.
    """
    information, conditional = of(twins.information), of(twins.conditional)
    joint, relative = of(twins.joint), of(twins.relative)

    def given(f, g, y):
        return conditional(f, y, g)

    def redundancy(f, g, y):
        return max(0.0, information(f, g))  # below chance is none

    def within(f, g, y):
        return conditional(f, g, y)

    def shared(f, g, y):
        return information(f, g) - within(f, g, y)

    def minus_sum(r, terms):
        return r - math.fsum(terms)

    def minus_mean(r, terms):
        return r - math.fsum(terms) / len(terms)

    def total(r, terms):
        return math.fsum(terms)

    def least(r, terms):
        return min(terms)

    return {
        "CMIM": (given, lambda r, terms: min(r, *terms)),
        "CMIM without MI": (given, least),
        "JMI": (joint, total),
        "JMIM": (joint, least),
        "DISR": (relative, total),
        "NJMIM": (relative, least),
        "MIM": (lambda f, g, y: 0.0, lambda r, terms: r),
        "CIFE": (shared, minus_sum),
        "ICAP": (lambda f, g, y: max(0.0, shared(f, g, y)), minus_sum),
        "LCSI": (shared, minus_mean),
        "MIFS": (lambda f, g, y: 0.7 * redundancy(f, g, y), minus_sum),
        "mRMR": (redundancy, minus_mean),
        "LCSI of sums": (
            lambda f, g, y: 0.3 * information(f, g) - 1.7 * within(f, g, y),
            minus_sum,
        ),
        "LCSI within classes": (lambda f, g, y: -0.6 * within(f, g, y), minus_mean),
    }


DEFINITIONS = definitions() | {
    f"{name} corrected": definition for name, definition in definitions(twins.corrected).items()
}


def search_slow(name, X, y, k, parts=None, included=()):
    """Columns, their scores, and the relevance of all columns; first those that are included.

    With `parts` (masks of the rows) relevance and terms are means over them. Ties within 1e-12 go
    to the lower column, constant columns never come.
    """
    term, score = DEFINITIONS[name]
    parts = [np.ones(len(y), dtype=bool)] if parts is None else parts
    cells = [(X[rows].T.tolist(), y[rows].tolist()) for rows in parts]

    def mean(measure):
        return math.fsum(measure(columns, labels) for columns, labels in cells) / len(cells)

    p = X.shape[1]
    relevant = twins.corrected(twins.information) if name in CORRECTED else twins.information
    relevance = [mean(lambda columns, y, f=f: relevant(columns[f], y)) for f in range(p)]
    left = [f for f in range(p) if any(len(set(columns[f])) > 1 for columns, _ in cells)]
    terms = {f: [] for f in left}
    chosen, scores = list(included), [math.nan] * len(included)
    left = [f for f in left if f not in included]
    for g in included:
        for f in left:
            terms[f].append(mean(lambda columns, y, f=f, g=g: term(columns[f], columns[g], y)))
    while left and len(chosen) < k:
        each = {f: score(relevance[f], terms[f]) if chosen else relevance[f] for f in left}
        g = min(f for f in left if each[f] >= max(each.values()) - 1e-12)
        chosen.append(g)
        scores.append(each[g])
        left.remove(g)
        for f in left:
            terms[f].append(mean(lambda columns, y, f=f, g=g: term(columns[f], columns[g], y)))
    return chosen, scores, relevance
