import numpy as np

from ensfs._core.sparse import StoredCells

def few_whole_values(
    cells: StoredCells, values: np.ndarray, start: int, stop: int, most: int, out: np.ndarray
) -> None: ...
def rank_codes(
    cells: StoredCells,
    values: np.ndarray,
    columns: np.ndarray,
    most: int,
    codes: np.ndarray,
    zero: np.ndarray,
    n_levels: np.ndarray,
    keys: np.ndarray,
    places: np.ndarray,
) -> None: ...
def digitise(
    cells: StoredCells,
    values: np.ndarray,
    columns: np.ndarray,
    cuts: np.ndarray,
    offsets: np.ndarray,
    levels: np.ndarray,
    codes: np.ndarray,
    zero: np.ndarray,
) -> None: ...
def compact(
    cells: StoredCells,
    columns: np.ndarray,
    codes: np.ndarray,
    zero: np.ndarray,
    n_levels: np.ndarray,
    present: np.ndarray,
) -> None: ...
def drop_implicit(
    cells: StoredCells,
    codes: np.ndarray,
    zero: np.ndarray,
    starts: np.ndarray,
    rows: np.ndarray,
    kept: np.ndarray,
) -> int: ...
