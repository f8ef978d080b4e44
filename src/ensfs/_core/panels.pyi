import numpy as np

def joins_of(leaves: np.ndarray, cells: np.ndarray) -> bytearray: ...

class RowTree:
    n_folds: int
    def __init__(
        self,
        bounds: np.ndarray,
        cells: np.ndarray | None = None,
        joined: np.ndarray | None = None,
    ) -> None: ...

def pack_panels(
    X: np.ndarray,
    rows: np.ndarray,
    bounds: np.ndarray,
    shift: np.ndarray,
    start: int,
    stop: int,
    out: np.ndarray,
) -> None: ...
def pack_columns(
    X: np.ndarray,
    start: int,
    stop: int,
    shift: np.ndarray,
    out: np.ndarray,
    place: np.ndarray,
    rows: np.ndarray | None = None,
    fold: np.ndarray | None = None,
) -> None: ...
def target_rows(
    panels: np.ndarray,
    shift: np.ndarray,
    bounds: np.ndarray,
    targets: np.ndarray,
    out: np.ndarray,
) -> None: ...
def products(
    panels: np.ndarray,
    shift: np.ndarray,
    y: np.ndarray,
    tree: RowTree,
    start: int,
    stop: int,
    out: np.ndarray,
) -> None: ...
def part_products(
    panels: np.ndarray,
    shift: np.ndarray,
    y: np.ndarray,
    tree: RowTree,
    start: int,
    stop: int,
    out: list[np.ndarray],
    workspace: np.ndarray,
) -> None: ...
def products_leave_out(sums: np.ndarray, out: list[np.ndarray], scratch: np.ndarray) -> None: ...
