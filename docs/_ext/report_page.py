"""A report made by the build, beside the pages; and how it looks, where there is a browser."""

import shutil
import subprocess
import tempfile
from pathlib import Path

from sklearn.datasets import load_breast_cancer

import ensfs
from ensfs import MRMR, FastEnsemble

BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def write(app):
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    X, y = X[::4], y[::4]
    page = Path(app.outdir) / "report_example.html"
    page.parent.mkdir(parents=True, exist_ok=True)
    ensfs.report(FastEnsemble(MRMR(8)).fit(X, y), X, y, page)
    folder = Path(app.srcdir) / "generated"
    (folder / "drawings").mkdir(parents=True, exist_ok=True)
    lines = ['<a href="../report_example.html">A report that the build of this page wrote</a>.', ""]
    if take_picture(page, folder / "drawings" / "report.png"):
        lines += [
            "```{image} ../generated/drawings/report.png",
            ":alt: The first screen of the report: the data, the selected columns with reasons.",
            ":width: 90%",
            "```",
        ]
    (folder / "report.inc").write_text("\n".join(lines) + "\n", encoding="utf-8")


def take_picture(page, path):
    """Take a screenshot; whether there is one."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        return False
    path.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        command = [
            browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
            f"--user-data-dir={profile}", "--window-size=1000,1500", f"--screenshot={path}",
            page.resolve().as_uri(),
        ]  # fmt: skip
        try:
            subprocess.run(command, check=False, capture_output=True, timeout=120)
        except subprocess.TimeoutExpired:
            return False
    return path.exists()


def setup(app):
    app.connect("builder-inited", write)
    return {"parallel_read_safe": True}
