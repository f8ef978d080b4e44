"""How many columns stability selection may select by mistake (Shah and Samworth 2013)."""

from __future__ import annotations

import math
from numbers import Real

from ensfs._utils.checks import check_integer

__all__ = ["stability_bound", "stability_threshold"]

#: Bounds that exceed what is asked for by no more than this do so by rounding.
SLACK = 1e-12


def stability_bound(q, p, threshold, n_pairs=50, *, bound="unimodal"):
    r"""Bound the expected number of columns that stability selection selects by mistake.

    A selector is run on both halves of each of :math:`B` random partitions of the rows, and the
    columns that a share of at least :math:`\tau` of the :math:`2B` halves select are kept. Call a
    column unlikely if a half selects it with a probability of at most :math:`\theta = q / p`. The
    expected number of unlikely columns that are kept is at most :math:`C \, q^2 / p`, where

    .. math::
        C &= \frac{1}{2 \tau - 1} \quad\text{(Markov)}, \\
        C &= \frac{1}{2 (2 \tau - 1 - 1 / (2B))} \quad\text{or}\quad
             \frac{4 (1 - \tau + 1 / (2B))}{1 + 1 / B}
             \quad\text{(unimodal, for } \tau \le 3/4 \text{ and above)}.

    Parameters
    ----------
    q : float
        Mean number of columns that a half selects.
    p : int
        Number of columns of the table.
    threshold : float
        The share :math:`\tau`, above 1/2 and at most 1.
    n_pairs : int, default=50
        Number of pairs of halves :math:`B`.
    bound : {"unimodal", "markov"}, default="unimodal"
        "markov" supposes nothing. "unimodal" is about half of it, or less, and supposes that the
        share of pairs whose halves both select a column has a unimodal distribution; it needs
        :math:`\theta \le 1 / \sqrt 3` and a threshold above
        :math:`\min(1/2 + \theta^2, 1/2 + 1/(2B) + 3 \theta^2 / 4)`.

    Returns
    -------
    float
        The bound; infinite where the conditions of "unimodal" do not hold.

    See Also
    --------
    stability_threshold : The least threshold with a given bound.
    StabilitySelector : Selects by it.

    References
    ----------
    R. D. Shah and R. J. Samworth (2013), Variable selection with error control: another look at
    stability selection, Journal of the Royal Statistical Society B 75(1), 55-80. N. Meinshausen and
    P. Bühlmann (2010), Stability selection, Journal of the Royal Statistical Society B 72(4),
    417-473.

    Examples
    --------
    >>> from ensfs.evaluation import stability_bound
    >>> round(stability_bound(15, 150, 0.9), 3), stability_bound(15, 150, 0.9, bound="markov")
    (0.647, 1.875)
    """
    share, pairs = _check(q, p, n_pairs, bound)
    if not isinstance(threshold, Real) or not 0.5 < float(threshold) <= 1:
        raise ValueError(f"threshold must be above 0.5 and at most 1; got {threshold!r}.")
    return _constant(float(threshold), share, pairs, bound) * share * float(q)


def stability_threshold(q, p, n_pairs=50, *, expected_false=1.0, bound="unimodal"):
    r"""Give the least threshold of stability selection that keeps mistakes below a number.

    Parameters
    ----------
    q : float
        Mean number of columns that a half selects.
    p : int
        Number of columns of the table.
    n_pairs : int, default=50
        Number of pairs of halves :math:`B`.
    expected_false : float, default=1.0
        What `stability_bound` is to be at most.
    bound : {"unimodal", "markov"}, default="unimodal"
        As in `stability_bound`.

    Returns
    -------
    float or None
        A multiple of :math:`1 / (2B)` above 1/2; None if there is none.

    See Also
    --------
    stability_bound : The bound.

    Examples
    --------
    >>> from ensfs.evaluation import stability_threshold
    >>> stability_threshold(15, 150), stability_threshold(15, 150, bound="markov")
    (0.84, None)
    """
    share, pairs = _check(q, p, n_pairs, bound)
    if not isinstance(expected_false, Real) or not float(expected_false) > 0:
        raise ValueError(f"expected_false must be above 0; got {expected_false!r}.")
    for halves in range(pairs + 1, 2 * pairs + 1):
        threshold = halves / (2 * pairs)
        if _constant(threshold, share, pairs, bound) * share * q <= expected_false + SLACK:
            return threshold
    return None


def _check(q, p, n_pairs, bound) -> tuple[float, int]:
    """The share of the columns that a half selects, and the number of pairs."""
    p = check_integer("p", p, 1)
    if not isinstance(q, Real) or not 0 <= float(q) <= p:
        raise ValueError(f"q must lie between 0 and p={p}; got {q!r}.")
    if bound not in ("unimodal", "markov"):
        raise ValueError(f"bound must be 'unimodal' or 'markov'; got {bound!r}.")
    return float(q) / p, check_integer("n_pairs", n_pairs, 1)


def _constant(threshold: float, share: float, n_pairs: int, bound: str) -> float:
    """The factor of ``q**2 / p``; infinite where the bound does not hold."""
    if bound == "markov":
        return 1 / (2 * threshold - 1)
    step = 1 / (2 * n_pairs)
    least = min(0.5 + share**2, 0.5 + step + 0.75 * share**2)
    if share > 1 / math.sqrt(3) or threshold <= least:
        return math.inf
    if threshold <= 0.75:
        return 1 / (2 * (2 * threshold - 1 - step))
    return 4 * (1 - threshold + step) / (1 + 2 * step)
