"""What a search may ask a source for next.

A source that reads its rows from files takes long for a reading, however few columns it is for. So
a search tells, with the columns that it needs now, which ones it may need soon, the likeliest
first, and a source may measure these in the same reading. The results are those of a source that
does not: nothing is guessed, some of it is only known sooner.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np

#: Gives columns in order, which may repeat. Sources in memory never call it.
Ahead = Callable[[], Iterable[int]]


def by_score(scores: np.ndarray) -> Iterator[int]:
    """Columns by their scores in the parts: the best of each part, the second of each and so on.

    Parameters
    ----------
    scores : ndarray of shape (n_parts, n_features)
        The scores so far; -inf for columns that cannot be asked for.
    """
    order = np.argsort(-scores, axis=1, kind="stable")
    for of_parts in order.T:
        for t, column in enumerate(of_parts.tolist()):
            if scores[t, column] > -np.inf:
                yield column
