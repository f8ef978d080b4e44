"""The definitions, slowly: a few lines of plain Python for each measure, obviously right.

Columns are sequences of numbers or of hashable values, lists or arrays. Tests import them by
``from twins import information``.
"""

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import scipy.stats


def listed(x):
    """The values of a column as Python objects, which are counted quickly."""
    return x.tolist() if isinstance(x, np.ndarray) else list(x)


def varies(x):
    """Whether a column has two different values."""
    return len(x) > 0 and np.min(x) != np.max(x)


# ---------------------------------------- counts, in bits


def entropy(*columns):
    """Joint entropy of the columns."""
    counts = Counter(zip(*map(listed, columns), strict=True))
    n = counts.total()
    return math.fsum(c / n * math.log2(n / c) for c in counts.values())


def information(x, y):
    """Mutual information; terms with c n = a b are exactly 0."""
    x, y = listed(x), listed(y)
    n, a, b = len(x), Counter(x), Counter(y)
    return math.fsum(
        c / n * math.log2(c * n / (a[u] * b[v]))
        for (u, v), c in Counter(zip(x, y, strict=True)).items()
    )


def uncertainty(x, y):
    """Symmetrical uncertainty, in [0, 1]; 0 if one of the columns is constant."""
    both = entropy(x), entropy(y)
    return min(1.0, 2 * information(x, y) / sum(both)) if min(both) > 0 else 0.0


def conditional(x, y, z):
    """I(x; y | z); z holds a value, or a tuple of values, in every row."""
    x, y, z = listed(x), listed(y), listed(z)
    n, of_z = len(x), Counter(z)
    xz, yz = Counter(zip(x, z, strict=True)), Counter(zip(y, z, strict=True))
    return math.fsum(
        c / n * math.log2(c * of_z[w] / (xz[u, w] * yz[v, w]))
        for (u, v, w), c in Counter(zip(x, y, z, strict=True)).items()
    )


def joint(f, g, y):
    """I(f, g; y)."""
    return information(list(zip(listed(f), listed(g), strict=True)), y)


def relative(f, g, y):
    """I(f, g; y) / H(f, g, y); 0 if all three are constant."""
    total = entropy(f, g, y)
    return joint(f, g, y) / total if total > 0 else 0.0


def chance(n, a, b, given=1):
    """What the information of independent columns is from n rows, by their levels, in bits."""
    return (a - 1) * (b - 1) * given / (2 * n * math.log(2))


def n_levels(x):
    """Different values of a column."""
    return len(set(listed(x)))


def corrected(measure):
    """One of the measures above without what chance gives: below 0 unless it is a share."""

    def information_beyond(x, y):
        return information(x, y) - chance(len(x), n_levels(x), n_levels(y))

    def conditional_beyond(x, y, z):
        by_chance = chance(len(x), n_levels(x), n_levels(y), n_levels(z))
        return conditional(x, y, z) - by_chance

    def joint_beyond(f, g, y):
        return joint(f, g, y) - chance(len(f), n_levels(f) * n_levels(g), n_levels(y))

    def relative_beyond(f, g, y):
        total = entropy(f, g, y)
        return joint_beyond(f, g, y) / total if total > 0 else 0.0

    def uncertainty_beyond(x, y):
        both = entropy(x), entropy(y)
        beyond = max(0.0, information_beyond(x, y))
        return min(1.0, 2 * beyond / sum(both)) if min(both) > 0 else 0.0

    return {
        information: information_beyond, conditional: conditional_beyond, joint: joint_beyond,
        relative: relative_beyond, uncertainty: uncertainty_beyond,
    }[measure]  # fmt: skip


def g_square(x, y, Z, df):
    """Statistic, degrees of freedom and p-value of G²; Z holds a tuple for every row."""
    statistic = 2 * len(x) * math.log(2) * conditional(x, y, Z)
    degrees = (len(set(x)) - 1) * (len(set(y)) - 1)
    if df == "full":
        degrees *= math.prod(len(set(z)) for z in zip(*Z, strict=True))
    elif df == "slices":
        degrees *= len(set(Z))
    else:
        degrees = 0
        for w in set(Z):
            here = [i for i, z in enumerate(Z) if z == w]
            degrees += (len({x[i] for i in here}) - 1) * (len({y[i] for i in here}) - 1)
    return statistic, degrees, scipy.stats.chi2.sf(statistic, degrees) if degrees else 1.0


