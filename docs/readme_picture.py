"""Draw the picture of the README by running the README's own example.

    python docs/readme_picture.py

The picture is committed: a README has no build. Run this after a change of the example.
"""

import os
import re
import tempfile
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

ROOT = Path(__file__).resolve().parents[1]


def main():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    program = re.search(r"^```python\n(.*?)^```", readme, re.MULTILINE | re.DOTALL)[1]
    names = {}
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        exec(compile(program, "README.md", "exec"), names)
        os.chdir(ROOT)
    figure = names["display"].figure_
    with matplotlib.rc_context({"svg.hashsalt": "ensfs"}):
        figure.savefig(ROOT / "docs/_static/selection_frequency.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
