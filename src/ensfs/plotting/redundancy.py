"""Redundancy of the selected columns with one another."""

from __future__ import annotations

import numpy as np
from scipy.cluster.hierarchy import dendrogram, leaves_list

from ensfs._utils.docs import with_docs
from ensfs.data.frames import take
from ensfs.evaluation.redundancy import redundancy_of_pairs, redundancy_tree
from ensfs.plotting._style import (
    MAP_DOCS,
    MAX_ROWS,
    check_fitted,
    check_max_features,
    column_names,
    label_texts,
    new_axes,
    quiet,
    styled,
    text_colour,
)
from ensfs.selection.size_curves import selected_columns

#: Numbers are written into the cells of a map with at most so many columns.
MAX_WRITTEN = 12


@with_docs(MAP_DOCS)
class RedundancyMapDisplay:
    """Redundancy of the selected columns with one another, similar ones side by side.

    Columns are ordered by average-linkage clustering of 1 minus the redundancy; the tree is drawn
    above the map. Make it with `from_estimator`; the parameters are stored as attributes.

    Parameters
    ----------
    feature_names : sequence of str
        The columns.
    redundancy : array-like of shape (n_columns, n_columns)
        Redundancy of each pair, between 0 and 1; symmetric.
    ranks : sequence of int, optional
        Place of each column in the order of selection; it stands beside the name and below the
        map. By default the order given.
    measure : str, default="redundancy"
        What the values are, for the scale.

    Attributes
    ----------
    {ax_, figure_}
    order_ : ndarray of shape (n_columns,)
        The columns in the order of the map.
    {image_}

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from ensfs import MRMR
    >>> from ensfs.plotting import RedundancyMapDisplay
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> display = RedundancyMapDisplay.from_estimator(MRMR(5).fit(X, y), X)
    >>> display.redundancy.shape
    (5, 5)
    """

    def __init__(self, *, feature_names, redundancy, ranks=None, measure="redundancy"):
        self.feature_names = feature_names
        self.redundancy = redundancy
        self.ranks = ranks
        self.measure = measure

    @classmethod
    def from_estimator(
        cls,
        selector,
        X,
        *,
        measure="auto",
        feature_names=None,
        max_features=20,
        ax=None,
        **kwargs,
    ):
        """Draw the map of a fitted selector.

        Parameters
        ----------
        selector : selector
            Fitted; any selector with `get_support`.
        X : array-like or data frame of shape (n_samples, n_features)
            The table it was fitted on, or other rows of it.
        measure : {"auto", "pearson", "symmetrical_uncertainty"}, default="auto"
            Absolute correlation, or symmetrical uncertainty, for which continuous columns are cut
            at quantiles into five. "auto": correlation if all selected columns are continuous.
        {feature_names}
        max_features : int, default=20
            Columns to show, from the first selected.
        {ax, **kwargs}

        Returns
        -------
        RedundancyMapDisplay
            The display, drawn.
        """
        check_fitted(selector)
        columns = selected_columns(selector)[: check_max_features(max_features)]
        if not columns.size:
            raise ValueError("Nothing was selected, so there is no redundancy to show.")
        values, measure = redundancy_of_pairs(take(X, columns=columns), measure)
        return cls(
            feature_names=column_names(selector, feature_names)[columns],
            redundancy=values,
            measure={"pearson": "|correlation|"}.get(measure, measure.replace("_", " ")),
        ).plot(ax=ax, **kwargs)

    def plot(self, ax=None, **kwargs):
        """Draw it.

        Parameters
        ----------
        {ax, **kwargs}

        Returns
        -------
        RedundancyMapDisplay
            The display itself.
        """
        values = np.asarray(self.redundancy, dtype=float)
        n = len(values)
        if ax is None:
            size = 1.6 + 0.3 * min(max(n, 5), MAX_ROWS)
            longest = max(map(len, label_texts(self.feature_names)))
            ax = new_axes(size + 1.6 + 0.1 * longest, size + 0.6)
        self.ax_, self.figure_ = ax, ax.figure
        ranks = range(1, n + 1) if self.ranks is None else self.ranks
        tree = redundancy_tree(values)
        self.order_ = np.arange(n) if tree is None else leaves_list(tree)
        style = {"cmap": "Blues", "vmin": 0.0, "vmax": 1.0, "aspect": "equal"}
        shown = values[np.ix_(self.order_, self.order_)]
        self.image_ = ax.imshow(shown, **styled("image", style, kwargs))
        names = label_texts(self.feature_names)
        ax.set_yticks(range(n), [f"{names[i]}  {ranks[i]}" for i in self.order_])
        ax.set_xticks(range(n), [str(ranks[i]) for i in self.order_])
        ax.tick_params(length=0)
        if n > MAX_ROWS:  # the places of some; the names would cover each other
            shown = np.arange(0, n, -(-n // MAX_ROWS))
            ax.set_yticks(
                shown, [f"{names[self.order_[i]]}  {ranks[self.order_[i]]}" for i in shown]
            )
            ax.set_xticks(shown, [str(ranks[self.order_[i]]) for i in shown])
        if n > 30:
            ax.tick_params(labelsize="x-small")
        ax.set_xlabel("place in the order of selection")
        ax.spines[:].set_visible(False)
        if n <= MAX_WRITTEN:
            self._write(values)
        if tree is not None:
            self._draw_tree(tree)
        ax.figure.colorbar(self.image_, ax=ax, label=self.measure, shrink=0.7, pad=0.03)
        return self

    def _write(self, values: np.ndarray) -> None:
        for row, i in enumerate(self.order_):
            for column, j in enumerate(self.order_):
                text = f"{values[i, j]:.2f}".removeprefix("0") if i != j else ""
                self.ax_.text(
                    column, row, text, ha="center", va="center", fontsize="x-small",
                    color=text_colour(self.image_, values[i, j]),
                )  # fmt: skip

    def _draw_tree(self, tree: np.ndarray) -> None:
        panel = self.ax_.inset_axes((0.0, 1.01, 1.0, 0.15))
        drawn = dendrogram(tree, no_plot=True)
        for across, up in zip(drawn["icoord"], drawn["dcoord"], strict=True):
            panel.plot(across, up, color=quiet(), linewidth=0.9)
        panel.set_xlim(0, 10 * len(self.order_))
        panel.set_ylim(bottom=0)
        panel.set_axis_off()
