import numpy as np

def prefix_votes(
    votes: np.ndarray,
    order: np.ndarray,
    y: np.ndarray,
    n_classes: int,
    start: int,
    stop: int,
    counts: np.ndarray,
    winner: np.ndarray,
    right: np.ndarray,
) -> None: ...
