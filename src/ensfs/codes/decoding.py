"""Decoding: from the outputs of the columns of a code to a distance from the word of each class.

Outputs are margins, or signs: positive where a member says 1. All rules take an array of outputs of
shape (n_rows, n_columns) and a code of shape (n_classes, n_columns), and give (n_rows, n_classes).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ensfs._utils.ties import TIE_TOLERANCE

#: Losses of a margin, by name.
LOSSES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "exponential": lambda t: np.exp(-t),
    "linear": lambda t: -t,
    "hinge": lambda t: np.maximum(0.0, 1.0 - t),
}


def hamming(outputs: np.ndarray, code: np.ndarray) -> np.ndarray:
    """Number of columns whose sign is not that of the word; a 0 counts one half. Least wins."""
    signs = np.sign(outputs)
    return (code.shape[1] - signs @ code.T.astype(np.float64)) / 2


def inverse_hamming(outputs: np.ndarray, code: np.ndarray) -> np.ndarray:
    """Solution q of ``D q = L``: D distances between words, L those of a row. Largest wins.

    Only for codes without 0. Where D is singular, the solution of least norm.
    """
    if (code == 0).any():
        raise ValueError('decoding="inverse_hamming" needs a code without 0.')
    words = code.astype(np.float64)
    between = (code.shape[1] - words @ words.T) / 2
    return hamming(outputs, code) @ np.linalg.pinv(between, hermitian=True)


def euclidean(outputs: np.ndarray, code: np.ndarray) -> np.ndarray:
    """Euclidean distance of the outputs from the word. Least wins."""
    return np.sqrt(_sum_over_columns(lambda x, m: (x - m) ** 2, outputs, code))


def attenuated(outputs: np.ndarray, code: np.ndarray) -> np.ndarray:
    """Euclidean distance in which a column costs nothing where the word is 0. Least wins.

    The squares are weighted by the absolute outputs.
    """
    return np.sqrt(
        _sum_over_columns(lambda x, m: np.abs(m) * np.abs(x) * (x - m) ** 2, outputs, code)
    )


def loss_based(outputs: np.ndarray, code: np.ndarray, loss: str = "exponential") -> np.ndarray:
    """Sum of the losses of the margins, output times entry of the word. Least wins."""
    of_margin = LOSSES[loss]
    return _sum_over_columns(lambda x, m: of_margin(x * m), outputs, code)


def loss_weighted(
    outputs: np.ndarray, code: np.ndarray, weights: np.ndarray, loss: str = "exponential"
) -> np.ndarray:
    """Weighted sum of the losses of the margins; see `hit_shares`. Least wins."""
    of_margin = LOSSES[loss]
    total = np.zeros((len(outputs), len(code)))
    for j in range(code.shape[1]):
        total += weights[:, j] * of_margin(outputs[:, j, None] * code[:, j])
    return total


def laplacian(outputs: np.ndarray, code: np.ndarray) -> np.ndarray:
    """(a + 1) / (a + b + 2) for a agreements and b disagreements in sign. Largest wins.

    Columns where the word is 0 count neither.
    """
    signs, words = np.sign(outputs), code.astype(np.float64)
    balance = signs @ words.T  # a - b
    counted = np.abs(signs) @ np.abs(words).T  # a + b
    return (balance + counted + 2) / (2 * (counted + 2))


def probabilistic(
    outputs: np.ndarray, code: np.ndarray, slopes: np.ndarray, intercepts: np.ndarray
) -> np.ndarray:
    """Minus the log probability of the word, columns being independent. Least wins.

    `slopes` and `intercepts` are those of `platt_scaling` for each column.
    """
    scaled = slopes * outputs + intercepts
    return _sum_over_columns(lambda x, m: np.logaddexp(0.0, m * x) * (m != 0), scaled, code)


def weighted_l1(
    outputs: np.ndarray, code: np.ndarray, weights: np.ndarray | None = None
) -> np.ndarray:
    """Weighted sum of the absolute differences, half of them: those of numbers from 0 to 1.

    Outputs beyond -1 and 1 count as these. Least wins.
    """
    if weights is None:
        weights = np.full(code.shape, 1.0 / code.shape[1])
    near, total = np.clip(outputs, -1.0, 1.0), np.zeros((len(outputs), len(code)))
    for j in range(code.shape[1]):
        total += weights[:, j] * np.abs(near[:, j, None] - code[:, j]) / 2
    return total


def hit_shares(
    outputs: np.ndarray,
    y: np.ndarray,
    code: np.ndarray,
    sample_weight: np.ndarray | None = None,
) -> np.ndarray:
    """Weights of `loss_weighted`: how often rows of a class get the sign of its word.

    Parameters
    ----------
    outputs : ndarray of shape (n_rows, n_columns)
        Outputs for the training rows.
    y : ndarray of int, shape (n_rows,)
        Number of the class of each row.
    code : ndarray of shape (n_classes, n_columns)
        The code.
    sample_weight : ndarray of shape (n_rows,), optional
        Weights of the rows.

    Returns
    -------
    ndarray of shape (n_classes, n_columns)
        0 where the word is 0; the weights of a class sum to 1.
    """
    weight = np.ones(len(y)) if sample_weight is None else sample_weight
    hits = (np.sign(outputs) == code[y]) & (code[y] != 0)
    shares = np.zeros(code.shape)
    for c in range(len(code)):
        shares[c] = weight[y == c] @ hits[y == c]
    return normalised_rows(shares, code)


def normalised_rows(weights: np.ndarray, code: np.ndarray) -> np.ndarray:
    """Weights of each class divided by their sum; equal ones for a class that has none."""
    used = (code != 0).astype(np.float64)
    weights = np.where(weights.sum(axis=1, keepdims=True) > 0, weights, used)
    return weights / weights.sum(axis=1, keepdims=True)


def _sum_over_columns(
    cost: Callable[[np.ndarray, np.ndarray], np.ndarray], outputs: np.ndarray, code: np.ndarray
) -> np.ndarray:
    """Sum of costs over the columns, one at a time: no array of rows, classes and columns."""
    total = np.zeros((len(outputs), len(code)))
    words = code.astype(np.float64)
    for j in range(code.shape[1]):
        total += cost(outputs[:, j, None], words[:, j])
    return total


#: The rules that need nothing but outputs and code, and whether the largest value wins.
PLAIN_RULES: dict[str, tuple[Callable[[np.ndarray, np.ndarray], np.ndarray], bool]] = {
    "hamming": (hamming, False),
    "inverse_hamming": (inverse_hamming, True),
    "euclidean": (euclidean, False),
    "attenuated": (attenuated, False),
    "laplacian": (laplacian, True),
}


def decode(
    outputs,
    code,
    rule="hamming",
    *,
    loss="exponential",
    weights=None,
    slopes=None,
    intercepts=None,
) -> np.ndarray:
    """Distances of the outputs of the columns from the words of the classes, or likenesses.

    Parameters
    ----------
    outputs : array-like of shape (n_rows, n_columns)
        Margins or signs of the columns.
    code : array-like of shape (n_classes, n_columns)
        The code, with -1, 0 and 1.
    rule : str, default="hamming"
        Distances, of which the least wins: "hamming" (signs that differ, a 0 is one half),
        "euclidean", "attenuated" (Euclidean, columns count by the absolute output, and not where
        the word is 0), "loss" (sum of the losses of the margins), "loss_weighted" (weighted),
        "probabilistic" (minus the log probability of the word), "l1" (weighted absolute
        differences). Likenesses, of which the largest wins: "inverse_hamming" (for codes without
        0), "laplacian" (share of the columns that agree, smoothed).
    loss : {"exponential", "linear", "hinge"}, default="exponential"
        For "loss" and "loss_weighted".
    weights : array-like of shape (n_classes, n_columns), optional
        For "loss_weighted", which needs them, and for "l1" and "hamming", where None weights all
        columns alike.
    slopes, intercepts : array-like of shape (n_columns,), optional
        For "probabilistic": those of `platt_scaling` for each column.

    Returns
    -------
    ndarray of shape (n_rows, n_classes)

    References
    ----------
    S. Escalera, O. Pujol and P. Radeva (2010), On the decoding process in ternary error-correcting
    output codes, IEEE PAMI 32, 120-134.

    Examples
    --------
    >>> from ensfs.codes import decode, one_vs_one
    >>> decode([[1, 1, -1]], one_vs_one(3))
    array([[0.5, 2.5, 1.5]])
    """
    outputs, code = np.atleast_2d(np.asarray(outputs, dtype=np.float64)), np.asarray(code)
    if outputs.shape[1] != code.shape[1]:
        raise ValueError(
            f"outputs must have a column for each of the {code.shape[1]} columns of the code; got "
            f"shape {outputs.shape}."
        )
    if loss not in LOSSES:
        raise ValueError(f"loss must be one of {sorted(LOSSES)}; got {loss!r}.")
    if weights is not None:
        weights = np.asarray(weights, dtype=np.float64)
    if rule == "hamming" and weights is not None:
        return weighted_l1(np.sign(outputs), code, weights)
    if rule in PLAIN_RULES:
        return PLAIN_RULES[rule][0](outputs, code)
    if rule == "loss":
        return loss_based(outputs, code, loss)
    if rule == "l1":
        return weighted_l1(outputs, code, weights)
    if rule == "loss_weighted" and weights is not None:
        return loss_weighted(outputs, code, weights, loss)
    if rule == "probabilistic" and slopes is not None and intercepts is not None:
        return probabilistic(outputs, code, np.asarray(slopes), np.asarray(intercepts))
    if rule in RULES:
        needed = "weights" if rule == "loss_weighted" else "slopes and intercepts"
        raise ValueError(f"{needed} must be given for rule={rule!r}; got None.")
    raise ValueError(f"rule must be one of {sorted(RULES)}; got {rule!r}.")


#: All rules.
RULES = (*PLAIN_RULES, "loss", "loss_weighted", "probabilistic", "l1")


def likeness(values: np.ndarray, rule: str) -> np.ndarray:
    """What `decode` gives, with the sign that makes the largest win.

    What differs from the largest by rounding alone is equal to it, so that the first of tied
    classes wins: sums of the same terms differ by their order. For "l1" it is the score of the
    paper on expressions, 1 less the distance.
    """
    largest_wins = rule in PLAIN_RULES and PLAIN_RULES[rule][1]
    scores = values if largest_wins else (1.0 if rule == "l1" else 0.0) - values
    best = scores.max(axis=-1, keepdims=True)
    tied = scores >= best - TIE_TOLERANCE * np.maximum(1.0, np.abs(best))
    return np.where(tied, best, scores)
