"""Real tables for the papers' experiments, from the folder that ``ENSFS_DATA`` names."""

import csv
import gzip
import os
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]


def folder():
    """Return the folder of the data sets; by default beside the repository."""
    path = Path(os.environ.get("ENSFS_DATA", ROOT.parent / "shared" / "data"))
    if not (path / "manifest.json").exists():
        raise SystemExit(
            f"no data sets in {path}: set ENSFS_DATA to the folder that holds manifest.json"
        )
    return path


def load(name):
    """Return ``X`` (float64, NaN if empty) and ``y`` (class numbers 0, 1, ... in sorted order)."""
    with gzip.open(folder() / f"{name}.csv.gz", "rt", newline="") as file:
        rows = list(csv.reader(file))[1:]
    X = np.array([[cell or "nan" for cell in row[:-1]] for row in rows], dtype=np.float64)
    return X, np.unique([row[-1] for row in rows], return_inverse=True)[1]
