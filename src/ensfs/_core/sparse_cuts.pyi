import numpy as np

from ensfs._core.sparse import StoredCells

def sigma_cuts(
    cells: StoredCells,
    values: np.ndarray,
    start: int,
    stop: int,
    width: float,
    cuts: np.ndarray,
    n_cuts: np.ndarray,
) -> None: ...
def equal_frequency_cuts(
    cells: StoredCells,
    values: np.ndarray,
    start: int,
    stop: int,
    cuts: np.ndarray,
    levels: np.ndarray,
    n_cuts: np.ndarray,
    keys: np.ndarray,
    places: np.ndarray,
) -> None: ...
def mdl_cuts(
    cells: StoredCells,
    values: np.ndarray,
    start: int,
    stop: int,
    y: np.ndarray,
    class_size: np.ndarray,
    klogk: np.ndarray,
    better_encoding: bool,
    counts: np.ndarray,
    is_cut: np.ndarray,
    keys: np.ndarray,
    places: np.ndarray,
    cuts: np.ndarray,
    n_cuts: np.ndarray,
) -> None: ...
