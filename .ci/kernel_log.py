"""Log what every kernel gives in a run of the tests, to compare two machines.

    pytest -p kernel_log --kernel-log FILE tests/core      (with .ci on PYTHONPATH)
    python .ci/kernel_log.py FILE OTHER

A line of the log has the name of a kernel and two hashes: of its arguments, and of what it
returned and left in its arguments. Two machines agree if equal arguments gave equal bits. So that
arguments are equal, new arrays hold zeros, logarithms are rounded correctly, long floats are
float64 and sorts are stable in such a run. A call whose arguments the other machine never saw is a
difference too. Scratch memory, which the sources mark as TEMP, is neither argument nor result.
"""

import decimal
import functools
import hashlib
import importlib
import math
import pathlib
import pkgutil
import re
import sys

import numpy as np

SOURCES = pathlib.Path(__file__).parent.parent / "src" / "ensfs" / "_core"


def digest(value):
    hasher = hashlib.sha256()
    _feed(hasher, value)
    return hasher.hexdigest()[:24]


def _feed(hasher, value):
    if isinstance(value, Proxy):
        hasher.update(value.key.encode())
        _feed(hasher, value.args)  # what its arrays hold now
    elif isinstance(value, np.ndarray):
        hasher.update(repr((value.dtype.str, value.shape)).encode())
        hasher.update(np.ascontiguousarray(value).tobytes())
    elif isinstance(value, tuple | list):
        hasher.update(f"({len(value)}".encode())
        for each in value:
            _feed(hasher, each)
    elif isinstance(value, dict):
        _feed(hasher, sorted(value.items()))
    elif isinstance(value, str | bool | int | float | np.generic | None):
        hasher.update(repr(value).encode())
    else:
        hasher.update(type(value).__name__.encode())


@functools.cache
def rounded_log2(x):
    """The float64 next to the logarithm, which libraries of two machines may miss by a digit."""
    if not 0.0 < x < math.inf:
        return float(_numpy_log2(x))
    with decimal.localcontext(prec=50):
        return float(decimal.Decimal(x).ln() / decimal.Decimal(2).ln())


_numpy_log2 = np.log2


def rounded_log2_of_array(x):
    values = np.asarray(x, dtype=np.float64)
    found = [rounded_log2(each) for each in values.ravel().tolist()]
    return np.array(found).reshape(values.shape)[()]


def stable(sort):
    """NumPy sorts equal values in another order on another machine, unless it is asked not to."""
    return lambda a, axis=-1, kind=None: sort(a, axis=axis, kind="stable")


def scratch(source):
    """Positions of the parameters that a source marks as TEMP, by function or Class.method."""
    found, owner, name, position = {}, "", None, 0
    for line in source.splitlines():
        if begin := re.match(r"(?:cdef )?class (\w+)", line):
            owner = begin[1]
        if begin := re.match(r"( *)(?:cpdef|def) (?:.* )?(\w+)\(", line):
            method = owner if begin[2] == "__init__" else f"{owner}.{begin[2]}"
            name, position = method if begin[1] else begin[2], 0
            line = line[begin.end() :]
        if name is None:
            continue
        code, _, comment = line.partition("#")
        n_parameters = re.sub(r"\[.*?\]", "", code).count(",") - code.strip().startswith("self,")
        if comment.strip().startswith("TEMP"):
            found.setdefault(name, set()).update(range(position, position + max(1, n_parameters)))
        position += n_parameters
        if re.search(r"\)(?: ->.*)?:\s*$", code):
            name = None
    return found


def without(args, positions):
    return [each for i, each in enumerate(args) if i not in positions]


