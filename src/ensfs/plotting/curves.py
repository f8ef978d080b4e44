"""Stability and accuracy against the number of selected columns."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import is_classifier

from ensfs._utils.checks import check_integer, check_open_share
from ensfs._utils.docs import read_descriptions, with_docs
from ensfs.data.columns import read_columns
from ensfs.measures.stability import stability_if_defined
from ensfs.plotting._style import (
    DISPLAY_DOCS,
    check_fitted,
    new_axes,
    quiet,
    series_style,
    strip,
    styled,
)
from ensfs.selection.halves import describe_parts
from ensfs.selection.size_curves import (
    default_model,
    resolve_sizes,
    scores_by_size,
    scores_of_search,
    selections_of_samples,
)

#: Parameters and attributes of both curves.
CURVE_DOCS = DISPLAY_DOCS | read_descriptions("""
X : array-like or data frame of shape (n_samples, n_features)
    The table.
n_features : int or sequence of int, optional
    Numbers of columns: up to this one, or these. By default about twelve, up to what the
    selector is set to.
name : str, optional
    Name of the curve, for the legend.
ax : matplotlib Axes, optional
    Where to draw, for example the `ax_` of another display; by default a new figure.
**kwargs : dict
    For the line; see `matplotlib.axes.Axes.plot`.
line_ : matplotlib Line2D
    The curve.
band_ : matplotlib PolyCollection
    The band around it.
