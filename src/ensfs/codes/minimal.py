"""The best of the codes with as few columns as possible."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.svm import SVC

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
from ensfs.codes._evolution import Search, evolve, learn
from ensfs.codes._minimal_codes import (
    MOST_EXHAUSTIVE,
    Design,
    all_designs,
    chromosome_number,
    code_of,
    design_of,
    repaired_bits,
    words_of_bits,
)
from ensfs.codes._tuning import TunedClassifier, parameter_names
from ensfs.codes.decoding import PLAIN_RULES, decode, likeness
from ensfs.codes.designs import binary_code, gray_code, n_minimal_columns, words_to_code
from ensfs.codes.strength import min_row_distance

#: Weight of the wrong rows of a design, minus the distance of its words, and its number: less is
#: better.
Fitness = tuple[float, float, int]


@with_docs(CODED_DOCS)
class MinimalECOCClassifier(ScoredClassifier):
    """The output code with the fewest columns, chosen for the data.

    For N classes ceil(log2(N)) members are enough. Which classes stand on which side decides how
    hard their tasks are: the codes are compared by their error on rows that members have not seen.
    All codes are tried for up to eight classes, and a genetic algorithm looks for a good one above;
    each dichotomy is fitted once, however many codes have it.

    Parameters
    ----------
    estimator : classifier, optional
        What is fitted for each column; None is a support vector machine, ``SVC()``.
    search : {"auto", "exhaustive", "genetic", "pbil", "binary", "gray"}, default="auto"
        "exhaustive": all codes, up to eight classes. "genetic", "pbil" (population-based
        incremental learning): on islands. "binary", "gray": no search. "auto": "exhaustive" where
        it can be, else "genetic".
    population : int, default=40
        Codes of a generation, on all islands together.
    islands : int, default=4
        Populations that exchange their best every five generations.
    generations : int, default=50
        Most generations.
    patience : int, default=10
        Generations without gain after which the search ends.
    validation : int or float, default=2
        Folds in which codes are compared, or the share of rows that is held out for it.
    tune : {"grid", "genetic"}, optional
        How ``C`` and ``gamma`` of each member are chosen, in two folds of its rows; None leaves
        them alone.
    decoding : {"hamming", "inverse_hamming", "euclidean", "attenuated", "laplacian", "loss", \
            "l1"}, default="hamming"
        How words are compared with outputs; see `ensfs.codes.decode`.
    {random_state, n_jobs, verbose}

    Attributes
    ----------
    {code_book_}
    estimators_ : list of classifiers
        One for each column, with the classes -1 and 1.
    dichotomies_ : ndarray of int8, shape (n_dichotomies, n_classes)
        The columns that were fitted to compare codes.
    fitness_path_ : ndarray
        Validation error of the best code after each generation; one number for "exhaustive", none
        without a search.
    n_iter_ : int
        Generations of the search; 1 for "exhaustive", 0 without a search.
    n_codes_ : int
        Different codes that were compared.
    n_fits_ : int
        Members that were fitted, those of folds and those of the result.
    min_row_distance_ : float
        Least distance between two words.
    {classes_, n_features_in_, feature_names_in_}

    See Also
    --------
    ECOCClassifier : Longer codes, which correct errors.

    Notes
    -----
    Of codes with equal errors the one with the larger distance between words is taken, then the one
    with the smaller number, so that the result does not depend on the order of the search. Codes
    that differ by the order or the complement of columns are the same.

    Equal rows of a class are in the same fold, so that a row of weight 2 is two rows, as far as the
    members see it so: machines of libsvm do up to their tolerance.

    References
    ----------
    M. A. Bautista, X. Baro, O. Pujol, P. Radeva, J. Vitria and S. Escalera (2010), Compact
    evolutive design of error-correcting output codes, SUEMA workshop.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import StandardScaler
    >>> from ensfs import MinimalECOCClassifier
    >>> X, y = load_wine(return_X_y=True)
    >>> X = StandardScaler().fit_transform(X)
    >>> model = MinimalECOCClassifier(random_state=0).fit(X[::2], y[::2])
    >>> model.score(X[1::2], y[1::2]) > 0.95
    True
    >>> model.code_book_.shape, model.n_codes_, model.n_fits_
    ((3, 2), 3, 8)
    """

    _default_member = SVC()

    _parameter_constraints: dict = {
        **CODED_CONSTRAINTS,
        "search": [StrOptions({"auto", "exhaustive", "genetic", "pbil", "binary", "gray"})],
        "population": [Interval(Integral, 2, None, closed="left")],
        "islands": [Interval(Integral, 1, None, closed="left")],
        "generations": [Interval(Integral, 1, None, closed="left")],
        "patience": [Interval(Integral, 1, None, closed="left")],
        "validation": [
            Interval(Integral, 2, None, closed="left"),
            Interval(Real, 0, 1, closed="neither"),
        ],
        "tune": [StrOptions({"grid", "genetic"}), None],
        "decoding": [StrOptions({*PLAIN_RULES, "loss", "l1"})],
    }

    def __init__(
        self,
        estimator=None,
        search="auto",
        *,
        population=40,
        islands=4,
        generations=50,
        patience=10,
        validation=2,
        tune=None,
        decoding="hamming",
        random_state=None,
        n_jobs=None,
        verbose=0,
    ):
        self.estimator = estimator
        self.search = search
        self.population = population
        self.islands = islands
        self.generations = generations
        self.patience = patience
        self.validation = validation
        self.tune = tune
        self.decoding = decoding
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y=None, sample_weight=None):
        """Find the code and fit a member for each of its columns.

        Parameters
        ----------
        {X, y, sample_weight}

        Returns
        -------
        self : object
            The fitted ensemble.
        """
        if self.population < 2 * self.islands:
            raise ValueError(
                f"population must hold at least two codes for each of the {self.islands} islands; "
                f"got {self.population}."
            )
        values, codes, weight = self._read_rows(X, y, sample_weight)
        of_members, of_folds, of_search = child_seeds(self.random_state, 3)
        member = self._tuned_member()
        n_classes = len(self.classes_)
        folds = self._unseen_folds(values, codes, np.random.default_rng(of_folds))
        trial = _Trial(member, values, codes, weight, folds, self.decoding, of_members, self.n_jobs)
        code, path = self._find(trial, n_classes, np.random.default_rng(of_search))
        self.code_book_ = code
        self.min_row_distance_ = min_row_distance(code)
        self.fitness_path_ = np.array(path) / max(trial.held_weight.sum(), np.finfo(float).tiny)
        self.dichotomies_ = code_of(tuple(sorted(trial.outputs)), n_classes).T
        self.n_codes_, self.n_iter_ = len(trial.fitness), len(path)
        seeds = [_seed_of(of_members, dichotomy) for dichotomy in design_of(code)]
        tasks = column_tasks(code, codes, seeds)
        self.estimators_ = fit_columns(member, tasks, values, weight, self.n_jobs)
        self.n_fits_ = trial.n_fits + len(tasks)
        return self

    def _tuned_member(self) -> Any:
        """What is cloned for each column."""
        if self.tune is None:
            return self._member()
        parameter_names(self._member())  # raises an error if there is nothing to tune
        return TunedClassifier(self._member(), self.tune)

    def _unseen_folds(
        self, values: np.ndarray, codes: np.ndarray, rng: np.random.Generator
    ) -> np.ndarray:
        """Fold in which each row is predicted; -1 for rows that only train.

        Equal rows are in the same fold, as a row of their common weight is.
        """
        rows, group = distinct_rows(values, codes)
        of_groups = np.empty(group.max() + 1, dtype=np.intp)
        of_groups[group[rows]] = codes[rows]
        order, folds = rng.permutation(of_groups.size), np.empty(of_groups.size, dtype=np.intp)
        if isinstance(self.validation, Integral):
            folds[order] = dealt_folds(of_groups[order], int(self.validation))
            return folds[group]
        for c in range(codes.max() + 1):  # at least one row of each class trains
            own = order[of_groups[order] == c]
            n_held = min(len(own) - 1, round(self.validation * len(own)))
            folds[own] = np.where(np.arange(len(own)) < n_held, 0, -1)
        return folds[group]

    def _find(
        self, trial: _Trial, n_classes: int, rng: np.random.Generator
    ) -> tuple[np.ndarray, list[float]]:
        """The code, and the weight of the wrong rows of the best one after each generation."""
        search = self.search
        if search == "auto":
            search = "exhaustive" if n_classes <= MOST_EXHAUSTIVE else "genetic"
        if search in ("binary", "gray"):
            code = (binary_code if search == "binary" else gray_code)(n_classes)
            return code_of(design_of(code), n_classes), []
        if search == "exhaustive":
            if n_classes > MOST_EXHAUSTIVE:
                raise ValueError(
                    f'search="exhaustive" is for up to {MOST_EXHAUSTIVE} classes; got {n_classes}.'
                )
            designs = list(all_designs(n_classes))
            best = min(zip(trial.evaluate(designs), designs, strict=True))
            return code_of(best[1], n_classes), [best[0][0]]
        n_digits = n_minimal_columns(n_classes)

        def design(bits: np.ndarray) -> Design:
            return design_of(words_to_code(words_of_bits(bits, n_digits)))

        task = Search(
            n_classes * n_digits,
            lambda strings: trial.evaluate([design(bits) for bits in strings]),
            lambda bits: repaired_bits(bits, n_digits),
            self.population, self.islands, self.generations, self.patience,
            gain_of=lambda value: value[:2],
        )  # fmt: skip
        found = (evolve if search == "genetic" else learn)(task, rng)
        return code_of(design(found.best), n_classes), [value[0] for value in found.path]

    def _class_scores(self, X: Any) -> np.ndarray:
        _, values = self._read(X, reset=False)
        bounded = self.decoding == "l1"
        outputs = column_outputs(self.estimators_, values, n_jobs=self.n_jobs, bounded=bounded)
        return likeness(decode(outputs, self.code_book_, self.decoding), self.decoding)


class _Trial:
    """Codes on rows that members have not seen; every dichotomy is fitted once in each fold."""

    def __init__(
        self,
        estimator: Any,
        X: np.ndarray,
        y: np.ndarray,
        weight: np.ndarray | None,
        folds: np.ndarray,
        decoding: str,
        seed: np.random.SeedSequence,
        n_jobs: int | None,
    ):
        self.estimator, self.X, self.y, self.weight = estimator, X, y, weight
        self.folds, self.decoding, self.seed, self.n_jobs = folds, decoding, seed, n_jobs
        self.n_classes = int(y.max()) + 1
        self.held = np.nonzero(folds >= 0)[0]
        self.held_weight = np.ones(self.held.size) if weight is None else weight[self.held]
        self.outputs: dict[int, np.ndarray] = {}
        self.fitness: dict[Design, Fitness] = {}
        self.n_fits = 0

    def evaluate(self, designs: Sequence[Design]) -> list[Fitness]:
        """Fitness of designs; the dichotomies that are new are fitted together."""
        new = [design for design in dict.fromkeys(designs) if design not in self.fitness]
        needed = {dichotomy for design in new for dichotomy in design}
        self._fit(sorted(needed - set(self.outputs)))
        for design in new:
            self.fitness[design] = self._fitness(design)
        return [self.fitness[design] for design in designs]

    def _fitness(self, design: Design) -> Fitness:
        code = code_of(design, self.n_classes)
        outputs = np.stack([self.outputs[dichotomy] for dichotomy in design], axis=1)
        scores = likeness(decode(outputs, code, self.decoding), self.decoding)
        wrong = scores.argmax(axis=1) != self.y[self.held]
        number = chromosome_number(design, self.n_classes)
        return float(self.held_weight[wrong].sum()), -min_row_distance(code), number

    def _fit(self, dichotomies: Iterable[int]) -> None:
        """Fit dichotomies in all folds and keep their outputs for the rows that are held out."""
        places, tasks = [], []
        for dichotomy in dichotomies:
            self.outputs[dichotomy] = np.zeros(len(self.y))
            side = code_of((dichotomy,), self.n_classes)[:, 0]
            for fold in range(self.folds.max() + 1):
                rows = np.nonzero(self.folds != fold)[0]
                present = np.unique(side[self.y[rows]])
                if len(present) < 2:  # the only side that is left is what is predicted
                    self.outputs[dichotomy][self.folds == fold] = present[0]
                    continue
                places.append((dichotomy, fold))
                seed = _seed_of(self.seed, dichotomy)
                tasks += column_tasks(side[:, None], self.y, [seed], [rows])
        members = fit_columns(self.estimator, tasks, self.X, self.weight, self.n_jobs)
        self.n_fits += len(members)
        for (dichotomy, fold), member in zip(places, members, strict=True):
            rows = np.nonzero(self.folds == fold)[0]
            if rows.size:
                outputs = column_outputs([member], self.X[rows], bounded=self.decoding == "l1")
                self.outputs[dichotomy][rows] = outputs[:, 0]
        for dichotomy in dict.fromkeys(dichotomies):
            self.outputs[dichotomy] = self.outputs[dichotomy][self.held]


def _seed_of(seed: np.random.SeedSequence, dichotomy: int) -> np.random.SeedSequence:
    """The seed of a dichotomy, whenever it is fitted."""
    return np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, dichotomy))
