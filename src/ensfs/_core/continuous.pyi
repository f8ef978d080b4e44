import numpy as np

panel_width: int
max_parts: int
row_padding: int

def middle_of_rows(X: np.ndarray, rows: np.ndarray, out: np.ndarray) -> None: ...
def add_sums(
    X: np.ndarray,
    start: int,
    stop: int,
    rows: np.ndarray,
    bounds: np.ndarray,
    groups: np.ndarray,
    shift: np.ndarray,
    s: np.ndarray,
    q: np.ndarray,
    own_shift: np.ndarray | None,
    common: int,
    own_s: np.ndarray | None,
    own_q: np.ndarray | None,
    y: np.ndarray | None,
    xy: np.ndarray | None,
    centres: np.ndarray | None = None,
) -> None: ...
def leave_out(folds: np.ndarray, out: np.ndarray, scratch: np.ndarray) -> None: ...
def f_from_sums(
    s: np.ndarray,
    q: np.ndarray,
    n_class: np.ndarray,
    class_shift: np.ndarray,
    shift: np.ndarray,
    start: int,
    out: np.ndarray,
    apart: np.ndarray,
    scratch: np.ndarray,
) -> None: ...
def inverse_deviations(
    s: np.ndarray, q: np.ndarray, n: np.ndarray, out: np.ndarray, apart: np.ndarray
) -> None: ...
def pearson_from_sums(
    products: np.ndarray,
    s: np.ndarray,
    inverse: np.ndarray,
    n: np.ndarray,
    s_g: np.ndarray,
    inverse_g: np.ndarray,
    parts: np.ndarray,
    out: np.ndarray,
    signed: bool,
) -> None: ...
def pack_columns(
    X: np.ndarray,
    start: int,
    stop: int,
    shift: np.ndarray,
    out: np.ndarray,
    place: np.ndarray,
    rows: np.ndarray | None = None,
    n_folds: int = 1,
) -> None: ...
def pearson_with(
    packed: np.ndarray,
    n: int,
    start: int,
    stop: int,
    g: int,
    target: np.ndarray,
    shift: np.ndarray,
    s: np.ndarray,
    inverse: np.ndarray,
    out: np.ndarray,
) -> None: ...
def part_pearson_with(
    packed: np.ndarray,
    n_rows: int,
    start: int,
    stop: int,
    columns: np.ndarray,
    targets: np.ndarray,
    wanted: np.ndarray,
    shift: np.ndarray,
    s: np.ndarray,
    inverse: np.ndarray,
    n: np.ndarray,
    out: np.ndarray,
    scratch: np.ndarray,
    centres: tuple | None = None,
) -> None: ...
def lazy_pearson_search(
    X: np.ndarray,
    packed: np.ndarray,
    place: np.ndarray,
    n_packed: np.ndarray,
    shift: np.ndarray,
    s: np.ndarray,
    inverse: np.ndarray,
    with_first: np.ndarray | None,
    n_rows: np.ndarray,
    first_part: int,
    fold_rows: int,
    fold_sums: np.ndarray | None,
    centres: tuple | None,
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
def pack_panels(
    X: np.ndarray,
    rows: np.ndarray,
    bounds: np.ndarray,
    shift: np.ndarray,
    start: int,
    stop: int,
    out: np.ndarray,
) -> None: ...
def target_rows(
    panels: np.ndarray,
    shift: np.ndarray,
    bounds: np.ndarray,
    targets: np.ndarray,
    out: np.ndarray,
) -> None: ...
def add_products(
    panels: np.ndarray,
    shift: np.ndarray,
    y: np.ndarray,
    bounds: np.ndarray,
    start: int,
    stop: int,
    sums: np.ndarray,
) -> None: ...
def part_products(
    panels: np.ndarray,
    shift: np.ndarray,
    y: np.ndarray,
    bounds: np.ndarray,
    start: int,
    stop: int,
    out: list[np.ndarray],
    work: np.ndarray,
) -> None: ...
def products_leave_out(sums: np.ndarray, out: list[np.ndarray], scratch: np.ndarray) -> None: ...
def products_all_rows(sums: np.ndarray, start: int, out: list[np.ndarray]) -> None: ...
