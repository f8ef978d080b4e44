"""How often an ensemble selected each column."""

from __future__ import annotations

from typing import Any

import numpy as np

from ensfs._utils.docs import with_docs
from ensfs.measures.stability import stability_if_defined
from ensfs.plotting._style import (
    BAR_DOCS,
    COLOURS,
    DARK,
    LIGHT,
    check_fitted,
    check_max_features,
    column_names,
    group_labels,
    new_axes,
    row_groups,
    row_height,
    strip,
    styled,
)
from ensfs.selection.halves import describe_parts


@with_docs(BAR_DOCS)
class SelectionFrequencyDisplay:
    """Share of the parts of an ensemble that selected each column, with their stability.

    Of more than 40 columns those after the twentieth share rows, with their mean. Make it with
    `from_estimator` or `from_selections`; the parameters are stored as attributes.

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
    array([0.7, 0.8, 1. , 1. ])
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
        rows = row_groups(shown.size)
        ax = new_axes(7.0, row_height(len(rows))) if ax is None else ax
        self.ax_, self.figure_ = ax, ax.figure
        selected = np.ones(shown.size, dtype=bool) if support is None else support[shown]
        inside = np.array([selected[row].mean() >= 0.5 for row in rows])
        style = {
            "color": [DARK if each else LIGHT for each in inside],
            "edgecolor": DARK,
            "linewidth": 0.8,
            "height": 0.65,
        }
        lengths = [frequency[shown[row]].mean() for row in rows]
        self.bars_ = ax.barh(np.arange(len(rows)), lengths, **styled("bar", style, kwargs))
        names = [self.feature_names[j] for j in shown]
        ax.set_yticks(range(len(rows)), group_labels(names, rows))
        ax.tick_params(axis="y", length=0)
        ax.set_ylim(len(rows) - 0.4, -0.6)
        ax.set_xlim(0, 1)
        of = "selections" if self.n_selections is None else f"{self.n_selections} selections"
        ax.set_xlabel(f"share of the {of} that hold the column")
        if self.threshold is not None:
            ax.axvline(
                float(self.threshold), color=COLOURS[1], linewidth=1.2, linestyle=(0, (4, 3))
            )
        ax.set_title(self._title(order.size - shown.size), loc="left", fontsize="medium")
        self._legend(ax, inside, max(lengths[-3:]) > 0.6)
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
    def _legend(ax: Any, inside: np.ndarray, beside: bool) -> None:
        """The meaning of the colours, beside the bars where long ones leave no place."""
        if inside.all():
            return
        from matplotlib.patches import Patch

        handles = [
            Patch(facecolor=DARK, edgecolor=DARK, label="in the final selection"),
            Patch(facecolor=LIGHT, edgecolor=DARK, label="not in it"),
        ]
        place: dict[str, Any] = {"loc": "lower right"}
        if beside:
            place = {"loc": "lower left", "bbox_to_anchor": (1, 0)}
        ax.legend(handles=handles, frameon=not beside, framealpha=1, fontsize="small", **place)
