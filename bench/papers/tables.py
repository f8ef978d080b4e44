"""Real tables for the papers' experiments, from the folder that ``ENSFS_DATA`` names."""

import os
import sys
from pathlib import Path

from ensfs.datasets import fetch_dataset

ROOT = Path(__file__).resolve().parents[2]


def folder():
    """Return the folder of the data sets; by default beside the repository."""
    path = Path(os.environ.get("ENSFS_DATA") or ROOT.parent / "shared" / "data")
    if not (path / "manifest.json").exists():
        raise SystemExit(
            f"no data sets in {path}: set ENSFS_DATA to the folder that holds manifest.json"
        )
    return path


def load(name):
    """Return ``X`` (float64, NaN if empty) and ``y`` (class numbers 0, 1, ... in sorted order)."""
    return fetch_dataset(name, data_home=folder(), download_if_missing=False, return_X_y=True)


def at_hand(name):
    """Whether the folder holds this set."""
    return any((folder() / f"{name}{ending}").exists() for ending in (".csv.gz", ".npz"))


def progress(text):
    """One line on the terminal that is written over; nothing in a file."""
    if sys.stderr.isatty():
        print(f"\r{text:60s}", end="" if text else "\r", file=sys.stderr, flush=True)
