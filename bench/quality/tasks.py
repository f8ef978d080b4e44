"""The form in which every method of the comparison is given a data set."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

#: More rows or columns are cut to a random sample: the whole table has to cost less than an hour.
MAX_ROWS = 400
MAX_COLUMNS = 1000

#: The same for tall tables.
TALL_ROWS = 2000

#: Tables with fewer columns get permuted copies of their own columns up to `FILLED`, so that there
#: is something to choose from at k = 20 too.
MIN_COLUMNS, FILLED = 25, 60

#: Classes with fewer rows are left out: each half needs some of them for the models on top.
MIN_CLASS_ROWS = 8

#: How many columns the models on top are given.
SIZES = (5, 10, 20, 50)


@dataclass
class Task:
    """A table with its target, and what is known about its columns.

    Attributes
    ----------
    name : str
        Name of the set.
    X : pandas.DataFrame
        Numbers only: whole numbers as integers, categories as indicator columns.
    y : ndarray
        Class numbers from 0, or floats.
    classes : bool
        Whether the target is classes.
    truth : list of ndarray
        For generated sets: each cause, as the columns that carry it (a cause and its copies).
    junk : ndarray of int
        Columns that are known to tell nothing about the target.
    role : str
        "choose" or "confirm".
    generated : bool
        Whether `truth` is known.
    sizes : tuple of int
        How many columns the models on top are given.
    """

    name: str
    X: pd.DataFrame
    y: np.ndarray
    classes: bool
    truth: list = field(default_factory=list)
    junk: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=int))
    role: str = "choose"
    generated: bool = False
    sizes: tuple = SIZES


def with_permuted_columns(X, rng):
    """A table with few columns filled up with permuted copies, and the places of these."""
    p = X.shape[1]
    copies = {}
    for i in range(FILLED - p if p < MIN_COLUMNS else 0):
        source = X.columns[i % p]
        copies[f"permuted {i} of {source}"] = rng.permutation(X[source].to_numpy())
    filled = pd.concat([X, pd.DataFrame(copies, index=X.index)], axis=1)
    return filled, np.arange(p, filled.shape[1])


def sample_rows(y, classes, rng, most_rows=MAX_ROWS):
    """At most so many rows; classes that are too small are left out."""
    rows = np.arange(len(y))
    if classes:
        counts = pd.Series(y).map(pd.Series(y).value_counts()).to_numpy()
        rows = rows[counts >= MIN_CLASS_ROWS]
    if rows.size > most_rows:
        rows = np.sort(rng.choice(rows, most_rows, replace=False))
        if classes:  # the sample may have made a class too small
            kept = pd.Series(y[rows])
            rows = rows[kept.map(kept.value_counts()).to_numpy() >= MIN_CLASS_ROWS]
    return rows
