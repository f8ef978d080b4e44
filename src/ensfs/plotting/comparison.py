"""Selectors side by side: how well a model predicts from their columns, and how stable they are."""

from __future__ import annotations

from typing import Any

from ensfs._utils.docs import read_descriptions, with_docs
from ensfs.evaluation.comparison import ALL_COLUMNS
from ensfs.plotting._style import (
    COLOURS,
    DISPLAY_DOCS,
    MARKERS,
    label_texts,
    new_axes,
    quiet,
    strip,
    styled,
)

COMPARISON_DOCS = DISPLAY_DOCS | read_descriptions("""
**kwargs : dict
    For the points; see `matplotlib.axes.Axes.plot`.
""")


@with_docs(COMPARISON_DOCS)
class SelectorComparisonDisplay:
    """Score against stability, a point for each selector: the best are at the top right.

    Bars are the 95 % confidence interval of the stability, and the standard error of the mean score
    that is corrected for training rows in common. A dashed line is the score on all columns. Make
    it with `from_comparison`; the parameters are stored as attributes.

    Parameters
    ----------
    names : sequence of str
        Names of the selectors.
    scores : array-like of shape (n_selectors,)
        Mean score of each.
    score_errors : array-like of shape (n_selectors,)
        Half lengths of the bars of the scores.
    stability : sequence of NogueiraStability or None, length n_selectors
        Stability of each; those without one are not drawn.
    score_name : str, default="score"
        What the scores are.
    all_columns : float, optional
        Mean score on all columns.

    Attributes
    ----------
    {ax_, figure_}
    lines_ : list of matplotlib Line2D
        The points.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.feature_selection import SelectKBest
    >>> from ensfs import MRMR
    >>> from ensfs.evaluation import compare_selectors
    >>> from ensfs.plotting import SelectorComparisonDisplay
    >>> X, y = load_wine(return_X_y=True)
    >>> result = compare_selectors([MRMR(4), SelectKBest(k=4)], X, y)
    >>> SelectorComparisonDisplay.from_comparison(result).names
    ['MRMR', 'SelectKBest']
    """

    def __init__(
        self, *, names, scores, score_errors, stability, score_name="score", all_columns=None
    ):
        self.names = names
        self.scores = scores
        self.score_errors = score_errors
        self.stability = stability
        self.score_name = score_name
        self.all_columns = all_columns

    @classmethod
    def from_comparison(cls, comparison, *, ax=None, **kwargs):
        """Draw the result of `ensfs.evaluation.compare_selectors`.

        Parameters
        ----------
        comparison : SelectorComparison
            The result.
        {ax, **kwargs}

        Returns
        -------
        SelectorComparisonDisplay
            The display, drawn.
        """
        whole = [i for i, name in enumerate(comparison.names) if name == ALL_COLUMNS]
        shown = [i for i in range(len(comparison.names)) if i not in whole]
        return cls(
            names=[comparison.names[i] for i in shown],
            scores=comparison.scores[shown].mean(axis=1),
            score_errors=comparison.standard_errors()[shown],
            stability=[comparison.stability[i] for i in shown],
            score_name=comparison.score_name,
            all_columns=float(comparison.scores[whole[0]].mean()) if whole else None,
        ).plot(ax=ax, **kwargs)

    def plot(self, ax=None, **kwargs):
        """Draw it.

        Parameters
        ----------
        {ax, **kwargs}

        Returns
        -------
        SelectorComparisonDisplay
            The display itself.
        """
        if all(each is None for each in self.stability):
            raise ValueError("No selector has a stability, so there is nothing to show.")
        ax = new_axes(6.8, 4.6) if ax is None else ax
        self.ax_, self.figure_ = ax, ax.figure
        self.lines_: list[Any] = []
        names = label_texts(self.names)
        each = zip(names, self.scores, self.score_errors, self.stability, strict=True)
        for i, (name, score, error, stability) in enumerate(each):
            if stability is not None:
                self._point(i, name, float(score), float(error), stability, **kwargs)
        ax.set_xlabel("stability of the selection (95 % interval)")
        ax.set_ylabel(f"{self.score_name.replace('_', ' ')} of the model (standard error)")
        if self.all_columns is not None:
            ax.axhline(
                self.all_columns, color=quiet(), linewidth=1, linestyle=(0, (4, 3)), zorder=1
            )
            ax.annotate(
                "all columns", (0, self.all_columns), xycoords=("axes fraction", "data"),
                xytext=(3, 3), textcoords="offset points", fontsize="small", color=quiet(),
            )  # fmt: skip
        ax.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False, fontsize="small")
        strip(ax, "both")
        return self

    def _point(
        self, i: int, name: str, score: float, error: float, stability: Any, **kwargs: Any
    ) -> None:
        low, high = stability.confidence_interval()
        middle = stability.stability
        style = {
            "color": COLOURS[i % len(COLOURS)],
            "marker": MARKERS[i % len(MARKERS)],
            "markersize": 7,
            "linestyle": "none",
            "label": name,
        }
        (line,) = self.ax_.plot([middle], [score], **styled("line", style, kwargs))
        self.lines_.append(line)
        sides = [[middle - low], [max(0.0, min(high, 1.0) - middle)]]
        bars = {"ecolor": line.get_color(), "elinewidth": 1, "capsize": 2, "fmt": "none"}
        self.ax_.errorbar([middle], [score], yerr=[error], xerr=sides, **bars)
