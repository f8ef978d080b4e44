"""Greedy criteria, slowly: the definition of each, and a search that evaluates every term."""

import math
from functools import partial

import numpy as np
import twins
from families import GREEDY

from ensfs import CMIM, LCSI

#: What makes the selectors to try: every class, and settings that score differently.
CRITERIA = {c.__name__: c for c in GREEDY} | {
    "CMIM without MI": partial(CMIM, include_mi=False),
    "MIFS": partial(LCSI, beta=0.7, gamma=0.0, average=False),
    "mRMR": partial(LCSI, gamma=0.0),
    "LCSI of sums": partial(LCSI, beta=0.3, gamma=1.7, average=False),
    "LCSI within classes": partial(LCSI, beta=0.0, gamma=0.6),
}

#: By name: the term of a column f with a selected column g, and the score of the relevance and all
#: terms. Without terms the score is the relevance.
DEFINITIONS = {
    "CMIM": (lambda f, g, y: twins.conditional(f, y, g), lambda r, terms: min(r, *terms)),
    "CMIM without MI": (lambda f, g, y: twins.conditional(f, y, g), lambda r, terms: min(terms)),
    "JMI": (twins.joint, lambda r, terms: math.fsum(terms)),
    "JMIM": (twins.joint, lambda r, terms: min(terms)),
    "DISR": (twins.relative, lambda r, terms: math.fsum(terms)),
    "NJMIM": (twins.relative, lambda r, terms: min(terms)),
    "MIM": (lambda f, g, y: 0.0, lambda r, terms: r),
    "CIFE": (
        lambda f, g, y: twins.information(f, g) - twins.conditional(f, g, y),
        lambda r, terms: r - math.fsum(terms),
    ),
    "ICAP": (
        lambda f, g, y: max(0.0, twins.information(f, g) - twins.conditional(f, g, y)),
        lambda r, terms: r - math.fsum(terms),
    ),
    "LCSI": (
        lambda f, g, y: twins.information(f, g) - twins.conditional(f, g, y),
        lambda r, terms: r - math.fsum(terms) / len(terms),
    ),
    "MIFS": (
        lambda f, g, y: 0.7 * twins.information(f, g),
        lambda r, terms: r - math.fsum(terms),
    ),
    "mRMR": (
        lambda f, g, y: twins.information(f, g),
        lambda r, terms: r - math.fsum(terms) / len(terms),
    ),
    "LCSI of sums": (
        lambda f, g, y: 0.3 * twins.information(f, g) - 1.7 * twins.conditional(f, g, y),
        lambda r, terms: r - math.fsum(terms),
    ),
    "LCSI within classes": (
        lambda f, g, y: -0.6 * twins.conditional(f, g, y),
        lambda r, terms: r - math.fsum(terms) / len(terms),
    ),
}


def search_slow(name, X, y, k, parts=None):
    """Columns, their scores, and the relevance of all columns.

    With `parts` (masks of the rows) relevance and terms are means over them. Ties within 1e-12 go
    to the lower column, constant columns never come.
    """
    term, score = DEFINITIONS[name]
    parts = [np.ones(len(y), dtype=bool)] if parts is None else parts
    cells = [(X[rows].T.tolist(), y[rows].tolist()) for rows in parts]

    def mean(measure):
        return math.fsum(measure(columns, labels) for columns, labels in cells) / len(cells)

    p = X.shape[1]
    relevance = [mean(lambda columns, y, f=f: twins.information(columns[f], y)) for f in range(p)]
    left = [f for f in range(p) if any(len(set(columns[f])) > 1 for columns, _ in cells)]
    terms = {f: [] for f in left}
    chosen, scores = [], []
    while left and len(chosen) < k:
        each = {f: score(relevance[f], terms[f]) if chosen else relevance[f] for f in left}
        g = min(f for f in left if each[f] >= max(each.values()) - 1e-12)
        chosen.append(g)
        scores.append(each[g])
        left.remove(g)
        for f in left:
            terms[f].append(mean(lambda columns, y, f=f, g=g: term(columns[f], columns[g], y)))
    return chosen, scores, relevance
