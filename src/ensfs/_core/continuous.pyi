import numpy as np

panel_width: int
row_padding: int
leaf_rows: int

def middle_of_rows(X: np.ndarray, rows: np.ndarray, out: np.ndarray) -> None: ...
def add_sums(
    X: np.ndarray,
    start: int,
    stop: int,
    rows: np.ndarray,
    bounds: np.ndarray,
    groups: np.ndarray,
    leaves: np.ndarray,
    shift: np.ndarray,
    s: np.ndarray,
    q: np.ndarray,
    own_shift: np.ndarray | None,
    common: int,
    own_s: np.ndarray | None,
    own_q: np.ndarray | None,
    y: np.ndarray | None,
    xy: np.ndarray | None,
    centres: np.ndarray | None = None,
) -> None: ...
def combine_parts(
    folds: np.ndarray, members: np.ndarray, bounds: np.ndarray, out: np.ndarray
) -> None: ...
def leave_out(folds: np.ndarray, out: np.ndarray, scratch: np.ndarray) -> None: ...
def f_from_sums(
    s: np.ndarray,
    q: np.ndarray,
    n_class: np.ndarray,
    class_shift: np.ndarray,
    shift: np.ndarray,
    start: int,
    out: np.ndarray,
    apart: np.ndarray,
    scratch: np.ndarray,
) -> None: ...
def inverse_deviations(
    s: np.ndarray, q: np.ndarray, n: np.ndarray, out: np.ndarray, apart: np.ndarray
) -> None: ...
def pearson_from_sums(
    products: np.ndarray,
    s: np.ndarray,
    inverse: np.ndarray,
    n: np.ndarray,
    s_g: np.ndarray,
    inverse_g: np.ndarray,
    parts: np.ndarray,
    out: np.ndarray,
    signed: bool,
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
