import numpy as np

pair_sums: int

def add_observed(
    X: np.ndarray,
    start: int,
    stop: int,
    group: np.ndarray,
    centre_of: np.ndarray,
    centres: np.ndarray,
    weight: np.ndarray | None,
    out: np.ndarray,
) -> None: ...
def add_common(
    X: np.ndarray,
    start: int,
    stop: int,
    centre: np.ndarray,
    targets: np.ndarray,
    fold: np.ndarray,
    weight: np.ndarray | None,
    out: np.ndarray,
) -> None: ...
def add_means(
    X: np.ndarray,
    weight: np.ndarray | None,
    origin: np.ndarray,
    total: np.ndarray,
    seen: np.ndarray,
    count: np.ndarray,
) -> None: ...
def add_bits(X: np.ndarray, columns: np.ndarray, place: np.ndarray, out: np.ndarray) -> None: ...
def fill(X: np.ndarray, means: np.ndarray, out: np.ndarray) -> None: ...
