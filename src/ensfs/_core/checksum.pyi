import numpy as np
from numpy.typing import NDArray

def weighted_sum(
    X: NDArray[np.unsignedinteger], rows: NDArray[np.uint64], columns: NDArray[np.uint64]
) -> int: ...
