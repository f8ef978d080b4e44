"""The textbook formulation of mRMR on plain numpy: the floor that a library has to beat.

Standardize the table once, in float64; then relevance by the F statistic and, per step, the
correlations of all columns with the column chosen last by one matrix-vector product. Everything is
timed from the raw table. With few levels the mutual information follows from products of
indicator matrices in the same way.
"""

import numpy as np


def greedy(relevance, redundancy_with, k, scheme, offset=0.0):
    """Choose ``k`` columns; ``redundancy_with(g)`` gives all redundancies with ``g``."""
    chosen = [int(np.argmax(relevance))]
    total = np.zeros_like(relevance)
    taken = np.zeros(relevance.size, dtype=bool)
    while len(chosen) < k:
        taken[chosen[-1]] = True
        total += redundancy_with(chosen[-1])
        if scheme == "quotient":
            with np.errstate(divide="ignore", invalid="ignore"):
                score = relevance / (total / len(chosen) + offset)
            score[relevance == 0] = 0.0
        else:
            score = relevance - total / len(chosen)
        score[taken] = -np.inf
        chosen.append(int(np.argmax(score)))
    return np.array(chosen)


def standardize(X):
    """Columns with mean 0 and Euclidean norm 1; constant columns become 0."""
    Z = X - X.mean(axis=0)
    norm = np.sqrt(np.einsum("ij,ij->j", Z, Z))
    norm[norm == 0] = np.inf
    Z /= norm
    return Z


def f_statistic(Z, y):
    """One-way analysis of variance of standardized columns (total sum of squares 1)."""
    classes, counts = np.unique(y, return_counts=True)
    indicator = (y[:, None] == classes) / np.sqrt(counts)
    means = indicator.T @ Z
    between = np.einsum("ij,ij->j", means, means)
    within = np.maximum(1 - between, np.finfo(float).tiny)
    return between / within * (len(y) - classes.size) / (classes.size - 1)


def mrmr_f(X, y, k, scheme="quotient", floor=0.0, offset=0.0):
    """F relevance, absolute correlation as redundancy (smaller ones count as ``floor``)."""
    Z = standardize(np.asarray(X, dtype=np.float64))

    def redundancy(g):
        r = np.abs(Z[:, g] @ Z)
        return np.maximum(r, floor, out=r) if floor else r

    return greedy(f_statistic(Z, y), redundancy, k, scheme, offset)


def mrmr_mi(X, y, k, scheme="quotient", floor=0.0, offset=0.0):
    """Mutual information (bits) for both, by products of indicator matrices."""
    n, p = X.shape
    levels = np.unique(X)
    # float32 holds counts up to 2**24 exactly
    indicators = [(X == level).astype(np.float32) for level in levels]
    margins = np.stack([indicator.sum(axis=0) for indicator in indicators])

    def information(target):
        codes, counts = np.unique(target, return_counts=True)
        one_hot = (target[:, None] == codes).astype(np.float32)
        total = np.zeros(p)
        for indicator, margin in zip(indicators, margins, strict=True):
            joint = (one_hot.T @ indicator).astype(np.float64)
            expected = np.outer(counts, margin.astype(np.float64)) / n
            ratio = np.divide(joint, expected, out=np.ones_like(joint), where=joint > 0)
            total += (joint / n * np.log2(ratio)).sum(axis=0)
        return np.maximum(total, 0.0)

    def redundancy(g):
        return np.maximum(information(X[:, g]), floor)

    return greedy(information(y), redundancy, k, scheme, offset)


def mrmr(X, y, k, scheme="quotient", floor=0.0, offset=0.0):
    """Choose the measure by the type of the table, as the cases are made."""
    return (mrmr_f if X.dtype.kind == "f" else mrmr_mi)(X, y, k, scheme, floor, offset)


def pairwise_mi(X):
    """Mutual information (bits) of all pairs of columns, by one product of indicator matrices."""
    n, p = X.shape
    levels = np.unique(X)
    one_hot = np.concatenate([X == level for level in levels], axis=1).astype(np.float32)
    joint = (one_hot.T @ one_hot).reshape(levels.size, p, levels.size, p)
    margin = one_hot.sum(axis=0).reshape(levels.size, p)
    table = np.arange(n + 1, dtype=np.float64)
    table[1:] *= np.log2(table[1:])  # c log2(c) of every count
    of_pairs = np.zeros((p, p))
    for a in range(levels.size):
        for b in range(a + 1):
            terms = table[joint[a, :, b].astype(np.int32)]
            of_pairs += terms if a == b else terms + terms.T
    of_columns = table[margin.astype(np.int32)].sum(axis=0)
    total = (of_pairs - of_columns[:, None] - of_columns) / n + np.log2(n)
    return np.maximum(total, 0.0)
