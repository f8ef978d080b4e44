"""The real sets: which ones, how they are made numbers, and which of them choose or confirm.

Each comes in one or both of two sizes. Small: at most 400 rows, tables with less than 25 columns
filled up with permuted ones. Tall, with the prefix ``tall-``: at most 2000 rows, nothing filled up.
"""

import numpy as np
import pandas as pd
from tasks import MAX_COLUMNS, TALL_ROWS, Task, sample_rows, with_permuted_columns

from ensfs.datasets import fetch_dataset

CLASSES = (
    "alarm_s5000", "all-aml", "anneal", "autos", "cina0", "cnae9", "cns", "colon", "credit-g",
    "dna180", "heart-c", "horse-colic", "ionosphere", "kr-vs-kp", "lucap0", "lung-gordon",
    "lymphography", "lymphoma-3c", "marti1", "movement_libras", "mushroom", "musk1",
    "optdigits_train", "reged0", "satimage", "sick", "sonar", "srbct", "votes", "wdbc",
)  # fmt: skip

NUMBERS = (
    "reg-ailerons", "reg-autohorse", "reg-autoprice", "reg-bank32nh", "reg-bodyfat",
    "reg-breasttumor", "reg-cholesterol", "reg-cpu-act", "reg-fried", "reg-housing",
    "reg-hungarian", "reg-mv", "reg-pbc", "reg-pharynx", "reg-pollution", "reg-pyrim",
    "reg-sensory", "reg-strike",
)  # fmt: skip

#: Tall tables with classes; those with the prefix ``column-`` among the numbers have one of their
#: columns as the target, and no classes: there are few tall tables with a numeric target.
TALL_CLASSES = (
    "tall-alarm_s5000", "tall-anneal", "tall-cina0", "tall-cnae9", "tall-credit-g", "tall-dna180",
    "tall-kr-vs-kp", "tall-lucap0", "tall-musk1", "tall-optdigits_train", "tall-satimage",
    "tall-sick", "tall-wdbc",
)  # fmt: skip

TALL_NUMBERS = (
    "tall-reg-ailerons", "tall-reg-bank32nh", "tall-reg-cpu-act", "tall-column-cina0",
    "tall-column-ionosphere", "tall-column-isolet", "tall-column-musk1",
    "tall-column-optdigits_train", "tall-column-satimage", "tall-column-wdbc",
)  # fmt: skip

#: Columns of a set that tall tables have at most, and values of a column that may be a target.
_TALL_COLUMNS, _TARGET_VALUES = 400, 10

#: Levels of a category that get an indicator column; the rest share one.
MOST_LEVELS = 8


def role(name):
    """Every second set in alphabetical order is kept for confirming, classes and numbers apart.

    A set has the same role in both sizes. `isolet` is in neither list and confirms.
    """
    name = name.removeprefix("tall-").removeprefix("column-")
    if name == "isolet":
        return "confirm"
    names = sorted(CLASSES if name in CLASSES else NUMBERS)
    return ("choose", "confirm")[names.index(name) % 2]


def is_tall(name):
    return name.startswith("tall-")


def load(name):
    """A real set as every method is given it; the same for every call."""
    if is_tall(name):
        return _load_tall(name)
    rng = np.random.default_rng(sum(map(ord, name)))
    X, y, classes = _read(name, rng)
    if X.shape[1] > MAX_COLUMNS:
        X = X.iloc[:, np.sort(rng.choice(X.shape[1], MAX_COLUMNS, replace=False))]
    X, junk = with_permuted_columns(X, rng)
    return Task(name, X, y, classes, junk=junk, role=role(name))


def _load_tall(name):
    rng = np.random.default_rng(sum(map(ord, name)))
    of = name.removeprefix("tall-")
    X, y, classes = _read(of.removeprefix("column-"), rng, TALL_ROWS)
    if of.startswith("column-"):
        rich = X.columns[X.nunique() >= _TARGET_VALUES]
        target = rich[rng.integers(len(rich))]
        X, y, classes = X.drop(columns=target), X[target].to_numpy(dtype=float), False
    if X.shape[1] > _TALL_COLUMNS:
        X = X.iloc[:, np.sort(rng.choice(X.shape[1], _TALL_COLUMNS, replace=False))]
    return Task(name, X, y, classes, role=role(name), sizes=(10, 20))


def _read(name, rng, *most_rows):
    """Columns as numbers, the target, and whether it is classes."""
    bunch = fetch_dataset(name, as_frame=True)
    classes = bunch.target_names is not None
    y = np.asarray(bunch.target)
    rows = sample_rows(y, classes, rng, *most_rows)
    X = numbers_only(bunch.data.iloc[rows].reset_index(drop=True))
    y = np.unique(y[rows], return_inverse=True)[1] if classes else y[rows].astype(float)
    return X, y, classes


def numbers_only(frame):
    """Indicators for categories, the median (or the first level) for missing cells; no constants.

    Neither looks at the target, so it may be done before the rows are split.
    """
    columns = {}
    for name in frame.columns:
        values = frame[name]
        if isinstance(values.dtype, pd.CategoricalDtype) or values.dtype == object:
            columns.update(_indicators(str(name), values))
        else:
            filled = values.fillna(values.median()).to_numpy(dtype=float)
            whole = (filled == np.rint(filled)).all() and np.abs(filled).max() < 2**31
            columns[str(name)] = filled.astype(np.int64) if whole else filled
    table = pd.DataFrame(columns)
    return table.loc[:, table.nunique() > 1]


def _indicators(name, values):
    text = values.astype(str)
    levels = text.value_counts().index[:MOST_LEVELS].sort_values()
    levels = levels[1:] if len(levels) == 2 else levels  # the other one is its complement
    return {f"{name}={level}": (text == level).to_numpy().astype(np.int64) for level in levels}
