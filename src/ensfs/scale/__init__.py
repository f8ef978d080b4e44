"""Sources of statistics for data that do not fit in memory."""

from typing import Any

from ensfs.scale.row_blocks import RowBlocks
from ensfs.training.contract import COLLECTIONS, BlockedTable


def _of_dask(X: Any, y: Any, sample_weight: Any) -> BlockedTable:
    from ensfs.scale.dask import DaskTable

    return DaskTable.of(X, y, sample_weight)


COLLECTIONS["dask"] = COLLECTIONS["dask_expr"] = _of_dask

__all__ = ["RowBlocks"]
