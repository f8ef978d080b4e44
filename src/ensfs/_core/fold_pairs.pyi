import numpy as np

from ensfs._core.discrete import MeasureRows

max_parts: int

class FoldStore:
    def __init__(
        self,
        planes: np.ndarray,
        plane_start: np.ndarray,
        n_part: np.ndarray,
        total: np.ndarray,
        units: np.ndarray,
        chance: float,
        klogk: np.ndarray,
        measure: MeasureRows,
        margins: np.ndarray,
        entropy: np.ndarray,
        observed: np.ndarray,
    ) -> None: ...
    def measure(self, g: int, start: int, stop: int, out: np.ndarray) -> None: ...
    def redundant(
        self,
        g: int,
        columns: np.ndarray,
        pending: np.ndarray,
        relevance: np.ndarray,
        tolerance: float,
        out: np.ndarray,
    ) -> None: ...

def remove_in_part(
    columns: np.ndarray,
    redundant: np.ndarray,
    t: int,
    g: int,
    key: np.ndarray,
    removed_by: np.ndarray,
    pending: np.ndarray,
) -> tuple[int, int]: ...
def count_planes(planes: np.ndarray, out: np.ndarray) -> None: ...
def add_pairs(
    planes: np.ndarray,
    plane_start: np.ndarray,
    marked: np.ndarray,
    columns: np.ndarray,
    places: np.ndarray,
    target: np.ndarray,
    target_marked: np.ndarray,
    n_rows: np.ndarray,
    tables: np.ndarray,
    scratch: np.ndarray,
) -> None: ...
