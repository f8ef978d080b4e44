import numpy as np

def change_distances(
    D: np.ndarray, a: np.ndarray, b: np.ndarray, sign: float, start: int, stop: int
) -> None: ...
def neighbour_labels(
    D: np.ndarray,
    a: np.ndarray,
    b: np.ndarray,
    sign: float,
    y: np.ndarray,
    n_classes: int,
    k: int,
    start: int,
    stop: int,
    near: np.ndarray,
    distance: np.ndarray,
    counts: np.ndarray,
    labels: np.ndarray,
) -> None: ...
def labels_among(
    D: np.ndarray,
    b: np.ndarray,
    sign: float,
    y: np.ndarray,
    n_classes: int,
    k: int,
    start: int,
    stop: int,
    near: np.ndarray,
    bound: np.ndarray,
    found: np.ndarray,
    distance: np.ndarray,
    counts: np.ndarray,
    labels: np.ndarray,
) -> None: ...
def labels_with_more(
    D: np.ndarray,
    b: np.ndarray,
    sign: float,
    y: np.ndarray,
    n_classes: int,
    k: int,
    size: int,
    start: int,
    stop: int,
    known: np.ndarray,
    listed: np.ndarray,
    distance: np.ndarray,
    place: np.ndarray,
    counts: np.ndarray,
    labels: np.ndarray,
) -> None: ...
