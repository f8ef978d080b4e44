"""Which member of an ensemble of selectors wanted which column."""

from __future__ import annotations

import numpy as np

from ensfs._utils.docs import with_docs
from ensfs.plotting._style import (
    MAP_DOCS,
    check_fitted,
    check_max_features,
    column_names,
    label_texts,
    new_axes,
    row_height,
    styled,
    text_colour,
)


@with_docs(MAP_DOCS)
class MemberPlacesDisplay:
    """The places that the members of a `RankEnsemble` give to the columns.

    A row is a column of the table, from the best one, with its place in the ensemble; the cells
    have its place for each member, the darker the better. An empty cell: the member does not rank
    the column. Make it with `from_estimator`; the parameters are stored as attributes.

    Parameters
    ----------
    feature_names : sequence of str
        The columns to show, best first.
    places : array-like of shape (n_members, n_columns)
        Place that each member gives to each of them; NaN where it gives none.
    member_names : sequence of str
        The members.
    n_selected : int, optional
        How many of the columns are selected; a line is drawn below them.

    Attributes
    ----------
    {ax_, figure_, image_}

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from ensfs import RankEnsemble
    >>> from ensfs.plotting import MemberPlacesDisplay
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> selector = RankEnsemble(n_features_to_select=3, random_state=0).fit(X, y)
    >>> display = MemberPlacesDisplay.from_estimator(selector, max_features=5)
    >>> display.places[:, 0]
    array([1., 1., 4., 1.])
    """

    def __init__(self, *, feature_names, places, member_names, n_selected=None):
        self.feature_names = feature_names
        self.places = places
        self.member_names = member_names
        self.n_selected = n_selected

    @classmethod
    def from_estimator(cls, selector, *, feature_names=None, max_features=20, ax=None, **kwargs):
        """Draw the places of a fitted ensemble.

        Parameters
        ----------
        selector : RankEnsemble
            Fitted.
        {feature_names}
        max_features : int, default=20
            Columns to show, from the best.
        {ax, **kwargs}

        Returns
        -------
        MemberPlacesDisplay
            The display, drawn.
        """
        check_fitted(selector, "places_", "member_names_")
        others = np.flatnonzero(~selector.support_ & ~np.isnan(selector.scores_))
        others = others[np.argsort(-selector.scores_[others], kind="stable")]
        shown = np.concatenate([selector.indices_, others])[: check_max_features(max_features)]
        return cls(
            feature_names=column_names(selector, feature_names)[shown],
            places=selector.places_[:, shown],
            member_names=selector.member_names_,
            n_selected=min(selector.indices_.size, shown.size),
        ).plot(ax=ax, **kwargs)

    def plot(self, ax=None, **kwargs):
        """Draw it.

        Parameters
        ----------
        {ax, **kwargs}

        Returns
        -------
        MemberPlacesDisplay
            The display itself.
        """
        places = np.asarray(self.places, dtype=float).T
        n_columns, n_members = places.shape
        if ax is None:
            ax = new_axes(3.0 + 0.9 * n_members, row_height(n_columns))
        self.ax_, self.figure_ = ax, ax.figure
        weight = np.where(np.isnan(places), np.nan, 1.0 / np.nan_to_num(places, nan=1.0))
        style = {"cmap": "Blues", "vmin": 0.0, "vmax": 1.0, "aspect": "auto"}
        self.image_ = ax.imshow(weight, **styled("image", style, kwargs))
        for i, j in np.argwhere(~np.isnan(places)):
            ax.text(
                j, i, f"{places[i, j]:.3g}", ha="center", va="center", fontsize="small",
                color=text_colour(self.image_, weight[i, j]),
            )  # fmt: skip
        names = label_texts(self.feature_names)
        ax.set_yticks(range(n_columns), [f"{name}  {i}" for i, name in enumerate(names, 1)])
        ax.set_xticks(range(n_members), label_texts(self.member_names))
        ax.xaxis.tick_top()
        ax.tick_params(length=0)
        ax.spines[:].set_visible(False)
        if self.n_selected is not None and self.n_selected < n_columns:
            ax.axhline(self.n_selected - 0.5, color="black", linewidth=0.8)
        ax.set_xlabel("place for each member; the line is below the selected columns")
        return self
