import numpy as np

class StoredCells:
    n_rows: int
    n_columns: int
    ascending: bool
    def __init__(self, starts: np.ndarray, rows: np.ndarray, n_rows: int) -> None: ...

def centres(
    cells: StoredCells,
    values: np.ndarray,
    start: int,
    stop: int,
    group: np.ndarray,
    size: np.ndarray,
    out: np.ndarray,
    scratch: np.ndarray,
    place: np.ndarray,
) -> None: ...
def add_sums(
    cells: StoredCells,
    values: np.ndarray,
    start: int,
    stop: int,
    group: np.ndarray,
    size: np.ndarray,
    shift: np.ndarray,
    s: np.ndarray,
    q: np.ndarray,
    own_shift: np.ndarray | None,
    own_s: np.ndarray | None,
    own_q: np.ndarray | None,
    y: np.ndarray | None,
    y_sum: np.ndarray | None,
    xy: np.ndarray | None,
    scratch: np.ndarray,
) -> None: ...
def f_of_classes(
    cells: StoredCells,
    values: np.ndarray,
    start: int,
    stop: int,
    group: np.ndarray,
    size: np.ndarray,
    s: np.ndarray,
    inverse: np.ndarray,
    f_statistic: np.ndarray,
    q: np.ndarray,
    moved: np.ndarray,
    scratch: np.ndarray,
    touched: np.ndarray,
) -> None: ...
def add_products(
    cells: StoredCells,
    values: np.ndarray,
    start: int,
    stop: int,
    shift: np.ndarray,
    y: np.ndarray,
    y_sum: np.ndarray,
    fold: np.ndarray | None,
    size: np.ndarray,
    out: np.ndarray,
    scratch: np.ndarray,
) -> None: ...
