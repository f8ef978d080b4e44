"""How different the members of an ensemble are, and how good."""

from __future__ import annotations

import numpy as np
from sklearn.base import is_classifier

from ensfs._utils.agreement import kappa_matrix
from ensfs._utils.docs import read_descriptions, with_docs
from ensfs.data.labels import (
    not_classes,
    refuse_masked,
    refuse_missing,
    refuse_mixed,
)
from ensfs.ensemble.library import member_predictions
from ensfs.plotting._style import DISPLAY_DOCS, new_axes, series_style, strip, styled

#: Parameters of the display and of its methods.
POINT_DOCS = DISPLAY_DOCS | read_descriptions("""
name : str, optional
    Name of the ensemble, for the legend.
ax : matplotlib Axes, optional
    Where to draw, for example the `ax_` of another display; by default a new figure.
**kwargs : dict
    For the points; see `matplotlib.axes.Axes.plot`.
""")


@with_docs(POINT_DOCS)
class DiversityErrorDisplay:
    """Every pair of members of an ensemble: how much they agree, and how wrong they are.

    For classifiers a point is Cohen's kappa of two members against the mean of their error rates;
    for regressors the root mean square difference of their predictions against the mean of their
    root mean square errors. Members that are good and different lie at the bottom, on the left for
    kappa and on the right for differences. A large marker is the mean, a line the error of the
    ensemble. Make it with `from_estimator` or `from_predictions`; the parameters are stored as
    attributes.

    Parameters
    ----------
    diversity : array-like of shape (n_pairs,)
        Kappa or root mean square difference of each pair.
    error : array-like of shape (n_pairs,)
        Mean error of the two members of each pair.
    kind : {"kappa", "rmse"}, default="kappa"
        What the diversity is.
    ensemble_error : float, optional
        Error of the ensemble.
    {name}

    Attributes
    ----------
    {ax_, figure_}
    points_, centre_ : matplotlib Line2D
        The pairs and their mean.

    References
    ----------
    D. D. Margineantu and T. G. Dietterich (1997), Pruning adaptive boosting, ICML, 211-218.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.ensemble import BaggingClassifier
    >>> from sklearn.model_selection import train_test_split
    >>> from ensfs.plotting import DiversityErrorDisplay
    >>> X, X_test, y, y_test = train_test_split(*load_wine(return_X_y=True), random_state=0)
    >>> bagging = BaggingClassifier(n_estimators=10, max_features=4, random_state=0).fit(X, y)
    >>> display = DiversityErrorDisplay.from_estimator(bagging, X_test, y_test)
    >>> len(display.diversity)
    45
    """

    def __init__(self, *, diversity, error, kind="kappa", ensemble_error=None, name=None):
        self.diversity = diversity
        self.error = error
        self.kind = kind
        self.ensemble_error = ensemble_error
        self.name = name

    @classmethod
    def from_estimator(cls, ensemble, X, y, *, name=None, ax=None, **kwargs):
        """Draw the members of a fitted ensemble on rows that it was not fitted on.

        Parameters
        ----------
        ensemble : classifier or regressor
            Fitted, with `estimators_` and, if the members do not see all columns,
            `estimators_features_`: the ensembles of this library, scikit-learn's bagging, forests,
            voting and AdaBoost.
        X : array-like or data frame of shape (n_samples, n_features)
            Rows to predict.
        y : array-like of shape (n_samples,)
            Their classes or numbers.
        {name, ax, **kwargs}

        Returns
        -------
        DiversityErrorDisplay
            The display, drawn.
        """
        of_ensemble = ensemble.predict(X)  # first: it says what is wrong with a table
        return cls.from_predictions(
            member_predictions(ensemble, X),
            y,
            ensemble_prediction=of_ensemble,
            kind="kappa" if is_classifier(ensemble) else "rmse",
            name=name,
            ax=ax,
            **kwargs,
        )

    @classmethod
    def from_predictions(
        cls, predictions, y, *, ensemble_prediction=None, kind="kappa", name=None, ax=None, **kwargs
    ):
        """Draw members that are given by what they predict.

        Parameters
        ----------
        predictions : array-like of shape (n_members, n_samples)
            Classes or numbers that each member predicts; at least two members.
        y : array-like of shape (n_samples,)
            The true ones.
        ensemble_prediction : array-like of shape (n_samples,), optional
            What the ensemble predicts.
        kind : {"kappa", "rmse"}, default="kappa"
            Classes or numbers.
        {name, ax, **kwargs}

        Returns
        -------
        DiversityErrorDisplay
            The display, drawn.

        Raises
        ------
        ValueError
            For shapes that do not fit and missing values. For classes also if a predicted one is
            text and those of `y` are not, or the other way round, or if it is a fraction that `y`
            does not hold; a class that is in no row of `y` is one more class.
        """
        if kind not in ("kappa", "rmse"):
            raise ValueError(f"kind must be 'kappa' or 'rmse'; got {kind!r}.")
        for name_of, values in (("predictions", predictions), ("y", y)):
            refuse_masked(values, name_of)
        predictions, y = np.asarray(predictions), np.asarray(y)
        if predictions.ndim != 2 or len(predictions) < 2:
            raise ValueError(
                "predictions must have a row for each of at least two members; got the shape "
                f"{predictions.shape}."
            )
        if not predictions.size:
            raise ValueError("predictions must have at least one column.")
        if y.shape != predictions.shape[1:]:
            raise ValueError(
                f"y must have a value for each of the {predictions.shape[1]} predicted rows; got "
                f"the shape {y.shape}."
            )
        of_ensemble = y if ensemble_prediction is None else np.asarray(ensemble_prediction)
        if of_ensemble.shape != y.shape:
            raise ValueError(
                f"ensemble_prediction must have a value for each of the {y.size} rows of y; got "
                f"the shape {of_ensemble.shape}."
            )
        check = _check_classes if kind == "kappa" else _check_numbers
        check(y, y, "y")
        check(predictions, y, "predictions")
        check(of_ensemble, y, "ensemble_prediction")
        if kind == "rmse":  # differences of integers may not fit into their type
            predictions, y, of_ensemble = (
                each.astype(np.float64) for each in (predictions, y, of_ensemble)
            )
        errors, between = (
            (_error_rates, pairwise_kappa) if kind == "kappa" else (_rms_errors, _rms_differences)
        )
        each = errors(predictions, y)
        first, second = np.triu_indices(len(predictions), k=1)
        return cls(
            diversity=between(predictions)[first, second],
            error=(each[first] + each[second]) / 2,
            kind=kind,
            ensemble_error=None
            if ensemble_prediction is None
            else float(errors(of_ensemble[None], y)[0]),
            name=name,
        ).plot(ax=ax, **kwargs)

    def plot(self, ax=None, **kwargs):
        """Draw it.

        Parameters
        ----------
        {ax, **kwargs}

        Returns
        -------
        DiversityErrorDisplay
            The display itself.
        """
        ax = new_axes(6.0, 4.6) if ax is None else ax
        self.ax_, self.figure_ = ax, ax.figure
        style = series_style(ax)
        line = style.pop("linestyle")

        def named(what: str) -> str:
            return what if self.name is None else f"{self.name}: {what}"

        # fewer points can be darker; thousands would fill a vector drawing
        alpha = float(np.clip(12 / np.sqrt(len(self.diversity)), 0.12, 0.8))
        points = style | {"linestyle": "none", "markersize": 4, "markeredgewidth": 0}
        points |= {"alpha": alpha, "rasterized": len(self.diversity) > 2000}
        (self.points_,) = ax.plot(self.diversity, self.error, **styled("line", points, kwargs))
        colour = self.points_.get_color()
        (self.centre_,) = ax.plot(
            np.mean(self.diversity), np.mean(self.error), marker=style["marker"], markersize=10,
            markerfacecolor=colour, markeredgecolor="black", markeredgewidth=1.5, linestyle="none",
            label=named("pairs of members, and their mean"), zorder=3,
        )  # fmt: skip
        if self.ensemble_error is not None:
            ax.axhline(
                self.ensemble_error, color=colour, linestyle=line, linewidth=1.4,
                label=named("the ensemble"),
            )  # fmt: skip
        kappa = self.kind == "kappa"
        ax.set_xlabel(
            "agreement of two members (kappa; less is more diverse)"
            if kappa
            else "difference of two members (RMSE; more is more diverse)"
        )
        ax.set_ylabel("mean error rate of the two" if kappa else "mean RMSE of the two")
        strip(ax, "both")
        ax.legend(  # above, where no points are
            frameon=False, fontsize="small", loc="lower left", bbox_to_anchor=(0, 1)
        )
        return self


