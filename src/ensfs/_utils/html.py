"""Pieces of HTML pages: escaped text, tables with bars, small pictures in SVG."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np

from ensfs._utils.text import cell_text, distinct_labels, printable, shortened

#: Longer names are cut.
MAX_NAME = 60

#: Two colours that colour-blind readers can tell apart, for bars and lines, and for references.
BLUE, ORANGE, GREY = "#0072B2", "#D55E00", "#595959"

#: Light to dark, for maps; the darkest still lets white text be read.
_LIGHT, _DARK = (247, 251, 255), (8, 69, 148)


def safe(text: Any) -> str:
    """Text from data, escaped and shortened."""
    return html.escape(shortened(text, MAX_NAME))


def _text(value: Any) -> str:
    return cell_text(value, missing="–", thousands=True)


def table(
    headings: Sequence[str],
    rows: Sequence[Sequence[Any]],
    *,
    sortable: bool = False,
    meanings: Mapping[str, str] | None = None,
) -> str:
    """A table; numbers are aligned to the right.

    Parameters
    ----------
    headings : sequence of str
        One for each column of the table.
    rows : sequence of sequences
        The cells.
    sortable : bool, default=False
        Whether headings are buttons, which the script of a page lets sort the rows.
    meanings : mapping of str to str, optional
        What headings mean, to be shown when they are pointed at.
    """
    head = "".join(_heading(each, sortable, (meanings or {}).get(each)) for each in headings)
    body = "".join("<tr>" + "".join(map(_cell, row)) + "</tr>" for row in rows)
    kind = ' class="sortable"' if sortable else ""
    return f"<table{kind}><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _heading(text: str, sortable: bool, meaning: str | None) -> str:
    title = f' title="{html.escape(meaning)}"' if meaning else ""
    words = f'<button type="button">{safe(text)}</button>' if sortable and text else safe(text)
    return f"<th{title}>{words}</th>"


def _cell(value: Any) -> str:
    if isinstance(value, Raw):
        return f"<td{value.attributes}>{value.text}</td>"
    if isinstance(value, (str, type(None))):
        return f"<td>{safe(_text(value))}</td>"
    return f'<td class="number"{_exact(value)}>{safe(_text(value))}</td>'


def _exact(value: Any) -> str:
    """The attribute by which a cell is sorted, if it holds a number."""
    known = isinstance(value, Real) and math.isfinite(value)
    return f' data-value="{float(value)!r}"' if known else ""


class Raw:
    """HTML made here, which is not escaped again, and the attributes of its cell."""

    def __init__(self, text: str, attributes: str = ""):
        self.text = text
        self.attributes = attributes


def name_cell(name: Any) -> Raw:
    """The name of a column, which the search of a page looks at; the whole name on hovering."""
    whole = f' title="{html.escape(printable(name))}"' if len(printable(name)) > MAX_NAME else ""
    return Raw(safe(name), f' class="name"{whole}')


def bar(value: float, largest: float, width: int = 160, *, written: bool = False) -> Raw:
    """A horizontal bar for a value between 0 and the largest, perhaps with the value behind it."""
    share = 0.0
    if math.isfinite(value) and largest > 0:
        share = min(1.0, max(0.0, value / largest))
    elif value == math.inf:
        share = 1.0
    words = _text(float(value))
    number = f' <span class="quiet">{words}</span>' if written else ""
    return Raw(  # scaled with its cell: a bar that was cut off would look longer than it is
        f'<svg viewBox="0 0 {width} 12" width="{width}" height="12" preserveAspectRatio="none" '
        f'role="img" aria-label="{words}">'
        f'<rect class="track" width="{width}" height="12" fill="#eef2f5"/>'
        f'<rect class="bar" width="{share * width:.1f}" height="12" fill="{BLUE}"/></svg>{number}',
        f' class="measure"{_exact(value)}',
    )


def heat_map(names: Sequence[Any], values: np.ndarray, order: Sequence[int], title: str) -> str:
    """A square map of values between 0 and 1, with the names beside it."""
    n, cell = len(order), 22 if len(order) <= 25 else 14
    left, top = 330, 26
    parts = [
        f'<svg viewBox="0 0 {left + n * cell + 90} {top + n * cell + 10}" '
        f'width="{left + n * cell + 90}" role="img" aria-label="{html.escape(title)}">'
    ]
    labels = distinct_labels(names, 42)
    for row, i in enumerate(order):
        y = top + row * cell
        parts.append(
            f'<text x="{left - 6}" y="{y + cell * 0.7:.1f}" text-anchor="end">'
            f'{html.escape(labels[i])} <tspan class="quiet">{i + 1}</tspan></text>'
        )
        parts.append(
            f'<text x="{left + (row + 0.5) * cell:.1f}" y="{top - 8}" text-anchor="middle" '
            f'class="quiet">{i + 1}</text>'
        )
        for column, j in enumerate(order):
            parts.append(
                f'<rect x="{left + column * cell}" y="{y}" width="{cell}" height="{cell}" '
                f'fill="{_shade(float(values[i, j]))}"><title>{values[i, j]:.2f}</title></rect>'
            )
    parts.append(_scale(left + n * cell + 20, top))
    return "".join([*parts, "</svg>"])


def _shade(value: float) -> str:
    share = min(1.0, max(0.0, value)) if math.isfinite(value) else 0.0
    return "#" + "".join(
        f"{round(a + (b - a) * share):02x}" for a, b in zip(_LIGHT, _DARK, strict=True)
    )


def _scale(x: int, y: int) -> str:
    steps = "".join(
        f'<rect x="{x}" y="{y + 8 * i}" width="14" height="8" fill="{_shade(1 - i / 10)}"/>'
        for i in range(11)
    )
    return f'{steps}<text x="{x + 20}" y="{y + 9}">1</text><text x="{x + 20}" y="{y + 88}">0</text>'


def curve(
    x: Sequence[float] | np.ndarray,
    middle: np.ndarray,
    spread: np.ndarray,
    *,
    x_title: str,
    y_title: str,
    reference: float | None = None,
) -> str:
    """A line with a band of one spread to either side, and a dashed line for reference."""
    width, height, left, right, top, bottom = 640, 300, 64, 20, 16, 46
    known = np.isfinite(middle)
    xs, ys, band = np.asarray(x, dtype=float)[known], middle[known], spread[known]
    every = [*(ys - band), *(ys + band), *([] if reference is None else [reference])]
    low, high = min(every), max(every)
    margin = 0.08 * (high - low) or 0.05
    low, high = low - margin, high + margin
    first, last = xs.min(), xs.max() if xs.max() > xs.min() else xs.min() + 1

    def at(u: float, v: float) -> str:
        across = left + (u - first) / (last - first) * (width - left - right)
        up = height - bottom - (v - low) / (high - low) * (height - top - bottom)
        return f"{across:.1f},{up:.1f}"

    edge = [at(u, v) for u, v in zip(xs, ys + band, strict=True)]
    edge += [at(u, v) for u, v in zip(xs[::-1], (ys - band)[::-1], strict=True)]
    label = html.escape(f"{y_title} against {x_title}")
    parts = [
        f'<svg viewBox="0 0 {width} {height}" width="{width}" role="img" aria-label="{label}">'
    ]
    for v in _ticks(low, high):
        (ax, ay), bx = at(first, v).split(","), width - right
        parts.append(
            f'<line x1="{ax}" y1="{ay}" x2="{bx}" y2="{ay}" class="grid" stroke="#e3e3e3"/>'
        )
        parts.append(
            f'<text x="{left - 8}" y="{float(ay) + 4:.1f}" text-anchor="end">{v:.3g}</text>'
        )
    for u in [u for u in _ticks(first, last) if u == round(u)]:
        ax = at(u, low).split(",")[0]
        parts.append(
            f'<text x="{ax}" y="{height - bottom + 18}" text-anchor="middle">{u:.0f}</text>'
        )
    if reference is not None:
        start, end = at(first, reference).split(","), at(last, reference).split(",")
        parts.append(
            f'<line x1="{start[0]}" y1="{start[1]}" x2="{end[0]}" y2="{end[1]}" '
            f'stroke="{ORANGE}" stroke-width="1.5" stroke-dasharray="6 4"/>'
        )
    parts.append(f'<polygon class="bar" points="{" ".join(edge)}" fill="{BLUE}" opacity="0.15"/>')
    points = [at(u, v) for u, v in zip(xs, ys, strict=True)]
    parts.append(
        f'<polyline class="line" points="{" ".join(points)}" fill="none" stroke="{BLUE}" '
        'stroke-width="2"/>'
    )
    for point, v in zip(points, ys, strict=True):
        cx, cy = point.split(",")
        parts.append(
            f'<circle class="bar" cx="{cx}" cy="{cy}" r="3.5" fill="{BLUE}">'
            f"<title>{v:.4g}</title></circle>"
        )
    middle_x, middle_y = (left + width - right) / 2, (top + height - bottom) / 2
    parts.append(
        f'<text x="{middle_x}" y="{height - 8}" text-anchor="middle">{html.escape(x_title)}</text>'
        f'<text x="14" y="{middle_y}" text-anchor="middle" '
        f'transform="rotate(-90 14 {middle_y})">{html.escape(y_title)}</text></svg>'
    )
    return "".join(parts)


def _ticks(low: float, high: float) -> list[float]:
    """Some round numbers between two."""
    rough = (high - low) / 5
    unit = 10.0 ** math.floor(math.log10(rough))
    step = next(unit * m for m in (1, 2, 5, 10) if unit * m >= rough * 0.999)
    first = math.ceil(low / step - 1e-9)
    return [round(i * step, 12) for i in range(first, math.floor(high / step + 1e-9) + 1)]


# ------------------------------------------------------------------ in notebooks

#: Rows of a selection in a notebook.
NOTEBOOK_ROWS = 15


def selection_summary(selector: Any) -> str:
    """The selected columns with bars, for the representation of a fitted selector."""
    if not hasattr(selector, "support_"):
        return ""
    heading, values = selection_values(selector)
    indices = [int(j) for j in selector.indices_]
    shown = indices[:NOTEBOOK_ROWS]
    finite = [v for j in indices if math.isfinite(v := float(values[j]))]
    largest = 1.0 if heading == "frequency" else max(finite, default=0.0)
    rows = [
        [place, selector._name(j), bar(float(values[j]), largest), float(values[j])]
        for place, j in enumerate(shown, 1)
    ]
    more = f"<p>… and {len(indices) - len(shown)} more</p>" if len(indices) > len(shown) else ""
    return (
        '<div class="ensfs-selection" style="margin-top:0.5em">'
        f"<p><b>{len(indices)} of {selector.n_features_in_} columns selected</b></p>"
        + table(["rank", "column", "", heading], rows)
        + f"{more}</div>"
    )


def selection_values(selector: Any) -> tuple[str, np.ndarray]:
    """Heading and value of every column, for the bars of a selection."""
    for heading, name in (("frequency", "selection_frequency_"), ("relevance", "relevance_")):
        if hasattr(selector, name):
            return heading, np.asarray(getattr(selector, name), dtype=float)
    return "score", np.asarray(selector.scores_, dtype=float)
