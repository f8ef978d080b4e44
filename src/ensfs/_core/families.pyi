import numpy as np

def added_likelihoods(
    label: np.ndarray,
    n_labels: int,
    n_y: int,
    codes: np.ndarray,
    columns: np.ndarray,
    n_levels: np.ndarray,
    klogk: np.ndarray,
    table: np.ndarray,
    out: np.ndarray,
) -> None: ...
