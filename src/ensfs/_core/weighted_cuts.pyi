from typing import Any

from numpy import float32, float64, int32, int64, uint8
from numpy.typing import NDArray

__test__: dict[Any, Any]

def sigma_cuts(
    X: NDArray[float32] | NDArray[float64],
    order: NDArray[int64],
    weight: NDArray[int64],
    times: float,
    width: float,
    values: NDArray[float64],
    weights: NDArray[int64],
    cuts: NDArray[float64],
    n_cuts: NDArray[int64],
) -> None: ...
def equal_frequency_cuts(
    X: NDArray[float32] | NDArray[float64],
    order: NDArray[int64],
    weight: NDArray[int64],
    times: float,
    values: NDArray[float64],
    weights: NDArray[int64],
    cuts: NDArray[float64],
    levels: NDArray[int32],
    n_cuts: NDArray[int64],
) -> None: ...
def mdl_cuts(
    X: NDArray[float32] | NDArray[float64],
    order: NDArray[int64],
    weight: NDArray[int64],
    times: float,
    y: NDArray[int32],
    n_classes: int,
    klogk: NDArray[float64] | None,
    better_encoding: bool,
    values: NDArray[float64],
    weights: NDArray[int64],
    classes: NDArray[int32],
    counts: NDArray[int64],
    is_cut: NDArray[uint8],
    cuts: NDArray[float64],
    n_cuts: NDArray[int64],
) -> None: ...
