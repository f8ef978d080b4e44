"""Columns of text that tell the rows apart and nothing else."""

from __future__ import annotations

import numpy as np

from ensfs._utils.warn import warn_user
from ensfs.data.variables import Variables


def is_identifier(n_levels: int, n_rows: int) -> bool:
    """Whether text with so many distinct values has another one in each row of a table."""
    return n_levels == n_rows > 1


def warn_identifiers(identifiers: np.ndarray, variables: Variables) -> None:
    """Warn that some columns, if any, count as constant."""
    found = np.nonzero(identifiers)[0]
    if found.size:
        others = f", and so have {found.size - 1} more column(s)" if found.size > 1 else ""
        first = variables.label_of_kept(int(found[0]))
        warn_user(
            f"{first} of text or categories has another value in each "
            f"row, as an identifier has{others}. Such a column counts as constant: drop it, or "
            "name it in discrete_features to use it as it is."
        )
