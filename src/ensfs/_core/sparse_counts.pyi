import numpy as np

from ensfs._core.discrete import MeasureRows
from ensfs._core.greedy import SearchArrays
from ensfs._core.sparse import StoredCells

class SparseCodes:
    most_cells: int
    def __init__(
        self,
        cells: StoredCells,
        codes: np.ndarray,
        zero: np.ndarray,
        n_levels: np.ndarray,
        y: np.ndarray,
        n_classes: int,
        klogk: np.ndarray,
        unit: float,
        chance: float,
    ) -> None: ...

class SparseStore:
    def __init__(
        self,
        table: SparseCodes,
        member: np.ndarray | None,
        n: int,
        entropy: np.ndarray,
        observed: np.ndarray,
        with_target: np.ndarray | None,
        measure: MeasureRows,
        n_cells: int,
        targets: np.ndarray,
        margins: np.ndarray,
        target_sums: np.ndarray,
        joints: np.ndarray,
        levels: np.ndarray,
        counts: np.ndarray,
        keys: np.ndarray,
        gone: np.ndarray,
        slots: np.ndarray,
    ) -> None: ...
    def count_margins(self) -> None: ...
    def measure(self, g: int, start: int, stop: int, out: np.ndarray) -> None: ...
    def measure_some(self, g: int, columns: np.ndarray, out: np.ndarray) -> None: ...
    def joint_with_target(self, start: int, stop: int, out: np.ndarray) -> None: ...
    def lazy_search(
        self,
        arrays: SearchArrays,
        start: int,
        stop: int,
        criterion: int,
        hints: np.ndarray | None,
        limit: int,
    ) -> int: ...
