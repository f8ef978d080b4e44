import numpy as np

def order_rows(
    values: np.ndarray,
    first: int,
    stop: int,
    work: np.ndarray,
    order: np.ndarray,
    done: np.ndarray,
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
