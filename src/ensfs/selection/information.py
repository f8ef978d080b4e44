"""Greedy selectors that count a column, a selected column and the target together."""

from __future__ import annotations

from ensfs._utils.docs import with_docs
from ensfs.search.criteria import Criterion
from ensfs.selection._greedy import GREEDY_DOCS, MINIMUM_DOCS, GreedyInformation
from ensfs.statistics.formulas import MEASURES


@with_docs(MINIMUM_DOCS)
class CMIM(GreedyInformation):
    r"""Conditional mutual information maximisation: what no single selected column says already.

    The score of a column is the least of its conditional mutual information with the target given
    each selected column (and of its mutual information), in bits:

    .. math:: \min\Bigl(I(f;y),\ \min_{g} I(f;y \mid g)\Bigr)

    Parameters
    ----------
    {n_features_to_select, correction}
    include_mi : bool, default=True
        Whether the minimum includes the mutual information itself. False is the formula of the
        paper, which lets columns rise that say something only together with a selected one.
    {expected_false, min_features_to_select, counting_parameters}

    Attributes
    ----------
    {sized_attributes}

    References
    ----------
    F. Fleuret (2004), Fast binary feature selection with conditional mutual information, Journal of
    Machine Learning Research 5, 1531-1555.

    Examples
    --------
    >>> import numpy as np
    >>> from ensfs import CMIM
    >>> y = list("000000111111")
    >>> X = np.array([list("000001111110"), list("000011111100"), list("000001111101")]).T
    >>> selector = CMIM(3).fit(X, y)
    >>> selector.indices_
    array([0, 2, 1])
    >>> selector.scores_.round(4)
    array([ 0.2899, -0.0718,  0.229 ])
    >>> CMIM(3, correction=None).fit(X, y).scores_.round(4)
    array([0.35  , 0.0484, 0.3492])
    """

    _nearest_heading = "least given"

    _parameter_constraints: dict = {
        **GreedyInformation._parameter_constraints,
        "include_mi": ["boolean"],
    }

    def __init__(
        self, n_features_to_select=10, *, correction="miller_madow", include_mi=True,
        expected_false=1.0, min_features_to_select=1, discretizer="mdl", discrete_features="auto",
        target_bins=3, multi_output="mean", missing="auto", include=None, exclude=None,
        feature_groups=None, n_jobs=None, verbose=0,
    ):  # fmt: skip
        super().__init__(
            n_features_to_select, correction=correction, expected_false=expected_false,
            min_features_to_select=min_features_to_select, discretizer=discretizer,
            discrete_features=discrete_features, target_bins=target_bins, multi_output=multi_output,
            missing=missing, include=include, exclude=exclude, feature_groups=feature_groups,
            n_jobs=n_jobs, verbose=verbose,
        )  # fmt: skip
        self.include_mi = include_mi

    @property
    def _criterion(self) -> Criterion:
        return Criterion(MEASURES["conditional"], "minimum", from_relevance=self.include_mi)


@with_docs(GREEDY_DOCS)
class JMI(GreedyInformation):
    r"""Joint mutual information: what a column says of the target together with each selected one.

    The first column has the largest mutual information with the target; then the score is, in bits,

    .. math:: \sum_{g} I(f, g; y)

    Parameters
    ----------
    {greedy_parameters}

    Attributes
    ----------
    {sized_attributes}

    References
    ----------
    H. H. Yang and J. Moody (1999), Data visualization and feature selection: new algorithms for
    non-Gaussian data, NIPS 12.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from ensfs import JMI
    >>> X, y = load_wine(return_X_y=True)
    >>> JMI(4).fit(X, y).indices_
    array([ 6,  0, 12, 10])
    """

    _criterion = Criterion(MEASURES["joint"], "sum")


