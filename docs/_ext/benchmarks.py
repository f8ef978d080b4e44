"""The page of benchmarks: the last committed run of ``bench/compare``, as tables and a picture."""

import importlib.util
import json
import re
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt

from ensfs.plotting._style import COLOURS, strip

QUIET = "#595959"  # text beside the bars, on white paper

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "docs" / "benchmarks.json"
PICTURE = """\
```{image} generated/drawings/benchmarks.svg
:alt: Time of other libraries divided by the time of ensfs, for each table and method.
:width: 100%
```
"""


def report_writer():
    """The module that prints a comparison; it finds its neighbours by their plain names."""
    folder = ROOT / "bench" / "compare"
    sys.path.insert(0, str(folder))
    try:
        spec = importlib.util.spec_from_file_location("ensfs_compare", folder / "run.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(folder))
    return module


def tables(results):
    """The report without its title, one level higher."""
    text = report_writer().markdown(results)
    text = text.split("\n", 1)[1]
    return re.sub(r"^### ", "## ", text, flags=re.MULTILINE)


def ratio_bars(results):
    """Rows for the picture: what other libraries need beside ensfs, one thread."""
    rows = [
        row for row in results["times"]
        if row["threads"] == 1 and not row.get("skipped") and row["theirs_s"]
        and "ensfs" not in row["rival"] and "quoted" not in row["rival"]
    ]  # fmt: skip
    named = {}
    for row in rows:
        scheme = "" if row["scheme"] in ("-", "relevance") else f" {row['scheme']}"
        name, _, shape = row["case"].partition("-")
        shape = shape.replace("x", " × ") or name  # a network has a name only
        label = f"{row['rival']}: {row['what']}{scheme}, {shape}"
        named[label] = row["theirs_s"] / row["ours_s"]
    return dict(sorted(named.items(), key=lambda entry: entry[1]))


def picture(results, path):
    bars = ratio_bars(results)
    figure, axes = plt.subplots(figsize=(8.6, 0.26 * len(bars) + 1.2), layout="constrained")
    axes.barh(range(len(bars)), bars.values(), height=0.62, color=COLOURS[0])
    for i, ratio in enumerate(bars.values()):
        axes.text(ratio * 1.1, i, f"{ratio:,.3g}", va="center", fontsize=7.5, color=QUIET)
    axes.axvline(1, color=COLOURS[1], linewidth=1.2)
    axes.set_xscale("log")
    axes.set_yticks(range(len(bars)), bars, fontsize=7.5)
    axes.set_xlim(min(0.5, *bars.values()), max(bars.values()) * 4)
    axes.set_xlabel(
        "time of the other / time of ensfs, one thread (right of the line: ensfs is faster)"
    )
    strip(axes, "x")
    with plt.rc_context({"svg.hashsalt": "ensfs"}):
        figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


def write(app):
    results = json.loads(RESULTS.read_text(encoding="utf-8"))
    folder = Path(app.srcdir) / "generated"
    (folder / "drawings").mkdir(parents=True, exist_ok=True)
    text = tables(results)
    if any(row.get("quick") for row in results["times"]):
        text = "**A quick run, on small tables: its ratios say nothing.**\n" + text
    else:
        picture(results, folder / "drawings" / "benchmarks.svg")
        text = PICTURE + text
    (folder / "benchmarks.inc").write_text(text, encoding="utf-8")


def setup(app):
    app.connect("builder-inited", write)
    return {"parallel_read_safe": True}
