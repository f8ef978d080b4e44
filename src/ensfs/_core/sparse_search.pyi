import numpy as np

from ensfs._core.greedy import SearchArrays
from ensfs._core.sparse import StoredCells

class SparseSearch:
    def __init__(
        self,
        cells: StoredCells,
        values: np.ndarray,
        shift: np.ndarray,
        sums: np.ndarray,
        inverse: np.ndarray,
        with_first: np.ndarray | None,
        member: np.ndarray | None,
        n: float,
        targets: np.ndarray,
    ) -> None: ...
    def search(
        self,
        arrays: SearchArrays,
        start: int,
        stop: int,
        criterion: int,
        hints: np.ndarray | None,
        limit: int,
    ) -> int: ...
