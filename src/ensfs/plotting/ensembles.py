"""What the members of an ensemble gain together, and what errors are made of."""

from __future__ import annotations

import numpy as np

from ensfs._utils.docs import read_descriptions, with_docs
from ensfs.evaluation import ambiguity, ensemble_gain, staged_errors
from ensfs.evaluation.bias_variance import BiasVariance
from ensfs.plotting._style import DISPLAY_DOCS, new_axes, quiet, series_style, strip, styled

#: Parameters of the displays of this module and of their methods.
ENSEMBLE_DOCS = DISPLAY_DOCS | read_descriptions("""
name : str, optional
    Name of the series, for the legend.
ax : matplotlib Axes, optional
    Where to draw, for example the `ax_` of another display; by default a new figure.
**kwargs : dict
    For the line or the points; see `matplotlib.axes.Axes.plot`.
""")

_LOSSES = {"error": "error rate", "conditional_entropy": "conditional entropy"}


@with_docs(ENSEMBLE_DOCS)
class GainDisplay:
    """What votes gain over their members, against how much the members disagree.

    A point is an ensemble: its ambiguity, and the mean loss of its members minus the loss of their
    vote. If points rise to the right, disagreement is what the gain comes from. Make it with
    `from_predictions`; the parameters are stored as attributes.

    Parameters
    ----------
    ambiguities : array-like of shape (n_ensembles,)
        Mean entropy of the votes of each ensemble, in bits.
    gains : array-like of shape (n_ensembles,)
        What each vote gains.
    loss : {"error", "conditional_entropy"}, default="error"
        The loss.
    {name}

    Attributes
    ----------
    {ax_, figure_}
    points_ : matplotlib Line2D
        The ensembles.
    correlation_ : float
        Pearson's correlation of the two; NaN for fewer than two ensembles.

    References
    ----------
    P. Cunningham and J. Carney (2000), Diversity versus quality in classification ensembles based
    on feature selection, European Conference on Machine Learning, 109-116.

    Examples
    --------
    >>> import numpy as np
    >>> from ensfs.plotting import GainDisplay
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(2, size=200)
    >>> members = np.where(rng.random((30, 200)) < 0.3, 1 - y, y)
    >>> ensembles = [members[i : i + size] for size in (3, 5, 9) for i in (0, 10, 20)]
    >>> display = GainDisplay.from_predictions(ensembles, y)
    >>> display.correlation_ > 0.8
    True
    """

    def __init__(self, *, ambiguities, gains, loss="error", name=None):
        self.ambiguities = ambiguities
        self.gains = gains
        self.loss = loss
        self.name = name

    @classmethod
    def from_predictions(cls, ensembles, y, *, loss="error", name=None, ax=None, **kwargs):
        """Draw ensembles that are given by what their members predict.

        Parameters
        ----------
        ensembles : sequence of array-like of shape (n_members, n_samples)
            Labels that the members of each ensemble predict for the same rows.
        y : array-like of shape (n_samples,)
            True classes.
        loss : {"error", "conditional_entropy"}, default="error"
            What members and votes are measured by.
        {name, ax, **kwargs}

        Returns
        -------
        GainDisplay
            The display, drawn.
        """
        ensembles = list(ensembles)
        if not ensembles:
            raise ValueError("ensembles must hold at least one ensemble; got none.")
        return cls(
            ambiguities=np.array([ambiguity(each) for each in ensembles]),
            gains=np.array([ensemble_gain(each, y, loss=loss) for each in ensembles]),
            loss=loss,
            name=name,
        ).plot(ax=ax, **kwargs)

    def plot(self, ax=None, **kwargs):
        """Draw it.

        Parameters
        ----------
        {ax, **kwargs}

        Returns
        -------
        GainDisplay
            The display itself.
        """
        ax = new_axes(6.0, 4.4) if ax is None else ax
        self.ax_, self.figure_ = ax, ax.figure
        x, gains = np.asarray(self.ambiguities, float), np.asarray(self.gains, float)
        varies = x.size > 1 and np.ptp(x) > 0 and np.ptp(gains) > 0
        self.correlation_ = float(np.corrcoef(x, gains)[0, 1]) if varies else float("nan")
        shown = f"r = {self.correlation_:.2f}" if varies else "ensembles"
        points = series_style(ax) | {"linestyle": "none", "markersize": 6, "alpha": 0.8}
        points["label"] = shown if self.name is None else f"{self.name}: {shown}"
        (self.points_,) = ax.plot(x, gains, **styled("line", points, kwargs))
        ax.axhline(0.0, color=quiet(), linewidth=1, zorder=1)
        ax.set_xlabel("ambiguity of the votes, bits")
        ax.set_ylabel(f"gain of the vote in {_LOSSES[self.loss]}")
        strip(ax, "both")
        ax.legend(frameon=False, fontsize="small", loc="lower left", bbox_to_anchor=(0, 1))
        return self


