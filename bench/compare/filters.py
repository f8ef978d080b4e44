"""FCBF, CMIM, JMI and all pairs of columns, beside other libraries: rows for ``run.py``."""

import sys
import time

import numpy as np
from cases import QUOTED_FILTERS_MS
from race import race

PARTS = 20


def selector(method, p, k, n_threads, **parameters):
    import ensfs

    parameters |= {"discrete_features": np.full(p, True), "n_jobs": n_threads}
    if method != "FCBF":
        parameters["n_features_to_select"] = k
    return getattr(ensfs, method)(**parameters)


def agreement(ours, theirs):
    """Say how many of the columns in either set are in both."""
    ours, theirs = set(map(int, ours)), set(map(int, theirs))
    return f"{len(ours & theirs)} of {len(ours | theirs)}"


def time_filters(case, X, y, n_threads, options):
    """All methods that the case names."""
    for method in case.methods:
        if method == "pairwise MI":
            yield from time_pairs(case, X, n_threads, options)
            continue
        yield from time_method(case, method, X, y, n_threads, options)
        if method == "FCBF":
            yield from time_ensemble(X, y, n_threads, options)


def time_method(case, method, X, y, n_threads, options):
    """One selection on the whole table, praznik's quoted time, and every library that has it."""
    from rivals import FILTERS

    k = 0 if method == "FCBF" else options.k
    ours = selector(method, X.shape[1], k, n_threads)
    times, _ = race({"ours": lambda: ours.fit(X, y)}, options.repeats, options.budget)
    base = {"what": method, "scheme": "-", "k": k or len(ours.indices_), "ours_s": times["ours"],
            "agree": None, "same_definition": True}  # fmt: skip
    note = f"{len(ours.indices_):,} columns, {ours.n_pairs_read_:,} pairs read"
    yield base | {"rival": "-", "theirs_s": None, "note": note}
    yield from quoted(case, method, base, n_threads, options)
    for rival in FILTERS:
        if rival.scheme == method and n_threads == 1:
            yield against(rival, X, y, options)


def quoted(case, method, base, n_threads, options):
    milliseconds = QUOTED_FILTERS_MS.get((case.name, method))
    if milliseconds is None or n_threads > 1 or options.quick:
        return
    note = "time quoted, not measured; another table of this shape"
    yield base | {"rival": "praznik (quoted)", "theirs_s": milliseconds / 1e3, "note": note}


def against(rival, X, y, options):
    """One library beside ensfs on as many columns as it can do in seconds; it runs once."""
    method, k = rival.scheme, min(rival.k or options.k, options.k)
    Z = rival.cut(X)
    notes = (rival.note, f"first {Z.shape[1]:,} columns only" * (Z.shape[1] < X.shape[1]))
    row = {
        "what": method, "rival": rival.name, "scheme": "-", "k": 0 if method == "FCBF" else k,
        "note": "; ".join(filter(None, notes)), "same_definition": rival.same_definition,
    }  # fmt: skip
    print(f"    {rival.name} {method} ...", file=sys.stderr, flush=True)
    ours = selector(method, Z.shape[1], k, 1, **rival.ours)
    try:
        select = rival.prepare(Z, y, 1)
        theirs, answer = race({"theirs": lambda: select(k)}, 1, 0.0)
    except ImportError as error:
        return row | {"skipped": f"not installed ({error.name})"}
    except Exception as error:
        return row | {"skipped": f"{type(error).__name__}: {error}"[:100]}
    times, _ = race({"ours": lambda: ours.fit(Z, y)}, options.repeats, options.budget)
    return row | {
        "ours_s": times["ours"],
        "theirs_s": theirs["theirs"],
        "agree": agreement(ours.indices_, answer["theirs"]),
    }


def time_ensemble(X, y, n_threads, options):
    """Twenty parts at once, beside one FCBF and beside FCBF on the rows of each part."""
    from ensfs import FastEnsemble

    p = X.shape[1]
    one = selector("FCBF", p, None, n_threads)
    fast = FastEnsemble(selector("FCBF", p, None, None), n_parts=PARTS, n_jobs=n_threads)
    times, _ = race(
        {"fast": lambda: fast.fit(X, y), "one": lambda: one.fit(X, y)},
        max(2, options.repeats // 2),
        options.budget,
    )
    fold = np.arange(len(y)) % PARTS
    seconds, same = 0.0, True
    for t in range(PARTS):
        rows = fold != t
        table, target = X[rows], y[rows]
        start = time.perf_counter()
        alone = selector("FCBF", p, None, n_threads).fit(table, target)
        seconds += time.perf_counter() - start
        same &= np.array_equal(alone.indices_, fast.part_selections_[t])
    base = {"what": f"FastEnsemble(FCBF), {PARTS} parts", "scheme": "-", "k": len(fast.indices_),
            "ours_s": times["fast"], "same_definition": True}  # fmt: skip
    yield base | {"rival": "ONE ensfs FCBF", "theirs_s": times["one"], "agree": None,
                  "note": f"{times['fast'] / times['one']:.2f} times one FCBF"}  # fmt: skip
    yield base | {"rival": f"{PARTS} runs of ensfs FCBF", "theirs_s": seconds,
                  "agree": "all parts equal" if same else "PARTS DIFFER",
                  "note": "the runs measured once"}  # fmt: skip


def time_pairs(case, X, n_threads, options):
    """Mutual information of all pairs, beside one product of indicator matrices on BLAS."""
    import textbook

    from ensfs.measures import pairwise

    times, answers = race(
        {
            "ours": lambda: pairwise(X, "mutual_information", n_jobs=n_threads),
            "blas": lambda: textbook.pairwise_mi(X),
        },
        options.repeats,
        options.budget,
    )
    same = np.allclose(answers["ours"], answers["blas"], rtol=1e-9, atol=1e-11)
    base = {"what": "pairwise MI", "scheme": "-", "k": 0, "ours_s": times["ours"],
            "same_definition": True}  # fmt: skip
    yield base | {"rival": "one-hot product on BLAS", "theirs_s": times["blas"], "note": "",
                  "agree": "all equal" if same else "DIFFERENT"}  # fmt: skip
    yield from quoted(case, "pairwise MI", base | {"agree": None}, n_threads, options)
