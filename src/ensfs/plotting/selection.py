"""One selection step by step, and how often an ensemble selected each column."""

from __future__ import annotations

from typing import Any

import numpy as np

from ensfs._utils.docs import read_descriptions, with_docs
from ensfs.measures.stability import stability_if_defined
from ensfs.plotting._style import (
    COLOURS,
    DARK,
    DISPLAY_DOCS,
    LIGHT,
    QUIET,
    check_fitted,
    check_max_features,
    column_names,
    label_texts,
    new_axes,
    row_height,
    strip,
    styled,
)
from ensfs.selection.halves import describe_parts
from ensfs.statistics.formulas import get_measure

#: Room between two panels, in widths of a panel.
GAP = 0.2

#: A bar is cut if it is so many times as long as the next shorter one, and as half of the bars.
MANY_TIMES = 5


#: Parameters of both displays.
BAR_DOCS = DISPLAY_DOCS | read_descriptions("""
max_features : int, default=20
    Columns to show, from the most frequent.
**kwargs : dict
    For the bars; see `matplotlib.axes.Axes.barh`.
""")


@with_docs(BAR_DOCS)
class SelectionPathDisplay:
    """Score, relevance and redundancy of the selected columns, step by step.

    Three panels share the steps from top to bottom; each has its own unit. A bar that would leave
    the others too short to compare is cut, with its value written on it. Scores that are sums over
    the columns selected before are shown as means. Make it with `from_estimator`; the parameters
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
    ['score (quotient)', 'relevance (F statistic)', 'redundancy (mean |r|)']
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
    def from_estimator(cls, selector, *, feature_names=None, max_features=30, ax=None, **kwargs):
        """Draw the path of a fitted selector.

        Parameters
        ----------
        selector : selector
            Fitted, with `indices_`, `scores_` and `relevance_`: `MRMR`, the filters, or
            `InnerEnsemble`. The parts of a `FastEnsemble` each have a path of their own; for it
            there is `SelectionFrequencyDisplay`.
        {feature_names}
        max_features : int, default=30
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
        if ax is None:
            ax = new_axes(2.0 + 2.2 * len(panels), row_height(n_steps))
        ax.set_axis_off()
        self.ax_, self.figure_ = ax, ax.figure
        self.axes_: list[Any] = []
        width = 1 / (len(panels) + GAP * (len(panels) - 1))
        for i, (values, unit, colour) in enumerate(panels):
            place = (i * (1 + GAP) * width, 0, width, 1)
            panel = ax.inset_axes(place, sharey=self.axes_[0] if i else None)
            self._panel(panel, values, colour, **kwargs)
            panel.set_xlabel(unit)
            panel.tick_params(axis="y", length=0, labelleft=i == 0)
            self.axes_.append(panel)
        names = [f"{name}  {i}" for i, name in enumerate(label_texts(self.feature_names), 1)]
        self.axes_[0].set_yticks(range(n_steps), names)
        self.axes_[0].set_ylim(n_steps - 0.4, -0.6)
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
            panel.text(0.0, i, f" {words}", va="center", fontsize="small", color=QUIET)
        if top <= 0 and values[finite].min(initial=0.0) >= 0:
            panel.set_xlim(0, 1)
        panel.locator_params(axis="x", nbins=4)
        strip(panel, "x")


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
            f"redundancy (mean {words[redundancy]})",
        )
    measure = getattr(selector, "_measure", None)
    if measure is None:
        return "score", "relevance", "redundancy"
    unit = "uncertainty" if get_measure(measure).own_relevance else "bits"
    return "score", f"relevance ({unit})", "redundancy"


