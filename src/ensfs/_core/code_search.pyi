import numpy as np

from ensfs._core.discrete import CodeStore
from ensfs._core.greedy import SearchArrays

def search_lazily(
    stores: list[CodeStore],
    arrays: SearchArrays,
    start: int,
    stop: int,
    criterion: int,
    hints: np.ndarray | None,
    limit: int,
) -> int: ...
