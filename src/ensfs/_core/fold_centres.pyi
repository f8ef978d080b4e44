import numpy as np

def fold_moments(
    centres: np.ndarray,
    s: np.ndarray,
    q: np.ndarray,
    n: np.ndarray,
    shift: np.ndarray,
    rest: np.ndarray,
    squares: np.ndarray,
) -> None: ...
def part_moments(
    shift: np.ndarray,
    rest: np.ndarray,
    squares: np.ndarray,
    size: np.ndarray,
    member: np.ndarray,
    first: np.ndarray,
    away: np.ndarray,
    inverse: np.ndarray,
) -> None: ...
def part_f(
    centres: np.ndarray,
    s: np.ndarray,
    q: np.ndarray,
    n: np.ndarray,
    shift: np.ndarray,
    size: np.ndarray,
    member: np.ndarray,
    first: np.ndarray,
    n_class: np.ndarray,
    out: np.ndarray,
    scratch: np.ndarray,
) -> None: ...
def products_with(
    products: np.ndarray,
    centres: tuple,
    y_shift: np.ndarray,
    y_rest: np.ndarray,
    y_away: np.ndarray,
    out: np.ndarray,
) -> None: ...
def regression_f(
    products: np.ndarray,
    squares: np.ndarray,
    centres: tuple,
    y_squares: np.ndarray,
    y_shift: np.ndarray,
    y_rest: np.ndarray,
    covariance: np.ndarray,
    inverse: np.ndarray,
    n: np.ndarray,
    out: np.ndarray,
) -> None: ...
def centre_products(
    sums: np.ndarray,
    start: int,
    centres: tuple,
    targets: np.ndarray,
    out: list[np.ndarray],
) -> None: ...