def _check_classes(labels: np.ndarray, y: np.ndarray, name: str) -> None:
    refuse_missing(labels, name)
    refuse_mixed(labels, name)
    unknown = not_classes(labels, y)
    if unknown:
        raise ValueError(
            f"{name} must hold classes as y does, but {unknown[0]!r} is not a class; kind='rmse' "
            "is for numbers."
        )


def _check_numbers(values: np.ndarray, y: np.ndarray, name: str) -> None:
    if values.dtype.kind not in "biuf" or not np.isfinite(values).all():
        raise ValueError(f"{name} must be finite numbers with kind='rmse'.")


def _error_rates(predictions: np.ndarray, y: np.ndarray) -> np.ndarray:
    return (predictions != y).mean(axis=1)


def _rms_errors(predictions: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.sqrt(((predictions - y) ** 2).mean(axis=1))


def _rms_differences(predictions: np.ndarray) -> np.ndarray:
    """Root mean square difference of every pair of members."""
    return np.array([_rms_errors(predictions, each) for each in predictions])


def pairwise_kappa(predictions: np.ndarray) -> np.ndarray:
    """Cohen's kappa of every pair of members; 1 where both always give the same single class."""
    levels, codes = np.unique(predictions, return_inverse=True)
    return kappa_matrix(codes.reshape(predictions.shape), levels.size)
