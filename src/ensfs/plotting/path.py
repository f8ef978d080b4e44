"""One selection step by step."""

from __future__ import annotations

from typing import Any

import numpy as np

from ensfs._utils.docs import with_docs
from ensfs.plotting._style import (
    BAR_DOCS,
    COLOURS,
    check_fitted,
    check_max_features,
    column_names,
    group_labels,
    new_axes,
    quiet,
    row_groups,
    row_height,
    strip,
    styled,
)
from ensfs.statistics.formulas import get_measure

#: Room between two panels, in widths of a panel.
GAP = 0.2

#: A bar is cut if it is so many times as long as the next shorter one, and as half of the bars.
MANY_TIMES = 5


@with_docs(BAR_DOCS)
class SelectionPathDisplay:
    """Score, relevance and redundancy of the selected columns, step by step.

    Three panels share the steps from top to bottom; each has its own unit. A bar that would leave
    the others too short to compare is cut, with its value written on it. Scores that are sums over
    the columns selected before are shown as means. Of more than 40 steps those after the twentieth
    share rows, with their mean. Make it with `from_estimator`; the parameters
    are stored as attributes.

    Parameters
    ----------
    feature_names : sequence of str
        Selected columns in order of selection.
    scores : array-like of shape (n_steps,), or None
        Score of each column when it was selected; infinite where it had no rival. None where it is
        the relevance: then there is no panel for it.
    relevance : array-like of shape (n_steps,)
        Relevance of each column.
    redundancy : array-like of shape (n_steps,), optional
        Mean redundancy with the columns selected before; NaN for the first. None for selectors
        that do not have it: then there is no panel for it.
    units : sequence of str, default=("score", "relevance", "redundancy")
        What the panels say below their values.
    n_selected : int, optional
        How many columns were selected in all, if not all of them are here.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes that hold the panels.
    axes_ : list of matplotlib Axes
        The panels.
    {figure_}

    See Also
    --------
    SelectionFrequencyDisplay : For ensembles, which have no single path.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from ensfs import MRMR
    >>> from ensfs.plotting import SelectionPathDisplay
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> display = SelectionPathDisplay.from_estimator(MRMR(5).fit(X, y))
    >>> [panel.get_xlabel() for panel in display.axes_]
    ['score (discount)', 'relevance (F statistic)', 'redundancy (largest |r|)']
    """

    def __init__(
        self,
        *,
        feature_names,
        scores,
        relevance,
        redundancy=None,
        units=("score", "relevance", "redundancy"),
        n_selected=None,
    ):
        self.feature_names = feature_names
        self.scores = scores
        self.relevance = relevance
        self.redundancy = redundancy
        self.units = units
        self.n_selected = n_selected

    @classmethod
    def from_estimator(cls, selector, *, feature_names=None, max_features=20, ax=None, **kwargs):
        """Draw the path of a fitted selector.

        Parameters
        ----------
        selector : selector
            Fitted, with `indices_`, `scores_` and `relevance_`: `MRMR`, the filters, or
            `InnerEnsemble`. The parts of a `FastEnsemble` each have a path of their own; for it
            there is `SelectionFrequencyDisplay`.
        {feature_names}
        max_features : int, default=20
            Steps to show, from the first.
        {ax, **kwargs}

        Returns
        -------
        SelectionPathDisplay
            The display, drawn.
        """
        check_fitted(selector, "indices_", "scores_", "relevance_")
        if hasattr(selector, "part_selections_"):
            raise ValueError(
                f"The parts of {type(selector).__name__} have different paths; "
                "SelectionFrequencyDisplay shows what they agree on."
            )
        steps = selector.indices_[: check_max_features(max_features)]
        redundancy = getattr(selector, "redundancy_", None)
        scores, relevance = selector.scores_[steps], selector.relevance_[steps]
        units = _units(selector)
        if _sums_terms(selector):  # a sum over more and more columns says little about the column
            scores = scores / np.maximum(1, np.arange(steps.size))
            units = ("score (mean of its terms)", *units[1:])
        return cls(
            feature_names=column_names(selector, feature_names)[steps],
            scores=None if np.array_equal(scores, relevance) else scores,
            relevance=relevance,
            redundancy=None if redundancy is None else redundancy[steps],
            units=units,
            n_selected=selector.indices_.size,
        ).plot(ax=ax, **kwargs)

    def plot(self, ax=None, **kwargs):
        """Draw it.

        Parameters
        ----------
        {ax, **kwargs}

        Returns
        -------
        SelectionPathDisplay
            The display itself.
        """
        n_steps = len(self.feature_names)
        if not n_steps:
            raise ValueError("Nothing was selected, so there is no path to show.")
        panels = [
            (np.asarray(values, dtype=float), unit, colour)
            for values, unit, colour in zip(
                (self.scores, self.relevance, self.redundancy), self.units, COLOURS, strict=False
            )
            if values is not None
        ]
        rows = row_groups(n_steps)
        if ax is None:
            ax = new_axes(2.0 + 2.2 * len(panels), row_height(len(rows)))
        ax.set_axis_off()
        self.ax_, self.figure_ = ax, ax.figure
        self.axes_: list[Any] = []
        width = 1 / (len(panels) + GAP * (len(panels) - 1))
        for i, (values, unit, colour) in enumerate(panels):
            place = (i * (1 + GAP) * width, 0, width, 1)
            panel = ax.inset_axes(place, sharey=self.axes_[0] if i else None)
            self._panel(panel, _means(values, rows), colour, **kwargs)
            panel.set_xlabel(unit)
            panel.tick_params(axis="y", length=0, labelleft=i == 0)
            self.axes_.append(panel)
        labels = zip(group_labels(self.feature_names, rows), rows, strict=True)
        names = [f"{name}  {row[0] + 1}" if row.size == 1 else name for name, row in labels]
        self.axes_[0].set_yticks(range(len(rows)), names)
        self.axes_[0].set_ylim(len(rows) - 0.4, -0.6)
        left = (self.n_selected or n_steps) - n_steps
        if left > 0:
            self.axes_[0].set_title(
                f"the first {n_steps}; {left} more were selected", loc="left", fontsize="small"
            )
        return self

    @staticmethod
    def _panel(panel, values, colour, **kwargs):
        finite = np.isfinite(values)
        top = values[finite].max(initial=0.0)
        limit = _cut(values[finite])
        bars = np.minimum(np.where(finite, values, 0.0), limit)
        style = styled("bar", {"color": colour, "height": 0.65}, kwargs)
        panel.barh(np.arange(values.size), bars, **style)
        for i in np.flatnonzero(finite & (values > limit)):
            panel.text(
                limit, i, f"{values[i]:.3g} » ", va="center", ha="right", fontsize="small",
                color="white",
            )  # fmt: skip
        for i in np.flatnonzero(~finite):
            words = "infinite" if values[i] == np.inf else "none before"
            panel.text(0.0, i, f" {words}", va="center", fontsize="small", color=quiet())
        if top <= 0 and values[finite].min(initial=0.0) >= 0:
            panel.set_xlim(0, 1)
        panel.locator_params(axis="x", nbins=4)
        strip(panel, "x")


