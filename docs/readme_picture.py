"""Draw the pictures of the README and of the first page of the guide.

    python docs/readme_picture.py

They are committed: a README has no build. Run this after a change of the demo or of that page.
"""

import os
import re
import sys
import tempfile
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

ROOT = Path(__file__).resolve().parents[1]


def main():
    sys.path.insert(0, str(ROOT / "examples"))
    import demo

    one, many = demo.selectors()
    X, y, names, _, _ = demo.study(0)
    save(demo.draw(one.fit(X, y), many.fit(X, y), X, names), "why_ensembles")

    page = (ROOT / "docs/getting_started.md").read_text(encoding="utf-8")
    program = re.search(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)[1]
    made = {}
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        exec(compile(program, "getting_started.md", "exec"), made)
        os.chdir(ROOT)
    save(made["display"].figure_, "selection_frequency")


def save(figure, name):
    with matplotlib.rc_context({"svg.hashsalt": "ensfs"}):
        figure.savefig(ROOT / f"docs/_static/{name}.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