@with_docs(BAR_DOCS)
class SelectionFrequencyDisplay:
    """Share of the parts of an ensemble that selected each column, with their stability.

    Make it with `from_estimator` or `from_selections`; the parameters are stored as attributes.

    Parameters
    ----------
    feature_names : sequence of str
        Names of all columns.
    frequency : array-like of shape (n_features,)
        Share of the selections that hold each column.
    support : array-like of bool, shape (n_features,), optional
        Columns in the final selection; they are drawn dark, the others light.
    n_selections : int, optional
        How many selections the shares are of.
    stability : NogueiraStability, optional
        Stability of the selections.
    sampling : str, optional
        What the selections were made from, for the title: "halves of the rows", for example. The
        stability of parts that share most of their rows is not that under new data.
    threshold : float, optional
        The frequency from which on columns are selected, drawn as a line.

    Attributes
    ----------
    {ax_, figure_}
    bars_ : matplotlib BarContainer
        The bars.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from ensfs import MRMR, FastEnsemble
    >>> from ensfs.plotting import SelectionFrequencyDisplay
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> ensemble = FastEnsemble(MRMR(4), n_parts=10).fit(X, y)
    >>> display = SelectionFrequencyDisplay.from_estimator(ensemble)
    >>> display.frequency[display.support]
    array([1. , 0.8, 1. , 1. ])
    """

    def __init__(
        self,
        *,
        feature_names,
        frequency,
        support=None,
        n_selections=None,
        stability=None,
        sampling=None,
        threshold=None,
    ):
        self.feature_names = feature_names
        self.frequency = frequency
        self.support = support
        self.n_selections = n_selections
        self.stability = stability
        self.sampling = sampling
        self.threshold = threshold

    @classmethod
    def from_estimator(cls, ensemble, *, feature_names=None, max_features=20, ax=None, **kwargs):
        """Draw the frequencies of a fitted ensemble.

        Parameters
        ----------
        ensemble : selector
            Fitted, with `selection_frequency_`, such as `FastEnsemble` or `StabilitySelector`,
            whose threshold is drawn.
        {feature_names, max_features, ax, **kwargs}

        Returns
        -------
        SelectionFrequencyDisplay
            The display, drawn.
        """
        check_fitted(ensemble, "selection_frequency_")
        parts = getattr(ensemble, "part_selections_", None)
        return cls(
            feature_names=column_names(ensemble, feature_names),
            frequency=ensemble.selection_frequency_,
            support=ensemble.get_support(),
            n_selections=None if parts is None else len(parts),
            stability=stability_if_defined([] if parts is None else parts, ensemble.n_features_in_),
            sampling=None if parts is None else describe_parts(ensemble),
            threshold=getattr(ensemble, "threshold_", None),
        ).plot(ax=ax, max_features=max_features, **kwargs)

    @classmethod
    def from_selections(
        cls, selections, *, feature_names, support=None, max_features=20, ax=None, **kwargs
    ):
        """Draw how often columns are in selections, of any selector on any samples of rows.

        Parameters
        ----------
        selections : sequence of sequences of int
            Column positions, one sequence for each selection.
        feature_names : sequence of str
            Names of all columns.
        support : array-like of bool, shape (n_features,), optional
            Columns in a final selection; by default those in at least half of the selections.
        {max_features, ax, **kwargs}

        Returns
        -------
        SelectionFrequencyDisplay
            The display, drawn.
        """
        n_features = len(feature_names)
        sets = [np.unique(np.array(list(columns), dtype=np.int64)) for columns in selections]
        if not sets:
            raise ValueError("selections is empty; at least one is needed.")
        frequency = np.bincount(np.concatenate(sets), minlength=n_features) / len(sets)
        if frequency.size > n_features:
            raise ValueError(
                f"A selection holds column {frequency.size - 1}, but there are {n_features} names."
            )
        return cls(
            feature_names=np.asarray(feature_names, dtype=object),
            frequency=frequency,
            support=frequency >= 0.5 if support is None else support,
            n_selections=len(sets),
            stability=stability_if_defined(sets, n_features),
        ).plot(ax=ax, max_features=max_features, **kwargs)

    def plot(self, ax=None, *, max_features=20, **kwargs):
        """Draw it.

        Parameters
        ----------
        {ax}
        max_features : int, default=20
            Columns to show, from the most frequent; never those that nothing selected.
        {**kwargs}

        Returns
        -------
        SelectionFrequencyDisplay
            The display itself.
        """
        frequency = np.asarray(self.frequency, dtype=float)
        support = None if self.support is None else np.asarray(self.support, dtype=bool)
        # of equal frequencies those in the final selection first, then in the order of the table
        first = np.zeros(frequency.size, dtype=bool) if support is None else ~support
        order = np.lexsort((first, -frequency))
        order = order[frequency[order] > 0]
        shown = order[: check_max_features(max_features)]
        if not shown.size:
            raise ValueError("No column was selected, so there are no frequencies to show.")
        ax = new_axes(7.0, row_height(shown.size)) if ax is None else ax
        self.ax_, self.figure_ = ax, ax.figure
        inside = np.ones(shown.size, dtype=bool) if support is None else support[shown]
        style = {
            "color": [DARK if each else LIGHT for each in inside],
            "edgecolor": DARK,
            "linewidth": 0.8,
            "height": 0.65,
        }
        self.bars_ = ax.barh(
            np.arange(shown.size), frequency[shown], **styled("bar", style, kwargs)
        )
        ax.set_yticks(range(shown.size), label_texts([self.feature_names[j] for j in shown]))
        ax.tick_params(axis="y", length=0)
        ax.set_ylim(shown.size - 0.4, -0.6)
        ax.set_xlim(0, 1)
        of = "selections" if self.n_selections is None else f"{self.n_selections} selections"
        ax.set_xlabel(f"share of the {of} that hold the column")
        if self.threshold is not None:
            ax.axvline(
                float(self.threshold), color=COLOURS[1], linewidth=1.2, linestyle=(0, (4, 3))
            )
        ax.set_title(self._title(order.size - shown.size), loc="left", fontsize="medium")
        self._legend(ax, inside)
        strip(ax, "x")
        return self

    def _title(self, n_more: int) -> str:
        lines = []
        if self.stability is not None:
            low, high = self.stability.confidence_interval()
            of = "" if self.sampling is None else f" of {self.sampling}"
            lines.append(
                f"stability{of} {self.stability.stability:.2f} "
                f"(95 % interval {low:.2f} to {min(high, 1.0):.2f})"
            )
        if self.threshold is not None:
            lines.append(f"dashed: threshold {self.threshold:.2f}")
        if n_more:
            lines.append(f"{n_more:,} more columns were selected less often")
        return "\n".join(lines)

    @staticmethod
    def _legend(ax: Any, inside: np.ndarray) -> None:
        if inside.all():
            return
        from matplotlib.patches import Patch

        handles = [
            Patch(facecolor=DARK, edgecolor=DARK, label="in the final selection"),
            Patch(facecolor=LIGHT, edgecolor=DARK, label="not in it"),
        ]
        ax.legend(handles=handles, loc="lower right", frameon=True, framealpha=1, fontsize="small")