class Log:
    """Hashes of arguments and of results, by kernel."""

    def __init__(self):
        self.lines = set()
        self.scratch = {}

    def arguments(self, name, args):
        """Those that are no scratch memory."""
        return without(args, self.scratch.get(name, ()))

    def call(self, name, function, args, kwargs, owner=""):
        before = digest([name, owner, self.arguments(name, args), kwargs])
        plain = [each.inner if isinstance(each, Proxy) else each for each in args]
        try:
            result = function(*plain, **kwargs)
        except Exception as error:
            self.lines.add(f"{name} {before} {type(error).__name__}")
            raise
        shown = result if isinstance(result, np.ndarray | tuple | int | float) else None
        after = digest([shown, self.arguments(name, args), kwargs])
        self.lines.add(f"{name} {before} {after}")
        return result


class Proxy:
    """An object of a compiled class whose methods are logged, and the arrays that it holds."""

    def __init__(self, log, name, inner, key, args):
        self.log, self.name, self.inner, self.key, self.args = log, name, inner, key, args

    def __getattr__(self, attribute):
        value = getattr(self.inner, attribute)
        if not callable(value):
            return value
        name = f"{self.name}.{attribute}"
        return lambda *args, **kwargs: self.log.call(name, value, args, kwargs, self.key)


def _logged_function(log, name, function):
    return lambda *args, **kwargs: log.call(name, function, args, kwargs)


def _logged_class(log, name, cls):
    def make(*args, **kwargs):
        plain = [each.inner if isinstance(each, Proxy) else each for each in args]
        known = log.arguments(name, args)
        return Proxy(log, name, cls(*plain, **kwargs), digest([name, known, kwargs]), known)

    return make


def pytest_addoption(parser):
    parser.addoption("--kernel-log", required=True)


def pytest_configure(config):
    config.kernel_log = log = Log()
    # what memory held before is no argument
    np.empty = np.zeros
    np.empty_like = np.zeros_like
    np.log2, math.log2 = rounded_log2_of_array, rounded_log2
    np.longdouble = np.float64  # whose real length is another on every platform
    np.sort, np.argsort = stable(np.sort), stable(np.argsort)
    package = importlib.import_module("ensfs._core")
    for found in pkgutil.iter_modules(package.__path__):
        module = importlib.import_module(f"ensfs._core.{found.name}")
        for source in SOURCES.glob(f"{found.name}.pyx"):
            marked = scratch(source.read_text()).items()
            log.scratch |= {f"{found.name}.{name}": each for name, each in marked}
        for name, value in list(vars(module).items()):
            full = f"{found.name}.{name}"
            if getattr(value, "__module__", None) != module.__name__ or name.startswith("_"):
                continue
            if isinstance(value, type):
                setattr(module, name, _logged_class(log, full, value))
            elif callable(value):
                setattr(module, name, _logged_function(log, full, value))


def pytest_unconfigure(config):
    lines = sorted(config.kernel_log.lines)
    pathlib.Path(config.getoption("--kernel-log")).write_text("\n".join(lines) + "\n")


def compare(path, other):
    """Print how many calls agree; exit with 1 if any does not."""
    a, b = (_results(each) for each in (path, other))
    common = a.keys() & b.keys()
    unequal = [key for key in sorted(common) if a[key] != b[key]]
    for key in unequal[:20]:
        print("unequal:", *key)
    kernels = {key[0] for key in a.keys() | b.keys()}
    alone = [len(a) - len(common), len(b) - len(common)]
    for key in sorted(a.keys() ^ b.keys())[:20]:
        print("on one machine only:", *key)
    print(
        f"{len(kernels)} kernels, {len(common)} calls with equal arguments, {len(unequal)} of them "
        f"unequal; {alone[0]} and {alone[1]} calls on one machine only; "
        f"kernels without a common call: {sorted(kernels - {key[0] for key in common}) or 'none'}"
    )
    return 1 if unequal or any(alone) or not common else 0


def _results(path):
    found = {}
    for line in pathlib.Path(path).read_text().splitlines():
        name, arguments, result = line.split()
        found.setdefault((name, arguments), set()).add(result)
    return found


if __name__ == "__main__":
    sys.exit(compare(*sys.argv[1:]))
