"""Margins of rows in two subspaces."""

from __future__ import annotations

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ensfs._utils.checks import check_integer
from ensfs._utils.docs import read_descriptions, with_docs
from ensfs.plotting._style import COLOURS, DISPLAY_DOCS, new_axes, quiet, strip, styled

MARGIN_DOCS = DISPLAY_DOCS | read_descriptions("""
**kwargs : dict
    For the points; see `matplotlib.axes.Axes.plot`.
""")


@with_docs(MARGIN_DOCS)
class MarginsDisplay:
    """How sure a vote is of each row in one subspace and in another.

    A point is a row: its margin, the share of the votes for its class minus the largest share for
    another, by classifiers of one subspace and of a second. Rows below 0 are voted wrong. Those
    that one subspace gets right and the other wrong are marked: what mixing the two can gain.

    Parameters
    ----------
    first : array-like of shape (n_samples,)
        Margins of the rows in one subspace; rows with NaN are left out.
    second : array-like of shape (n_samples,)
        The same in the other.
    names : pair of str, default=("first subspace", "second subspace")
        What the axes are called.

    Attributes
    ----------
    {ax_, figure_}
    points_, marked_ : matplotlib Line2D
        Rows whose margins have the same sign, and the others.

    References
    ----------
    Q.-T. Cai, C.-Y. Peng and C.-S. Zhang (2008), A weighted subspace approach for improving bagging
    performance, ICASSP; figure 1.

    Examples
    --------
    >>> from ensfs.plotting import MarginsDisplay
    >>> display = MarginsDisplay(first=[0.5, -0.2, 0.9], second=[0.1, 0.4, 0.7]).plot()
    >>> len(display.marked_.get_xdata())
    1
    """

    def __init__(self, *, first, second, names=("first subspace", "second subspace")):
        self.first = first
        self.second = second
        self.names = names

    @classmethod
    def from_estimator(cls, ensemble, *, subspaces=(0, 1), ax=None, **kwargs):
        """Draw the margins of two subspaces of a fitted ensemble.

        Parameters
        ----------
        ensemble : WeightedSubspaceBaggingClassifier
            Fitted, with at least two subspaces.
        subspaces : pair of int, default=(0, 1)
            Their numbers.
        {ax, **kwargs}

        Returns
        -------
        MarginsDisplay
            The display, drawn.
        """
        check_is_fitted(ensemble, "margins_")
        n = len(ensemble.margins_)
        a, b = (check_integer("subspaces", each, 0) for each in subspaces)
        if max(a, b) >= n:
            raise ValueError(f"subspaces must be below their number, {n}; got {(a, b)}.")
        names = tuple(
            f"margin in subspace {k} ({ensemble.subspaces_[k].size} columns)" for k in (a, b)
        )
        shown = cls(first=ensemble.margins_[a], second=ensemble.margins_[b], names=names)
        return shown.plot(ax=ax, **kwargs)

    def plot(self, ax=None, **kwargs):
        """Draw it.

        Parameters
        ----------
        {ax, **kwargs}

        Returns
        -------
        MarginsDisplay
            The display itself.
        """
        first, second = (np.asarray(each, dtype=np.float64) for each in (self.first, self.second))
        if first.ndim != 1 or first.shape != second.shape:
            raise ValueError(
                "first and second must hold a margin for each row; got the shapes "
                f"{first.shape} and {second.shape}."
            )
        known = ~(np.isnan(first) | np.isnan(second))
        first, second = first[known], second[known]
        ax = new_axes(5.2, 5.0) if ax is None else ax
        self.ax_, self.figure_ = ax, ax.figure
        differs = np.sign(first) * np.sign(second) < 0
        ax.axhline(0, color=quiet(), linewidth=0.8)
        ax.axvline(0, color=quiet(), linewidth=0.8)
        common = {"linestyle": "none", "markersize": 5, "alpha": 0.7, "markeredgewidth": 0}
        same = common | {"color": COLOURS[0], "marker": "o", "label": "both right or both wrong"}
        (self.points_,) = ax.plot(first[~differs], second[~differs], **styled("line", same, kwargs))
        other = common | {"color": COLOURS[1], "marker": "s", "label": "one right, one wrong"}
        (self.marked_,) = ax.plot(first[differs], second[differs], **styled("line", other, kwargs))
        ax.set(xlabel=self.names[0], ylabel=self.names[1], xlim=(-1.05, 1.05), ylim=(-1.05, 1.05))
        strip(ax, "both")
        ax.legend(frameon=False, fontsize="small", loc="lower left", bbox_to_anchor=(0, 1))
        return self
