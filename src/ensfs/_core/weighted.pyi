import numpy as np

def add_sums(
    X: np.ndarray,
    start: int,
    stop: int,
    rows: np.ndarray,
    bounds: np.ndarray,
    groups: np.ndarray,
    leaves: np.ndarray,
    weight: np.ndarray,
    shift: np.ndarray,
    s: np.ndarray,
    q: np.ndarray,
    own_shift: np.ndarray | None,
    own_s: np.ndarray | None,
    own_q: np.ndarray | None,
    y: np.ndarray | None,
    xy: np.ndarray | None,
    centres: np.ndarray | None = None,
) -> None: ...
def logs(counts: np.ndarray, total: float, scale: float, out: np.ndarray) -> None: ...
def add_tables(
    codes: np.ndarray, row: np.ndarray, weight: np.ndarray, tables: np.ndarray
) -> None: ...
