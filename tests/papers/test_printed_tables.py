"""What printed tables say once their ranks and tests are computed again."""

import numpy as np
import pytest
from scipy.stats import norm, rankdata

from ensfs.evaluation import friedman_holm, sign_test

#: Elghazel, Aussem and Perraud (2011), Table 2: accuracy of the forest, Forward and FitSelect.
FIT_SELECT = np.array([
    [0.7322, 0.7029, 0.7657], [0.9639, 0.9624, 0.9663], [0.6883, 0.7078, 0.7208],
    [0.8919, 0.9189, 0.9459], [0.7423, 0.7231, 0.7408], [0.7786, 0.7682, 0.7865],
    [0.9166, 0.8979, 0.9183], [0.7727, 0.7701, 0.7781], [0.9544, 0.9544, 0.9719],
])  # fmt: skip

#: Žliobaitė (2011), Table 3: errors of CLU, CL2, FEA, MMM, RSS, ALL, NAY on six sets.
PARTITIONS = np.array([
    [31.8, 32.8, 28.7, 28.2, 32.7, 31.2, 31.0], [3.9, 2.2, 1.6, 2.1, 5.3, 5.4, 21.4],
    [30.5, 32.1, 28.8, 24.8, 34.5, 32.2, 46.5], [11.0, 11.6, 11.5, 8.4, 11.5, 11.7, 38.7],
    [29.3, 32.5, 32.4, 24.7, 32.1, 32.7, 42.6], [22.2, 27.0, 28.3, 19.3, 27.9, 26.9, 42.1],
])  # fmt: skip

#: Smith and Windeatt (2010), Table 3: error and area of six action units.
ACTION_UNITS = np.array([[8.9, 5.4, 8.7, 4.8, 11.2, 12.3], [94.4, 96.2, 96.1, 97.0, 92.1, 92.2]])

#: Pardo et al. (2011), Table 2: wins, ties and losses that the paper calls not significant.
NOT_SIGNIFICANT = [(35, 2, 24), (38, 0, 23), (30, 0, 31)]


def signed_ranks(difference):
    """The p-value of Wilcoxon's test by the normal distribution (scipy has two names for it)."""
    difference = difference.round(9)
    difference = difference[difference != 0]
    n, ranks = len(difference), rankdata(np.abs(difference))
    z = (ranks[difference > 0].sum() - n * (n + 1) / 4) / np.sqrt((ranks**2).sum() / 4)
    return 2 * norm.sf(abs(z))


def test_accuracy_of_fit_select():
    """Printed as .01 against both."""
    forest, forward, chosen = FIT_SELECT.T
    for rival, p in ((forward, 0.0077), (forest, 0.0109)):
        assert signed_ranks(chosen - rival) == pytest.approx(p, abs=0.5e-4)
    test = sign_test(1 - chosen, 1 - forest)
    assert (test.wins, test.ties, test.losses) == (8, 0, 1)


def test_the_mean_of_three_partitions():
    """MMM's mean rank is 1.17 of 7; random parts are better than one classifier in three of six."""
    ranks = friedman_holm(PARTITIONS, greater_is_better=False).mean_ranks
    assert ranks[3] == ranks.min() == pytest.approx(7 / 6)
    assert ranks.sum() == pytest.approx(28)
    random_parts, one_classifier = PARTITIONS[:, 4], PARTITIONS[:, 5]
    assert (random_parts < one_classifier).sum() == 3


def test_means_of_the_action_units():
    """Printed as 8.5 and 94.8."""
    np.testing.assert_allclose(ACTION_UNITS.mean(axis=1), [8.55, 94.67], atol=0.005)


@pytest.mark.parametrize(("wins", "ties", "losses"), NOT_SIGNIFICANT)
def test_pairs_of_hosts_that_are_not_significant(wins, ties, losses):
    first = np.repeat([0.0, 1.0, 2.0], [wins, ties, losses])
    assert not sign_test(first, np.ones(61)).significant
    better = np.repeat([0.0, 2.0], [39, 22])
    assert sign_test(better, np.ones(61)).significant
