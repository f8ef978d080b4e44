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

class FoldLayout:
    def __init__(
        self,
        first_part: int,
        n_rows: int,
        sums: np.ndarray,
        centres: tuple | None,
        members: np.ndarray | None = None,
        bounds: np.ndarray | None = None,
    ) -> None: ...

def pack_columns(
    X: np.ndarray,
    start: int,
    stop: int,
    shift: np.ndarray,
    out: np.ndarray,
    place: np.ndarray,
    rows: np.ndarray | None = None,
    n_folds: int = 1,
) -> None: ...
def pearson_with(
    packed: np.ndarray,
    n: int,
    counted: float,
    start: int,
    stop: int,
    g: int,
    target: np.ndarray,
    shift: np.ndarray,
    s: np.ndarray,
    inverse: np.ndarray,
    out: np.ndarray,
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
