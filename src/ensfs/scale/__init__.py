"""Sources of statistics for data that do not fit in memory."""

from ensfs.scale.row_blocks import RowBlocks

__all__ = ["RowBlocks"]
