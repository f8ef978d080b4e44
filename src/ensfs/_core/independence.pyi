import numpy as np

max_plane_levels: int
most_planes: int

def workspace_size(cells: int, n_x: int, n_folds: int) -> int: ...
def test_columns(
    codes: np.ndarray,
    y: np.ndarray,
    columns: np.ndarray,
    start: int,
    stop: int,
    label: np.ndarray,
    n_strata: int,
    n_y: int,
    n_levels: np.ndarray,
    fold: np.ndarray | None,
    row: np.ndarray,
    klogk: np.ndarray,
    n_part: np.ndarray,
    planes: np.ndarray | None,
    plane_start: np.ndarray | None,
    label_planes: np.ndarray | None,
    margins: np.ndarray | None,
    work: np.ndarray,
    value: np.ndarray,
    strata: np.ndarray,
    degrees: np.ndarray,
) -> None: ...
def test_pairs(
    codes: np.ndarray,
    y: np.ndarray,
    pairs: np.ndarray,
    start: int,
    stop: int,
    n_levels: np.ndarray,
    fold: np.ndarray | None,
    row: np.ndarray,
    klogk: np.ndarray,
    n_part: np.ndarray,
    planes: np.ndarray | None,
    plane_start: np.ndarray | None,
    all_rows: np.ndarray | None,
    label_planes: np.ndarray | None,
    margins: np.ndarray | None,
    label: np.ndarray,
    work: np.ndarray,
    value: np.ndarray,
    strata: np.ndarray,
    degrees: np.ndarray,
) -> None: ...
def refine(
    label: np.ndarray,
    n_labels: int,
    column: np.ndarray,
    levels: int,
    table: np.ndarray,
    keys: np.ndarray,
    out: np.ndarray,
) -> int: ...
def make_label_planes(
    label: np.ndarray,
    position: np.ndarray | None,
    fold: np.ndarray | None,
    planes: np.ndarray,
    margins: np.ndarray,
) -> None: ...
def count_levels(
    codes: np.ndarray,
    y: np.ndarray,
    n_levels: np.ndarray,
    fold: np.ndarray,
    start: int,
    stop: int,
    table: np.ndarray,
    out: np.ndarray,
) -> None: ...
