import numpy as np
from numpy.typing import NDArray

def permute_columns(
    X: NDArray[np.uint8],
    seeds: NDArray[np.uint64],
    start: int,
    stop: int,
    Z: NDArray[np.uint8],
) -> None: ...
def association(
    x: NDArray[np.uint8],
    weights: NDArray[np.float64],
    went_left: NDArray[np.float64],
    nominal: bool,
) -> float: ...

class TreeTable:
    def __init__(
        self,
        X: NDArray[np.uint8],
        Z: NDArray[np.uint8] | None,
        nominal: NDArray[np.uint8],
        weight: NDArray[np.float64] | None = None,
        so_far: NDArray[np.float64] | None = None,
    ) -> None: ...

class TreeTarget:
    def __init__(
        self,
        y: NDArray[np.float64] | None,
        classes: NDArray[np.int32] | None = None,
        n_classes: int = 0,
    ) -> None: ...

class TreeWorkspace:
    def __init__(
        self,
        width: int,
        max_depth: int,
        rows: NDArray[np.int32],
        values: NDArray[np.float64],
        order: NDArray[np.int32],
        sums: NDArray[np.float64],
        stack: NDArray[np.int64],
    ) -> None: ...

class TreeNodes:
    def __init__(
        self,
        counts: NDArray[np.int32],
        columns: NDArray[np.int32],
        gains: NDArray[np.float64],
        associations: NDArray[np.float64],
    ) -> None: ...

def grow(
    table: TreeTable,
    target: TreeTarget,
    seeds: NDArray[np.uint64],
    mtry: int,
    max_depth: int,
    min_leaf: float,
    start: int,
    stop: int,
    workspace: TreeWorkspace,
    importances: NDArray[np.float64],
    nodes: TreeNodes | None = None,
) -> None: ...
