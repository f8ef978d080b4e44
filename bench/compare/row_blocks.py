"""How often selectors read row blocks, and the CPU time of their fits.

Run with ``python bench/compare/row_blocks.py [rows] [columns]``. Once with one column for each
reading and nothing kept, and once as it is.
"""

import sys
import time

import numpy as np

from ensfs import CFS, FCBF, IAMB, JMI, MRMR, FastEnsemble, InnerEnsemble, RowBlocks
from ensfs.scale import block_tables, partitioned


def groups_of_columns(n, p, seed=0):
    """Ten columns for each factor; three of ten factors differ between two classes."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    n_factors = p // 10
    effect = (rng.random(n_factors) < 0.3) * rng.random(n_factors) * 0.6
    factors = rng.normal(size=(n, n_factors)) + y[:, None] * effect
    noise = rng.normal(size=(n, p)) * rng.uniform(0.4, 1.5, p)
    return (factors[:, np.arange(p) % n_factors] + noise).astype(np.float32), y


def measure(selector, X, y, size=5_000):
    """Readings, CPU seconds and selected columns."""
    blocks = RowBlocks([(X[a : a + size], y[a : a + size]) for a in range(0, len(y), size)])
    start = time.process_time()
    selector.fit(blocks)
    return selector.n_readings_, time.process_time() - start, selector.indices_


def main(n=20_000, p=300):
    X, y = groups_of_columns(n, p)
    codes = np.clip(np.rint(X / X.std(axis=0) + 1.5), 0, 3).astype(np.int8)
    cases = [
        ("MRMR(20)", MRMR(20), X),
        ("FastEnsemble(MRMR(20))", FastEnsemble(MRMR(20)), X),
        ("InnerEnsemble(MRMR(20))", InnerEnsemble(MRMR(20)), X),
        ("MRMR(20), discrete", MRMR(20), codes),
        ("FastEnsemble(MRMR(20)), discrete", FastEnsemble(MRMR(20)), codes),
        ("FCBF()", FCBF(), codes),
        ("CFS()", CFS(), codes),
        ("JMI(20)", JMI(20), codes),
        ("IAMB()", IAMB(), codes),
    ]
    batches = block_tables.SUMMED_PER_READING, block_tables.COUNTED_PER_READING
    kept = partitioned.KEPT_BYTES
    print(f"{n:,} rows, {p:,} columns: readings and CPU seconds, one column each and as it is")
    for name, selector, table in cases:
        block_tables.SUMMED_PER_READING = block_tables.COUNTED_PER_READING = 1
        partitioned.KEPT_BYTES = 0
        before = measure(selector, table, y)
        partitioned.KEPT_BYTES = kept
        block_tables.SUMMED_PER_READING, block_tables.COUNTED_PER_READING = batches
        after = measure(selector, table, y)
        assert np.array_equal(before[2], after[2])
        print(f"{name:34s} {before[0]:4d} {before[1]:7.2f}   {after[0]:4d} {after[1]:7.2f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