@with_docs(ENSEMBLE_DOCS)
class StagedErrorDisplay:
    """The error of an ensemble with one member, with two, and so on.

    It shows how many members are enough. Make it with `from_estimator`; the parameters are stored
    as attributes.

    Parameters
    ----------
    errors : array-like of shape (n_members,)
        Error of the first member, of the first two together, and so on.
    error_name : str, default="error rate"
        What the errors are.
    {name}

    Attributes
    ----------
    {ax_, figure_}
    line_ : matplotlib Line2D
        The curve.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from ensfs.plotting import StagedErrorDisplay
    >>> X, y = load_wine(return_X_y=True)
    >>> forest = RandomForestClassifier(30, random_state=0).fit(X[::2], y[::2])
    >>> display = StagedErrorDisplay.from_estimator(forest, X[1::2], y[1::2])
    >>> len(display.errors)
    30
    """

    def __init__(self, *, errors, error_name="error rate", name=None):
        self.errors = errors
        self.error_name = error_name
        self.name = name

    @classmethod
    def from_estimator(
        cls, ensemble, X, y, *, error=None, error_name=None, name=None, ax=None, **kwargs
    ):
        """Draw the stages of a fitted ensemble on rows that it was not fitted on.

        Parameters
        ----------
        ensemble : classifier or regressor
            Fitted; see `ensfs.evaluation.staged_errors` for which ones.
        X : array-like or data frame of shape (n_samples, n_features)
            Rows to predict.
        y : array-like of shape (n_samples,)
            Their classes or numbers.
        error : callable, optional
            ``error(y, predicted)``; None is the error rate, or the root mean squared error.
        error_name : str, optional
            What the errors are, for the axis.
        {name, ax, **kwargs}

        Returns
        -------
        StagedErrorDisplay
            The display, drawn.
        """
        errors = staged_errors(ensemble, X, y, error=error)
        if error_name is None:
            usual = "error rate" if hasattr(ensemble, "classes_") else "RMSE"
            error_name = usual if error is None else "error"
        return cls(errors=errors, error_name=error_name, name=name).plot(ax=ax, **kwargs)

    def plot(self, ax=None, **kwargs):
        """Draw it.

        Parameters
        ----------
        {ax, **kwargs}

        Returns
        -------
        StagedErrorDisplay
            The display itself.
        """
        ax = new_axes(6.0, 4.0) if ax is None else ax
        self.ax_, self.figure_ = ax, ax.figure
        errors = np.asarray(self.errors, float)
        members = np.arange(1, errors.size + 1)
        style = series_style(ax) | {"linewidth": 1.8, "markersize": 5, "label": self.name}
        style["markevery"] = max(1, errors.size // 10)
        (self.line_,) = ax.plot(members, errors, **styled("line", style, kwargs))
        ax.set_xlabel("number of members")
        ax.set_ylabel(self.error_name)
        ax.set_xlim(left=0)
        strip(ax, "both")
        if self.name is not None:
            ax.legend(frameon=False, fontsize="small")
        return self


_TERMS = {
    "error": "error",
    "noise": "noise",
    "systematic_effect": "systematic effect",
    "variance_effect": "variance effect",
}
_KOHAVI_WOLPERT = {"error": "error", "noise": "noise", "bias": "bias", "variance": "variance"}


@with_docs(ENSEMBLE_DOCS)
class BiasVarianceDisplay:
    """Error, bias and variance of a model against something that is varied.

    The curves are the terms of `ensfs.evaluation.bias_variance`, whose sum is the error: for James'
    decomposition noise, systematic effect and variance effect, for that of Kohavi and Wolpert
    noise, bias and variance. Make it with `from_results`; the parameters are stored as attributes.

    Parameters
    ----------
    values : array-like of shape (n_values,)
        What is varied: nodes, depths, members.
    results : sequence of BiasVariance
        The terms for each value.
    value_name : str, default="value"
        What is varied, for the axis.
    {name}

    Attributes
    ----------
    {ax_, figure_}
    lines_ : list of matplotlib Line2D
        The curve of each term.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from ensfs.datasets import make_norms
    >>> from ensfs.evaluation import bias_variance
    >>> from ensfs.plotting import BiasVarianceDisplay
    >>> X, y = make_norms(500, random_state=0)
    >>> samples = [make_norms(100, random_state=seed) for seed in range(1, 6)]
    >>> results = []
    >>> for depth in (1, 4):
    ...     tree = DecisionTreeClassifier(max_depth=depth, random_state=0)
    ...     results.append(bias_variance([tree.fit(*each).predict(X) for each in samples], y))
    >>> display = BiasVarianceDisplay.from_results([1, 4], results, value_name="depth")
    >>> [line.get_label() for line in display.lines_]
    ['error', 'systematic effect', 'variance effect']
    """

    def __init__(self, *, values, results, value_name="value", name=None):
        self.values = values
        self.results = results
        self.value_name = value_name
        self.name = name

    @classmethod
    def from_results(cls, values, results, *, value_name="value", name=None, ax=None, **kwargs):
        """Draw what `bias_variance` gave for several values.

        Parameters
        ----------
        values : array-like of shape (n_values,)
            What was varied.
        results : sequence of BiasVariance
            The terms for each value, all by the same method.
        value_name : str, default="value"
            What was varied, for the axis.
        {name, ax, **kwargs}

        Returns
        -------
        BiasVarianceDisplay
            The display, drawn.
        """
        results = list(results)
        if not results or not all(isinstance(each, BiasVariance) for each in results):
            raise ValueError("results must hold what bias_variance gave, at least once.")
        if len(results) != len(values):
            raise ValueError(
                f"results must be as many as values, {len(values)}; got {len(results)}."
            )
        if len({each.systematic_effect is None for each in results}) > 1:
            raise ValueError("results must all be by the same method; got both.")
        return cls(values=values, results=results, value_name=value_name, name=name).plot(
            ax=ax, **kwargs
        )

    def plot(self, ax=None, **kwargs):
        """Draw it.

        Parameters
        ----------
        {ax, **kwargs}

        Returns
        -------
        BiasVarianceDisplay
            The display itself.
        """
        ax = new_axes(6.0, 4.2) if ax is None else ax
        self.ax_, self.figure_ = ax, ax.figure
        terms = _KOHAVI_WOLPERT if self.results[0].systematic_effect is None else _TERMS
        self.lines_ = []
        for term, label in terms.items():
            curve = [getattr(each, term) for each in self.results]
            if term == "noise" and not any(curve):
                continue  # nobody knows it
            style = series_style(ax) | {"linewidth": 1.8, "markersize": 5}
            style["label"] = label if self.name is None else f"{self.name}: {label}"
            (line,) = ax.plot(self.values, curve, **styled("line", style, kwargs))
            self.lines_.append(line)
        ax.set_xlabel(self.value_name)
        ax.set_ylabel("share of the rows")
        strip(ax, "both")
        ax.legend(frameon=False, fontsize="small")
        return self
