import numpy as np

def pack_panels(
    X: np.ndarray,
    rows: np.ndarray,
    bounds: np.ndarray,
    shift: np.ndarray,
    start: int,
    stop: int,
    out: np.ndarray,
) -> None: ...
def target_rows(
    panels: np.ndarray,
    shift: np.ndarray,
    bounds: np.ndarray,
    targets: np.ndarray,
    out: np.ndarray,
) -> None: ...
def add_products(
    panels: np.ndarray,
    shift: np.ndarray,
    y: np.ndarray,
    bounds: np.ndarray,
    start: int,
    stop: int,
    sums: np.ndarray,
) -> None: ...
def part_products(
    panels: np.ndarray,
    shift: np.ndarray,
    y: np.ndarray,
    bounds: np.ndarray,
    start: int,
    stop: int,
    out: list[np.ndarray],
    workspace: np.ndarray,
) -> None: ...
def products_leave_out(sums: np.ndarray, out: list[np.ndarray], scratch: np.ndarray) -> None: ...
def products_all_rows(sums: np.ndarray, start: int, out: list[np.ndarray]) -> None: ...
