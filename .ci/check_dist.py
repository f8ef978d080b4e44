#!/usr/bin/env python3
"""Check what `python -m build` made: `.ci/check_dist.py DIRECTORY`.

With `--tag v1.2.3` the version must be that of the tag, too.
"""

import argparse
import pathlib
import subprocess
import sys
import tarfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[1]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("--tag")
    arguments = parser.parse_args()
    (sdist,) = arguments.directory.glob("*.tar.gz")
    (wheel,) = arguments.directory.glob("*.whl")
    print(sdist.name, wheel.name, sep="\n")
    if arguments.tag is not None:
        names = (f"ensfs-{arguments.tag.removeprefix('v')}{end}" for end in (".tar.gz", "-"))
        if not all(map(str.startswith, (sdist.name, wheel.name), names)):
            sys.exit(f"not the version of the tag {arguments.tag}: {sdist.name}, {wheel.name}")

    with tarfile.open(sdist) as archive:
        packed = {name.partition("/")[2] for name in archive.getnames()}
    tracked = subprocess.run(
        ["git", "ls-tree", "-r", "--name-only", "-z", "HEAD"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.split("\0")
    complain("not in the source distribution", set(filter(None, tracked)) - packed)

    with zipfile.ZipFile(wheel) as archive:
        packed = set(archive.namelist())
    modules = {
        path.relative_to(ROOT / "src").as_posix()
        for path in (ROOT / "src").rglob("*.py*")
        if path.suffix in (".py", ".pyi", ".pyx")
    }
    compiled = {name for name in modules if name.endswith(".pyx")}
    built = {name.partition(".")[0] + ".pyx" for name in packed if ".abi3." in name}
    complain("not in the wheel", {"ensfs/py.typed", *modules} - compiled - packed)
    complain("not compiled for the stable ABI", compiled - built)
    complain("not a part of the package", {n for n in packed if is_foreign(n)})
    if "-abi3-" not in wheel.name or "cp311" not in wheel.name:
        print(f"note: {wheel.name} is for one version of Python (built by another one)")


def is_foreign(name):
    return not name.startswith(("ensfs/", "ensfs-")) or "__pycache__" in name


def complain(what, names):
    if names:
        sys.exit(f"{what}: {', '.join(sorted(names))}")


if __name__ == "__main__":
    main()
