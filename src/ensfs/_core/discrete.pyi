import numpy as np

max_plane_levels: int
max_parts: int
fixed_size: int
chance_kept: int
chance_subtracted: int
chance_least: int

class MeasureRows:
    def __init__(
        self,
        rows: np.ndarray,
        weights: np.ndarray,
        is_signed: bool,
        chance: int = 0,
        chance_times: float = 1.0,
    ) -> None: ...

def make_planes(
    codes: np.ndarray,
    plane_start: np.ndarray,
    start: int,
    stop: int,
    planes: np.ndarray,
    position: np.ndarray | None = None,
    buffer: np.ndarray | None = None,
) -> None: ...

class CodedTable:
    def __init__(
        self,
        planes: np.ndarray,
        plane_start: np.ndarray,
        level_start: np.ndarray,
        codes: np.ndarray | None,
        y: np.ndarray,
        klogk: np.ndarray | None,
        unit: float,
        chance: float,
        weights: np.ndarray | None = None,
        log_total: float = 0.0,
        log_scale: float = 0.0,
    ) -> None: ...

class PairWorkspace:
    def __init__(
        self,
        targets: np.ndarray,
        target_cells: np.ndarray,
        target_sums: np.ndarray,
        counts: np.ndarray,
        keys: np.ndarray,
        cells: np.ndarray,
        totals: np.ndarray | None = None,
    ) -> None: ...

class SharedCounts:
    def __init__(
        self,
        table: CodedTable,
        bounds: np.ndarray,
        gains: np.ndarray,
        counts: np.ndarray,
        keys: np.ndarray,
        cells: np.ndarray,
        pairs: np.ndarray,
        joints: np.ndarray,
    ) -> None: ...
    def count_margins(
        self, start: int, stop: int, entropy: np.ndarray, observed: np.ndarray
    ) -> None: ...

class CodeStore:
    def __init__(
        self,
        table: CodedTable,
        mask: np.ndarray | None,
        rows: np.ndarray | None,
        n_rows: int,
        margins: np.ndarray,
        entropy: np.ndarray,
        observed: np.ndarray,
        measure: MeasureRows,
        workspace: PairWorkspace,
        counted: int = -1,
        all: int = 0,
        shared: SharedCounts | None = None,
        part: int = 0,
    ) -> None: ...
    @property
    def entropy(self) -> np.ndarray: ...
    def count_margins(self) -> None: ...
    def measure(self, g: int, start: int, stop: int, out: np.ndarray) -> None: ...
    def remove_redundant(
        self,
        g: int,
        columns: np.ndarray,
        start: int,
        stop: int,
        n_stay: int,
        relevance: np.ndarray,
        tolerance: float,
        removed_by: np.ndarray,
    ) -> int: ...

def order_rows(
    codes: np.ndarray, order: np.ndarray, start: int, stop: int, out: np.ndarray
) -> None: ...
def add_tables(codes: np.ndarray, row: np.ndarray, tables: np.ndarray) -> None: ...
