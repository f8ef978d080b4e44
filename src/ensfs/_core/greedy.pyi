import numpy as np

minimum: int
mean: int
difference: int
quotient: int
maximum: int
discount: int

def scores_size(p: int) -> int: ...

class SearchArrays:
    n_parts: int
    n_features: int
    n_steps: int
    def __init__(
        self,
        relevance: np.ndarray,
        terms: np.ndarray,
        evaluated: np.ndarray,
        nearest_value: np.ndarray | None,
        nearest: np.ndarray | None,
        selected: np.ndarray,
        scores: np.ndarray,
        redundancy: np.ndarray,
        depth: np.ndarray,
        bounds: np.ndarray,
        touched: np.ndarray,
        candidates: np.ndarray,
    ) -> None: ...

def step(
    j: int,
    relevance: np.ndarray,
    values: np.ndarray | None,
    terms: np.ndarray,
    taken: np.ndarray,
    scores: np.ndarray,
    criterion: int,
    start: int,
    stop: int,
    chosen: np.ndarray,
    chosen_score: np.ndarray,
) -> None: ...
