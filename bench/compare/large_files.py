"""Selection from files in blocks of rows: readings, CPU time beside plain reading, and memory.

``large_files.py FOLDER`` writes 500,000 x 1,000 float32 (npy and Parquet) and 1,000,000 x 500 int8,
about 5 GB, and fits selectors to each. ``--share 0.1`` takes a tenth of the rows.

``large_files.py FOLDER --gigabytes 16 --limit 0.8`` writes Parquet of that size, and fits in
processes that may have so many gigabytes of memory for themselves (``RLIMIT_DATA``: heap, stacks
and maps that can be written to). Arrow's allocator sets 32 MiB aside at a time then, otherwise a
gigabyte of addresses.

Every fit is a process of its own. BLAS should have one thread (``OPENBLAS_NUM_THREADS=1``). Plain
reading gives the blocks, copies of mapped ones, to nobody.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from memory import peak

from ensfs import CFS, FCBF, JMI, MRMR, FastEnsemble, ForwardSelection, RowBlocks

#: Rows that are made at a time, and those of a row group.
PIECE = 10_000

SELECTORS = {
    "MRMR(20)": MRMR(20),
    "FastEnsemble(MRMR(20))": FastEnsemble(MRMR(20)),
    "ForwardSelection(10)": ForwardSelection(10),
    "JMI(20)": JMI(20),
    "FCBF": FCBF(),
    "CFS": CFS(),
}
OF_NUMBERS = ["MRMR(20)", "FastEnsemble(MRMR(20))"]
OF_CODES = ["MRMR(20)", "FastEnsemble(MRMR(20))", "JMI(20)", "FCBF"]

# ------------------------------------ files


def piece(number, n, p, dtype=np.float32):
    """Ten columns for each factor, three of ten of which differ between two classes."""
    of_all, rng = np.random.default_rng(0), np.random.default_rng([1, number])
    n_factors = p // 10
    effect = (of_all.random(n_factors) < 0.3) * of_all.random(n_factors) * 0.6
    scale = of_all.uniform(0.4, 1.5, p).astype(dtype)
    y = rng.integers(0, 2, n)
    X = rng.standard_normal((n, p), dtype=dtype) * scale
    factors = rng.standard_normal((n, n_factors)) + y[:, None] * effect
    X += factors.astype(dtype)[:, np.arange(p) % n_factors]
    return X, y


def codes_of(X):
    """Four levels."""
    return np.clip(np.rint(X / 1.4 + 1.5), 0, 3).astype(np.int8)


def pieces(n, p, dtype=np.float32):
    for number, start in enumerate(range(0, n, PIECE)):
        yield piece(number, min(PIECE, n - start), p, dtype)


def write_parquet(folder, n, p, n_files=1, dtype=np.float32):
    """Files of row groups of 10,000 rows; numbers that do not compress."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    names = [f"x{j}" for j in range(p)]
    per_file = -(-n // n_files)
    per_file += -per_file % PIECE
    writer, written = None, 0
    for X, y in pieces(n, p, dtype):
        table = pa.table([*(pa.array(x) for x in np.ascontiguousarray(X.T)), y], [*names, "y"])
        if writer is None:
            path = folder / f"{written // per_file:03d}.parquet"
            writer = pq.ParquetWriter(path, table.schema, use_dictionary=False)
        writer.write_table(table)
        written += len(y)
        if written % per_file == 0:
            writer.close()
            writer = None
    if writer is not None:
        writer.close()


def write_npy(path, n, p, dtype, make=lambda X: X):
    """One file of numbers, and one of the target."""
    array, at = np.lib.format.open_memmap(path, "w+", dtype, (n, p)), 0
    target = []
    for X, y in pieces(n, p):
        array[at : at + len(y)] = make(X)
        at += len(y)
        target.append(y)
    array.flush()
    np.save(path.with_suffix(".y"), np.concatenate(target))


def blocks_of(path, rows):
    if path.suffix == ".npy":
        return RowBlocks.from_npy(path, path.with_suffix(".y.npy"), block_rows=rows)
    return RowBlocks.from_parquet(path / "*.parquet", "y", block_rows=rows)


# ------------------------------------ one process


class Timed:
    """A callable that gives blocks, and notes the CPU time when each reading begins."""

    def __init__(self, blocks):
        self.blocks, self.begun = blocks.blocks, []

    def __call__(self):
        self.begun.append(time.process_time())
        return self.blocks()


def run(path, name, rows=None):
    """Read plainly or fit; print CPU seconds of each reading, and the largest resident size."""
    timed, start, before = Timed(blocks_of(path, rows)), time.time(), peak()
    found = {}
    if name == "reading":
        for X, *_ in timed():
            if isinstance(X, np.ndarray):
                X = X.copy()
            del X
    else:
        selector = SELECTORS[name].fit(RowBlocks(timed))
        found = {"readings": selector.n_readings_, "columns": selector.indices_.tolist()}
    ends = [*timed.begun[1:], time.process_time()]
    cpu = [round(b - a, 2) for a, b in zip(timed.begun, ends, strict=True)]
    took = round(time.time() - start, 1)
    sizes = {"before_mb": before >> 20, "peak_mb": peak() >> 20}
    print(json.dumps({"cpu": cpu, "seconds": took, **sizes, **found}))


def in_process(path, name, limit=None, rows=None):
    """Run in a process of its own, which may have a limit; what it printed."""

    def hold():
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_DATA, (int(limit * 1e9), int(limit * 1e9)))

    call = [sys.executable, __file__, str(path), "--run", name]
    call += [] if rows is None else ["--block-rows", str(rows)]
    env = os.environ | ({} if limit is None else {"MIMALLOC_ARENA_RESERVE": "32768"})
    done = subprocess.run(
        call, stdout=subprocess.PIPE, text=True, check=True, preexec_fn=hold, env=env
    )
    return json.loads(done.stdout)


