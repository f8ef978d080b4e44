"""Greedy selectors that weigh relevance against redundancy, within the classes and overall."""

from __future__ import annotations

from dataclasses import replace
from numbers import Real

from ensfs._utils.docs import with_docs
from ensfs._utils.sklearn import Interval
from ensfs.search.criteria import Criterion
from ensfs.selection._greedy import GREEDY_DOCS, GreedyInformation
from ensfs.statistics.formulas import MEASURES, Measure, information


@with_docs(GREEDY_DOCS)
class LCSI(GreedyInformation):
    r"""Linear combinations of Shannon information terms: the family of Brown et al. (2012).

    The redundancy of a column with the selected columns counts against it, and the redundancy
    within the classes counts for it. The score is, in bits,

    .. math:: I(f; y) - \beta \sum_{g} I(f; g) + \gamma \sum_{g} I(f; g \mid y)

    with both sums divided by the number of selected columns if `average` is true.

    Parameters
    ----------
    {n_features_to_select}
    beta : float, default=1.0
        Weight of the redundancy, at least 0.
    gamma : float, default=1.0
        Weight of the redundancy within the classes, at least 0.
    average : bool, default=True
        Whether the sums are divided by the number of selected columns. Otherwise they outweigh
        the relevance, the more so the more columns are selected.
    {correction, expected_false, min_features_to_select, counting_parameters}

    Attributes
    ----------
    {indices_, support_, ranking_, scores_, relevance_, informative_, cut_points_}
    {target_cut_points_, output_relevance_, groups_, n_pairs_needed_}
    n_pairs_read_ : int
        Pairs whose rows were read: all of them, unless `gamma` is 0.
    {n_readings_, n_missing_, n_features_in_, feature_names_in_}

    See Also
    --------
    CIFE : The member without averages, a little quicker.
    JMI : The member with averages, by a formula that gives other scores and the same columns.
    MRMR : With ``scheme="MID"`` the member without redundancy within the classes, as published.

    Notes
    -----
    Published criteria are members of the family:

    ====== =============================================
    MIM    ``LCSI(k, beta=0, gamma=0)``
    MIFS   ``LCSI(k, beta=b, gamma=0, average=False)``
    mRMR   ``LCSI(k, gamma=0)``
    CIFE   ``LCSI(k, average=False)``
    JMI    ``LCSI(k)``
    ====== =============================================

    References
    ----------
    G. Brown, A. Pocock, M.-J. Zhao and M. Luján (2012), Conditional likelihood maximisation: a
    unifying framework for information theoretic feature selection, Journal of Machine Learning
    Research 13, 27-66.

    R. Battiti (1994), Using mutual information for selecting features in supervised neural net
    learning, IEEE Transactions on Neural Networks 5(4), 537-550.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from ensfs import LCSI
    >>> X, y = load_wine(return_X_y=True)
    >>> LCSI(4).fit(X, y).indices_
    array([ 6,  0, 12, 10])
    >>> LCSI(4, beta=0.5, gamma=0, average=False).fit(X, y).indices_
    array([ 6, 12,  9, 10])
    """

    _nearest_heading = "most redundant with"

    _parameter_constraints: dict = {
        **GreedyInformation._parameter_constraints,
        "beta": [Interval(Real, 0, None, closed="left")],
        "gamma": [Interval(Real, 0, None, closed="left")],
        "average": ["boolean"],
    }

    def __init__(
        self, n_features_to_select=10, *, beta=1.0, gamma=1.0, average=True,
        correction="miller_madow", expected_false=1.0, min_features_to_select=1, discretizer="mdl",
        discrete_features="auto", target_bins=3, multi_output="mean", missing="auto", include=None,
        exclude=None, feature_groups=None, n_jobs=None, verbose=0,
    ):  # fmt: skip
        super().__init__(
            n_features_to_select, correction=correction, expected_false=expected_false,
            min_features_to_select=min_features_to_select, discretizer=discretizer,
            discrete_features=discrete_features, target_bins=target_bins, multi_output=multi_output,
            missing=missing, include=include, exclude=exclude, feature_groups=feature_groups,
            n_jobs=n_jobs, verbose=verbose,
        )  # fmt: skip
        self.beta = beta
        self.gamma = gamma
        self.average = average

    @property
    def _criterion(self) -> Criterion:
        weights = {
            information("f", "g"): float(self.beta),
            information("f", "g", given="y"): -float(self.gamma),
        }
        weights = {row: weight for row, weight in weights.items() if weight}
        if not weights:
            return Criterion(MEASURES["mutual_information"], None)
        measure = Measure(tuple(weights), tuple(weights.values()))
        return Criterion(measure, "mean" if self.average else "sum", "difference")


@with_docs(GREEDY_DOCS)
class CIFE(GreedyInformation):
    r"""Conditional infomax feature extraction: relevance without what selected columns share of it.

    What a column and a selected one both tell of the target is subtracted for each selected
    column, in bits:

    .. math:: I(f; y) - \sum_{g} \bigl(I(f; g) - I(f; g \mid y)\bigr)

    The difference is negative, and so counts for the column, if the two tell more together than
    each by itself.

    Parameters
    ----------
    {greedy_parameters}

    Attributes
    ----------
    {sized_attributes}

    See Also
    --------
    LCSI : The family with other weights, and with averages in place of sums.

    References
    ----------
    D. Lin and X. Tang (2006), Conditional infomax learning: an integrated framework for feature
    extraction and fusion, ECCV, LNCS 3951, 68-82.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from ensfs import CIFE
    >>> X, y = load_wine(return_X_y=True)
    >>> CIFE(4).fit(X, y).indices_
    array([6, 0, 3, 2])
    """

    _criterion = Criterion(MEASURES["shared"], "sum", "difference")
    _nearest_heading = "most redundant with"


@with_docs(GREEDY_DOCS)
class ICAP(GreedyInformation):
    r"""Interaction capping: as `CIFE`, but no column gains by a selected one.

    The score is, in bits,

    .. math:: I(f; y) - \sum_{g} \max\bigl(0,\ I(f; g) - I(f; g \mid y)\bigr)

    Parameters
    ----------
    {greedy_parameters}

    Attributes
    ----------
    {indices_, support_, ranking_, scores_, relevance_, informative_, cut_points_}
    {target_cut_points_, output_relevance_, groups_, n_pairs_needed_}
    n_pairs_read_ : int
        Pairs whose rows were read: the score only falls, so most need not be.
    {n_readings_, n_missing_, n_features_in_, feature_names_in_}

    References
    ----------
    A. Jakulin (2005), Machine learning based on attribute interactions, PhD thesis, University of
    Ljubljana.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from ensfs import ICAP
    >>> X, y = load_wine(return_X_y=True)
    >>> ICAP(4).fit(X, y).indices_
    array([6, 0, 3, 2])
    """

    _criterion = Criterion(replace(MEASURES["shared"], signed=False), "sum", "difference")
    _nearest_heading = "most redundant with"
