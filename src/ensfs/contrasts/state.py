"""What the rounds of ACE find."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import scipy.sparse

from ensfs.data.variables import Variables


@dataclass
class ACERound:
    """The forests of one round: what every replicate said.

    Attributes
    ----------
    number : int
        1 for the target itself, then the rounds on residuals.
    columns : ndarray
        The columns that were left after they were compared with contrasts all together.
    importances : ndarray of shape (n_replicates, n_features)
        Importance of every column in every replicate; of the others what they had in the forests
        that they were part of.
    contrasts : ndarray of shape (n_replicates, 3)
        Least, mean and largest importance of the contrasts.
    thresholds : ndarray of shape (n_replicates,)
        The quantile of the contrasts that columns are compared with.
    pvalues : ndarray of shape (n_features,)
        Of the paired t-tests.
    chance : ndarray of shape (n_features,)
        Share of the contrasts of all replicates that reach the mean importance of a column, its
        tail continued: the p-values of the second test, the lesser one of both kinds of forests.
    relevant : ndarray
        Columns above the contrasts, by falling importance.
    kept : ndarray
        Those of them that none masks.
    new : ndarray
        Those of them that no earlier round kept.
    in_part : ndarray
        Those of the kept ones that a more important kept one masks in part.
    """

    number: int
    columns: np.ndarray
    importances: np.ndarray
    contrasts: np.ndarray
    thresholds: np.ndarray
    pvalues: np.ndarray
    chance: np.ndarray
    relevant: np.ndarray
    kept: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    new: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    in_part: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=np.int64))

    def in_columns(self, variables: Variables) -> ACERound:
        """The round, told of the columns of the table as it was given."""
        values = ("importances", "pvalues", "chance")
        places = ("columns", "relevant", "kept", "new", "in_part")
        told: dict[str, Any] = {name: variables.by_column(getattr(self, name)) for name in values}
        told |= {name: variables.columns(getattr(self, name)) for name in places}
        return replace(self, **told)


@dataclass
class State:
    """What the rounds have found so far."""

    confirmed: list[int]
    pvalues: np.ndarray
    masking: scipy.sparse.csr_array
    masked_by: np.ndarray
    rounds: list[ACERound]

    def importances(self) -> np.ndarray:
        """The sum over rounds: of all columns in the first one, of the kept ones in the others.

        Added up anew each time, so that finds which were withdrawn leave no rounding.
        """
        total = np.zeros(self.pvalues.size)
        for each in self.rounds:
            counted = slice(None) if each.number == 1 else each.kept
            total[counted] += each.importances.mean(axis=0)[counted]
        return total
