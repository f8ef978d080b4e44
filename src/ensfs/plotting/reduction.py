"""What correlated members leave of an error."""

from __future__ import annotations

from typing import Any

import numpy as np

from ensfs._utils.checks import check_integer
from ensfs._utils.docs import read_descriptions, with_docs
from ensfs.evaluation.diversity import error_correlation, error_reduction
from ensfs.plotting._style import COLOURS, DISPLAY_DOCS, new_axes, series_style, strip, styled

REDUCTION_DOCS = DISPLAY_DOCS | read_descriptions("""
**kwargs : dict
    For the lines; see `matplotlib.axes.Axes.plot`.
""")


@with_docs(REDUCTION_DOCS)
class ErrorReductionDisplay:
    """What averaging leaves of the error of a member, by the number of members.

    A line is a correlation of the members' errors: the lower it is, the more is gained, and the
    more further members add. An ensemble of your own is a star. Make it with `from_correlations` or
    `from_predictions`; the parameters are stored as attributes.

    Parameters
    ----------
    correlations : sequence of float
        Correlations of the errors, one for each line.
    max_members : int, default=20
        The largest number of members.
    member : pair, optional
        Number of members of an ensemble, and the correlation of their errors.

    Attributes
    ----------
    {ax_, figure_}
    lines_ : list of matplotlib Line2D
        The lines, one for each correlation.
    marked_ : matplotlib Line2D or None
        The ensemble.

    See Also
    --------
    ensfs.evaluation.error_reduction : The formula.
    ensfs.evaluation.bayes_error_estimate : What no ensemble can take away, by the same formula.

    References
    ----------
    K. Tumer and N. C. Oza (2003), Input decimated ensembles, Pattern Analysis and Applications 6,
    65-77; figure 1.

    Examples
    --------
    >>> from ensfs.plotting import ErrorReductionDisplay
    >>> display = ErrorReductionDisplay.from_correlations([0.1, 0.9], max_members=8)
    >>> [float(line.get_ydata()[-1].round(3)) for line in display.lines_]
    [0.213, 0.912]
    """

    def __init__(self, *, correlations, max_members=20, member=None):
        self.correlations = correlations
        self.max_members = max_members
        self.member = member

    @classmethod
    def from_correlations(
        cls, correlations=(0.0, 0.1, 0.3, 0.5, 0.7, 0.9), *, max_members=20, ax=None, **kwargs
    ):
        """Draw the lines of some correlations.

        Parameters
        ----------
        correlations : sequence of float, default=(0.0, 0.1, 0.3, 0.5, 0.7, 0.9)
            From 0 to 1.
        max_members : int, default=20
            The largest number of members.
        {ax, **kwargs}

        Returns
        -------
        ErrorReductionDisplay
            The display, drawn.
        """
        return cls(correlations=correlations, max_members=max_members).plot(ax=ax, **kwargs)

    @classmethod
    def from_predictions(
        cls, outputs, y, *, correlations=(0.0, 0.1, 0.3, 0.5, 0.7, 0.9), max_members=None, ax=None,
        **kwargs,
    ):  # fmt: skip
        """Draw the lines, and an ensemble by what its members predict.

        Parameters
        ----------
        outputs : array-like of shape (n_members, n_samples, n_classes) or (n_members, n_samples)
            Probabilities or labels, as `ensfs.evaluation.error_correlation` takes them.
        y : array-like of shape (n_samples,)
            True classes, of rows that the members were not trained on.
        correlations : sequence of float, default=(0.0, 0.1, 0.3, 0.5, 0.7, 0.9)
            From 0 to 1.
        max_members : int, optional
            The largest number of members; by default 20, or as many as there are.
        {ax, **kwargs}

        Returns
        -------
        ErrorReductionDisplay
            The display, drawn.
        """
        delta = error_correlation(outputs, y)
        if not np.isfinite(delta):
            raise ValueError("The errors of these members have no correlation to draw.")
        n = len(outputs)
        most = max(20, n) if max_members is None else max_members
        return cls(correlations=correlations, max_members=most, member=(n, delta)).plot(
            ax=ax, **kwargs
        )

    def plot(self, ax=None, **kwargs):
        """Draw it.

        Parameters
        ----------
        {ax, **kwargs}

        Returns
        -------
        ErrorReductionDisplay
            The display itself.
        """
        most = check_integer("max_members", self.max_members, 1)
        members = np.arange(1, most + 1)
        left = [[_left(delta, int(n)) for n in members] for delta in self.correlations]
        ax = new_axes(6.4, 4.2) if ax is None else ax
        self.ax_, self.figure_ = ax, ax.figure
        self.lines_: list[Any] = []
        for delta, values in zip(self.correlations, left, strict=True):
            style = series_style(ax) | {"label": f"δ = {delta:g}", "markersize": 3.5}
            self.lines_ += ax.plot(members, np.array(values), **styled("line", style, kwargs))
        self.marked_ = None
        if self.member is not None:
            n, delta = self.member
            (self.marked_,) = ax.plot(
                [n], [error_reduction(delta, n)], "*", color=COLOURS[1], markersize=15,
                label=f"this ensemble, δ = {delta:.2f}",
            )  # fmt: skip
        ax.set(xlabel="members", ylabel="share of the added error that is left", ylim=(0, 1.04))
        ax.xaxis.get_major_locator().set_params(integer=True)
        strip(ax, "y")
        ax.legend(frameon=False, fontsize="small", loc="upper left", bbox_to_anchor=(1, 1))
        return self


def _left(delta: float, n_members: int) -> float:
    if not 0 <= delta <= 1:
        raise ValueError(f"correlations must lie between 0 and 1; got {delta!r}.")
    return error_reduction(float(delta), n_members)
