"""Small tables that say why a column is in or out."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping, Sequence
from typing import Any


class Explanation(Sequence[Mapping[str, Any]]):
    """A table of reasons, one row per column of the data.

    Behaves as a sequence of dictionaries; prints as a table, and in notebooks as HTML.

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

    def _cells(self, limit: int) -> list[list[str]]:
        return [[_text(row[c]) for c in self.columns] for row in self._rows[:limit]]

    def __repr__(self) -> str:
        limit = 60
        cells = [self.columns, *self._cells(limit)]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines = [
            "  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip()
            for row in cells
        ]
        if len(self) > limit:
            lines.append(f"... and {len(self) - limit} more")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        limit = 60
        head = "".join(f"<th>{html.escape(c)}</th>" for c in self.columns)
        body = "".join(
            "<tr>" + "".join(f"<td>{html.escape(c)}</td>" for c in row) + "</tr>"
            for row in self._cells(limit)
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _text(value: Any) -> str:
    if value is None or (isinstance(value, float) and value != value):
        return "-"
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)
