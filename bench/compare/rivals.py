"""The other libraries, a few lines each, imported only when they are asked for.

Each adapter takes the table, returns a function that selects ``k`` columns, and says how its
definition differs from ours. Tables are converted to the format that the library prefers before the
clock starts.
"""

import contextlib
import io
import os
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True)
class Rival:
    """An adapter: ``prepare(X, y, n_threads)`` returns ``select(k) -> indices`` (or None)."""

    name: str
    package: str
    scheme: str
    prepare: Callable
    same_definition: bool
    note: str = ""
    floor: float = 0.0  # redundancies below it count as it; the check does the same
    offset: float = 0.0  # added to the mean redundancy, likewise
    k: int | None = None  # select this many only, where the library is too slow for more
    max_cells: int | None = None  # and from so many first columns that n * p stays below this
    threaded: bool = True  # False: measured with one thread only, more would not help it
    max_columns: int | None = None  # a limit on the columns alone
    ours: dict = field(default_factory=dict)  # parameters that give our selector its definition

    def cut(self, X):
        """Take the first columns of the table, as many as the library can do in seconds."""
        p = min(self.max_columns or X.shape[1], (self.max_cells or X.size) // len(X))
        return X if p >= X.shape[1] else np.ascontiguousarray(X[:, :p])


@contextlib.contextmanager
def quiet():
    """Swallow what a library prints, also from C."""
    with open(os.devnull, "w") as sink, contextlib.redirect_stdout(io.StringIO()):
        saved = os.dup(1)
        os.dup2(sink.fileno(), 1)
        try:
            yield
        finally:
            os.dup2(saved, 1)
            os.close(saved)


def _names(p):
    return [f"x{j}" for j in range(p)]


def _indices(names):
    return np.array([int(name[1:]) for name in names])


def _mrmrs(X, y, n_threads):
    import polars as pl
    from mrmrs import mrmr

    frame = pl.DataFrame(np.asarray(X, dtype=np.float64), schema=_names(X.shape[1]))
    target = pl.Series("y", y)
    return lambda k: _indices(f.name for f in mrmr(frame, target, k, "classification"))


def _mrmr_selection(X, y, n_threads):
    import pandas as pd
    from mrmr import mrmr_classif

    frame, target = pd.DataFrame(X, columns=_names(X.shape[1])), pd.Series(y)
    return lambda k: _indices(
        mrmr_classif(frame, target, K=k, n_jobs=n_threads, show_progress=False)
    )


def _feature_engine(method):
    def prepare(X, y, n_threads):
        import pandas as pd
        from feature_engine.selection import MRMR

        frame, target = pd.DataFrame(X, columns=_names(X.shape[1])), pd.Series(y)
        discrete = method.startswith("MI")

        def select(k):
            selector = MRMR(
                method=method,
                max_features=k,
                discrete_features=discrete,
                n_jobs=n_threads,
            ).fit(frame, target)
            return np.flatnonzero(selector.get_support())

        return select

    return prepare


def _fastcan(X, y, n_threads):
    from fastcan import FastCan

    return lambda k: FastCan(k, verbose=0).fit(X, y).indices_


def _skfeature(X, y, n_threads):
    from skfeature.function.information_theoretical_based.LCSI import lcsi

    return lambda k: lcsi(
        X,
        y,
        mode="index",
        beta=1 / k,
        gamma=0,
        function_name="MRMR",
        n_selected_features=k,
    )


def _skfeature_fcbf(X, y, n_threads):
    from skfeature.function.information_theoretical_based.FCBF import fcbf

    return lambda k: fcbf(X, y, mode="index")


def _skfeature_cmim(X, y, n_threads):
    from skfeature.function.information_theoretical_based.CMIM import cmim

    return lambda k: cmim(X, y, mode="index", n_selected_features=k)


def _skfeature_jmi(X, y, n_threads):
    """Call what its ``jmi`` calls, which itself returns places in the stead of columns."""
    from skfeature.function.information_theoretical_based.LCSI import lcsi

    return lambda k: lcsi(X, y, mode="index", function_name="JMI", n_selected_features=k)


def _fcbf(X, y, n_threads):
    import pandas as pd
    from fcbf import fcbf

    frame = pd.DataFrame(X, columns=_names(X.shape[1]))
    target = pd.Series(y, name="y")
    return lambda k: _indices(fcbf(frame, target)[0])


def _itmo_fcbf(X, y, n_threads):
    from ITMO_FS.filters.multivariate import FCBFDiscreteFilter

    def select(k):
        selector = FCBFDiscreteFilter()
        selector.fit(X, y)
        return selector.selected_features

    return select


def _itmo(measure):
    def prepare(X, y, n_threads):
        from ITMO_FS.filters.multivariate import MultivariateFilter

        def select(k):
            selector = MultivariateFilter(measure, k)
            selector.fit(X, y)
            return selector.selected_features

        return select

    return prepare


def _pymrmr(method):
    def prepare(X, y, n_threads):
        import pandas as pd
        import pymrmr

        frame = pd.DataFrame(
            np.column_stack([y, X]).astype(np.int64), columns=["y", *_names(X.shape[1])]
        )

        def select(k):
            with quiet():
                return _indices(pymrmr.mRMR(frame, method, k))

        return select

    return prepare


def _sklearn_mi(X, y, n_threads):
    from sklearn.feature_selection import mutual_info_classif

    def select(k):
        return mutual_info_classif(X, y, discrete_features=True, n_jobs=n_threads)

    return select


def _boruta(X, y, n_threads):
    from boruta import BorutaPy
    from sklearn.ensemble import RandomForestClassifier

    def select(k):
        forest = RandomForestClassifier(max_depth=5, class_weight="balanced", n_jobs=n_threads)
        boruta = BorutaPy(forest, n_estimators="auto", random_state=0).fit(X, y)
        return np.flatnonzero(boruta.support_)

    return select


FLOOR = "takes |r| below 0.001 as 0.001"

CONTINUOUS = (
    Rival("mrmrs", "mrmrs", "quotient", _mrmrs, True, FLOOR, floor=1e-3),
    Rival(
        "mrmr-selection", "mrmr-selection", "quotient", _mrmr_selection, True, FLOOR,
        floor=1e-3, k=3,
    ),
    Rival("feature-engine FCQ", "feature-engine", "quotient", _feature_engine("FCQ"), True, k=3),
    Rival("feature-engine FCD", "feature-engine", "difference", _feature_engine("FCD"), True, k=3),
    Rival("fastcan", "fastcan", "quotient", _fastcan, False, "canonical correlation, not mRMR"),
)  # fmt: skip

DISCRETE = (
    Rival("pymrmr MIQ", "pymrmr", "quotient", _pymrmr("MIQ"), True,
        "adds 0.0001 to the redundancy", offset=1e-4, k=3, max_cells=500_000,
        threaded=False),
    Rival("pymrmr MID", "pymrmr", "difference", _pymrmr("MID"), True, k=3, max_cells=500_000,
        threaded=False),
    Rival(
        "skfeature-chappers", "skfeature-chappers", "difference", _skfeature, False,
        "a fixed weight instead of the mean redundancy; computes the conditional term too",
        k=3, max_cells=200_000, threaded=False,
    ),
    Rival(
        "feature-engine MIQ", "feature-engine", "quotient", _feature_engine("MIQ"), False,
        "redundancy by nearest neighbours, also between codes", k=3, max_cells=200_000,
    ),
)  # fmt: skip

MEASURES = (
    Rival(
        "mutual_info_classif", "scikit-learn", "relevance", _sklearn_mi, False,
        "relevance alone, beside ensfs.measures.mutual_information", k=1, max_cells=1_000_000,
    ),
)  # fmt: skip

# None of these is compiled: they get a few hundred columns, and CMIM and JMI few steps.
FILTERS = (
    Rival(
        "skfeature-chappers", "skfeature-chappers", "FCBF", _skfeature_fcbf, False,
        "casts the relevances to integers and so walks by column number", max_columns=200,
        threaded=False,
    ),
    Rival("fcbf", "fcbf", "FCBF", _fcbf, True, max_columns=100, threaded=False),
    Rival(
        "ITMO_FS", "ITMO_FS", "FCBF", _itmo_fcbf, False,
        "mutual information in place of uncertainty; confuses columns once some are removed",
        max_columns=500, threaded=False,
    ),
    Rival(
        "skfeature-chappers", "skfeature-chappers", "CMIM", _skfeature_cmim, True,
        "include_mi=False", k=5, max_columns=200, threaded=False, ours={"include_mi": False},
    ),
    Rival(
        "ITMO_FS", "ITMO_FS", "CMIM", _itmo("CMIM"), True,
        "include_mi=False", k=5, max_columns=200, threaded=False, ours={"include_mi": False},
    ),
    Rival(
        "skfeature-chappers", "skfeature-chappers", "JMI", _skfeature_jmi, False,
        "weights 0.8 and 0.5 in place of the means", k=5, max_columns=200, threaded=False,
    ),
    Rival("ITMO_FS", "ITMO_FS", "JMI", _itmo("JMI"), True, k=5, max_columns=200, threaded=False),
)  # fmt: skip

RELEVANT = (Rival("boruta", "boruta", "ACE", _boruta, False, "keeps all relevant columns"),)