def _means(values: np.ndarray, rows: list[np.ndarray]) -> np.ndarray:
    """The value of each row: that of its column, or the mean of the finite ones it stands for."""
    known = [values[row][np.isfinite(values[row])] if row.size > 1 else values[row] for row in rows]
    return np.array([each.mean() if each.size else np.nan for each in known])


def _cut(values: np.ndarray) -> float:
    """The longest bar to draw: infinite, unless a few values are many times all others."""
    ordered = np.sort(values[values > 0])
    for i in range(-(-ordered.size // 2), ordered.size):
        if ordered[i] > MANY_TIMES * ordered[i - 1]:
            return 1.5 * float(ordered[i - 1])
    return np.inf


def _sums_terms(selector: Any) -> bool:
    """Whether the score of a column is a sum of terms with all columns selected before it."""
    criterion = getattr(getattr(selector, "selector_", selector), "_criterion", None)
    return criterion is not None and (criterion.combine, criterion.score) == ("sum", "terms")


def _units(selector: Any) -> tuple[str, ...]:
    """What the numbers of a selector are."""
    selector = getattr(selector, "selector_", selector)
    words = {
        "f_test": "F statistic", "pearson": "|r|", "mutual_information": "bits",
        "forest": "importance", "given": "given",
    }  # fmt: skip
    if hasattr(selector, "measures_"):
        relevance, redundancy, scheme = selector.measures_
        return (
            f"score ({scheme})",
            f"relevance ({words[relevance]})",
            f"redundancy ({'largest' if scheme == 'discount' else 'mean'} {words[redundancy]})",
        )
    measure = getattr(selector, "_measure", None)
    if measure is None:
        return "score", "relevance", "redundancy"
    unit = "uncertainty" if get_measure(measure).own_relevance else "bits"
    return "score", f"relevance ({unit})", "redundancy"
