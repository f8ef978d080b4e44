from typing import Any

from numpy import float32, float64, int32, int64, uint8, uint16
from numpy.typing import NDArray

__test__: dict[Any, Any]

def sigma_cuts(
    X: NDArray[float32] | NDArray[float64],
    width: float,
    cuts: NDArray[float64],
    n_cuts: NDArray[int64],
) -> None: ...
def add_deviations(
    X: NDArray[float32] | NDArray[float64],
    scale: NDArray[float64],
    mean: NDArray[float64] | None,
    total: NDArray[float64],
    rest: NDArray[float64],
) -> None: ...
def equal_frequency_cuts(
    X: NDArray[float32] | NDArray[float64],
    cuts: NDArray[float64],
    levels: NDArray[int32],
    n_cuts: NDArray[int64],
) -> None: ...
def mdl_cuts(
    X: NDArray[float32] | NDArray[float64],
    order: NDArray[int64],
    y: NDArray[int32],
    n_classes: int,
    klogk: NDArray[float64],
    better_encoding: bool,
    values: NDArray[float64],
    classes: NDArray[int32],
    counts: NDArray[int32],
    is_cut: NDArray[uint8],
    cuts: NDArray[float64],
    n_cuts: NDArray[int64],
) -> None: ...
def digitise(
    X: NDArray[float32] | NDArray[float64],
    cuts: NDArray[float64],
    offsets: NDArray[int64],
    levels: NDArray[int32],
    missing: NDArray[int32],
    codes: NDArray[uint8] | NDArray[uint16],
) -> None: ...
