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
def grow(
    X: NDArray[np.uint8],
    Z: NDArray[np.uint8] | None,
    nominal: NDArray[np.uint8],
    y: NDArray[np.float64] | None,
    classes: NDArray[np.int32] | None,
    n_classes: int,
    seeds: NDArray[np.uint64],
    mtry: int,
    max_depth: int,
    min_leaf: float,
    start: int,
    stop: int,
    rows: NDArray[np.int32],
    values: NDArray[np.float64],
    order: NDArray[np.int32],
    sums: NDArray[np.float64],
    stack: NDArray[np.int64],
    importances: NDArray[np.float64],
    n_nodes: NDArray[np.int32] | None,
    node_columns: NDArray[np.int32] | None,
    node_gains: NDArray[np.float64] | None,
    associations: NDArray[np.float64] | None,
) -> None: ...
