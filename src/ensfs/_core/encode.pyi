import numpy as np
from numpy.typing import NDArray

def encode_small(
    X: NDArray[np.unsignedinteger | np.floating],
    base: NDArray[np.uint64],
    start: int,
    stop: int,
    codes: NDArray[np.uint8],
    n_levels: NDArray[np.int32],
    seen: NDArray[np.uint64],
    n_missing: NDArray[np.int64] | None = None,
) -> None: ...
def column_ranges(
    X: NDArray[np.unsignedinteger],
    sign: int,
    start: int,
    stop: int,
    low: NDArray[np.uint64],
    high: NDArray[np.uint64],
) -> None: ...
def look_at_bytes(
    X: NDArray[np.uint8],
    start: int,
    stop: int,
    limit: int,
    n_levels: NDArray[np.int32],
    seen: NDArray[np.uint64],
) -> bool: ...
def check_codes(
    codes: NDArray[np.uint8] | NDArray[np.uint16], n_levels: NDArray[np.int32]
) -> None: ...
