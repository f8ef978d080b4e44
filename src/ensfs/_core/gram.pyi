import numpy as np

from ensfs._core.greedy import SearchArrays

def columns_with(p: int) -> int: ...
def scratch_size(p: int) -> int: ...
def products_of_leaf(
    X: np.ndarray, shift: np.ndarray, scratch: np.ndarray, out: np.ndarray
) -> None: ...
def lazy_product_search(
    products: np.ndarray,
    s: np.ndarray,
    inverse: np.ndarray,
    n: float,
    arrays: SearchArrays,
    start: int,
    stop: int,
    criterion: int,
    hints: np.ndarray | None,
    limit: int,
) -> int: ...
