"""What the replicates of `ACE` showed, and which column stands for which."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np

from ensfs._utils.docs import read_descriptions, with_docs
from ensfs.plotting._style import (
    COLOURS,
    DISPLAY_DOCS,
    MAP_DOCS,
    check_fitted,
    check_max_features,
    column_names,
    ink,
    label_texts,
    new_axes,
    quiet,
    strip,
    styled,
)  # fmt: skip

#: Colour and dashes of the columns by what was decided on them.
DECISIONS: dict[str, tuple[str, Any]] = {
    "confirmed": (COLOURS[2], "-"),
    "masked": (COLOURS[4], "--"),
    "rejected": ("#B0B0B0", "-"),
}


#: Parameters of the methods of `ACEHistoryDisplay`.
LINE_DOCS = DISPLAY_DOCS | read_descriptions("""
**kwargs : dict
    For the lines of the columns; see `matplotlib.axes.Axes.plot`.
""")


@with_docs(LINE_DOCS)
class ACEHistoryDisplay:
    """Importance of the columns in every replicate of a round, beside that of the contrasts.

    Make it with `from_estimator`; the parameters are stored as attributes.

    Parameters
    ----------
    feature_names : sequence of str
        The columns, the most important first.
    importances : array-like of shape (n_replicates, n_columns)
        Their importance in every replicate.
    decisions : sequence of str
        "confirmed", "masked" or "rejected" for each of them.
    contrasts : array-like of shape (n_replicates, 3)
        Least, mean and largest importance of the contrasts of each replicate.
    title : str, optional
        What round it is.

    Attributes
    ----------
    {ax_, figure_}
    lines_ : list of matplotlib Line2D
        One line for each column.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from ensfs import ACE
    >>> from ensfs.plotting import ACEHistoryDisplay
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> selector = ACE(n_replicates=5, max_iter=1, random_state=0).fit(X, y)
    >>> display = ACEHistoryDisplay.from_estimator(selector, max_features=4)
    >>> len(display.lines_)
    4
    """

    def __init__(self, *, feature_names, importances, decisions, contrasts, title=None):
        self.feature_names = feature_names
        self.importances = importances
        self.decisions = decisions
        self.contrasts = contrasts
        self.title = title

    @classmethod
    def from_estimator(
        cls, selector, *, index=0, feature_names=None, max_features=20, ax=None, **kwargs
    ):
        """Draw a round of a fitted `ACE`.

        Parameters
        ----------
        selector : ACE
            Fitted.
        index : int, default=0
            Which entry of `rounds_`.
        {feature_names}
        max_features : int, default=20
            Columns to show, from the most important in this round.
        {ax, **kwargs}

        Returns
        -------
        ACEHistoryDisplay
            The display, drawn.
        """
        check_fitted(selector, "rounds_", "decision_")
        n_shown = check_max_features(max_features)
        if not selector.rounds_:
            raise ValueError("y was constant, so there was no round to show.")
        n_rounds = len(selector.rounds_)
        if not isinstance(index, Integral) or not -n_rounds <= int(index) < n_rounds:
            raise ValueError(f"index must be that of one of the {n_rounds} rounds; got {index!r}.")
        shown = selector.rounds_[index]
        order = np.argsort(-shown.importances.mean(axis=0), kind="stable")[:n_shown]
        title = f"round {shown.number}"
        if shown.number > 1:
            title += ", residual"
        return cls(
            feature_names=column_names(selector, feature_names)[order],
            importances=shown.importances[:, order],
            decisions=selector.decision_[order].tolist(),
            contrasts=shown.contrasts,
            title=title,
        ).plot(ax=ax, **kwargs)

    def plot(self, ax=None, **kwargs):
        """Draw it.

        Parameters
        ----------
        {ax, **kwargs}

        Returns
        -------
        ACEHistoryDisplay
            The display itself.
        """
        values = np.asarray(self.importances, dtype=float)
        contrasts = np.asarray(self.contrasts, dtype=float)
        if ax is None:
            ax = new_axes(8.5, max(4.0, 1.5 + 0.25 * values.shape[1]))
        self.ax_, self.figure_ = ax, ax.figure
        replicates = np.arange(1, len(values) + 1)
        ax.fill_between(
            replicates, contrasts[:, 0], contrasts[:, 2], color=COLOURS[0], alpha=0.18,
            linewidth=0,
        )  # fmt: skip
        ax.plot(replicates, contrasts[:, 2], color=COLOURS[0], linestyle=":", linewidth=1.4)
        self.lines_ = []
        for j in range(values.shape[1]):
            colour, dashes = DECISIONS[self.decisions[j]]
            style = {"color": colour, "linestyle": dashes, "linewidth": 1.3}
            self.lines_ += ax.plot(replicates, values[:, j], **styled("line", style, kwargs))
        strip(ax, "y")
        ax.set_xlim(1, max(len(values), 2))
        ax.set_ylim(bottom=0)
        ax.set_xlabel("replicate")
        ax.xaxis.get_major_locator().set_params(integer=True)
        ax.set_ylabel("importance (out of bag)")
        if self.title:
            ax.set_title(self.title, loc="left")
        self._write_names(values)
        self._write_legend()
        return self

    def _write_names(self, values: np.ndarray) -> None:
        """Names to the right of the lines, moved apart where they would overlap."""
        means = values.mean(axis=0)
        low, high = self.ax_.get_ylim()
        height = self.ax_.get_position().height * self.figure_.get_size_inches()[1]
        gap = 0.16 * (high - low) / max(height, 0.5)
        order = np.argsort(means, kind="stable")
        at = np.empty_like(means)
        last = -np.inf
        for j in order:
            last = max(means[j], last + gap)
            at[j] = last
        names = label_texts(self.feature_names)
        for j in order:
            colour = DECISIONS[self.decisions[j]][0]
            self.ax_.annotate(
                names[j], (1.0, means[j]), (1.03, at[j]),
                xycoords=self.ax_.get_yaxis_transform(), fontsize="small", va="center",
                color=quiet() if self.decisions[j] == "rejected" else colour,
                annotation_clip=False,
                arrowprops={
                    "arrowstyle": "-", "color": colour, "linewidth": 0.6, "relpos": (0, 0.5),
                },
            )  # fmt: skip

    def _write_legend(self) -> None:
        from matplotlib.lines import Line2D
        from matplotlib.patches import Patch

        handles: list[Any] = [
            Line2D([], [], color=colour, linestyle=dashes, label=name)
            for name, (colour, dashes) in DECISIONS.items()
            if name in self.decisions
        ]
        handles.append(Patch(color=COLOURS[0], alpha=0.18, label="contrasts, least to largest"))
        self.ax_.legend(
            handles=handles, loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=4,
            frameon=False, fontsize="small",
        )  # fmt: skip


@with_docs(MAP_DOCS)
class ACEMaskingDisplay:
    """Which column masks which: a heat map of the significant masking scores.

    A row masks the columns with a coloured cell: these could take its place in the trees. Make it
    with `from_estimator`; the parameters are stored as attributes.

    Parameters
    ----------
    feature_names : sequence of str
        The columns, in the order of the map.
    masking : array-like of shape (n_columns, n_columns)
        Score of each row over each column; 0 where it is not significant.
    decisions : sequence of str
        "confirmed", "masked" or "rejected" for each column.

    Attributes
    ----------
    {ax_, figure_, image_}

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from ensfs import ACE
    >>> from ensfs.plotting import ACEMaskingDisplay
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> selector = ACE(n_replicates=5, max_iter=1, random_state=0).fit(X, y)
    >>> display = ACEMaskingDisplay.from_estimator(selector, max_features=5)
    >>> display.masking.shape
    (5, 5)
    """

    def __init__(self, *, feature_names, masking, decisions):
        self.feature_names = feature_names
        self.masking = masking
        self.decisions = decisions

    @classmethod
    def from_estimator(cls, selector, *, feature_names=None, max_features=20, ax=None, **kwargs):
        """Draw the masking scores of a fitted `ACE`.

        Parameters
        ----------
        selector : ACE
            Fitted.
        {feature_names}
        max_features : int, default=20
            Columns to show: the confirmed ones in order of selection, then the masked ones by
            importance.
        {ax, **kwargs}

        Returns
        -------
        ACEMaskingDisplay
            The display, drawn.
        """
        check_fitted(selector, "masking_", "decision_")
        n_shown = check_max_features(max_features)
        masked = np.nonzero(selector.decision_ == "masked")[0]
        masked = masked[np.argsort(-selector.feature_importances_[masked], kind="stable")]
        beyond = np.nonzero((selector.decision_ == "confirmed") & ~selector.support_)[0]
        beyond = beyond[np.argsort(-selector.feature_importances_[beyond], kind="stable")]
        columns = np.concatenate([selector.indices_, beyond, masked])[:n_shown]
        if not columns.size:
            raise ValueError("No column was relevant, so there is no masking to show.")
        return cls(
            feature_names=column_names(selector, feature_names)[columns],
            masking=selector.masking_[columns][:, columns].toarray(),
            decisions=selector.decision_[columns].tolist(),
        ).plot(ax=ax, **kwargs)

    def plot(self, ax=None, **kwargs):
        """Draw it.

        Parameters
        ----------
        {ax, **kwargs}

        Returns
        -------
        ACEMaskingDisplay
            The display itself.
        """
        values = np.asarray(self.masking, dtype=float)
        n = len(values)
        if ax is None:
            size = 1.6 + 0.3 * max(n, 5)
            ax = new_axes(size + 3.0, size + 1.2)
        self.ax_, self.figure_ = ax, ax.figure
        style = {"cmap": "Blues", "vmin": 0.0, "aspect": "equal"}
        shown = np.ma.masked_equal(values, 0.0)
        if not values.any():
            style["vmax"] = 1.0
        self.image_ = ax.imshow(shown, **styled("image", style, kwargs))
        ax.set_facecolor("#F2F2F2")
        names = label_texts(self.feature_names)
        ax.set_yticks(range(n), names)
        ax.set_xticks(range(n), names, rotation=90)
        for ticks in (ax.get_xticklabels(), ax.get_yticklabels()):
            for tick, decision in zip(ticks, self.decisions, strict=True):
                tick.set_color(ink() if decision == "confirmed" else quiet())
                tick.set_fontweight("bold" if decision == "confirmed" else "normal")
        ax.set_ylabel("masks (bold: confirmed)")
        ax.set_xlabel("is masked")
        ax.tick_params(length=0)
        ax.spines[:].set_visible(False)
        ax.set_xticks(np.arange(n + 1) - 0.5, minor=True)
        ax.set_yticks(np.arange(n + 1) - 0.5, minor=True)
        ax.grid(which="minor", color="white", linewidth=1.0)
        ax.tick_params(which="minor", length=0)
        ax.figure.colorbar(self.image_, ax=ax, label="masking score", shrink=0.7, pad=0.03)
        return self
