import numpy as np

from ensfs._core.greedy import SearchArrays

max_parts: int

class PackedColumns:
    def __init__(
        self,
        X: np.ndarray,
        packed: np.ndarray,
        place: np.ndarray,
        n_packed: np.ndarray,
        shift: np.ndarray,
    ) -> None: ...

class PartSums:
    def __init__(
        self,
        s: np.ndarray,
        inverse: np.ndarray,
        n: np.ndarray,
        with_first: np.ndarray | None = None,
    ) -> None: ...

class GapBits:
    def __init__(self, words: np.ndarray, row: np.ndarray, observed: np.ndarray) -> None: ...

class FoldLanes:
    n_places: int
    def __init__(
        self,
        n_folds: int,
        first: np.ndarray,
        longest: np.ndarray,
        fold: np.ndarray | None = None,
        into: np.ndarray | None = None,
        added: np.ndarray | None = None,
        root: np.ndarray | None = None,
    ) -> None: ...

class FoldLayout:
    def __init__(
        self,
        first_part: int,
        lanes: FoldLanes,
        sums: np.ndarray,
        centres: tuple | None,
        members: np.ndarray | None = None,
        bounds: np.ndarray | None = None,
    ) -> None: ...

def part_pearson_with(
    packed: np.ndarray,
    start: int,
    stop: int,
    columns: np.ndarray,
    targets: np.ndarray,
    wanted: np.ndarray,
    shift: np.ndarray,
    sums_of_parts: PartSums,
    out: np.ndarray,
    folds: FoldLayout,
    scratch: np.ndarray,
) -> None: ...
def lazy_pearson_search(
    columns: PackedColumns,
    sums: PartSums,
    folds: FoldLayout | None,
    gaps: GapBits | None,
    arrays: SearchArrays,
    start: int,
    stop: int,
    criterion: int,
    hints: np.ndarray | None,
    limit: int,
) -> int: ...
