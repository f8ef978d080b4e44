import numpy as np

def make_keys(values: np.ndarray, start: int, stop: int, keys: np.ndarray) -> None: ...
def order_rows(
    values: np.ndarray, keys: np.ndarray, start: int, stop: int, order: np.ndarray, done: np.ndarray
) -> None: ...
def best_scores(
    values: np.ndarray,
    order: np.ndarray,
    gradient: np.ndarray,
    total: float,
    start: int,
    stop: int,
    best: np.ndarray,
) -> None: ...
def first_stump(
    values: np.ndarray,
    order: np.ndarray,
    gradient: np.ndarray,
    total: float,
    j: int,
    least: float,
) -> tuple[float, float, float]: ...
