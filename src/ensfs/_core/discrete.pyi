import numpy as np

max_plane_levels: int
max_rows: int
max_parts: int
block_size: int
max_block_planes: int
chunk_sizes: dict[int, int]
front_size: int
batch_size: int
group_size: int

class MeasureRows:
    def __init__(self, rows: np.ndarray, weights: np.ndarray, is_signed: bool) -> None: ...

def make_planes(
    codes: np.ndarray,
    plane_start: np.ndarray,
    start: int,
    stop: int,
    planes: np.ndarray,
    position: np.ndarray | None = None,
    buffer: np.ndarray | None = None,
) -> None: ...

class CodeStore:
    def __init__(
        self,
        planes: np.ndarray,
        plane_start: np.ndarray,
        level_start: np.ndarray,
        codes: np.ndarray | None,
        y: np.ndarray,
        mask: np.ndarray | None,
        rows: np.ndarray | None,
        n_rows: int,
        T: np.ndarray,
        unit: float,
        margins: np.ndarray,
        entropy: np.ndarray,
        measure: MeasureRows,
        targets: np.ndarray,
        target_cells: np.ndarray,
        target_sums: np.ndarray,
        counts: np.ndarray,
        keys: np.ndarray,
        cells: np.ndarray,
    ) -> None: ...
    @property
    def entropy(self) -> np.ndarray: ...
    def count_margins(self) -> None: ...
    def measure(self, g: int, start: int, stop: int, out: np.ndarray) -> None: ...
    def remove_redundant(
        self,
        order: np.ndarray,
        relevance: np.ndarray,
        place: int,
        tolerance: float,
        removed_by: np.ndarray,
        start: int = 0,
        stop: int = -1,
    ) -> int: ...
    def lazy_search(
        self,
        relevance: np.ndarray,
        terms: np.ndarray,
        evaluated: np.ndarray,
        nearest_value: np.ndarray | None,
        nearest: np.ndarray | None,
        bounds: np.ndarray,
        touched: np.ndarray,
        selected: np.ndarray,
        scores: np.ndarray,
        redundancy: np.ndarray,
        depth: np.ndarray,
        candidates: np.ndarray,
        start: int,
        stop: int,
        criterion: int,
        hints: np.ndarray | None,
        limit: int,
    ) -> int: ...
    def allocate(
        self,
        seeds: np.ndarray,
        order: np.ndarray,
        relevance: np.ndarray,
        threshold: float,
        subset: np.ndarray,
        redundancy: np.ndarray,
        nearest: np.ndarray,
        places: np.ndarray,
        largest: np.ndarray,
        links: np.ndarray,
        members: np.ndarray,
        planes: np.ndarray,
        levels: np.ndarray,
        entropies: np.ndarray,
        progress: np.ndarray,
    ) -> None: ...

class SubsetChunks:
    def __init__(
        self,
        store: CodeStore,
        tables: np.ndarray,
        units: float,
        in_parts: bool,
        sure: np.ndarray,
        most_entropy: float,
        seeds: np.ndarray,
        places: np.ndarray,
        columns: np.ndarray,
        links: np.ndarray,
        most_excess: np.ndarray,
        members: np.ndarray,
        bits: np.ndarray,
        levels: np.ndarray,
    ) -> None: ...
    def look(
        self,
        store: CodeStore,
        batch: np.ndarray,
        limits: np.ndarray,
        start: int,
        stop: int,
        largest: np.ndarray,
        nearest: np.ndarray,
        at: np.ndarray,
        tops: np.ndarray,
        n_read: np.ndarray,
        rows: np.ndarray,
        cells: np.ndarray,
    ) -> None: ...
    def settle(
        self,
        store: CodeStore,
        batch: np.ndarray,
        limits: np.ndarray,
        largest: np.ndarray,
        nearest: np.ndarray,
        at: np.ndarray,
        tops: np.ndarray,
        n_read: np.ndarray,
        rows: np.ndarray,
        cells: np.ndarray,
        met: np.ndarray,
        subset: np.ndarray,
        measure: np.ndarray,
        member: np.ndarray,
    ) -> int: ...

class FoldStore:
    def __init__(
        self,
        planes: np.ndarray,
        plane_start: np.ndarray,
        n_part: np.ndarray,
        total: np.ndarray,
        units: np.ndarray,
        T: np.ndarray,
        measure: MeasureRows,
        margins: np.ndarray,
        entropy: np.ndarray,
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
def add_tables(codes: np.ndarray, row: np.ndarray, tables: np.ndarray) -> None: ...
