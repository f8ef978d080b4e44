import numpy as np

from ensfs._core.sparse import StoredCells

def add_observed(
    cells: StoredCells,
    values: np.ndarray,
    start: int,
    stop: int,
    group: np.ndarray,
    size: np.ndarray,
    total: np.ndarray,
    centre_of: np.ndarray,
    centres: np.ndarray,
    weight: np.ndarray | None,
    out: np.ndarray,
    scratch: np.ndarray,
) -> None: ...
def add_common(
    cells: StoredCells,
    values: np.ndarray,
    start: int,
    stop: int,
    centre: np.ndarray,
    target: np.ndarray,
    fold: np.ndarray,
    size: np.ndarray,
    total: np.ndarray,
    weight: np.ndarray | None,
    out: np.ndarray,
    scratch: np.ndarray,
) -> None: ...
