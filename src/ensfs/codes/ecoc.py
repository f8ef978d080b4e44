"""Error-correcting output codes."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from scipy.special import expit
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from ensfs._utils.docs import with_docs
from ensfs._utils.members import child_seeds
from ensfs._utils.sklearn import Interval, StrOptions, fit_context
from ensfs.codes._base import (
    CODED_CONSTRAINTS,
    CODED_DOCS,
    ScoredClassifier,
    column_outputs,
    column_tasks,
    dealt_folds,
    distinct_rows,
    fit_columns,
)
from ensfs.codes.decoding import LOSSES, RULES, decode, hit_shares, likeness
from ensfs.codes.designs import binary_code, gray_code, one_vs_all, one_vs_one, random_code
from ensfs.codes.discriminant import discriminant_code
from ensfs.codes.probabilities import couple, platt_scaling
from ensfs.codes.separability import separability_weights
from ensfs.codes.strength import check_code, min_row_distance, n_correctable

#: Designs that depend on the number of classes alone, and those that are drawn.
_FIXED = {
    "one_vs_all": one_vs_all,
    "one_vs_one": one_vs_one,
    "binary": binary_code,
    "gray": gray_code,
}
_DRAWN = ("dense", "sparse", "balanced")

#: Bootstrap samples of a column that are drawn until one has both of its sides.
_MAX_DRAWS = 100


def _gives_probabilities(ensemble: Any) -> bool:
    return bool(ensemble.calibrate)


@with_docs(CODED_DOCS)
class ECOCClassifier(ScoredClassifier):
    """Error-correcting output codes: a classifier for each column of a code, and nearest words.

    Each column of the code divides the classes into two sides, which a member learns to tell apart.
    A row gets the class whose word is nearest to what the members say.

    Parameters
    ----------
    estimator : classifier, optional
        What is fitted for each column; None is a decision tree.
    design : str, array-like of shape (n_classes, n_columns) or callable, default="dense"
        The code. "one_vs_all", "one_vs_one", "binary" and "gray" (as few columns as possible);
        "dense", "sparse" and "balanced" are drawn, "discriminant" is a tree of classes whose splits
        share most information with the columns. A matrix of -1, 0 and 1, or a callable that gets
        the number of classes and a Generator and returns one.
    n_columns : int or "auto", default="auto"
        Columns that are drawn. "auto": ceil(10 log2(n_classes)), for "sparse" ceil(15
        log2(n_classes)), or all that exist if there are fewer.
    decoding : str, default="hamming"
        How words are compared with outputs: "hamming", "inverse_hamming", "euclidean",
        "attenuated", "loss", "loss_weighted", "laplacian", "probabilistic" or "l1"; see
        `ensfs.codes.decode`.
    loss : {"exponential", "linear", "hinge"}, default="exponential"
        For `decoding` "loss" and "loss_weighted".
    weights : {"separability", "separability_oob"}, optional
        Weights of the columns for each class, for `decoding` "hamming" and "l1": by how well they
        separate it on all training rows, or on those that a bootstrap sample left out.
    bootstrap : bool, default=False
        Whether each member is fitted on as many rows, drawn with replacement, and heavier ones more
        often.
    duplicates : bool, default=False
        Whether random designs may repeat columns, which makes a code for two classes bagging.
    n_draws : int, default=1000
        Random codes that are drawn; the one with the largest least distance between two words is
        taken.
    calibrate : bool or int, default=False
        Whether there are probabilities: outputs are scaled by Platt's method, on the training rows
        for True, in that many folds for a number, and coupled. The most probable class is predicted
        then, whatever `decoding` is.
    {random_state, n_jobs, verbose}

    Attributes
    ----------
    {code_book_}
    estimators_ : list of classifiers
        One for each column, with the classes -1 and 1.
    estimators_samples_ : list of ndarray of int
        With `bootstrap`, the rows of each member among those of positive weight.
    column_weights_ : ndarray of shape (n_classes, n_columns) or None
        Weights of the columns, for `weights` and for "loss_weighted".
    slopes_, intercepts_ : ndarray of shape (n_columns,)
        Of Platt's scaling, with `calibrate` and for "probabilistic".
    n_columns_ : int
        Number of columns.
    min_row_distance_ : float
        Least distance between two words, with a 0 as one half.
    n_correctable_ : int
        Wrong columns that the Hamming distance always corrects.
    {classes_, n_features_in_, feature_names_in_}

    See Also
    --------
    MinimalECOCClassifier : The best code with the fewest columns.
    DDAGClassifier : Pairs of classes, of which each row asks few.
    NestedDichotomiesClassifier : Random trees of classes, with probabilities.

    Notes
    -----
    With `calibrate` and pairs of classes the probabilities are those of Hastie and Tibshirani's
    coupling; for other codes, of its extension by Huang, Weng and Lin.

    References
    ----------
    T. G. Dietterich and G. Bakiri (1995), Solving multiclass learning problems via error-correcting
    output codes, JAIR 2, 263-286; R. S. Smith and T. Windeatt (2010), Facial expression detection
    using filtered local binary pattern features with ECOC classifiers and Platt scaling, JMLR W&CP
    11; E. L. Allwein, R. E. Schapire and Y. Singer (2000), Reducing multiclass to binary, JMLR 1,
    113-141.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn.svm import SVC
    >>> from ensfs import ECOCClassifier
    >>> X, y = load_digits(return_X_y=True)
    >>> model = ECOCClassifier(SVC(), n_columns=15, random_state=0)
    >>> model.fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.96
    True
    >>> model.code_book_.shape, model.min_row_distance_, model.n_correctable_
    ((10, 15), 5.0, 2)
    """

    _parameter_constraints: dict = {
        **CODED_CONSTRAINTS,
        "design": [StrOptions({*_FIXED, *_DRAWN, "discriminant"}), callable, "array-like"],
        "n_columns": [StrOptions({"auto"}), Interval(Integral, 1, None, closed="left")],
        "decoding": [StrOptions(set(RULES))],
        "loss": [StrOptions(set(LOSSES))],
        "weights": [StrOptions({"separability", "separability_oob"}), None],
        "bootstrap": ["boolean"],
        "duplicates": ["boolean"],
        "n_draws": [Interval(Integral, 1, None, closed="left")],
        "calibrate": ["boolean", Interval(Integral, 2, None, closed="left")],
    }

    def __init__(
        self,
        estimator=None,
        design="dense",
        *,
        n_columns="auto",
        decoding="hamming",
        loss="exponential",
        weights=None,
        bootstrap=False,
        duplicates=False,
        n_draws=1000,
        calibrate=False,
        random_state=None,
        n_jobs=None,
        verbose=0,
    ):
        self.estimator = estimator
        self.design = design
        self.n_columns = n_columns
        self.decoding = decoding
        self.loss = loss
        self.weights = weights
        self.bootstrap = bootstrap
        self.duplicates = duplicates
        self.n_draws = n_draws
        self.calibrate = calibrate
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y=None, sample_weight=None):
        """Make the code and fit a member for each of its columns.

        Parameters
        ----------
        {X, y, sample_weight}

        Returns
        -------
        self : object
            The fitted ensemble.
        """
        self._check_options()
        values, codes, weight = self._read_rows(X, y, sample_weight)
        of_design, of_members, of_rows = child_seeds(self.random_state, 3)
        self.code_book_ = code = self._make_code(values, codes, np.random.default_rng(of_design))
        self.n_columns_ = code.shape[1]
        self.min_row_distance_ = min_row_distance(code)
        self.n_correctable_ = n_correctable(code)
        seeds, samples = of_members.spawn(self.n_columns_), None
        if self.bootstrap:
            order = distinct_rows(values, codes)[0]
            samples = _bootstrap_samples(code[codes], order, weight, of_rows)
            self.estimators_samples_ = samples
        tasks = column_tasks(code, codes, seeds, samples)
        of_fit = None if self.bootstrap else weight  # heavier rows are drawn more often
        self.estimators_ = fit_columns(self._member(), tasks, values, of_fit, self.n_jobs)
        self.column_weights_ = self._make_weights(values, codes, weight)
        if self.calibrate or self.decoding == "probabilistic":
            self._scale_outputs(values, codes, weight, seeds)
        return self

    def _check_options(self) -> None:
        """Raise an error for options that do not go together."""
        if self.weights is not None and self.decoding not in ("hamming", "l1"):
            raise ValueError(
                f'weights must be None unless decoding is "hamming" or "l1"; got '
                f"{self.weights!r} with decoding={self.decoding!r}."
            )
        if self.weights is not None and self.calibrate:
            raise ValueError(
                f"weights must be None with calibrate, which decodes by probabilities; got "
                f"{self.weights!r}."
            )
        if self.weights == "separability_oob" and not self.bootstrap:
            raise ValueError(
                'weights="separability_oob" needs rows that members have not seen; set '
                "bootstrap=True."
            )

    def _make_code(
        self, values: np.ndarray, codes: np.ndarray, rng: np.random.Generator
    ) -> np.ndarray:
        """The code for these classes."""
        n_classes, design = len(self.classes_), self.design
        if callable(design):
            return check_code(design(n_classes, rng), n_classes)
        if not isinstance(design, str):
            return check_code(design, n_classes)
        if design in _FIXED:
            return _FIXED[design](n_classes)
        if design == "discriminant":
            return discriminant_code(values, codes, rng=rng)
        return random_code(design, n_classes, self.n_columns, rng, self.n_draws, self.duplicates)

    def _make_weights(
        self, values: np.ndarray, codes: np.ndarray, weight: np.ndarray | None
    ) -> np.ndarray | None:
        """Weights of the columns for each class, if there are any."""
        if self.weights is None and self.decoding != "loss_weighted":
            return None
        outputs = self._outputs(values)
        if self.weights is None:
            return hit_shares(outputs, codes, self.code_book_, weight)
        unseen = None
        if self.weights == "separability_oob":
            unseen = np.ones(outputs.shape, dtype=bool)
            for column, rows in enumerate(self.estimators_samples_):
                unseen[rows, column] = False
        return separability_weights(
            outputs, codes, self.code_book_, sample_weight=weight, counted=unseen
        )

    def _scale_outputs(
        self, values: np.ndarray, codes: np.ndarray, weight: np.ndarray | None, seeds: list
    ) -> None:
        """Platt's scaling of each column, from the rows that it is about."""
        if self.calibrate and not isinstance(self.calibrate, (bool, np.bool_)):
            outputs = self._cross_fitted(values, codes, weight, seeds)
        else:
            outputs = self._outputs(values)
        scales = np.empty((self.n_columns_, 2))
        for j in range(self.n_columns_):
            side = self.code_book_[codes, j]
            rows = (side != 0) & ~np.isnan(outputs[:, j])
            weights = None if weight is None else weight[rows]
            scales[j] = platt_scaling(outputs[rows, j], side[rows] == 1, weights)
        self.slopes_, self.intercepts_ = scales.T.copy()

    def _cross_fitted(
        self, values: np.ndarray, codes: np.ndarray, weight: np.ndarray | None, seeds: list
    ) -> np.ndarray:
        """Outputs of members that have not seen the row; NaN where a side had no row left."""
        folds, sides = dealt_folds(codes, self.calibrate), self.code_book_[codes]
        outputs = np.full(sides.shape, np.nan)
        places, tasks = [], []
        for fold in range(self.calibrate):
            samples = [np.nonzero((folds != fold) & (side != 0))[0] for side in sides.T]
            each = column_tasks(self.code_book_, codes, seeds, samples)
            both = [j for j, rows in enumerate(samples) if len(np.unique(sides[rows, j])) == 2]
            places += [(fold, j) for j in both]
            tasks += [each[j] for j in both]
        members = fit_columns(self._member(), tasks, values, weight, self.n_jobs)
        for (fold, j), member in zip(places, members, strict=True):
            rows = folds == fold
            if rows.any():
                outputs[rows, j] = column_outputs([member], values[rows])[:, 0]
        return outputs

    def _outputs(self, values: np.ndarray) -> np.ndarray:
        """What the members say of the rows."""
        return column_outputs(
            self.estimators_, values, n_jobs=self.n_jobs, bounded=self.decoding == "l1"
        )

    def _class_scores(self, X: Any) -> np.ndarray:
        if self.calibrate:
            with np.errstate(divide="ignore"):
                return np.log(self.predict_proba(X))
        _, values = self._read(X, reset=False)
        return self._likeness(self._outputs(values))

    def _likeness(self, outputs: np.ndarray) -> np.ndarray:
        """Scores of the classes from outputs, by the rule of decoding."""
        scales = {}
        if self.decoding == "probabilistic":
            scales = {"slopes": self.slopes_, "intercepts": self.intercepts_}
        distances = decode(
            outputs,
            self.code_book_,
            self.decoding,
            loss=self.loss,
            weights=self.column_weights_,
            **scales,
        )
        return likeness(distances, self.decoding)

    @available_if(_gives_probabilities)
    def predict_proba(self, X):
        """Probabilities of the classes, coupled from those of the columns; with `calibrate`.

        Parameters
        ----------
        {X}

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            In the order of `classes_`.
        """
        check_is_fitted(self, "slopes_")
        _, values = self._read(X, reset=False)
        p = expit(-(self.slopes_ * self._outputs(values) + self.intercepts_))
        return couple(p, self.code_book_)


def _bootstrap_samples(
    sides: np.ndarray, order: np.ndarray, weight: np.ndarray | None, seed: np.random.SeedSequence
) -> list[np.ndarray]:
    """Rows of each column, drawn with replacement among its own; all of them if luck fails.

    A row of weight 2 is drawn as two rows would be, and whole weights are as many draws.
    """
    samples = []
    for side, child in zip(sides.T, seed.spawn(sides.shape[1]), strict=True):
        own = order[side[order] != 0]
        upto = np.arange(1.0, own.size + 1) if weight is None else weight[own].cumsum()
        whole = weight is None or (weight[own] % 1 == 0).all()
        n_draws = int(upto[-1]) if whole else own.size
        rng = np.random.default_rng(child)
        for _ in range(_MAX_DRAWS):
            drawn = np.searchsorted(upto, upto[-1] * rng.random(n_draws), side="right")
            rows = own[np.minimum(drawn, own.size - 1)]  # a product may be rounded up
            if len(np.unique(side[rows])) == 2:
                break
        else:
            rows = own
        samples.append(rows)
    return samples