""")


class _Curve:
    """A line with a band against the number of selected columns."""

    n_features: Any
    name: Any

    def _draw(self, ax: Any, middle: Any, low: Any, high: Any, **kwargs: Any) -> None:
        ax = new_axes(6.4, 4.2) if ax is None else ax
        self.ax_, self.figure_ = ax, ax.figure
        style = series_style(ax) | {"label": self.name, "markersize": 5}
        (self.line_,) = ax.plot(self.n_features, middle, **styled("line", style, kwargs))
        self.band_ = ax.fill_between(
            self.n_features, low, high, color=self.line_.get_color(), alpha=0.15, linewidth=0
        )
        ax.set_xlabel("number of selected columns")
        ax.xaxis.get_major_locator().set_params(integer=True)
        strip(ax, "both")
        if self.name is not None:
            ax.legend(frameon=False)


@with_docs(CURVE_DOCS)
class StabilityDisplay(_Curve):
    """Stability of the selection against the number of selected columns.

    The stability is that of Nogueira, Sechidis and Brown: 1 for the same columns in every
    selection, about 0 for random ones of any number. The band is its 95 % confidence interval. Make
    it with `from_estimator`, or with `from_ensemble`; the parameters are stored as attributes.

    Parameters
    ----------
    n_features : array-like of shape (n_sizes,)
        Numbers of selected columns.
    stability : sequence of NogueiraStability or None, length n_sizes
        The stability for each of them; None where it is not defined, as for all columns.
    {name}
    sampling : str, optional
        What the selections were made from, for the axis. The stability of parts that share most of
        their rows is not that under new data.

    Attributes
    ----------
    {ax_, figure_, line_, band_}

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from ensfs import MRMR
    >>> from ensfs.plotting import StabilityDisplay
    >>> X, y = load_wine(return_X_y=True)
    >>> display = StabilityDisplay.from_estimator(MRMR(6), X, y, random_state=0)
    >>> display.n_features
    array([1, 2, 3, 4, 5, 6])
    """

    def __init__(self, *, n_features, stability, name=None, sampling=None):
        self.n_features = n_features
        self.stability = stability
        self.name = name
        self.sampling = sampling

    @classmethod
    def from_estimator(
        cls,
        selector,
        X,
        y=None,
        *,
        n_features=None,
        n_resamples=20,
        subsample=0.5,
        random_state=None,
        n_jobs=None,
        name=None,
        ax=None,
        **kwargs,
    ):
        """Select on random samples of the rows and draw how far the selections agree.

        Parameters
        ----------
        selector : selector
            Of this library or of scikit-learn; it is cloned and need not be fitted. Selectors that
            go on from a smaller selection (`MRMR`, the greedy filters, `FCBF`, and ensembles of
            them) are fitted once for each sample, others once for each sample and size.
        {X}
        y : array-like of shape (n_samples,), optional
            Classes or numbers; selectors without a target need none.
        {n_features}
        n_resamples : int, default=20
            Number of samples.
        subsample : float, default=0.5
            Share of the rows in each, drawn without replacement.
        random_state : int, RandomState or None, default=None
            Seed of the samples.
        n_jobs : int, optional
            Samples that are worked on at the same time.
        {name, ax, **kwargs}

        Returns
        -------
        StabilityDisplay
            The display, drawn.
        """
        share = check_open_share("subsample", subsample)
        n_samples = check_integer("n_resamples", n_resamples, 2)
        p = read_columns(X, allow_missing=True).n_features
        sizes = resolve_sizes(selector, n_features, p)
        samples = selections_of_samples(
            selector, X, y, sizes, n_resamples=n_samples, subsample=share,
            random_state=random_state, n_jobs=n_jobs,
        )  # fmt: skip
        stability = [stability_if_defined(sets, p) for sets in zip(*samples, strict=True)]
        sampling = f"samples of {share:.0%} of the rows"
        return cls(n_features=sizes, stability=stability, name=name, sampling=sampling).plot(
            ax=ax, **kwargs
        )

    @classmethod
    def from_ensemble(cls, ensemble, *, name=None, ax=None, **kwargs):
        """Draw how far the parts of a fitted ensemble agree, without selecting again.

        Leave-one-out parts share most of their rows, so they agree more than other samples would.

        Parameters
        ----------
        ensemble : FastEnsemble
            Fitted; of a selector that goes on from a smaller selection, such as `MRMR`.
        {name, ax, **kwargs}

        Returns
        -------
        StabilityDisplay
            The display, drawn.
        """
        check_fitted(ensemble, "part_selections_", "selector_")
        if not ensemble.selector_.prefix_stable:
            raise ValueError(
                f"The selections of {type(ensemble.selector_).__name__} do not contain those of "
                "fewer columns, so its parts do not give their stability; use from_estimator."
            )
        largest = max(len(part) for part in ensemble.part_selections_)
        sizes = np.arange(1, largest + 1)
        stability = [
            stability_if_defined(
                [part[:k] for part in ensemble.part_selections_], ensemble.n_features_in_
            )
            for k in sizes
        ]
        sampling = describe_parts(ensemble)
        return cls(n_features=sizes, stability=stability, name=name, sampling=sampling).plot(
            ax=ax, **kwargs
        )

    def plot(self, ax=None, **kwargs):
        """Draw it.

        Parameters
        ----------
        {ax, **kwargs}

        Returns
        -------
        StabilityDisplay
            The display itself.
        """
        none = (np.nan, np.nan)
        middle = [np.nan if each is None else each.stability for each in self.stability]
        ends = [none if each is None else each.confidence_interval() for each in self.stability]
        low, high = np.array(ends).T
        self._draw(ax, middle, low, np.minimum(high, 1.0), **kwargs)
        of = "" if self.sampling is None else f" of {self.sampling}"
        self.ax_.set_ylabel(f"stability{of}")
        bottom = min(self.ax_.get_ylim()[0], 0.0)
        self.ax_.set_ylim(bottom, 1.02)
        return self


@with_docs(CURVE_DOCS)
class AccuracyDisplay(_Curve):
    """Cross-validated accuracy of a model against the number of selected columns.

    The columns are selected anew in every fold, from its training rows alone, so the accuracy is
    not flattered by the selection. The curve is the mean over the folds, the band one standard
    deviation to either side. Make it with `from_estimator`; the parameters are stored as
    attributes.

    Parameters
    ----------
    n_features : array-like of shape (n_sizes,)
        Numbers of selected columns.
    scores : array-like of shape (n_sizes, n_folds)
        Score of the model in each fold; NaN where nothing was selected.
    all_columns : array-like of shape (n_folds,), optional
        Score of the model on all columns.
    score_name : str, default="accuracy"
        What the scores are.
    {name}
    chosen : int, optional
        A number of columns to mark, the one that a search has chosen.

    Attributes
    ----------
    {ax_, figure_, line_, band_}

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from ensfs import MRMR
    >>> from ensfs.plotting import AccuracyDisplay
    >>> X, y = load_wine(return_X_y=True)
    >>> display = AccuracyDisplay.from_estimator(MRMR(6), X, y)
    >>> display.scores.mean(axis=1).round(2)
    array([0.7 , 0.87, 0.91, 0.93, 0.98, 0.99])
    """

    def __init__(
        self,
        *,
        n_features,
        scores,
        all_columns=None,
        score_name="accuracy",
        name=None,
        chosen=None,
    ):
        self.n_features = n_features
        self.scores = scores
        self.all_columns = all_columns
        self.score_name = score_name
        self.name = name
        self.chosen = chosen

    @classmethod
    def from_estimator(
        cls,
        selector,
        X,
        y,
        *,
        estimator=None,
        n_features=None,
        cv=None,
        scoring=None,
        baseline=True,
        n_jobs=None,
        name=None,
        ax=None,
        **kwargs,
    ):
        """Cross-validate a model on the selected columns and draw its accuracy.

        Parameters
        ----------
        selector : selector
            Of this library or of scikit-learn; it is cloned and need not be fitted. Selectors that
            go on from a smaller selection (`MRMR`, the greedy filters, `FCBF`, and ensembles of
            them) are fitted once in each fold, others once in each fold for each size.
        {X}
        y : array-like of shape (n_samples,)
            Classes or numbers.
        estimator : estimator, optional
            The model. By default logistic regression, or ridge regression for a numeric target, on
            standardized numbers and a column for each level of text.
        {n_features}
        cv : int, splitter or iterable, optional
            The folds, as in `sklearn.model_selection.cross_val_score`; None is five.
        scoring : str or callable, optional
            The score, as in `cross_val_score`; None is that of the model.
        baseline : bool, default=True
            Whether to draw the accuracy on all columns.
        n_jobs : int, optional
            Folds that are worked on at the same time.
        {name, ax, **kwargs}

        Returns
        -------
        AccuracyDisplay
            The display, drawn.
        """
        if y is None:
            raise ValueError("The accuracy needs a target to predict, but y is None.")
        estimator = default_model(selector, y) if estimator is None else estimator
        sizes = resolve_sizes(selector, n_features, read_columns(X, allow_missing=True).n_features)
        scores, all_columns = scores_by_size(
            selector, X, y, sizes, estimator=estimator, cv=cv, scoring=scoring, n_jobs=n_jobs,
            baseline=baseline,
        )  # fmt: skip
        return cls(
            n_features=sizes,
            scores=scores,
            all_columns=all_columns,
            score_name=_score_name(estimator, scoring),
            name=name,
        ).plot(ax=ax, **kwargs)

    @classmethod
    def from_search(cls, search, *, score_name=None, name=None, ax=None, **kwargs):
        """Draw the scores of a fitted `SelectorCV`, without fitting again, and mark its choice.

        Parameters
        ----------
        search : SelectorCV
            Fitted.
        score_name : str, optional
            What the scores are; by default the `scoring` of the search, or "score".
        {name, ax, **kwargs}

        Returns
        -------
        AccuracyDisplay
            The display, drawn.
        """
        check_fitted(search, "cv_results_", "n_features_")
        scores = scores_of_search(search)
        scoring = search.scoring if isinstance(search.scoring, str) else "score"
        return cls(
            n_features=search.cv_results_["size"],
            scores=scores,
            score_name=scoring.replace("_", " ") if score_name is None else score_name,
            name=name,
            chosen=search.n_features_,
        ).plot(ax=ax, **kwargs)

    def plot(self, ax=None, **kwargs):
        """Draw it.

        Parameters
        ----------
        {ax, **kwargs}

        Returns
        -------
        AccuracyDisplay
            The display itself.
        """
        scores = np.asarray(self.scores, dtype=float)
        middle, spread = scores.mean(axis=1), scores.std(axis=1)
        high = middle + spread
        if (scores <= 1).all():  # most scores end at 1
            high = np.minimum(high, 1.0)
        self._draw(ax, middle, middle - spread, high, **kwargs)
        self.ax_.set_ylabel(f"cross-validated {self.score_name}")
        if self.chosen is not None:
            colour = self.line_.get_color()
            self.ax_.axvline(self.chosen, color=colour, linewidth=1, linestyle=":", zorder=1)
            late = self.chosen > np.mean(self.ax_.get_xlim())  # no place for words to the right
            self.ax_.annotate(
                f"{self.chosen} chosen", (self.chosen, 0), xycoords=("data", "axes fraction"),
                xytext=(-3 if late else 3, 4), textcoords="offset points", fontsize="small",
                ha="right" if late else "left", color=quiet(),
            )  # fmt: skip
        if self.all_columns is not None:
            level = float(np.mean(self.all_columns))
            self.ax_.axhline(level, color=quiet(), linewidth=1, linestyle=(0, (4, 3)), zorder=1)
            self.ax_.annotate(
                "all columns", (1, level), xycoords=("axes fraction", "data"), xytext=(4, 0),
                textcoords="offset points", va="center", fontsize="small", color=quiet(),
            )  # fmt: skip
        return self


def _score_name(estimator: Any, scoring: Any) -> str:
    """How a score is called below the axes."""
    if scoring is None:
        return "accuracy" if is_classifier(estimator) else "R²"
    return scoring.replace("_", " ") if isinstance(scoring, str) else "score"