def show(path, names, limit=None, rows=None):
    plain = in_process(path, "reading", limit, rows)
    read = sum(plain["cpu"])
    print(f"{path.name}: reading {read:.2f} CPU s, peak {plain['peak_mb']} MB", flush=True)
    for name in names:
        found = in_process(path, name, limit, rows)
        ratios = " ".join(f"{each / read:.2f}" for each in found["cpu"])
        sizes = f"peak {found['peak_mb']} MB ({found['before_mb']} before)"
        print(
            f"  {name:24s} {found['readings']} readings, each in times of reading: {ratios}; "
            f"{sum(found['cpu']):.1f} CPU s, {found['seconds']} s, {sizes}\n"
            f"  {'':24s} columns {found['columns']}", flush=True,
        )  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--share", type=float, default=1.0, help="of the rows")
    parser.add_argument("--gigabytes", type=float, help="size of the Parquet files")
    parser.add_argument("--columns", type=int, default=1000, help="of these")
    parser.add_argument("--limit", type=float, help="gigabytes of memory")
    parser.add_argument("--block-rows", type=int, help="rows of a block (default: as it is)")
    parser.add_argument("--run", help=argparse.SUPPRESS)
    options = parser.parse_args()
    folder = options.folder
    if options.run:
        return run(folder, options.run, options.block_rows)
    folder.mkdir(parents=True, exist_ok=True)
    if options.gigabytes:
        path, p = folder / "large", options.columns
        n = int(options.gigabytes * 1e9 / (8 * p))
        if not path.exists():
            path.mkdir()
            write_parquet(path, n, p, max(1, round(options.gigabytes)), np.float64)
        size = sum(file.stat().st_size for file in path.glob("*.parquet"))
        print(f"{n:,} x {p:,} float64, {size / 1e9:.1f} GB, limit {options.limit} GB", flush=True)
        return show(path, OF_NUMBERS, options.limit, options.block_rows)
    n, n_codes = int(500_000 * options.share), int(1_000_000 * options.share)
    numbers, parquet, codes = folder / "numbers.npy", folder / "parquet", folder / "codes.npy"
    if not codes.exists():
        write_npy(numbers, n, 1000, np.float32)
        parquet.mkdir()
        write_parquet(parquet, n, 1000)
        write_npy(codes, n_codes, 500, np.int8, codes_of)
    for path, names in ((numbers, OF_NUMBERS), (parquet, OF_NUMBERS), (codes, OF_CODES)):
        show(path, names)


if __name__ == "__main__":
    main()
