"""Tables that come in blocks of rows.

Nothing but one block, the target and the sums is kept in memory. Sums of rows follow one tree, in
memory as well (`leaf_sums`), so the results are equal to the last bit for blocks of any size.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain, count, islice
from typing import Any

import scipy.sparse

from ensfs.data.file_names import Paths, find_files
from ensfs.scale.block_reading import checked_block, emptied
from ensfs.scale.file_blocks import ArrayFiles, CSVFiles, ParquetFiles
from ensfs.scale.partitioned import BlockLoop
from ensfs.scale.partitioned_data import PartitionedTrainingData
from ensfs.scale.sparse_blocks import join_sparse_blocks
from ensfs.training.contract import BlockedTable, TrainingData


class RowBlocks(BlockedTable):
    """A table as a sequence of blocks of rows, for data larger than memory.

    Parameters
    ----------
    blocks : sequence or callable
        A sequence of ``(X_block, y_block)``, or a callable that gives a fresh iterator of them. The
        blocks are read several times and must be the same each time, which is checked. A block is
        anything that a selector takes as a table; all blocks have the same columns. Rows have
        weights if all blocks are ``(X_block, y_block, weight_block)``.

    Notes
    -----
    Selectors read the blocks at most three times for the target, the centres or levels of the
    columns and the relevance, and once more if the folds of an ensemble lie far apart. Then each
    reading is for many columns, those with the best scores so far; `n_readings_` of a selector says
    how many readings there were. What a column holds (`discrete_features`) is decided by
    the values of all blocks, unless given. Where columns are counted, continuous ones are cut by
    ``discretizer="sigma"`` or a discretizer that was fitted on a sample; others need all rows.

    Sparse blocks are read once, and their stored cells are kept in memory: what is fitted is the
    sparse table that they make together.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_wine
    >>> from ensfs import MRMR, FastEnsemble, RowBlocks
    >>> X, y = load_wine(return_X_y=True)
    >>> blocks = RowBlocks([(X[i : i + 50], y[i : i + 50]) for i in range(0, 178, 50)])
    >>> FastEnsemble(MRMR(5), n_parts=5).fit(blocks).indices_
    array([12,  9,  0, 10,  6])
    """

    def __init__(self, blocks: Iterable[tuple[Any, ...]] | Callable[[], Iterable[tuple[Any, ...]]]):
        if not callable(blocks) and iter(blocks) is blocks:
            raise TypeError(
                "blocks is an iterator, which can be read only once. Give a list, or a callable "
                "that returns a fresh iterator."
            )
        self.blocks = blocks

    @classmethod
    def from_parquet(
        cls, paths: Paths, target: str | list[str], *, weights: str | None = None,
        block_rows: int | None = None,
    ) -> RowBlocks:  # fmt: skip
        """Blocks from Parquet files, one file after the other.

        Parameters
        ----------
        paths : str, path or list of these
            Files or patterns such as ``"data/*.parquet"``. All have the same columns, in any order.
        target : str or list of str
            The column to predict, or several.
        weights : str, optional
            The column that holds the weights of the rows.
        block_rows : int, optional
            Rows of a block; by default about four million cells.

        Returns
        -------
        RowBlocks

        Examples
        --------
        >>> from ensfs import MRMR, RowBlocks
        >>> blocks = RowBlocks.from_parquet("data/*.parquet", "outcome")  # doctest: +SKIP
        >>> MRMR(20).fit(blocks).get_feature_names_out()  # doctest: +SKIP
        """
        return cls(ParquetFiles(find_files(paths), target, weights, block_rows))

    @classmethod
    def from_csv(
        cls, paths: Paths, target: str | list[str], *, weights: str | None = None,
        block_rows: int | None = None,
    ) -> RowBlocks:  # fmt: skip
        """Blocks from CSV files with a line of names; they are read once to find the types.

        Parameters
        ----------
        paths : str, path or list of these
            Files or patterns such as ``"data/*.csv"``. All have the same columns, in any order.
        target : str or list of str
            The column to predict, or several.
        weights : str, optional
            The column that holds the weights of the rows.
        block_rows : int, optional
            The most rows of a block; by default about four million cells.

        Returns
        -------
        RowBlocks
        """
        return cls(CSVFiles(find_files(paths), target, weights, block_rows))

    @classmethod
    def from_npy(
        cls, paths: Paths, target: Any, *, weights: Any = None, block_rows: int | None = None
    ) -> RowBlocks:
        """Blocks from arrays in ``.npy`` files, one file after the other.

        Parameters
        ----------
        paths : str, path or list of these
            Files or patterns such as ``"data/*.npy"``, of arrays with equally many columns.
        target : int, str, path or array-like
            The column of the arrays to predict, an ``.npy`` file of the target for all rows, or the
            target itself.
        weights : int, str, path or array-like, optional
            The weights of the rows in the same way.
        block_rows : int, optional
            Rows of a block; by default about four million cells.

        Returns
        -------
        RowBlocks
        """
        return cls(ArrayFiles(find_files(paths), target, weights, block_rows))

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        blocks = self.blocks() if callable(self.blocks) else self.blocks
        return map(checked_block, blocks, count())

    def make_data(self, n_threads: int = 1, **options: Any) -> TrainingData:
        """Read what must be known before any statistics: shape, names, kinds and target.

        Parameters
        ----------
        n_threads : int, default=1
            Threads for coding.
        **options
            How each block is read, as in `ensfs.data.table.make_table`.

        Returns
        -------
        TrainingData
            `PartitionedTrainingData`, or `SparseTrainingData` if the blocks are sparse.
        """
        blocks = iter(self)
        first = list(islice(blocks, 1))
        if first and scipy.sparse.issparse(first[0][0]):
            return join_sparse_blocks(chain(first, blocks), n_threads=n_threads, **options)
        loop = BlockLoop(self, emptied(first, blocks))
        return PartitionedTrainingData(loop, n_threads=n_threads, **options)
