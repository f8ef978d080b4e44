"""The option ``--scheduler``: the files are read by the workers of a Dask cluster."""

from __future__ import annotations

import argparse
import importlib.util
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from ensfs.data.parquet_blocks import Run
from ensfs.reporting.output import UsageError


def cluster_of(options: argparse.Namespace) -> AbstractContextManager[Any]:
    """The connection to the cluster, if one is named: what is fitted within runs there."""
    if options.scheduler is None:
        return nullcontext()
    if len(options.target or []) > 1:
        raise UsageError("--scheduler: one --target can be predicted on a cluster.")
    if importlib.util.find_spec("distributed") is None:
        raise UsageError("--scheduler needs Dask. Install it with `pip install ensfs[dask]`.")
    from ensfs.scale.dask_client import connect

    try:
        return connect(options.scheduler)
    except (OSError, ValueError) as error:
        raise UsageError(f"--scheduler: no answer from {options.scheduler}: {error}") from error


def run_of(options: argparse.Namespace) -> Run | None:
    """What runs functions on the cluster, if one is named."""
    if options.scheduler is None:
        return None
    from ensfs.scale.dask import run_each

    return run_each


def table_on_cluster(blocks: Any) -> Any:
    """Parquet files as a table whose partitions are read by workers."""
    from ensfs.scale.dask import DaskTable

    return DaskTable.of_pieces(blocks.read_piece, blocks.pieces())
