#!/usr/bin/env python3
"""Print requirements from pyproject.toml, one on a line.

    .ci/requirements.py build dependencies plot lint

`build` stands for the build system and `dependencies` for what the package needs; any
other word is an extra or a dependency group. Old versions of pip cannot install groups,
and none installs an extra without the package itself: this does both with any pip.
With `--lowest` each lower bound becomes the version to install.
"""

import pathlib
import sys
import tomllib


def main(names):
    path = pathlib.Path(__file__).resolve().parents[1] / "pyproject.toml"
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    project = table["project"]
    known = {
        "build": [*table["build-system"]["requires"], "ninja>=1.10"],
        "dependencies": project["dependencies"],
        **project["optional-dependencies"],
        **table["dependency-groups"],
    }
    lowest = "--lowest" in names
    for name in names:
        if name == "--lowest":
            continue
        if name not in known:
            sys.exit(f"requirements: no {name!r}; there are {', '.join(known)}")
        for requirement in known[name]:
            print(requirement.replace(">=", "==") + ".*" if lowest else requirement)


if __name__ == "__main__":
    main(sys.argv[1:])
