"""What each selected column stands for."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.cluster.hierarchy import dendrogram

from ensfs._utils.docs import with_docs
from ensfs.data.frames import take
from ensfs.evaluation.redundancy import redundancy_of_pairs, redundancy_tree, represented_columns
from ensfs.plotting._style import (
    DARK,
    DISPLAY_DOCS,
    check_fitted,
    check_max_features,
    column_names,
    label_texts,
    new_axes,
    quiet,
    row_height,
    strip,
    styled,
)

#: Names behind a selected column; of more the number is written.
MAX_NAMES = 3


@with_docs(DISPLAY_DOCS)
class ColumnGroupsDisplay:
    """The selected columns as a tree, each with the columns left out that it stands for.

    Branches meet where the columns are as redundant as the axis says, on average. Make it with
    `from_estimator`; the parameters are stored as attributes.

    Parameters
    ----------
    feature_names : sequence of str
        The selected columns.
    redundancy : array-like of shape (n_columns, n_columns)
        Redundancy of each pair, between 0 and 1; symmetric.
    represented : sequence of sequences of str
        For each selected column the columns that it stands for, the most redundant first.
    measure : str, default="redundancy"
        What the values are, for the axis.

    Attributes
    ----------
    {ax_, figure_}
    order_ : ndarray of shape (n_columns,)
        The columns from top to bottom.
    lines_ : list of matplotlib Line2D
        The branches.

    See Also
    --------
    RedundancyMapDisplay : The redundancy of each pair of selected columns.
    ensfs.evaluation.represented_columns : The groups as numbers.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from ensfs import FCBF
    >>> from ensfs.plotting import ColumnGroupsDisplay
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> display = ColumnGroupsDisplay.from_estimator(FCBF().fit(X, y), X)
    >>> [display.feature_names[0], *display.represented[0][:2]]
    ['worst perimeter', 'worst radius', 'worst area']
    """

    def __init__(self, *, feature_names, redundancy, represented, measure="redundancy"):
        self.feature_names = feature_names
        self.redundancy = redundancy
        self.represented = represented
        self.measure = measure

    @classmethod
    def from_estimator(
        cls, selector, X, *, measure="auto", at_least=None, feature_names=None, max_features=20,
        ax=None, **kwargs,
    ):  # fmt: skip
        """Draw the columns of a fitted selector.

        Parameters
        ----------
        selector : selector
            Fitted, with `indices_`.
        X : array-like or data frame of shape (n_samples, n_features)
            The table it was fitted on.
        measure : {"auto", "pearson", "symmetrical_uncertainty"}, default="auto"
            Absolute correlation, or symmetrical uncertainty, for which continuous columns are cut
            at quantiles into five. "auto": correlation if all columns are continuous.
        at_least : float, optional
            How redundant a column is that a selected one stands for; by default 0.9 for
            correlations and 0.6 for uncertainties.
        {feature_names}
        max_features : int, default=20
            Columns to show, from the first selected.
        {ax}
        **kwargs : dict
            For the tree; see `matplotlib.axes.Axes.plot`.

        Returns
        -------
        ColumnGroupsDisplay
            The display, drawn.
        """
        check_fitted(selector, "indices_")
        columns = np.asarray(selector.indices_)[: check_max_features(max_features)]
        if not columns.size:
            raise ValueError("Nothing was selected, so there is nothing to show.")
        groups = represented_columns(selector, X, measure=measure, at_least=at_least)
        names = column_names(selector, feature_names)
        values, measure = redundancy_of_pairs(take(X, columns=columns), measure)
        return cls(
            feature_names=names[columns].tolist(),
            redundancy=values,
            represented=[names[group].tolist() for group in groups[: columns.size]],
            measure={"pearson": "|correlation|"}.get(measure, measure.replace("_", " ")),
        ).plot(ax=ax, **kwargs)

    def plot(self, ax=None, **kwargs):
        """Draw it.

        Parameters
        ----------
        {ax}
        **kwargs : dict
            For the tree; see `matplotlib.axes.Axes.plot`.

        Returns
        -------
        ColumnGroupsDisplay
            The display itself.
        """
        values = np.asarray(self.redundancy, dtype=float)
        n = len(values)
        ax = new_axes(9.0, row_height(n)) if ax is None else ax
        self.ax_, self.figure_ = ax, ax.figure
        tree = redundancy_tree(values)
        self.order_ = np.arange(n)
        style = styled("line", {"color": quiet(), "linewidth": 1.2}, kwargs)
        self.lines_: list[Any] = []
        if tree is not None:
            drawn = dendrogram(tree, no_plot=True)
            self.order_ = np.array(drawn["leaves"])
            for up, across in zip(drawn["icoord"], drawn["dcoord"], strict=True):
                self.lines_ += ax.plot(1 - np.array(across), (np.array(up) - 5) / 10, **style)
        elif n == 2:
            meet = float(values[0, 1])
            self.lines_ += ax.plot([1, meet, meet, 1], [0, 0, 1, 1], **style)
        self._write_names(ax)
        ax.set(xlim=(0, 1.02), ylim=(n - 0.4, -0.6), xlabel=self.measure)
        ax.set_xticks([0, 0.25, 0.5, 0.75, 1])
        strip(ax, "x")
        ax.spines["left"].set_visible(False)
        return self

    def _write_names(self, ax: Any) -> None:
        names = label_texts(self.feature_names)
        ax.yaxis.tick_right()
        ax.tick_params(axis="y", length=0)
        ax.set_yticks(
            range(len(names)), [f"{names[i]}{self._also(int(i))}" for i in self.order_], ha="left"
        )
        has = [bool(self.represented[i]) for i in self.order_]
        ax.plot([1] * len(has), range(len(has)), "o", color=DARK, markersize=3, clip_on=False)
        for tick, known in zip(ax.get_yticklabels(), has, strict=True):
            tick.set_fontweight("bold" if known else "normal")

    def _also(self, i: int) -> str:
        others = list(self.represented[i])
        if not others:
            return ""
        more = [f"{len(others) - MAX_NAMES} more"] if len(others) > MAX_NAMES else []
        return ", also " + ", ".join([*label_texts(others[:MAX_NAMES]), *more])
