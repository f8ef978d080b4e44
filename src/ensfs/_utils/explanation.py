"""Small tables of the reasons why a column is in or out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ensfs._utils.html import table
from ensfs._utils.text import cell_text, printable, text_table

#: Rows that are printed.
MAX_ROWS = 60


class Explanation(Sequence[Mapping[str, Any]]):
    """A table of reasons, one row per column of the data.

    It is a sequence of dictionaries, printed as a table, and as HTML in notebooks. Printed names
    have their control characters spelled out; the dictionaries hold them as the data do.

    Parameters
    ----------
    rows : sequence of dict
        The rows; all with the same keys.
    """

    def __init__(self, rows: Sequence[Mapping[str, Any]]):
        self._rows = list(rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, item: Any) -> Any:
        """Row by number, rows by slice, or a whole column by its heading."""
        if isinstance(item, str):
            return [row[item] for row in self._rows]
        if isinstance(item, slice):
            return Explanation(self._rows[item])
        return self._rows[item]

    def __iter__(self) -> Iterator[Mapping[str, Any]]:
        return iter(self._rows)

    @property
    def columns(self) -> list[str]:
        """The headings."""
        return list(self._rows[0]) if self._rows else []

    def to_pandas(self) -> Any:
        """The table as a pandas data frame (pandas must be installed)."""
        import pandas as pd

        return pd.DataFrame(self._rows, columns=self.columns)

    def to_polars(self) -> Any:
        """The table as a polars data frame (polars must be installed)."""
        import polars as pl

        return pl.DataFrame({name: self[name] for name in self.columns}, strict=False)

    def __repr__(self) -> str:
        headings = [printable(each) for each in self.columns]
        rows = [[cell_text(row[c]) for c in self.columns] for row in self._rows[:MAX_ROWS]]
        return "\n".join([*text_table([headings, *rows]), *self._rest("... and {} more")])

    def _repr_html_(self) -> str:
        rows = [[row[c] for c in self.columns] for row in self._rows[:MAX_ROWS]]
        return "".join([table(self.columns, rows), *self._rest("<p>… and {} more</p>")])

    def _rest(self, form: str) -> list[str]:
        """A line for the rows that are not shown, if there are any."""
        n_more = len(self) - MAX_ROWS
        return [form.format(n_more)] if n_more > 0 else []
