import numpy as np

def pattern_codes(
    image: np.ndarray,
    corner: np.ndarray,
    weight: np.ndarray,
    margin: int,
    edge: float,
    codes: np.ndarray,
) -> None: ...
def tile_histograms(
    codes: np.ndarray,
    bins: np.ndarray,
    tile_of_row: np.ndarray,
    tile_of_column: np.ndarray,
    n_bins: int,
    n_across: int,
    histograms: np.ndarray,
) -> None: ...
