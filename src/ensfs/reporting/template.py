"""The frame of a page: its style, its one script, and what the headings of its tables mean."""

from __future__ import annotations

import base64
import hashlib
import html

from ensfs._config import REQUIRED, versions
from ensfs._utils.html import safe

STYLE = """
:root { color-scheme: light dark; --text: #1c1c1c; --quiet: #595959; --page: #fff; --line: #ddd;
  --track: #eef2f5; --bar: #0072B2; --box: #f5f7f9; }
@media (prefers-color-scheme: dark) { :root { --text: #e8e8e8; --quiet: #a8a8a8; --page: #17191c;
  --line: #3a3e44; --track: #2c3138; --bar: #4aa3d8; --box: #22262b; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--text); background: var(--page);
  max-width: 66em; margin: 2em auto; padding: 0 1em; }
h1 { font-size: 1.6em; } h2 { font-size: 1.2em; margin-top: 2em;
  border-bottom: 1px solid var(--line); }
table { border-collapse: collapse; margin: 0.5em 0; } th { text-align: left; color: var(--quiet); }
th, td { padding: 0.15em 0.8em 0.15em 0; vertical-align: middle; }
td { overflow-wrap: anywhere; } tbody tr { border-top: 1px solid var(--line); }
td.number { text-align: right; font-variant-numeric: tabular-nums; }
th, td.number, td.measure { white-space: nowrap; } td.name { min-width: 8em; }
td:not([class]) { min-width: 5.5em; } section { overflow-x: auto; }
pre { background: var(--box); padding: 0.6em; white-space: pre-wrap; overflow-wrap: anywhere; }
svg { max-width: 100%; height: auto; } td svg { height: 12px; }
svg text { font: 12px system-ui, sans-serif; fill: var(--text); }
svg text.quiet, svg tspan.quiet, .quiet { fill: var(--quiet); color: var(--quiet); }
svg .track { fill: var(--track); } svg .bar { fill: var(--bar); }
svg .grid { stroke: var(--line); } svg .line { stroke: var(--bar); }
.long { max-height: 32em; overflow-y: auto; border-bottom: 1px solid var(--line); }
.long thead th { position: sticky; top: 0; background: var(--page); }
th button { all: unset; cursor: pointer; }
th button:focus-visible { outline: 2px solid var(--bar); }
th[aria-sort="ascending"] button::after { content: " ▲"; }
th[aria-sort="descending"] button::after { content: " ▼"; }
th[title] { text-decoration: underline dotted; text-underline-offset: 0.2em; }
input { font: inherit; color: inherit; background: var(--box); border: 1px solid var(--line);
  padding: 0.2em 0.5em; width: 20em; max-width: 100%; }
footer { margin-top: 3em; border-top: 1px solid var(--line); }
@media print { input, label { display: none; } .long { max-height: none; overflow: visible; }
  body { max-width: none; margin: 0; } section { break-inside: avoid-page;
  overflow: visible; } }
"""

#: Sorts tables by a click on a heading, and searches the names of columns. It reads what the page
#: shows and writes no markup, so that names stay text.
SCRIPT = """
"use strict";
const sortable = document.querySelectorAll("table.sortable");
const valueOf = (row, at) => {
  const cell = row.cells[at], number = cell.dataset.value;
  return number === undefined ? cell.textContent : Number(number);
};
const compare = (a, b) => {
  if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
  return typeof a === "number" ? a - b : a.localeCompare(b, undefined, { numeric: true });
};
const isMissing = (value) => value === "–" || Number.isNaN(value);
for (const table of sortable) {
  const heads = [...table.tHead.rows[0].cells], body = table.tBodies[0];
  heads.forEach((head, at) => head.querySelector("button")?.addEventListener("click", () => {
    const rows = [...body.rows].map((row) => [valueOf(row, at), row]);
    const numbers = rows.some(([value]) => typeof value === "number");
    const before = head.getAttribute("aria-sort");
    const rising = before ? before === "descending" : !numbers;
    rows.sort(([a], [b]) => {
      if (isMissing(a) || isMissing(b)) return isMissing(a) - isMissing(b);
      return rising ? compare(a, b) : compare(b, a);
    });
    heads.forEach((other) => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", rising ? "ascending" : "descending");
    body.append(...rows.map(([, row]) => row));
  }));
}
const search = document.getElementById("search"), found = document.getElementById("found");
if (search) {
  search.parentElement.hidden = false;
  search.addEventListener("input", () => {
    const wanted = search.value.toLowerCase();
    let shown = 0, total = 0;
    for (const table of sortable) for (const row of table.tBodies[0].rows) {
      const name = row.querySelector("td.name");
      row.hidden = !name.textContent.toLowerCase().includes(wanted);
      shown += !row.hidden;
      total += 1;
    }
    found.textContent = wanted ? `${shown} of the ${total} columns on this page` : "";
  });
}
"""

SEARCH = (
    '<label hidden>Search the columns: <input id="search" type="search"> '
    '<span id="found" class="quiet" role="status"></span></label>'
)

#: What the headings of `explain` mean.
MEANINGS = {
    "rank": "Place in the order of selection",
    "relevance": "How much the column alone says about the target",
    "redundancy": "How much the column repeats of the columns selected before it, on average",
    "score": "What the selector chose the column by, at the moment of choice",
    "nearest": "The selected column that this one repeats most, as far as the search looked",
    "also": "Columns left out that this one stands for: they repeat it almost",
    "frequency": "Share of the parts of the rows on which the column is selected",
    "parts": "Number of parts of the rows on which the column is selected",
    "pair frequency": "Share of the pairs of halves of which both select the column",
    "mean rank": "Mean place of the column over the parts",
    "importance": "What the forest loses without the column",
    "p-value": "Probability of a relation at least as strong if there were none",
    "reason": "Why the column is in or out",
    "removed by": "The selected column that made this one redundant",
    "masked by": "The selected column that does the work of this one in the trees",
}


def page_of(title: str, heading: str, body: str) -> str:
    """A page that holds all it needs; whatever slipped into it, only our script is run."""
    digest = base64.b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode()
    policy = (
        "default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'unsafe-inline'; "
        f"script-src 'sha256-{digest}'"
    )
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>{safe(title)}</title><style>{STYLE}</style></head><body>"
        f"<h1>{safe(heading)}</h1>{body}{_versions()}<script>{SCRIPT}</script></body></html>\n"
    )


def _versions() -> str:
    """What the selection was made with, for whoever wants to make it again."""
    found = versions()
    names = ("ensfs", "python", *REQUIRED)
    text = ", ".join(f"{name} {found[name].split()[0]}" for name in names)
    return f'<footer class="quiet"><p>Made with {html.escape(text)}</p></footer>'