# ---------------------------------------- sums


def centred(x):
    """A column without its mean, in extended precision."""
    x = np.asarray(x).astype(np.longdouble)
    x = x - x.mean()
    return x - x.mean()


def pearson(x, y):
    """Correlation with its sign; 0 if one of the columns is constant.

    Whole numbers are summed as integers, so that a correlation of 0 is exactly 0.
    """
    x, y = np.asarray(x), np.asarray(y)
    if not (varies(x) and varies(y)):
        return 0.0
    if (x == np.rint(x)).all() and (y == np.rint(y)).all():
        x, y, n = [int(v) for v in x], [int(v) for v in y], len(x)
        xy = n * sum(a * b for a, b in zip(x, y, strict=True)) - sum(x) * sum(y)
        xx = n * sum(a * a for a in x) - sum(x) ** 2
        yy = n * sum(b * b for b in y) - sum(y) ** 2
        return xy / math.sqrt(xx * yy)
    a, b = centred(x), centred(y)
    return float((a * b).sum() / np.sqrt((a * a).sum() * (b * b).sum()))


def discounted(relevance, redundancies):
    """What is left of a relevance beside the column that is most alike; of a copy nothing."""
    largest = max(redundancies)
    if relevance <= 0.0:
        return relevance
    return relevance * (1.0 - largest**2) ** 2 if 1.0 - largest > 1e-14 else 0.0


def f_classes(x, y):
    """F statistic of the analysis of variance; infinite if only the class means differ.

    Whole numbers are summed as integers, so that equal class means give exactly 0.
    """
    x, y = np.asarray(x), np.asarray(y)
    labels, n = np.unique(y), len(x)
    if not varies(x) or len(labels) < 2 or n <= len(labels):
        return 0.0
    if (x == np.rint(x)).all():
        groups = [[int(v) for v in x[y == c]] for c in labels]
        total = sum(map(sum, groups))
        of_means = sum(Fraction(sum(g) ** 2, len(g)) for g in groups)
        between = of_means - Fraction(total**2, n)
        within = sum(v * v for g in groups for v in g) - of_means
    else:
        d = centred(x)
        between = sum((y == c).sum() * d[y == c].mean() ** 2 for c in labels)
        within = sum((centred(d[y == c]) ** 2).sum() for c in labels if varies(x[y == c]))
    if within == 0:
        return math.inf
    return float(between * (n - len(labels)) / (within * (len(labels) - 1)))


def f_numbers(x, y):
    """F statistic of a line, from the sum of its squared residuals, which may be small."""
    a, b = centred(x), centred(y)
    slope = (a * b).sum() / (a * a).sum()
    residual = ((b - slope * a) ** 2).sum()
    return float(slope * slope * (a * a).sum() / residual * (len(x) - 2))


# ---------------------------------------- cuts


def mdl_cuts(x, y, better_encoding=False):
    """Cut points by minimum description length; the power of three is an exact integer."""
    pairs = sorted((float(a), b) for a, b in zip(x, y, strict=True) if not math.isnan(a))
    x, y = [a for a, _ in pairs], [b for _, b in pairs]
    n = len(x)
    candidates = [i for i in range(1, n) if x[i - 1] < x[i]]
    best, least = None, entropy(y) if n else 0.0
    for i in candidates:
        weighted = (i * entropy(y[:i]) + (n - i) * entropy(y[i:])) / n
        if weighted < least - 1e-12:
            best, least = i, weighted
    if best is None:
        return []
    left, right = y[:best], y[best:]
    k, k1, k2 = len(set(y)), len(set(left)), len(set(right))
    choices = len(candidates) if better_encoding else n - 1
    delta = math.log2(3**k - 2) - (k * entropy(y) - k1 * entropy(left) - k2 * entropy(right))
    if not entropy(y) - least > (math.log2(choices) + delta) / n:
        return []
    middle = x[best - 1] / 2 + x[best] / 2
    return [
        *mdl_cuts(x[:best], left, better_encoding),
        middle if middle < x[best] else x[best - 1],
        *mdl_cuts(x[best:], right, better_encoding),
    ]