@with_docs(MINIMUM_DOCS)
class JMIM(GreedyInformation):
    r"""Joint mutual information maximisation: as `JMI`, with the least term instead of the sum.

    The first column has the largest mutual information with the target; then the score is, in bits,

    .. math:: \min_{g} I(f, g; y)

    Parameters
    ----------
    {greedy_parameters}

    Attributes
    ----------
    {sized_attributes}

    References
    ----------
    M. Bennasar, Y. Hicks and R. Setchi (2015), Feature selection using joint mutual information
    maximisation, Expert Systems with Applications 42, 8520-8532.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from ensfs import JMIM
    >>> X, y = load_wine(return_X_y=True)
    >>> JMIM(4).fit(X, y).indices_
    array([ 6,  0, 10, 12])
    """

    _criterion = Criterion(MEASURES["joint"], "minimum")
    _nearest_heading = "least with"


@with_docs(GREEDY_DOCS)
class DISR(GreedyInformation):
    r"""Double input symmetrical relevance: as `JMI`, each term relative to the joint entropy.

    The first column has the largest mutual information with the target; then the score is

    .. math:: \sum_{g} \frac{I(f, g; y)}{H(f, g, y)}

    Parameters
    ----------
    {greedy_parameters}

    Attributes
    ----------
    {sized_attributes}

    References
    ----------
    P. E. Meyer and G. Bontempi (2006), On the use of variable complementarity for feature selection
    in cancer classification, EvoWorkshops, LNCS 3907, 91-102.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from ensfs import DISR
    >>> X, y = load_wine(return_X_y=True)
    >>> DISR(4).fit(X, y).indices_
    array([ 6,  9, 11,  0])
    """

    _criterion = Criterion(MEASURES["relative"], "sum")


@with_docs(MINIMUM_DOCS)
class NJMIM(GreedyInformation):
    r"""Normalised joint mutual information maximisation: as `DISR`, with the least term.

    The first column has the largest mutual information with the target; then the score is

    .. math:: \min_{g} \frac{I(f, g; y)}{H(f, g, y)}

    Parameters
    ----------
    {greedy_parameters}

    Attributes
    ----------
    {sized_attributes}

    References
    ----------
    M. Bennasar, Y. Hicks and R. Setchi (2015), as `JMIM`.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from ensfs import NJMIM
    >>> X, y = load_wine(return_X_y=True)
    >>> NJMIM(4).fit(X, y).indices_
    array([ 6,  9, 12, 11])
    """

    _criterion = Criterion(MEASURES["relative"], "minimum")
    _nearest_heading = "least with"


@with_docs(GREEDY_DOCS)
class MIM(GreedyInformation):
    r"""Mutual information maximisation: the columns that say most of the target, each by itself.

    Nothing keeps two selected columns from saying the same; the score is :math:`I(f; y)` in bits.

    Parameters
    ----------
    {n_features_to_select}
    correction : {"akaike", "miller_madow"} or None, default="akaike"
        How information is corrected for chance. From n rows the information of independent columns
        is about df / (2 n ln 2) bits, where df are its degrees of freedom, which grow with the
        levels. "miller_madow" subtracts that, "akaike" twice: of many columns of noise the best is
        far above what chance gives on average. None: as counted, which is the published definition.
    {expected_false, min_features_to_select, counting_parameters}

    Attributes
    ----------
    {sized_attributes}

    References
    ----------
    D. D. Lewis (1992), Feature selection and feature extraction for text categorization, Workshop
    on Speech and Natural Language.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from ensfs import MIM
    >>> X, y = load_wine(return_X_y=True)
    >>> MIM(4).fit(X, y).indices_
    array([ 6, 12,  9, 11])
    """

    _criterion = Criterion(MEASURES["mutual_information"], None)
    _nearest_heading = None

    def __init__(
        self, n_features_to_select=10, *, correction="akaike", expected_false=1.0,
        min_features_to_select=1, discretizer="mdl", discrete_features="auto", target_bins=3,
        multi_output="mean", missing="auto", include=None, exclude=None, feature_groups=None,
        n_jobs=None, verbose=0,
    ):  # fmt: skip
        super().__init__(
            n_features_to_select, correction=correction, expected_false=expected_false,
            min_features_to_select=min_features_to_select, discretizer=discretizer,
            discrete_features=discrete_features, target_bins=target_bins, multi_output=multi_output,
            missing=missing, include=include, exclude=exclude, feature_groups=feature_groups,
            n_jobs=n_jobs, verbose=verbose,
        )  # fmt: skip
