"""Reading tables: data frames of many columns beside arrays, and files."""

import contextlib
import io
import tempfile
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa

from benchmarks.common import continuous
from ensfs import MRMR
from ensfs.reporting import cli

KINDS = ["array", "pandas", "polars", "pyarrow"]


def as_kind(X, kind):
    """Give the table in one of the forms that users have."""
    names = [f"x{j}" for j in range(X.shape[1])]
    if kind == "pandas":
        return pd.DataFrame(X, columns=names)
    if kind == "polars":
        return pl.DataFrame(X, schema=names)
    return pa.table(dict(zip(names, X.T, strict=True))) if kind == "pyarrow" else X


class WideFrames:
    """Few rows, very many columns: what reading the frame adds to a fast selection."""

    params = (KINDS,)
    param_names = ("kind",)

    def setup(self, kind):
        X, self.y = continuous(100, 20_000)
        self.X = as_kind(X, kind)
        self.fitted = MRMR(10).fit(self.X, self.y)

    def time_fit(self, kind):
        MRMR(10).fit(self.X, self.y)

    def time_transform(self, kind):
        self.fitted.transform(self.X)

    def peakmem_fit(self, kind):
        MRMR(10).fit(self.X, self.y)


class WideFile:
    """A CSV file of many columns: parsing alone, and the whole command without its start."""

    def setup(self):
        X, y = continuous(100, 5_000)
        self.folder = tempfile.TemporaryDirectory()
        self.path = str(Path(self.folder.name) / "table.csv")
        as_kind(X, "pandas").assign(y=y).to_csv(self.path, index=False)

    def teardown(self):
        self.folder.cleanup()

    def time_read_csv(self):
        pd.read_csv(self.path)

    def time_select(self):
        with contextlib.redirect_stdout(io.StringIO()):
            cli.main(["select", self.path, "--target", "y", "-k", "10"])
