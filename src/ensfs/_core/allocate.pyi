import numpy as np

from ensfs._core.discrete import CodeStore

block_size: int
max_block_planes: int
chunk_sizes: dict[int, int]
front_size: int
batch_size: int
group_size: int

class SubsetBlocks:
    def __init__(
        self,
        store: CodeStore,
        seeds: np.ndarray,
        places: np.ndarray,
        largest: np.ndarray,
        links: np.ndarray,
        members: np.ndarray,
        planes: np.ndarray,
        levels: np.ndarray,
        entropies: np.ndarray,
    ) -> None: ...
    @property
    def n_read(self) -> int: ...
    def allocate(
        self,
        order: np.ndarray,
        relevance: np.ndarray,
        threshold: float,
        subset: np.ndarray,
        redundancy: np.ndarray,
        nearest: np.ndarray,
    ) -> None: ...

class BoundTables:
    def __init__(
        self,
        tables: np.ndarray,
        saturates: np.ndarray,
        units_per_bit: float,
        subtract_per_level: bool,
        most_entropy: float,
    ) -> None: ...

class ChunkStates:
    def __init__(
        self,
        largest: np.ndarray,
        nearest: np.ndarray,
        at: np.ndarray,
        tops: np.ndarray,
        n_read: np.ndarray,
    ) -> None: ...

class ChunkWorkspace:
    def __init__(self, rows: np.ndarray, cells: np.ndarray) -> None: ...

class SubsetChunks:
    def __init__(
        self,
        store: CodeStore,
        tables: BoundTables,
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
        states: ChunkStates,
        workspace: ChunkWorkspace,
    ) -> None: ...
    def settle(
        self,
        store: CodeStore,
        batch: np.ndarray,
        limits: np.ndarray,
        states: ChunkStates,
        workspace: ChunkWorkspace,
        met: np.ndarray,
        subset: np.ndarray,
        measure: np.ndarray,
        member: np.ndarray,
    ) -> int: ...
