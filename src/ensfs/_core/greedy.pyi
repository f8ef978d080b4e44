import numpy as np

minimum: int
mean: int
difference: int
quotient: int

def scores_room(p: int) -> int: ...
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
