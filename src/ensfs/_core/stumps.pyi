import numpy as np

def scores_by_buckets(
    values: np.ndarray,
    gradient: np.ndarray,
    total: float,
    first: int,
    stop: int,
    numbers: np.ndarray,
    places: np.ndarray,
    best: np.ndarray,
) -> None: ...
def first_by_buckets(
    values: np.ndarray,
    gradient: np.ndarray,
    total: float,
    j: int,
    least: float,
    numbers: np.ndarray,
    places: np.ndarray,
) -> tuple[float, float, float] | None: ...
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
