"""Forward selection by what a column adds to all selected ones."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np

from ensfs._utils.docs import with_docs
from ensfs._utils.sklearn import Interval
from ensfs.data.target import Target
from ensfs.search.automatic import EntryRule
from ensfs.search.forward import ForwardSteps, PartialTests, forward_search, largest_sum
from ensfs.search.selection import Selection
from ensfs.selection._base import SELECTOR_DOCS
from ensfs.selection._sized import SIZE_CONSTRAINTS, SIZE_DOCS, SizedByTests
from ensfs.statistics import Resampling, Source
from ensfs.training.classes import Outputs, outputs_of
from ensfs.training.contract import ReadOptions, TrainingData
from ensfs.training.estimator import CHOICE_CONSTRAINTS, MISSING_CONSTRAINTS, OUTPUT_CONSTRAINTS


@with_docs(SELECTOR_DOCS | SIZE_DOCS)
class ForwardSelection(SizedByTests["OutputStatistics", list[ForwardSteps]]):
    r"""Forward selection: step by step the column that adds most to *all* selected ones.

    A column that repeats a selected one adds nothing, and neither does one that several selected
    columns explain together, which pairwise methods such as `MRMR` cannot see. The score of a
    column is the share of the target's variance that it explains beyond the selected columns
    :math:`S`, its squared semipartial correlation

    .. math:: R^2(y \mid S \cup f) - R^2(y \mid S)

    For classes it is the ratio of the variance between classes to the whole variance of what the
    selected columns leave of it: the gain in Pillai's trace, which is the sum of the squared
    canonical correlations between the selected columns and the class indicators. The first column
    is therefore the one with the largest F statistic.

    Parameters
    ----------
    n_features_to_select : int, float or "auto", default=10
        How many columns at most; a float in (0, 1] is a share of all columns. Fewer are selected,
        with a warning, where no further column adds anything. "auto": as many as pass. A column
        enters only if it adds to *all* columns selected before it by a partial F test, at the
        significance level `expected_false` divided by the number of columns.
    tolerance : float, default=0.01
        A column enters only if the selected ones leave more than this share of its variance
        unexplained, and more than rounding may leave of a column that they explain. What is left of
        a near copy is mostly its noise.
    {expected_false, min_features_to_select, multi_output, missing, include, exclude, n_jobs}
    {verbose}

    Attributes
    ----------
    indices_ : ndarray of int
        Columns in order of selection.
    {support_, ranking_}
    scores_ : ndarray of shape (`n_features_in_`,)
        What each selected column added when it entered; NaN for the others.
    relevance_ : ndarray of shape (`n_features_in_`,)
        What each column explains alone.
    added_ : ndarray of shape (`n_features_in_`,)
        What each column that was left out would have added in the last step; of a selected column
        its score.
    tolerance_ : ndarray of shape (`n_features_in_`,)
        Share of each column that those selected before do not explain: of a selected column when it
        entered, of another in the last step.
    n_pairs_needed_, n_pairs_read_ : int
        Pairs that the method needs, and pairs whose rows were read: all of them.
    cut_points_ : dict
        Empty: no column is cut.
    {target_cut_points_, output_relevance_}
    entry_pvalues_ : ndarray of shape (`n_features_in_`,)
        Only with "auto". p-value of each column given all that were selected before: of a selected
        column when it entered, of another in the last step; 1 where nothing of its own is left.
    {stop_reason_, n_readings_, n_missing_, n_features_in_, feature_names_in_}

    See Also
    --------
    MRMR : Trades relevance against the mean redundancy with each selected column.
    L1Path : The order in which an L1 penalty lets columns in.
    RankEnsemble : Combines selectors that see different things.

    Notes
    -----
    The columns have to be numbers. A step needs the correlations of all columns with the one just
    selected, as a step of `MRMR` does, and :math:`O(p j)` for the j-th step. Row blocks and the
    parts of `FastEnsemble` use the same sums. Effects must be linear to be seen, and two columns
    that matter only together are not.

    References
    ----------
    S. Chen, S. A. Billings and W. Luo (1989), Orthogonal least squares methods and their
    application to non-linear system identification, International Journal of Control 50(5),
    1873-1896. S. Zhang and Z.-Q. Lang (2022), Orthogonal least squares based fast feature selection
    for linear classification, Pattern Recognition 123, 108419.

    Examples
    --------
    >>> import numpy as np
    >>> from ensfs import ForwardSelection
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 6))
    >>> X[:, 3] = X[:, 0] - X[:, 1]  # two columns explain it, none does alone
    >>> y = 2 * X[:, 0] + X[:, 1] + 0.5 * X[:, 2] + rng.normal(size=300)
    >>> ForwardSelection(3).fit(X, y).indices_
    array([0, 1, 2])
    >>> ForwardSelection("auto").fit(X, y).indices_
    array([0, 1, 2])
    """

    _parameter_constraints: dict = {
        **SIZE_CONSTRAINTS,
        "tolerance": [Interval(Real, 0, 1, closed="left")],
        **OUTPUT_CONSTRAINTS,
        **MISSING_CONSTRAINTS,
        **CHOICE_CONSTRAINTS,
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        n_features_to_select=10,
        *,
        tolerance=0.01,
        expected_false=1.0,
        min_features_to_select=1,
        multi_output="mean",
        missing="auto",
        include=None,
        exclude=None,
        n_jobs=None,
        verbose=0,
    ):
        self.n_features_to_select = n_features_to_select
        self.tolerance = tolerance
        self.expected_false = expected_false
        self.min_features_to_select = min_features_to_select
        self.multi_output = multi_output
        self.missing = missing
        self.include = include
        self.exclude = exclude
        self.n_jobs = n_jobs
        self.verbose = verbose

    # ---------------------------------------------- the contract of a PartSelector

    def read_options(self) -> ReadOptions:
        """How the table is to be read."""
        return {"discrete_features": False, "integral_is_discrete": False}

    def sources(
        self, data: TrainingData, resampling: Resampling, n_threads: int, signed: bool = False
    ) -> OutputStatistics:
        """Correlations among columns and with the outputs, always with their sign."""
        if signed:  # averages over parts are absolute values
            raise ValueError(
                "InnerEnsemble cannot run ForwardSelection: averaged correlations are not those of "
                "any columns. Use FastEnsemble."
            )
        return OutputStatistics.of(data, resampling, n_threads, self.missing)

    def select(
        self, sources: OutputStatistics, k: int, included: np.ndarray
    ) -> Selection[list[ForwardSteps]]:
        """Columns of every part."""
        tests = None
        if self.decides_size:
            if sources.n_targets > 1:
                raise ValueError(
                    "n_features_to_select='auto' needs one target, or multi_output='joint'; got "
                    f"{sources.n_targets}. Give a number."
                )
            tests = sources.tests(self._entry_rule)
        return forward_search(
            sources.columns, sources.outputs, sources.starts, k, self.tolerance, included, tests
        )

    def store(
        self,
        data: TrainingData,
        sources: OutputStatistics,
        selection: Selection[list[ForwardSteps]],
    ) -> None:
        """Set the learned attributes."""
        super().store(data, sources, selection)
        steps = selection.details[0]
        self.added_ = data.variables.by_column(steps.added)
        self.tolerance_ = data.variables.by_column(steps.tolerance)
        self._store_entry(steps.entry)
        self.n_pairs_needed_ = selection.n_pairs_needed
        self.n_pairs_read_ = selection.n_pairs_read

    def explain_row(self, j: int) -> dict[str, Any]:
        """The row of `explain` for column ``j``, by heading."""
        return {
            "feature": self._name(j),
            "selected": bool(self.support_[j]),
            "rank": int(self.ranking_[j]) if self.support_[j] else None,
            "relevance": float(self.relevance_[j]),
            "added": float(self.added_[j]),
            "tolerance": float(self.tolerance_[j]),
            **self._entry_row(j),
        }

    def _explain_order(self) -> np.ndarray:
        return self.added_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = False
        tags.input_tags.categorical = False
        return tags


@dataclass(frozen=True)
class OutputStatistics:
    """Signed correlations among columns, and with every output of the target.

    Attributes
    ----------
    columns : Source
        Gives the correlations among columns.
    outputs : ndarray of shape (n_parts, n_outputs, n_features)
        A number: its correlation with each column. Classes: that of their indicators, weighted so
        that the squares add up to the share of the variance of a column between the classes. Of
        several targets all of these.
    weights : ndarray of shape (n_parts, n_outputs)
        Those weights: the lengths of what the mean leaves of the outputs.
    n_rows : ndarray of shape (n_parts,)
        Rows of each part.
    starts : ndarray of int
        Where the outputs begin whose squares are added up; of several such sums the largest counts.
    n_targets : int
        How many targets there are.
    """

    columns: Source
    outputs: np.ndarray
    weights: np.ndarray
    n_rows: np.ndarray
    starts: np.ndarray
    n_targets: int

    @classmethod
    def of(
        cls, data: TrainingData, resampling: Resampling, n_threads: int, missing: str = "error"
    ) -> OutputStatistics:
        """Read the correlations with each output."""
        target, resampling = data.target("auto"), resampling.weighted(data.weight)
        each = [_outputs_of(one, resampling) for one in outputs_of(target)]
        outputs = [numbers for of_one, _ in each for numbers in of_one]
        weights = np.concatenate([of_one for _, of_one in each], axis=1)
        largest = isinstance(target, Outputs) and target.combine == "max"
        weights = weights if largest else weights / np.sqrt(len(each))  # the mean of squares
        sizes = [len(of_one) for of_one, _ in each] if largest else [len(outputs)]
        sources = (
            data.continuous_source(
                each,
                resampling,
                relevance="pearson",
                signed=True,
                n_threads=n_threads,
                missing=missing,
            )
            for each in outputs
        )
        first = next(sources)
        correlations = [first.relevance, *(source.relevance for source in sources)]
        products = np.stack(correlations, axis=1) * weights[:, :, None]
        starts = np.cumsum([0, *sizes[:-1]])
        return cls(first, products, weights, resampling.n_rows, starts, len(each))

    @property
    def relevance(self) -> np.ndarray:
        """What each column explains alone, in every part."""
        return largest_sum(self.outputs**2, self.starts, axis=1)

    def tests(self, rule: EntryRule) -> PartialTests:
        """The tests of what a column adds.

        Indicators of classes are orthogonal; without their means, the products of two are those of
        the roots of their shares, with a minus.
        """
        n_parts, n_outputs = self.weights.shape
        if n_outputs == 1:
            one = np.ones((n_parts, 1, 1))
            return PartialTests(one, self.n_rows, np.ones(n_parts, dtype=int), rule)
        shares = 1.0 - self.weights**2  # of the classes in each part
        present = shares > 0.0
        gram = np.eye(n_outputs) - np.sqrt(shares[:, :, None] * shares[:, None, :])
        gram *= present[:, :, None] & present[:, None, :]
        free = np.maximum(present.sum(axis=1) - 1, 0)
        return PartialTests(gram, self.n_rows, free, rule)


def _outputs_of(target: Target, resampling: Resampling) -> tuple[list[Target], np.ndarray]:
    """The target as numbers, one target for each output, and the weight of each in every part."""
    if target.kind == "numeric":
        return [target], np.ones((resampling.n_parts, 1))
    n_classes = len(target.classes)
    indicators = np.eye(n_classes)[target.codes]
    numbers = [
        Target("numeric", target.constant, values=np.ascontiguousarray(values))
        for values in indicators.T
    ]
    if n_classes <= 2:  # the second indicator is the first turned round
        return numbers[:1], np.ones((resampling.n_parts, 1))
    groups = resampling.fold * np.int64(n_classes) + target.codes
    counts = resampling.total_weights(groups, resampling.n_folds * n_classes)
    shares = resampling.combine_counts(counts.reshape(resampling.n_folds, n_classes))
    return numbers, np.sqrt(1.0 - shares / resampling.n_rows[:, None])
